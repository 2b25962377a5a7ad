"""[liew2022] Theorems 1 to 3 and Lemmas 4 to 8 held against enumeration: rows, and points at which the print fails.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import exact
from shufflekit._validate import Array
from shufflekit.divergences import Law, renyi_moment
from shufflekit.papers.girgis2021.renyi import thm1
from shufflekit.papers.liew2022 import response
from shufflekit.papers.liew2022.baseline import appendix_d
from shufflekit.papers.liew2022.lemmas import (
    lemma4,
    lemma4_bound,
    lemma4_printed,
    lemma5,
    lemma5_printed,
    log_bracket,
)
from shufflekit.papers.liew2022.lower import thm3, thm3_free
from shufflekit.papers.liew2022.upper import eq5, eq7, eq7_best, eq7_corrected
from shufflekit.papers.rows import Misprint, Row
from shufflekit.protocols import Shuffle, ShuffledCheckIn
from shufflekit.randomizers import Channel, RandomizedResponse

Bound = Callable[[ArrayLike, float, int, float], Array]
ENOUGH = 10  # times e^eps0 check-ins are expected where equation 7 is held against the truth
FALLING: dict[str, Callable[[int], float]] = {
    "1": lambda k: 1.0,
    "1/k": lambda k: 1 / k,
    "e^-k": lambda k: math.exp(-k),
    "(5-k)_+": lambda k: max(5.0 - k, 0.0),
}
ORDERS = np.array([2, 3, 8, 32])
RATES = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
RATIOS = (Fraction(11, 10), Fraction(3), Fraction(20))


def lemma_4() -> Misprint:
    """Lemma 4 without weights, two clients and f = 1; and with them, all n up to 30."""
    rows = []
    for n, gamma, (name, f) in itertools.product(range(1, 31), (0.1, 0.5, 0.9, 1.0), FALLING.items()):
        for few in range(min(math.floor(n * gamma), n - 1) + 1):
            rows.append(
                (*lemma4(f, n, gamma, 1 - few / (n * gamma)), f"n = {n}, gamma = {gamma}, few = {few}, f = {name}")
            )
    at = {"n": 2.0, "gamma": 0.5, "Delta": 0.0}
    return Misprint((*lemma4_printed(FALLING["1"], 2, 0.5, 0.0), at), rows)


def lemma_4_negative() -> tuple[float, float]:
    """Both sides of Lemma 4 for f = -k, which falls, too: ten clients, gamma = 1/2, Delta = 0."""
    return lemma4(lambda k: -float(k), 10, 0.5, 0.0)


def lemma_5() -> Misprint:
    """Lemma 5 without weights, three clients and f = 1; and with them, all n up to 30."""
    rows = []
    for n, gamma, (name, f) in itertools.product(range(2, 31), (0.1, 0.5, 0.9), FALLING.items()):
        for many in range(math.ceil(n * gamma), n):
            rows.append(
                (*lemma5(f, n, gamma, many / (n * gamma) - 1), f"n = {n}, gamma = {gamma}, many = {many}, f = {name}")
            )
    at = {"n": 3.0, "gamma": 1 / 3, "Delta": 0.0}
    return Misprint((*lemma5_printed(FALLING["1"], 3, 1 / 3, 0.0), at), rows)


def lemma_6() -> list[Row]:
    """Moments and Lemma 6's, k of n clients, less 1: the clone pair's, which is proved, and randomized response's."""
    rows: list[Row] = []
    for k, times, eps0 in itertools.product((1, 2, 5, 20, 60, 1000), (1, 2, 10), (0.1, 1.0, 3.0)):
        pair = Shuffle(eps0, n=k, population=times * k, reduction="clones").rdp(ORDERS)
        found, bound = (np.expm1((ORDERS - 1) * one) for one in (pair, thm1(ORDERS, eps0, times * k, k)))
        rows += _at_orders(found, bound, f"clones, eps0 = {eps0:g}, k = {k}, n = {times * k}")
    for k, E, order in itertools.product((1, 2, 5, 20, 60), RATIOS, (2, 3, 6)):
        for n in (k, 2 * k, 10 * k):
            p, q = response.sampled(E, k, Fraction(k, n))
            bound = math.expm1((order - 1) * float(thm1(order, math.log(E), n, k)))
            for way, (one, other) in {"forth": (p, q), "back": (q, p)}.items():
                where = f"{way}, E = {E}, k = {k}, n = {n}, order = {order}"
                rows.append((float(renyi_moment(one, other, order) - 1), bound, where))
    return rows


def lemma_7() -> Misprint:
    """The bracket of (17), k + 1 and k: where gamma = k/n it rises from 1 to 2 of two; with a fixed gamma never."""
    rows = []
    for eps0, gamma, order, k in itertools.product(
        (0.1, 1.0, 4.0), (0.01, 0.5, 1.0), (2, 5, 12), (1, 2, 3, 10, 50, 500)
    ):
        after, before = (float(log_bracket(order, eps0, i, gamma)) for i in (k + 1, k))
        rows.append((after, before, f"eps0 = {eps0:g}, gamma = {gamma:g}, order = {order}, k = {k}"))
    at = {"order": 2.0, "eps0": 0.1, "n": 2.0, "k": 1.0}
    return Misprint((bracket(2, 0.1, 2, 2), bracket(2, 0.1, 2, 1), at), rows)


