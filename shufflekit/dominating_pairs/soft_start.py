"""The game of many steps without a board: a normal score comes first, and smooths the kink of x_+.

F(x) = E(x + N)_+ is above x_+, so that n steps before F are worth no less than the game; and F bends so evenly that one
law is the best nearly everywhere, or that law and a little more noise in each step. [beyond] 12, Lemma 4, from F on:

    F_n(x) <= E F(x + n scores) + n K Lam^{n-1} e^{cx},        K = sup e(y) e^{-cy},

e(y) being what any law's step before F is worth more than one of those scores. With N as wide as a hundred scores this
costs as much as a hundred steps more: little where there are 100,000.

Between nodes e is above its chord by h^2/8 times its second derivative at most, which is a difference of densities:
half the variances times that of the normal density, where scores lead.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from shufflekit._dot import add_shifted
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, UNIT
from shufflekit.dominating_pairs.board import LOG_HUGE, Key, Scores
from shufflekit.dominating_pairs.certificate import log_most, tilts_for
from shufflekit.dominating_pairs.quick_sums import FINE, quick_worths

WIDTHS = (1.8, 2.5, 3.5)  # of N in deviations of it: so far out one law is the best, with its noise
RADII = np.geomspace(0.01, 1.5, 20)  # over a score's deviation: slopes of log F'' up to which it is the best
MANY_KINDS = 100  # of scores in all laws: with more, one width is tried
APART = 4.0  # deviations: starts nearer to each other share a soft start
SPARE = 1.02  # times the noise of a step that is just enough
END, NODES, MOST_NODES = 7.0, 128, 4_000  # deviations of N that are looked at, and nodes in each, and on a side
RATES = np.array([5.0, 6.0, 7.0, 9.0, 12.0])  # of Chernoff's bound beyond, over the deviation of N
LEAST_TILT = 1e-3  # times the deviation of a score
ROUND_OFF = 64 * UNIT  # of a mean of F, next to how far out it is


class SoftStart:
    """One law for all steps, a normal score before them, and the variance that each step has ``more``."""

    def __init__(self, laws: Sequence[Scores], n: int, x: Array, width: float) -> None:
        self.laws, self.variance = laws, max(law.variance for law in laws)
        near, far = (max(0.0, float(end)) / (n * self.variance) for end in (-x.max(), -x.min()))
        least = LEAST_TILT / math.sqrt(self.variance)
        self.law = laws[int(np.argmax([float(law.log_moments(np.array([max(far, least)]))[0]) for law in laws]))]
        radii = RADII / math.sqrt(self.variance)
        more = self._needed(np.concatenate([near - radii, far + radii])).reshape(2, -1).max(axis=0)
        more = np.maximum.accumulate(np.maximum(more, 0.0))
        noise = np.maximum(width / radii, FINE * math.sqrt(n * self.variance))  # a quick sum has that anyway
        best = int(np.argmin(noise**2 + n * more))
        self.noise, self.more = float(noise[best]), SPARE * float(more[best])
        self.tilts = tilts_for(x, self.variance) / n

    def _needed(self, slopes: Array) -> Array:
        """How much noise makes the one law's step worth as much as any on ``e^{slope x}``."""
        slopes = np.where(slopes == 0, 1e-9 * slopes.max(), slopes)
        most = log_most(self.laws, slopes) - self.law.log_moments(slopes)
        return np.asarray(2 * most / slopes**2)

    def noisy(self, n: int) -> float:
        """What part of eps the noise alone costs."""
        return (self.noise**2 + n * self.more) / (2 * n * self.variance)

    def loss(self, n: int, x: Array) -> float:
        """About what part of eps is lost."""
        out = x / math.sqrt(n * self.variance)
        worth, slack = self._before(n, x), self._slack(n, x)
        slack = np.where(worth > KNOWN, slack / np.maximum(worth, KNOWN), 0.0) / (1 + out**2)
        return float(slack.max()) + self.noisy(n)

    def worth(self, n: int, x: Array) -> Array:
        """``F_n`` at the starts x, never too small."""
        return self._before(n, x) + self._slack(n, x)

    def _before(self, n: int, x: Array) -> Array:
        """``E F(x + n scores)``: right of 0 it is x and what the negative scores are worth."""
        found, noise = np.maximum(x, 0.0), math.sqrt(self.noise**2 + n * self.more)
        for side in (1.0, -1.0):
            own = x <= 0 if side > 0 else x > 0
            if own.any():
                found[own] += quick_worths([self.law.times(side)], n, -np.abs(x[own]), noise).worth[0]
        return found

    def _slack(self, n: int, x: Array) -> Array:
        log_lam = np.maximum(
            log_most(self.laws, self.tilts), self.law.log_moments(self.tilts) + self.more * self.tilts**2 / 2
        )
        log_slack = self._log_gain + math.log(n) + (n - 1) * log_lam + np.outer(x, self.tilts)
        return np.asarray(np.exp(np.minimum(log_slack.min(axis=1), LOG_HUGE)) * (1 + (n + 1) * ROUND_OFF))

    @cached_property
    def _log_gain(self) -> Array:
        """``log K`` at the tilts."""
        largest = max(float(np.abs(law.value).max()) for law in self.laws)
        # Under a tilt what matters lies about tilt noise^2 to the left; and a score leads so much farther.
        deviations = END + float(self.tilts.max()) * self.noise + largest / self.noise
        end, nodes = deviations * self.noise, math.ceil(min(deviations * NODES, MOST_NODES))
        apart = end / nodes
        y = apart * np.arange(-nodes, nodes + 1)
        wider = math.hypot(self.noise, math.sqrt(self.more))
        most = np.max(_smooth(self.laws, apart, nodes, self.noise), axis=0)
        (own,) = _smooth([self.law], apart, nodes, wider)
        units = ROUND_OFF + 8 * UNIT * max(len(law.value) for law in self.laws)
        gain = most - own + units * (np.abs(y) + largest + wider) + 2 * _cubic_error(apart, self.noise)
        near = np.minimum(np.abs(y[1:]), np.abs(y[:-1]))
        # By Taylor |E r(y + g) - r(y)| is half the variance times |r''| at most, so far out or a score nearer.
        bend = (self.variance + self.law.variance) / 2 * _second_derivative(near - largest, self.noise, wider)
        bend += self.more / 2 * _second_derivative(near, self.noise, wider)
        top = np.maximum(gain[1:], gain[:-1]) + apart**2 / 8 * bend
        own = top > 0
        inside = (np.log(top[own]) - np.outer(self.tilts, y[:-1][own])).max(axis=1, initial=-np.inf)
        return np.asarray(np.maximum(inside, self._beyond(end)))

    def _beyond(self, end: float) -> Array:
        """A bound on ``log e(y) - tilt y`` farther out: on the left a step is worth no less than nothing, and on the
        right no less than its start; by Chernoff, ``F(y) <= e^{noise^2 r^2/2 + r y - 1}/r``."""
        rates = RATES / self.noise
        own = (self.noise * rates) ** 2 / 2 - rates * end - 1 - np.log(rates)
        left, right = own + log_most(self.laws, rates), own + log_most(self.laws, -rates)
        left = np.where(rates > self.tilts[:, None], left + self.tilts[:, None] * end, np.inf).min(axis=1)
        return np.asarray(np.maximum(left, right.min() - self.tilts * end))


