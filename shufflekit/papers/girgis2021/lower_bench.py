"""[girgis2021] Theorem 2 held against the truth: ones are counted, in fractions and in floating point.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from shufflekit import divergences, exact
from shufflekit.dominating_pairs import randomized_response
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers.girgis2021.renyi import thm2
from shufflekit.papers.rows import Row
from shufflekit.randomizers import Channel, RandomizedResponse

RATIOS: tuple[int | Fraction, ...] = (Fraction(3, 2), 2, 3, 7)
SIZES = tuple((n, k) for n in range(1, 6) for k in range(1, n + 1))
UNSAMPLED = tuple((E, k, m) for E, k in itertools.product(RATIOS, range(1, 9)) for m in range(k + 1))


def eq37(m: int, E: Any, k: int) -> tuple[Any, Any]:
    """[girgis2021] eq (37): the chances of m ones among k, if all bits are 0, and if yours is 1."""
    p = 1 / Fraction(E + 1)
    mu0 = math.comb(k, m) * p**m * (1 - p) ** (k - m)
    mine_shows = (1 - p) * math.comb(k - 1, m - 1) * p ** (m - 1) * (1 - p) ** (k - m) if m > 0 else 0
    mine_flips = p * math.comb(k - 1, m) * p**m * (1 - p) ** (k - m - 1) if m < k else 0
    return mu0, mine_shows + mine_flips


def views(E: Any, n: int, k: int) -> list[Any]:
    """The chances of 0, 1, ... ones, k of n clients sampled: if your bit is 0, and if it is 1. Enumerated."""
    zero, one = RandomizedResponse(2, ratio=E).probs
    return [exact.sampled_law([zero] * (n - 1) + [mine], k)[::-1] for mine in (zero, one)]


def moment(E: Any, n: int, k: int, order: int) -> Any:
    """The Renyi moment of your 1 against your 0, enumerated."""
    seen0, seen1 = views(E, n, k)
    return divergences.renyi_moment(seen1, seen0, order)


def worst_moment(channel: Channel, n: int, k: int, order: int) -> Any:
    """The largest Renyi moment of all neighbouring data sets, either way."""
    return max(divergences.renyi_moment(pair.p, pair.q, order) for pair in exact.neighbours(channel, n, k))


def thm2_printed(order: int, E: Any, n: int, k: int) -> Any:
    """[girgis2021] Theorem 2, what is inside the logarithm, term by term in fractions."""
    p, gamma, slope = 1 / Fraction(E + 1), Fraction(k, n), Fraction(E**2 - 1) / (k * E)
    total = 1 + math.comb(order, 2) * gamma**2 * Fraction((E - 1) ** 2) / (k * E)
    for j in range(3, order + 1):
        central = sum(eq37(m, E, k)[0] * (m - k * p) ** j for m in range(k + 1))
        total += math.comb(order, j) * (gamma * slope) ** j * central
    return total


def literally(order: int, E: Any, n: int, k: int) -> float:
    """The Renyi divergence by eq (37) and the mixture of its two laws, in fractions of any length."""
    gamma, both = Fraction(k, n), [eq37(m, Fraction(E), k) for m in range(k + 1)]
    total = sum(mu0 * (gamma * mu1 / mu0 + 1 - gamma) ** order for mu0, mu1 in both)
    return math.log1p(total - 1) / (order - 1)


def client_by_client(order: int, E: float, n: int, k: int) -> float:
    """The Renyi divergence from the exact law in floating point."""
    zero, one = RandomizedResponse(2, math.log(E)).probs
    seen0, seen1 = (exact.sampled_law([zero] * (n - 1) + [mine], k) for mine in (zero, one))
    return float(divergences.renyi(seen1, seen0, order))


def expanded(order: int, E: float, n: int, k: int, raw: bool) -> float:
    """The moment less 1 as it should not be computed: by central moments, or these by raw ones."""
    p, m, total = 1 / (1 + E), np.arange(k + 1.0), 1.0
    weights, slope = binom.pmf(m, k, p), k / n * (E**2 - 1) / (k * E)
    for j in range(2, order + 1):
        central = weights @ (m - k * p) ** j
        if raw:
            central = sum(math.comb(j, i) * (weights @ m**i) * (-k * p) ** (j - i) for i in range(j + 1))
        total += math.comb(order, j) * slope**j * central
    return float(total) - 1


def errors(orders: Sequence[int], E: float, n: int, k: int) -> dict[str, list[float]]:
    """How far three ways to compute the moment less 1 are off, relative to the fractions; at least 1e-17."""
    found: dict[str, list[float]] = {"raw moments": [], "central moments": [], "positive sum (kit)": []}
    for order in orders:
        truth = math.expm1((order - 1) * literally(order, Fraction(E), n, k))
        kit = math.expm1((order - 1) * float(thm2(order, math.log(E), n, k)))
        ways = (expanded(order, E, n, k, raw=True), expanded(order, E, n, k, raw=False), kit)
        for errors_of_way, value in zip(found.values(), ways, strict=True):
            errors_of_way.append(max(abs(value / truth - 1), 1e-17))
    return found


def worst_over_thm2(E: float, n: int, k: int) -> float:
    """The worst data sets of binary randomized response at order 2, in units of Theorem 2."""
    channel = RandomizedResponse(2, math.log(E))
    return math.log(worst_moment(channel, n, k, 2)) / float(thm2(2, channel.eps0, n, k))


def reversed_over_printed(eps0: float, n: int, k: int, orders: ArrayLike) -> Any:
    """The Renyi divergence of your 0 against your 1, in units of Theorem 2's, which is the other way round."""
    forth = randomized_response(eps0, k, n, tilt=64.0)
    there, back = (divergences.log_renyi_moment(pair.loss, pair.log_q, orders) for pair in (forth, forth.reversed()))
    return back / there


