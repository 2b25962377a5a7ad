"""Notebook 12: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

import numpy as np

from shufflekit.papers.koskela2023 import views_bench
from shufflekit.randomizers import RandomizedResponse


def weak_ratio(n1, n2, b, gamma, k):
    """By (C.2) and (C.3), of which all but the brackets cancels."""
    counts = (n1, n2, b + 1 - n1 - n2, *(0 for _ in range(k - 3)))[: max(k, 2)]
    law = b + 1, gamma, k
    return views_bench.eqc2(counts, b, law, 0) / views_bench.eqc2(counts, b, law, 1)


def rows(gamma, k):
    table = np.full((k, k), gamma / k, dtype=object)
    return table + (1 - gamma) * np.eye(k, dtype=int)


def ratio(gamma, k):
    first, second, *_ = rows(gamma, k)
    return first[0] / second[0]


def stands_out(gamma, k):
    """By E, for randomized response of that ratio."""
    E = RandomizedResponse(k, ratio=ratio(gamma, k)).ratio
    return Fraction((E - 1) ** 2, E + k - 1)


ANSWERS = {"12.2": weak_ratio, "12.3": ratio, "12.4": stands_out}

FALLEN = [
    ("12.2", lambda n1, n2, b, gamma, k: Fraction(n1, n2), "who sees that you told the truth."),
    (
        "12.2",
        lambda n1, n2, b, gamma, k: ((1 - gamma) * n1 + gamma / k * b) / ((1 - gamma) * n2 + gamma / k * b),
        "yours among them.",
    ),
    ("12.3", lambda gamma, k: (1 - gamma) / (gamma / k), "your own value comes with 1 - gamma + gamma/k."),
    ("12.4", lambda gamma, k: (1 - gamma) / (gamma / k), "(1 - gamma) is to be squared here."),
    ("12.4", lambda gamma, k: (ratio(gamma, k) - 1) ** 2 / (ratio(gamma, k) + 1), "It knows nothing of k."),
]
