"""Notebook 4: the answers by another route than the table's, and answers that fall into a trap."""

import math
from fractions import Fraction
from itertools import product

from shufflekit import divergences
from shufflekit.papers import girgis2021
from shufflekit.papers.girgis2021 import steps
from shufflekit.randomizers import RandomizedResponse


def three_rows(E, order):
    """All triples of rows, enumerated."""
    rows = RandomizedResponse(3, ratio=E).probs
    return max(divergences.ternary(*rows[list(x)], order) for x in product(range(3), repeat=3))


def last_row_again(E, order):
    rows = RandomizedResponse(3, ratio=E).probs
    return divergences.ternary(*rows[[0, 1, 1]], order)


def variance(E):
    """By the chi-square divergence of the two rows."""
    p, q = RandomizedResponse(2, ratio=E).probs
    return divergences.pearson_vajda(p, q, 2)


def clones_needed(E, most):
    """By the linear programme, with a little room for its round-off."""
    return math.ceil(steps.largest_E0(2, math.log(E)) / float(most) - 1e-6)


def by_theorem_6(E, most):
    return math.ceil(float(girgis2021.thm6(1, 2, math.log(E))) / float(most) - 1e-6)


ANSWERS = {"04.1": three_rows, "04.2": variance, "04.3": clones_needed}

FALLEN = [
    ("04.1", lambda E, order: (last_row_again if order > 1 else three_rows)(E, order), "Try a third row for R."),
    ("04.1", lambda E, order: three_rows(E, order) / (1 if E == 2 else 2), "On how many do P and Q differ?"),
    ("04.2", lambda E: variance(E) + 1, "Take away the square of the mean, which is 1."),
    ("04.2", lambda E: (E - 1 / Fraction(E)) ** 2 / 4, "The vote E is rare."),
    ("04.3", by_theorem_6, "Use the exact supremum."),
    ("04.3", lambda E, most: math.ceil(Fraction((E - 1) ** 2) / E / most), "From E = 2 on three are worse."),
]
