"""Notebook 6: the answers by another route than the table's, and answers that fall into a trap."""

from shufflekit import divergences
from shufflekit.papers.girgis2021 import lower_bench
from shufflekit.randomizers import RandomizedResponse


def likelihood_ratio(m, k, E):
    mu0, mu1 = lower_bench.eq37(m, E, k)
    return mu1 / mu0


def no_ones(E, k):
    return lower_bench.views(E, k, k)[0][0]


def three_over_two(E):
    """By the chi-squares of single messages."""
    two, three = (RandomizedResponse(k, ratio=round(E)).probs for k in (2, 3))
    return (divergences.ternary(*three, 2) / divergences.pearson_vajda(*two, 2)) ** 0.5


ANSWERS = {"06.1": likelihood_ratio, "06.2": no_ones, "06.3": three_over_two}

FALLEN = [
    ("06.1", lambda m, k, E: m * E / k, "The zeros vote, too."),
    ("06.1", lambda m, k, E: E ** (2 * m - k), "nobody knows which: average."),
    ("06.2", lambda E, k: 1 / (E + 1) ** k, "of the printed direction."),
    ("06.3", lambda E: three_over_two(E) ** 2, "Epsilon grows like the root of one."),
    ("06.3", lambda E: 1 / three_over_two(E), "two values over three."),
]
