"""``E(S - x)_+`` at many points x near each other: ``line``'s integral at evenly spaced ones, and chords between them.

At points P/M apart, P the period of the nodes, the integral is a transform of length M. ``E(S - x)_+`` is convex in x:
below the chord of two points on both sides, above that of two on one side, gone on. With points that are less than the
noise's deviation apart, both are off by less than the noise is.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, next_fast_len

from shufflekit._turns import summed_error
from shufflekit._validate import Array
from shufflekit.accuracy import NODE_ERROR, TINY, UNIT
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs import few_sums
from shufflekit.dominating_pairs.line import (
    LOG_HUGE,
    MOST_WORK,
    PART,
    REACH,
    Nodes,
    Share,
    Sum,
    affordable,
    chernoff,
    groups,
    nodes_of,
    period_of,
    silent,
    stop_losses,
    sum_of,
)

MANY = 48  # points: fewer cost less by themselves
LESS = 1 / 2  # of the noise, since a chord that is gone on is off by more of it
APART = math.sqrt(1 / 2)  # deviations of the noise, between points


def stop_losses_at_many(crowd: Share, x: Array, rtol: float) -> Ends:
    """The same as ``line.stop_losses`` of one number of scores, without finer looks."""
    lower, upper, one = np.zeros(len(x)), np.zeros(len(x)), np.zeros(1)
    alone = np.ones(len(x), dtype=bool)
    if np.count_nonzero(x >= 0) >= MANY and crowd.law.variance > 0 and not few_sums.are_few([crowd]):
        of, right = sum_of([crowd], one), np.flatnonzero(x >= 0)
        for group, c in groups(of, x[right]):
            ends = _by_chords(of, c, x[right[group]], rtol) if len(group) >= MANY else None
            if ends is not None:
                own = right[group]
                lower[own], upper[own], alone[own] = ends.lower, ends.upper, False
    if alone.any():
        lower[alone], upper[alone] = stop_losses([crowd], one, x[alone], rtol, finer=False)
    return Ends(lower, upper)


def _by_chords(of: Sum, c: float, x: Array, rtol: float) -> Ends | None:
    """Both ends, if the nodes are not too many; see ``line``, of whose lines this is one with less noise."""
    # At an outcome a line's lower end is the truth, and 0 often is one: so the first of the points is one of the even.
    known, first = of.real(c), float(x.min())
    variance = LESS * min(2 * PART * rtol * max(1.0, c * (first + float(x.max())) / 2), 1.0) / c**2
    far = APART * math.sqrt(variance)
    # What other periods add to any of the points: later ones the most to the first, earlier ones to the last.
    period, wrapped = period_of(of, known, c, variance, np.array([first - 2 * far, x.max() + 2 * far]))
    count = math.ceil(REACH / math.sqrt(variance) * period / (2 * math.pi)) + 1
    number = affordable(of, c, 2 * math.pi / period, count, MOST_WORK)
    if number is None:
        return None
    nodes = nodes_of(of, c, first, 2 * math.pi / period, number, known.log_total)
    points = next_fast_len(math.ceil(period / far))
    # By columns: the two on the left of each, and the two on its right.
    place = np.floor((x - first) * (points / period)).astype(np.intp)[:, None] + np.arange(-1, 3)
    at = first + place * (period / points)
    decline = np.exp(np.clip(known.log_total - c * at, -LOG_HUGE, LOG_HUGE))
    beyond = silent(c, variance, nodes.apart, count)
    up, down = (
        _evenly(nodes, nodes.kernel(c, variance, density), place, points, period) for density in (0.0, variance)
    )
    upper = (up.upper * 2 / period + beyond) * decline * (1 + 64 * UNIT)
    lower = (down.lower * 2 / period - beyond - wrapped.sum()) * decline * (1 - 64 * UNIT)
    most = chernoff(known.log_total - c * x, c)
    return Ends(*_between(x, at, np.maximum(lower, 0.0), np.maximum(upper, TINY), most))


def _evenly(nodes: Nodes, kernel: NDArray[np.complex128], place: NDArray[np.intp], points: int, period: float) -> Ends:
    """The sum of the heard nodes at each place, and how far off it may be: where points lie, by units of them too."""
    weight, turn = kernel * nodes.value[0], nodes.turn
    folded = [np.bincount(nodes.number % points, part, points) for part in (weight.real, weight.imag)]
    total = fft(folded[0] + 1j * folded[1]).real[place % points]
    size, moment = float(np.abs(weight).sum()), float((np.abs(weight) * turn).sum())
    # Each of a transform's stages, of which there are log2 M, adds some units of what it sums.
    off = float((np.abs(kernel) * nodes.off.max(axis=0)).sum()) + (summed_error(len(turn)) + NODE_ERROR) * size
    noise = off + NODE_ERROR * moment * np.abs(place) * (period / points)
    return Ends(total - noise, total + noise)


def _between(x: Array, at: Array, lower: Array, upper: Array, most: Array) -> tuple[Array, Array]:
    """By chords of the points around each, the last two of which are on its right."""
    step = at[:, 2] - at[:, 1]
    right = np.clip((x - at[:, 1]) / step, 0.0, 1.0)
    left = 1 - right
    above = left * upper[:, 1] + right * upper[:, 2]
    least = np.maximum((1 + right) * lower[:, 1] - right * upper[:, 0], (1 + left) * lower[:, 2] - left * upper[:, 3])
    return np.maximum(least * (1 - 8 * UNIT), 0.0), np.clip(above * (1 + 8 * UNIT), TINY, most)
