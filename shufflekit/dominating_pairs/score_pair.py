"""The pair of any definition, law by law: for each alpha a sum of iid numbers.

H_a = E[(sum_{i <= k} (u0_i - a u1_i) - N (a - 1))_+]/N,      a = e^eps, u = t - 1:      [beyond] 1 and 3
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit import _validate
from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, LIST_ERROR, TINY, loss_limit, score_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, extended, hull
from shufflekit.definitions import Definition, ScoreLaw, distinct
from shufflekit.dominating_pairs.few_sums import all_ways
from shufflekit.dominating_pairs.halves import Parts, excess_of_few, price
from shufflekit.dominating_pairs.knots import AT_RTOL, COARSE, focused, knots_of_both
from shufflekit.dominating_pairs.lines import chernoffs, excess_of_sums, work
from shufflekit.dominating_pairs.pair import Aim, Pair, in_steps
from shufflekit.dominating_pairs.slanted import excess_at_many

MOST_SLOTS = 10_000_000
MOST_APART = 16  # of the usual knots: a rough look takes fewer
GRID = 0.1  # of a list's tolerance, that of its values: what knots are apart adds more
MOST_ATOMS = 100_000  # that are listed one by one
LEFT_OUT = 0.5  # of a tolerance, that lists of outcomes may leave out
ROUGH = 0.1  # a tolerance at which most laws can be ruled out
MANY = 40  # points, which may share lines
MOST_LOOKED_UP = 4e6  # outcomes, beyond which lines cost less
GROSS, NOISES = 0.1, 10.0  # of a value, and tolerances: ends farther apart say that lines should not have been shared
SOME, MOST_WORK = 9, 4e6  # points, that tell what all cost; sines of all, beyond which there is more noise


@dataclass(frozen=True)
class ScorePair(Pair):
    """The worst of the laws, whichever alpha is asked for; the ends hold for that, in one direction."""

    definition: Definition

    closest, costly = 1e-6, True

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
        reached, noise = eps < self.largest_loss, score_error(self.definition.slots, self._local_eps)
        lower, upper = np.zeros(eps.shape), np.zeros(eps.shape)
        lower[reached], upper[reached] = self._worst(eps[reached], rtol, 0.0 if log_cut is None else math.exp(log_cut))
        upper[reached] = np.clip(upper[reached] * (1 + noise), TINY, 1.0)
        return Ends(np.where(lower > KNOWN, lower * (1 - noise), 0.0), upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return self._all_outcomes or self._listed_at(self._knots(log_cut, rtol), log_cut, rtol)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        if (known := self._all_outcomes) is not None:
            return known
        eps = self._knots(log_cut, COARSE)
        about = self._listed_at(eps, log_cut, COARSE).upper
        return self._listed_at(focused(eps, about, aim), log_cut, rtol)

    @cached_property  # long, and asked for with every tolerance
    def _all_outcomes(self) -> Enclosure | None:
        atoms = self._outcomes(self._laws[0]) if len(self._laws) == 1 else None
        return Enclosure(atoms, atoms) if atoms else None

    def _knots(self, log_cut: float, rtol: float) -> Array:
        eps = knots_of_both(self, self.reversed(), in_steps(log_cut), rtol)
        return np.append(eps[: -1 : _apart(rtol)], eps[-1])

    def _listed_at(self, eps: Array, log_cut: float, rtol: float) -> Enclosure:
        ways = self, self.reversed()
        forth_ends, back_ends = (_ends_at(pair, tuple(eps.tolist()), GRID * rtol, log_cut) for pair in ways)
        # Values that each err a little are not convex; the profile is, so it is below the hull.
        above = connected(eps, hull(eps, forth_ends.upper), hull(eps, back_ends.upper))
        return Enclosure(extended(eps, forth_ends, back_ends), above)

    @cached_property
    def _laws(self) -> "list[Columns]":
        return [_columns(law) for law in self.definition.laws]

    @cached_property
    def _local_eps(self) -> float:
        """The largest loss of one message, either way; where no message has any, nothing can go wrong."""
        return max(_message_loss(law.t0, law.t1) for law in self._laws) or math.inf

    def _worst(self, eps: Array, rtol: float, least: float) -> Ends:
        """Of all laws; those that a rough look rules out are not looked at again."""
        if len(self._laws) == 1:
            return self._excess(self._laws[0], eps, rtol, least)
        rough = [self._excess(law, eps, max(rtol, ROUGH), least) for law in self._laws]
        lower = np.max([ends.lower for ends in rough], axis=0)
        upper = np.zeros(len(eps))
        for law, ends in zip(self._laws, rough, strict=True):
            left = ends.upper >= lower
            fine = self._excess(law, eps[left], rtol, least)
            lower[left], upper[left] = np.maximum(lower[left], fine.lower), np.maximum(upper[left], fine.upper)
        return Ends(lower, upper)

    def _excess(self, law: "Columns", eps: Array, rtol: float, least: float) -> Ends:
        """Of many points those are not looked at where Chernoff's bound is ``least`` or less, which may be left out."""
        if least == 0 or len(eps) <= MANY:
            return self._excess_at(law, eps, rtol, least)
        population, value = float(self.definition.population), law.u0 - np.exp(eps)[:, None] * law.u1
        chance = np.broadcast_to(law.chance, value.shape)
        most = chernoffs(value, chance, self.definition.slots, population * np.expm1(eps)) / population
        ends, loud = Ends(np.zeros(len(eps)), most), most > least
        found = self._excess_at(law, eps[loud], rtol, least)
        ends.lower[loud], ends.upper[loud] = found.lower, np.minimum(found.upper, most[loud])
        return ends

    def _excess_at(self, law: "Columns", eps: Array, rtol: float, least: float) -> Ends:
        """At many points a few alphas tell of all, but where they tell hardly anything, as of few rare scores."""
        slots = self.definition.slots
        if len(eps) > MANY and law.parts.one_law and price(law.parts, slots) * len(eps) <= MOST_LOOKED_UP:
            return self._listed_first(law, eps, rtol, least)
        shared = self._shared(law, eps, rtol) if len(eps) > MANY else None
        if shared is None:
            return self._alone(law, eps, rtol, least)
        wide = shared.upper - shared.lower > max(GROSS, NOISES * rtol) * shared.upper
        wide &= shared.upper > max(least, KNOWN)
        if wide.any():
            # Lists of outcomes, if there are few: a line of its own has as much noise.
            population, alpha, x = self._asked(eps[wide])
            own = excess_of_few(law.parts, slots, alpha, x)
            shared.lower[wide] = np.maximum(shared.lower[wide], own.lower / population)
            shared.upper[wide] = np.minimum(shared.upper[wide], own.upper / population)
        return shared

    def _listed_first(self, law: "Columns", eps: Array, rtol: float, least: float) -> Ends:
        """By lists of outcomes of a law that all alphas share; where these leave too much out, by lines."""
        population, alpha, x = self._asked(eps)
        ends = excess_of_few(law.parts, self.definition.slots, alpha, x)
        lower, upper = ends.lower / population, ends.upper / population
        todo = upper - lower > np.maximum(rtol * LEFT_OUT * upper, least)
        if todo.any():
            lines = self._shared(law, eps[todo], rtol)
            if lines is not None:
                lower[todo], upper[todo] = np.maximum(lower[todo], lines.lower), np.minimum(upper[todo], lines.upper)
        return Ends(lower, upper)

    def _shared(self, law: "Columns", eps: Array, rtol: float) -> Ends | None:
        slots, rising = self.definition.slots, np.argsort(eps)
        population, alpha, x = self._asked(eps[rising])
        noise = score_error(slots, self._local_eps)
        shared = excess_at_many(law.parts, slots, alpha, x, rtol, noise)
        back = np.argsort(rising)
        return shared and Ends(shared.lower[back] / population, shared.upper[back] / population)

    def _asked(self, eps: Array) -> tuple[float, Array, Array]:
        """Of how many, and at which alphas and points sums are asked about."""
        population = float(self.definition.population)
        return population, np.exp(eps), population * np.expm1(eps)

    def _alone(self, law: "Columns", eps: Array, rtol: float, least: float) -> Ends:
        """By lists of outcomes, if there are few, and by lines where there are too many; ``least`` may be left out."""
        slots, (population, alpha, x) = self.definition.slots, self._asked(eps)
        ends = excess_of_few(law.parts, slots, alpha, x)
        enough = np.maximum(rtol * LEFT_OUT * ends.upper, least * population)
        todo = np.isinf(ends.upper) | (ends.upper - ends.lower > enough)
        if todo.any():
            value = law.u0 - alpha[todo, None] * law.u1
            sums = value, np.broadcast_to(law.chance, value.shape), slots, x[todo]
            lines = excess_of_sums(*sums, _affordable(*sums, rtol))
            ends.lower[todo] = np.maximum(ends.lower[todo], lines.lower)
            ends.upper[todo] = np.minimum(ends.upper[todo], lines.upper)
        return Ends(ends.lower / population, ends.upper / population)

    def _outcomes(self, law: "Columns") -> Atoms | None:
        """All outcomes of few slots: how many messages have each score."""
        t0, t1, chance = law.t0, law.t1, law.chance
        kinds, n, population = len(chance), self.definition.slots, self.definition.population
        if n > MOST_ATOMS or math.comb(n + kinds - 1, min(kinds - 1, n)) > MOST_ATOMS:
            return None
        counts, log_ways = all_ways(n, kinds)
        log_r = log_ways + dot(counts, np.log(chance))
        apart = (population - n) / population
        p, q = apart + dot(counts, t0) / population, apart + dot(counts, t1) / population
        certain = q <= 0
        infinite = float((np.exp(log_r) * p)[certain].sum())
        shown = (q > 0) & (p > 0)
        loss, log_q = np.log(p[shown] / q[shown]), log_r[shown] + np.log(q[shown])
        order = np.argsort(loss)
        return Atoms(loss[order], log_q[order], infinite=infinite, error=LIST_ERROR)


