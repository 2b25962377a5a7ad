"""The noisy mean of those who came, their number seen: forth and back, each number's law in closed form.

For a >= 1 nothing that either data set may hold shows more than ``NoisyMeanPair``; see docs/noisy_mean.md.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, logsumexp, ndtr

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT, loss_limit
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import Tails, connected, untold
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.came import Came, Shown, came, log_y
from shufflekit.dominating_pairs.lognormal_excess import excess, excess_error
from shufflekit.dominating_pairs.pair import Pair

LOG_CUTS = (-40.0, -80.0, -160.0, -320.0, -720.0)  # how many numbers that came are looked at, until it is enough
ENOUGH = 1e-9  # of delta: numbers left out that hardly matter
MOST_EPS = 600.0  # beyond which e^eps is hardly a number: delta is no more there
LOG_HUGE = 700.0  # of a number that floating point holds
# A tolerance of lists: from below the two tails of a law are known apart, and must agree on how much there is of it.
COARSEST = 5e-5
CHUNK = 200_000  # numbers worked on at once
KNOTS_APART, CLOSE, GROWTH = 1 / 48, 10.0, 1.01  # deviations apart, up to so many; then so many times as far
FARTHER = 1.3  # times as far out, until hardly anything is left
SUM_ERROR = 1e-12
MOMENT_RTOL = 1e-3  # of a moment that need not be close
ROUND_OFF = 1e-10  # relative, of a probability
UNSURE = 1e-9  # of the logarithm of a likelihood ratio


@dataclass(frozen=True)
class NoisyMeanPair(Pair):
    """P: a record far from all others, which are alike; Q: one like them instead, or none. ``backwards``: exchanged."""

    mean: NoisyMean
    backwards: bool = False

    def reversed(self) -> "NoisyMeanPair":
        return NoisyMeanPair(self.mean, not self.backwards)

    @property
    def largest_loss(self) -> float:
        """Backwards a record that was removed at most has not come."""
        if self.backwards and not self.mean.replaced and self.mean.rate < 1:
            return loss_limit(-math.log1p(-self.mean.rate))
        return math.inf

    @property
    def largest_finite_loss(self) -> float:
        """Nothing else is shown where nobody else is, or all always come."""
        alone = not self.mean.replaced and (self.mean.population == 1 or self.mean.rate == 1)
        return 0.0 if alone and not self.backwards else self.largest_loss

    @property
    def infinite(self) -> float:
        """The chance that all came, which cannot be without the record; backwards, where all always come, that not."""
        if self.mean.replaced:
            return 0.0
        if self.backwards:
            return float(self.mean.rate == 1)
        return math.exp(self.mean.population * math.log(self.mean.rate))

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        eps = np.asarray(eps, dtype=np.float64)
        for cut in LOG_CUTS if log_cut is None else (log_cut,):
            known = came(self.mean, cut, rtol, self.backwards)
            lower, upper = self._sums(eps.ravel(), known)
            if log_cut is not None or (known.missing <= ENOUGH * np.maximum(lower, TINY)).all():
                break
        return Ends(lower.reshape(eps.shape), upper.reshape(eps.shape))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return _listed(self, log_cut, min(rtol, COARSEST))

    def divergence(self, orders: Array) -> Array:
        """Infinite of a removed record, forth: all may have come, however unlikely that is."""
        if not self.mean.replaced and not self.backwards:
            return np.full(orders.shape, np.inf)
        return super().divergence(orders)

    def log_moment_bound(self, power: float) -> float:
        """Of a replaced record, from the next whole order on, either way: delta backwards is never above delta forth.

        ``E X^n = int n (n - 1) a^(n - 2) H_a da``: what lies left of 1 adds no more than what lies right of it.
        """
        if not self.mean.replaced:
            return super().log_moment_bound(power)
        n = np.arange(2.0, math.ceil(power) + 2)
        known = came(self.mean, LOG_CUTS[-1], MOMENT_RTOL, self.backwards)
        q, shift = 1 / known.upper.ratio[:, None], known.upper.shift[:, None]
        choose = gammaln(n[-1] + 1) - gammaln(n + 1) - gammaln(n[-1] - n + 1)
        few = np.where(n < n[-1], (n[-1] - n) * np.log1p(-np.minimum(q, 1 - UNIT)), 0.0)
        terms = choose + few + (n - 1) * np.log(q) + n * (n - 1) * shift**2 / 2
        with np.errstate(divide="ignore"):
            log_sum = float(logsumexp(terms + np.log(known.upper.came)[:, None]))
        # Numbers that were left out are taken for their worst, one that came alone.
        alone = math.log(TINY) + n[-1] * (n[-1] - 1) * float(self.mean.distance / self.mean.sigma) ** 2 / 2
        return float(np.logaddexp(0.0, math.log(2) + np.logaddexp(log_sum, alone)))

    def _sums(self, eps: Array, known: Came) -> tuple[Array, Array]:
        """Both ends of delta; beyond ``MOST_EPS`` it is taken for what it is there, or for nothing."""
        rows = max(1, CHUNK // len(known.lower.came))
        lower, upper = np.zeros(len(eps)), np.zeros(len(eps))
        for start in range(0, len(eps), rows):
            part = slice(start, start + rows)
            at = np.minimum(eps[part], MOST_EPS)
            lower[part], upper[part] = self._side(at, known.lower, -1), self._side(at, known.upper, +1)
        nobody, inside = self._nobody(np.minimum(eps, MOST_EPS)), eps < self.largest_loss
        error = known.error + SUM_ERROR
        lower = np.where(eps <= MOST_EPS, lower + nobody, self.infinite) * (1 - error)
        upper = (upper + nobody) * (1 + error) + known.missing
        return np.where(inside, lower, 0.0), np.where(inside, np.clip(upper, TINY, 1.0), 0.0)

    def _side(self, eps: Array, shown: Shown, side: int) -> Array:
        """``sum m1 E(Y - y)_+``, or backwards ``a sum m1 E(y - Y)_+`` at 1/a, moved to one side by what is unsure."""
        log, off = log_y(self.mean, -eps if self.backwards else eps, shown)
        return self._sum(eps, log - (-side if self.backwards else side) * off, shown, side)

    def _sum(self, eps: Array, log: Array, shown: Shown, side: int) -> Array:
        if not self.backwards:
            return np.asarray(dot(excess(log, shown.shift) * _margin(log, shown, side), shown.came))
        # E(y - Y)_+ = y E(Y - 1/y)_+, and a y is no large number.
        terms = np.exp(np.minimum(eps[:, None] + log, LOG_HUGE)) * excess(-log, shown.shift)
        return np.asarray(dot(terms * _margin(log, shown, side), shown.came))

    def _nobody(self, eps: Array) -> Array:
        """What is shown where nobody came, backwards, of a removed record: that it did not, if it is not there."""
        if self.mean.replaced or not self.backwards:
            return np.zeros(eps.shape)
        if self.mean.rate == 1:
            return np.ones(eps.shape)
        gap = np.log1p(-self.mean.rate)
        return np.asarray(np.exp((self.mean.population - 1) * gap) * -np.expm1(np.minimum(eps + gap, 0.0)))

    def tails(self, eps: Array, log_cut: float, rtol: float) -> Tails:
        """What lies above each eps but infinite losses, from below: ``P - Q``, and the second law."""
        shown, mean = came(self.mean, log_cut, rtol, self.backwards).lower, self.mean
        finite = shown.ratio > 0
        shown = Shown(*(values[finite] for values in shown))
        rows = max(1, CHUNK // max(len(shown.came), 1))
        parts = [self._tails(eps[start : start + rows], shown) for start in range(0, len(eps), rows)]
        excess_of_p, second = (np.concatenate(part) for part in zip(*parts, strict=True))
        if self.backwards and not mean.replaced and mean.rate < 1:
            gap = math.log1p(-mean.rate)
            excess_of_p += self._nobody(eps)
            second += math.exp(mean.population * gap) * (eps < -gap)
        return Tails(excess_of_p + np.expm1(eps) * second, second)

    def _tails(self, eps: Array, shown: Shown) -> tuple[Array, Array]:
        """Delta, and the second law of what lies above each eps."""
        log, off = log_y(self.mean, -eps if self.backwards else eps, shown)
        # What is not known to be so far out is left where it was.
        log = np.where(off < UNSURE, log, -np.inf if self.backwards else np.inf)
        with_q, with_p = log / shown.shift + shown.shift / 2, log / shown.shift - shown.shift / 2
        if not self.backwards:
            return self._sum(eps, log, shown, -1), np.asarray(dot(ndtr(-with_q), shown.came * shown.ratio))
        without = shown.came * (shown.ratio - shown.ease)
        return self._sum(eps, log, shown, -1), np.asarray(dot(ndtr(with_q), without) + dot(ndtr(with_p), shown.came))


@dataclass(frozen=True)
class EitherWay(Pair):
    """The pair whose delta is the larger of both directions, whichever is asked for: one for each round anew."""

    one: NoisyMeanPair

    @property
    def largest_loss(self) -> float:
        return max(self.one.largest_loss, self.one.reversed().largest_loss)

    def reversed(self) -> "EitherWay":
        return self

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        forth, back = (pair.delta(eps, rtol, log_cut) for pair in (self.one, self.one.reversed()))
        return Ends(np.maximum(forth.lower, back.lower), np.maximum(forth.upper, back.upper))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        rtol = min(rtol, COARSEST)
        eps = _knots(self.one, log_cut, rtol)
        upper, tails = self.delta(eps, rtol, log_cut).upper, self.one.tails(eps, log_cut, rtol)
        return Enclosure(_certain(untold(tails, tails), self.one, log_cut, rtol), connected(eps, upper, upper))

    def log_moment_bound(self, power: float) -> float:
        return self.one.log_moment_bound(power)


@lru_cache(maxsize=20)  # a search over rounds, or for delta, asks again and again
def _listed(pair: NoisyMeanPair, log_cut: float, rtol: float) -> Enclosure:
    if pair.infinite == 1:
        certain = Atoms(np.zeros(1), np.full(1, math.log(TINY)), infinite=1.0)
        return Enclosure(certain, certain)
    back, eps = pair.reversed(), _knots(pair, log_cut, rtol)
    above, below = _balanced(
        pair.tails(eps, log_cut, rtol), back.tails(eps, log_cut, rtol), pair.infinite, back.infinite
    )
    # Q has no mass where P's loss is infinite; P's, where Q's is, has no place in the list.
    lower = untold(above, below, back.infinite)
    forth, least = (one.delta(eps, rtol, log_cut).upper for one in (pair, back))
    lower = _certain(lower, pair, log_cut, rtol)._replace(infinite=pair.infinite)
    upper = connected(eps, forth, least)
    # Of what is left at the last knot so much is infinite in each round for certain, and counts once in all.
    infinite = min(pair.infinite * (1 + ROUND_OFF), upper.missing)
    return Enclosure(lower, upper._replace(missing=upper.missing - infinite, infinite=infinite))


def _certain(atoms: Atoms, pair: NoisyMeanPair, log_cut: float, rtol: float) -> Atoms:
    return atoms._replace(error=came(pair.mean, log_cut, rtol, pair.backwards).error + SUM_ERROR)


def _balanced(forth: Tails, back: Tails, infinite: float, infinite_back: float) -> tuple[Tails, Tails]:
    """What P has more on the right, it has less on the left: neither side may claim more than the other."""
    excess_of_p, lack = float(forth.difference[0]), float(back.difference[0])
    least = min(excess_of_p + infinite, lack + infinite_back)
    return _part(forth, least - infinite, excess_of_p), _part(back, least - infinite_back, lack)


def _part(tails: Tails, some: float, whole: float) -> Tails:
    share = max(0.0, some / whole) if whole else 0.0
    return Tails(tails.difference * share, tails.q * share)


def _margin(log: Array, shown: Shown, side: int) -> Array:
    return np.maximum(1 + side * excess_error(log, shown.shift), 0.0)


def _knots(pair: NoisyMeanPair, log_cut: float, rtol: float) -> Array:
    """From 0 to where in both directions only infinite losses are left, or what may be left out."""
    ways, closer = (pair, pair.reversed()), math.sqrt(min(rtol / 5e-5, 1.0))

    def left(eps: float) -> float:
        found = [float(way.delta(np.array([eps]), rtol, log_cut).upper[0]) for way in ways]
        return max(one - way.infinite * (1 + ROUND_OFF) for one, way in zip(found, ways, strict=True))

    deviation = max(math.sqrt(2 * math.pi) * left(0.0), 1e-12)
    top = 3 * deviation
    while top < MOST_EPS and left(top) > 4 * math.exp(log_cut):
        top *= FARTHER
    top, apart = min(top, MOST_EPS), KNOTS_APART * closer
    close = apart * deviation * np.arange(math.ceil(min(top / deviation, CLOSE) / apart) + 1.0)
    growth = math.log(GROWTH) * closer
    growing = float(close[-1]) * np.exp(growth * np.arange(1.0, 1 + max(0.0, math.log(top / close[-1]) / growth)))
    eps = np.concatenate([close, growing])
    return np.append(eps[eps < top], top)
