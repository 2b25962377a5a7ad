"""Divergences between finite laws, in floating point and in exact arithmetic.

A law is an array of probabilities of any shape. Floating-point arrays are handled in the log domain.
Arrays of ``Fraction`` or ``mpmath.mpf`` (dtype object) stay exact: sums of ``Fraction`` come back as
``Fraction``, and logarithms as ``mpmath.mpf`` at the working precision (``with mpmath.workdps(50): ...``).
"""

import math
import numbers
import sys
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from shufflekit import _validate

Law = NDArray[Any]
BLOCK = 4096  # outcomes taken together: what is computed of them stays in the processor's cache
MANY = 50.0  # from here on 1 + s is below e^s by more than a double's digits
NEAR = 0.1  # below, the difference loses digits: 1/2 + s/6 + s^2/24 + ..., to 5e-17 of its sum
SERIES = [1 / math.factorial(j) for j in range(10, 1, -1)]


def hockey_stick(p: ArrayLike, q: ArrayLike, alpha: Any) -> Any:
    """``H_alpha(P||Q) = sum (P - alpha Q)_+``: the least delta for ``eps = log(alpha)``.

    ``alpha`` is a number of at least 0, or an array of them (then an array comes back). For exact laws the
    result is exact when alpha is: a whole number, a ``Fraction`` or an ``mpmath.mpf``.
    """
    P, Q = _laws(p=p, q=q)
    alphas = np.asarray(alpha)
    if alphas.dtype == object:
        if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in alphas.flat):
            raise TypeError(f"alpha must be 0 or positive, and finite, got {alpha!r}")
        if not all(0 <= value < math.inf for value in alphas.flat):
            raise ValueError(f"alpha must be 0 or positive, and finite, got {alpha!r}")
    else:
        whole, alphas = alphas.dtype.kind in "iu", _validate.array(low=0, alpha=alpha)
        if whole:  # Python's own integers keep fractions exact
            alphas = np.vectorize(int, otypes=[object])(alphas)
    if P.dtype == object and any(isinstance(value, mpmath.mpf) for value in alphas.flat):
        P, Q = _MPF(P), _MPF(Q)
    excess = [P - value * Q for value in alphas.flat]
    # math.fsum rounds once, so that a sum of many small terms is as good as its terms.
    totals = [sum(e[e > 0], Fraction(0)) if P.dtype == object else math.fsum(e[e > 0]) for e in excess]
    return totals[0] if alphas.ndim == 0 else np.array(totals).reshape(alphas.shape)


def total_variation(p: ArrayLike, q: ArrayLike) -> Any:
    """``sup_S |P(S) - Q(S)|``, which is the hockey-stick divergence at alpha = 1."""
    return hockey_stick(p, q, 1)


def renyi_moment(p: ArrayLike, q: ArrayLike, order: float) -> Any:
    """``E_Q[(P/Q)^order]`` for an order above 1; infinite where P exceeds Q's support.

    Exact for exact laws and a whole order.
    """
    P, Q = _laws(p=p, q=q)
    _validate.orders(order=order)
    if P.dtype != object:
        with np.errstate(over="ignore"):
            return float(np.exp(log_renyi_moment(*_loss_and_log(P, Q), order)))
    if any((Q == 0) & (P > 0)):
        return mpmath.inf
    inside = Q > 0
    return sum(Q[inside] * _power(P[inside] / Q[inside], order))


def log_renyi_moment(loss: ArrayLike, log_q: ArrayLike, order: ArrayLike) -> Any:
    """``log E_Q[(P/Q)^order]`` from the losses ``log(P/Q)`` and ``log Q``, for one order above 1 or several.

    The moment may be 1 + 1e-15 or so. As E_Q[P/Q] is 1, it is ``1 + E_Q[f(P/Q)]``, f(x) = x^a - 1 - a (x - 1). With
    t = log x, s = (a - 1) t and h(s) = e^s - 1 - s, which is never negative,

        f(x) = x (e^s - 1) - (a - 1) (x - 1) = x (h(s) + (a - 1) h(-t)):

    a sum of positive terms, in which nothing cancels, and whose second part is the same for all orders.
    """
    losses, log_qs = np.broadcast_arrays(_log_values(loss=loss), _log_values(log_q=log_q))
    orders = _validate.orders(order=order)
    result = np.full(orders.shape, np.inf)
    if not np.isposinf(losses).any():
        with np.errstate(over="ignore"):
            less_1 = _moments_less_1(losses, log_qs, orders.ravel())
            for i, value in enumerate(orders.flat):
                # A sum that overflows is large enough for its logarithm to be taken as it stands.
                fits = less_1[i] < np.inf
                result.flat[i] = math.log1p(less_1[i]) if fits else logsumexp(log_qs + value * losses)
    return result if orders.ndim else float(result)


def renyi(p: ArrayLike, q: ArrayLike, order: float) -> Any:
    """The Renyi divergence ``D_order(P||Q)`` for an order above 1, 1 (Kullback-Leibler) or inf."""
    P, Q = _laws(p=p, q=q)
    order = _order(order, highest=math.inf)
    exact = P.dtype == object
    if any((Q == 0) & (P > 0)):
        return mpmath.inf if exact else math.inf
    P, Q = P[Q > 0], Q[Q > 0]
    if exact:
        if order == 1:
            return sum(a * mpmath.log(a / b) for a, b in zip(_MPF(P), _MPF(Q), strict=True) if a > 0)
        if order == math.inf:
            return mpmath.log(mpmath.mpmathify(max(P / Q)))
        return mpmath.log(mpmath.mpmathify(sum(Q * _power(P / Q, order)))) / (order - 1)
    loss, log_q = _loss_and_log(P, Q)
    if order == 1:
        return float(_kullback_leibler(loss, log_q).sum())
    if order == math.inf:
        return max(float(loss.max()), 0.0)
    return log_renyi_moment(loss, log_q, order) / (order - 1)