@lru_cache(maxsize=8)  # both directions of a list need both
def _ends_at(pair: ScorePair, eps: tuple[float, ...], rtol: float, log_cut: float) -> Ends:
    return pair.delta(np.array(eps), rtol, log_cut)


def _affordable(value: Array, chance: Array, slots: int, x: Array, rtol: float) -> float:
    """A tolerance at which many points cost no more than they may; what a few of them cost tells of all.

    As many nodes are heard as their noise lets through: the root of the tolerance times fewer.
    """
    if len(x) <= SOME:
        return rtol
    some = np.linspace(0, len(x) - 1, SOME).astype(int)
    needed = work(value[some], chance[some], slots, x[some], rtol) * len(x) / SOME
    return float(min(rtol * max(1.0, (needed / MOST_WORK) ** 2), max(rtol, ROUGH)))


def _apart(rtol: float) -> int:
    """How many of the usual knots are gone on by: what a list errs by grows with the square."""
    return min(max(math.floor(math.sqrt(rtol / AT_RTOL)), 1), MOST_APART)


class Columns(NamedTuple):
    """A law's kinds that are sent: their chances, scores, and what these are more than 1."""

    chance: Array
    t0: Array
    t1: Array
    u0: Array
    u1: Array

    @property
    def parts(self) -> Parts:
        """The scores, of which sums are asked about."""
        return Parts(self.chance, self.u0, self.u1)


def _columns(law: ScoreLaw) -> Columns:
    sent = [one for one in law if one.chance > 0]
    return Columns(*(np.array(column, dtype=np.float64) for column in zip(*sent, strict=True)))


def _message_loss(t0: Array, t1: Array) -> float:
    sent = (t0 > 0) | (t1 > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(t0[sent]) - np.log(t1[sent])).max(initial=0.0))
