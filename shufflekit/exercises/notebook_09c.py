"""Notebook 9c, a primer on composition: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "09c.1": Exercise(
        (
            Case((3, 2), Fraction(7, 16)),
            Case((2, 1), Fraction(1, 3)),
            Case((2, 5), Fraction(0)),
        ),
        "Only two times yes can have P above alpha Q. If it has not, the divergence is 0.",
        (
            Trap(0, Fraction(1, 2), "That is twice the divergence of one round. Multiply the probabilities first."),
            Trap(
                0, Fraction(1, 16), "That is the square of one round's. Square the probabilities, not the divergence."
            ),
            Trap(2, Fraction(-1, 9), "A divergence is never negative: an outcome with P below alpha Q counts 0."),
        ),
    ),
    "09c.2": Exercise(
        (
            Case((1, math.log(3)), math.log(3) / 2),
            Case((10, 0.2), 2 * math.tanh(0.1)),
            Case((100, 1.5), 150 * math.tanh(0.75)),
        ),
        "The mean of one round: eps0 with probability E/(E+1), -eps0 with 1/(E+1). The means add up.",
        (
            Trap(0, math.log(3), "That is the largest loss, T eps0. Some answers speak for the other law."),
            Trap(1, 0.2, "That is T eps0^2/2, which is right for a small eps0 only."),
        ),
    ),
    "09c.3": value(
        [Fraction(9, 16), Fraction(7, 16)],
        "Only two times yes has a loss above log 2. The probability of that first; then with its weight 1 - 2/9.",
        (
            [Fraction(9, 16), Fraction(9, 16)],
            "The probability is right. In delta an outcome counts with its weight only.",
        ),
        ([Fraction(7, 16), Fraction(9, 16)], "Right, the other way round: a probability is at least the delta."),
    ),
    "09c.4": value(
        46,
        "Delta at eps = 3 grows with the rounds: count up until it exceeds 1e-6.",
        (30, "That is what basic composition allows."),
    ),
}
