"""[liew2022] Distributed check-ins watched: what the noise tells, four clients on a line by integrals, two rounds.

Whoever comes sends her value with noise of deviation sigma, and the mean of those who came is shown.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom, norm

from shufflekit._validate import Array
from shufflekit.convex_order import connected
from shufflekit.papers.liew2022.distributed import falling_moment, thm4
from shufflekit.protocols import DistributedCheckIn

COUNTS = np.arange(1, 200)
LINE = np.linspace(-12, 12, 3001)
SMALL_SIGMA, SMALL_RATE = 0.8, 0.4  # of four clients
Values = Sequence[float]


def shown(x: Array, came: int, sigma: float) -> dict[str, Array]:
    """The density of the mean that is shown: all at -1, and one of them at +1."""
    means = {"all at -1": -1.0, "one at +1": 2 / came - 1}
    return {f"K = {came}, {name}": norm.pdf(x, mean, sigma / math.sqrt(came)) for name, mean in means.items()}


# What the size of the noise gives away.


def after(d: int, sigma: float, n: int, rate: float, *, came: int = 60, seed: int = 17) -> Array:
    """By the count from 0 on: how likely it is, given the squares of the noise in d coordinates, by Bayes."""
    squares = sigma**2 / came * np.random.default_rng(seed).chisquare(d)
    log = binom.logpmf(COUNTS, n, rate) + d / 2 * np.log(COUNTS) - COUNTS * squares / (2 * sigma**2)
    return np.append(0.0, np.exp(log - logsumexp(log)))


def spread(dimensions: Iterable[int], sigma: float, n: int, rate: float) -> Array:
    """The deviation of the count given the noise, 60 having come; 20 draws of it for each dimension."""
    found = []
    for d in dimensions:
        laws = [after(int(d), sigma, n, rate, seed=seed)[1:] for seed in range(20)]
        found.append(math.sqrt(np.mean([law @ COUNTS**2 - (law @ COUNTS) ** 2 for law in laws])))
    return np.array(found)


def share_by_count(order: int, sigma: float, n: int, rate: float, most: int = 100) -> Array:
    """Theorem 4's sum at distance 2: the share of each count from 1 on in what is above 1."""
    counts = np.arange(1, most + 1)
    moments = np.array([falling_moment(order, sigma, int(k), k / n, 2.0) for k in counts])
    each = binom.pmf(counts, n, rate) * (moments - 1)
    return np.asarray(each / each.sum())


# Four clients on a line, the number of who came seen: integrals.


def log_law(values: Values, k: int, sigma: float) -> Array:
    """Of the mean of a random k of them."""
    logs = [norm.logpdf(LINE, np.mean(some), sigma / math.sqrt(k)) for some in combinations(values, k)]
    return np.asarray(logsumexp(logs, axis=0) - math.log(len(logs)))


def hockey(one: Values, two: Values, alpha: float) -> float:
    """``H_alpha`` of what is seen with the one data set and with the other; they may differ in size."""
    total = max((1 - SMALL_RATE) ** len(one) - alpha * (1 - SMALL_RATE) ** len(two), 0.0)
    for k in range(1, len(one) + 1):
        gap = _come(one, k) * np.exp(log_law(one, k, SMALL_SIGMA))
        if k <= len(two):
            gap -= alpha * _come(two, k) * np.exp(log_law(two, k, SMALL_SIGMA))
        total += float(np.trapezoid(np.maximum(gap, 0), LINE))
    return total


def _come(values: Values, k: int) -> float:
    return float(binom.pmf(k, len(values), SMALL_RATE))


def attempts(neighbours: str, eps: float = 0.1) -> list[float]:
    """Random data of four clients on a line, both ways: which share of what is guaranteed they reach."""
    rng = np.random.default_rng(3)
    bound = DistributedCheckIn(SMALL_SIGMA, 4, SMALL_RATE, neighbours).delta(eps).upper
    used = []
    for _ in range(60):
        *others, u, v = rng.choice([-1, -0.5, 0, 0.5, 1], 5)
        one, two = (*others, u), (*others, v) if neighbours == "replace" else tuple(others)
        used += [hockey(*pair, math.exp(eps)) / bound for pair in ((one, two), (two, one))]
    return used


def shares_of_theorem_4(order: int, sigma: float, rate: float) -> list[float]:
    """Four clients at -1, 0 or 1, one of them changed: which share of Theorem 4's excess over 1 their moment has."""
    bound = math.expm1((order - 1) * float(thm4(order, sigma, 4, rate, 2.0)))
    others = [one for one in product((-1, 0, 1), repeat=3) if list(one) == sorted(one)]
    changes = ((1, -1), (-1, 1), (1, 0), (0, 1))
    return [(_moment((*some, u), (*some, v), order, sigma, rate) - 1) / bound for some in others for u, v in changes]


def _moment(one: Values, two: Values, order: int, sigma: float, rate: float) -> float:
    total = (1 - rate) ** len(one)
    for k in range(1, len(one) + 1):
        p, q = log_law(one, k, sigma), log_law(two, k, sigma)
        integral = float(np.trapezoid(np.exp(order * p + (1 - order) * q), LINE))
        total += float(binom.pmf(k, len(one), rate)) * integral
    return total


# Two rounds at eps = 0.


def two_rounds(q: float, mu: float) -> dict[str, float]:
    """Delta of P = (1 - q) Q + q N(mu, 1), Q = N(0, 1): the same data twice, chosen after the first round, a bound."""
    z = np.linspace(-9, 12, 4001)
    w = norm.pdf(z) / norm.pdf(z).sum()
    X = 1 - q + q * np.exp(mu * z - mu**2 / 2)

    def profiles(alpha: Any) -> tuple[Array, Array]:  # forth, and back
        alpha = np.asarray(alpha)[..., None]
        return np.maximum(X - alpha, 0) @ w, np.maximum(1 - alpha * X, 0) @ w

    def better(alpha: Any) -> Array:
        return np.maximum(*profiles(alpha))

    eps = np.linspace(0, 12, 1000)
    pair = connected(eps, better(np.exp(eps)), better(np.exp(eps)))
    return {
        "forth\nforth": float((w * X) @ profiles(1 / X)[0]),
        "back\nback": float(w @ profiles(X)[1]),
        "forth, then\nthe better": float((w * X) @ better(1 / X)),
        "symmetric\npair": float(np.exp(pair.log_q + pair.loss) @ better(np.exp(-pair.loss))),
    }


def by_rounds(rounds: Iterable[int], sigma: float, n: int, rate: float, delta: float) -> dict[str, list[float]]:
    """What is guaranteed and reached, a record being replaced, and the exact eps of a removed one."""
    ends = [(DistributedCheckIn(sigma, n, rate) * T).epsilon(delta, rtol=2e-3) for T in rounds]
    curves = {"replaced: guaranteed": [one.upper for one in ends], "replaced: reached": [one.lower for one in ends]}
    for distance in (2.0, 1.0):
        one = DistributedCheckIn(sigma, n, rate, "remove", distance)
        curves[f"removed, D = {distance:g}"] = [(one * T).epsilon(delta, rtol=2e-3).upper for T in rounds]
    return curves
