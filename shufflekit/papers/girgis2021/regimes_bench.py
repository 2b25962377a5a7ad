"""[girgis2021] "Valid for all parameter regimes": Theorem 1 held against the clones, and against what is reached."""

import itertools
from collections.abc import Iterable

import numpy as np

from shufflekit.papers.girgis2021.renyi import thm1, thm2
from shufflekit.papers.rows import Row
from shufflekit.protocols import Shuffle

Size = tuple[float, int, float]  # eps0, the clients that report, the rate at which they were drawn

LEVELS = (1e-3, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0)
RATES = (1.0, 0.5, 0.1, 1e-3, 1e-6)
ORDERS = (2, 3, 8, 32, 128, 1000)
SMALL: tuple[Size, ...] = (
    *itertools.product(LEVELS, (1, 2, 10, 100), RATES),
    *itertools.product((0.1, 1.0, 4.0), (1000,), (1.0, 1e-3)),
    *itertools.product((1e-3, 1.0), (10**5,), (1.0, 1e-3)),
    (1e-3, 10**9, 1.0),
)
LARGE: tuple[Size, ...] = (  # where the clones would take long
    *itertools.product(LEVELS, (1000, 10**5), RATES),
    *itertools.product((0.01, 1.0, 4.0), (10**7,), RATES),
    (10.0, 10**9, 1e-3),
)


def proved_rows() -> list[Row]:
    """The clones' Renyi divergence, a guarantee whose proof shares nothing with Theorem 1; and Theorem 1."""
    rows = []
    for eps0, k, gamma in SMALL:
        plan = Shuffle(eps0, k, round(k / gamma), reduction="clones")
        rows += _at_each_order((eps0, k, gamma), plan.rdp(np.array(ORDERS)))
    return rows


def reached_rows(sizes: Iterable[Size] = LARGE) -> list[Row]:
    """What binary randomized response has at each of these sizes (Theorem 2 is an equality); and Theorem 1."""
    rows = []
    for eps0, k, gamma in sizes:
        rows += _at_each_order((eps0, k, gamma), thm2(np.array(ORDERS), eps0, round(k / gamma), k))
    return rows


def _at_each_order(size: Size, divergences: Iterable[float]) -> list[Row]:
    """One row an order: this divergence, Theorem 1, and where."""
    eps0, k, gamma = size
    bound = thm1(np.array(ORDERS), eps0, round(k / gamma), k)
    where = [f"eps0 = {eps0:g}, k = {k}, gamma = {gamma:g}, order = {order}" for order in ORDERS]
    return [(float(a), float(b), text) for a, b, text in zip(divergences, bound, where, strict=True)]
