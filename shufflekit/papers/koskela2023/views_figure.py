"""[koskela2023] Figure 4: k-ary randomized response seen by two adversaries, beside the clones. n = 1000, k = 4.

A row is a left side, a right side and where: what ``claims.verify`` compares, with ``rows.compared``.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.papers.koskela2023.views import thm13, thm13_corrected, thm16_corrected
from shufflekit.papers.rows import DEGENERATE, Row

N, GAMMA, K = 1000, 0.25, 4
RATIO = ((1 - GAMMA) * K + GAMMA) / GAMMA  # [koskela2023] Section 4.2: e^eps0
REACH = {1: 1.0, 4: 1.8, 16: 3.0}  # rounds, and how far eps goes; the paper does not say how many rounds
CROSSING = 0.035  # eps of one round, where the strong adversary's exact curve crosses the clones


class Curves(NamedTuple):
    """delta at each eps: exact for two adversaries and the clones, and Theorem 13 as printed."""

    eps: Array
    strong: Array
    clones: Array
    weak: Array
    thm13: Array


@functools.cache
def curves(rounds: int) -> Curves:
    """All of Figure 4's curves after so many rounds."""
    eps = np.linspace(0, REACH[rounds], 21)
    return Curves(
        eps,
        thm13_corrected(eps, N, GAMMA, K, rounds),
        clones(eps, rounds),
        thm16_corrected(eps, N, GAMMA, K, rounds),
        thm13(eps, N, GAMMA, K, rounds),
    )


def clones(eps: Array, rounds: int = 1) -> Array:
    """The clone pair of the same eps0 is the weak view of binary randomized response."""
    return thm16_corrected(eps, N, 2 / (RATIO + 1), 2, rounds)


def crossing() -> float:
    """The least eps, in thousandths, at which the strong adversary's exact curve of one round is above the clones."""
    eps = np.linspace(0, 0.1, 101)
    above = thm13_corrected(eps, N, GAMMA, K) > clones(eps)
    return float(eps[above][0])


def weak_rows() -> Iterator[Row]:
    """The weak adversary's exact curve is below the clones'."""
    for rounds in REACH:
        for point in zip(*curves(rounds), strict=True):
            one = Curves(*point)
            where = f"{rounds} rounds, eps = {one.eps:g}" + DEGENERATE * bool(one.eps == 0)
            yield one.weak, one.clones, where


def crossing_rows() -> Iterator[Row]:
    """The strong adversary's exact curve is below the clones in one round up to the crossing, and above them else."""
    for rounds in REACH:
        for point in zip(*curves(rounds), strict=True):
            one = Curves(*point)
            below = rounds == 1 and one.eps < CROSSING
            sides = (one.strong, one.clones) if below else (one.clones, one.strong)
            yield *sides, f"{rounds} rounds, eps = {one.eps:g}"


def nearest() -> tuple[float, float, dict[str, float]]:
    """Theorem 13 as printed and the clones where they come nearest to each other, and where that is."""
    found = []
    for rounds in REACH:
        seen = curves(rounds)
        at = int(np.argmin(seen.thm13 / seen.clones))
        found.append((float(seen.thm13[at]), float(seen.clones[at]), {"rounds": rounds, "eps": float(seen.eps[at])}))
    return min(found, key=lambda one: one[0] / one[1])