def both_directions(eps0: float, n: int, k: int, delta: float = 1e-8) -> tuple[float, float]:
    """The eps at delta that one round reaches in Theorem 2's direction, and in the reverse."""
    forth = randomized_response(eps0, k, n, tilt=200.0)
    ends = [Composition([Part(pair, 1)]).epsilon(delta, 1e-3) for pair in (forth, forth.reversed())]
    return ends[0].lower, ends[1].lower


def eq37_rows() -> list[Row]:
    """[girgis2021] eq (37): both laws enumerated, and as printed; all clients report."""
    rows: list[Row] = []
    for E, k, m in UNSAMPLED:
        for seen, printed in zip(views(E, k, k), eq37(m, E, k), strict=True):
            rows.append((seen[m], printed, f"E = {E}, k = {k}, m = {m}"))
    return rows


def mixture_rows() -> list[Row]:
    """[girgis2021] The mixture after eq (37), corrected: both laws enumerated, and mixed."""
    rows: list[Row] = []
    for E, (n, k) in itertools.product(RATIOS, SIZES):
        gamma, (seen0, seen1) = Fraction(k, n), views(E, n, k)
        for m in range(k + 1):
            (mu0, mu1), where = eq37(m, E, k), f"E = {E}, n = {n}, k = {k}, m = {m}"
            rows += [(seen0[m], mu0, where), (seen1[m], gamma * mu1 + (1 - gamma) * mu0, where)]
    return rows


def eq38_rows() -> list[Row]:
    """[girgis2021] eq (38): the likelihood ratio of eq (37), and the straight line."""
    rows: list[Row] = []
    for E, k, m in UNSAMPLED:
        mu0, mu1 = eq37(m, E, k)
        line = Fraction(E**2 - 1) / (k * E) * (m - k / Fraction(E + 1))
        rows.append((mu1 / mu0 - 1, line, f"E = {E}, k = {k}, m = {m}"))
    return rows


def thm2_rows() -> list[Row]:
    """[girgis2021] Theorem 2: small sizes in fractions, middle ones client by client, large ones by eq (37)."""
    rows: list[Row] = []
    for order, E, (n, k) in itertools.product(range(2, 7), RATIOS, [*SIZES, (10, 4)]):
        where = f"order {order}, E = {E}, n = {n}, k = {k}"
        rows.append((moment(E, n, k, order), thm2_printed(order, E, n, k), where))
    for order, E, n, k in itertools.product((2, 8, 32), (3, 20), (60, 200), (20, 50)):
        where = f"order {order}, E = {E}, n = {n}, k = {k}"
        rows.append((client_by_client(order, E, n, k), float(thm2(order, math.log(E), n, k)), where))
    for order, E, n in itertools.product((2, 8, 32), (3, 20), (10**3, 10**6)):
        where = f"order {order}, E = {E}, n = {n}, k = 1000"
        rows.append((literally(order, E, n, 1000), float(thm2(order, math.log(E), n, 1000)), where))
    return rows


def data_rows() -> list[Row]:
    """[girgis2021] The data sets of Theorem 2's proof, corrected: n records of which k < n are drawn."""
    rows: list[Row] = []
    for E, (n, k), order in itertools.product(RATIOS, SIZES, (2, 3, 4)):
        if k < n:
            where = f"order {order}, E = {E}, n = {n}, k = {k}"
            rows.append((moment(E, n, k, order), thm2_printed(order, E, n, k), where))
    return rows


def every_rows() -> list[Row]:
    """[girgis2021] Theorem 2's wording, corrected: a randomizer reaches it; Theorem 2, the worst data sets."""
    rows: list[Row] = []
    for order, E, (n, k) in itertools.product((2, 3, 5), RATIOS, SIZES):
        worst = worst_moment(RandomizedResponse(2, ratio=E), n, k, order)
        rows.append((thm2_printed(order, E, n, k), worst, f"order {order}, E = {E}, n = {n}, k = {k}"))
    return rows
