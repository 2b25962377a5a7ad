"""Notebook 5: the answers by another route than the table's, and answers that fall into a trap."""

import math
from fractions import Fraction

import numpy as np

from shufflekit.papers import girgis2021
from shufflekit.papers.girgis2021 import renyi_bench


def lemma2_at_three(gamma, second, third):
    """From the kit's Lemma 2, back from the logarithm."""

    def log_zeta(order):
        with np.errstate(divide="ignore"):
            return np.log(np.where(order == 2, float(second), float(third)))

    return Fraction(float(np.expm1(2 * girgis2021.lemma2(3, log_zeta, float(gamma))))).limit_denominator(10**6)


def first_below(people):
    """From the far end down: the tail against the main term, for eps0 = 3 at order 2."""
    k, E = 4000, math.exp(3)
    while girgis2021.thm6(people(k), 2, 3.0) > (E - 1 / E) ** 2 * math.exp(-(k - 1) / (8 * E)):
        k -= 1
    return k + 1


def kbar(k):
    return girgis2021.kbar(3.0, k)


def corollary_factor(E):
    return Fraction(renyi_bench.staircase(math.log(E), 1000)["Corollary 1"]).limit_denominator(10**6)


ANSWERS = {"05.1": lemma2_at_three, "05.2": first_below(kbar), "05.3": corollary_factor}

FALLEN = [
    ("05.1", lambda gamma, second, third: gamma**2 * second + gamma**3 * third, "the binomial coefficients?"),
    (
        "05.1",
        lambda gamma, second, third: (
            gamma * (3 * second + third) if gamma < 0.5 else lemma2_at_three(gamma, second, third)
        ),
        "j of them in term j.",
    ),
    ("05.2", first_below(lambda k: k), "not k."),
    ("05.2", first_below(kbar) - 1, "not below the main term."),
    ("05.3", lambda E: 2 * (E + 2) / E, "Below E = 2 two values are the worst."),
    ("05.3", lambda E: 4, "From E = 2 on three are worse."),
]
