"""Sums of n iid scores: their law on a grid, from below and from above.

A score Y is rounded to K (see ``score_grid``). Then the sum of the K is larger than the sum S of the Y in the convex
order, which is the upper end. Its law also gives the lower end: by Jensen ``E(S - c)_+ >= E(E[S|K] - c)_+``, and the
mean of S at each sum of the K is one more convolution.

The n-th power is taken by FFT after a tilt, so that rare sums keep their digits. Round-off, wrap-around and
truncation are bounded and taken to the safe side.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.fft import next_fast_len

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_OUTSIDE_OF_SCORES, MASS_ERROR, UNIT
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.score_grid import LogMoments, Score, log_sum
from shufflekit.fourier import entries, power, product, transformed

LOG_RANGE = -745.0, 600.0  # of what untilting multiplies by: floating point holds it


class Sums(NamedTuple):
    """Sums of n scores by the sum of what they are rounded to: rising values, and the ends of two numbers at each.

    ``mass`` is the probability, ``mean`` the conditional mean of the sum itself. Of what is not listed, ``before``
    bounds the probability before the first value, and ``after`` that times the value, after the last (low being 0).
    """

    value: Array
    mass: Ends
    mean: Ends
    before: float
    after: float


def sums(score: Score, n: int, tilts: Sequence[float]) -> Sums:
    """The sums of n scores; each tilt (per step of the grid) gives digits where it makes sums typical."""
    law = LogMoments(score)
    reaches = [law.reach(n, tilt, LOG_OUTSIDE_OF_SCORES) for tilt in tilts]
    first, last = min(low for low, _ in reaches), max(high for _, high in reaches)
    size = next_fast_len(last - first + 1, real=True)
    mass = Ends(np.zeros(size), np.full(size, np.inf))
    mean = Ends(np.full(size, -np.inf), np.full(size, np.inf))
    for tilt in tilts:
        found = _tilted_power(score, n, tilt, first, size)
        for ends, one in ((mass, found.mass), (mean, found.mean)):
            np.maximum(ends.lower, one.lower, out=ends.lower)
            np.minimum(ends.upper, one.upper, out=ends.upper)
    k = first + np.arange(float(size))
    value = n * score.low + score.step * k
    # The sums differ from the rounded ones by the round-off of their few factors only.
    means = Ends(*(n * score.low + score.step * end for end in mean))
    before = math.exp(min(0.0, law.log_tail(n, first, -1))) if first > n * law.place[0] else 0.0
    complete = k[-1] >= n * law.place[-1]
    after = 0.0 if complete else float(k[-1]) * score.step * math.exp(law.log_tail(n, float(k[-1]), 1))
    return Sums(value, mass, means, before, after)


class _Power(NamedTuple):
    mass: Ends
    mean: Ends


def _tilted_power(score: Score, n: int, tilt: float, first: int, size: int) -> _Power:
    """Certified masses, and conditional means of the sum in steps, of the rounded sums first, first + 1, ..."""
    number, centre = np.arange(len(score.mass)), score.mean
    k = number.astype(np.float64)
    with np.errstate(divide="ignore"):
        log_mass = np.log(score.mass)
    log_weight = log_mass + tilt * (k - centre)
    log_z = log_sum(log_weight)
    weight = np.exp(log_weight - log_z)
    away = score.place - centre
    # The masses themselves err by a little, and by a unit times their logarithm.
    heavy = weight > 0
    given = weight[heavy] * (MASS_ERROR + 4 * UNIT * np.abs(log_mass[heavy]))
    one = transformed(weight, number, size, float(given.sum()))
    moved = transformed(weight * away, number, size, float(dot(given, np.abs(away)[heavy])))
    others = power(one, n - 1)
    mass, mass_error = entries(product(others, one), first)
    moment, moment_error = entries(product(others, moved), first)

    place = first + np.arange(float(size))
    # What lies outside the window has come in. |S| there is at most `most` times K + n, and K has a light tail.
    outside = 2 * math.exp(LOG_OUTSIDE_OF_SCORES)
    most = max(1.0, float((score.place / (k + 1)).max()))
    moment_error = n * moment_error + outside * (most * (place[-1] + n) + n * centre)
    low, high = np.maximum(mass - mass_error - outside, 0.0), np.maximum(mass, 0.0) + mass_error
    mean = _quotient(n * moment, moment_error, Ends(low, high))
    # Untilt; a constant that multiplies all weights is a relative error of the total.
    log_scale = n * log_z - tilt * (place - n * centre)
    scale = np.exp(np.clip(log_scale, *LOG_RANGE))
    noise = 8 * UNIT * (n * (1 + abs(log_z)) + np.abs(tilt * (place - n * centre)))
    return _Power(
        Ends(low * scale * (1 - noise), high * scale * (1 + noise)), Ends(*(n * centre + end for end in mean))
    )


def _quotient(moment: Array, error: float, mass: Ends) -> Ends:
    """The ends of ``moment/mass``; where the mass is not known to be positive, nothing is known."""
    known = mass.lower > 0
    low, high = mass.lower[known], mass.upper[known]
    least, most = np.full(known.shape, -np.inf), np.full(known.shape, np.inf)
    below, above = moment[known] - error, moment[known] + error
    least[known] = np.where(below > 0, below / high, below / low)
    most[known] = np.where(above > 0, above / low, above / high)
    return Ends(least, most)
