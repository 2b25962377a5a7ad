"""Notebook 13: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
import math

import numpy as np
from scipy.stats import lognorm, norm

from shufflekit.papers.koskela2023 import gaussian_bench


def speaks(t, sigma):
    """The two densities, one divided by the other."""
    density = norm(scale=sigma).pdf
    moved = [density(t - e).prod() for e in np.eye(len(t))]
    return float(np.mean(moved) / density(t).prod())


def orbits(m, n):
    return sum(1 for _ in itertools.combinations_with_replacement(range(m), n))


def mu_of_the_limit(sigma, n):
    """The deviation of a lognormal, as scipy has it."""
    return float(lognorm(1 / sigma, scale=math.exp(-1 / (2 * sigma**2))).std()) / math.sqrt(n)


def third_moment(sigma):
    return gaussian_bench.term_by_term(3, sigma, 2)


ANSWERS = {"13.1": speaks, "13.2": orbits, "13.3": mu_of_the_limit, "13.4": third_moment}

FALLEN = [
    ("13.1", lambda t, sigma: np.exp(t / sigma**2).mean(), "Where is the half?"),
    ("13.1", lambda t, sigma: np.exp((t.mean() - 0.5) / sigma**2), "average ratios."),
    ("13.2", lambda m, n: math.comb(m, n) if m > 1 else 1, "the pairs (1,1), (1,2), (2,2)."),
    ("13.2", lambda m, n: m**n / math.factorial(n) if m > 1 else 1, "has fewer than n! rearrangements."),
    ("13.3", lambda sigma, n: 1 / (sigma * math.sqrt(n)), "over n."),
    ("13.3", lambda sigma, n: math.expm1(1 / sigma**2) / n, "and mu is its root."),
    ("13.4", lambda sigma: 2 * math.exp(3 / sigma**2) / 8, "What of the six mixed terms?"),
    ("13.4", lambda sigma: (2 * math.exp(3 / sigma**2) + 6) / 8, "and E[Y^2] is not 1."),
]