def ternary(p: ArrayLike, q: ArrayLike, r: ArrayLike, order: float) -> Any:
    """The ternary divergence ``E_R |(P - Q)/R|^order`` [girgis2021] Def 2, for any order of at least 1."""
    P, Q, R = _laws(p=p, q=q, r=r)
    order = _order(order, highest=sys.float_info.max)
    exact, inside = R.dtype == object, R > 0
    if any(P[~inside] != Q[~inside]):
        return mpmath.inf if exact else math.inf
    gap, R = abs(P - Q)[inside], R[inside]
    if exact:
        return sum(R * _power(gap / R, order))
    with np.errstate(divide="ignore", over="ignore"):
        return math.fsum(np.exp(np.log(R) + order * (np.log(gap) - np.log(R))))


def pearson_vajda(p: ArrayLike, r: ArrayLike, order: float) -> Any:
    """``E_R |P/R - 1|^order``: the ternary divergence with Q = R."""
    P, R = _laws(p=p, r=r)
    return ternary(P, R, R, order)


_MPF = np.frompyfunc(mpmath.mpmathify, 1, 1)


def _laws(**named: ArrayLike) -> list[Law]:
    """The laws, flattened, restricted to the outcomes that any of them can produce."""
    laws = [_validate.probabilities(None, **{name: value}).ravel() for name, value in named.items()]
    if len({law.size for law in laws}) > 1:
        sizes = ", ".join(f"{name} has {law.size}" for name, law in zip(named, laws, strict=True))
        raise ValueError(f"the laws must have the same number of outcomes, got {sizes}")
    if any(law.dtype == object for law in laws):
        laws = [law.astype(object) for law in laws]
    possible = np.any([law > 0 for law in laws], axis=0)
    return [law[possible] for law in laws]


def _order(order: Any, highest: float) -> int | float:
    """A number from 1 to ``highest``; a whole one as an int, as powers of numpy's integers overflow."""
    if isinstance(order, (bool, np.bool_)) or not isinstance(order, numbers.Real):
        raise TypeError(f"order must be a number from 1 to {highest:g}, got {order!r}")
    number = float(order)
    if not 1 <= number <= highest:
        raise ValueError(f"order must be a number from 1 to {highest:g}, got {order!r}")
    return int(number) if number.is_integer() else number


def _power(base: Law, order: float) -> Law:
    """``base ** order`` of an exact base: exact for a whole order, else at mpmath's working precision."""
    return np.asarray(base ** int(order) if order == int(order) else _MPF(base) ** float(order))


def _log_values(**named: ArrayLike) -> Law:
    """Logarithms: a flat array of floats, infinite ones included."""
    ((name, value),) = named.items()
    values = np.ravel(np.asarray(value))
    if values.dtype.kind not in "iuf" or values.size == 0:
        raise TypeError(f"{name} must be an array of logarithms, got {value!r}")
    if np.isnan(values).any():
        raise ValueError(f"{name} must be an array of logarithms, got nan")
    return values.astype(np.float64, copy=False)


def _loss_and_log(p: Law, q: Law) -> tuple[Law, Law]:
    """``log(P/Q)``, through log1p where P and Q are near each other, and ``log Q``."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = abs(p - q) < q / 2
        return np.where(near, np.log1p((p - q) / q), np.log(p) - np.log(q)), np.log(q)


def _moments_less_1(loss: Law, log_q: Law, orders: Law) -> Law:
    """``E_Q[(P/Q)^order] - 1`` at each order, or inf where that is too large a number; block by block of outcomes."""
    total = np.zeros(len(orders))
    for start in range(0, len(loss), BLOCK):
        t, log = loss[start : start + BLOCK], log_q[start : start + BLOCK]
        p, divergence = np.exp(log + t), float(_kullback_leibler(t, log).sum())
        finite, largest = np.where(p > 0, t, 0.0), float(t.max())
        for i, order in enumerate(orders):
            growth = (order - 1) * finite
            terms = p * _excess_of_exp(np.minimum(growth, MANY))
            if (order - 1) * largest > MANY:
                # Where P underflows, P e^s need not; and the rest of h(s) is of no weight.
                many = (order - 1) * t > MANY
                terms[many] = np.exp((log + order * t)[many])
            total[i] += terms.sum() + (order - 1) * divergence
    return total


def _kullback_leibler(loss: Law, log_q: Law) -> Law:
    """``P h(-t) = P log(P/Q) - P + Q``, outcome by outcome; scipy's kl_div cancels where P and Q are near."""
    p = np.exp(log_q + loss)
    terms = p * _excess_of_exp(-np.maximum(loss, -1.0))
    far = loss < -1
    if far.any():
        terms[far] = np.exp(log_q[far]) - (p * (1 - np.where(p > 0, loss, 0.0)))[far]
    return np.asarray(terms)


def _excess_of_exp(s: Law) -> Law:
    """``h(s) = e^s - 1 - s``, by its series near 0."""
    result = np.asarray(np.expm1(s) - s)
    near = np.abs(s) < NEAR
    x = s[near]
    series = np.full(len(x), SERIES[0])
    for coefficient in SERIES[1:]:
        series *= x
        series += coefficient
    result[near] = series * x * x
    return result
