"""[girgis2021] Theorem 3 (1) held against what is proved by another route, and its minimum against every order.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from shufflekit._validate import Array
from shufflekit.papers.girgis2021.renyi import PrivacyAtOrder, thm3_privacy
from shufflekit.papers.rows import Row
from shufflekit.protocols import Shuffle

# All clients, and those of a round; the third is the survey of notebook 7.
SIZES = ((1, 1), (10, 5), (100, 100), (5_638, 1000), (10**6, 1000), (10**7, 10**4))
HIGHEST = 1000  # order that is listed


class Price(NamedTuple):
    """What a run costs: reached by the attack, proved by the clones, and by eq (5)."""

    attack: float
    clones: float
    eq5: float
    where: str


def prices() -> list[Price]:
    """Runs of five eps0, six sizes, three numbers of rounds and two delta."""
    found = []
    grid = itertools.product((0.1, 0.5, 1.0, 2.0, 3.0), SIZES, (1, 10, 1000), (1e-3, 1e-8))
    for eps0, (n, k), T, delta in grid:
        run = Shuffle(eps0, k, n, reduction="clones") * T
        attack = run.attack_epsilon(delta, rtol=1e-2).lower
        clones = run.guarantee(delta, rtol=1e-2).upper
        where = f"eps0 = {eps0:g}, n = {n}, k = {k}, T = {T}, delta = {delta:g}"
        found.append(Price(attack, clones, thm3_privacy(eps0, n, k, T, delta).eps, where))
    return found


def privacy_rows(found: list[Price]) -> list[Row]:
    """[girgis2021] eq (5): what the clones need, which is proved by another route; the printed price."""
    return [(one.clones, one.eq5, one.where) for one in found]


def every_order(eps0: float, n: int, k: int) -> Array:
    """[girgis2021] Theorem 1 at each order from 2 to 1,000, as printed."""
    order = j = np.arange(2, HIGHEST + 1)
    with np.errstate(divide="ignore"):  # the log of every binomial coefficient, many of them 0
        choose = np.log(special.binom(order[:, None], j))
    E, kbar = np.exp(eps0), np.floor((k - 1) / (2 * np.exp(eps0))) + 1
    terms = np.log(j) + special.gammaln(j / 2) + j / 2 * np.log(2 * (E * E - 1) ** 2 / (kbar * E * E))
    terms[0] = np.log(4 * (E - 1) ** 2 / (kbar * E))
    terms = np.logaddexp(terms, j * np.log(E - 1 / E) - (k - 1) / (8 * E))
    total = special.logsumexp(choose + j * np.log(k / n) + terms, axis=1)
    return np.asarray(np.logaddexp(0, total) / (order - 1))


class Objective(NamedTuple):
    """Eq (5) before the minimum is taken, at each listed order; and the minimum that the kit finds."""

    listed: Array
    kit: PrivacyAtOrder
    where: str

    @property
    def turns(self) -> int:
        """How often it changes from falling to rising or back."""
        return int(np.sum(np.diff(np.sign(np.diff(self.listed))) != 0))


def objectives() -> list[Objective]:
    """At 217 points; the last is one of two valleys."""
    order = np.arange(2, HIGHEST + 1)
    spare = (order - 1) * np.log1p(-1 / order) - np.log(order)
    cases: list[Any] = list(itertools.product((0.1, 0.5, 1.0, 2.0, 3.0, 5.0), SIZES))
    grid = list(itertools.product(cases, (1, 100, 100_000), (1e-3, 1e-8)))
    grid.append(((7.0, (600_000, 600_000)), 1, 0.01))
    bounds = {case: every_order(case[0], *case[1]) for case, _, _ in grid}
    found = []
    for (eps0, (n, k)), T, delta in grid:
        listed = T * bounds[eps0, (n, k)] + (spare - np.log(delta)) / (order - 1)
        where = f"eps0 = {eps0:g}, n = {n}, k = {k}, T = {T}, delta = {delta:g}"
        found.append(Objective(listed, thm3_privacy(eps0, n, k, T, delta), where))
    return found


def minimum_rows(found: list[Objective]) -> list[Row]:
    """[girgis2021] Remark 2: the minimum that the kit finds, and the least of all listed orders."""
    near = [one for one in found if one.kit.order <= HIGHEST]
    return [(one.kit.eps, max(0.0, float(one.listed.min())), one.where) for one in near]
