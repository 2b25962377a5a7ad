"""All report or stay silent, and one of the two records sends what all others send: a mean of scores in one law.

Then Q is the law of a slot without the changed record, whatever alpha is, and P/Q = (1/n) (t_1 + ... + t_n), with t a
slot's score: one convolution gives the pair, where others need one for each alpha. For binary randomized response at
check-ins, [beyond] 4.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shufflekit._binomial import log_pmf
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_LEFT_OUT_OF_POINTS, TINY, loss_limit, pmf_error, score_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import profile, put_together, spread
from shufflekit.definitions import Definition, Kind, ScoreLaw
from shufflekit.dominating_pairs.blocks import window
from shufflekit.dominating_pairs.listed_votes import drawn_together, put_apart
from shufflekit.dominating_pairs.pair import Aim, Pair
from shufflekit.dominating_pairs.ratio_atoms import both_ends, cells_of_loss
from shufflekit.dominating_pairs.score_grid import LogMoments, finite_score
from shufflekit.dominating_pairs.score_sums import Sums, sums

MOST_SLOTS = 10_000_000
MOST_GRID = 2**19
MOST_RATIO = 1_000  # of the two scores, so that one grid holds both
# Losses divided between two of a grid add (1/64)^2 / 6 = 4e-5 to their variance, and half of that to eps.
ATOMS_PER_DEVIATION, MOST_PER_DEVIATION = 64, 2048
LOG_CUTS = (-60.0, -240.0)  # where none is asked for
CUTS = 20.0  # between those that are told apart
FEW_OUTCOMES, MOST_OUTCOMES = 2**14, 2**21  # that are listed as they are; that are looked at one by one
ADDED = 1.6  # times rtol, relative to the variance: the square of how near losses are not told apart
PART_OF_RTOL = 1 / 8  # that rounding a score may add to its variance


@dataclass(frozen=True)
class MeanOfScores(Pair):
    """P has the changed record at the value that is sent otherwise, Q is without it; ``backwards``: (Q, P)."""

    law: ScoreLaw
    slots: int
    backwards: bool = False

    closest = 8e-6  # at less, the grid is as fine as it may be

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
        noise, reached = score_error(self.slots, _local_eps(self.law)), eps < self.largest_loss
        lower, upper = lower * (1 - noise), np.clip(upper * (1 + noise), TINY, 1.0)
        return Ends(np.where(reached, lower, 0.0), np.where(reached, upper, 0.0))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return self._listed(log_cut, rtol, math.sqrt(ADDED * rtol) * self._deviation)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        return self._listed(log_cut, rtol, aim.apart)

    def _listed(self, log_cut: float, rtol: float, near: float) -> Enclosure:
        known = outcomes(self.law, self.slots, log_cut)
        if known is not None:
            known = known.reversed() if self.backwards else known
            few = len(known.loss) <= FEW_OUTCOMES
            return Enclosure(known, known) if few else Enclosure(drawn_together(known, near), put_apart(known, near))
        # Rounded down, so that what is asked for a little otherwise is not worked out anew.
        cut, tolerance = CUTS * math.floor(log_cut / CUTS), 4.0 ** math.floor(math.log(rtol, 4))
        cells = 2 ** math.floor(math.log2(max(self._deviation / near, ATOMS_PER_DEVIATION)))
        return _both_ways(self.law, self.slots, cut, tolerance, min(cells, MOST_PER_DEVIATION))[self.backwards]

    @property
    def _deviation(self) -> float:
        """About that of the loss."""
        return math.sqrt(sum(one.chance * one.u0**2 for one in self.law) / self.slots)

    def _ends(self, log_cut: float, rtol: float) -> tuple[Atoms, Atoms]:
        return both_ends(_sums(self.law, self.slots, log_cut, rtol), self.slots, self.backwards)


@lru_cache(maxsize=2)  # both directions have the same
def outcomes(law: ScoreLaw, slots: int, log_cut: float) -> Atoms | None:
    """All that may be seen, if that is not too much: how many are not silent, and how many of these speak for P."""
    up, _, down = sorted(law, key=lambda one: -one.u0)
    rate, silent = up.chance + down.chance, 1 - up.chance - down.chance
    share, rest = up.chance / rate, down.chance / rate
    few, many = window(slots, rate, silent, log_cut)
    low, high = window(few, share, rest, log_cut)[0], window(many, share, rest, log_cut)[1]
    if (many - few + 1) * (high - low + 1) > MOST_OUTCOMES:
        return None
    c, a = np.arange(few, many + 1.0)[:, None], np.arange(low, high + 1.0)
    log_q = log_pmf(c, slots, rate) + np.where(a <= c, log_pmf(np.minimum(a, c), c, share), -np.inf)
    kept = log_q > log_cut - math.log(log_q.size)
    c, a, log_q = np.broadcast_to(c, kept.shape)[kept], np.broadcast_to(a, kept.shape)[kept], log_q[kept]
    drift = (a * up.u0 + (c - a) * down.u0) / slots
    ratio = (slots - c + a * up.t0 + (c - a) * down.t0) / slots
    loss = np.where(drift > -0.5, np.log1p(np.maximum(drift, -0.5)), np.log(ratio))
    order = np.argsort(loss, kind="stable")
    # Each of the two numbers leaves out as much on either side, and so much is left out one by one.
    missing = 5 * max(1.0, up.t0) * math.exp(log_cut)
    return Atoms(loss[order], log_q[order], missing, error=pmf_error(slots * rate) + pmf_error(float(many)))


@lru_cache(maxsize=8)  # next to the sums this is little
def _both_ways(law: ScoreLaw, slots: int, log_cut: float, rtol: float, cells: int) -> tuple[Enclosure, Enclosure]:
    """The pair's lists, with so many cells of losses to a deviation, and those of (Q, P)."""
    found, noise = _sums(law, slots, log_cut, rtol), score_error(slots, _local_eps(law))
    lists = []
    for backwards in (False, True):
        lower, upper = both_ends(found, slots, backwards)
        cell = cells_of_loss(upper, cells)
        first = np.append(np.flatnonzero(np.diff(cell, prepend=cell[0] - 1)), len(cell) - 1)
        ends = put_together(lower, cells_of_loss(lower, cells)), spread(upper, np.unique(first))
        lists.append(Enclosure(*(atoms._replace(error=atoms.error + noise) for atoms in ends)))
    return lists[0], lists[1]


def _local_eps(law: ScoreLaw) -> float:
    return max(abs(math.log(one.t0)) for one in law)


@lru_cache(maxsize=2)  # asked for at other points, and from the other side
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
