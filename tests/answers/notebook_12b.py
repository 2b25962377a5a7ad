"""Notebook 12b: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
from fractions import Fraction

from shufflekit.divergences import hockey_stick
from shufflekit.papers.koskela2023 import views, views_bench


def divergence(ratios, chances, alpha):
    """By the two laws."""
    return hockey_stick(list(chances), [c / r for r, c in zip(ratios, chances, strict=True)], alpha)


def spread(n, gamma, k):
    """The first two moments of one other user's step, by all answers; steps are independent."""
    steps = [1, -1, *[0] * (k - 2)]
    mean, square = (sum(gamma / k * step**power for step in steps) for power in (1, 2))
    return sum(square - mean**2 for _ in range(n - 1))


def two_rounds():
    seen = views.enumerate_views([], Fraction(1, 2), 2, "shuffled")
    joint = [(p * r, q * s) for (p, q), (r, s) in itertools.product(seen.values(), repeat=2)]
    return sum(max(p - 2 * q, 0) for p, q in joint)


def probability(ratios, chances, alpha):
    return sum(c for r, c in zip(ratios, chances, strict=True) if r > alpha)


def without_the_plus(ratios, chances, alpha):
    return sum(c * (1 - alpha / r) for r, c in zip(ratios, chances, strict=True))


ONE = views.enumerate_views([], Fraction(1, 2), 2, "weak")
ANSWERS = {"12b.1": divergence, "12b.2": spread, "12b.3": two_rounds()}

FALLEN = [
    ("12b.1", probability, "What is each outcome's weight?"),
    ("12b.1", without_the_plus, "they weigh 0, not less."),
    ("12b.2", lambda n, gamma, k: 2 * (n - 1) * gamma / k * (1 - gamma / k), "is not the second."),
    ("12b.3", views.eq24(views_bench.losses(ONE).composed(2), 2), "the probability of a ratio above 2."),
    ("12b.3", 2 * views_bench.hockey(ONE, 2), "the rounds can be multiplied out."),
]
