"""The least of several pairs, each of which dominates the protocol, all the same from either side. [beyond] 15

The least of valid profiles is valid, and so is the greatest convex function below it.
"""

from dataclasses import dataclass

import numpy as np

from shufflekit._validate import Array
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.hulled import listed_by_knots
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.dominating_pairs.pair import Pair

LOOKS, CLEARLY = 7, 1.2  # alphas at which pairs are compared, and how many times more one is not looked at


@dataclass(frozen=True)
class LeastPair(Pair):
    """Whichever is least at an alpha; both ends are those of the guarantee."""

    pairs: tuple[Pair, ...]

    @property
    def largest_loss(self) -> float:
        return min(pair.largest_loss for pair in self.pairs)

    @property
    def guide(self) -> Pair | None:
        return self._lotteries[0] if self._lotteries else None

    def reversed(self) -> "LeastPair":
        return self

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        best = np.min([pair.delta(eps, rtol, log_cut).upper for pair in self._needed(eps)], axis=0)
        best = np.where(eps < self.largest_loss, best, 0.0)
        return Ends(best, best)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return listed_by_knots(self, log_cut)

    @property
    def _lotteries(self) -> list[LotteryPair]:
        return [pair for pair in self.pairs if isinstance(pair, LotteryPair)]

    def _needed(self, eps: Array) -> list[Pair]:
        """All; but the more is told of the slots' weights, the smaller they are: equal ones are never worth less.

        And where a lottery of clones is worth clearly more than another, so is the one of corners.
        """
        lotteries = self._lotteries
        known = any(pair.lottery.dummies and pair.follows_corners for pair in lotteries)
        rest = [] if known else [pair for pair in self.pairs if pair not in lotteries]
        if len(lotteries) > 1:
            some = eps.ravel()[np.linspace(0, eps.size - 1, min(eps.size, LOOKS)).astype(int)]
            clones = np.array([[pair.of_clones(float(one)) for one in some] for pair in lotteries])
            near = (clones <= CLEARLY * clones.min(axis=0)).any(axis=1)
            lotteries = [pair for pair, close in zip(lotteries, near, strict=True) if close]
        return [*lotteries, *rest]
