"""[balle2020] Where a proof prints what is not so: a point at which it fails, and rows on which the right form holds.

``printed`` is what ``claims.refute`` takes, the two sides and the point; a row has the two sides of the right form and
where, for ``claims.verify``.
"""

import itertools
import math
from typing import Any, NamedTuple

from shufflekit.papers.balle2020.approximate import (
    lemma_a3,
    lemma_a3_argument,
    lemma_a3_argument_corrected,
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

Row = tuple[float, float, str]


class Misprint(NamedTuple):
    """The two sides as printed and the point at which they fail; rows of the right form."""

    printed: tuple[float, float, dict[str, float]]
    rows: list[Row]


def short_form() -> Misprint:
    """Theorem A.4's short form, for delta up to 1/4 in the proof, up to 1/100 in the theorem."""
    at = {"eps0": 1.0, "m": 1, "w_max": 1.0, "delta": 0.25}
    grid = itertools.product((0.01, 0.3, 0.7, 1.0), (1, 10, 1000), (0.1, 1.0), (1e-2, 1e-4, 1e-8))
    rows = [(float(thm_a4(*x)), float(thm_a4_short(*x)), f"eps0, m, w_max, delta = {x}") for x in grid]
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
    """Lemma A.3's proof: of what T takes a logarithm, and what is raised to the power T, ``1 - k e^{-2 eps0}/2``."""
    rows = []
    for eps0 in (0.1, 0.5, 1.0, 3.0):
        base = 1 - 2 * math.exp(-3 * eps0) * math.exp(-2 * eps0) / 2
        rows += [(base, lemma_a3_argument_corrected(eps0), f"eps0 = {eps0:g}")]
        rows += [(lemma_a3_argument_corrected(eps0), base, f"eps0 = {eps0:g}")]
    return Misprint((0.0, lemma_a3_argument(0.5), {"eps0": 0.5}), rows)


def doubled() -> Misprint:
    """Inequality (6) without a condition on beta, and with it."""
    at = {"eps0": 1.0, "n": 10, "m": 9, "beta": 0.95}
    sizes = (10**4, 10**6), (1, 10, 1000), (1e-12, 1e-3, 0.8)
    grid = itertools.product((0.1, 1.0, 3.0), *sizes)
    rows = [(eq6(*x), eq6_doubled_corrected(*x), f"eps0, n, m, beta = {x}") for x in grid]
    return Misprint((eq6(**at), eq6_doubled(**at), at), rows)  # type: ignore[arg-type]


def half() -> Misprint:
    """Why eps_1 is at most 1/2: not by the condition on eps0 alone, but by both conditions of Corollary 3.3."""
    n = 10**7
    at = {"eps0": 2 / 3 * math.log(n / 8), "n": n, "m": 1, "beta": 1e-30}
    sizes = (10**4, 10**6), (1, 10, 1000), (1e-12, 1e-3, 0.8)
    grid = [x for x in itertools.product((0.1, 1.0, 2.0, 3.0), *sizes) if applies(*x)]
    rows = [(eq6(*x), 0.5, f"eps0, n, m, beta = {x}") for x in grid]
    return Misprint((eq6(**at), 0.5, at), rows)  # type: ignore[arg-type]


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


def applies(eps0: float, n: int, m: int, beta: float) -> bool:
    """Whether Corollary 3.3 speaks of this point."""
    many = n >= math.expm1(eps0) ** 2 * math.exp(eps0) * math.sqrt(m) * -math.log(beta)
    return many and eps0 <= 2 / 3 * math.log(n / (8 * math.sqrt(m)))


def surrogates() -> list[Row]:
    """Lemma A.3 for delta1 up to 2/e."""
    grid: Any = itertools.product((0.1, 0.5, 1.0, 3.0), (1e-9, 1e-6, 1e-2, 0.5, 2 / math.e))
    return [distance(*point) for point in grid]
