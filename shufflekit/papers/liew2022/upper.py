"""[liew2022] Theorem 1 with Lemma 6 (equation 5), and Theorem 2 (equations 7 and 18): upper bounds at whole orders.

n clients check in with probability gamma each, and their messages are shuffled. K of them came; given that, the
changed one is among them with the chance K/n, which Theorem 2 takes to be gamma.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from shufflekit import _validate
from shufflekit._logs import log_expm1
from shufflekit._validate import Array
from shufflekit.accuracy import RENYI_ERROR
from shufflekit.papers import _sums
from shufflekit.papers.girgis2021.renyi import MAX_ORDER
from shufflekit.papers.girgis2021.series import log_binomial_remainder, log_choose_few, log_sum_of_higher_terms
from shufflekit.papers.girgis2021.ternary import kbar, log_chi_square, log_gap
from shufflekit.papers.liew2022.counts import checked, counts, fewer

MOST_SUMMED_ORDER = 2**13  # of equation 5, whose work grows with it
LOG_SPARE = -40.0  # what is cut off equation 5's sum, next to what it is added to
CELLS = 2**20
DELTAS = 32  # tried by `eq7_best`, on each of two scales


def eq5(order: ArrayLike, eps0: float, n: int, gamma: float) -> Array:
    """Theorem 1 with Lemma 6 for each K and the chance K/n of being among them, summed over K; never too small.

    Formal guarantee: the Renyi divergence of one round, for replacing one record, any eps0-LDP randomizer.
    """
    orders = _validate.orders(order=order, integer=True, at_most=MOST_SUMMED_ORDER)
    eps0, (n, gamma) = _validate.local_eps(eps0=eps0), checked(n, gamma)
    # The sums for the next power of two serve all orders up to it.
    log_a, log_outside = _averaged(eps0, n, gamma, 2 ** math.ceil(math.log2(orders.max())))
    # Where K was cut off, the moment is that of one eps0-LDP message at most.
    total = np.logaddexp(_sums.log_binomial_sum(orders, log_a), log_outside + (orders - 1) * eps0)
    return np.asarray(np.logaddexp(0.0, total + RENYI_ERROR) / (orders - 1))  # [liew2022] eq (5)


def eq7(order: ArrayLike, eps0: float, n: int, gamma: float, Delta: float) -> Array:
    """Theorem 2 as printed, with ``e^{-eps0/ktilde}``: a bound wherever the corrected one is, but it stays large.

    Corrected: ``eq7_corrected``, with ``e^-eps0 / ktilde``.
    """
    return _eq18(order, eps0, n, gamma, Delta, printed=True)  # [liew2022] eq (7)


def eq7_corrected(order: ArrayLike, eps0: float, n: int, gamma: float, Delta: float) -> Array:
    """Theorem 2 with ``e^-eps0 / ktilde``, for a Delta with which ``(1 - Delta) n gamma`` is a whole number.

    Where few are expected to check in it is no bound: see ``eq7_best``.
    """
    return _eq18(order, eps0, n, gamma, Delta, printed=False)  # [liew2022] eq (7), corrected


def eq7_best(order: ArrayLike, eps0: float, n: int, gamma: float) -> Array:
    """``eq7_corrected`` with the best Delta of some dozens, for each order.

    Equation 18 takes the chance K/n of being among the K that came for gamma. Where few come that is too little, and
    the exact divergence of randomized response is larger: n = 20, gamma = .01, eps0 = 4, order 12. It bounds the
    divergence wherever ``eq5``, which does, is not above it; so for ``n gamma >= 10 e^eps0`` on a grid of orders up to
    64, with gamma from 1/1000 to 9/10 (``tests/test_liew2022.py``).
    """
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    n, gamma = checked(n, gamma)
    mean = n * gamma
    tried = [np.linspace(0.0, 1.0, DELTAS), np.geomspace(min(1.0, 1 / math.sqrt(mean)), 1.0, DELTAS)]
    few = np.unique(np.floor((1 - np.concatenate(tried)) * mean))
    return np.asarray(np.min([eq7_corrected(orders, eps0, n, gamma, 1 - m / mean) for m in few], axis=0))


def eq7_at_least(order: ArrayLike, eps0: float, n: int, gamma: float) -> Array:
    """A number that ``eq7_corrected`` is not below, whatever Delta: its second-order term, clones as many as can be."""
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    eps0, (n, gamma) = _validate.local_eps(eps0=eps0), checked(n, gamma)
    clones = kbar(eps0, math.ceil(n * gamma) + 1)
    second = math.log(4) + 2 * math.log(gamma) + log_chi_square(eps0) - math.log(clones)
    return np.asarray(np.logaddexp(0.0, log_choose_few(orders, 2) + second) / (orders - 1))


def _eq18(order: ArrayLike, eps0: float, n: int, gamma: float, Delta: float, *, printed: bool) -> Array:
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    eps0, few = _validate.local_eps(eps0=eps0), fewer(n, gamma, Delta)
    log_clones = math.log(kbar(eps0, few + 1))  # ktilde
    rare, log_gamma = -(Delta**2) * n * gamma / 2, math.log(gamma)
    vanishing = -eps0 * math.exp(-log_clones) if printed else -eps0 - log_clones
    second = np.logaddexp(rare - eps0, vanishing) + 2 * log_expm1(eps0) + math.log(4) + 2 * log_gamma
    base = 2 * (log_gamma + log_gap(eps0)) + math.log(2)
    higher = log_sum_of_higher_terms(orders, base) + rare, log_sum_of_higher_terms(orders, base - log_clones)
    upsilon = log_binomial_remainder(orders, log_gamma + log_gap(eps0))
    upsilon += np.logaddexp(rare, -few * math.exp(-eps0) / 8)
    total = np.logaddexp.reduce([log_choose_few(orders, 2) + second, *higher, upsilon])
    return np.asarray(np.logaddexp(0.0, total) / (orders - 1))  # [liew2022] eq (18)


@lru_cache(maxsize=16)  # a search over the order asks again and again
def _averaged(eps0: float, n: int, gamma: float, order: int) -> tuple[Array, float]:
    """The logarithms of a_j with which Lemma 6's bracket, averaged over K, is ``1 + sum_j C(order, j) a_j``.

    The sum over j is taken as it is, and Upsilon's is ``sum_j C(order, j) x^j``. A block of K's goes by its largest
    chance of being among them and by its fewest clones: each term rises with the one and falls with the other.
    """
    leading = math.log(gamma) - math.log(n) + log_chi_square(eps0)  # of about the size of the average less 1
    K = counts(n, gamma, min(leading, 0.0) + LOG_SPARE - order * eps0)
    log_clones = np.log([kbar(eps0, int(low)) for low in K.low])
    x = np.log(K.high / n) + log_gap(eps0)
    log_a = np.full(order + 1, -np.inf)
    rows = max(1, CELLS // len(x))
    for start in range(2, order + 1, rows):
        j = np.arange(start, min(start + rows, order + 1))[:, None]
        term = np.log(j) + gammaln(j / 2) + j * (x + (math.log(2) - log_clones) / 2)
        if start == 2:
            term[0] = math.log(4) + 2 * np.log(K.high / n) + log_chi_square(eps0) - log_clones
        upsilon = j * x - (K.low - 1) * math.exp(-eps0) / 8
        log_a[j[:, 0]] = logsumexp(np.logaddexp(term, upsilon) + K.log_chance, axis=1)  # [liew2022] eq (17)
    return log_a, K.log_outside
