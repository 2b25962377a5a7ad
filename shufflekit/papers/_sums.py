"""The sum that every subsampling bound on Renyi divergence ends in."""

import numpy as np

from shufflekit._validate import Array

MAX_ORDER = 100_000
_CELLS = 2**16


def log_binomial_sum(order: Array, log_a: Array) -> Array:
    """``log sum_{j=2}^{order} C(order, j) a_j`` for each integer order, from ``log_a[j] = log a_j``.

    Binomials are accumulated factor by factor: a difference of log-gammas would lose 4 digits at order 10,000
    in the first terms, which often decide the sum.
    """
    flat = order.ravel().astype(np.int64)
    result = np.empty(flat.size)
    ranked = np.argsort(flat)
    j = np.arange(1, int(flat.max()) + 1)
    with np.errstate(divide="ignore"):
        log_whole = np.log(np.arange(flat.max() + 1.0))  # log 0 = -inf ends a row at j = order
    rows = max(1, _CELLS // j.size)
    for start in range(0, flat.size, rows):
        chosen = ranked[start : start + rows]
        longest = flat[chosen[-1]]
        factor = log_whole[np.maximum(flat[chosen, None] - j[:longest] + 1, 0)] - log_whole[j[:longest]]
        log_terms = np.cumsum(factor, axis=1)[:, 1:] + log_a[2 : longest + 1]
        largest = log_terms.max(axis=1)
        scale = np.where(np.isfinite(largest), largest, 0.0)
        with np.errstate(divide="ignore"):  # an empty sum
            result[chosen] = scale + np.log(np.exp(log_terms - scale[:, None]).sum(axis=1))
    return result.reshape(order.shape)
