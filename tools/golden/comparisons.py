"""The curves that [girgis2021] compares itself with, typed in from the papers they come from; double precision."""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, logsumexp

from tools.golden.composed import Array, binomial

ORDERS = (150, 700, 2600)  # how many orders are looked at, if fewer have their best one at the end


@lru_cache(maxsize=1)
def _choose(orders: int) -> Array:
    """``log C(order, j)``, a row for each order from 2, a column for each j from 2."""
    order, j = np.arange(2.0, orders + 1)[:, None], np.arange(2.0, orders + 1)
    found = gammaln(order + 1) - gammaln(j + 1) - gammaln(np.maximum(order - j, 0) + 1)
    return np.where(j <= order, found, -np.inf)


@lru_cache(maxsize=64)
def _renyi(eps0: float, n: int, k: int, weak: bool, orders: int) -> Array:
    """[girgis2021ccs] for k reports, sampled from n by [wang2019] Theorem 9, at the orders from 2."""
    E, j = np.exp(eps0), np.arange(2.0, orders + 1)
    clones = np.floor((k - 1) / (2 * E)) + 1
    shuffle = np.log(j) + gammaln(j / 2) + j / 2 * np.log((E**2 - 1) ** 2 / (2 * E**2 * clones))
    shuffle[0] = np.log((E - 1) ** 2 / (E * clones))
    tail = j * eps0 - (k - 1) / (8 * E)
    moment = np.logaddexp(0, np.logaddexp(logsumexp(_choose(orders) + shuffle, axis=1), tail))  # (j - 1) eps(j)
    if weak:
        sampled = np.log(2) + moment
    else:
        sampled = moment + np.minimum(np.log(2), j * np.log(E - 1))
        sampled[0] = min(np.log(4) + np.log(np.expm1(moment[0])), sampled[0])
    rest = logsumexp(_choose(orders) + sampled + j * np.log(k / n), axis=1)
    return np.logaddexp(0, rest) / (j - 1)


def renyi(eps0: float, n: int, k: int, rounds: int, delta: float, weak: bool = False) -> float:
    """[29]+[43]: shuffle, then sample, at the best whole order by Lemma 1."""
    for orders in ORDERS:
        a = np.arange(2.0, orders + 1)
        cost = (np.log(1 / delta) + (a - 1) * np.log1p(-1 / a) - np.log(a)) / (a - 1)
        values = rounds * _renyi(eps0, n, k, weak, orders) + cost
        if values.argmin() < 0.8 * orders:
            break
    return float(values.min())


@lru_cache(maxsize=2)
def _clones(eps0: float, k: int) -> tuple[Array, Array]:
    """The pair of [feldman2021] as defined: C ~ Bin(k - 1, 1/E) clones, A ~ Bin(C, 1/2), and the own report."""
    E = np.exp(eps0)
    mean, reach = (k - 1) / E, 14 * np.sqrt(k / E) + 40
    clones = np.arange(max(0, int(mean - reach)), min(k - 1, int(mean + reach)) + 1.0)
    C = np.repeat(clones, clones.astype(int) + 2)
    a = np.concatenate([np.arange(count + 2) for count in clones])
    chance = binomial(k - 1, 1 / E, C)
    with_it, without = (np.where((x >= 0) & (x <= C), binomial(C, 0.5, np.clip(x, 0, C)), 0) for x in (a - 1, a))
    p, q = (chance * (E * x + y) / (E + 1) for x, y in ((with_it, without), (without, with_it)))
    keep = p > 1e-30
    return p[keep], q[keep]


def amplified(delta: float, eps0: float, k: int) -> float:
    """The eps of k shuffled reports at delta, by [feldman2021]'s pair."""
    p, q = _clones(eps0, k)

    def excess(eps: float) -> float:
        return float(np.log(np.maximum(p - np.exp(eps) * q, 0).sum() / delta))

    high = eps0
    while (p - np.exp(high) * q).max() <= 0 or excess(high) < 0:
        low, high = high, high / 2
    return float(brentq(excess, high, low * (1 - 1e-9), rtol=1e-10))


def closed_form(delta: float, eps0: float, k: int) -> float | None:
    """[feldman2021] Theorem 3.1, where its condition on eps0 holds."""
    if eps0 > np.log(k / (16 * np.log(2 / delta))):
        return None
    E = np.exp(eps0)
    return float(np.log1p((E - 1) / (E + 1) * (8 * np.sqrt(E * np.log(4 / delta) / k) + 8 * E / k)))


def strong(eps: float, n: int, k: int, rounds: int, slack: float) -> float:
    """Sampled by [ullman2017], then [kairouz2015] Theorem 3.4, the simplified form."""
    one = float(np.log1p(k / n * np.expm1(eps)))
    drift = rounds * one * (np.exp(one) - 1) / (np.exp(one) + 1)
    logs = [np.log(np.e + np.sqrt(rounds) * one / slack), np.log(1 / slack)]
    return float(min([rounds * one, *(drift + one * np.sqrt(2 * rounds * x) for x in logs)]))


def share(n: int, k: int, rounds: int, delta: float) -> float:
    """The delta of one shuffle: half of delta pays for the rounds, and sampling makes each k/n of its own."""
    return min(delta * n / (2 * rounds * k), 0.5)
