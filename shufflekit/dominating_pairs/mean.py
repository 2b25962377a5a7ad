"""All report or stay silent, and one of the two records sends what all others send: a mean of scores in one law.

Then Q is the law of a slot without the changed record, whatever alpha is, and P/Q = (1/n) (t_1 + ... + t_n), with t a
slot's score: where few outcomes count they are listed once, where others need a sum for each alpha. For binary
randomized response at check-ins, [beyond] 4.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from shufflekit._binomial import log_pmf
from shufflekit._validate import Array
from shufflekit.accuracy import pmf_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.definitions import Definition, Kind, ScoreLaw
from shufflekit.dominating_pairs.blocks import window
from shufflekit.dominating_pairs.listed_votes import drawn_together, put_apart
from shufflekit.dominating_pairs.pair import Aim, Pair, in_steps
from shufflekit.dominating_pairs.score_pair import MOST_SLOTS, ScorePair

FEW_OUTCOMES, MOST_OUTCOMES = 2**14, 2**21  # that are listed as they are; that are looked at one by one
ADDED = 1.6  # times rtol, relative to the variance: the square of how near losses are not told apart


@dataclass(frozen=True)
class MeanOfScores(Pair):
    """P has the changed record at the value that is sent otherwise, Q is without it; ``backwards``: (Q, P)."""

    law: ScoreLaw
    slots: int
    backwards: bool = False

    closest, costly = ScorePair.closest, True

    def reversed(self) -> "MeanOfScores":
        return MeanOfScores(self.law, self.slots, not self.backwards)

    @property
    def largest_loss(self) -> float:
        return self._sums.largest_loss

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        return self._sums.delta(eps, rtol, log_cut)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return self._seen(log_cut, math.sqrt(ADDED * rtol) * self._deviation) or self._sums.listed(log_cut, rtol)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        return self._seen(log_cut, aim.apart) or self._sums.listed_for(aim, log_cut, rtol)

    def _seen(self, log_cut: float, near: float) -> Enclosure | None:
        """All that may be seen, losses that are so near put together, if that is not too much."""
        known = outcomes(self.law, self.slots, in_steps(log_cut))
        if known is None:
            return None
        known = known.reversed() if self.backwards else known
        few = len(known.loss) <= FEW_OUTCOMES
        return Enclosure(known, known) if few else Enclosure(drawn_together(known, near), put_apart(known, near))

    @property
    def _deviation(self) -> float:
        """About that of the loss."""
        return math.sqrt(sum(one.chance * one.u0**2 for one in self.law) / self.slots)

    @cached_property
    def _sums(self) -> ScorePair:
        """The same pair, alpha by alpha."""
        forth = ScorePair(Definition(self.slots, self.slots, (self.law,)))
        return forth.reversed() if self.backwards else forth


@lru_cache(maxsize=4)  # both directions have the same, and a rough look and a close one
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


def mean_of(definition: Definition) -> MeanOfScores | None:
    """The pair of a definition in which all report or stay silent and one record sends what all others do, if so."""
    if len(definition.laws) > 1 or not definition.slots == definition.population <= MOST_SLOTS:
        return None
    sent = tuple(one for one in definition.laws[0] if one.chance > 0)
    exchanged = tuple(Kind(chance, t1, t0, u1, u0) for chance, t0, t1, u0, u1 in sent)
    for law, backwards in ((sent, False), (exchanged, True)):
        up, silent, down = sorted((one.u0 for one in law), reverse=True) if len(law) == 3 else (0, 1, 0)
        if all(one.u1 == 0 for one in law) and up > silent == 0 > down > -1:
            return MeanOfScores(law, definition.slots, backwards)
    return None
