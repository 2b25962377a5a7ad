"""delta of many rounds with few large losses, read off term by term: see ``rare``."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.parts import Leftover, Part, moments, rounding
from shufflekit.loss_distribution.periods import LOG_HUGE
from shufflekit.loss_distribution.rare import MOST_LARGE, Split, Term, kept, largest_small, split, terms_of
from shufflekit.loss_distribution.smoothed import Smoothed, integral
from shufflekit.search import first_yes

LEFT = math.log(1e-6)  # relative, of delta, that more large losses may have
TILTS = np.append(0.0, 2.0 ** np.arange(-8.0, 12.5, 0.5))  # over the deviation of all small losses
LIGHT = 1e-3  # times rtol: a part of delta that a term may have which is only bounded
LOOKS, NEAR = 60, 1 / 32  # halvings at most, and a part of rtol that is near enough
PART_OF_SLACK = 32.0  # of what delta may be off by, to be used up by one of several errors
LESS = (1.0, 0.5, 0.2, 0.05, 0.01)  # times a tilt
POINTS, LEAST_POINT = 2_000, 1e-8  # where the small losses' bound is looked at; relative to the largest sum
POWERS = (0.75, 0.5, 1.0)  # of delta, that large losses have the mass of
TIMES, MOVED, ROUGH = 4, 0.02, 0.01  # eps is looked for anew while it moves by a larger part; at which tolerance


@dataclass(frozen=True)
class Together:
    """delta of all rounds from one side, term by term; for a term whose integral was not to be had Chernoff's bound."""

    known: Sequence[tuple[float, Smoothed | None, Array]]  # the logarithm of the ways, the integral, Chernoff's bounds
    tilts: Array
    log_rest: float
    left: Leftover
    upper: bool
    rtol: float
    most: float  # no eps is looked for beyond

    def delta(self, eps: float) -> float:
        """At an eps, never on the wrong side."""
        total = math.fsum(self._term(eps, *one) for one in self.known)
        if self.upper:
            rest = math.exp(self.log_rest + (MOST_LARGE + 1) * self.left.noise)
            total += rest + self.left.infinite * (1 + self.left.noise) + self.left.missing
            return min(max(total * (1 + 64 * UNIT), TINY), 1.0)  # what is too small to be a number is not 0
        return max(total + self.left.infinite * (1 - self.left.noise), 0.0) * (1 - 64 * UNIT)

    def epsilon(self, delta: float) -> float:
        """Any eps at which the curve is known to be below delta, or above, is an end."""
        low, high = 0.0, self.most
        if self.delta(high) > delta:
            return math.inf if self.upper else high
        if self.delta(low) <= delta:
            return 0.0
        for _ in range(LOOKS):
            if high - low <= NEAR * self.rtol * high:
                break
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high if self.upper else low

    def tilt(self, eps: float) -> float:
        """Of Chernoff's bound on the term that counts most."""
        sizes = [self._term(eps, *one) for one in self.known]
        return float(self.tilts[(self.known[int(np.argmax(sizes))][2] - self.tilts * eps).argmin()])

    def _term(self, eps: float, log_ways: float, smooth: Smoothed | None, log_bounds: Array) -> float:
        value = smooth.delta(eps) * math.exp(log_ways) if smooth else (math.inf if self.upper else 0.0)
        if self.upper:
            chernoff = float((log_bounds - self.tilts * eps).min())
            return min(value, math.exp(min(chernoff, LOG_HUGE)))
        return value


class Question(NamedTuple):
    """Either eps, or the logarithm of delta, is given."""

    eps: float | None
    log_delta: float | None
    rtol: float


def told_apart(
    sides: tuple[Sequence[Part[Atoms]], Sequence[Part[Atoms]]],
    left: tuple[Leftover, Leftover],
    asked: Question,
) -> Iterator[tuple[Together, Together]]:
    """From below and from above, for some sizes from which on losses are large."""
    most = float(sum(rounds * pair.loss[-1] for pair, rounds in sides[1]))
    log_delta = _half_way(sides[1], most, asked.eps or 0.0) if asked.log_delta is None else asked.log_delta
    for power in POWERS:
        size = largest_small(sides[1], power * log_delta)
        found = [split(parts, size, log_delta + LEFT) for parts in sides]
        if found[0] and found[1]:
            below, above = (
                _Side(one, left[i], asked.rtol, most, bool(i)) for i, one in enumerate(found) if one is not None
            )
            yield _both(below, above, asked.eps, log_delta)


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
            before, rough = eps, above.near(eps, log_delta, ROUGH)
            eps = min(rough.epsilon(math.exp(log_delta)), above.most)
            if abs(eps - before) <= MOVED * eps:
                break
        # delta falls about so much from eps to (1 + rtol) eps.
        slack = min(slack * max(1.0, eps * rough.tilt(eps)), ROUGH)
    return below.near(eps, log_delta, slack), above.near(eps, log_delta, slack)


