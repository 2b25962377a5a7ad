"""The least of several pairs, each of which dominates the protocol, all the same from either side. [beyond] 15

The least of valid profiles is valid, and so is the greatest convex function below it.
"""

from dataclasses import dataclass

import numpy as np

from shufflekit._validate import Array
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.dominating_pairs.hulled import listed_by_knots
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.dominating_pairs.pair import Pair

LOOKS, ROUGH = 4, 0.03  # alphas at which pairs are compared, and a tolerance for it
CLEARLY = 1.2  # times more, than which one is not looked at


@dataclass(frozen=True)
class LeastPair(Pair):
    """Whichever is least at an alpha; both ends are those of the guarantee."""

    pairs: tuple[Pair, ...]

    closest, one_sided = 1.0, True

    @property
    def largest_loss(self) -> float:
        return min(pair.largest_loss for pair in self.pairs)

    @property
    def guide(self) -> Pair | None:
        """That of the least lottery."""
        guides = [pair.guide for pair in self._lotteries]
        return min(guides, key=lambda pair: float(pair.delta(np.zeros(1), ROUGH).upper[0]), default=None)

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
        pairs = lotteries if known else list(self.pairs)
        if len(pairs) == 1:
            return list(pairs)
        some = eps.ravel()[np.linspace(0, eps.size - 1, min(eps.size, LOOKS)).astype(int)]
        clones = np.array([_of_clones(pair, some) for pair in pairs])
        near = (clones <= CLEARLY * clones.min(axis=0)).any(axis=1)
        return [pair for pair, close in zip(pairs, near, strict=True) if close]


def _of_clones(pair: Pair, eps: Array) -> Array:
    """About what the pair would be if all scores were clones'."""
    if isinstance(pair, LotteryPair):
        return pair.of_clones(eps)
    return (pair.fallback if isinstance(pair, GamePair) else pair).delta(eps, ROUGH).upper
