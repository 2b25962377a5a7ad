"""[liew2022] Theorem 5 and Remark 5: the distributed check-in where one record is there, or not at all.

All others hold 0 and the one record is 1. Of the n - 1 others each checks in with probability gamma; k of them came.
p' = N(0, sigma^2/k) is their mean with its noise, q' = N(1/(k+1), sigma^2/(k+1)) that with the record among them; for
k = 0 the noise of p' has deviation sigma. Without the record the law is p, the mean of p' over k, and with it
q = (1-gamma) p + gamma q'. How many came is not seen. Where the others hold other values, the two means may lie farther
apart, up to 2/(k+1) in the unit ball: neither the theorem nor what corrects it here is about that.
"""

import math
from typing import Any

from shufflekit import _validate
from shufflekit.papers.liew2022.gaussians import Pair, alone

MOST_CLIENTS = 1000  # of Theorem 5's double sum
LOG_LARGEST = 709.0  # of a floating-point number


def log_forth(order: int, k: int, sigma: float) -> float:
    """The logarithm of ``E_{q'}[(p'/q')^order]``: infinite from order k + 1 on, as q' has the thinner tails."""
    order, k, sigma = _order_k_sigma(order, k, sigma)
    if k == 0:
        return order * (order - 1) / (2 * sigma**2)
    left = k + 1 - order
    if left <= 0:
        return math.inf
    spread = (order * math.log(k) - (order - 1) * math.log(k + 1) - math.log(left)) / 2
    return spread + order * (order - 1) * k / (2 * sigma**2 * (k + 1) * left)  # [liew2022] Thm 5, corrected


def log_back(order: int, k: int, sigma: float) -> float:
    """The logarithm of ``E_{p'}[(q'/p')^order]``, which is always finite."""
    order, k, sigma = _order_k_sigma(order, k, sigma)
    if k == 0:
        return order * (order - 1) / (2 * sigma**2)
    spread = (order * math.log(k + 1) - math.log(k + order) - (order - 1) * math.log(k)) / 2
    return spread + order * (order - 1) * k / (2 * sigma**2 * (k + 1) * (k + order))  # [liew2022] Thm 5, corrected


def log_printed(order: int, k: int, sigma: float) -> float:
    """What Theorem 5 prints for ``log E_{q'}[(p'/q')^order]``: the factor of ``log_back`` with another exponent."""
    order, k, sigma = _order_k_sigma(order, k, sigma)
    if k == 0:
        return order * (order - 1) / (2 * sigma**2)
    spread = (order * math.log(k + 1) - math.log(k + order) - (order - 1) * math.log(k)) / 2
    return spread - (order + 1) / (sigma**2 * (k + 1))  # [liew2022] Thm 5


def thm5_braces(order: int, sigma: float, n: int, gamma: float) -> float:
    """The braces of Theorem 5 as printed, lines (12) and (13), which are to bound the moment.

    Corrected: ``thm5_added`` and ``thm5_removed``, one for each direction.
    """
    order, sigma, n, gamma = _setting(order, sigma, n, gamma)
    total = (1 - gamma) ** (order - 1) * (order * gamma - gamma + 1)
    for k, chance in enumerate(_others(n, gamma)):
        total += chance * weight(2, order, gamma) * _exp(log_printed(2, k, sigma))
        for j in range(3, order + 1):
            total += 3 * chance * printed_weight(j, order, gamma) * _exp(log_printed(j, k, sigma))
    return float(total)  # [liew2022] eqs (12), (13)


def thm5(order: int, sigma: float, n: int, gamma: float) -> float:
    """Theorem 5 as printed, ``1/(1 - order) log{...}``: negative where the braces are above 1."""
    return math.log(thm5_braces(order, sigma, n, gamma)) / (1 - order)  # [liew2022] Thm 5


def printed_weight(j: int, order: int, gamma: Any) -> Any:
    """The weight that line (13) gives to a moment of order j, exponents exchanged. Corrected: ``weight``."""
    return math.comb(order, j) * gamma ** (order - j) * (1 - gamma) ** j  # [liew2022] eq (13)


def weight(j: int, order: int, gamma: Any) -> Any:
    """The weight of a moment of order j in the binomial expansion of ``((1-gamma) + gamma r)^order``."""
    return math.comb(order, j) * gamma**j * (1 - gamma) ** (order - j)  # [liew2022] Thm 5, corrected


def thm5_added(order: int, sigma: float, n: int, gamma: float) -> float:
    """A bound on ``E_p[(q/p)^order]``, the record being added; the factor 3 is not needed.

    ``x^order y^{1-order}`` is jointly convex: who of the others came may be seen, and on average the moment grows.
    What is left is ``E_{p'}[((1-gamma) + gamma q'/p')^order]`` for each k, all of whose terms are finite.
    """
    order, sigma, n, gamma = _setting(order, sigma, n, gamma)
    return math.fsum(
        chance * weight(j, order, gamma) * _exp(log_back(j, k, sigma))
        for k, chance in enumerate(_others(n, gamma))
        for j in range(order + 1)
    )  # [liew2022] Thm 5, corrected


def thm5_removed(order: int, sigma: float, n: int, gamma: float) -> float:
    """A bound on ``E_q[(p/q)^order]``, the record being removed, in the same way: an integral for each k.

    ``E_{p'}[((1-gamma) + gamma q'/p')^{1-order}]`` is at most ``(1-gamma)^{1-order}``, while an expansion in moments of
    p'/q', as in the paper's proof, has infinite terms: those of order k + 1 and beyond.
    """
    order, sigma, n, gamma = _setting(order, sigma, n, gamma)
    terms = []
    for k, chance in enumerate(_others(n, gamma)):
        pair = alone(k, sigma)
        mixed = Pair(pair.p, pair.p.times(1 - gamma).joined(pair.q.times(gamma)))
        terms.append(chance * mixed.moment(order, forth=True))
    return math.fsum(terms)  # [liew2022] Thm 5, corrected


def _others(n: int, gamma: float) -> list[float]:
    """The chances that k = 0, ..., n - 1 of the others come."""
    return [weight(k, n - 1, gamma) for k in range(n)]


def _order_k_sigma(order: int, k: int, sigma: float) -> tuple[int, int, float]:
    order, k = _validate.count(order=order, at_least=0), _validate.count(k=k, at_least=0)
    return order, k, _validate.positive(sigma=sigma)


def _setting(order: int, sigma: float, n: int, gamma: float) -> tuple[int, float, int, float]:
    order, sigma = _validate.count(order=order, at_least=2), _validate.positive(sigma=sigma)
    n, gamma = _validate.count(n=n, at_most=MOST_CLIENTS), _validate.open_unit(gamma=gamma)
    return order, sigma, n, gamma


def _exp(log_moment: float) -> float:
    return math.exp(log_moment) if log_moment < LOG_LARGEST else math.inf
