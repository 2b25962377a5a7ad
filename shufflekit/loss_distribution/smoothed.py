"""Rounds of listed pairs read off at single points: a contour integral, which a little noise brings to an end.

Multiply the likelihood ratio X = P/Q of all rounds by an independent lognormal of mean 1, whose logarithm has the
variance v. That is larger in the convex order, so its delta, D_v, is an upper bound; and with ``M(z) = E_P[e^{z L}]``

    D_v(eps) = 1/(2 pi i) int M(z) e^{v z (z + 1)/2} e^{-z eps} / (z (z + 1)) dz     along Re z = c > 0,

where ``e^{-v (Im z)^2/2}`` ends the integrand. From below: dD_v/dv is half the density p_v of L with the noise, and
``p_u <= sqrt(v/u) e^{v/8} p_v`` for u < v, for so the two normal densities compare. Hence
``D_0 >= D_v - v e^{v/8} p_v``, and p_v is the same integral without the denominator. The trapezoid rule with nodes
2 pi/period apart adds the values one period further, and so on, which are bounded. There is no grid of losses: lists
may have their atoms anywhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_SILENT, NODE_ERROR, TINY, UNIT
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.curve import Curve
from shufflekit.loss_distribution.parts import Leftover, Moments, Part, moments, rounding, tilted
from shufflekit.loss_distribution.periods import LOG_HUGE, Wrapped, line, wrapped

MOST_VARIANCE = 1.0  # of the noise
SUM_ERROR_OF_NODES = 1e-14  # of one round's transform, that all rounds have to bear
ENDED = 45.0  # the noise leaves e^-45 of the integrand at its end
MOST_WORK = 1e9  # products of one node and one atom
LEAST_NODES, MOST_NODES = 16, 2**20
REACH = 20.0  # deviations from the mean, that a point is looked for
FIRST, POINTS, LOOKS = 128, 16, 8  # looked at together, at first and then, and how often: 15^8 is 3e9
MOST_COLUMNS, ROWS, INNER = 256, 16, 64  # of a product of matrices: BLAS does so small ones without threads
CHUNK = 2**11  # atoms that are looked at together
Complex = NDArray[Any]


class Transform(NamedTuple):
    """``E e^{i turn (L - mean)}`` of one round's tilted loss, up to an absolute error."""

    value: Complex
    error: Array
    rounds: int
    mean: float


@dataclass(frozen=True)
class Smoothed:
    """delta of all rounds from one side. Numbers are relative to ``e^log_top``, and points counted from ``centre``."""

    turn: Array
    weight: Complex
    error: float  # of all terms together
    rate: float  # c
    centre: float
    deviation: float
    log_top: float
    wrapped: Wrapped
    left: Leftover
    upper: bool
    moved: float  # what losses are rounded by

    def delta(self, eps: float) -> float:
        """At an eps of any size."""
        if self.upper and eps < self._least_known:
            return 1.0
        return self._curve(np.array([eps])).delta(eps)

    def epsilon(self, delta: float) -> float:
        """Where delta is reached, looked for between ever nearer points."""
        low = max(self.centre - REACH * self.deviation, self._least_known)
        high = self.centre + REACH * self.deviation
        for number in (FIRST, *LOOKS * [POINTS]):
            points = np.linspace(low, high, number)
            last = self._curve(points).last_above(delta)
            if last < 0:
                return max(0.0, low) if self.upper else 0.0
            if last == len(points) - 1:
                return math.inf if self.upper else max(0.0, high)
            low, high = float(points[last]), float(points[last + 1])
        return max(0.0, high if self.upper else low)

    @property
    def _least_known(self) -> float:
        """Below it numbers are too large to be numbers."""
        return self.centre + self.moved - LOG_HUGE / self.rate

    def _curve(self, eps: Array) -> Curve:
        moved = self.moved if self.upper else -self.moved
        return Curve(eps, self._values(eps - self.centre - moved), -self.log_top, self.upper).with_unlisted(*self.left)

    def _values(self, x: Array) -> Array:
        """Relative delta of what is listed."""
        sign, size = 1.0 if self.upper else -1.0, np.abs(self.weight)
        total, off = np.empty(len(x)), np.empty(len(x))
        for i, point in enumerate(x):
            phase = point * self.turn
            total[i] = np.sum((np.exp(-1j * phase) * self.weight).real)
            off[i] = self.error + NODE_ERROR * np.sum(size * (1 + np.abs(phase)))
        decline = np.exp(np.clip(-self.rate * x, -LOG_HUGE, LOG_HUGE))
        noise = self.left.noise + NODE_ERROR * np.abs(self.rate * x)
        values = (total + sign * off) * decline * (1 + sign * noise)
        if not self.upper:
            values = values - self.wrapped.at(x, self.rate)
        return np.asarray(np.maximum(values, 0.0))


