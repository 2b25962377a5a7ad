"""Renyi curves: added over rounds and protocols, and turned into (eps, delta) at the best order."""

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array

MAX_ORDER = 1e7
LEAST_ORDER = 1 + 1e-13  # closer to 1 a floating-point number has no digits left
NET = 16  # meshes


class AtOrder(NamedTuple):
    """A value, and the order at which it was found."""

    value: float
    order: float


def epsilon_at_order(eps_of_order: ArrayLike, order: ArrayLike, delta: float) -> Array:
    """The eps that (order, eps_of_order)-Renyi privacy gives at delta; it may fall below 0, where 0 is meant."""
    eps_of_order, order = _validate.array(low=0, eps_of_order=eps_of_order), _validate.orders(order=order)
    delta = _validate.open_unit(delta=delta)
    spare = (-math.log(delta) + (order - 1) * np.log1p(-1 / order) - np.log(order)) / (order - 1)
    return np.asarray(eps_of_order + spare)  # [girgis2021] Lemma 1


def log_delta_at_order(eps_of_order: ArrayLike, order: ArrayLike, eps: float) -> Array:
    """The log of the delta that (order, eps_of_order)-Renyi privacy gives at eps; above 0 it says nothing."""
    eps_of_order, order = _validate.array(low=0, eps_of_order=eps_of_order), _validate.orders(order=order)
    eps = _validate.nonnegative(eps=eps)
    return np.asarray((order - 1) * (eps_of_order - eps + np.log1p(-1 / order)) - np.log(order))  # [girgis2021] Lemma 1


def best_order(
    objective: Callable[[Array], Any],
    *,
    start: float = 2.0,
    most: float = MAX_ORDER,
    whole: bool = False,
    patience: int = 4,
    precision: float = 1e-10,
    floor: Callable[[Array], Any] | None = None,
) -> AtOrder:
    """The least value of a bound over its order: bracketed on a scale of doublings, then closed in on.

    It is ``order - 1`` that is doubled, or where only whole orders count, the order.

    Args:
        objective: the bound at an array of orders.
        start: the order that is tried first.
        most: the largest order allowed.
        whole: whether the bound is about whole orders only.
        patience: a bound may have two valleys: the doublings end when so many of them brought nothing lower.
        precision: of ``log(order - 1)``, for real orders.
        floor: what the objective is surely not below, and quicker: an order is passed over where that is not lower
            than the least value so far.

    Every order gives a valid bound, so a search that stopped too early would cost tightness, never truth.
    """

    rough = _best_doubling(objective, floor, start, most, 0.0 if whole else 1.0, patience)
    return _best_whole(objective, rough.order, most) if whole else _best_real(objective, rough, most, precision)


def _at(objective: Callable[[Array], Any], order: float) -> float:
    return float(objective(np.array([order]))[0])


def _best_doubling(
    objective: Callable[[Array], Any],
    floor: Callable[[Array], Any] | None,
    start: float,
    most: float,
    base: float,
    patience: int,
) -> AtOrder:
    """The best of the orders whose distance from ``base`` is that of ``start``, doubled or halved several times."""
    order = best = start
    least = _at(objective, start)
    while order < min(base + (best - base) * 2**patience, most):
        order = min(base + 2 * (order - base), most)
        hopeless = floor is not None and _at(floor, order) >= least
        if not hopeless and (value := _at(objective, order)) < least:
            best, least = order, value
    # Where going up helped, the order before the best is known to be worse.
    order = best if best == start else math.nan
    while order == best > (LEAST_ORDER if base else 2):
        order = base + (order - base) / 2
        if (value := _at(objective, order)) < least:
            best, least = order, value
    return AtOrder(least, best)


def _best_real(objective: Callable[[Array], Any], rough: AtOrder, most: float, precision: float) -> AtOrder:
    """Of the orders up to a doubling away from a rough one, and the whole ones next to the best of these."""
    from scipy.optimize import minimize_scalar  # takes long to load, and few questions need it

    def order_at(log_excess: float) -> float:
        return min(1 + math.exp(log_excess), most)

    middle, step = math.log(rough.order - 1), math.log(2.0)
    bounds = middle - step, min(middle + step, math.log(most - 1))
    found = minimize_scalar(lambda x: _at(objective, order_at(x)), bounds=bounds, options={"xatol": precision})
    order = order_at(found.x)
    # The optimum of a curve interpolated between whole orders often is a whole order.
    near = [AtOrder(_at(objective, o), float(o)) for o in (math.floor(order), math.ceil(order)) if 2 <= o <= most]
    return min(rough, AtOrder(float(found.fun), order), *near)


def _best_whole(objective: Callable[[Array], Any], rough: float, most: float) -> AtOrder:
    """Of the whole orders up to a doubling away from a rough one, by a net that is drawn in."""
    low, high = max(rough // 2, 2.0), min(2 * rough, most)
    while high - low > NET**2 / 4:
        orders = np.unique(np.floor(np.geomspace(low, high, NET + 1)))
        best = int(np.argmin(objective(orders)))
        low, high = orders[max(best - 1, 0)], orders[min(best + 1, len(orders) - 1)]
    orders = np.arange(low, high + 1)
    values = objective(orders)
    best = int(np.argmin(values))
    return AtOrder(float(values[best]), float(orders[best]))


class RenyiCurve:
    """A Renyi bound as a function of the order, and ``limit``, a bound at every order (and so at order infinity)."""

    def __init__(self, function: Callable[[Array], Any], limit: float = math.inf) -> None:
        self._function = function
        self.limit = limit

    def __call__(self, order: ArrayLike) -> Any:
        """The bound at one real order above 1 (a float) or at an array of them."""
        orders = _validate.orders(order=order, at_most=MAX_ORDER)
        values = np.minimum(np.asarray(self._function(orders), dtype=np.float64), self.limit)
        return values if orders.ndim else float(values)

    def __add__(self, other: "RenyiCurve") -> "RenyiCurve":
        """The bound of one protocol after the other, chosen adaptively."""
        return RenyiCurve(lambda order: self(order) + other(order), self.limit + other.limit)

    def __mul__(self, rounds: int) -> "RenyiCurve":
        """The bound of that many rounds."""
        rounds = _validate.count(rounds=rounds)
        return RenyiCurve(lambda order: rounds * self(order), rounds * self.limit)

    def epsilon(self, delta: float) -> AtOrder:
        """The least eps at delta over all orders, and its order."""
        best = best_order(lambda order: epsilon_at_order(self(order), order, delta))
        return AtOrder(max(best.value, 0.0), best.order) if best.value < self.limit else AtOrder(self.limit, math.inf)

    def delta(self, eps: float) -> AtOrder:
        """The least delta at eps over all orders, and its order."""
        eps = _validate.nonnegative(eps=eps)
        if eps >= self.limit:
            return AtOrder(0.0, math.inf)
        best = best_order(lambda order: log_delta_at_order(self(order), order, eps))
        # A delta too small for floating point is not 0: the least normal number is the safe side.
        return AtOrder(max(math.exp(min(best.value, 0.0)), sys.float_info.min), best.order)
