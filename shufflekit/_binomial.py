"""Binomial probabilities that keep their digits at n = 1e9, where differences of log-factorials have lost six.

Loader's method: a probability is that of the best-fitting rate, by Stirling's series, times ``e^-deviance``.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, gammaln

from shufflekit._validate import Array

TINY, LOG_TINY = 1e-290, -690.0  # what is less is no floating-point number, or soon none
NEAR = 0.1  # of the mean: so far the series is summed
ALIKE = 1 / 2  # of a tail, below which a mass is not taken for a difference of two tails
MOST_TERMS, NODES = 256, 8  # of a sum; of a quadrature in place of more
SHORT = 40  # terms; from there on betainc goes another way


def log_pmf(m: ArrayLike, n: ArrayLike, p: float) -> Array:
    """``log Pr[Bin(n, p) = m]`` for whole m from 0 to n and 0 < p < 1."""
    m, n = np.asarray(m, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = (m > 0) & (m < n)
    x, others, total = (np.where(inside, part, 1.0) for part in (m, n - m, n))
    middle = _best_fit(x, others) - _deviance(x, total * p) - _deviance(others, total * (1 - p))
    log_p = math.log(max(p, TINY))  # as the means below
    ends = np.where(m == 0, n * math.log1p(-p), n * log_p)
    return np.asarray(np.where(inside, middle, ends))


def pmf(m: ArrayLike, n: ArrayLike, p: float) -> Array:
    """``Pr[Bin(n, p) = m]``."""
    return np.exp(log_pmf(m, n, p))


def log_choose(n: ArrayLike, m: ArrayLike) -> Array:
    """``log C(n, m)`` for whole m from 0 to n: what ``log_pmf`` is left with at the best-fitting rate m/n."""
    m, n = np.asarray(m, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = (m > 0) & (m < n)
    x, others, total = (np.where(inside, part, other) for part, other in ((m, 1.0), (n - m, 1.0), (n, 2.0)))
    # The smaller part is divided by the total: log1p keeps the digits of the larger's share.
    least, most = np.minimum(x, others), np.maximum(x, others)
    entropy = -least * np.log(least / total) - most * np.log1p(-least / total)
    return np.asarray(np.where(inside, _best_fit(x, others) + entropy, 0.0))


def _best_fit(x: Array, others: Array) -> Array:
    """The log of the probability of x and others at the rate that fits them best, by Stirling's series."""
    total = x + others
    fit = _stirling_error(total) - _stirling_error(x) - _stirling_error(others)
    return np.asarray(fit + 0.5 * np.log(total / (2 * math.pi * x * others)))


def _stirling_error(x: Array) -> Array:
    """``log x! - log(sqrt(2 pi x) (x/e)^x)``."""
    y = 1 / x**2
    found = np.asarray((1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - y / 1188) * y) * y) * y) / x)
    small = x < 16
    if small.any():  # of many numbers few are, and their logarithms cost the most
        few = x[small]
        found[small] = gammaln(few + 1) - (few + 0.5) * np.log(few) + (few - 0.5 * math.log(2 * math.pi))
    return found


def _deviance(x: Array, mean: Array) -> Array:
    """``x log(x/mean) - x + mean``, which is about ``(x - mean)^2 / (2 mean)`` and must not be found by subtraction.

    ``scipy.special.kl_div`` is the same by subtraction: near the mean it has lost all digits.
    """
    mean = np.maximum(mean, TINY)  # so that x / mean stays finite where the mean underflows
    near = np.abs(x - mean) < NEAR * mean
    t = np.where(near, x - mean, 0.0) / mean
    # (1+t) log(1+t) - t = t^2/2 - t^3/6 + t^4/12 - ...
    series = np.zeros(t.shape)
    for k in range(17, 1, -1):  # in place: of lists of millions it takes half the time
        np.subtract(1 / (k * (k - 1)), np.multiply(series, t, out=series), out=series)
    found, far = np.asarray(mean * t**2 * series), ~near
    if far.any():
        found[far] = x[far] * np.log(x[far] / mean[far]) - x[far] + mean[far]
    return found