class Integral(NamedTuple):
    """The integrand's nodes but for the denominator, which is another for either end."""

    parts: Sequence[Part[Atoms]]
    total: Moments  # at c
    rate: float  # c
    variance: float
    wrapped: Wrapped
    turn: Array
    centre: float
    value: Complex
    error: Array

    def end(self, left: Leftover, slack: float, *, upper: bool) -> Smoothed | None:
        """delta from one side; None if round-off alone is more than a part ``slack`` of it."""
        z, v = self.rate + 1j * self.turn, self.variance
        noisy = np.exp(v * z * (z + 1) / 2) * np.where(self.turn > 0, 2.0, 1.0) / self.wrapped.period
        density = 0.0 if upper else v * math.exp(v / 8)
        kernel = noisy * (1 / (z * (z + 1)) - density)
        # Beyond the last node: the integral of e^{-v t^2/2} (1/t^2 + density).
        last = float(self.turn[-1])
        log_last = v * (self.rate * (self.rate + 1) - last**2) / 2
        beyond = math.exp(log_last) * (1 / last**2 + density) / (np.pi * v * last)
        off = float(dot(np.abs(kernel), self.error)) + beyond
        in_the_middle = float(np.sum((noisy * self.value / (z * (z + 1))).real))
        if not off <= slack * in_the_middle:
            return None
        log_top = self.total.log_z - self.rate * self.centre
        noise = NODE_ERROR * (sum(own for _, own in self.parts) + abs(self.total.log_z) + abs(log_top))
        return Smoothed(
            turn=self.turn,
            weight=kernel * self.value,
            error=off,
            rate=self.rate,
            centre=self.centre,
            deviation=self.total.deviation,
            log_top=log_top,
            wrapped=self.wrapped,
            left=left._replace(noise=left.noise + noise),
            upper=upper,
            moved=rounding(self.parts),
        )


def integral(parts: Sequence[Part[Atoms]], tilt: float, slack: float) -> Integral | None:
    """With so little noise that it moves delta by about a part ``slack``; None where that takes too much work."""
    deviation = moments(parts, tilt).deviation
    if deviation == 0 or slack <= 0:
        return None
    c = line(tilt, deviation)
    total = moments(parts, c)
    if total.deviation == 0 or sum(own for _, own in parts) * SUM_ERROR_OF_NODES > slack:
        return None
    variance = min(slack / (c * (1 + c)), MOST_VARIANCE)
    around = wrapped(parts, c, total, variance)
    apart = 2 * math.pi / around.period
    number = max(math.ceil(math.sqrt(2 * ENDED / variance) / apart), LEAST_NODES)
    if number > MOST_NODES or number * sum(len(pair.loss) for pair, _ in parts) > MOST_WORK:
        return None
    transforms = [_transform(pair, own, c, apart, number) for pair, own in parts]
    turn = np.asarray(apart * np.arange(number), dtype=np.float64)
    centre = sum(one.rounds * one.mean for one in transforms)
    return Integral(parts, total, c, variance, around, turn, centre, *_product(transforms))


def _transform(pair: Atoms, rounds: int, c: float, apart: float, number: int) -> Transform:
    """At the turns 0, apart, 2 apart, ...: each is a whole number of columns, and a rest; so few exponentials do."""
    weight = np.exp(tilted(pair, c))
    mean = float(dot(weight, pair.loss))
    kept = weight > UNIT / len(weight)
    weight, place = weight[kept], pair.loss[kept] - mean
    columns = min(MOST_COLUMNS, math.isqrt(number) + 1)
    rows = ROWS * math.ceil(number / (columns * ROWS))
    value = np.zeros((rows // ROWS, ROWS, columns), dtype=complex)
    for i in range(0, len(place), CHUNK):
        own = place[i : i + CHUNK]
        whole = weight[i : i + CHUNK] * np.exp(1j * np.outer(columns * apart * np.arange(rows), own))
        whole, rest = whole.reshape(-1, ROWS, len(own)), np.exp(1j * np.outer(own, apart * np.arange(columns)))
        for j in range(0, len(own), INNER):
            value += whole[:, :, j : j + INNER] @ rest[j : j + INNER]
    spread = math.sqrt(float(dot(weight, place**2)))
    added = UNIT * (2 * INNER + math.ceil(len(place) / INNER) + 16)
    error = np.asarray(added + NODE_ERROR * spread * apart * np.arange(number), dtype=np.float64)
    return Transform(value.ravel()[:number], error, rounds, mean)


def _product(transforms: Sequence[Transform]) -> tuple[Complex, Array]:
    """All rounds, and the absolute error: a power T errs by T times what its base does, times its size."""
    log_value = np.zeros(len(transforms[0].value), dtype=complex)
    log_bound, relative = np.zeros(len(log_value)), np.zeros(len(log_value))
    for value, error, rounds, _ in transforms:
        size = np.minimum(np.abs(value) + error, 1.0)
        log_value += rounds * np.log(np.where(np.abs(value) > TINY, value, TINY))
        log_bound += rounds * np.log(size)
        relative += rounds * error / size
    heard = log_bound > LOG_SILENT
    off = np.exp(log_bound) * (relative + NODE_ERROR * (ENDED + np.abs(log_value)))
    return np.where(heard, np.exp(log_value), 0.0), np.where(heard, off, math.exp(LOG_SILENT))
