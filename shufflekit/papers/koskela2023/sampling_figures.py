"""[koskela2023] Figures 2 and 3: what a grid of alpha adds to a sampled shuffle, and the accountants beside each other.

A row is a left side, a right side and where: what ``claims.verify`` compares, with ``rows.compared``.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import girgis2021
from shufflekit.papers.koskela2023.sampling_accountant import Lemma7Pair, dotted
from shufflekit.papers.rows import Row
from shufflekit.protocols import Shuffle

REACH = 0.25  # the grids of Figure 2 go from e^-REACH to e^REACH
SIZES = ((10**3, 100), (10**4, 10**3), (10**6, 10**3))  # n, k


def gridded(pair: Lemma7Pair, points: int, rounds: int = 1) -> Composition:
    """Rounds whose profile is the dots of h connected, on a grid of Figure 2."""
    return Composition([Part(dotted(pair, points, REACH), rounds)])


def gridded_delta(pair: Lemma7Pair, points: int, eps: ArrayLike) -> NDArray[np.float64]:
    """One round's delta at each eps, on such a grid."""
    run = gridded(pair, points)
    return np.array([run.delta(e, 1e-6).upper for e in np.asarray(eps).tolist()])


def figure2_rows(eps: ArrayLike, h: ArrayLike, dots: Mapping[int, ArrayLike]) -> Iterator[Row]:
    """Dots connected are nowhere below h; from grid to grid the largest gap falls. ``dots``: by how many there are."""
    finest, gaps = max(dots), [np.max(np.asarray(delta) - h) for delta in dots.values()]
    for points, delta in dots.items():
        which = "the finest grid" if points == finest else "a coarser grid"
        for e, *sides in zip(np.asarray(eps), np.asarray(h), np.asarray(delta), strict=True):
            yield *sides, f"{which}, {points} points, eps = {e:g}"
    yield from ((finer, coarser, "the largest gap") for coarser, finer in itertools.pairwise(gaps))


class Four(NamedTuple):
    """What is known of a sampled shuffle: an attack, and three guarantees."""

    attack: float
    clones: float
    lemma7: float
    renyi: float


def four_bounds(eps0: float, n: int, k: int, rounds: int, delta: float, rtol: float = 1e-4) -> Four:
    """The eps of k of n clients in many rounds: sampled clones, Lemma 7, [girgis2021] Theorem 1 with its Lemma 1."""
    run = Shuffle(eps0, k, n, reduction="clones") * rounds
    renyi = girgis2021.thm3_privacy(eps0, n, k, rounds, delta).eps
    lemma7 = lemma7_epsilon(eps0, n, k, rounds, delta, rtol)
    attack, clones = run.attack_epsilon(delta, rtol=rtol).lower, run.guarantee(delta, rtol=rtol).upper
    return Four(attack, clones, lemma7, float(renyi))


def lemma7_epsilon(eps0: float, n: int, k: int, rounds: int, delta: float, rtol: float) -> float:
    """The eps of Lemma 7 with the clone pair, composed without a grid of alpha."""
    return Composition([Part(Lemma7Pair(eps0, n, k), rounds)]).epsilon(delta, rtol).upper


def figure3_rows(delta: float = 1e-6) -> Iterator[Row]:
    """[koskela2023] Figure 3: Lemma 7 and [girgis2021] Theorem 1 with Lemma 1, 48 points."""
    for eps0, (n, k), rounds in itertools.product((0.5, 1.0, 2.0, 4.0), SIZES, (1, 10**2, 10**4, 10**6)):
        renyi = girgis2021.thm3_privacy(eps0, n, k, rounds, delta).eps
        where = f"eps0 = {eps0:g}, {k} of {n}, {rounds:,} rounds"
        yield lemma7_epsilon(eps0, n, k, rounds, delta, 1e-2), renyi, where


def order_rows() -> Iterator[Row]:
    """Order by order: the Renyi divergence of the pair of h, and [girgis2021] Theorem 1."""
    order = np.unique(np.round(np.geomspace(2, 1000, 25)))
    for eps0, (n, k) in itertools.product((0.1, 0.5, 1.0, 2.0, 3.0, 4.0), SIZES):
        sides = zip(order, Lemma7Pair(eps0, n, k).divergence(order), girgis2021.thm1(order, eps0, n, k), strict=True)
        yield from ((ours, theirs, f"order {o:g}, eps0 = {eps0:g}, {k} of {n}") for o, ours, theirs in sides)


def reference_as_printed(eps0: float, n: int, k: int, rounds: Any, delta: float) -> NDArray[np.float64]:
    """[girgis2021] Theorem 2, a lower bound, put into Lemma 1, as the text of Figure 3 has it: no guarantee."""
    order = np.unique(np.round(np.geomspace(2, 1e5, 300)))
    thm2 = girgis2021.thm2(order, eps0, n, k)
    return np.array([np.min(girgis2021.lemma1(t * thm2, order, delta)) for t in np.asarray(rounds).tolist()])
