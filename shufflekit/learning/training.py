"""Clients clip and randomize their gradients, and a server descends along their mean: CLDP-SGD [girgis2021] Alg 1.

A run is a function of its plan and the data. All randomness is counter-based (``streams``), so a run that was killed
goes on from its last checkpoint to the same bits, and processes that share the clients give what one process gives.
"""

import hashlib
import io
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from shufflekit.bracket import Bracket
from shufflekit.learning import files, processes, streams
from shufflekit.learning.data import DataSet, Images
from shufflekit.learning.gradients import chunk_size, gradients, parameter_count
from shufflekit.learning.schedule import Schedule

STATE = ("theta", "step", "seconds", "accuracy")  # of a training: what a checkpoint holds


def accuracy(model: nn.Module, images: Images) -> float:
    """The share of images that the model puts into the right class."""
    right = 0
    with torch.no_grad():
        for x, y in zip(images.x.split(1_000), images.y.split(1_000), strict=True):
            right += int((model(x).argmax(dim=1) == y).sum())
    return right / len(images.y)


def device(name: str) -> torch.device:
    """The device of this name, if it is there; ``auto`` is a GPU where there is one.

    Where several processes share several GPUs, each has its own, unless the name has a number.
    """
    if not isinstance(name, str):
        raise TypeError(f"device must be a name such as 'auto', 'cpu' or 'cuda', got {name!r}")
    gpus = torch.cuda.device_count()
    kind = ("cuda" if gpus else "cpu") if name == "auto" else name
    if kind == "cuda" and gpus:
        kind = f"cuda:{int(os.environ.get('LOCAL_RANK', 0)) % gpus}"
    try:
        torch.zeros(1, device=kind).item()
    except (RuntimeError, AssertionError) as reason:
        raise ValueError(f"device must be one that torch finds here, got {kind!r}: {reason}") from reason
    return torch.device(kind)