def bracket(order: int, eps0: float, n: int, k: int) -> float:
    """The term inside the logarithm of equation (17), with its own gamma = k/n."""
    return math.exp(float(log_bracket(order, eps0, k, k / n)))


def lemma_8() -> list[Row]:
    """Lemma 8 and the exact moment, in fractions, less 1."""
    rows = []
    for k, E, gamma, order in itertools.product((1, 2, 7, 20), RATIOS, RATES, (2, 3, 5, 8)):
        p, q = response.sampled(E, k, gamma)
        found, bound = renyi_moment(p, q, order), response.lemma8(order, E, k, gamma)
        rows.append((bound - 1, found - 1, f"k = {k}, E = {E}, gamma = {gamma}, order = {order}"))
    return rows


def proof_of_lemma_8() -> list[Row]:
    """Equations (20) and (21), and the quotient between them, both sides in fractions."""
    rows = []
    for k, E, gamma in itertools.product((1, 2, 7), RATIOS, RATES):
        mu_1, mu_0 = response.eq20(E, k)
        where = f"k = {k}, E = {E}, gamma = {gamma}"
        for m, quotient in enumerate(response.eq20_ratio(E, k)):
            rows.append((mu_1[m] / mu_0[m], quotient, f"mu_1/mu_0 at {m}, {where}"))
        p, q = response.sampled(E, k, gamma)
        for order in (2, 3, 6):
            rows.append((renyi_moment(p, q, order), response.eq21(order, E, k, gamma), f"order = {order}, {where}"))
    return rows


def jensen() -> Misprint:
    """Odd central moments: negative for rho = 3/5, never for rho up to 1/2, where Jensen's inequality is silent."""
    grid = itertools.product(range(1, 13), (Fraction(r, 20) for r in range(1, 11)), (3, 5, 7, 9))
    rows = [(0, response.central_moment(k, rho, j), f"k = {k}, rho = {rho}, j = {j}") for k, rho, j in grid]
    at = {"k": 5.0, "rho": 0.6, "j": 3.0}
    return Misprint((0, response.central_moment(5, Fraction(3, 5), 3), at), rows)


def theorem_1() -> list[Row]:
    """All data of up to four clients, two or three values each: coin by coin, and the mean over K by Theorem 1.

    Coin by coin everybody reports, whoever stays away with a message of its own: all that is counted is seen.
    """
    rows: list[Row] = []
    for inputs, n, gamma, order in itertools.product((2, 3), (1, 2, 3, 4), RATES, (2, 5)):
        channel = RandomizedResponse(inputs, ratio=3)
        coins = Channel(np.column_stack([gamma * channel.probs, [1 - gamma] * inputs]))
        by_k = [list(exact.neighbours(channel, n, k)) for k in range(1, n + 1)]
        chances = [math.comb(n, k) * gamma**k * (1 - gamma) ** (n - k) for k in range(n + 1)]
        for whole, *pairs in zip(exact.neighbours(coins, n), *by_k, strict=True):
            parts = (c * renyi_moment(one.p, one.q, order) for c, one in zip(chances[1:], pairs, strict=True))
            where = f"others = {whole.others}, {whole.x0} for {whole.x1}, gamma = {gamma}, order = {order}"
            rows.append((renyi_moment(whole.p, whole.q, order), chances[0] + sum(parts), where))
    return rows


def equation_5() -> list[Row]:
    """Divergences and equation 5: the clone pair's, which is proved, and randomized response's.

    The latter both ways where it can be enumerated.
    """
    rows: list[Row] = []
    for n, rate, eps0 in itertools.product((1, 10, 100), (0.01, 0.1, 0.9), (0.1, 1.0, 4.0)):
        pair = ShuffledCheckIn(eps0, n, rate, reduction="clones").rdp(ORDERS)
        rows += _at_orders(pair, eq5(ORDERS, eps0, n, rate), f"clones, n = {n}, gamma = {rate:g}, eps0 = {eps0:g}")
    for n, gamma, E, order in itertools.product((1, 2, 5, 9), RATES, RATIOS, (2, 3, 8)):
        p, q = response.checked_in(E, n, gamma)
        bound = float(eq5(order, math.log(E), n, float(gamma)))
        for way, (one, other) in {"forth": (p, q), "back": (q, p)}.items():
            rows.append(
                (_divergence(one, other, order), bound, f"{way}, n = {n}, gamma = {gamma}, E = {E}, order = {order}")
            )
    return rows + _rows(response.divergence, eq5)


def equation_7() -> Misprint:
    """Equation 7 with the best Delta: too little where few are expected, here one in fifty rounds of 100 clients.

    Where many are expected it is held against equation 5, which is a bound, and against randomized response.
    """

    def enough(n: int, gamma: float, eps0: float) -> bool:
        return n * gamma >= ENOUGH * math.exp(eps0)

    n, gamma, order, eps0 = 100, 0.0002, 2, 1.0
    found, bound = (float(f(order, eps0, n, gamma)) for f in (response.divergence, eq7_best))
    at = {"n": n, "gamma": gamma, "order": order, "eps0": eps0}
    return Misprint((found, bound, at), _rows(eq5, eq7_best, enough) + _rows(response.divergence, eq7_best, enough))


