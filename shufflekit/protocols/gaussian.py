"""The shuffled Gaussian mechanism [koskela2023] Sec 5, and random allocation, which has the same pair of laws."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shufflekit import _validate
from shufflekit.definitions import Lognormal
from shufflekit.dominating_pairs import GaussianPair
from shufflekit.dominating_pairs.gaussian import LEAST_SIGMA, MOST_SIGMA, MOST_SLOTS
from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.frozen import settle, shown
from shufflekit.protocols.run import Origin, Protocol

__all__ = ["LEAST_SIGMA", "MOST_SIGMA", "GaussianShuffle", "RandomAllocation"]


@dataclass(frozen=True, repr=False)
class GaussianShuffle(Protocol):
    """One round: n clients add Gaussian noise of deviation ``sigma`` to a number from 0 to 1, and all is shuffled.

    Formal guarantee: for the data sets of [koskela2023] Sec 5, in which all records but one are equal, and only for
    these. The mechanism is not locally private at any eps0, and no worst case over data sets is known.
    """

    sigma: float
    n: int

    def __post_init__(self) -> None:
        checked = GaussianPair(self.sigma, self.n)
        settle(self, sigma=checked.sigma, n=checked.n)

    def __repr__(self) -> str:
        return f"GaussianShuffle(sigma={shown(self.sigma)}, n={self.n:_})"

    def define(self, number: Callable[[float], Any] = float) -> Lognormal:
        return Lognormal(number(self.sigma), self.n)

    @property
    def attacks(self) -> Sequence[Attack]:
        return (Attack("the mechanism itself, all records but one equal", "koskela2023", "exact law", self.define),)

    @property
    def origin(self) -> Origin:
        return Origin("koskela2023", "all records but one equal")


@dataclass(frozen=True, repr=False)
class RandomAllocation(Protocol):
    """One epoch of DP-SGD with balls in bins: each example is in one uniformly random batch of ``steps``.

    Formal guarantee: for data sets that differ in one example, which is added or removed, whichever is worse; for
    gradients of norm 1 at most, Gaussian noise of deviation ``sigma`` on the sum of each batch, and batches that all
    examples choose independently, and anew in each epoch. Everything but that example may be known, the batches of the
    others too, and each gradient may depend on all that was released before. [chua2025]

    The pair is exact: P is a uniform mixture of the Gaussians ``N(e_i, sigma^2 I)``, Q is ``N(0, sigma^2 I)``, and
    their likelihood ratio, ``(1/steps) sum_i exp((x_i - 1/2)/sigma^2)``, is that of a shuffled Gaussian. [feldman2025]
    """

    sigma: float
    steps: int

    def __post_init__(self) -> None:
        steps = _validate.count(steps=self.steps, at_most=MOST_SLOTS)
        settle(self, sigma=GaussianPair(self.sigma, steps).sigma, steps=steps)

    def __repr__(self) -> str:
        return f"RandomAllocation(sigma={shown(self.sigma)}, steps={self.steps:_})"

    def define(self, number: Callable[[float], Any] = float) -> Lognormal:
        return Lognormal(number(self.sigma), self.steps)

    @property
    def attacks(self) -> Sequence[Attack]:
        return (Attack("a gradient of norm 1, the same in whichever batch", "chua2025", "exact law", self.define),)

    @property
    def origin(self) -> Origin:
        return Origin("chua2025", "an example added or removed")
