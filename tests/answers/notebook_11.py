"""Notebook 11: the answers by another route than the table's, and answers that fall into a trap."""

import math
from fractions import Fraction

from scipy.optimize import brentq

from shufflekit import Shuffle


def amplified(eps, gamma):
    """Where alpha' = 1 + (alpha - 1)/gamma reaches e^eps."""
    return brentq(lambda x: 1 + math.expm1(x) / gamma - math.exp(eps), 0, 10, xtol=1e-14)


def likelihood_ratio(b, w, k, n, E):
    """Scores one by one: balls, users who left, users who were not drawn."""
    listed = [(E, 1)] * b + [(1, E)] * w + [(0, 0)] * (k - b - w) + [(1, 1)] * (n - k)
    first, second = map(sum, zip(*listed, strict=True))
    return Fraction(first, second)


def balls_counted_as_one(b, w, k, n, E):
    rest = n - b - w
    return Fraction(rest + E * b + w, rest + b + E * w)


def rounds_for_a_tenth(reduction):
    """The variances say about how many; from there step by step."""
    one = Shuffle(2.0, 1000, 10**6, reduction=reduction)
    low, high = 40_000, 60_000
    while high - low > 1:
        middle = (low + high) // 2
        fits = (one * middle).guarantee(1e-8).upper <= 0.1
        low, high = (middle, high) if fits else (low, middle)
    return low


def variance(K, n, E):
    """All ball counts, one by one."""
    p, total = Fraction(1, E + 1), Fraction(0)
    for b in range(K + 1):
        for w in range(K - b + 1):
            chance = math.comb(K, b) * math.comb(K - b, w) * p ** (b + w) * (1 - 2 * p) ** (K - b - w)
            total += chance * Fraction((E - 1) * (b - w), n) ** 2
    return total


ANSWERS = {
    "11.1": amplified,
    "11.2": likelihood_ratio,
    "11.4": rounds_for_a_tenth("corners"),
    "11.5": variance,
}

FALLEN = [
    ("11.1", lambda eps, gamma: gamma * eps, "What is scaled is alpha - 1."),
    ("11.2", lambda b, w, k, n, E: Fraction(E * b + w, b + E * w), "What is the score of your absence?"),
    ("11.2", balls_counted_as_one, "has the score 0, not 1."),
    ("11.4", rounds_for_a_tenth("clones"), "Leave reduction away."),
    ("11.5", lambda K, n, E: Fraction(2 * (E - 1) ** 2, (E + 1) * K), "The n - K who are absent count, too."),
]
