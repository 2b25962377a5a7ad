"""[girgis2021] Theorems 1 and 2, Lemmas 1 and 2, and the privacy half of Theorem 3."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.divergences import log_renyi_moment
from shufflekit.dominating_pairs import randomized_response
from shufflekit.papers import _sums
from shufflekit.papers.girgis2021.series import (
    log_binomial_remainder,
    log_choose_few,
    log_largest_term,
    log_sum_of_higher_terms,
)
from shufflekit.papers.girgis2021.ternary import kbar, log_chi_square, log_gap
from shufflekit.renyi import best_order, epsilon_at_order, log_delta_at_order

MAX_ORDER = 1e7  # Theorem 1 is a sum of up to `order` terms
PATIENCE = 6  # doublings of the order that help no more, before the search ends


def lemma1(eps_of_order: ArrayLike, order: ArrayLike, delta: float) -> Array:
    """Lemma 1: the eps that (order, eps_of_order)-RDP gives at delta; the least over all orders counts."""
    return epsilon_at_order(eps_of_order, order, delta)


def lemma1_delta(eps_of_order: ArrayLike, order: ArrayLike, eps: float) -> Array:
    """Lemma 1 read the other way: the delta that (order, eps_of_order)-RDP gives at eps."""
    log_delta = log_delta_at_order(eps_of_order, order, eps)
    # A delta too small for a float is not 0.
    return np.asarray(np.maximum(np.exp(np.minimum(log_delta, 0.0)), np.finfo(np.float64).tiny))


def lemma2(order: ArrayLike, log_zeta: Callable[[Array], Array], gamma: float) -> Array:
    """Lemma 2: Renyi privacy of the sampled shuffle from the ternary divergences of the shuffle.

    ``log_zeta(j)`` is the log of zeta(j)^j, for an array of whole j from 2 to the largest order.
    """
    orders = _validate.orders(order=order, integer=True, at_most=_sums.MAX_ORDER)
    gamma = _validate.rate(gamma=gamma)
    if not callable(log_zeta):
        raise TypeError(f"log_zeta must be a function of an array of orders, got {log_zeta!r}")
    j = np.arange(2, orders.max() + 1)
    log_power = np.asarray(j * math.log(gamma) + log_zeta(j), dtype=np.float64)
    # A divergence may be 0, so that -inf is a logarithm as good as any.
    if log_power.shape != j.shape or not (log_power < np.inf).all():
        raise ValueError(f"log_zeta must return a number below inf for each order, got {log_zeta(j)!r}")
    log_sum = _sums.log_binomial_sum(orders, np.append([-np.inf, -np.inf], log_power))
    return np.asarray(np.logaddexp(0.0, log_sum) / (orders - 1))  # [girgis2021] Lemma 2


def thm1(order: ArrayLike, eps0: float, n: int, k: int) -> Array:
    """Theorem 1: Renyi privacy of k of n clients, drawn without replacement, then shuffled; whole orders."""
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    terms = thm1_terms(orders, eps0, n, k)
    total = np.logaddexp(np.logaddexp(terms["second"], terms["higher"]), terms["upsilon"])
    return np.asarray(np.logaddexp(0.0, total) / (orders - 1))  # [girgis2021] Thm 1


def thm1_real_order(order: ArrayLike, eps0: float, n: int, k: int, cap: float = math.inf) -> Array:
    """Theorem 1 at any real order above 1, or ``cap``, another bound for all orders, where that is less.

    ``(order - 1) eps(order)`` is convex in the order and 0 at order 1, so the straight line between two whole
    orders, on which Theorem 1 holds, bounds it in between.
    """
    orders = _validate.orders(order=order, at_most=MAX_ORDER)
    cap = cap if cap == math.inf else _validate.positive(cap=cap)
    low, high = np.floor(orders), np.ceil(orders)
    whole, where = np.unique(np.concatenate([low.ravel(), high.ravel()]), return_inverse=True)
    bound = np.full(whole.shape, cap)
    useful = whole > 1
    useful[useful] = thm1_at_least(whole[useful], eps0, n, k) < cap
    if useful.any():
        bound[useful] = np.minimum(thm1(whole[useful], eps0, n, k), cap)
    moments = np.where(whole > 1, (whole - 1) * np.where(whole > 1, bound, 0.0), 0.0)
    at_low, at_high = moments[where].reshape(2, *orders.shape)
    return np.asarray((at_low + (orders - low) * (at_high - at_low)) / (orders - 1))


def thm1_terms(order: ArrayLike, eps0: float, n: int, k: int) -> dict[str, Array]:
    """The logarithms of Theorem 1's terms but for the 1: ``second``, ``higher`` (j >= 3), ``upsilon``."""
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    logs = _Logs(eps0, n, k)
    return {
        "second": logs.second(orders),
        "higher": log_sum_of_higher_terms(orders, logs.base),
        "upsilon": logs.upsilon(orders),
    }


