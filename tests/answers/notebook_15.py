"""Notebook 15: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
import math
from fractions import Fraction

from shufflekit import Shuffle


def dummies_of_a_window(n, m):
    """By the list of all slots that n clients may come to."""
    ways = list(itertools.product(*(range(j, j + m) for j in range(n))))
    return Fraction(sum(n + m - 1 - len(set(way)) for way in ways), len(ways))


def first_client_is_taken(m):
    """Of m clients, the only ones who share a window with the first."""
    ways = list(itertools.product(*(range(j, j + m) for j in range(m))))
    return sum(Fraction(1, way.count(way[0])) for way in ways) / len(ways)


def inverse_load(n, m):
    ways = [way.count(0) for way in itertools.product(range(m), repeat=n)]
    return sum(Fraction(1, load) for load in ways if load) / sum(load > 0 for load in ways)


def slots_for_a_tenth():
    """[beyond] 15 in its clones' form: what m slots guarantee to all of a sliding window."""
    return next(m for m in range(2090, 2110) if Shuffle(1.0, m, reduction="clones").epsilon(1e-6).upper <= 0.1)


def empty_counts_as_0(n, m):
    return sum(Fraction(math.comb(n, s) * (m - 1) ** (n - s), m**n * s) for s in range(1, n + 1))


def slots_by_the_paper():
    """Theorem 4.3's eps, ``a^2 E/(2m) + a sqrt(2 E log(1/delta)/m)`` with a = E - 1, is to be at most a tenth."""
    E, log_slack = math.e, math.log(1e6)
    a, enough = E - 1, 0.1
    root = (-a * math.sqrt(2 * E * log_slack) + a * math.sqrt(2 * E * log_slack + 2 * E * enough)) / (a**2 * E)
    return math.ceil(root**-2)


ANSWERS = {
    "15.1": dummies_of_a_window,
    "15.2": inverse_load,
    "15.3": first_client_is_taken,
    "15.4": slots_for_a_tenth(),
}

FALLEN = [
    ("15.1", lambda n, m: (n - m + 1) * (1 - Fraction(1, m)) ** m, "What of the edges?"),
    ("15.2", lambda n, m: empty_counts_as_0(n, m) if n > 1 else 1, "Which slots make a step?"),
    ("15.2", lambda n, m: Fraction(m, n) if n > 1 else 1, "the reciprocal of the mean."),
    ("15.3", lambda m: 1 - (1 - Fraction(1, m)) ** m, "who has m - 1 neighbours in every slot."),
    ("15.4", slots_by_the_paper(), "Ask the clone pair of m slots."),
]
