"""[girgis2021] Sections 6 and C: bounds on the ternary divergence of the shuffle, on the way to Theorem 1.

All of them are exponentials of logarithms, so that an order of 10,000 overflows to ``inf`` honestly and the
``log_*`` forms, which Theorem 1 is summed from, never do.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, bdtrc, gammaln, logsumexp

from shufflekit import _validate
from shufflekit._binomial import log_pmf
from shufflekit._logs import log_expm1
from shufflekit._validate import Array


def kbar(eps0: float, k: int) -> int:
    """The users, the changed one included, that Theorem 4 is left with: ``floor((k-1)/(2E)) + 1``."""
    eps0, k = _validate.local_eps(eps0=eps0), _validate.count(k=k)
    # Fewer users are the safe side, so a quotient within round-off of a whole number is rounded down.
    return math.floor((k - 1) * math.exp(-eps0) / 2 * (1 - 1e-15)) + 1  # [girgis2021] Thm 1


def log_gap(eps0: float) -> float:
    """``log(E - 1/E)``, without cancellation for small eps0 and without overflow for large."""
    return float(log_expm1(2 * eps0)) - eps0


def log_chi_square(eps0: float) -> float:
    """``log((E-1)^2/E)``, likewise."""
    return 2 * float(log_expm1(eps0)) - eps0


def log_lemma7(m: Array, order: Array, eps0: float) -> Array:
    a = order
    second = log_chi_square(eps0) - np.log(m)
    other = np.log(a) + gammaln(a / 2) + a / 2 * (2 * log_gap(eps0) - np.log(2 * m))
    return np.asarray(np.where(a == 2, second, other))  # [girgis2021] Lemma 7


def log_thm6(m: Array, order: Array, eps0: float) -> Array:
    # Corollary 1 turns two Pearson-Vajda divergences into a ternary one at the price of 2^order.
    return log_lemma7(m, order, eps0) + order * math.log(2)  # [girgis2021] Thm 6


def lemma7(m: ArrayLike, order: ArrayLike, eps0: float) -> Array:
    """Lemma 7: the Pearson-Vajda divergence of (d,...,d,d') from (d,...,d), m records; real order >= 1."""
    return _exp(log_lemma7(*_m_order_eps0(m, order, eps0)))


def thm6(m: ArrayLike, order: ArrayLike, eps0: float) -> Array:
    """Theorem 6: the ternary divergence of (d,...,d,d'), (d,...,d,d'') from (d,...,d), m records."""
    return _exp(log_thm6(*_m_order_eps0(m, order, eps0)))


def thm4(order: ArrayLike, eps0: float, k: int) -> Array:
    """Theorem 4: ``zeta(order)^order``, the ternary divergence of the shuffle of k clients, any data."""
    (_, alpha, eps0), k = _m_order_eps0(1, order, eps0), _validate.count(k=k)
    tail = alpha * log_gap(eps0) - (k - 1) * math.exp(-eps0) / 8
    return _exp(np.logaddexp(log_thm6(np.asarray(kbar(eps0, k)), alpha, eps0), tail))  # [girgis2021] Thm 4, eq (7)


def thm4_averaged(order: ArrayLike, eps0: float, k: int) -> Array:
    """Theorem 4 without its two shortcuts: averaged over the number of clones, each term capped at its worth.

    Theorem 5 gives an average over m ~ Bin(k-1, 1/E); the paper replaces it by one m and a Chernoff tail.
    No term exceeds ``(E-1)^order`` (see ``eq36_tail_corrected``).
    """
    _, alpha, eps0 = _m_order_eps0(1, order, eps0)
    k, q = _validate.count(k=k), math.exp(-eps0)
    # The mass outside 12 standard deviations is counted at the cap, so that the bound stays a bound.
    spread = 12 * math.sqrt((k - 1) * q * (1 - q)) + 12
    low, high = max(0, math.floor((k - 1) * q - spread)), min(k - 1, math.ceil((k - 1) * q + spread))
    m, alpha = np.arange(low, high + 1, dtype=np.float64), alpha[..., None]
    cap = alpha * log_expm1(eps0)
    log_terms = np.minimum(log_thm6(m + 1, alpha, eps0), cap)
    outside = (bdtr(low - 1, k - 1, q) if low else 0.0) + bdtrc(high, k - 1, q)
    with np.errstate(divide="ignore"):  # what cannot happen weighs e^-inf
        log_weights = np.append(log_pmf(m, k - 1, q), np.log(outside))
    return _exp(logsumexp(np.concatenate([log_terms, cap], axis=-1) + log_weights, axis=-1))


def eq36_tail(order: ArrayLike, eps0: float) -> Array:
    """The factor that line (c) of eq (36) puts before the Chernoff tail: ``E^order``."""
    _, alpha, eps0 = _m_order_eps0(1, order, eps0)
    return _exp(alpha * eps0)  # [girgis2021] eq (36) line (c)


def eq36_tail_middle(order: ArrayLike, eps0: float) -> Array:
    """The factor of line (d), and the text's value of E_0: ``(E - 1/E)^order``, smaller than line (c)'s."""
    _, alpha, eps0 = _m_order_eps0(1, order, eps0)
    return _exp(alpha * log_gap(eps0))  # [girgis2021] eq (36) line (d)


def eq36_tail_corrected(order: ArrayLike, eps0: float) -> Array:
    """What E_0 is at most: ``(E-1)^order``.

    Changed: the text says that E_0 equals (E - 1/E)^order. With one record the divergence is that of the rows
    themselves, and |p' - p''| <= (E-1) p, as p' and p'' lie in [p/E, E p], a factor of at most E apart.
    """
    _, alpha, eps0 = _m_order_eps0(1, order, eps0)
    return _exp(alpha * log_expm1(eps0))  # [girgis2021] eq (36), corrected


def _m_order_eps0(m: ArrayLike, order: ArrayLike, eps0: float) -> tuple[Array, Array, float]:
    return (
        _validate.array(low=1, m=m),
        _validate.array(low=1, order=order),
        _validate.local_eps(eps0=eps0),
    )


def _exp(log_values: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.exp(log_values)