class SoftStarts(NamedTuple):
    """Of starts that are about equally far out, in deviations ``apart``, each group has a soft start of its own."""

    deviation: float
    groups: dict[int, SoftStart]

    def worth(self, n: int, x: Array) -> Array:
        """``F_n`` at the starts x, never too small."""
        found = np.empty(len(x))
        for number, own in _grouped(x / self.deviation):
            group = min(self.groups, key=lambda known: abs(known - number))
            found[own] = self.groups[group].worth(n, x[own])
        return found


def best_starts(laws: Sequence[Scores], n: int, x: Array, most: float) -> tuple[SoftStarts, float] | None:
    """Those that lose the least, and how much of eps: farther out, where less is asked, more counts as little.

    None if that is more than ``most``: where the noise alone is, nothing else of them is worked out.
    """
    keys, deviation = tuple(law.key for law in laws), math.sqrt(n * max(law.variance for law in laws))
    groups = {number: tuple(x[own].tolist()) for number, own in _grouped(x / deviation)}
    if any(_tried(keys, n, own)[0].noisy(n) / (1 + number**2) > most for number, own in groups.items()):
        return None
    found, lost = dict[int, SoftStart](), 0.0
    for number, own in groups.items():
        found[number], loss = _best(keys, n, own)
        lost = max(lost, loss / (1 + number**2))
        if lost > most:
            return None
    return SoftStarts(deviation, found), lost