def thm1_at_least(order: ArrayLike, eps0: float, n: int, k: int) -> Array:
    """A number that Theorem 1 is surely above, at a fixed cost: its second, one large and its last term.

    Where this is above eps0 already, Theorem 1 says nothing, and its sum of up to ``order`` terms need not be
    taken.
    """
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    logs = _Logs(eps0, n, k)
    _, largest = log_largest_term(np.maximum(orders, 3.0), logs.base)
    largest = np.where(orders >= 3, largest - 1e-9 * np.abs(largest), -np.inf)
    total = np.logaddexp(np.logaddexp(logs.second(orders), largest), logs.upsilon(orders))
    return np.asarray(np.logaddexp(0.0, total) / (orders - 1))


class _Logs:
    """The logarithms that Theorem 1 is put together from."""

    def __init__(self, eps0: float, n: int, k: int) -> None:
        eps0, n = _validate.local_eps(eps0=eps0), _validate.count(n=n)
        k = _validate.count(k=k, at_most=n)
        log_gamma, clones = math.log(k / n), kbar(eps0, k)
        self._x = log_gamma + log_gap(eps0)
        self._second = math.log(4) + 2 * log_gamma + log_chi_square(eps0) - math.log(clones)
        self._tail = -(k - 1) * math.exp(-eps0) / 8
        # gamma^2 times the base of the sum's powers, 2 (E^2-1)^2 / (kbar E^2)
        self.base = 2 * self._x + math.log(2 / clones)

    def second(self, orders: Array) -> Array:
        return np.asarray(log_choose_few(orders, 2) + self._second)

    def upsilon(self, orders: Array) -> Array:
        return log_binomial_remainder(orders, self._x) + self._tail


def thm2(order: ArrayLike, eps0: float, n: int, k: int) -> Array:
    """Theorem 2: the Renyi divergence that binary randomized response really has; any real order above 1.

    The paper's alternating sum of central moments is ``E[(1 + gamma (E^2-1)/(kE) (m - kp))^order]``, a sum of
    positive terms, and those that ``randomized_response`` leaves out would only add to it: the result stays a
    lower bound.
    """
    orders, n = _validate.orders(order=order, at_most=MAX_ORDER), _validate.count(n=n)
    k = _validate.count(k=k, at_most=n)
    atoms = randomized_response(eps0, k, n, tilt=float(orders.max()))
    return np.asarray(log_renyi_moment(atoms.loss, atoms.log_q, orders) / (orders - 1))  # [girgis2021] Thm 2


class PrivacyAtOrder(NamedTuple):
    """An eps and the order it was found at."""

    eps: float
    order: int


def thm3_privacy(eps0: float, n: int, k: int, T: int, delta: float) -> PrivacyAtOrder:
    """Theorem 3 (1), eq (5): the eps of T rounds at delta, by Theorem 1 and Lemma 1, at the best whole order.

    The objective of Remark 2 may have two valleys, so the order is doubled until Theorem 1 has long been too large to
    help. Any order gives a valid eps: a missed optimum costs tightness, never truth.
    """
    T = _validate.count(T=T)

    def eps_at(orders: Any) -> Array:
        return lemma1(T * thm1(orders, eps0, n, k), orders, delta)

    def surely_above(orders: Any) -> Array:
        return lemma1(T * thm1_at_least(orders, eps0, n, k), orders, delta)

    # The sum costs the more the larger the order: it is taken only where its largest terms leave a chance.
    best = best_order(eps_at, whole=True, most=MAX_ORDER, patience=PATIENCE, floor=surely_above)
    return PrivacyAtOrder(max(0.0, best.value), int(best.order))
