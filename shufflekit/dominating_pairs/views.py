"""What two adversaries see of shuffled k-ary randomized response, exactly [koskela2023] Sec 4.

Under randomized response with gamma = k/(e^eps0 + k - 1), a message is random with probability gamma.
"""

import math
import sys
from dataclasses import dataclass

import numpy as np

from shufflekit._validate import Array
from shufflekit.dominating_pairs.blocks import LEAST
from shufflekit.dominating_pairs.pair import Atoms, Ends, Laws, Pair
from shufflekit.dominating_pairs.votes import Votes


def weak_view(k: int, eps0: float, n: int) -> Votes:
    """Against whoever sees which of the others answered at random. [koskela2023] Thm 15, under the true joint law."""
    # A random message of the others votes E : 1, 1 : E, or 1 : 1.
    share = 1 / (math.expm1(eps0) + k)  # gamma / k
    return Votes(n, 2 * share, 1 - 2 * share, 0.0, 1 / n, math.expm1(eps0) / n, (k - 2) * share, 1 / n)


def strong_view(k: int, eps0: float, n: int) -> "Diluted":
    """Against whoever also sees whether the changed client answered at random: then nothing is lost at all."""
    share = 1 / (math.expm1(eps0) + k)  # gamma / k
    # [koskela2023] eq (4.3), with the joint law of the counts: P/Q = N_1/N_2.
    told = Votes(n, 2 * share, 1 - 2 * share, 0.0, 0.0, 1 / (n * share))
    return Diluted(told, math.expm1(eps0) * share)


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

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        ends = self.pair.delta(eps, rtol, log_cut)
        lower, upper = self.share * ends.lower * (1 - 1e-15), self.share * ends.upper * (1 + 1e-15)
        return Ends(np.where(lower > LEAST, lower, 0.0), np.maximum(upper, sys.float_info.min))

    def laws(self, log_cut: float, rtol: float = 1e-4) -> Laws:
        laws = self.pair.laws(log_cut, rtol)
        if self.share <= LEAST:
            nothing = Atoms(np.zeros(1), np.zeros(1))
            return Laws(nothing, nothing._replace(missing=max(self.share, sys.float_info.min)))
        return Laws(*(self._diluted(atoms) for atoms in laws))

    def _diluted(self, atoms: Atoms) -> Atoms:
        at = int(np.searchsorted(atoms.loss, 0.0))
        loss = np.insert(atoms.loss, at, 0.0)
        log_q = np.insert(atoms.log_q + math.log(self.share), at, math.log1p(-min(self.share, 1 - 2.0**-53)))
        missing, infinite = self.share * atoms.missing, self.share * atoms.infinite
        return atoms._replace(loss=loss, log_q=log_q, missing=missing, infinite=infinite)
