"""Whole moments of the shuffled Gaussian's likelihood ratio, a mean of n iid lognormals."""

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from shufflekit import _validate
from shufflekit._validate import Array


def log_moments(most: int, sigma: float, n: int) -> Array:
    """``log E_Q[X^l]`` for l = 0, 1, ..., most: the Renyi divergence of P from Q of order l, times l - 1.

    n^{-l} l! times the coefficient of x^l in ``(sum_j e^{j(j-1)/(2 sigma^2)} x^j / j!)^n``, by squarings. [beyond] 6
    """
    most, sigma = _validate.count(most=most), _validate.positive(sigma=sigma)
    n = _validate.count(n=n)
    j = np.arange(most + 1.0)
    log_factorial = gammaln(j + 1)
    power = j * (j - 1) / (2 * sigma**2) - log_factorial
    total, left = None, n
    while left:
        if left % 2:
            total = power if total is None else _log_product(total, power)
        power, left = _log_product(power, power), left // 2
    return np.asarray(total + log_factorial - j * math.log(n))


def _log_product(a: Array, b: Array) -> Array:
    """The coefficients of a product of two power series with positive coefficients, in logarithms."""
    return np.array([logsumexp(a[: i + 1] + b[i::-1]) for i in range(len(a))])