def _guess(terms: Sequence[Term], most: float) -> Callable[[float], float]:
    """About log delta at an eps: by Chernoff's bound on the small losses, with none or one large one more."""
    small = terms[0]
    tilts = _tilts(small.parts)
    x = np.append(0.0, np.geomspace(most * LEAST_POINT, most, POINTS))
    log_bound = np.minimum((_log_bounds([small], tilts)[0] - np.outer(x, tilts)).min(axis=1), 0.0)
    ones = [term for term in terms if sum(part.rounds for part in term.parts[len(small.parts) :]) == 1]
    large = [(term.log_ways, term.parts[-1].pair) for term in ones]

    def log_delta(eps: float) -> float:
        with_one = [
            ways + np.logaddexp.reduce(pair.log_q + pair.loss + np.interp(eps - pair.loss, x, log_bound))
            for ways, pair in large
        ]
        return float(np.logaddexp.reduce([np.interp(eps, x, log_bound), *with_one]))

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
    def bounds(self) -> list[Array]:
        """Of each term, Chernoff's by the tilt, with all that round-off may do."""
        off = self.tilts * max(rounding(term.parts) for term in self.split.terms) + self.left.noise
        return [own + off for own in _log_bounds(self.split.terms, self.tilts)]

    def about(self, log_delta: float) -> float:
        """The eps that is guessed to have this delta."""
        guess = _guess(self.split.terms, self.most)
        return first_yes(lambda eps: guess(eps) <= log_delta, self.most, doublings=1, halvings=40)

    def near(self, eps: float, log_delta: float, slack: float) -> Together:
        """The curve, off by such a part, where delta is about e^log_delta and eps about this."""
        known = list[tuple[float, Smoothed | None, Array]]()
        for term, own in zip(self.split.terms, self.bounds, strict=True):
            sizes = own - self.tilts * eps
            counts = sizes.min() > log_delta + math.log(LIGHT * slack)
            smooth = self._smooth(term, eps, float(self.tilts[sizes.argmin()]), slack) if counts else None
            known.append((term.log_ways, smooth, own))
        return Together(known, self.tilts, self.split.log_rest, self.left, self.upper, self.rtol, self.most)

    def _smooth(self, term: Term, eps: float, tilt: float, slack: float) -> Smoothed | None:
        """By the tilt of Chernoff's bound, or a smaller one, where one large loss is more than that."""
        found, quiet = list[tuple[float, Smoothed]](), Leftover(0.0, 0.0, self.left.noise)
        for less in LESS:
            first = integral(term.parts, tilt * less, slack / PART_OF_SLACK)
            above, below = (first and first.end(quiet, 1.0, upper=upper) for upper in (True, False))
            if above and below:
                ends = below.delta(eps), above.delta(eps)
                found.append((ends[self.upper], above if self.upper else below))
                if ends[1] - ends[0] <= slack / 2 * ends[1]:
                    break
        return (min if self.upper else max)(found, key=lambda one: one[0], default=(0.0, None))[1]


def _log_bounds(terms: Sequence[Term], tilts: Array) -> list[Array]:
    """The logarithm of Chernoff's bound at eps = 0, by the tilt; with t eps taken off it bounds delta at eps."""
    pairs = {id(pair): pair for term in terms for pair, _ in term.parts}
    log_z = {key: np.array([moments([Part(pair, 1)], float(t)).log_z for t in tilts]) for key, pair in pairs.items()}
    return [sum((r * log_z[id(pair)] for pair, r in term.parts), np.full(len(tilts), term.log_ways)) for term in terms]


def _tilts(parts: Sequence[Part[Atoms]]) -> Array:
    return np.asarray(TILTS / (moments(parts, 0.0).deviation or 1.0))
