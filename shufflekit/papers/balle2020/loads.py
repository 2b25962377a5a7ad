"""[balle2020] The mean of 1/S over the slots that are not empty, S ~ Bin(n, 1/m) clients: what averaging gains in 4.2.

The proof has m/n for it, the reciprocal of the mean. But 1/S is convex, so its mean is more wherever slots are
rarely empty.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from shufflekit import _validate
from shufflekit._binomial import pmf
from shufflekit._validate import Array


def inverse_load(n: int, m: int) -> float:
    """``E[1{S>0} / S]`` for S ~ Bin(n, 1/m), term by term: at most 1e-300 is left out."""
    n, m = _validate.count(n=n), _validate.count(m=m)
    if m == 1:
        return 1 / n
    mean = n / m
    reach = 480 + 38 * math.sqrt(mean)  # Bernstein: less than e^-700 of the mass lies beyond, at either end
    S = np.arange(max(1, math.floor(mean - reach)), min(n, math.ceil(mean + reach)) + 1)
    return float(np.sum(pmf(S, n, 1 / m) / S))  # [balle2020] proof of Thm 4.2


def inverse_load_printed(n: int, m: int) -> float:
    """``m/n``, which the proof of Theorem 4.2 takes for it: false, too small by up to 30 %."""
    return _validate.count(m=m) / _validate.count(n=n)  # [balle2020] proof of Thm 4.2


def inverse_load_corrected(n: int, m: int) -> float:
    """``2m/(n+1)``, a bound: 1/S <= 2/(S+1), and ``E[1/(S+1)] = (1 - (1-1/m)^{n+1}) m/(n+1)``.

    It bounds ``E[1/S | S > 0]``, too: given S > 0 the mean of 1/(S+1) is smaller still.
    """
    return 2 * _validate.count(m=m) / (_validate.count(n=n) + 1)  # [balle2020] proof of Thm 4.2, corrected


def poisson_factor(mean: ArrayLike) -> Array:
    """By how much m/n is too small when n and m are large: ``mean E[1{S>0} / S]`` for S ~ Poisson(mean = n/m)."""
    mean = _validate.array(low=1e-300, high=1e6, mean=mean)
    largest = float(mean.max())
    S = np.arange(1, math.ceil(largest + 38 * math.sqrt(largest) + 480) + 1)
    rows = mean.reshape(-1, 1)
    terms = np.exp(S * np.log(rows) - rows - gammaln(S + 1)) / S  # [balle2020] proof of Thm 4.2, Poisson limit
    return np.asarray(rows[:, 0] * terms.sum(axis=1)).reshape(mean.shape)


class WorstMean(NamedTuple):
    """The mean load at which a factor is largest, and the factor there."""

    mean: float
    factor: float


def worst_poisson_factor() -> WorstMean:
    """The largest ``poisson_factor``: it rises from 0 to one peak between 1 and 10, then falls to 1."""
    found = minimize_scalar(lambda mean: -float(poisson_factor(mean)), bounds=(1, 10), options={"xatol": 1e-9})
    return WorstMean(float(found.x), -float(found.fun))