class Training:
    """A plan at work: the model, the steps done, and the accuracy on the test images after each epoch.

    A ``model`` that is given is trained in place; by default it is the plan's. With a ``folder`` there is a checkpoint
    after each epoch, from which the same training goes on when it is made anew, to the same bits on the same machine.
    """

    def __init__(
        self,
        plan: Schedule,
        data: DataSet,
        *,
        folder: Path | str | None = None,
        on: str = "cpu",
        model: nn.Module | None = None,
    ) -> None:
        if not isinstance(plan, Schedule):
            raise TypeError(f"plan must be a Plan or a CheckInPlan, got {plan!r}")
        if not isinstance(data, DataSet):
            raise TypeError(f"data must be a DataSet, got {type(data).__name__}")
        if folder is not None and not isinstance(folder, (str, Path)):
            raise TypeError(f"folder must be a path, a string or None, got {folder!r}")
        if model is not None and not isinstance(model, nn.Module):
            raise TypeError(f"model must be a torch.nn.Module, got {type(model).__name__}")
        self.plan, self.device = plan, device(on)
        self.model = (plan.make_model() if model is None else model).to(self.device)
        self.train, self.test = (Images(*(part.to(self.device) for part in images)) for images in data)
        if not parameter_count(self.model):
            raise ValueError("model must have parameters, got one without")
        for name, images in (("train", self.train), ("test", self.test)):
            _check(name, images, self.model)
        self.n = len(self.train.y)
        plan.check(self.n)
        self.randomizer = plan.make_randomizer(parameter_count(self.model))
        self.theta = torch.cat([p.detach().flatten() for p in self.model.parameters()])
        self.step, self.seconds, self.accuracy = 0, 0.0, [accuracy(self.model, self.test)]
        self._checkpoint = None if folder is None else Path(folder) / "checkpoint"
        if self._checkpoint:
            self._about = processes.from_first(self._tell)
            self._resume(self._checkpoint)
        self._save()  # at once, so that a folder that cannot be written is found before the work and not after

    @property
    def steps(self) -> int:
        """How many steps the plan has."""
        return self.plan.epochs * self.per_epoch

    @property
    def per_epoch(self) -> int:
        """How many steps make an epoch."""
        return self.plan.per_epoch(self.n)

    def mean_report(self) -> torch.Tensor:
        """The average of what the clients of the present step report: what the server descends along."""
        clients = self.plan.clients(self.step, self.n)
        tally = torch.zeros(self.randomizer.size, dtype=torch.float64, device=self.device)
        if not len(clients):
            return tally.new_zeros(self.randomizer.d)
        size = min(chunk_size(self.model), len(clients) // processes.count())  # so that each process has some clients
        size = self.randomizer.together * max(1, size // self.randomizer.together)
        chunks = clients.to(self.device).split(size)
        for chunk in chunks[processes.rank() :: processes.count()]:
            held = self.plan.pictures(chunk, self.n)
            found = gradients(self.model, self.train.x[held], self.train.y[held])  # line 5
            tally = tally + self.randomizer.tally(found, streams.Draws(self.plan.seed, self.step, chunk))  # lines 6, 7
        return self.randomizer.mean(processes.add_up(tally), len(clients))  # line 10

    def advance(self) -> None:
        """One step, and after the last one of an epoch a look at the test images."""
        moved = self.theta - self.plan.rate(self.step // self.per_epoch) * self.mean_report()  # line 11
        if self.plan.ball is not None:
            moved = moved * (self.plan.ball / max(self.plan.ball, float(torch.linalg.vector_norm(moved))))
        moved = moved.to(self.theta.dtype)
        if not torch.isfinite(moved).all():
            raise ValueError(f"the parameters are not finite after step {self.step + 1}: try smaller rates")
        self._set(moved)
        self.step += 1
        if self.step % self.per_epoch == 0:
            self.accuracy.append(accuracy(self.model, self.test))

    def run(self, watch: Callable[["Training"], None] | None = None) -> None:
        """Go on to the end of the plan; ``watch`` is called after each step, and ``seconds`` leaves its time out."""
        while self.step < self.steps:
            start = time.monotonic()
            self.advance()
            self.seconds += time.monotonic() - start
            if self.step % self.per_epoch == 0:
                self._save()
            if watch:
                watch(self)

    def spent(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """The eps that the steps so far cost, by the tight accountant, its ends at most ``rtol`` apart."""
        if self.step == 0:
            return Bracket(0.0, 0.0)
        run = self.plan.spent(self.n, self.step)
        return run.epsilon(delta, rtol=rtol) if run else Bracket(math.inf, math.inf)

    def _set(self, theta: torch.Tensor) -> None:
        self.theta = theta
        parameters = list(self.model.parameters())
        for parameter, part in zip(parameters, theta.split([p.numel() for p in parameters]), strict=True):
            parameter.data.copy_(part.view(parameter.shape))

    def _tell(self) -> dict[str, Any]:
        """What the run is of: nothing else may go on from its checkpoints."""
        digest = hashlib.sha256(repr(self.model).encode())
        for part in (self.theta, *self.train, *self.test):
            digest.update(f"{part.dtype} {tuple(part.shape)}".encode())
            digest.update(part.cpu().contiguous().numpy())
        return {**asdict(cast(Any, self.plan)), "model and data": digest.hexdigest()}

    def _save(self) -> None:
        if self._checkpoint:
            processes.from_first(partial(self._write, self._checkpoint))

    def _write(self, checkpoint: Path) -> None:
        content = io.BytesIO()
        torch.save({"about": self._about, **{name: getattr(self, name) for name in STATE}}, content)
        files.write_sealed(checkpoint, content.getvalue())

    def _resume(self, checkpoint: Path) -> None:
        state = processes.from_first(partial(self._read, checkpoint))
        if state:
            self._set(state["theta"].to(self.device))
            self.step, self.seconds, self.accuracy = state["step"], state["seconds"], state["accuracy"]

    def _read(self, checkpoint: Path) -> dict[str, Any]:
        if not checkpoint.exists():
            return {}
        content = io.BytesIO(files.read_sealed(checkpoint))
        try:
            state = torch.load(content, map_location="cpu", weights_only=True)
            about = dict(state.pop("about"))
        except Exception as reason:  # of a kind that depends on what is there in place of a run
            raise OSError(f"{checkpoint} does not hold a run: remove it to begin anew") from reason
        other = [
            f"{name} = {about.get(name)!r}, not {here!r}"
            for name, here in self._about.items()
            if about.get(name) != here
        ]
        if other:
            raise ValueError(
                f"{checkpoint} is of another run, with {', '.join(other)}: remove it, or choose another folder"
            )
        if not self._fits(state):
            raise OSError(f"{checkpoint} does not hold a state of this run: remove it to begin anew")
        return dict(state)

    def _fits(self, state: dict[str, Any]) -> bool:
        """Whether a state is one that this run can go on from: finite parameters after a whole number of epochs."""
        if state.keys() != set(STATE):
            return False
        theta, step, seconds, accuracy = (state[name] for name in STATE)
        return (
            isinstance(theta, torch.Tensor)
            and (theta.dtype, theta.shape) == (self.theta.dtype, self.theta.shape)
            and bool(torch.isfinite(theta).all())
            and type(step) is int
            and 0 <= step <= self.steps
            and step % self.per_epoch == 0
            and type(seconds) is float
            and 0 <= seconds < math.inf
            and type(accuracy) is list
            and len(accuracy) == 1 + step // self.per_epoch
            and all(type(share) is float and 0 <= share <= 1 for share in accuracy)
        )


def _check(name: str, images: Images, model: nn.Module) -> None:
    """Refuse pictures that the model does not take, and labels that it does not know."""
    x, y = images
    if y.dtype != torch.int64 or y.shape != (len(x),) or not len(x):
        raise ValueError(
            f"{name} must be one or more images with an int64 label each, got {len(x)} images and {y.dtype} labels "
            f"of shape {tuple(y.shape)}"
        )
    try:
        with torch.no_grad():
            scores = model(x[:1])
    except (RuntimeError, ValueError) as reason:
        raise ValueError(
            f"{name} must be images that the model takes, got shape {tuple(x.shape[1:])}: {reason}"
        ) from reason
    if scores.ndim != 2 or len(scores) != 1:
        raise ValueError(f"model must give an image a row of scores, got shape {tuple(scores.shape)}")
    if int(y.min()) < 0 or int(y.max()) >= scores.shape[-1]:
        raise ValueError(
            f"{name} must have labels from 0 to {scores.shape[-1] - 1}, got {int(y.min())} to {int(y.max())}"
        )
