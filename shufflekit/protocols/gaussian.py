"""The shuffled Gaussian mechanism [koskela2023] Sec 5."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shufflekit.definitions import Lognormal
from shufflekit.dominating_pairs import GaussianPair
from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.bounds import Reports
from shufflekit.protocols.frozen import settle, shown
from shufflekit.protocols.run import Origin, Protocol


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

    def reports(self) -> Reports:
        raise ValueError("needs reports that are eps0-LDP")
