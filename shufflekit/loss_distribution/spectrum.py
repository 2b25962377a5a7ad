"""All rounds of a composition on one grid, by one tilted FFT, with every error bounded."""

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np
from scipy.fft import next_fast_len

from shufflekit._validate import Array
from shufflekit.accuracy import LOG_OUTSIDE, UNIT
from shufflekit.convex_order import Grid
from shufflekit.fourier import entries, power, product, transformed
from shufflekit.loss_distribution.curve import Curve, deltas
from shufflekit.loss_distribution.parts import Leftover, Part, moments, reach, rounding, tilted

MOST_POINTS = 2**24  # of a grid; a grid that is fine enough for the tolerance needs fewer


def composed(parts: Sequence[Part[Grid]], tilt: float, left: Leftover, *, upper: bool) -> Curve:
    """The delta curve of all rounds on one grid: nowhere below the truth if ``upper``, else nowhere above."""
    sign = 1.0 if upper else -1.0
    step, total = parts[0].pair.step, moments(parts, tilt)
    if total.deviation == 0:
        return Curve.unknown(upper=upper)
    ends = reach(parts, tilt)
    if ends[1] - ends[0] > MOST_POINTS * step:
        return Curve.unknown(upper=upper)
    low, density = _density(parts, tilt, ends, sign)

    # delta(eps) = sum_s P(s) (1 - e^{eps - s}) with P(s) = Z c_s e^{-t s}; counted from the mean, and in units of its
    # size there.
    reference = round(total.mean / step) * step
    s = np.asarray(step * np.arange(low, low + len(density)) - reference, dtype=np.float64)
    shown = tilt * s > -40
    s, density = s[shown], density[shown]
    values = deltas(s, density * np.exp(-tilt * s), step)
    # No outcome weighs more than e^{-t eps} t^t / (1+t)^{1+t} for its tilted mass.
    log_most = (tilt * math.log(tilt) if tilt else 0.0) - (1 + tilt) * math.log1p(tilt)
    # Two running sums over the grid bring a rounding each a point along.
    values = values * (1 + sign * (left.noise + 2 * UNIT * len(shown)))
    values = values + sign * 2 * np.exp(LOG_OUTSIDE + log_most - tilt * s)
    curve = Curve(s + reference + sign * rounding(parts), values, tilt * reference - total.log_z, upper=upper)
    return curve.with_unlisted(*left)


def _density(parts: Sequence[Part[Grid]], tilt: float, ends: tuple[float, float], sign: float) -> tuple[int, Array]:
    """The tilted masses of the sum on the grid, moved by their error, and the first one's place."""
    step = parts[0].pair.step
    weights = [np.exp(tilted(grid, tilt)) for grid, _ in parts]
    low, high = math.floor(ends[0] / step), math.ceil(ends[1] / step)
    size = next_fast_len(max(high - low + 1, *(int(np.ptp(grid.place)) + 1 for grid, _ in parts)), real=True)
    rounds = [
        power(transformed(weight, grid.place, size), own) for (grid, own), weight in zip(parts, weights, strict=True)
    ]
    found = entries(reduce(product, rounds), low)
    return low, np.maximum(found.value + sign * found.error, 0.0)