def equation_7_display() -> Misprint:
    """Equation 7 and what Lemma 4 makes of the bracket of (17): ``e^{-eps0/ktilde}`` and ``e^-eps0 / ktilde``."""

    def by_lemma_4(order: int, eps0: float, n: int, gamma: float, Delta: float) -> float:
        excess = lemma4_bound(lambda k: math.expm1(float(log_bracket(order, eps0, k, gamma))), n, gamma, Delta)
        return math.log1p(excess) / (order - 1)

    points = [
        (o, e, n, 0.1, 0.5) for o, e, n in itertools.product((2, 5, 12), (0.1, 1.0, 2.0), (1000, 10_000, 100_000))
    ]
    rows = [(float(eq7_corrected(*x)), by_lemma_4(*x), f"order, eps0, n, gamma, Delta = {x}") for x in points]
    x = (5, 1.0, 100_000, 0.1, 0.5)
    at = dict(zip(("order", "eps0", "n", "gamma", "Delta"), x, strict=True))
    return Misprint((float(eq7(*x)), by_lemma_4(*x), at), rows)


def theorem_3() -> list[Row]:
    """Theorem 3 with the best Delta of some, and the divergence of randomized response."""

    def best(order: ArrayLike, eps0: float, n: int, gamma: float) -> Array:
        tried = [thm3(order, eps0, n, gamma, Delta) for Delta in np.geomspace(1e-3, 10, 40)]
        return np.asarray(np.max(tried, axis=0))

    return _rows(best, response.divergence)


def step_of_theorem_3() -> Misprint:
    """The last step of Theorem 3's proof, which leaves out K = 0; and its right side's prefactor raised to 1."""
    n, gamma, order, eps0, Delta = 10, 0.01, 2, 0.2, 10.0
    at = {"n": n, "gamma": gamma, "order": order, "eps0": eps0, "Delta": Delta}
    # The proof's sum, K = 0 counted as 1, in its favour: without that it is below 1.
    chances = (math.comb(n, k) * gamma**k * (1 - gamma) ** (n - k) for k in range(1, n + 1))
    excess = (response.lemma8(order, math.exp(eps0), k, gamma) - 1 for k in range(1, n + 1))
    left = 1 + sum(chance * more for chance, more in zip(chances, excess, strict=True))
    bracket = math.exp((order - 1) * float(thm3(order, eps0, n, gamma, Delta)))
    return Misprint((bracket, left, at), _rows(thm3_free, response.divergence))


def baseline() -> Misprint:
    """Appendix D: an l with ``Pr[K <= l] = 1 - delta'`` there is not; the least l that leaves out at most delta'."""

    def more(n: int, gamma: Fraction, most: int) -> Fraction:
        chances = (math.comb(n, k) * gamma**k * (1 - gamma) ** (n - k) for k in range(most + 1, n + 1))
        return sum(chances, Fraction(0))

    rows: list[Row] = []
    for n, gamma, delta in itertools.product((1, 10, 100), RATES, (3e-10, 1e-5, 0.07)):
        most = appendix_d(1.0, n, float(gamma), delta).l
        where = f"n = {n}, gamma = {gamma}, delta' = {delta:g}, l = {most}"
        rows.append((float(more(n, gamma, most)), delta, where))
        rows.append((delta, float(more(n, gamma, most - 1)), f"one less, {where}"))
    tails = [1 - more(10, Fraction(1, 2), most) for most in range(11)]
    wanted, at = Fraction(9, 10), {"n": 10, "gamma": 0.5, "delta'": 0.1}
    nearest = min(range(11), key=lambda most: abs(tails[most] - wanted))
    return Misprint((tails[nearest], wanted, {**at, "l": nearest}), rows)


def _rows(left: Bound, right: Bound, where: Callable[[int, float, float], bool] | None = None) -> list[Row]:
    """Two functions of order, eps0, n and gamma, over all that counts."""
    rows: list[Row] = []
    sizes = itertools.product((1, 10, 100, 1000, 60_000, 10**9), (0.01, 0.1, 0.9), (0.1, 1.0, 2.0, 4.0))
    for n, gamma, eps0 in sizes:
        if where is None or where(n, gamma, eps0):
            a, b = (f(ORDERS, eps0, n, gamma) for f in (left, right))
            rows += _at_orders(a, b, f"n = {n}, gamma = {gamma:g}, eps0 = {eps0:g}")
    return rows


def _at_orders(left: Array, right: Array, point: str) -> list[Row]:
    return [(float(a), float(b), f"{point}, order = {o}") for o, a, b in zip(ORDERS, left, right, strict=True)]


def _divergence(p: Law, q: Law, order: int) -> float:
    return math.log1p(float(renyi_moment(p, q, order) - 1)) / (order - 1)
