"""[liew2022] Theorem 4, equations 9 to 11, by what is known of them: the distributed check-in, one record replaced.

The statement is in the paper's main text, which the course does not have, and is put together here from what its
appendix says. n clients come with the chance gamma each, and the mean of the k that came is shown with noise of
deviation sigma/sqrt(k); the two values of the replaced record are ``distance`` apart.

Given k she is among them with the chance k/n. Lemmas 4 and 5 want a function that falls with k, which the moment does
only while that chance is taken to be gamma (``falling_moment``), and then it bounds nothing where few come.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp, xlog1py

from shufflekit import _validate
from shufflekit._binomial import log_choose, log_pmf
from shufflekit._validate import Array
from shufflekit.papers.liew2022.counts import checked, counts, fewer, more

MOST_ORDER = 512
LOG_CUT = -60.0  # of the counts that are left out, whose moment is that of a single report


def thm4(order: ArrayLike, sigma: float, n: int, gamma: float, distance: float) -> Array:
    """Equation 10 with the chance k/n, summed over k: the Renyi divergence of one round, whole orders to 512.

    Formal guarantee: for replacing one record where all hold one of its two values, ``(1-k/n) q + (k/n)
    N(distance/k, sigma^2/k)`` against ``q = N(0, sigma^2/k)`` on average over k, as if k were seen. For other data in a
    ball of diameter ``distance`` no exception is known; three values each at that distance are one.
    """
    orders, sigma, distance = _setting(order, sigma, distance)
    n, gamma = checked(n, gamma)
    K = counts(n, gamma, LOG_CUT - float(orders.max()) ** 2 * distance**2 / (2 * sigma**2))

    def log_excess(o: int) -> float:
        # A block goes by its largest chance and by its largest shift.
        inside = logsumexp(_log_excess(o, sigma, K.low, K.high / n, distance) + K.log_chance)
        return float(np.logaddexp(inside, K.log_outside + o * (o - 1) * distance**2 / (2 * sigma**2)))

    return _divergence(orders, log_excess)  # [liew2022] eq (10)


def eq11(order: ArrayLike, sigma: float, n: int, gamma: float, distance: float, Delta: float) -> Array:
    """Equation 11: Theorem 4's sum by Lemma 4, with the chance gamma in the place of k/n."""
    orders, sigma, distance = _setting(order, sigma, distance)
    few, rare = fewer(n, gamma, Delta), -(Delta**2) * n * gamma / 2

    def log_excess(o: int) -> float:
        first, rest = _log_excess(o, sigma, np.array([1.0, few + 1.0]), np.full(2, gamma), distance)
        return float(np.logaddexp(first + rare, rest))

    return _divergence(orders, log_excess)  # [liew2022] eq (11)


def thm4_lemma5(order: ArrayLike, sigma: float, n: int, gamma: float, distance: float, Delta: float) -> Array:
    """The same sum by Lemma 5, as in Figure 4."""
    orders, sigma, distance = _setting(order, sigma, distance)
    many = more(n, gamma, Delta)
    k = np.arange(1, many + 2.0)
    log_chance = log_pmf(k, n, _validate.open_unit(gamma=gamma))
    log_chance[-1] = -(Delta**2) * n * gamma / (2 + Delta)

    def log_excess(o: int) -> float:
        return float(logsumexp(_log_excess(o, sigma, k, np.full(k.shape, gamma), distance) + log_chance))

    return _divergence(orders, log_excess)  # [liew2022] Lemma 5


def falling_moment(order: int, sigma: float, k: int, gamma: float, distance: float) -> float:
    """``E_q[(p/q)^order]`` given k, where she is among them with the chance gamma whatever k is."""
    orders, sigma, distance = _setting(order, sigma, distance)
    k, gamma = _validate.count(k=k), _validate.rate(gamma=gamma)
    log_excess = _log_excess(int(orders), sigma, np.array([float(k)]), np.array([gamma]), distance)
    return 1 + math.exp(float(log_excess[0]))


def _log_excess(order: int, sigma: float, k: Array, share: Array, distance: float) -> Array:
    """``log(E_q[(p/q)^order] - 1)``, p being N(distance/k, sigma^2/k) with the chance ``share``, and else q.

    The binomial's weights sum to 1, so 1 is taken from each of its moments ``e^{j (j-1) distance^2/(2 k sigma^2)}``.
    """
    j = np.arange(2, order + 1)[:, None]
    log_shift = j * (j - 1) * distance**2 / (2 * sigma**2) / k
    log_moment = log_shift + np.log(-np.expm1(-log_shift))
    log_weight = log_choose(order, j) + j * np.log(share) + xlog1py(order - j, -share)
    return np.asarray(logsumexp(log_weight + log_moment, axis=0))


def _setting(order: ArrayLike, sigma: float, distance: float) -> tuple[Array, float, float]:
    orders = _validate.orders(order=order, integer=True, at_most=MOST_ORDER)
    return orders, _validate.positive(sigma=sigma), _validate.positive(distance=distance)


def _divergence(orders: Array, log_excess: Callable[[int], float]) -> Array:
    logs = np.array([log_excess(int(o)) for o in orders.ravel()]).reshape(orders.shape)
    return np.asarray(np.logaddexp(0.0, logs) / (orders - 1))
