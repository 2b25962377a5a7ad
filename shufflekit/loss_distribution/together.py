"""delta of many rounds with few large losses, read off term by term: see ``rare``."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.nearly_all import nearly_all
from shufflekit.loss_distribution.parts import Leftover, Part, moments, rounding
from shufflekit.loss_distribution.periods import LOG_HUGE
from shufflekit.loss_distribution.rare import MOST_LARGE, Split, Term, kept, largest_small, split, terms_of, told
from shufflekit.loss_distribution.shared import Shared, coarse
from shufflekit.loss_distribution.smoothed import Smoothed
from shufflekit.search import first_yes, narrowed

LEFT = math.log(1e-6)  # relative, of delta, that more large losses may have
TILTS = np.append(0.0, 2.0 ** np.arange(-8.0, 12.5, 0.5))  # over the deviation of all small losses
LIGHT = 0.02  # of what delta may be off by, that all terms together may have which are only bounded
NEAR = 1 / 32  # a part of rtol that is near enough
FIRST_STRIDE, STRIDES = 4.0, 8.0  # times rtol, from where eps is guessed to be; times the stride before
MOST_TERMS_TOLD = 5_000  # in full, of which each is looked at
LESS = (1.0, 0.5, 0.2, 0.05, 0.01)  # times a tilt
POINTS, LEAST_POINT = 2_000, 1e-8  # where the small losses' bound is looked at; relative to the largest sum
POWERS = (0.75, 0.5, 1.0)  # of delta, that large losses have the mass of
WAYS_ERROR = 1e-11  # of the logarithm of the ways, and of the P-mass of rounds told in full
# eps is looked for anew while it moves by a larger part, at a tolerance of delta that moves it by less; and the largest
# tolerance of delta at last.
TIMES, MOVED, ROUGH, MOST = 4, 0.02, 0.1, 0.01


class Known(NamedTuple):
    """A term, its integral, if there is one, and the logarithms of Chernoff's bounds."""

    term: Term
    smooth: Smoothed | None
    log_bounds: Array


@dataclass(frozen=True)
class Together:
    """delta of all rounds from one side, term by term; for a term whose integral was not to be had Chernoff's bound."""

    known: Sequence[Known]
    tilts: Array
    log_rest: float
    left: Leftover
    upper: bool
    rtol: float
    most: float  # no eps is looked for beyond
    about: float  # the eps that the curve is known for

    def delta(self, eps: float) -> float:
        """At an eps, never on the wrong side."""
        total = math.fsum(self._term(eps, one) for one in self.known if one.smooth)
        if self.upper:
            bounds = (self._others - self.tilts * eps).min(axis=1, initial=math.inf)
            rest = math.exp(self.log_rest + (MOST_LARGE + 1) * self.left.noise)
            total += rest + float(np.exp(np.minimum(bounds, LOG_HUGE)).sum()) * (1 + UNIT * len(bounds))
            total += self.left.infinite * (1 + self.left.noise) + self.left.missing
            return min(max(total * (1 + 64 * UNIT), TINY), 1.0)  # what is too small to be a number is not 0
        return max(total + self.left.infinite * (1 - self.left.noise), 0.0) * (1 - 64 * UNIT)

    @cached_property
    def _others(self) -> Array:
        """Chernoff's bounds on the terms without an integral, by rows."""
        return np.array([one.log_bounds for one in self.known if not one.smooth]).reshape(-1, len(self.tilts))

    def epsilon(self, delta: float) -> float:
        """Any eps at which the curve is known to be below delta, or above, is an end."""

        @cache
        def over(eps: float) -> float:
            value = self.delta(eps)
            return math.log(value) - math.log(delta) if value > 0 else -math.inf

        low, high = self._around(over)
        if high > self.most:
            return math.inf if self.upper else self.most
        if low < 0:
            return 0.0
        low, high = narrowed(over, low, high, lambda _, high: NEAR * self.rtol * high)
        return high if self.upper else low

    def _around(self, over: Callable[[float], float]) -> tuple[float, float]:
        """Points at which the curve is above delta, and below it, near the eps that it is known for; outside of 0 and
        ``most`` where there is none."""
        start = min(self.about, self.most)
        up, stride = over(start) >= 0, FIRST_STRIDE * self.rtol * max(start, LEAST_POINT * self.most)
        last = self.most if up else 0.0
        while start != last:
            other = min(start + stride, last) if up else max(start - stride, last)
            if (over(other) >= 0) != up:
                return (start, other) if up else (other, start)
            start, stride = other, STRIDES * stride
        return (start, math.inf) if up else (-math.inf, start)

    def tilt(self, eps: float) -> float:
        """Of Chernoff's bound on the term that counts most."""
        sizes = [self._term(eps, one) for one in self.known]
        return float(self.tilts[(self.known[int(np.argmax(sizes))].log_bounds - self.tilts * eps).argmin()])

    def _term(self, eps: float, known: Known) -> float:
        term, smooth, log_bounds = known
        value = smooth.delta(eps - term.shift) if smooth else (math.inf if self.upper else 0.0)
        if self.upper:
            chernoff = float((log_bounds - self.tilts * eps).min())
            return min(value * math.exp(term.log_ways + WAYS_ERROR), math.exp(min(chernoff, LOG_HUGE)))
        if smooth and term.shift:
            value = max(value, nearly_all(term.parts, Leftover(0.0, 0.0, self.left.noise), eps - term.shift))
        return value * math.exp(term.log_ways - WAYS_ERROR)


