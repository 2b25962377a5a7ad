"""Notebook 2: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

from shufflekit.vector_randomizers import R1, RInf


def plus(x, a, E):
    """Randomized response to a sign that is + with the chance 1/2 + x/(2a)."""
    heads = (1 + Fraction(x) / a) / 2
    return (heads * E + (1 - heads)) / (E + 1)


def bits(d):
    return RInf(d, 1.0).bits


def reports_needed(d, E, error):
    """By the law of a report of the centre."""
    law = R1(d, ratio=E).law([[0] * d, [0] * d])
    return law.second_moment[0] / error


def estimate(h, k, E):
    """The share of the reports is linear in the share of the words: known at 0 and at 1."""
    nobody, everybody = Fraction(1, E + k - 1), Fraction(E, E + k - 1)
    return (h - nobody) / (everybody - nobody)


ANSWERS = {"02.1": plus, "02.2": bits, "02.3": reports_needed, "02.4": estimate}

FALLEN = [
    ("02.1", lambda x, a, E: (1 + Fraction(x) / a) / 2 if x == a else plus(x, a, E), "Divide by s, too."),
    ("02.1", lambda x, a, E: plus(x, 1, E), "x = 1 is half of it."),
    ("02.2", lambda d: bits(d) - 1, "The sign is a bit, too."),
    ("02.2", lambda d: d.bit_length() + 1 - (d == 2), "round up only what is no power of two."),
    ("02.3", lambda d, E, error: d * Fraction(E + 1, E - 1) / error, "s in the place of s^2."),
    ("02.3", lambda d, E, error: d * reports_needed(d, E, error), "whose second moment is d^2 s^2."),
    (
        "02.3",
        lambda d, E, error: reports_needed(d, E, error if d == 4 else error**2),
        "it falls like 1/n.",
    ),
    ("02.4", lambda h, k, E: h, "most reports may be wrong."),
    ("02.4", lambda h, k, E: estimate(h, k, E) if k == 2 else h * (E + k - 1) / E, "subtract them first."),
]
