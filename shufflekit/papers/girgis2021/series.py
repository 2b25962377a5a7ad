"""The sum over j of Theorem 1, at any order and at a cost that does not grow with it, and the sum in Upsilon."""

import math
from typing import Any

import numpy as np
from scipy.special import gammaln, xlog1py

from shufflekit._binomial import log_choose
from shufflekit._validate import Array

BLOCK = 16  # terms taken together


def log_choose_few(order: Any, j: int) -> Any:
    """``log C(order, j)`` for j of 2 or 3, from the product; -inf where the order is below j."""
    factors = [np.maximum(order - i, 0.0) / (i + 1) for i in range(j)]
    with np.errstate(divide="ignore"):
        return sum(np.log(factor) for factor in factors)


def log_largest_term(orders: Array, log_base: float) -> tuple[Array, Array]:
    """About the largest term with j >= 3 for each order (3 or more): its j, and its logarithm."""
    # Neighbouring terms are equal about where (order - j) base = sqrt(2 j).
    base = math.exp(min(log_base / 2, 300.0))
    root = 2 * base * orders / (np.sqrt(2 + 4 * base**2 * orders) + math.sqrt(2))
    j = np.clip(np.round(root**2), 3, orders)
    return j, _log_term(orders, j, log_base)


def log_sum_of_higher_terms(orders: Array, log_base: float) -> Array:
    """``log sum_{j=3}^{order} C(order, j) j Gamma(j/2) e^{j log_base / 2}``, for every order at once; never too small.

    Each term is the one before times ``(order - j) r_j``, with r_j common to all orders. These ratios fall with j, so
    only the terms about the largest count; those before and after them are below a geometric series, which is added.
    """
    whole, where = np.unique(orders, return_inverse=True)
    result = np.full(whole.shape, -np.inf)
    rows = np.flatnonzero(whole >= 3)
    if not len(rows):
        return np.asarray(result[where].reshape(orders.shape))
    lam = whole[rows]
    peak, _ = log_largest_term(lam, log_base)
    deviation = 1 / np.sqrt(1 / (2 * peak) + 1 / (lam - peak + 1))
    j = np.maximum(np.floor(peak - 8 * deviation - 8), 3.0)
    term, log_scale = np.ones(lam.shape), _log_term(lam, j, log_base)
    # Before the first term taken each is smaller than the next by the ratio there, or more.
    total = 1 + np.where(j > 3, 1 / np.maximum(_ratio(lam, j - 1, log_base) - 1, 1e-300), 0.0)
    # The ratios are largest at the start: a block's product must stay within floating point.
    largest = float(np.log(np.maximum(_ratio(lam, j, log_base).max(), 1.0)))
    block = int(np.clip(300 / max(largest, 1), 1, BLOCK))
    while len(rows):
        ratios = _ratio(lam, j + np.arange(block + 1)[:, None], log_base)
        # Running products, row upon row: np.cumprod along the first axis takes three times as long.
        for i in range(1, block):
            ratios[i] *= ratios[i - 1]
        total = total + term * ratios[:-1].sum(axis=0)
        term, j = term * ratios[-2], j + block
        following = np.minimum(ratios[-1], 0.95)
        rest = term * following / (1 - following)
        done = (following < 0.95) & (rest <= 1e-14 * total)
        result[rows[done]] = (log_scale + np.log(total + rest))[done]
        # Terms can pass 1e308 on the way: each row's size moves into its logarithm.
        size = np.maximum(total, 1.0)
        rows, lam, j = rows[~done], lam[~done], j[~done]
        total, term, log_scale = (total / size)[~done], (term / size)[~done], (log_scale + np.log(size))[~done]
    return np.asarray(result[where].reshape(orders.shape))


def log_binomial_remainder(orders: Array, log_x: float) -> Array:
    """``log((1+x)^order - 1 - order x)``, which is a sum of positive terms that the plain formula cancels away."""
    x = math.exp(log_x)
    small = orders * x < 0.5
    power = xlog1py(orders, x)
    # For large powers 1 + order x is below round-off and the exponential may overflow: stay with its logarithm.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        plain = np.where(power > 60, power, np.log(np.expm1(np.minimum(power, 60.0)) - orders * x))
    # j from 2 to 18 leaves a rest below 0.5^19/19!, far under round-off; a factor 0 ends whole orders by itself.
    j = np.arange(3, 19)[:, None]
    ratios = np.maximum(orders.ravel() - j + 1, 0.0) * np.where(small.ravel(), x, 0.0) / j
    tail = np.log1p(np.cumprod(ratios, axis=0).sum(axis=0)).reshape(orders.shape)
    return np.asarray(np.where(small, log_choose_few(orders, 2) + 2 * log_x + tail, plain))


def _ratio(lam: Array, j: Array, log_base: float) -> Array:
    """Term j + 1 over term j: ``(l - j)/j Gamma((j+1)/2)/Gamma(j/2) base``."""
    first, last = j.min(), j.max()
    if last - first < j.size:  # many j occur several times over: a table is cheaper
        table = np.exp(_log_step(np.arange(first, last + 1)) + log_base / 2)
        steps = np.take(table, (j - first).astype(np.intp), mode="clip")
    else:
        steps = np.exp(_log_step(j) + log_base / 2)
    steps *= np.maximum(lam - j, 0.0)
    return np.asarray(steps)


def _log_step(j: Array) -> Array:
    """``log(Gamma((j+1)/2) / Gamma(j/2) / j)``: from j = 40 on by a series, since the difference would lose digits."""
    near, far = np.minimum(j, 40.0), np.maximum(j, 40.0)
    y = 1 / far**2
    series = 0.5 * np.log(far / 2) - (1 - (1 / 6 - (1 / 5 - 17 / 28 * y) * y) * y) / (4 * far)
    return np.asarray(np.where(j < 40, gammaln((near + 1) / 2) - gammaln(near / 2), series) - np.log(j))


def _log_term(lam: Array, j: Array, log_base: float) -> Array:
    choose = np.where(j == 3, log_choose_few(lam, 3), log_choose(lam, j))
    return np.asarray(choose + np.log(j) + gammaln(j / 2) + j * log_base / 2)
