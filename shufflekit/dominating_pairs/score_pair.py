"""The pair of any definition, law by law: for each alpha a sum of iid numbers.

H_a = E[(sum_{i <= k} (u0_i - a u1_i) - N (a - 1))_+]/N,      a = e^eps, u = t - 1:      [beyond] 1 and 3
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from shufflekit import _validate
from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LIST_ERROR, loss_limit, score_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, extended
from shufflekit.definitions import Definition, ScoreLaw, distinct, divisions
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.knots import knots_of_both
from shufflekit.dominating_pairs.line import Share, stop_losses
from shufflekit.dominating_pairs.pair import Pair

MOST_SLOTS = 10_000_000
KNOTS_APART = 4  # of the usual ones: each costs an FFT
GRID = 2.0  # of a list's tolerance, that of its grids: they add a part of it to the variance, and chords add more
MOST_ATOMS = 100_000  # that are listed one by one
ROUGH = 0.1  # a tolerance at which most laws can be ruled out


@dataclass(frozen=True)
class ScorePair(Pair):
    """The worst of the laws, whichever alpha is asked for; the ends hold for that, in one direction."""

    definition: Definition

    closest = 1.0

    def __post_init__(self) -> None:
        _validate.count(n=self.definition.slots, at_most=MOST_SLOTS)

    @property
    def largest_loss(self) -> float:
        """That of slots which all send the message that speaks most for P: a mean of ratios exceeds none of them."""
        g = self.definition.slots / self.definition.population
        ratios = [
            math.log1p(g * (one.u0 - one.u1) / (1 - g + g * one.t1)) if g < 1 or one.t1 > 0 else math.inf
            for law in self.definition.laws
            for one in law
            if one.chance > 0 and one.t0 > one.t1
        ]
        return loss_limit(max(ratios, default=0.0))

    def reversed(self) -> "ScorePair":
        back = self.definition.reversed()
        symmetric = len(distinct((*self.definition.laws, *back.laws))) == len(self.definition.laws)
        return self if symmetric else ScorePair(back)

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        eps = _validate.array(low=0, eps=eps)
        lower, upper = np.zeros(eps.shape), np.zeros(eps.shape)
        for i in np.ndindex(eps.shape):
            if eps[i] < self.largest_loss:
                lower[i], upper[i] = self._worst(float(eps[i]), rtol)
        noise = score_error(self.definition.slots, self._local_eps)
        return Ends(lower * (1 - noise), np.minimum(upper * (1 + noise), 1.0))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        if len(self._laws) == 1 and (atoms := self._outcomes(self._laws[0])) is not None:
            return Enclosure(atoms, atoms)
        back = self.reversed()
        eps = knots_of_both(self, back, log_cut, rtol)
        eps = np.append(eps[:-1:KNOTS_APART], eps[-1])
        forth_ends = self.delta(eps, GRID * rtol)
        back_ends = forth_ends if back == self else back.delta(eps, GRID * rtol)
        return Enclosure(extended(eps, forth_ends, back_ends), connected(eps, forth_ends.upper, back_ends.upper))

    @cached_property
    def _laws(self) -> "list[Columns]":
        return [_columns(law) for law in self.definition.laws]

    @cached_property
    def _local_eps(self) -> float:
        """The largest loss of one message, either way; where no message has any, nothing can go wrong."""
        return max(_message_loss(law.t0, law.t1) for law in self._laws) or math.inf

    def _worst(self, eps: float, rtol: float) -> tuple[float, float]:
        """Of all laws; those that a rough look rules out are not looked at again."""
        left = self._laws
        if len(left) > 1:
            rough = [self._stop_loss(law, eps, max(rtol, ROUGH)) for law in left]
            least = max(float(ends.lower) for ends in rough)
            left = [law for law, ends in zip(left, rough, strict=True) if ends.upper >= least]
        fine = [self._stop_loss(law, eps, rtol) for law in left]
        return max(float(ends.lower) for ends in fine), max(float(ends.upper) for ends in fine)

    def _stop_loss(self, law: "Columns", eps: float, rtol: float) -> Ends:
        slots, population = self.definition.slots, float(self.definition.population)
        crowd = Share(Scores(law.u0 - math.exp(eps) * law.u1, law.chance), np.full(1, float(slots)), np.ones(1))
        ends = stop_losses([crowd], np.zeros(1), np.array([population * math.expm1(eps)]), rtol)
        return Ends(ends.lower[0] / population, ends.upper[0] / population)

    def _outcomes(self, law: "Columns") -> Atoms | None:
        """All outcomes of few slots: how many messages have each score."""
        t0, t1, chance = law.t0, law.t1, law.chance
        kinds, n, population = len(chance), self.definition.slots, self.definition.population
        if math.comb(min(n, 10**4) + kinds - 1, kinds - 1) > MOST_ATOMS:
            return None
        counts = np.array(list(divisions(n, kinds)), dtype=np.int64)
        log_r = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + dot(counts, np.log(chance))
        apart = (population - n) / population
        p, q = apart + dot(counts, t0) / population, apart + dot(counts, t1) / population
        certain = q <= 0
        infinite = float((np.exp(log_r) * p)[certain].sum())
        shown = (q > 0) & (p > 0)
        loss, log_q = np.log(p[shown] / q[shown]), log_r[shown] + np.log(q[shown])
        order = np.argsort(loss)
        return Atoms(loss[order], log_q[order], infinite=infinite, error=LIST_ERROR)


class Columns(NamedTuple):
    """A law's kinds that are sent: their chances, scores, and what these are more than 1."""

    chance: Array
    t0: Array
    t1: Array
    u0: Array
    u1: Array


def _columns(law: ScoreLaw) -> Columns:
    sent = [one for one in law if one.chance > 0]
    return Columns(*(np.array(column, dtype=np.float64) for column in zip(*sent, strict=True)))


def _message_loss(t0: Array, t1: Array) -> float:
    sent = (t0 > 0) | (t1 > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(t0[sent]) - np.log(t1[sent])).max(initial=0.0))
