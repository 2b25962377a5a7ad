"""The Renyi divergence of a listed pair, at any real order."""

import math
import sys
from functools import lru_cache

import numpy as np
from scipy.special import logsumexp

from shufflekit._validate import Array
from shufflekit.dominating_pairs.pair import Atoms, Pair

LOG_CUTS = (-60.0, -120.0, -240.0, -480.0, -740.0)
NEGLIGIBLE = 1e-7  # relative: what the mass that is not listed may add
NO_LOSS = 1e-100  # too little for squares to be numbers
ROUND_OFF = 1e-9  # relative: a bound is rounded up


@lru_cache(maxsize=20)  # a search over the order asks again and again
def _upper(pair: Pair, log_cut: float) -> Atoms:
    return pair.laws(log_cut).upper


def listed_divergence(pair: Pair, orders: Array) -> Array:
    """``D_order(P||Q)`` at each order, rounded up, from an upper law that is listed as far out as each order needs."""
    largest_loss = pair.largest_loss
    bound = np.full(orders.shape, max(largest_loss, sys.float_info.min))
    if largest_loss <= NO_LOSS:
        return bound
    left = np.ones(orders.shape, dtype=bool)
    for log_cut in LOG_CUTS:
        atoms = _upper(pair, log_cut)
        log_missing = math.log(atoms.missing) if atoms.missing else -math.inf
        if atoms.infinite:
            return np.full(orders.shape, np.inf)
        for i in map(tuple, np.argwhere(left)):
            order = float(orders[i])
            listed = _log_moment(atoms, order)
            # Nothing has a larger loss than the largest; and E[X; A]^2 <= E[X^2] Pr[A].
            most = min((order - 1) * largest_loss, (pair.log_moment_bound(2 * (order - 1)) - log_missing) / 2)
            # Q's mass that is not listed has a likelihood ratio near 0: it counts order - 1 times.
            beside = np.logaddexp(most + log_missing, math.log(2 * (order - 1)) + np.logaddexp(log_missing, log_cut))
            both = listed + float(np.log1p(np.exp(np.minimum(beside - listed, 700.0))))
            bound[i] = min(bound[i], max(0.0, both) / (order - 1) * (1 + ROUND_OFF + atoms.error))
            left[i] = both - listed > NEGLIGIBLE * both
        if not left.any():
            break
    return bound


def _log_moment(atoms: Atoms, order: float) -> float:
    """``log E_Q[X^order]``, X = P/Q; where small, by terms ``X^order - 1 - order (X - 1)``, all of them positive."""
    loss, log_q = atoms.loss, atoms.log_q
    listed = float(logsumexp(order * loss + log_q))
    if listed > 0.5:
        return listed
    q, y, growth = np.exp(log_q), np.expm1(loss), (order - 1) * loss
    terms = q * ((1 + y) * np.expm1(np.minimum(growth, 30.0)) - (order - 1) * y)
    terms[growth > 30] = np.exp((order * loss + log_q)[growth > 30])
    near = order * np.abs(y) < 0.01
    x, series = y[near], np.ones(int(near.sum()))
    for j in range(7, 2, -1):  # the binomial series
        series = 1 + (order - j + 1) / j * x * series
    terms[near] = q[near] * (order * (order - 1) / 2) * x**2 * series
    return math.log1p(float(terms.sum()))
