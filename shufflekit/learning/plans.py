"""What CLDP-SGD trains, and how: the plans of [girgis2021]'s figures, small ones of their kind, and what they cost."""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from shufflekit import _validate
from shufflekit.learning import processes, streams
from shufflekit.learning.crowds import PrivUnitSum, R2Sum
from shufflekit.learning.models import NETWORKS
from shufflekit.learning.randomizers import CLIPS, R1, R2, PrivUnit, Randomizer, RInf
from shufflekit.learning.schedule import Schedule, checked_rates
from shufflekit.protocols import Shuffle
from shufflekit.protocols.frozen import settle
from shufflekit.protocols.run import Run

RANDOMIZERS = ("RInf", "R1", "R2", "PrivUnit")
SUMMED: dict[str, type[R2 | PrivUnit]] = {"R2": R2Sum, "PrivUnit": PrivUnitSum}
SAMPLINGS = ("independent", "walk")


class Batches(Schedule):
    """Each step a batch of k of the n clients, each of whom holds one picture; an epoch is as many as make n."""

    k: int
    sampling: str
    network: str

    def check(self, n: int) -> None:
        if self.k > n or n % self.k:
            raise ValueError(f"k must divide the number n = {n:,} of clients, so that epochs come out, got {self.k:,}")
        if self.k < processes.count():
            raise ValueError(f"k must be at least the number of processes, {processes.count()}, got {self.k}")

    def per_epoch(self, n: int) -> int:
        return n // self.k

    def clients(self, step: int, n: int) -> torch.Tensor:
        if self.sampling == "independent":
            return streams.sample(self.seed, step, n, self.k)  # line 3
        epoch, part = divmod(step, self.per_epoch(n))
        order = streams.permutation(self.seed, epoch, n)
        return order[part * self.k : (part + 1) * self.k].sort().values

    def pictures(self, clients: torch.Tensor, n: int) -> torch.Tensor:
        """Each client holds one, of its own number."""
        return clients

    def make_model(self) -> nn.Module:
        return NETWORKS[self.network](self.seed)

    def delta(self, n: int) -> float:
        return 1e-5


@dataclass(frozen=True)
class Plan(Batches):
    """What is trained, and how.

    Each step ``k`` clients clip their gradients at ``radius`` and send them through an eps0-LDP ``randomizer``.
    ``rates`` are pairs (number of epochs, step size), one after the other; an epoch is as many steps as make n clients.
    ``sampling="independent"`` draws k of n clients without replacement anew each step, which is what Theorem 1 is
    about; ``"walk"`` deals all clients out once an epoch, as the authors' experiments do. ``network="code"`` is that of
    their experiments, ``"printed"`` that of Table 1. With ``ball`` the parameters are projected to the l_2 ball of that
    radius after each step. ``summed`` draws the sum of R2's or PrivUnit's reports at once, which has the same law.
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
    network: str = "code"
    summed: bool = False

    def __post_init__(self) -> None:
        plain: dict[str, Any] = {
            "randomizer": _validate.choice(RANDOMIZERS, randomizer=self.randomizer),
            "eps0": _validate.local_eps(eps0=self.eps0),
            "radius": _validate.positive(radius=self.radius),
            "k": _validate.count(k=self.k),
            "rates": checked_rates(self.rates),
            "clip": _validate.choice(CLIPS, clip=self.clip),
            "sampling": _validate.choice(SAMPLINGS, sampling=self.sampling),
            "ball": None if self.ball is None else _validate.positive(ball=self.ball),
            "seed": _validate.count(seed=self.seed, at_least=0, at_most=streams.MOST),
            "network": _validate.choice(tuple(NETWORKS), network=self.network),
            "summed": bool(self.summed),
        }
        settle(self, **plain)  # numbers of Python's own kinds, which files can hold
        if self.summed and self.randomizer not in SUMMED:
            raise ValueError(f"summed must be left out unless R2 or PrivUnit is the randomizer, got {self.randomizer}")
        if self.clip == "clamp" and self.randomizer != "RInf":
            raise ValueError(
                f"clip must be 'scale' unless RInf sends a single entry, got 'clamp' for {self.randomizer}"
            )

    def make_randomizer(self, d: int) -> Randomizer:
        """The randomizer of gradients of d entries."""
        if self.randomizer == "RInf":
            return RInf(d, self.eps0, self.radius, self.clip)
        kinds: dict[str, type[R1 | R2 | PrivUnit]] = {"R1": R1, "R2": R2, "PrivUnit": PrivUnit}
        kinds |= SUMMED if self.summed else {}
        return kinds[self.randomizer](d, self.eps0, self.radius)

    def spent(self, n: int, steps: int) -> Run:
        """What the first steps of a plan for n clients are as a protocol, whose ``epsilon`` is what they cost.

        ``sampling="independent"``: as many rounds of k clients drawn from n, the setting of Theorem 1.

        ``"walk"``: one round of k clients, without sampling, for each epoch that was begun. Who reports when is decided
        without a look at the data. Fix it in any way: then a client's record matters to one step of an epoch only,
        where its report is shuffled with those of k - 1 others. The steps before do not see the record, and those after
        see only what came out. To draw the way at random costs no more than the costliest way, and all cost the same.
        None of this makes use of the sampling: Theorem 1 would, but it is about independent samples and does not cover
        a walk.
        """
        n, steps = _validate.count(n=n), _validate.count(steps=steps)
        if self.sampling == "independent":
            return Shuffle(eps0=self.eps0, n=self.k, population=n) * steps
        if n % self.k:
            raise ValueError(f"n must be a multiple of k = {self.k:,}, so that epochs come out, got {n:,}")
        return Shuffle(eps0=self.eps0, n=self.k) * -(-steps * self.k // n)


FIGURES = {
    "figure3": Plan("RInf", eps0=1.5, radius=0.01, k=10_000, rates=((70, 0.3), (130, 0.18)), clip="clamp"),
    "figure6": Plan("R2", eps0=2.0, radius=0.005, k=2_000, rates=((30, 12.0), (30, 4.0), (140, 3.5))),
}
# As the text has them: Table 1's network, gradients scaled as in Algorithm 1, and PrivUnit in Figure 6.
FIGURES["figure3-printed"] = replace(FIGURES["figure3"], clip="scale", network="printed")
FIGURES["figure6-printed"] = replace(FIGURES["figure6"], randomizer="PrivUnit", network="printed")
# The same in small, for data.digits(): seconds in place of hours. So few clients learn only with hardly any privacy.
QUICK = {
    "figure3": Plan("RInf", eps0=3.0, radius=0.01, k=479, rates=((100, 0.1),), clip="clamp"),
    "figure6": Plan("R2", eps0=3.0, radius=0.05, k=479, rates=((20, 4.0), (40, 2.0))),
}
QUICK["figure3-printed"] = replace(QUICK["figure3"], clip="scale", network="printed")
QUICK["figure6-printed"] = replace(QUICK["figure6"], randomizer="PrivUnit", network="printed")
# And for data.mnist_1000(): what they reach says nothing, but every test run repeats them.
SMALL = {
    "figure3-small": replace(QUICK["figure3"], k=400, rates=((100, 0.1),)),
    "figure6-small": replace(QUICK["figure6"], k=400, rates=((10, 4.0),)),
}
