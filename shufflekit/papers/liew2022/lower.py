"""[liew2022] Theorem 3: what binary randomized response reveals at least, all others holding the same value."""

import math

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.papers.girgis2021.renyi import MAX_ORDER
from shufflekit.papers.girgis2021.series import log_choose_few
from shufflekit.papers.girgis2021.ternary import log_chi_square
from shufflekit.papers.liew2022.counts import checked


def thm3(order: ArrayLike, eps0: float, n: int, gamma: float, Delta: float) -> Array:
    """Theorem 3: at least this is the Renyi divergence of one round, at whole orders; any Delta above 0."""
    (n, gamma), Delta = checked(n, gamma), _validate.nonnegative(Delta=Delta)
    mean = n * gamma
    bulk = -math.expm1(-(Delta**2) * mean / (2 + Delta)) / (1 + Delta)
    return _second_term(order, eps0, n, gamma, bulk)  # [liew2022] eq (8)


def thm3_free(order: ArrayLike, eps0: float, n: int, gamma: float) -> Array:
    """Theorem 3 without its Delta, the prefactor being 1: at least as large as ``thm3`` at every Delta.

    Given K, the second-order term is ``C(order, 2) (K/n)^2 (E-1)^2/(K E)``, whose mean over K is exactly this; all
    terms after it are central moments of Bin(K, 1/(E+1)), and these are at least 0 (``central_moment``).
    """
    return _second_term(order, eps0, n, gamma, 1.0)  # [liew2022] eq (8), improved


def _second_term(order: ArrayLike, eps0: float, n: int, gamma: float, share: float) -> Array:
    orders = _validate.orders(order=order, integer=True, at_most=MAX_ORDER)
    eps0, (n, gamma) = _validate.local_eps(eps0=eps0), checked(n, gamma)
    if share == 0:
        return np.zeros(orders.shape)
    second = log_choose_few(orders, 2) + math.log(share * gamma) - math.log(n) + log_chi_square(eps0)
    return np.asarray(np.logaddexp(0.0, second) / (orders - 1))