class Question(NamedTuple):
    """Either eps, or the logarithm of delta, is given."""

    eps: float | None
    log_delta: float | None
    rtol: float


def told_apart(
    sides: tuple[Sequence[Part[Atoms]], Sequence[Part[Atoms]]],
    left: tuple[Leftover, Leftover],
    asked: Question,
    *,
    in_full: bool = False,
) -> Iterator[tuple[Together, Together]]:
    """From below and from above, for some sizes from which on losses are large; or with rounds told ``in_full``."""
    most = float(sum(rounds * pair.loss[-1] for pair, rounds in sides[1]))
    if most <= 0:
        return  # no listed loss is large
    log_delta = _half_way(sides[1], most, asked.eps or 0.0) if asked.log_delta is None else asked.log_delta
    for terms in _terms(sides, log_delta, in_full):
        below, above = (_Side(own, left[i], asked.rtol, most, bool(i)) for i, own in enumerate(terms))
        yield _both(below, above, asked.eps, log_delta)


def _terms(
    sides: tuple[Sequence[Part[Atoms]], Sequence[Part[Atoms]]], log_delta: float, in_full: bool
) -> Iterator[list[Split]]:
    """From below and from above, with some sizes from which on losses are large; then with some rounds told in full."""
    for parts, outcomes in (_told(sides),) if in_full else ((sides, None), _told(sides)):
        for power in POWERS if parts else ():
            sizes = [largest_small(part, power * log_delta) for part in parts[1]]
            found = [split(own, sizes, log_delta + LEFT) for own in parts]
            if outcomes is None:
                known = [one for one in found if one is not None]
            else:
                known = [_with(*three) for three in zip(found, parts, outcomes, strict=True)]
            if len(known) == 2:
                yield known


def _told(sides: tuple[Sequence[Part[Atoms]], Sequence[Part[Atoms]]]) -> tuple[Any, Any]:
    below, above = map(told, sides)
    return ((below[0], above[0]), (below[1], above[1])) if below and above else (None, ())


def _with(known: Split | None, parts: Sequence[Part[Atoms]], outcomes: Sequence[Term]) -> Split:
    """Each term with each outcome of the other rounds; all parts together where there are none, or too many."""
    if known is None or len(known.terms) * len(outcomes) > MOST_TERMS_TOLD:
        known = Split([Term(parts, 0.0)], -math.inf)
    terms = [Term(one.parts, one.log_ways + more.log_ways, more.shift) for more in outcomes for one in known.terms]
    return Split(terms, known.log_rest)


def _half_way(parts: Sequence[Part[Atoms]], most: float, eps: float) -> float:
    """About log delta, if those losses are large that are half of eps."""
    least = max(float(pair.loss[0]) for pair, _ in parts)
    small, large = ([kept(part, max(eps / 2, least), side) for part in parts] for side in (False, True))
    return _guess(list(terms_of(small, large, 1)), most)(eps)


def _both(below: "_Side", above: "_Side", eps: float | None, log_delta: float) -> tuple[Together, Together]:
    """Near the eps that is asked about, or that is found to have this delta."""
    slack = above.rtol
    if eps is None:
        eps = above.about(log_delta)
        for _ in range(TIMES):
            before, rough = eps, above.near(eps, ROUGH)
            eps = min(rough.epsilon(math.exp(log_delta)), above.most)
            if abs(eps - before) <= MOVED * eps:
                break
        # delta falls about so much from eps to (1 + rtol) eps.
        slack = min(slack * max(1.0, eps * rough.tilt(eps)), MOST)
    return below.near(eps, slack), above.near(eps, slack)


