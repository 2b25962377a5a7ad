"""What a lognormal Y of mean 1, the likelihood ratio of two shifted Gaussians, has beyond a number: E(Y - y)_+."""

import math

import numpy as np
from scipy.special import erfcx, ndtr

from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

SMALL = 0.05  # shifts, in deviations, below which Mills' ratios are too near each other to be subtracted
# Four nodes: the remainder is 6e-10 of an eighth derivative (below 1e4 times the integrand) times SMALL^8, below 1e-15.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)  # on (-1, 1)


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
    value = np.empty(x.shape)
    near, far = x[~small], (x + shift)[~small]
    # Left of 0 Mills' ratio itself may be beyond floating point, and Phi(-x) is no small number.
    first = np.where(near > 0, density[~small] * mills(np.maximum(near, 0.0)), ndtr(-near))
    value[~small] = first - density[~small] * mills(far)
    start, width, slope = x[small], shift[small], np.zeros(int(small.sum()))
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        at = start + (1 + node) / 2 * width
        slope += weight / 2 * (1 - at * mills(at))  # -M'
    value[small] = density[small] * width * slope
    return np.maximum(value, 0.0)


def mills(x: Array) -> Array:
    """``(1 - Phi(x))/phi(x)``."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2)))
