"""All report or stay silent, and one of the two records sends what all others send: a mean of scores in one law.

Then Q is the law of a slot without the changed record, whatever alpha is, and P/Q = (1/n) (t_1 + ... + t_n), with t a
slot's score: one convolution gives the pair, where others need one for each alpha. For binary randomized response at
check-ins, [beyond] 4.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import LOG_LEFT_OUT_OF_POINTS, TINY, loss_limit, score_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import profile, put_together, spread
from shufflekit.definitions import Definition, Kind, ScoreLaw
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.ratio_atoms import both_ends, cells_of_loss
from shufflekit.dominating_pairs.score_grid import LogMoments, finite_score
from shufflekit.dominating_pairs.score_sums import Sums, sums

MOST_SLOTS = 10_000_000
MOST_GRID = 2**19
MOST_RATIO = 1_000  # of the two scores, so that one grid holds both
# Losses divided between two of a grid add (1/50)^2 / 6 = 7e-5 to their variance, and half of that to eps.
ATOMS_PER_DEVIATION = 50
LOG_CUTS = (-60.0, -240.0)  # where none is asked for
PART_OF_RTOL = 1 / 8  # that rounding a score may add to its variance


@dataclass(frozen=True)
class MeanOfScores(Pair):
    """P has the changed record at the value that is sent otherwise, Q is without it; ``backwards``: (Q, P)."""

    law: ScoreLaw
    slots: int
    backwards: bool = False

    def reversed(self) -> "MeanOfScores":
        return MeanOfScores(self.law, self.slots, not self.backwards)

    @property
    def largest_loss(self) -> float:
        """That of slots which all send the message that speaks most."""
        scores = [one.t0 for one in self.law]
        return loss_limit(-math.log(min(scores)) if self.backwards else math.log(max(scores)))

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        lower, upper = np.zeros(eps.shape), np.ones(eps.shape)
        for cut in LOG_CUTS if log_cut is None else (log_cut,):
            # What was cut off must not matter.
            todo = (
                np.log(np.maximum(lower, TINY)) < cut - LOG_LEFT_OUT_OF_POINTS if cut == LOG_CUTS[-1] else lower < upper
            )
            if todo.any():
                least, most = self._ends(cut, rtol)
                lower[todo] = np.maximum(lower[todo], profile(least, eps[todo]))
                upper[todo] = np.minimum(upper[todo], profile(most, eps[todo]))
        noise, reached = score_error(self.slots, self._local_eps), eps < self.largest_loss
        lower, upper = lower * (1 - noise), np.clip(upper * (1 + noise), TINY, 1.0)
        return Ends(np.where(reached, lower, 0.0), np.where(reached, upper, 0.0))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        lower, upper = self._ends(log_cut, rtol)
        cell = cells_of_loss(upper, ATOMS_PER_DEVIATION)
        first = np.append(np.flatnonzero(np.diff(cell, prepend=cell[0] - 1)), len(cell) - 1)
        noise = score_error(self.slots, self._local_eps)
        ends = put_together(lower, cells_of_loss(lower, ATOMS_PER_DEVIATION)), spread(upper, np.unique(first))
        return Enclosure(*(atoms._replace(error=atoms.error + noise) for atoms in ends))

    @property
    def _local_eps(self) -> float:
        return max(abs(math.log(one.t0)) for one in self.law)

    def _ends(self, log_cut: float, rtol: float) -> tuple[Atoms, Atoms]:
        return both_ends(_sums(self.law, self.slots, log_cut, rtol), self.slots, self.backwards)


@lru_cache(maxsize=8)  # both directions have the same
def _sums(law: ScoreLaw, slots: int, log_cut: float, rtol: float) -> Sums:
    """Of all slots, on the coarsest grid with the score of silence on it that hardly moves the others."""
    chance, t, u = (np.array(column) for column in zip(*((one.chance, one.t0, one.u0) for one in law), strict=True))
    variance, unit = float(chance @ u**2), -float(u.min())
    width = 2 * math.sqrt(-2 * log_cut * slots * variance)
    most = max(1, math.floor(unit * MOST_GRID / width))
    score = finite_score(
        t, chance, unit / next((j for j in range(1, most) if _added(chance, u * j / unit) < PART_OF_RTOL * rtol), most)
    )
    moments = LogMoments(score)
    outer = [moments.tilt_for_rarity(slots, log_cut, side) for side in (-1, 1)]
    found = sums(score, slots, sorted({0.0, *(share * tilt for tilt in outer for share in (0.5, 1.0))}))
    # What is after the last is counted from the least sum on, not from 0.
    last = float(found.value[-1])
    return found._replace(after=found.after * last / (last - slots * score.low))


def _added(chance: Array, place: Array) -> float:
    """What rounding to whole places adds to the variance, relative to it."""
    share = place % 1.0
    return float(chance @ (share * (1 - share))) / float(chance @ place**2)


def mean_of(definition: Definition) -> MeanOfScores | None:
    """The pair of a definition in which all report or stay silent and one record sends what all others do, if so."""
    if len(definition.laws) > 1 or not definition.slots == definition.population <= MOST_SLOTS:
        return None
    sent = tuple(one for one in definition.laws[0] if one.chance > 0)
    exchanged = tuple(Kind(chance, t1, t0, u1, u0) for chance, t0, t1, u0, u1 in sent)
    for law, backwards in ((sent, False), (exchanged, True)):
        up, silent, down = sorted((one.u0 for one in law), reverse=True) if len(law) == 3 else (0, 1, 0)
        if all(one.u1 == 0 for one in law) and up > silent == 0 > down > -1 and up <= MOST_RATIO * -down:
            return MeanOfScores(law, definition.slots, backwards)
    return None
