"""[wang2019] Wang, Balle, Kasiviswanathan: Subsampled Renyi Differential Privacy (AISTATS 2019)."""

from collections.abc import Callable

import numpy as np

from shufflekit._logs import log_expm1
from shufflekit._validate import Array, orders, positive, rate
from shufflekit.papers._sums import MAX_ORDER, log_binomial_sum

Curve = Callable[[Array], Array]


def thm9(order: int | Array, eps_of_order: Curve, eps_inf: float, gamma: float) -> Array:
    """The Renyi divergence of a mechanism run on a random fraction gamma of the records.

    Args:
        order: whole numbers from 2.
        eps_of_order: the mechanism's own Renyi divergence at an array of whole orders. Called once.
        eps_inf: the mechanism's pure eps, its divergence at order infinity.
        gamma: k/n, for a uniform subset of fixed size k of n.

    Formal guarantee: (order, result)-RDP for replacing one record.
    """
    eps_inf, gamma = positive(eps_inf=eps_inf), rate(gamma=gamma)
    orders_, j, eps_j = _evaluate(order, eps_of_order)
    log_a = (j - 1) * eps_j + np.minimum(np.log(2), j * log_expm1(eps_inf))
    with np.errstate(divide="ignore"):
        log_a[0] = min(np.log(4) + log_expm1(eps_j[0]), log_a[0])
    return _subsampled(orders_, j, log_a, gamma)  # [wang2019] Thm 9


def thm9_weak(order: int | Array, eps_of_order: Curve, gamma: float) -> Array:
    """`thm9` with ``2 e^{(j-1) eps(j)}`` in every term, the second included.

    Not the theorem: a weakening of it found in public code, and the one that reproduces the factor 2.5 of
    [girgis2021]. It does not tend to 0 with the mechanism's own divergence.

    Formal guarantee: (order, result)-RDP for replacing one record, since it is never below `thm9`.
    """
    gamma = rate(gamma=gamma)
    orders_, j, eps_j = _evaluate(order, eps_of_order)
    return _subsampled(orders_, j, np.log(2) + (j - 1) * eps_j, gamma)


def _evaluate(order: int | Array, eps_of_order: Curve) -> tuple[Array, Array, Array]:
    orders_ = orders(integer=True, at_most=MAX_ORDER, order=order)
    if not callable(eps_of_order):
        raise TypeError(f"eps_of_order must be a function of an array of orders, got {eps_of_order!r}")
    j = np.arange(2, orders_.max() + 1)
    eps_j = np.asarray(eps_of_order(j), dtype=np.float64)
    if eps_j.shape != j.shape or not (np.isfinite(eps_j) & (eps_j >= 0)).all():
        raise ValueError(
            "eps_of_order must return one finite number, 0 or positive, for each order, "
            f"got {eps_j!r} for orders 2 to {j[-1]:g}"
        )
    return orders_, j, eps_j


def _subsampled(order: Array, j: Array, log_a: Array, gamma: float) -> Array:
    log_terms = np.concatenate([[-np.inf, -np.inf], log_a + j * np.log(gamma)])
    return np.asarray(np.logaddexp(0.0, log_binomial_sum(order, log_terms)) / (order - 1))
