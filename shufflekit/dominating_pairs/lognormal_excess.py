"""What a lognormal Y of mean 1, the likelihood ratio of two shifted Gaussians, has beyond a number: E(Y - y)_+."""

import math

import numpy as np
from scipy.special import erfcx, ndtr

from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

# Shifts, in deviations, below which Mills' ratios are too near each other to be subtracted. Of their slope's mean over
# the shift there are three terms of Taylor's series: the next is SMALL^6/322560 of a sixth derivative, which is at most
# 48 times the slope, so below 2e-13.
SMALL = 0.03


def excess(log_y: Array, shift: Array) -> Array:
    """``E(Y - y)_+`` where log Y is normal with mean ``-shift^2/2`` and deviation ``shift``; y may be 0 or infinite.

    It is a sum of positive terms: below 1 it is ``1 - y`` and y times the excess of Y over 1/y, as Y under its own
    weight is the inverse of Y.
    """
    out = np.asarray(_beyond_one(np.abs(log_y), shift))
    return np.where(log_y >= 0, out, -np.expm1(np.minimum(log_y, 0.0)) + np.exp(np.minimum(log_y, 0.0)) * out)


def excess_error(log_y: Array, shift: Array) -> Array:
    """Relative: x, where the Gaussian density is looked at, is known to some units of what it is the difference of.

    Beyond 40 deviations there is no density left.
    """
    return np.asarray(1e-12 + 8 * UNIT * (1 + np.minimum(np.abs(log_y) / shift, 40 + shift) + shift) ** 2)


def _beyond_one(log_y: Array, shift: Array) -> Array:
    """The same from y = 1 on: ``phi(x) (M(x) - M(x + shift))`` with Mills' ratio M, ``x = log(y)/shift - shift/2``."""
    log_y, shift = np.broadcast_arrays(log_y, shift)
    x = np.minimum(log_y / shift, 1e4) - shift / 2
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    small = shift < SMALL
    if small.all():
        return np.maximum(density * shift * _mean_slope(x + shift / 2, shift), 0.0)
    value = np.empty(x.shape)
    near, far = x[~small], (x + shift)[~small]
    # Left of 0 Mills' ratio itself may be beyond floating point, and Phi(-x) is no small number.
    first = np.where(near > 0, density[~small] * mills(np.maximum(near, 0.0)), ndtr(-near))
    value[~small] = first - density[~small] * mills(far)
    value[small] = density[small] * shift[small] * _mean_slope((x + shift / 2)[small], shift[small])
    return np.maximum(value, 0.0)


def _mean_slope(x: Array, width: Array) -> Array:
    """By how much Mills' ratio falls between the two points so far apart about x >= 0, divided by the width.

    Its derivatives are ``M' = x M - 1`` and then ``M^(n+1) = x M^(n) + n M^(n-1)``.
    """
    zeroth = mills(x)
    first = x * zeroth - 1
    second = x * first + zeroth
    third = x * second + 2 * first
    fifth = x * (x * third + 3 * second) + 4 * third
    square = width**2
    return np.asarray(-(first + square / 24 * (third + square / 80 * fifth)))


def mills(x: Array) -> Array:
    """``(1 - Phi(x))/phi(x)``."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2)))
