"""[liew2022] Lemmas 4, 5 and 7: sums over the number that check in, cut short.

``f`` is a function of a whole number k from 1 to n, a float or an array of such; ``mu = n gamma``.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._binomial import pmf
from shufflekit._validate import Array
from shufflekit.papers.girgis2021.renyi import MAX_ORDER
from shufflekit.papers.girgis2021.series import log_binomial_remainder, log_choose_few, log_sum_of_higher_terms
from shufflekit.papers.girgis2021.ternary import kbar, log_chi_square, log_gap
from shufflekit.papers.liew2022.counts import checked, fewer, more

Function = Callable[[int], float]


def lemma4(f: Function, n: int, gamma: float, Delta: float) -> tuple[float, float]:
    """Lemma 4's two sides with the weights ``gamma^k (1-gamma)^{n-k}`` that the print leaves out.

    For an f that falls and is not negative, and a Delta with which ``(1 - Delta) mu`` is a whole number below n.
    """
    return average(f, n, gamma), lemma4_bound(f, n, gamma, Delta)  # [liew2022] Lemma 4, corrected


def lemma4_printed(f: Function, n: int, gamma: float, Delta: float) -> tuple[float, float]:
    """Lemma 4's two sides as printed, without weights. Corrected: ``lemma4``."""
    return _unweighted(f, n, n), lemma4_bound(f, n, gamma, Delta)  # [liew2022] eq (16)


def lemma4_bound(f: Function, n: int, gamma: float, Delta: float) -> float:
    """``f(1) e^{-Delta^2 mu/2} + f((1 - Delta) mu + 1)``."""
    few = fewer(n, gamma, Delta)
    if few >= n:
        raise ValueError(f"Delta must make (1 - Delta) n gamma less than n = {n:,}, got {Delta!r}")
    return f(1) * math.exp(-(Delta**2) * n * gamma / 2) + f(few + 1)  # [liew2022] Lemma 4


def lemma5(f: Function, n: int, gamma: float, Delta: float) -> tuple[float, float]:
    """Lemma 5's two sides with the weights; f as in ``lemma4``, ``(1 + Delta) mu`` a whole number below n."""
    n, gamma = checked(n, gamma)
    return average(f, n, gamma), _lemma5_bound(f, n, gamma, Delta, average)  # [liew2022] Lemma 5, corrected


def lemma5_printed(f: Function, n: int, gamma: float, Delta: float) -> tuple[float, float]:
    """Lemma 5's two sides as printed, without weights. Corrected: ``lemma5``."""
    n, gamma = checked(n, gamma)

    def unweighted(f: Function, n: int, gamma: float, last: int) -> float:
        return _unweighted(f, n, last)

    return _unweighted(f, n, n), _lemma5_bound(f, n, gamma, Delta, unweighted)  # [liew2022] Lemma 5


def average(f: Function, n: int, gamma: float, last: int | None = None) -> float:
    """``sum_k C(n, k) gamma^k (1-gamma)^{n-k} f(k)`` from k = 1 up to n, or to ``last``."""
    k = range(1, (n if last is None else last) + 1)
    chances = pmf(np.array(k), n, gamma) if gamma < 1 else [float(i == n) for i in k]
    return math.fsum(float(chance) * f(i) for i, chance in zip(k, chances, strict=True))


def log_bracket(order: ArrayLike, eps0: float, k: int, gamma: float) -> Array:
    """The logarithm of the term inside the logarithm of equation (17), with a gamma of one's own.

    Lemma 7 says that it falls with k. It does while gamma stays as it is: each of its terms does, and
    ``(1+x)^order - 1 - order x`` is at least 0. With ``gamma = k/n``, which Lemma 6 defines, it may rise.
    """
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    eps0, k, gamma = _validate.local_eps(eps0=eps0), _validate.count(k=k), _validate.rate(gamma=gamma)
    x, log_clones = math.log(gamma) + log_gap(eps0), math.log(kbar(eps0, k))
    second = log_choose_few(orders, 2) + math.log(4) + 2 * math.log(gamma) + log_chi_square(eps0) - log_clones
    higher = log_sum_of_higher_terms(orders, 2 * x + math.log(2) - log_clones)
    upsilon = log_binomial_remainder(orders, x) - (k - 1) * math.exp(-eps0) / 8
    return np.asarray(np.logaddexp.reduce([np.zeros(orders.shape), second, higher, upsilon]))  # [liew2022] eq (17)


def _lemma5_bound(f: Function, n: int, gamma: float, Delta: float, sum_to: Callable[..., float]) -> float:
    many = more(n, gamma, Delta)
    if many >= n:
        raise ValueError(f"Delta must make (1 + Delta) n gamma less than n = {n:,}, got {Delta!r}")
    rare = math.exp(-(Delta**2) * n * gamma / (2 + Delta))
    return sum_to(f, n, gamma, many) + f(many + 1) * rare


def _unweighted(f: Function, n: int, last: int) -> float:
    n = _validate.count(n=n)
    return math.fsum(math.comb(n, k) * f(k) for k in range(1, last + 1))
