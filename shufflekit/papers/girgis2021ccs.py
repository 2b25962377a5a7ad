"""[girgis2021ccs] Girgis et al.: On the Renyi Differential Privacy of the Shuffle Model (CCS 2021).

Here n is the number of users in the shuffle, all of whom take part.
"""

import numpy as np
from scipy.special import gammaln

from shufflekit._logs import log_expm1
from shufflekit._validate import Array, count, local_eps, orders
from shufflekit.papers._sums import MAX_ORDER, log_binomial_sum
from shufflekit.papers.girgis2021.ternary import kbar, log_chi_square, log_gap


def general(order: int | Array, eps0: float, n: int) -> Array:
    """The Renyi divergence of n shuffled users, any discrete eps0-LDP randomizer.

    Formal guarantee: (order, result)-RDP for replacing one record. Not capped at eps0.
    """
    orders_ = orders(integer=True, at_most=MAX_ORDER, order=order)
    eps0, n = local_eps(eps0=eps0), count(n=n)
    log_kbar = np.log(kbar(eps0, n))
    i = np.arange(orders_.max() + 1)
    log_a = np.full(i.size, -np.inf)
    log_a[2] = log_chi_square(eps0) - log_kbar
    # i Gamma(i/2) ((E^2-1)^2 / (2 E^2 kbar))^{i/2}   # [girgis2021ccs] general
    log_scale = 2 * log_gap(eps0) - np.log(2) - log_kbar
    log_a[3:] = np.log(i[3:]) + gammaln(i[3:] / 2) + i[3:] / 2 * log_scale
    log_rest = np.logaddexp(log_binomial_sum(orders_, log_a), _log_tail(orders_, eps0, n))
    return np.asarray(np.logaddexp(0.0, log_rest) / (orders_ - 1))


def simplified(order: int | Array, eps0: float, n: int) -> Array:
    """The same in closed form: looser, and quick to read.

    Formal guarantee: (order, result)-RDP for replacing one record. Not capped at eps0.
    """
    orders_ = orders(integer=True, at_most=MAX_ORDER, order=order)
    eps0, n = local_eps(eps0=eps0), count(n=n)
    log_main = orders_**2 * np.exp(2 * log_expm1(eps0)) / kbar(eps0, n)  # [girgis2021ccs] simplified
    return np.asarray(np.logaddexp(log_main, _log_tail(orders_, eps0, n)) / (orders_ - 1))


def _log_tail(order: Array, eps0: float, n: int) -> Array:
    return np.asarray(order * eps0 - (n - 1) * np.exp(-eps0) / 8)