@lru_cache(maxsize=100)  # who asks whether one serves asks for it next, and a closer look asks again
def _best(keys: tuple[Key, ...], n: int, starts: tuple[float, ...]) -> tuple[SoftStart, float]:
    """The one that loses the least, and how much: none whose noise alone costs more need be looked at."""
    tried, x = _tried(keys, n, starts), np.array(starts)
    best, least = tried[0], math.inf
    for one in tried:
        if one.noisy(n) >= least:
            break
        if (loss := one.loss(n, x)) < least:
            best, least = one, loss
    return best, least


@lru_cache(maxsize=100)
def _tried(keys: tuple[Key, ...], n: int, starts: tuple[float, ...]) -> list[SoftStart]:
    """Those that come into question, the one whose noise costs the least first."""
    laws = list(map(Scores.of_key, keys))
    widths = WIDTHS if sum(len(law.value) for law in laws) <= MANY_KINDS else WIDTHS[1:2]
    tried = {(one.noise, one.more): one for one in (SoftStart(laws, n, np.array(starts), width) for width in widths)}
    return sorted(tried.values(), key=lambda one: one.noisy(n))


def _grouped(out: Array) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    numbers = np.floor(np.maximum(-out, 0.0) / APART).astype(np.intp)
    for number in np.unique(numbers).tolist():
        yield number, numbers == number


def _smooth(laws: Sequence[Scores], apart: float, nodes: int, noise: float) -> Array:
    """``E F(y + g)`` for a normal score of that deviation, a row a law, at y = -nodes apart to nodes apart.

    F, or its mean with a score, is taken to be a cubic between nodes, that has its values and slopes there.
    """
    farther = math.ceil(max(float(np.abs(law.value).max()) for law in laws) / apart) + 1
    u = apart * np.arange(-nodes - farther, nodes + farther + 1) / noise
    slope = ndtr(u)
    value = noise * (np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi) + u * slope)
    total = np.zeros((len(laws), 2 * nodes + 1))
    for own, law in zip(total, laws, strict=True):
        place = np.floor(law.value / apart)
        t = law.value / apart - place
        first, rising = law.chance * (1 + 2 * t) * (1 - t) ** 2, law.chance * apart * t * (1 - t) ** 2
        second, falling = law.chance * t**2 * (3 - 2 * t), -law.chance * apart * t**2 * (1 - t)
        left = farther + place.astype(np.intp)
        places = np.append(left, left + 1).tolist()
        add_shifted(own, value, places, np.append(first, second).tolist())
        add_shifted(own, slope, places, np.append(rising, falling).tolist())
    return total


def _cubic_error(apart: float, noise: float) -> float:
    """What a cubic is off by at most: a distance's fourth power over 384 times the fourth derivative of F, which is
    ``|u^2 - 1|`` times a normal density over its variance."""
    return apart**4 / 384 / (math.sqrt(2 * math.pi) * noise**3)


def _second_derivative(near: Array, least: float, most: float) -> Array:
    """What ``|r''|`` is not above so far out or farther, r being a normal density of a deviation between these.

    ``|w^2 - 1| e^{-w^2/2}`` is 1 at most, and less than ``w^2 e^{-w^2/2}`` beyond w = 1, which falls from sqrt(2) on.
    """
    tail = np.where(near >= 1.5 * most, (near / least) ** 2 * np.exp(-((near / most) ** 2) / 2), 1.0)
    return np.asarray(np.minimum(tail, 1.0) / (math.sqrt(2 * math.pi) * least**3))
