"""A pair of laws that depends on something else, which is seen and says nothing itself."""

import math
from dataclasses import dataclass

import numpy as np

from shufflekit._validate import Array
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.pair import Pair

ROUND_OFF = 1e-13


@dataclass(frozen=True)
class MixturePair(Pair):
    """Each of the pairs with its chance; what is left of 1 shows nothing."""

    pairs: tuple[Pair, ...]
    chances: tuple[float, ...]

    @property
    def largest_loss(self) -> float:
        return max(pair.largest_loss for pair in self.pairs)

    def reversed(self) -> "MixturePair":
        back = tuple(pair.reversed() for pair in self.pairs)
        return self if back == self.pairs else MixturePair(back, self.chances)

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        lower, upper = np.zeros(eps.shape), np.zeros(eps.shape)
        for pair, chance in zip(self.pairs, self.chances, strict=True):
            ends = pair.delta(eps, rtol, log_cut)
            lower, upper = lower + chance * ends.lower, upper + chance * ends.upper
        return Ends(lower * (1 - ROUND_OFF), upper * (1 + ROUND_OFF))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        listed = [pair.listed(log_cut, rtol) for pair in self.pairs]
        return Enclosure(*(_together(list(ends), self.chances) for ends in zip(*listed, strict=True)))


def _together(parts: list[Atoms], chances: tuple[float, ...]) -> Atoms:
    """All outcomes, in the order of their losses."""
    silent, nothing = max(0.0, 1 - math.fsum(chances)), Atoms(np.zeros(1), np.zeros(1))
    each = [(part, own) for part, own in zip([*parts, nothing], [*chances, silent], strict=True) if own > 0]
    loss = np.concatenate([part.loss for part, _ in each])
    log_q = np.concatenate([part.log_q + math.log(own) for part, own in each])
    order = np.argsort(loss, kind="stable")
    missing, infinite = (sum(own * getattr(part, mass) for part, own in each) for mass in ("missing", "infinite"))
    error = max(part.error for part in parts) + ROUND_OFF
    return Atoms(loss[order], log_q[order], missing, infinite, error=error)
