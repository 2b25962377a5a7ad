"""The shuffled Gaussian mechanism [koskela2023] Sec 5."""

from collections.abc import Sequence
from typing import Any

from shufflekit.dominating_pairs import GaussianPair, Pair
from shufflekit.protocols.run import Protocol


class GaussianShuffle(Protocol):
    """One round: n clients add Gaussian noise of deviation ``sigma`` to a number from 0 to 1, and all is shuffled.

    Formal guarantee: for the data sets of [koskela2023] Sec 5, in which all records but one are equal, and only for
    these. The mechanism is not locally private at any eps0, and no worst case over data sets is known.
    """

    def __init__(self, sigma: float, n: int) -> None:
        self._pair = GaussianPair(sigma, n)
        self.sigma, self.n = self._pair.sigma, self._pair.n

    def __repr__(self) -> str:
        return f"GaussianShuffle(sigma={self.sigma:g}, n={self.n:_})"

    def _key(self) -> tuple[Any, ...]:
        return self.sigma, self.n

    @property
    def pair(self) -> Pair:
        return self._pair

    @property
    def attacks(self) -> Sequence[Pair]:
        return (self._pair,)
