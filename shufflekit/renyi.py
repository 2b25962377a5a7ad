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
        best = self._minimize(lambda order: epsilon_at_order(self(order), order, delta))
        return AtOrder(max(best.value, 0.0), best.order) if best.value < self.limit else AtOrder(self.limit, math.inf)

    def delta(self, eps: float) -> AtOrder:
        """The least delta at eps over all orders, and its order."""
        eps = _validate.nonnegative(eps=eps)
        if eps >= self.limit:
            return AtOrder(0.0, math.inf)
        best = self._minimize(lambda order: log_delta_at_order(self(order), order, eps))
        # A delta too small for floating point is not 0: the least normal number is the safe side.
        return AtOrder(max(math.exp(min(best.value, 0.0)), sys.float_info.min), best.order)

    def _minimize(self, objective: Callable[[float], Any]) -> AtOrder:
        """The least value over the order: bracketed on a scale of doublings of ``order - 1``, then closed in on.

        Every order gives a valid bound, so a search that stopped too early would cost tightness, never truth.
        """

        from scipy.optimize import minimize_scalar  # takes long to load, and few questions need it

        def at(log_excess: float) -> float:
            return float(objective(min(1 + math.exp(log_excess), MAX_ORDER)))

        step, limit = math.log(2.0), math.log(MAX_ORDER - 1)
        best = middle = 0.0
        least = at(0.0)
        # A bound may have two valleys: climb until it has not sunk any lower over four doublings.
        while middle < min(best + 4 * step, limit):
            middle = min(middle + step, limit)
            value = at(middle)
            if value < least:
                best, least = middle, value
        while best > -30 and at(best - step) < least:
            best -= step
            least = at(best)
        middle = best
        found = minimize_scalar(at, bounds=(middle - step, min(middle + step, limit)), options={"xatol": 1e-10})
        # The optimum of a curve interpolated between whole orders often is a whole order.
        order = 1 + math.exp(found.x)
        candidates = [min(order, MAX_ORDER), *(o for o in (math.floor(order), math.ceil(order)) if 2 <= o <= MAX_ORDER)]
        value, order = min((float(objective(o)), float(o)) for o in candidates)
        return AtOrder(value, order)
