"""Notebook 7: the answers by another route than the table's, and answers that fall into a trap."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import minimize_scalar

from shufflekit import sgd
from shufflekit.papers import girgis2021


def reports_needed(d, E):
    """By Theorem 3's own two parts, which are equal there."""
    parts = girgis2021.thm3_gradient_bound(math.inf, d, 1.0, math.log(E), 1)
    return Fraction(parts.noise / parts.ball).limit_denominator(1000)


def best_order(T, c, delta):
    """By a search, in the logarithm of the order."""

    def cost(log_order):
        return math.log(T * c * math.exp(log_order) + math.log(1 / delta) * math.exp(-log_order))

    # The minimum is flat: where the slopes of both sides are equal is found more exactly.
    near = math.exp(minimize_scalar(cost, bounds=(0, 10), method="bounded").x)
    for _ in range(60):
        near = (near + math.log(1 / delta) / (T * c * near)) / 2
    return near


def variance_of_drawing(n, k):
    """All samples, enumerated; for many clients by the exact mean square without noise."""
    signs = [1] * (n // 2) + [-1] * (n // 2)
    if n <= 10:
        samples = list(combinations(signs, k))
        return sum(Fraction(sum(sample), k) ** 2 for sample in samples) / len(samples)
    points = np.array(signs, dtype=float)[:, None]
    return Fraction(float(sgd.averaged_second_moment(points, 1.0, k))).limit_denominator(1000)


ANSWERS = {"07.1": reports_needed, "07.2": best_order, "07.3": variance_of_drawing}

FALLEN = [
    ("07.1", lambda d, E: (d * (E + 1) / (E - 1)) ** 2, "It may be sqrt(d) long."),
    ("07.1", lambda d, E: math.sqrt(d) * float((E + 1) / (E - 1)), "by sqrt(k), not by k."),
    (
        "07.2",
        lambda T, c, delta: best_order(T, c, delta) if T == 1 else 2 * math.sqrt(T * c * math.log(1 / delta)),
        "Which order attains it?",
    ),
    ("07.2", lambda T, c, delta: best_order(1, c, delta), "T rounds cost T c lambda."),
    ("07.3", lambda n, k: Fraction(1, k), "nobody is drawn twice."),
]
