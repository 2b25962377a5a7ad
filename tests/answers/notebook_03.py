"""Notebook 3: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
from fractions import Fraction

from shufflekit.papers.girgis2021 import steps
from shufflekit.randomizers import RandomizedResponse


def histograms(n, B):
    """By the list of all that n clients may send."""
    return len(set(itertools.combinations_with_replacement(range(B), n)))


def ternary(E, unit=2):
    rows = [[Fraction(E if i == j else 1, E + 2) for j in range(3)] for i in range(3)]
    return sum((a - b) ** 2 / c for a, b, c in zip(rows[0], rows[1], rows[unit], strict=True))


def no_clone(n, E):
    """One client after the other."""
    chance = Fraction(1)
    for _ in range(n - 1):
        chance -= chance / E
    return chance


def clones_loss(n, E):
    """Both sides of Theorem 5, enumerated."""
    channel = RandomizedResponse(2, ratio=E)
    return steps.thm5(channel, n, (0, 1, 0), 2) / steps.in_crowd(channel, [0] * (n - 1), (0, 1, 0), 2)


ANSWERS = {"03.1": histograms, "03.2": ternary(2), "03.3": no_clone, "03.4": clones_loss}

FALLEN = [
    ("03.1", lambda n, B: B**n, "The histogram forgets who."),
    ("03.1", lambda n, B: histograms(n, B) - 1, "that is four histograms."),
    ("03.2", ternary(2, unit=1), "the unit is R."),
    ("03.2", ternary(3), "Here E = 2."),
    ("03.3", lambda n, E: no_clone(n + 1, E), "how many others are there?"),
    ("03.3", lambda n, E: Fraction(1, E) ** (n - 1), "all of them are clones."),
    ("03.4", lambda n, E: E, "both sides are the same."),
    ("03.4", lambda n, E: clones_loss(n, E) / E if n > 1 else 1, "What became of the q in the denominator?"),
]
