"""CLDP-SGD [girgis2021] Alg 1: clients clip and randomize their gradients, and a server descends along their mean.

A run is a function of its plan and the data. All randomness is counter-based (``streams``), so a run that was killed
goes on from its last checkpoint to the same bits, and processes that share the clients give what one process gives.
"""

import io
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import distributed, nn

from shufflekit import _validate
from shufflekit.bracket import Bracket
from shufflekit.learning import files, streams
from shufflekit.learning.data import DataSet, Images
from shufflekit.learning.gradients import chunk_size, gradients, parameter_count
from shufflekit.learning.models import paper_network
from shufflekit.learning.randomizers import CLIPS, R1, R2, PrivUnit, Randomizer, RInf
from shufflekit.protocols import Shuffle
from shufflekit.protocols.run import Run

RANDOMIZERS = ("RInf", "R1", "R2", "PrivUnit")
SAMPLINGS = ("independent", "walk")


@dataclass(frozen=True)
class Plan:
    """What is trained, and how.

    Each step ``k`` clients clip their gradients at ``radius`` and send them through an eps0-LDP ``randomizer``.
    ``rates`` are pairs (number of epochs, step size), one after the other; an epoch is as many steps as make n clients.
    ``sampling="independent"`` draws k of n clients without replacement anew each step, which is what Theorem 1 is
    about; ``"walk"`` deals all clients out once an epoch, as the authors' experiments do. With ``ball`` the parameters
    are projected to the l_2 ball of that radius after each step.
    """

    randomizer: str
    eps0: float
    radius: float
    k: int
    rates: tuple[tuple[int, float], ...]
    clip: str = "scale"
    sampling: str = "independent"
    ball: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        _validate.choice(RANDOMIZERS, randomizer=self.randomizer)
        _validate.local_eps(eps0=self.eps0)
        _validate.positive(radius=self.radius)
        _validate.count(k=self.k)
        if not self.rates:
            raise ValueError("rates must be one or more pairs (number of epochs, step size), got none")
        for epochs, rate in self.rates:
            _validate.count(epochs=epochs)
            _validate.positive(rate=rate)
        _validate.choice(CLIPS, clip=self.clip)
        if self.clip == "clamp" and self.randomizer != "RInf":
            raise ValueError(
                f"clip must be 'scale' unless RInf sends a single entry, got 'clamp' for {self.randomizer}"
            )
        _validate.choice(SAMPLINGS, sampling=self.sampling)
        if self.ball is not None:
            _validate.positive(ball=self.ball)
        _validate.count(seed=self.seed, at_least=0)

    @property
    def epochs(self) -> int:
        """How many epochs there are in all."""
        return sum(epochs for epochs, _ in self.rates)

    def rate(self, epoch: int) -> float:
        """The step size in an epoch, of which the first is 0."""
        for epochs, rate in self.rates:
            if epoch < epochs:
                return rate
            epoch -= epochs
        raise ValueError(f"epoch must be below {self.epochs}, got {epoch + self.epochs}")

    def make_randomizer(self, d: int) -> Randomizer:
        """The randomizer of gradients of d entries."""
        if self.randomizer == "RInf":
            return RInf(d, self.eps0, self.radius, self.clip)
        kinds: dict[str, type[R1 | R2 | PrivUnit]] = {"R1": R1, "R2": R2, "PrivUnit": PrivUnit}
        return kinds[self.randomizer](d, self.eps0, self.radius)


FIGURES = {
    "figure3": Plan("RInf", eps0=1.5, radius=0.01, k=10_000, rates=((70, 0.3), (130, 0.18)), clip="clamp"),
    "figure6": Plan("R2", eps0=2.0, radius=0.005, k=2_000, rates=((30, 12.0), (30, 4.0), (140, 3.5))),
}


def accuracy(model: nn.Module, images: Images) -> float:
    """The share of images that the model puts into the right class."""
    right = 0
    with torch.no_grad():
        for x, y in zip(images.x.split(1_000), images.y.split(1_000), strict=True):
            right += int((model(x).argmax(dim=1) == y).sum())
    return right / len(images.y)


