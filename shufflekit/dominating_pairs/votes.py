"""Pairs in which every message votes for P, for Q, or for neither: the clone pairs, the k-RR views, the attacks.

Of ``count`` messages, a are of the first labelled kind, b of the second, d of a third, the rest of none:
multinomial with probabilities rate/2, rate/2, ``third_rate`` and what is left. Under that reference law R,

    P/R = base + more a + less b + third d,      Q/R = base + less a + more b + third d,      more = less + gap.

Given c = a + b, the sum S = a - b of c random signs decides between P and Q, and weight = (P/R + Q/R)/2 depends on
c and d alone. With alpha = e^eps, H = E_R[(gap/2 (1 + alpha) S - (alpha - 1) weight)_+] grows with the number of
signs, and falls with the weight, in which it is convex: so c can be taken in blocks from either side, and one round
costs the same whatever ``count`` is.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from shufflekit._binomial import pmf, tail
from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import (
    DIFFERENCE_ERROR,
    KNOWN,
    LOG_LEFT_OUT,
    LOG_LEFT_OUT_OF_POINTS,
    START_ERROR_OF_MANY,
    TINY,
    pmf_error,
    tail_error,
)
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import profile
from shufflekit.dominating_pairs.blocks import Blocks, Cells, blocks, cells, means, outside, starts, window
from shufflekit.dominating_pairs.crowded_votes import MOST_TOLD, Close, crowded
from shufflekit.dominating_pairs.listed_votes import Rows, drawn_together, listed_votes, put_apart
from shufflekit.dominating_pairs.pair import Aim
from shufflekit.dominating_pairs.sign_tails import SignTails
from shufflekit.dominating_pairs.votes_law import VotesLaw

FEW_OUTCOMES, MOST_OUTCOMES = 2**14, 2**21  # that are listed as they are; that are looked at one by one
MOST_NUMBERS = 2**16  # of signs in a list, that are told apart
ADDED = 1.6  # times rtol, relative to the variance: the square of the widths of cells of losses
PART_OF_APART = 0.6  # of the distance that knots may have: these widths
STEP = 1.0  # of the logarithm of what is left out: it is so little that lists serve again
MOST_EPS = 310.0  # no finite loss is larger
MOST_ROWS = 2**14  # of an evaluation of delta
MANY_TAILS = 30  # times the error of a tail, that of what lies between two values of d
CHUNK, MOST_CELLS = 100_000, 2**21  # numbers worked on at once; of a table of tails, to fit in memory several times
PART, PART_OF_LIST, ROUGH, LOG_ALL = 0.8, 0.6, 0.2, -740.0  # of rtol, that blocks take; a first look, and how deep
CHEAPER = 16  # times: a cell of a table is less work than what it serves
MOST_REACH = 4e15  # times ``tail_error``, signs in a row of a table: two roundings each are fewer than that counts


@dataclass(frozen=True)
class Votes(VotesLaw):
    """The pair of the module's head."""

    def reversed(self) -> "Votes":
        return self

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        if log_cut is None:
            # What may be left out follows from how small the answer is.
            rough = self.delta(eps[eps < self.largest_loss], ROUGH, LOG_ALL).lower
            log_cut = math.log(max(float(rough.min(initial=1.0)), KNOWN)) + LOG_LEFT_OUT_OF_POINTS
        if self.third_rate and self.rows_of_points(rtol, log_cut) > MOST_ROWS:
            return _listed_delta(self, eps, rtol, log_cut)
        parts = blocks(self.count, self.rate, self.rest, width=PART * rtol, log_cut=log_cut, growing=True)
        noise = pmf_error(self.count * self.rate) if parts.single and not self.third_rate else self.stretched
        lighter, heavier = self.rows(parts, rtol, log_cut)
        reached, eps = eps < self.largest_loss, np.minimum(eps, MOST_EPS)
        above, error = self.excess(heavier, eps)
        upper = np.clip((above + error) * (1 + noise) + self._missing(parts), TINY, 1.0)
        if lighter is not heavier:
            above, error = self.excess(lighter, eps)
        lower = np.minimum((above - error) * (1 - noise), upper)
        return Ends(np.where(reached & (lower > KNOWN), lower, 0.0), np.where(reached, upper, 0.0))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        deviation, z = self._deviation(), math.sqrt(max(1.0, -2 * (log_cut - LOG_LEFT_OUT)))
        losses = math.sqrt(ADDED * rtol)
        return self._listed(log_cut, rtol, Close(PART_OF_LIST * rtol, losses / z, losses * deviation))

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        deviation = self._deviation()
        losses = PART_OF_APART * aim.apart / deviation
        weights = losses / math.hypot(1.0, aim.tilt * deviation)
        return self._listed(log_cut, rtol, Close(losses**2 / 5, weights, losses * deviation))

    def _listed(self, log_cut: float, rtol: float, close: Close) -> Enclosure:
        """One by one where outcomes are few, or say much; else as ``crowded``."""
        first, last = window(self.count, self.rate, self.rest, log_cut)
        signs, labelled = self._likely_signs(last, log_cut), last - first + 1
        kinds = len(self._third_nodes(first, last, rtol, log_cut)) if self.third_rate else 1
        outcomes = labelled * len(signs) * kinds
        if outcomes > FEW_OUTCOMES:
            width = max(close.signs / 8, labelled / (MOST_NUMBERS * max(first, 1))) if labelled > FEW_OUTCOMES else 0.0
            parts = blocks(self.count, self.rate, self.rest, width=width, log_cut=log_cut)
            found = crowded(self, parts, log_cut, close, self._missing(parts))
            if found is not None:
                return found
        many = outcomes / MOST_OUTCOMES
        return self._one_by_one(signs, rtol * max(1.0, many**2 if kinds > 1 else 1.0), log_cut, close.losses)

    def _one_by_one(self, signs: Array, rtol: float, log_cut: float, near: float) -> Enclosure:
        parts = blocks(self.count, self.rate, self.rest, width=0.0, log_cut=log_cut)
        missing, (lighter, heavier) = self._missing(parts), self.rows(parts, rtol, log_cut)
        lower = upper = listed_votes(lighter, signs, self.less, self.gap, missing, log_cut)
        if lighter is not heavier:
            # What was moved far out, beyond all likely values of d, is better missing: its losses are extreme.
            low, high = self._third_window(int(parts.low[0]), int(parts.high[-1]), log_cut)
            d = (heavier.apart - self.base) / self.third
            far = (d < low - 0.5) | (d > high + 0.5)
            missing += float(dot(heavier.mass[far], heavier.weight[far]))
            heavier = Rows(*(values[~far] for values in heavier))
            upper = listed_votes(heavier, signs, self.less, self.gap, missing, log_cut)
        error = MANY_TAILS * float(tail_error(self.count)) if self.third_rate else 0.0
        if len(upper.loss) > FEW_OUTCOMES:
            lower, upper = drawn_together(lower, near), put_apart(upper, near)
            # Of many outcomes their number is allowed for (see ``LISTED_ERROR``), of few the numbers of messages.
            error += pmf_error(self.count * self.rate) + pmf_error(float(parts.high[-1]))
        return Enclosure(*(atoms._replace(spacing=self._spacing(), error=error) for atoms in (lower, upper)))

    def rows_of_points(self, rtol: float, log_cut: float) -> float:
        """How many rows an evaluation of delta has."""
        first, last = window(self.count, self.rate, self.rest, log_cut)
        kinds = len(self._third_nodes(first, last, rtol, log_cut)) if self.third_rate else 1
        return float(kinds * len(starts(self.count, self.rate, self.rest, width=PART * rtol, log_cut=log_cut)))

    def rows(self, parts: Blocks, rtol: float, log_cut: float) -> tuple[Rows, Rows]:
        """The blocks with few signs and much weight, and with many signs and little weight; one thing if it can be."""
        if not self.third_rate:
            heavier = self.heavier(parts, rtol, log_cut)
            return (heavier if parts.single else self._averaged(parts)), heavier
        heavy = self._thirds(parts, rtol, log_cut, many=self.third < 0)
        light = heavy if parts.single else self._thirds(parts, rtol, log_cut, many=self.third > 0)
        low, high, mass = parts.low[:, None], parts.high[:, None], parts.mass[:, None]
        lighter = self._row(mass * light.mass, low, high, light.mean)
        return lighter, self._row(mass * heavy.moved, high, low, heavy.nodes)

    def heavier(self, parts: Blocks, rtol: float, log_cut: float) -> Rows:
        """The blocks with many signs and little weight."""
        if not self.third_rate:
            return self._row(parts.mass, parts.high, parts.low, 0.0)
        heavy = self._thirds(parts, rtol, log_cut, many=self.third < 0)
        return self._row(parts.mass[:, None] * heavy.moved, parts.high[:, None], parts.low[:, None], heavy.nodes)

    def _thirds(self, parts: Blocks, rtol: float, log_cut: float, *, many: bool) -> Cells:
        """d in each block, which is larger the fewer are labelled: with as many, or as few, of the third as may be."""
        nodes = self._third_nodes(int(parts.low[0]), int(parts.high[-1]), rtol, log_cut)
        rest = self.count - (parts.low if many else parts.high)
        return cells(rest, self.third_share, nodes)

    def _averaged(self, parts: Blocks) -> Rows:
        """Each block with its least number of signs, and its mean weight, d being at its mean: a law again (Jensen)."""
        share = self.third_share
        mean = means(parts, self.count, self.rate, self.rest)
        return self._row(parts.mass, parts.low, mean, (self.count - mean) * share)

    def _row(self, mass: Array, signs: Array, c: Array, d: Array | float) -> Rows:
        """As many signs, and the weight that c and d have."""
        apart = self.base + self.third * d + (self.less + self.gap / 2) * (c - signs)
        apart, signs = np.broadcast_to(apart, mass.shape).ravel(), np.broadcast_to(signs, mass.shape).ravel()
        return Rows(mass.ravel(), signs, apart, np.broadcast_to(self.weight(c, d), mass.shape).ravel())

    def _third_window(self, first: int, last: int, log_cut: float) -> tuple[int, int]:
        """The least and the largest likely value of d, given that c is between the two numbers."""
        share = self.third_share
        few, many = (window(self.count - c, share, 1 - share, log_cut) for c in (last, first))
        return few[0], many[1]

    def _third_nodes(self, first: int, last: int, rtol: float, log_cut: float) -> Array:
        """Values of d, the likely ones near each other, given that c is between the two numbers."""
        share = self.third_share
        low, high = self._third_window(first, last, log_cut)
        # Taking neighbours for one costs about z^2 (step/weight)^2 / 8 of eps, with losses z deviations out.
        usual = abs(float(self.weight(np.array([first]), self.count * share)[0]) / self.third)
        step = max(1, math.floor(math.sqrt(rtol / max(1.0, -log_cut - 12)) * usual))
        return np.unique(np.concatenate([[0.0], np.arange(low, high, step), [float(high)]]))

    def _missing(self, parts: Blocks) -> float:
        """The P-mass outside the blocks."""
        out = outside(self.count, self.rate, self.rest, int(parts.low[0]), int(parts.high[-1]))
        third = max(self.third, 0.0) * self.third_share * out.others
        return (self.base * out.probability + (self.less + self.gap / 2) * out.labelled + third) * (1 + self.stretched)

    def excess(self, rows: Rows, eps: Array, moved: Array | None = None) -> tuple[Array, Array]:
        """``E[(gap/2 (1 + alpha) S - (alpha - 1) weight + moved)_+]``, and a bound on its rounding."""
        moved = np.zeros(len(eps)) if moved is None else moved
        values, errors = np.zeros(len(eps)), np.zeros(len(eps))
        for group, table in self._groups(rows, eps, moved):
            step = max(1, CHUNK // len(group.mass))
            for own in (slice(i, i + step) for i in range(0, len(eps), step)):
                value, error = self._excess_of(group, eps[own][:, None], moved[own][:, None], table)
                values[own] += value
                errors[own] += error
        return values, errors

    def _excess_of(self, rows: Rows, at: Array, moved: Array, table: SignTails | None) -> tuple[Array, Array]:
        growth = np.expm1(at)
        c, apart, w = rows.signs[None, :], rows.apart[None, :], rows.weight[None, :]
        last, beyond = self._tail_of_signs(c, self._needed(w, at, moved), table)
        for_p = last / 2 * (c * (self.gap - growth * self.less) - growth * apart + moved)
        for_q = (growth * w - moved) * beyond
        size = last / 2 * (c * (self.gap + growth * self.less) + growth * np.abs(apart) + np.abs(moved))
        size = size + (growth * w + np.abs(moved)) * beyond
        value, error = for_p - for_q, tail_error(c) * size
        few = beyond < last
        if few.any():
            far, far_error = self._far_excess(last, beyond, c, apart + self.less * c, at, moved)
            value, error = np.where(few, far, value), np.where(few, far_error, error)
        return dot(np.maximum(value, 0.0), rows.mass), dot(error, rows.mass)

    def _far_excess(
        self, last: Array, beyond: Array, c: Array, q: Array, eps: Array, moved: Array
    ) -> tuple[Array, Array]:
        """The same where nearly all signs must be for P, counted from what it is when all are: then Q/R is q."""
        with np.errstate(divide="ignore"):
            log_all = np.where(q > 0, np.log1p(self.gap * c / np.where(q > 0, q, 1.0)), np.inf)
        with np.errstate(over="ignore", invalid="ignore"):
            all_for_p = np.where(q > 0, q * np.exp(eps) * np.expm1(log_all - eps), self.gap * c - np.expm1(eps) * q)
        first, second = (all_for_p + moved) * (beyond + last / 2), self.gap * (1 + np.exp(eps)) * c / 2 * beyond
        # Both logarithms are known to some digits, and so is what q was the difference of.
        logs = np.maximum(q, 0.0) * np.exp(eps) * (np.where(q > 0, log_all, 0.0) + eps)
        taken = (self.base * np.expm1(eps) if self.third < 0 else 0.0) + np.abs(moved)
        unsure = DIFFERENCE_ERROR * (logs + taken + (1 + eps) * np.abs(all_for_p)) * (beyond + last / 2)
        return first - second, tail_error(c) * (np.abs(first) + second) + unsure

    def _groups(self, rows: Rows, eps: Array, moved: Array) -> Iterator[tuple[Rows, SignTails | None]]:
        """The rows, in groups of which tables of what many eps ask are worked out at once, if that is less work."""
        farther = self._needed(0.0, eps, np.minimum(moved, 0.0)).max(initial=0.0)
        needed = self._needed(rows.weight, eps.max(initial=0.0), 0.0) + farther
        reach = float(np.where(needed < rows.signs, needed, rows.signs).max(initial=0.0)) / 2
        # Where all starts are moved, it may be asked from below the middle on.
        below = max(0.0, -float(self._needed(rows.weight.min(), eps, moved).min(initial=0.0))) / 2
        cells = len(np.unique(rows.signs)) * (below + reach + 2)
        if cells > CHEAPER * len(rows.signs) * len(eps) or below + reach > MOST_REACH * tail_error(rows.signs.min()):
            yield rows, None
            return
        size = max(1, math.floor(MOST_CELLS / (below + reach + 2)))
        for i in range(0, len(rows.mass), size):
            group = Rows(*(values[i : i + size] for values in rows))
            yield group, SignTails(np.maximum(group.signs, 1.0) - 1, reach, below)

    def _needed(self, w: Array | float, eps: Array | float, moved: Array | float) -> Array:
        """The sum of signs from which on the loss is above eps."""
        half = np.asarray(eps) / 2
        return np.asarray((w * np.tanh(half) - moved * np.exp(-half) / (2 * np.cosh(half))) / (self.gap / 2))

    def _tail_of_signs(self, c: Array, needed: Array, table: SignTails | None = None) -> tuple[Array, Array]:
        """With a counted among c - 1 signs: ``Pr[a = m-1]`` and ``Pr[a >= m]``, m the least a with a loss above eps.

        ``E[a; a >= m] = c/2 Pr[a' >= m-1]`` and ``E[b; a >= m] = c/2 Pr[a' >= m]``: all that is needed of c signs.
        """
        # Where it matters by a rounding, all signs for P are looked at: a term that is not positive drops out.
        inside = (needed <= c * (1 + START_ERROR_OF_MANY)) & (c > 0)
        m = np.where(inside, np.clip(np.floor((c + needed) / 2) + 1, 0.0, c), 1.0)
        others = np.maximum(c, 1.0) - 1
        if table is not None:
            last, beyond = table.at(others, m)
        else:
            last = np.where(m > 0, pmf(np.maximum(m - 1, 0.0), others, 0.5), 0.0)
            beyond = tail(m, others, 0.5, 0.5)
        none = np.where((c == 0) & (needed < 0), 1.0, 0.0)  # without signs, the loss may be above a negative one
        return np.where(inside, last, 0.0), np.where(inside, beyond, none)

    def _likely_signs(self, c: int, log_cut: float) -> Array:
        """``|S|`` of c signs, or half of it, rounded down: as far out as it need be followed (Hoeffding)."""
        heaviest = float(self.weight(np.array([c]), self.count * (self.third > 0))[0])
        reach = math.sqrt(2 * c * (1 + math.log(max(heaviest, 1.0)) - log_cut))
        return np.arange(math.floor(min(c, reach)) // 2 + 1.0)

    def _deviation(self) -> float:
        """About that of the loss."""
        usual = self.count * self.rate
        weight = float(self.weight(np.array([usual]), self.count * self.third_rate)[0])
        return 2 * math.atanh(min(self.gap / 2 * math.sqrt(usual) / weight, MOST_TOLD))

    def _spacing(self) -> float:
        """The distance of neighbouring losses where the weight hardly varies, as when few are sampled."""
        weight = float(self.weight(np.array([self.count * self.rate]), self.count * self.third_rate)[0])
        return 2 * math.atanh(self.gap / 2 / weight) if self.gap < weight else 0.0


def _listed_delta(pair: Votes, eps: Array, rtol: float, log_cut: float) -> Ends:
    """Where rows would be too many."""
    lower, upper = _lists(pair, STEP * math.ceil(log_cut / STEP), rtol)
    reached = eps < pair.largest_loss
    above = np.clip(profile(upper, eps) * (1 + upper.error), TINY, 1.0)
    below = np.minimum(profile(lower._replace(missing=0.0), eps) * (1 - lower.error), above)
    return Ends(np.where(reached & (below > KNOWN), below, 0.0), np.where(reached, above, 0.0))


@lru_cache(maxsize=4)  # a search asks again and again
def _lists(pair: Votes, log_cut: float, rtol: float) -> Enclosure:
    return pair.listed(log_cut, rtol)
