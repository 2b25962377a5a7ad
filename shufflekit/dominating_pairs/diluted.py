"""A pair that is at stake only sometimes, which everybody sees."""

import math
from dataclasses import dataclass

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, TINY, UNIT
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.pair import Pair


@dataclass(frozen=True)
class Diluted(Pair):
    """With probability ``share`` a pair, and otherwise, for all to see, nothing."""

    pair: Pair
    share: float

    def reversed(self) -> "Diluted":
        return Diluted(self.pair.reversed(), self.share)

    @property
    def largest_loss(self) -> float:
        return self.pair.largest_loss

    @property
    def largest_finite_loss(self) -> float:
        return self.pair.largest_finite_loss

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        ends = self.pair.delta(eps, rtol, log_cut)
        lower, upper = self.share * ends.lower * (1 - 8 * UNIT), self.share * ends.upper * (1 + 8 * UNIT)
        return Ends(np.where(lower > KNOWN, lower, 0.0), np.maximum(upper, TINY))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        if self.share <= KNOWN:
            nothing = Atoms(np.zeros(1), np.zeros(1))
            return Enclosure(nothing, nothing._replace(missing=max(self.share, TINY)))
        return Enclosure(*(self._diluted(atoms) for atoms in self.pair.listed(log_cut, rtol)))

    def _diluted(self, atoms: Atoms) -> Atoms:
        at = int(np.searchsorted(atoms.loss, 0.0))
        loss = np.insert(atoms.loss, at, 0.0)
        log_q = np.insert(atoms.log_q + math.log(self.share), at, math.log1p(-min(self.share, 1 - UNIT)))
        missing, infinite = self.share * atoms.missing, self.share * atoms.infinite
        return atoms._replace(loss=loss, log_q=log_q, missing=missing, infinite=infinite)
