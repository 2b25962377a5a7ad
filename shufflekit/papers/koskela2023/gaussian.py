"""The shuffled Gaussian of Section 5 and Appendix C.3: n-dimensional integrals, as the paper takes them.

All n records are 0 under X; under X' one of them is 1. Every record gets N(0, sigma^2) noise, and all are shuffled.
The one-dimensional truth is ``shufflekit.dominating_pairs.GaussianPair``.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from shufflekit import _validate
from shufflekit._validate import Array

CHUNK = 1_000_000  # numbers drawn at once
MOST_POINTS = 64  # of a grid, in each dimension: their number rises with the power n - 1


class Estimate(NamedTuple):
    """A mean of random numbers and its standard error, at each eps."""

    value: Array
    error: Array


def section5_hypercube(
    eps: ArrayLike, sigma: float, n: int, L: float, samples: int, rng: np.random.Generator
) -> Estimate:
    """``H_{e^eps}(M(X')||M(X))`` from uniform points of ``[-L, L]^n``; what lies outside the cube is lost."""
    alpha, sigma, n = _setting(eps, sigma, n)
    L, samples = _validate.positive(L=L), _validate.count(samples=samples, at_least=2)
    rng, total, squares = _validate.generator(rng=rng), np.zeros(alpha.shape), np.zeros(alpha.shape)
    for size in _chunks(samples, n):
        t = rng.uniform(-L, L, (size, n))
        log_density = -(t**2).sum(axis=1) / (2 * sigma**2) + n * math.log(2 * L / (sigma * math.sqrt(2 * math.pi)))
        value = np.exp(log_density) * np.maximum(_ratio(t, sigma) - alpha[..., None], 0.0)
        total, squares = total + value.sum(axis=-1), squares + (value**2).sum(axis=-1)
    return _estimate(total, squares, samples)


def section5_left_out(
    eps: ArrayLike, sigma: float, n: int, L: float, samples: int, rng: np.random.Generator
) -> Estimate:
    """What lies outside of the cube ``[-L, L]^n``, so by how much ``section5_hypercube`` is too low on average.

    Drawn from M(X) where the first coordinate is outside. All coordinates are alike, so n times that mean is the whole,
    if a point with k coordinates outside counts 1/k each time.
    """
    alpha, sigma, n = _setting(eps, sigma, n)
    L, samples = _validate.positive(L=L), _validate.count(samples=samples, at_least=2)
    rng, far = _validate.generator(rng=rng), float(ndtr(-L / sigma))
    total, squares = np.zeros(alpha.shape), np.zeros(alpha.shape)
    for size in _chunks(samples, n):
        t = sigma * rng.standard_normal((size, n))
        t[:, 0] = sigma * ndtri(far * rng.uniform(0, 1, size)) * rng.choice([-1, 1], size)
        outside = 1 + (np.abs(t[:, 1:]) > L).sum(axis=1)
        value = 2 * n * far * np.maximum(_ratio(t, sigma) - alpha[..., None], 0.0) / outside
        total, squares = total + value.sum(axis=-1), squares + (value**2).sum(axis=-1)
    return _estimate(total, squares, samples)


def section5_sampling(eps: ArrayLike, sigma: float, n: int, samples: int, rng: np.random.Generator) -> Estimate:
    """The same with points drawn from M(X) itself."""
    alpha, sigma, n = _setting(eps, sigma, n)
    samples, rng = _validate.count(samples=samples, at_least=2), _validate.generator(rng=rng)
    total, squares = np.zeros(alpha.shape), np.zeros(alpha.shape)
    for size in _chunks(samples, n):
        value = np.maximum(_ratio(sigma * rng.standard_normal((size, n)), sigma) - alpha[..., None], 0.0)
        total, squares = total + value.sum(axis=-1), squares + (value**2).sum(axis=-1)
    return _estimate(total, squares, samples)


def section5_orbits(eps: ArrayLike, sigma: float, n: int, m: int) -> Array:
    """The n-dimensional integral on a grid, one point of each orbit under permutations, as the paper suggests.

    Gauss and Hermite's m points in each of n - 1 dimensions; over the last one the integral is known in closed form.
    """
    alpha, sigma, n = _setting(eps, sigma, n)
    z, weight = np.polynomial.hermite_e.hermegauss(_validate.count(m=m, at_most=MOST_POINTS))
    score = np.exp(z / sigma - 1 / (2 * sigma**2))  # dM(X')/dM(X) of one coordinate
    orbits = np.array(list(itertools.combinations_with_replacement(range(m), n - 1)), dtype=np.intp)
    places, run = np.full(len(orbits), float(math.factorial(n - 1))), np.ones(len(orbits))
    for before, after in itertools.pairwise(orbits.T):
        run = np.where(after == before, run + 1, 1.0)
        places /= run  # how many points the orbit has: (n - 1)! over the factorials of its repetitions
    mass = places * np.prod((weight / weight.sum())[orbits], axis=1)
    rest = n * alpha[..., None] - score[orbits].sum(axis=1)
    return np.asarray((mass * call(rest, sigma)).sum(axis=-1) / n)


def section5_grid(m: int, n: int) -> float:
    """The paper's count of grid points that a permutation-invariant integrand needs, of m^n: ``m^n / n!``."""
    m, n = _validate.count(m=m), _validate.count(n=n)
    return math.exp(n * math.log(m) - math.lgamma(n + 1))  # [koskela2023] Sec 5


def section5_grid_corrected(m: int, n: int) -> int:
    """Multisets of n of the m points: ``C(m+n-1, n)``. Corrected: points with equal coordinates count too."""
    m, n = _validate.count(m=m), _validate.count(n=n)
    return math.comb(m + n - 1, n)


def _setting(eps: ArrayLike, sigma: float, n: int) -> tuple[Array, float, int]:
    """``e^eps``, sigma and n, checked."""
    alpha = np.exp(_validate.array(low=0, high=300, eps=eps))
    return alpha, _validate.positive(sigma=sigma), _validate.count(n=n)


def call(c: Array, sigma: float) -> Array:
    """``E(Y - c)_+`` for the score Y of one coordinate, a lognormal with mean 1; ``1 - c`` where c is negative."""
    z = sigma * np.log(np.maximum(c, np.finfo(np.float64).tiny))
    return np.where(c > 0, ndtr(0.5 / sigma - z) - c * ndtr(-0.5 / sigma - z), 1 - c)


def _ratio(t: Array, sigma: float) -> Array:
    """``dM(X')/dM(X)``: the mean of ``exp((t_i - 1/2)/sigma^2)``. [koskela2023] Sec 5"""
    return np.asarray(np.exp((t - 0.5) / sigma**2).mean(axis=1))


def _chunks(samples: int, n: int) -> list[int]:
    size = max(1, CHUNK // n)
    return [size] * (samples // size) + ([samples % size] if samples % size else [])


def _estimate(total: Array, squares: Array, samples: int) -> Estimate:
    mean = total / samples
    return Estimate(mean, np.sqrt(np.maximum(squares / samples - mean**2, 0.0) / (samples - 1)))
