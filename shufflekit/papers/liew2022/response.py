"""[liew2022] Lemma 8 and the truth behind Theorem 3: binary randomized response, all others equal, shuffled.

``ratio`` is E = e^eps0, and with it all numbers stay exact; a client lies with the chance rho = 1/(E + 1). D holds
zeros only, in D' one record is 1; mu_0 and mu_1 are the laws of the number of ones among k messages.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from shufflekit import _validate, definitions, exact
from shufflekit._validate import Array
from shufflekit.papers import _sums
from shufflekit.papers.girgis2021.ternary import log_gap
from shufflekit.papers.liew2022.counts import checked

MOST_ORDER = 512  # of the exact divergence, whose work grows with its square


def eq20(ratio: Any, k: int) -> exact.TwoLaws:
    """Equation (20): mu_1 and mu_0, at m = 0, ..., k."""
    rho, k = 1 / (_odds(ratio) + 1), _validate.count(k=k)
    mu_0 = [math.comb(k, m) * rho**m * (1 - rho) ** (k - m) for m in range(k + 1)]
    own = [math.comb(k - 1, m) * rho**m * (1 - rho) ** (k - 1 - m) for m in range(k)]
    mu_1 = [(1 - rho) * before + rho * here for before, here in zip([0, *own], [*own, 0], strict=True)]
    return exact.TwoLaws(exact.law(mu_1), exact.law(mu_0))  # [liew2022] eq (20)


def eq20_ratio(ratio: Any, k: int) -> list[Any]:
    """What follows equation (20), ``mu_1/mu_0 = (m/k) E + ((k-m)/k) / E``, at m = 0, ..., k."""
    E, k = _odds(ratio), _validate.count(k=k)
    return [(m * E + (k - m) / E) / k for m in range(k + 1)]


def sampled(ratio: Any, k: int, gamma: Any) -> exact.TwoLaws:
    """The laws p_k and q_k of Lemma 8: the changed record is among the k with the chance gamma."""
    (mu_1, mu_0), gamma = eq20(ratio, k), _validate.exact_rate(gamma=gamma)
    return exact.TwoLaws((1 - gamma) * mu_0 + gamma * mu_1, mu_0)


def central_moment(k: int, rho: Any, j: int) -> Any:
    """``E(m - k rho)^j`` for m ~ Bin(k, rho).

    Never below 0 for rho of at most 1/2: those of one Bernoulli are ``rho (1-rho) ((1-rho)^{j-1} +- rho^{j-1})``, and
    those of an independent sum are sums of products of them, with positive factors. Jensen's inequality, which the
    proof of Lemma 8 names, says nothing for odd j.
    """
    k, j, rho = _validate.count(k=k), _validate.count(j=j, at_least=0), _validate.exact_open_unit(rho=rho)
    return sum(math.comb(k, m) * rho**m * (1 - rho) ** (k - m) * (m - k * rho) ** j for m in range(k + 1))


def eq21(order: int, ratio: Any, k: int, gamma: Any) -> Any:
    """Equation (21): ``E_{q_k}[(p_k/q_k)^order]`` by central moments of the binomial law."""
    E, k, gamma = _odds(ratio), _validate.count(k=k), _validate.exact_rate(gamma=gamma)
    step = gamma * (E * E - 1) / (k * E)
    higher = [math.comb(order, j) * step**j * central_moment(k, 1 / (E + 1), j) for j in range(3, order + 1)]
    return lemma8(order, E, k, gamma) + sum(higher)  # [liew2022] eq (21)


def lemma8(order: int, ratio: Any, k: int, gamma: Any) -> Any:
    """Lemma 8: at least this is ``E_{q_k}[(p_k/q_k)^order]``, for whole orders; at order 2 they are equal."""
    order, k = _validate.count(order=order, at_least=2), _validate.count(k=k)
    E, gamma = _odds(ratio), _validate.exact_rate(gamma=gamma)
    return 1 + math.comb(order, 2) * gamma**2 * (E - 1) ** 2 / (k * E)  # [liew2022] eq (19)


def checked_in(ratio: Any, n: int, gamma: Any) -> exact.TwoLaws:
    """All that a shuffled check-in shows, outcome by outcome, with a 1 (P) and without (Q); some dozens of clients."""
    law = definitions.response(_odds(ratio) - 1, 2)
    gamma = _validate.exact_rate(gamma=gamma)
    law = law if gamma == 1 else definitions.check_in(law, gamma)
    # Whole numbers, too: a quotient of two of them would be rounded.
    return exact.pair(definitions.Definition(n, n, (tuple(definitions.Kind(*map(Fraction, one)) for one in law),)))


def divergence(order: ArrayLike, eps0: float, n: int, gamma: float) -> Array:
    """The Renyi divergence of D' from D of a shuffled check-in, at whole orders up to 512: exact, for any n.

    ``P/Q = 1 + (E - 1/E) S/n`` with S the sum over all clients of 0 (not come), 1 - rho (a one) or -rho (a zero). All
    moments of these are at least 0, and so is each term of the exponential series' n-th power: nothing cancels.
    """
    orders = _validate.orders(order=order, integer=True, at_most=MOST_ORDER)
    eps0, (n, gamma) = _validate.local_eps(eps0=eps0), checked(n, gamma)
    j = np.arange(int(orders.max()) + 1)
    log_lie, log_truth = -eps0 - math.log1p(math.exp(-eps0)), -math.log1p(math.exp(-eps0))
    # rho (1-rho) ((1-rho)^{j-1} + (-1)^j rho^{j-1})
    other = np.where(j > 1, (j - 1) * (log_lie - log_truth), 0.0)
    with np.errstate(divide="ignore"):
        bracket = np.where(j % 2 == 0, np.log1p(np.exp(other)), np.log(-np.expm1(np.minimum(other, 0.0))))
    log_b = math.log(gamma) + log_lie + j * log_truth + bracket
    log_b += j * (log_gap(eps0) - math.log(n)) - gammaln(j + 1)
    log_b[:2] = 0.0, -np.inf
    log_total = _sums.log_binomial_sum(orders, _log_power(np.asarray(log_b, dtype=np.float64), n) + gammaln(j + 1))
    return np.asarray(np.logaddexp(0.0, log_total) / (orders - 1))


def _odds(ratio: Any) -> Any:
    """E, a fraction if it is a whole number, so that no quotient is rounded."""
    E = _validate.ratio(ratio=ratio)
    return Fraction(E) if isinstance(E, int) else E


def _log_power(log_b: Array, n: int) -> Array:
    """The logarithms of the first coefficients of a power series to the n, by squaring; none is negative."""
    power = np.full(len(log_b), -np.inf)
    power[0] = 0.0
    while n:
        if n % 2:
            power = _log_product(power, log_b)
        log_b, n = _log_product(log_b, log_b), n // 2
    return power


def _log_product(log_a: Array, log_b: Array) -> Array:
    behind = np.arange(len(log_a))[:, None] - np.arange(len(log_a))
    shifted = np.where(behind >= 0, log_b[np.maximum(behind, 0)], -np.inf)
    return np.asarray(logsumexp(log_a + shifted, axis=1))
