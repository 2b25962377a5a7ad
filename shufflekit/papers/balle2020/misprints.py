"""[balle2020] Where a proof prints what is not so: a point at which it fails, and rows of the right form."""

import itertools
import math
from typing import Any

from shufflekit.papers.balle2020.approximate import (
    lemma_a3,
    lemma_a3_argument,
    lemma_a3_distance,
    lemma_a3_steps_corrected,
    thm_a4_condition,
)
from shufflekit.papers.balle2020.epochs import (
    after_eq7,
    after_eq7_corrected,
    cor33,
    eq6,
    eq6_doubled,
    eq6_doubled_corrected,
    eq7,
)
from shufflekit.papers.balle2020.replacement import thm_a4, thm_a4_line, thm_a4_short
from shufflekit.papers.rows import Misprint, Row
from shufflekit.protocols import Shuffle


def short_form() -> Misprint:
    """Theorem A.4's short form, for delta up to 1/4 in the proof, up to 1/100 in the theorem."""
    at = {"eps0": 1.0, "m": 1, "w_max": 1.0, "delta": 0.25}
    grid = itertools.product((0.01, 0.3, 0.7, 1.0), (1, 10, 1000), (0.1, 1.0), (1e-2, 1e-4, 1e-8))
    rows = [(float(thm_a4(*x)), float(thm_a4_short(*x)), f"eps0, m, w_max, delta = {x}") for x in grid]
    # From two slots on the proof's delta of 1/4 is small enough, too.
    more = itertools.product((0.01, 0.3, 0.7, 1.0), (2, 3, 10, 1000), (0.1, 1.0), (0.25, 0.1))
    rows += [(float(thm_a4(*x)), float(thm_a4_line(*x)), f"eps0, m, w_max, delta = {x}") for x in more]
    return Misprint((float(thm_a4(**at)), float(thm_a4_line(**at)), at), rows)


def condition() -> Misprint:
    """Theorem A.4's condition on delta0 allows one for which the surrogate's distance is no longer below delta1."""
    at = {"eps0": 1.0, "delta0": 2e-8, "delta1": 1e-6}
    if at["delta0"] > thm_a4_condition(**at):
        raise AssertionError("the point must be one that the condition allows")
    far = lemma_a3_distance(1.0, 2e-8, lemma_a3_steps_corrected(1.0, 1e-6))
    grid = itertools.product((0.1, 1.0, 2.0), (1e-9, 1e-6, 1e-2))
    return Misprint((far, 1e-6, at), [distance(*point) for point in grid])


def distance(eps0: float, delta1: float) -> Row:
    """The surrogate's distance for the largest delta0 of Lemma A.3, T being a whole number; and delta1."""
    T = lemma_a3_steps_corrected(eps0, delta1)
    return lemma_a3_distance(eps0, lemma_a3(eps0, delta1), T), delta1, f"eps0 = {eps0:g}, delta1 = {delta1:.3g}"


def argument() -> Misprint:
    """Lemma A.3's proof: of what T takes a logarithm; and the right T, the least that makes the power small.

    ``1 - k e^{-2 eps0}/2`` to the power T is to be delta1/2 at most, with the proof's ``k = 2 e^{-3 eps0}``.
    """
    rows: list[Row] = []
    for eps0, delta1 in itertools.product((0.1, 0.5, 1.0, 2.0), (1e-12, 1e-6, 1e-2)):
        log_base = math.log1p(-2 * math.exp(-3 * eps0) * math.exp(-2 * eps0) / 2)
        T, where = lemma_a3_steps_corrected(eps0, delta1), f"eps0 = {eps0:g}, delta1 = {delta1:g}"
        rows.append((math.exp(T * log_base), delta1 / 2, f"T steps, {where}"))
        rows.append((delta1 / 2, math.exp((T - 1) * log_base), f"a step less, {where}"))
    return Misprint((0.0, lemma_a3_argument(0.5), {"eps0": 0.5}), rows)