def device(name: str) -> torch.device:
    """The device of this name, if it is there; ``auto`` is a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as reason:
        raise ValueError(f"device must be one that torch finds here, got {name!r}: {reason}") from reason
    return torch.device(name)


class Training:
    """A plan at work: the model, the steps done, and the accuracy on the test images after each epoch."""

    def __init__(
        self, plan: Plan, data: DataSet, *, folder: Path | None = None, on: str = "cpu", model: nn.Module | None = None
    ) -> None:
        self.plan, self.device = plan, device(on)
        self.train, self.test = (Images(*(part.to(self.device) for part in images)) for images in data)
        self.n = len(self.train.y)
        if plan.k > self.n or self.n % plan.k:
            raise ValueError(
                f"k must divide the number n = {self.n:,} of clients, so that epochs come out, got {plan.k:,}"
            )
        self.model = (model or paper_network(plan.seed)).to(self.device)
        self.randomizer = plan.make_randomizer(parameter_count(self.model))
        self.theta = torch.cat([p.detach().flatten() for p in self.model.parameters()])
        self.step, self.seconds, self.accuracy = 0, 0.0, [accuracy(self.model, self.test)]
        self._checkpoint = folder / "checkpoint.pt" if folder else None
        if self._checkpoint and self._checkpoint.exists():
            self._resume(self._checkpoint)
        self._save()

    @property
    def steps(self) -> int:
        """How many steps the plan has."""
        return self.plan.epochs * self.per_epoch

    @property
    def per_epoch(self) -> int:
        """How many steps make an epoch: as many as take n clients in all."""
        return self.n // self.plan.k

    def clients(self) -> torch.Tensor:
        """The numbers of the clients that report in the present step, rising."""
        plan = self.plan
        if plan.sampling == "independent":
            return streams.sample(plan.seed, self.step, self.n, plan.k)  # line 3
        epoch, part = divmod(self.step, self.per_epoch)
        order = streams.permutation(plan.seed, epoch, self.n)
        return order[part * plan.k : (part + 1) * plan.k].sort().values

    def mean_report(self) -> torch.Tensor:
        """The average of what the clients of the present step report: what the server descends along."""
        size, tally = chunk_size(self.model), torch.zeros((), dtype=torch.float64, device=self.device)
        chunks = self.clients().to(self.device).split(size)
        rank, processes = (distributed.get_rank(), distributed.get_world_size()) if _shared() else (0, 1)
        for chunk in chunks[rank::processes]:
            found = gradients(self.model, self.train.x[chunk], self.train.y[chunk])  # line 5
            tally = tally + self.randomizer.tally(found, streams.Draws(self.plan.seed, self.step, chunk))  # lines 6, 7
        if processes > 1:
            distributed.all_reduce(tally)
        return self.randomizer.mean(tally, self.plan.k)  # line 10

    def advance(self) -> None:
        """One step, and after the last one of an epoch a look at the test images."""
        moved = self.theta - self.plan.rate(self.step // self.per_epoch) * self.mean_report()  # line 11
        if self.plan.ball is not None:
            moved = moved * min(1.0, self.plan.ball / float(torch.linalg.vector_norm(moved)))
        self._set(moved.float())
        self.step += 1
        if self.step % self.per_epoch == 0:
            self.accuracy.append(accuracy(self.model, self.test))

    def run(self, watch: Callable[["Training"], None] | None = None) -> None:
        """Go on to the end of the plan; ``watch`` is called after each step."""
        while self.step < self.steps:
            start = time.monotonic()
            self.advance()
            self.seconds += time.monotonic() - start
            if self.step % self.per_epoch == 0:
                self._save()
            if watch:
                watch(self)

    def spent(self, delta: float) -> Bracket:
        """The eps that the steps so far cost, by the tight accountant."""
        return spent(self.plan, self.n, self.step).epsilon(delta)

    def _set(self, theta: torch.Tensor) -> None:
        self.theta = theta
        parameters = list(self.model.parameters())
        for parameter, part in zip(parameters, theta.split([p.numel() for p in parameters]), strict=True):
            parameter.data.copy_(part.view(parameter.shape))

    def _save(self) -> None:
        if self._checkpoint and not (_shared() and distributed.get_rank()):
            content = io.BytesIO()
            state = {name: getattr(self, name) for name in ("theta", "step", "seconds", "accuracy")}
            torch.save({"plan": asdict(self.plan), **state}, content)
            files.write(self._checkpoint, content.getvalue())

    def _resume(self, checkpoint: Path) -> None:
        state = torch.load(checkpoint, map_location=self.device, weights_only=True)
        if state["plan"] != asdict(self.plan):
            raise ValueError(f"{checkpoint} belongs to another plan: {state['plan']}")
        self._set(state["theta"])
        self.step, self.seconds, self.accuracy = state["step"], state["seconds"], state["accuracy"]


def spent(plan: Plan, n: int, steps: int) -> Run:
    """What some steps of a plan are, as a protocol, whose ``epsilon`` is what they cost.

    With a walk a client reports once an epoch, in a shuffle of k; the other steps of the epoch do not touch its data.
    That costs as much as one round of k clients without sampling.
    """
    if plan.sampling == "independent":
        return Shuffle(eps0=plan.eps0, n=plan.k, population=n) * steps
    return Shuffle(eps0=plan.eps0, n=plan.k) * -(-steps * plan.k // n)


def _shared() -> bool:
    return bool(distributed.is_available() and distributed.is_initialized())
