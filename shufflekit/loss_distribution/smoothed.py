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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_SILENT, NODE_ERROR, UNIT
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.curve import Curve
from shufflekit.loss_distribution.parts import Leftover, Moments, Part, moments, rounding
from shufflekit.loss_distribution.periods import LOG_HUGE, Wrapped, drawn_in, line, wrapped
from shufflekit.loss_distribution.transforms import ENDED, Complex, product, transform
from shufflekit.search import narrowed

MOST_VARIANCE = 1.0  # of the noise
SUM_ERROR_OF_NODES = 1e-14  # of one round's transform, that all rounds have to bear
LEAST_NODES, MOST_NODES = 16, 2**19
FITTED = 0.99  # of them, that more noise is made to fit
REACH, FIRST_STRIDE = 20.0, 0.5  # deviations from the mean, that a point is looked for, and how far at first
POINTS = 128  # looked at together, where no stride finds what is looked for
NEAR = 1e-11  # deviations that the points are apart at last, that an eps is looked for at
LIGHT = 0.01  # of what is not known, that may be left out with nodes that hardly matter


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
        """Where delta is reached: any point at which the curve is known to be below it, or above, is an end."""

        def over(x: float) -> float:
            curve = self._curve(np.array([x]))
            value = float(curve.scaled[0])
            return math.log(value) - math.log(delta) - curve.log_scale if value > 0 else -math.inf

        low, high = self._around(over, delta)
        if low == -math.inf or high == math.inf:
            return max(0.0, high if self.upper else low)

        def near(low: float, high: float) -> float:
            return max(NEAR * self.deviation, 4 * UNIT * max(abs(low), abs(high)))

        low, high = narrowed(over, low, high, near)
        return max(0.0, high if self.upper else low)

    def _around(self, over: Callable[[float], float], delta: float) -> tuple[float, float]:
        """Points at which the curve is above delta, and below it; infinite where there is none."""
        least, most = max(self.centre - REACH * self.deviation, self._least_known), self._farthest
        start, stride = max(self.centre, least), FIRST_STRIDE * self.deviation
        up = over(start) >= 0
        while least < start < most or stride == FIRST_STRIDE * self.deviation:
            other = min(start + stride, most) if up else max(start - stride, least)
            if (over(other) >= 0) != up:
                return (start, other) if up else (other, start)
            start, stride = other, 2 * stride
        # From below the curve may be above delta in few places.
        points = np.linspace(least, most, POINTS)
        last = self._curve(points).last_above(delta)
        if last < 0:
            return -math.inf, max(0.0, least)
        return float(points[last]), float(points[last + 1]) if last < POINTS - 1 else math.inf

    @property
    def _farthest(self) -> float:
        return self.centre + REACH * self.deviation

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
    """The integrand's nodes but for the denominator, which is another for either end; those that are heard."""

    parts: Sequence[Part[Atoms]]
    total: Moments  # at c
    rate: float  # c
    variance: float
    wrapped: Wrapped
    turn: Array
    centre: float
    value: Complex
    error: Array
    last: float  # turn
    silent: int  # nodes

    def end(self, left: Leftover, slack: float, *, upper: bool) -> Smoothed | None:
        """delta from one side; None if round-off alone is more than a part ``slack`` of it."""
        z, v = self.rate + 1j * self.turn, self.variance
        noisy = np.exp(v * z * (z + 1) / 2) * np.where(self.turn > 0, 2.0, 1.0) / self.wrapped.period
        density = 0.0 if upper else v * math.exp(v / 8)
        kernel = noisy * (1 / (z * (z + 1)) - density)
        off = float(dot(np.abs(kernel), self.error)) + self._left_out(density)
        in_the_middle = float(np.sum((noisy * self.value / (z * (z + 1))).real))
        if not off <= slack * in_the_middle:
            return None
        # Nodes that are less than what is not known count to that.
        weight = kernel * self.value
        light = np.abs(weight) * len(weight) <= LIGHT * off
        off += float(np.abs(weight[light]).sum())
        log_top = self.total.log_z - self.rate * self.centre
        noise = NODE_ERROR * (sum(own for _, own in self.parts) + abs(self.total.log_z) + abs(log_top))
        return Smoothed(
            turn=self.turn[~light],
            weight=weight[~light],
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

    def _left_out(self, density: float) -> float:
        """At most, of the silent nodes, and of the integral of ``e^{-v t^2/2} (1/t^2 + density)`` beyond the last."""
        v, c = self.variance, self.rate
        log_most = v * c * (c + 1) / 2
        silent = self.silent * math.exp(LOG_SILENT + log_most) * (1 / (c * (c + 1)) + density) * 2 / self.wrapped.period
        log_last = log_most - v * self.last**2 / 2
        return silent + math.exp(log_last) * (1 / self.last**2 + density) / (np.pi * v * self.last)


def integral(
    parts: Sequence[Part[Atoms]],
    tilt: float,
    slack: float,
    room: float = 1.0,
    at_most: float = math.inf,
    *,
    alike: bool = False,
) -> Integral | None:
    """With so little noise that it moves delta by about a part ``slack``; None where that takes too much work.

    With up to ``room`` times as much noise where that makes the nodes few enough; they may be ``at_most``, or fewer.
    ``alike``: large losses have been told apart, and the line need not be drawn in for them.
    """
    deviation, most_nodes = moments(parts, tilt).deviation, min(at_most, MOST_NODES)
    if deviation == 0 or slack <= 0 or most_nodes <= LEAST_NODES:
        return None
    c = line(tilt, deviation) if alike else drawn_in(parts, tilt, line(tilt, deviation))
    total = moments(parts, c)
    if total.deviation == 0 or sum(own for _, own in parts) * SUM_ERROR_OF_NODES > slack:
        return None
    variance = min(slack / (c * (1 + c)), MOST_VARIANCE)
    around, apart, number = _line_of_nodes(parts, c, total, variance)
    more = (number / (FITTED * most_nodes)) ** 2
    if number > most_nodes and more <= room and more * variance <= MOST_VARIANCE:
        variance *= more
        around, apart, number = _line_of_nodes(parts, c, total, variance)
    if number > most_nodes:
        return None
    return _at_nodes(parts, c, total, variance, around, apart, number)


def _at_nodes(
    parts: Sequence[Part[Atoms]],
    c: float,
    total: Moments,
    variance: float,
    around: Wrapped,
    apart: float,
    number: int,
) -> Integral:
    """The integrand at so many nodes, as it is worked out from each pair's transform."""
    transforms = [transform(pair, own, c, apart, number) for pair, own in parts]
    turn = np.asarray(apart * np.arange(number), dtype=np.float64)
    value, error = product(transforms)
    heard = value != 0
    return Integral(
        parts=parts,
        total=total,
        rate=c,
        variance=variance,
        wrapped=around,
        turn=turn[heard],
        centre=sum(one.rounds * one.mean for one in transforms),
        value=value[heard],
        error=error[heard],
        last=float(turn[-1]),
        silent=number - int(heard.sum()),
    )


def _line_of_nodes(
    parts: Sequence[Part[Atoms]], c: float, total: Moments, variance: float
) -> tuple[Wrapped, float, int]:
    """The period, how far apart the nodes are that it asks for, and their number, until the noise ends them."""
    around = wrapped(parts, c, total, variance)
    apart = 2 * math.pi / around.period
    return around, apart, max(math.ceil(math.sqrt(2 * ENDED / variance) / apart), LEAST_NODES)
