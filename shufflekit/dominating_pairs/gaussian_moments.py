"""Whole moments of the shuffled Gaussian's likelihood ratio X, a mean of n iid lognormals."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from shufflekit import _validate
from shufflekit._logs import log_expm1
from shufflekit._validate import Array


@lru_cache(maxsize=50)  # of a run, both the divergence and its conversion ask for the same ones
def log_excesses(most: int, sigma: float, n: int) -> Array:
    """``log (E_Q[X^l] - 1)`` for l = 0, 1, ..., most, without cancellation. [beyond] 6

    A mean of a + b scores is a mixture of two means, so ``E X_{a+b}^l = E[(E X_a^k) (E X_b^{l-k})]`` with k ~ Bin(l,
    a/(a+b)), and their excesses over 1 are a sum of positive terms: n is reached by doubling, and by adding one.
    """
    most, sigma = _validate.count(most=most), _validate.positive(sigma=sigma)
    n = _validate.count(n=n)
    order = np.arange(most + 1.0)
    with np.errstate(divide="ignore"):
        one = np.asarray(log_expm1(order * (order - 1) / (2 * sigma**2)))
    total: Array = one
    reached = 1
    for digit in f"{n:b}"[1:]:
        total, reached = _log_excess_of_mean(total, total, reached, reached), 2 * reached
        if digit == "1":
            total, reached = _log_excess_of_mean(total, one, reached, 1), reached + 1
    return total


def _log_excess_of_mean(first: Array, second: Array, a: int, b: int) -> Array:
    """Of the mean of a scores, and b more."""
    log_chance, k, other = _binomials(len(first))
    if a != b:
        log_chance = log_chance + k * math.log(2 * a / (a + b)) + other * math.log(2 * b / (a + b))
    # E_a E_b - 1 is (E_a - 1) E_b + (E_b - 1).
    terms = np.concatenate([first + np.logaddexp(0.0, second)[other], second[other]], axis=1)
    terms += np.concatenate([log_chance, log_chance], axis=1)
    top = np.maximum(terms.max(axis=1), np.finfo(float).min)
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))


@lru_cache(maxsize=4)
def _binomials(size: int) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
    """For l and k below ``size``: the logarithm of ``C(l, k)/2^l``, each of whole numbers, k, and l - k, if it is."""
    order = np.arange(size)
    other, ways, log_ways = np.maximum(order[:, None] - order, 0), [1], np.full((size, size), -np.inf)
    for row in range(size):
        log_ways[row, : row + 1] = [math.log(count) for count in ways]
        ways = [a + b for a, b in zip([*ways, 0], [0, *ways], strict=True)]
    return log_ways - order[:, None] * math.log(2), order, other


def log_moments(most: int, sigma: float, n: int) -> Array:
    """``log E_Q[X^l]`` for l = 0, 1, ..., most: the Renyi divergence of P from Q of order l, times l - 1."""
    return np.asarray(np.logaddexp(0.0, log_excesses(most, sigma, n)))