def _guess(terms: Sequence[Term], most: float) -> Callable[[float], float]:
    """About log delta at an eps: by Chernoff's bound on the small losses, with none or one large one more."""
    small = terms[0]
    tilts = _tilts(small.parts)
    x = np.append(0.0, np.geomspace(most * LEAST_POINT, most, POINTS))
    log_bound = np.minimum((_log_bounds([Term(small.parts, 0.0)], tilts)[0] - np.outer(x, tilts)).min(axis=1), 0.0)
    alike = dict[int, tuple[Atoms, list[Term]]]()
    for term in terms:
        large = term.parts[len(small.parts) :]
        if sum(part.rounds for part in large) <= 1:
            pair = large[0].pair if large else Atoms(np.zeros(1), np.zeros(1))
            alike.setdefault(id(pair) if large else 0, (pair, []))[1].append(term)
    known = [(pair, *np.array([one[1:] for one in own]).T) for pair, own in alike.values()]

    def log_delta(eps: float) -> float:
        sizes = [
            ways[:, None] + pair.log_q + pair.loss + np.interp(eps - shift[:, None] - pair.loss, x, log_bound)
            for pair, ways, shift in known
        ]
        return float(np.logaddexp.reduce([np.logaddexp.reduce(own, axis=None) for own in sizes]))

    return log_delta


@dataclass(frozen=True)
class _Side:
    """One of the two ends, with what it needs."""

    split: Split
    left: Leftover
    rtol: float
    most: float
    upper: bool

    @cached_property
    def tilts(self) -> Array:
        return _tilts(self.split.terms[0].parts)

    @cached_property
    def integrals(self) -> Shared:
        return Shared(self.left.noise)

    @cached_property
    def bounds(self) -> list[Array]:
        """Of each term, Chernoff's by the tilt, with all that round-off may do."""
        off = self.tilts * max(rounding(term.parts) for term in self.split.terms) + self.left.noise
        return [own + off for own in _log_bounds(self.split.terms, self.tilts)]

    def about(self, log_delta: float) -> float:
        """The eps that is guessed to have this delta."""
        guess = _guess(self.split.terms, self.most)
        return first_yes(lambda eps: guess(eps) <= log_delta, self.most, doublings=1, halvings=40)

    def near(self, eps: float, slack: float) -> Together:
        """The curve, off by such a part, where eps is about this."""
        terms = self.split.terms
        smooth: list[Smoothed | None] = [None] * len(terms)
        sizes = np.array(self.bounds) - self.tilts * eps
        most = np.exp(np.minimum(sizes.min(axis=1), LOG_HUGE))
        order, total = np.argsort(-most), 0.0
        rest = np.cumsum(most[order][::-1])[::-1]
        for i, left in zip(order, rest, strict=True):
            if left <= LIGHT * slack * total:
                break
            # The smaller a part of all, the less closely it need be known.
            own = coarse(slack, total / (len(terms) * most[i]), MOST)
            smooth[i] = self._smooth(terms[i], eps - terms[i].shift, float(self.tilts[sizes[i].argmin()]), own)
            if (one := smooth[i]) is not None:
                total += one.delta(eps - terms[i].shift) * math.exp(terms[i].log_ways)
        known = [Known(*three) for three in zip(terms, smooth, self.bounds, strict=True)]
        return Together(known, self.tilts, self.split.log_rest, self.left, self.upper, self.rtol, self.most, eps)

    def _smooth(self, term: Term, eps: float, tilt: float, slack: float) -> Smoothed | None:
        """By the tilt of Chernoff's bound, or smaller ones while that helps: one large loss may be more than that."""
        found, gap = list[tuple[float, Smoothed]](), math.inf
        for less in LESS:
            both = self.integrals.ends(term.parts, tilt * less, slack)
            if both:
                low, high = (end.delta(eps) for end in both)
                found.append((high if self.upper else low, both[self.upper]))
                if high - low <= slack / 2 * high or high - low >= gap:
                    break
                gap = high - low
        return (min if self.upper else max)(found, key=lambda one: one[0], default=(0.0, None))[1]


def _log_bounds(terms: Sequence[Term], tilts: Array) -> list[Array]:
    """The logarithm of Chernoff's bound at eps = 0, by the tilt; with t eps taken off it bounds delta at eps."""
    pairs = {id(pair): pair for term in terms for pair, _ in term.parts}
    log_z = {key: np.array([moments([Part(pair, 1)], float(t)).log_z for t in tilts]) for key, pair in pairs.items()}
    return [sum((r * log_z[id(pair)] for pair, r in term.parts), term.log_ways + tilts * term.shift) for term in terms]


def _tilts(parts: Sequence[Part[Atoms]]) -> Array:
    return np.asarray(TILTS / (moments(parts, 0.0).deviation or 1.0))