def tail(m: ArrayLike, n: ArrayLike, p: float, rest: float) -> Array:
    """``Pr[Bin(n, p) >= m]`` for whole m and n; ``rest`` is 1 - p, given apart so that neither loses digits."""
    m, n = np.broadcast_arrays(np.asarray(m, dtype=np.float64), np.asarray(n, dtype=np.float64))
    inside = (m > 0) & (m <= n)
    first, second = np.where(inside, m, 1.0), np.where(inside, n - m + 1, 1.0)
    value = np.asarray(betainc(first, second, p) if p <= rest else betaincc(second, first, rest))
    # Where p^m is no floating-point number and few values are left, betainc has few digits, or answers 0.
    short = inside & (second <= SHORT) & (first * math.log(max(p, TINY)) < LOG_TINY) & (p <= rest)
    if short.any():
        value[short] = _short_tail(m[short], n[short], p, rest)
    return np.asarray(np.where(inside, value, np.where(m > n, 0.0, 1.0)))


def _short_tail(m: Array, n: Array, p: float, rest: float) -> Array:
    """The same, term by term, where ``n - m`` is below ``SHORT`` and p not above 1/2."""
    term = total = np.ones(m.shape)
    for k in range(SHORT):
        term = term * (n - m - k) / (m + k + 1) * (p / rest)
        total = total + term
    return np.asarray(pmf(m, n, p) * total)


def masses(edges: ArrayLike, n: ArrayLike, p: float, rest: float) -> Array:
    """``Pr[edges[i] <= Bin(n, p) < edges[i+1]]`` along the last axis: differences of whichever tail is small.

    Where those are much alike, term by term, or by a quadrature: see ``accuracy.stretch_error``.
    """
    edges, n = np.asarray(edges, dtype=np.float64), np.asarray(n, dtype=np.float64)
    edges, n = np.broadcast_arrays(edges, n)
    low, below, above = edges <= n * p, np.zeros(edges.shape), np.zeros(edges.shape)
    # Pr[X < e] is the other kind's tail, Pr[n - X >= n - e + 1].
    below[low], above[~low] = tail((n - edges + 1)[low], n[low], rest, p), tail(edges[~low], n[~low], p, rest)
    crossing = low[..., :-1] & ~low[..., 1:]
    found = np.asarray(np.diff(below) - np.diff(above) + crossing)
    larger = np.where(crossing, 1.0, below[..., 1:] + above[..., :-1])
    first, end = np.clip(edges[..., :-1], 0, n[..., 1:] + 1), np.clip(edges[..., 1:], 0, n[..., 1:] + 1)
    alike = (found < ALIKE * larger) & (first < end) & (larger > TINY)
    if alike.any():
        found[alike] = _summed(first[alike], end[alike], n[..., 1:][alike], p, rest, found[alike])
    return found


def _summed(first: Array, end: Array, n: Array, p: float, rest: float, otherwise: Array) -> Array:
    """``Pr[first <= Bin(n, p) < end]`` of stretches in which no term is much larger than another."""
    if p > rest:
        return _summed(n - end + 1, n - first + 1, n, rest, p, otherwise)
    found, few = np.empty(len(first)), end - first <= MOST_TERMS
    found[few] = _term_by_term(first[few], end[few], n[few], p, rest)
    found[~few] = _by_quadrature(first[~few], end[~few], n[~few], p, rest)
    return np.where(found > TINY, found, otherwise)


def _term_by_term(first: Array, end: Array, n: Array, p: float, rest: float) -> Array:
    term = total = np.ones(len(first))
    for k in range(1, int((end - first).max(initial=0))):
        x = first + k
        term = np.where(x < end, term * np.maximum(n - x + 1, 0.0) / x * (p / rest), 0.0)
        total = total + term
    return np.asarray(pmf(first, n, p) * total)


def _by_quadrature(first: Array, end: Array, n: Array, p: float, rest: float) -> Array:
    """The integral of f from half a term before the first on, by Gauss: a sum is that of ``f - f''/24 + ...``.

    With the logarithm's slope s and the variance v, f'' is about ``(s^2 - 1/v) f``; of more than ``MOST_TERMS`` terms,
    of which all together are no more than the tail beyond them, both are so small that what comes next is hardly 1e-12.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    count = (end - first)[:, None]
    x, n = (first - 0.5)[:, None] + count * (nodes + 1) / 2, n[:, None]
    slope, inverse = np.log((n - x) / x * (p / rest)), 1 / x + 1 / (n - x)
    values = pmf(x, n, p) * (1 - (slope**2 - inverse) / 24)
    return np.asarray((values * weights).sum(axis=1) * count[:, 0] / 2)
