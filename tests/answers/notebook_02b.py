"""Notebook 2b: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
import math
from fractions import Fraction

from scipy.optimize import brentq

from shufflekit import exact
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import RandomizedResponse


def count_law(records, E):
    """The law of the number of ones, by the list of all messages."""
    law = [Fraction(0)] * (len(records) + 1)
    for said in itertools.product((0, 1), repeat=len(records)):
        chances = [Fraction(E if a == b else 1, E + 1) for a, b in zip(records, said, strict=True)]
        law[sum(said)] += math.prod(chances)
    return law


def worst(alpha, E=3):
    """Of all data sets of two clients, by enumeration."""
    return max(hockey_stick(one.p, one.q, alpha) for one in exact.neighbours(RandomizedResponse(2, ratio=E), 2))


def one_pair(alpha):
    return hockey_stick(count_law((1, 0), 3), count_law((0, 0), 3), alpha)


def alone(alpha):
    return hockey_stick(*RandomizedResponse(2, ratio=3).probs, alpha)


def eps_of(delta):
    return math.log(brentq(lambda alpha: float(delta(alpha)) - 1 / 16, 1, 3, xtol=1e-14))


ANSWERS = {
    "02b.1": count_law((1, 1), 3),
    "02b.2": worst,
    "02b.3": eps_of(worst),
    "02b.4": lambda E: worst(1, E),
}

FALLEN = [
    ("02b.1", [Fraction(1, 16), Fraction(3, 16), Fraction(9, 16)], "can one of the two messages be a 1?"),
    ("02b.1", count_law((0, 0), 3), "Both hold 1, and we count ones."),
    ("02b.2", one_pair, "Is it the worst?"),
    ("02b.2", alone, "What is seen is the count."),
    ("02b.2", lambda alpha: Fraction(3 * (3 - alpha)) / 16, "no term of it is negative."),
    ("02b.3", math.log(2), "Take the worst of the four."),
    ("02b.3", math.log(11 / 4), "one report, without a shuffler."),
    ("02b.3", 8 / 3, "What is eps?"),
    ("02b.4", lambda E: Fraction(E - 1, E + 1), "(E - 1)/(E + 1)."),
]
