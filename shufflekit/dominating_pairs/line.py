"""``E(S - x)_+`` of a sum of many scores of mean 0, by a contour integral, from below and from above.

With ``M(z) = E e^{z S}``, and any c > 0,   E(S - x)_+ = 1/(2 pi i) int M(z) e^{-z x}/z^2 dz   along Re z = c.

A little independent Gaussian noise of variance v makes the integrand end. S with the noise is larger in the convex
order, so D_v, the same for it, is an upper bound. From below: dD_v/dv is half the density p_v at x, and
``p_u <= sqrt(v/u) p_v`` for u < v, for so the two normal densities compare; hence ``D_0 >= D_v - v p_v``, and p_v is
the same integral without 1/z^2. The trapezoid rule with nodes 2 pi/P apart gives ``sum_j e^{j c P} D(x + j P)`` over
all whole j: more, by what a long period makes as little as one likes; from below that is bounded and taken off. There
is no grid, and no more work for more scores; S may be a mixture over numbers of them, or each point may have its own.
All outcomes of few scores are looked at instead.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._complex import Complex
from shufflekit._turns import summed_error, turned_back
from shufflekit._validate import Array
from shufflekit.accuracy import NODE_ERROR, TINY, UNIT
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs import few_sums
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.few_sums import Rows
from shufflekit.dominating_pairs.score_transform import (
    LOG_QUIET,
    Real,
    Share,
    heard,
    log_transform,
    looks,
    price,
    real,
)

PART = 1 / 4  # of rtol, that the noise may move x by
LOG_RARE = -50.0  # relative at the tilt, of a number that is not looked at
REACH = 9.0  # where the noise ends the integrand: e^{-9^2/2} is 3e-18
LOG_WRAPPED = -36.0  # relative, of what other periods add
FARTHER = 9.0  # deviations, by which Chernoff's bound on later periods is tilted more
SHARED = 2.0  # deviations between points that share a line
LOG_MOST, LOG_MOST_ALONE = 300.0, 600.0  # of a tilt: floating point holds it, and its square
LOG_HUGE, LOG_TINY = 700.0, math.log(TINY)
FINER = 1.0, 1 / 16, 1 / 256  # times rtol
# Sines, or as much work: beyond, Chernoff's bound does; and what less noise may cost.
MOST_WORK, MOST_FINER_WORK = 10_000_000, 1_500_000
EDGE = 1e-9  # relative, beyond the largest sum, where nothing is left
NEWTON, NEAR = 30, 0.02  # steps to a saddle, and of it, that are near enough
FEW_TURNS = 20_000  # exponentials that cost nothing

__all__ = ["Rows", "Share", "stop_losses"]


class Sum(NamedTuple):
    """What S is."""

    shares: Sequence[Share]
    log_chance: Array
    deviation: float
    largest: float

    def without(self, numbers: NDArray[np.bool_]) -> "Sum":
        """But for some of the numbers that it is a mixture over."""
        shares = [Share(one.law, one.number[~numbers], one.size[~numbers]) for one in self.shares]
        kept = [share for share in shares if (share.number * share.size).max() > 0]
        return self._replace(shares=kept or shares, log_chance=self.log_chance[~numbers])

    def real(self, c: float) -> Real:
        return real(self.shares, self.log_chance, c)


def stop_losses(
    shares: Sequence[Share], log_chance: Array, x: Array, rtol: float = 1e-4, row: Rows = None, finer: bool = True
) -> Ends:
    """``E(S - x)_+`` at many points x, which the noise moves by a part of about ``rtol`` at most.

    S is a mixture over numbers, or, where ``row`` says which of the numbers each point is about, one sum for each.
    There may be less noise where it might be seen, if it is to be ``finer``.
    """
    shares = [share for share in shares if (share.number * share.size).max() > 0 and share.law.variance > 0]
    above, below = np.maximum(-x, 0.0), np.maximum(-x, 0.0)
    if not shares:
        return Ends(below, above)
    if few_sums.are_few(shares):
        return few_sums.stop_losses(shares, log_chance, x, row)
    mass, mean = _whole(shares, log_chance)
    mass, mean = (np.full(len(x), one.sum()) if row is None else one[row] for one in (mass, mean))
    for side, own in ((1.0, x >= 0), (-1.0, x < 0)):
        if own.any():
            sides = [Share(Scores(side * s.law.value, s.law.chance), s.number, s.size) for s in shares]
            rows = None if row is None else row[own]
            ends = _beyond(sum_of(sides, log_chance), np.abs(x[own]), rtol, rows, FINER if finer else FINER[:1])
            rest = np.zeros(len(x[own])) if side > 0 else mean[own]
            above[own] = ends.upper + above[own] * np.maximum(mass[own], 1.0) + np.maximum(rest, 0.0)
            below[own] = ends.lower + below[own] * np.minimum(mass[own], 1.0) * (1 - 4 * UNIT) + np.minimum(rest, 0.0)
    return Ends(np.maximum(below, 0.0), above * (1 + 4 * UNIT))


def _whole(shares: Sequence[Share], log_chance: Array) -> tuple[Array, Array]:
    """By numbers: the chance, and the mean times it, 0 but for round-off, or where a law is worth a little more."""
    means = [s.number * s.size * float(s.law.chance @ s.law.value) for s in shares]
    return np.exp(log_chance), np.exp(log_chance) * np.sum(means, axis=0)


def sum_of(shares: Sequence[Share], log_chance: Array) -> Sum:
    variance = float(np.exp(log_chance) @ sum(s.number * s.size**2 * s.law.variance for s in shares))
    largest = sum(s.number * s.size * float(s.law.value.max()) for s in shares)
    return Sum(shares, log_chance, math.sqrt(variance), float(np.max(largest)))


def _beyond(of: Sum, x: Array, rtol: float, row: Rows, finer: Sequence[float]) -> Ends:
    """At points of 0 or more: those near each other share a line."""
    lower, upper = np.zeros(len(x)), np.zeros(len(x))
    for group, tilt in groups(of, x):
        lower[group], upper[group] = _closer(of, tilt, x[group], rtol, None if row is None else row[group], finer)
    return Ends(lower, upper)


def groups(of: Sum, x: Array) -> Iterator[tuple[NDArray[np.intp], float]]:
    """The points below the largest sum, those near each other together, and where the line they share should lie."""
    order, first = np.argsort(x), 0
    order = order[x[order] < of.largest * (1 + EDGE)]
    while first < len(order):
        start = float(x[order[first]])
        c = _saddle(of, start)
        spread = math.sqrt(of.real(c).variance + 1 / c**2)
        last = int(np.searchsorted(x[order], start + SHARED * spread, side="right"))
        middle = (start + float(x[order[last - 1]])) / 2
        yield order[first:last], c if middle == start else _saddle(of, middle)
        first = last


def _closer(of: Sum, c: float, x: Array, rtol: float, row: Rows, levels: Sequence[float]) -> Ends:
    """By ever less noise while that may keep the upper end up, as where a sum of few scores has an outcome at x.

    A quarter of the noise's deviation leaves a third of what it took off, at most, where outcomes lie apart.
    """
    rtol_at, first = rtol * np.maximum(1.0, c * x), _line(of, c, x, rtol * levels[0], row, MOST_WORK)
    upper, left = first.upper, first.upper - first.lower
    for finer in levels[1:]:
        if (left <= rtol_at * upper).all():
            break
        before = upper
        upper = np.minimum(upper, _line(of, c, x, rtol * finer, row, MOST_FINER_WORK, above_only=True).upper)
        left = before - upper
    return Ends(np.minimum(first.lower, upper), upper)


def _saddle(of: Sum, x: float) -> float:
    """About where ``log M(c) - c x - 2 log c`` is least: it is convex in c. By Newton, between two ends."""
    low, high = 0.0, LOG_MOST_ALONE / max(float(s.law.value.max() * s.size.max()) for s in of.shares)
    variance = of.deviation**2
    c = min((x + math.sqrt(x**2 + 8 * variance)) / (2 * variance), high)
    for _ in range(NEWTON):
        known = of.real(c)
        rise = known.mean - x - 2 / c
        low, high = (c, high) if rise < 0 else (low, c)
        before, c = c, c - rise / (known.variance + 2 / c**2)
        if not low <= c <= high:
            c = math.sqrt(low * high) if low else high / 2
        if abs(c - before) <= NEAR * before:
            break
    return c


class Nodes(NamedTuple):
    """Those that are heard, with what the integrand is there but for its kernel; how far it may be off.

    By numbers and nodes, relative to ``M(c) e^{-c middle}``.
    """

    number: NDArray[np.intp]  # of all that there are, 0 to count - 1
    apart: float
    value: Complex
    off: Array

    @property
    def turn(self) -> Array:
        return np.asarray(self.apart * self.number, dtype=np.float64)

    def kernel(self, c: float, variance: float, density: float) -> Complex:
        """``e^{v z^2/2} (1/z^2 - density)``, half of it at the first node."""
        z = c + 1j * self.turn
        return np.asarray(np.exp(variance * z**2 / 2) * (1 / z**2 - density) * np.where(self.turn > 0, 1.0, 0.5))

    @property
    def last(self) -> int:
        return int(self.number[-1])


def _line(of: Sum, c: float, x: Array, rtol: float, row: Rows, most: int, *, above_only: bool = False) -> Ends:
    """Both ends at points that share a line, or the upper one: relative to ``M(c) e^{-c x}`` until the end."""
    known, middle = of.real(c), (float(x.min()) + float(x.max())) / 2
    if row is None and (rare := known.log_moment < known.log_moment.max() + LOG_RARE).any():
        ends = _line(of.without(rare), c, x, rtol, row, most, above_only=above_only)
        return Ends(ends.lower, ends.upper + chernoff(np.logaddexp.reduce(known.log_moment[rare]) - c * x, c))
    most_of_all = chernoff(known.log_total - c * x, c)
    if most_of_all.max() <= TINY:
        return Ends(np.zeros(len(x)), most_of_all)
    variance = min(2 * PART * rtol * max(1.0, c * middle), 1.0) / c**2
    period, wrapped = period_of(of, known, c, variance, x)
    apart = 2 * math.pi / period
    count = math.ceil(REACH / math.sqrt(variance) / apart) + 1
    number = affordable(of, c, apart, count, most)
    if number is None:
        return Ends(np.zeros(len(x)), most_of_all)
    nodes = nodes_of(of, c, middle, apart, number, known.log_total)
    decline = np.exp(np.clip(known.log_total - c * x, -LOG_HUGE, LOG_HUGE))
    beyond = silent(c, variance, apart, count)
    up, up_off = _summed(nodes, c, variance, x - middle, 0.0, row)
    upper = ((up + up_off) * 2 / period + beyond) * decline * (1 + 64 * UNIT)
    if above_only:
        return Ends(np.zeros(len(x)), np.clip(upper, TINY, most_of_all))
    down, down_off = _summed(nodes, c, variance, x - middle, variance, row)
    lower = ((down - down_off) * 2 / period - beyond - wrapped) * decline * (1 - 64 * UNIT)
    return Ends(np.maximum(lower, 0.0), np.clip(upper, TINY, most_of_all))


def affordable(of: Sum, c: float, apart: float, count: int, most: int) -> NDArray[np.intp] | None:
    """The numbers of the nodes that are heard; none if it takes too much work to look for them, or if they are many."""
    if not min(count, looks(of.shares, c, apart, count)) * (each := sum(map(price, of.shares))) < most:
        return None
    number = heard(of.shares, c, apart, count)
    return number if len(number) * each < most else None


def chernoff(log_top: Array, c: Array | float) -> Array:
    """From the logarithm of ``M(c) e^{-cx}``: ``t e^{-ct}`` is 1/(ec) at most; what is no number is TINY itself, not 0.

    By its logarithm, since that of TINY is rounded: what it gives is not TINY again, and would be looked at closely.
    """
    log_most = log_top - 1 - np.log(c)
    return np.where(log_most > LOG_TINY, np.exp(np.minimum(log_most, LOG_HUGE)), TINY)


def period_of(of: Sum, known: Real, c: float, variance: float, x: Array) -> tuple[float, Array]:
    """A period after which hardly anything comes again, and what does at most: later by Chernoff, earlier |S| + ..."""
    low, high, deviation = float(x.min()), float(x.max()), math.sqrt(known.variance + variance + 2 / c**2)
    more = min(FARTHER / deviation, c)
    growth = of.real(c + more).log_total - known.log_total + variance * (c + more) ** 2 / 2 - math.log(c + more) - 1
    log_value = -2 * math.log(c) - math.log(2.5 * deviation)
    wide = 2 * of.deviation  # more than E|S|, with the noise
    earlier = (math.log(wide + high) + 1 - known.log_total + c * high - log_value - LOG_WRAPPED) / c
    period = max(
        earlier + math.log1p(max(earlier, 0.0) / of.deviation) / c,
        (growth - more * low - log_value - LOG_WRAPPED) / more,
        REACH * deviation,
    )
    later = np.exp(np.minimum(growth - more * (x + period), LOG_HUGE)) / -math.expm1(-more * period)
    log_before = c * (x - period) - known.log_total + np.log(wide + x + period / -math.expm1(-c * period))
    return period, later + np.exp(np.minimum(log_before, LOG_HUGE)) / -math.expm1(-c * period)


def nodes_of(of: Sum, c: float, middle: float, apart: float, number: NDArray[np.intp], log_total: float) -> Nodes:
    turn = apart * number
    log_m, error = log_transform(of.shares, of.log_chance, c, apart, number)
    error += NODE_ERROR * (1 + abs(log_total) + (c + turn) * middle)
    log_size = log_m.real - log_total
    terms = np.exp(log_m - log_total - 1j * turn * middle)
    return Nodes(number, apart, terms, np.exp(log_size + error) - np.exp(log_size))


def _summed(nodes: Nodes, c: float, variance: float, away: Array, density: float, row: Rows) -> tuple[Array, Array]:
    """The sum of the heard nodes for each point, half the first, and how far off it may be."""
    kernel = nodes.kernel(c, variance, density)
    if row is None:
        value, off, row = nodes.value.sum(axis=0, keepdims=True), nodes.off.sum(axis=0), np.zeros(len(away), dtype=int)
    else:
        value, off = nodes.value, nodes.off.max(axis=0)
    total, size, moment = np.empty(len(away)), np.empty(len(away)), np.empty(len(away))
    for i in np.unique(row):
        own, weight = row == i, kernel * value[i]
        total[own] = _at_points(weight, nodes, away[own]).real
        size[own], moment[own] = np.abs(weight).sum(), (np.abs(weight) * nodes.turn).sum()
    noise = NODE_ERROR * (size + moment * np.abs(away)) + summed_error(len(kernel)) * size
    return total, float((np.abs(kernel) * off).sum()) + noise


def _at_points(weight: Complex, nodes: Nodes, away: Array) -> Complex:
    """``sum weight e^{-i turn away}``, in the way that takes fewer exponentials."""
    if len(weight) * len(away) <= FEW_TURNS:
        return np.asarray((np.exp(-1j * np.outer(away, nodes.turn)) * weight).sum(axis=1))
    return turned_back(weight, nodes.number, nodes.apart, away)


def silent(c: float, variance: float, apart: float, count: int) -> float:
    """What nodes that are not heard may add, and all beyond the last, the integral of ``e^{-v t^2/2} (1/t^2 + v)``."""
    turn = apart * np.arange(count)
    kernel = np.exp(variance * (c**2 - turn**2) / 2) * (1 / (c**2 + turn**2) + variance)
    last = float(turn[-1])
    log_last = variance * (c**2 - last**2) / 2
    beyond = math.exp(log_last) * (1 / last**2 + variance) / (np.pi * variance * last)
    return float(kernel.sum()) * apart / np.pi * math.exp(LOG_QUIET) + beyond
