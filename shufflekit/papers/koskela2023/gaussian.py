"""The shuffled Gaussian of Section 5 and Appendix C.3: n-dimensional integrals, as the paper takes them.

All n records are 0 under X; under X' one of them is 1. Every record gets N(0, sigma^2) noise, and all are shuffled.
The one-dimensional truth is ``shufflekit.dominating_pairs.GaussianPair``.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from shufflekit import _validate
from shufflekit._validate import Array

CHUNK = 1_000_000  # numbers drawn at once


class Estimate(NamedTuple):
    """A mean of random numbers and its standard error."""

    value: float
    error: float


def section5_hypercube(eps: float, sigma: float, n: int, L: float, samples: int, rng: np.random.Generator) -> Estimate:
    """``H_{e^eps}(M(X')||M(X))`` from uniform points of ``[-L, L]^n``; what lies outside the cube is lost."""
    eps, sigma, n = _validate.nonnegative(eps=eps), _validate.positive(sigma=sigma), _validate.count(n=n)
    L, samples, rng = (
        _validate.positive(L=L),
        _validate.count(samples=samples, at_least=2),
        _validate.generator(rng=rng),
    )
    total = squares = 0.0
    for size in _chunks(samples, n):
        t = rng.uniform(-L, L, (size, n))
        log_density = -(t**2).sum(axis=1) / (2 * sigma**2) + n * math.log(2 * L / (sigma * math.sqrt(2 * math.pi)))
        value = np.exp(log_density) * np.maximum(_ratio(t, sigma) - math.exp(eps), 0.0)
        total, squares = total + float(value.sum()), squares + float(value @ value)
    return _estimate(total, squares, samples)


def section5_sampling(eps: float, sigma: float, n: int, samples: int, rng: np.random.Generator) -> Estimate:
    """The same with points drawn from M(X) itself."""
    eps, sigma, n = _validate.nonnegative(eps=eps), _validate.positive(sigma=sigma), _validate.count(n=n)
    samples, rng = _validate.count(samples=samples, at_least=2), _validate.generator(rng=rng)
    total = squares = 0.0
    for size in _chunks(samples, n):
        value = np.maximum(_ratio(sigma * rng.standard_normal((size, n)), sigma) - math.exp(eps), 0.0)
        total, squares = total + float(value.sum()), squares + float(value @ value)
    return _estimate(total, squares, samples)


def section5_grid(m: int, n: int) -> float:
    """The paper's count of grid points that a permutation-invariant integrand needs, of m^n: ``m^n / n!``."""
    m, n = _validate.count(m=m), _validate.count(n=n)
    return math.exp(n * math.log(m) - math.lgamma(n + 1))  # [koskela2023] Sec 5


def section5_grid_corrected(m: int, n: int) -> int:
    """Multisets of n of the m points: ``C(m+n-1, n)``. Corrected: points with equal coordinates count too."""
    m, n = _validate.count(m=m), _validate.count(n=n)
    return math.comb(m + n - 1, n)


def _ratio(t: Array, sigma: float) -> Array:
    """``dM(X')/dM(X)``: the mean of ``exp((t_i - 1/2)/sigma^2)``. [koskela2023] Sec 5"""
    return np.asarray(np.exp(logsumexp((t - 0.5) / sigma**2, axis=1) - math.log(t.shape[1])))


def _chunks(samples: int, n: int) -> list[int]:
    size = max(1, CHUNK // n)
    return [size] * (samples // size) + ([samples % size] if samples % size else [])


def _estimate(total: float, squares: float, samples: int) -> Estimate:
    mean = total / samples
    return Estimate(mean, math.sqrt(max(squares / samples - mean**2, 0.0) / (samples - 1)))
