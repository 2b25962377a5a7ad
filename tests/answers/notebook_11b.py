"""Notebook 11b: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

from shufflekit.papers.koskela2023 import sampling


def weight_of_absence(alpha, gamma):
    """What is subtracted has the mass ``alpha gamma`` at the other value and ``(alpha - 1)(1 - gamma)`` at absence."""
    present, absent = alpha * gamma, (alpha - 1) * (1 - gamma)
    return absent / (present + absent)


def mass(before, at, after):
    """Of the pair whose dots these are, with (0, 1) before them."""
    dots = [(Fraction(0), Fraction(1)), before, at, after][before[0] == 0 :]
    return sampling.connect_the_dots(*map(list, zip(*dots, strict=True))).q[-3]


def slope_difference(before, at, after):
    return (at[1] - before[1]) / (at[0] - before[0]) - (after[1] - at[1]) / (after[0] - at[0])


def growth(x, s):
    """The second moment of the two-point law with the mean x, over x^2."""
    chance = Fraction(x) / s
    return chance * s**2 / Fraction(x) ** 2


ANSWERS = {"11b.1": weight_of_absence, "11b.2": mass, "11b.3": growth}

FALLEN = [
    ("11b.1", lambda alpha, gamma: 1 - gamma, "At alpha = 1 absence is subtracted as it is added."),
    ("11b.2", slope_difference, "right minus left."),
    ("11b.2", lambda before, at, after: at[0] * mass(before, at, after), "alpha times Q."),
    ("11b.3", lambda x, s: (s / x) ** 2, "Its mean is kept."),
]