def doubled() -> Misprint:
    """Inequality (6) without a condition on beta, and with it."""
    at: dict[str, Any] = {"eps0": 1.0, "n": 10, "m": 9, "beta": 0.95}
    sizes = (10**4, 10**6), (1, 10, 1000), (1e-12, 1e-3, 0.8)
    grid = [*itertools.product((0.1, 1.0, 3.0), *sizes)]
    # Where it is closest: the fewest clients, the largest beta.
    for eps0, m in ((2.0, 10), (3.0, 10), (4.0, 1000)):
        least = math.expm1(eps0) * math.sqrt(m * math.exp(eps0))
        grid.append((eps0, math.ceil(least), m, math.exp(-1 / 8)))
    rows = [(eq6(*x), eq6_doubled_corrected(*x), f"eps0, n, m, beta = {_named(*x)}") for x in grid]
    return Misprint((eq6(**at), eq6_doubled(**at), at), rows)


def half() -> Misprint:
    """Why eps_1 is at most 1/2: not by the condition on eps0 alone, but by both conditions of Corollary 3.3."""
    n, m = 10**6, 100
    at: dict[str, Any] = {"eps0": 2 / 3 * math.log(n / (8 * math.sqrt(m))), "n": n, "m": m, "beta": 1e-9}
    sizes = (10**4, 10**6), (1, 10, 1000), (1e-12, 1e-3, 0.8)
    grid = [x for x in itertools.product((0.1, 1.0, 2.0, 3.0), *sizes) if applies(*x)]
    # Where it is closest: both conditions hold with as few clients as can be.
    for eps0, m in ((0.15, 64), (0.3, 64), (1.0, 64), (3.0, 1000)):
        n = math.ceil(8 * math.sqrt(m) * math.exp(1.5 * eps0))
        most = n / (math.expm1(eps0) ** 2 * math.exp(eps0) * math.sqrt(m))  # of log(1/beta)
        grid.append((eps0, n, m, math.exp(-0.999 * most)))
    rows = [(eq6(*x), 0.5, f"eps0, n, m, beta = {_named(*x)}") for x in grid if applies(*x)]
    return Misprint((eq6(**at), 0.5, at), rows)


def display() -> Misprint:
    """The first line after (7), with log(1/beta) and with log(1/delta), against (7)."""
    at = {"eps1": 0.3, "n": 10_000, "m": 100, "beta": 1e-3, "delta": 1e-12}
    grid = itertools.product((0.01, 0.1, 0.5), (100, 10_000), (1, 10, 100), (1e-3, 1e-12))
    rows = [(eq7(*x), after_eq7_corrected(*x), f"eps1, n, m, delta = {x}") for x in grid]
    return Misprint((eq7(0.3, 10_000, 100, 1e-12), after_eq7(0.3, 10_000, 100, 1e-3), at), rows)


def epochs(delta: float) -> list[Row]:
    """Corollary 3.3: (7) with (6) undoubled, and what the corollary says, wherever it applies."""
    sizes = (10**4, 10**5, 10**6), (10, 100, 1000), (1e-9, 1e-12)
    grid = [x for x in itertools.product((0.1, 0.5, 1.0, 2.0), *sizes) if applies(*x)]
    return [(eq7(eq6(*x), *x[1:3], delta), cor33(*x, delta).eps, f"eps0, n, m, beta = {x}") for x in grid]


def proved_epochs(delta: float) -> list[Row]:
    """Corollary 3.3 above what is proved: as p0 = m/n, the sampled clone pair of m of n an epoch. [beyond] 15"""
    rows: list[Row] = []
    for x in itertools.product((0.1, 0.5, 1.0, 2.0), (10**4, 10**5, 10**6), (100, 1000), (1e-9,)):
        if applies(*x):
            (eps0, n, m, _), printed = x, cor33(*x, delta)
            run = Shuffle(eps0, n=m, population=n, reduction="clones") * (n // m)
            rows.append((run.guarantee(printed.delta, rtol=1e-3).upper, printed.eps, f"eps0, n, m, beta = {x}"))
    return rows


def applies(eps0: float, n: int, m: int, beta: float) -> bool:
    """Whether Corollary 3.3 speaks of this point."""
    many = n >= math.expm1(eps0) ** 2 * math.exp(eps0) * math.sqrt(m) * -math.log(beta)
    return many and eps0 <= 2 / 3 * math.log(n / (8 * math.sqrt(m)))


def _named(eps0: float, n: int, m: int, beta: float) -> str:
    return f"({eps0:g}, {n}, {m}, {beta:.3g})"


def surrogates() -> list[Row]:
    """Lemma A.3 for delta1 up to 2/e."""
    grid: Any = itertools.product((0.1, 0.5, 1.0, 3.0), (1e-9, 1e-6, 1e-2, 0.5, 2 / math.e))
    return [distance(*point) for point in grid]
