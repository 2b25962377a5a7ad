"""Notebook 2b, epsilon by hand: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "02b.1": value(
        [Fraction(1, 16), Fraction(3, 8), Fraction(9, 16)],
        "Both say 1 with probability 3/4 each. Three numbers that sum to 1: for 0, 1 and 2 ones.",
        (
            [Fraction(1, 16), Fraction(3, 16), Fraction(9, 16)],
            "These do not sum to 1. In how many ways can one of the two messages be a 1?",
        ),
        (
            [Fraction(9, 16), Fraction(3, 8), Fraction(1, 16)],
            "That is the law of the zeros, or of two clients who hold 0. Both hold 1, and we count ones.",
        ),
    ),
    "02b.2": Exercise(
        (
            Case((1,), Fraction(3, 8)),
            Case((2,), Fraction(3, 16)),
            Case((Fraction(5, 2),), Fraction(3, 32)),
            Case((4,), Fraction(0)),
        ),
        "Take the case in which the other client holds 1: which counts have P above alpha Q?",
        (
            Trap(1, Fraction(1, 16), "That is the pair in which the other client holds 0. Is it the worst?"),
            Trap(0, Fraction(1, 2), "That is one report, without a shuffler. What is seen is the count."),
            Trap(3, Fraction(-3, 16), "Beyond alpha = 3 nothing is left of the sum: no term of it is negative."),
        ),
    ),
    "02b.3": value(
        math.log(8 / 3),
        "Solve worst_delta(alpha) = 1/16 for alpha. Then eps is its logarithm.",
        (math.log(2), "That is the pair in which the other client holds 0. Take the worst of the four."),
        (math.log(11 / 4), "That is one report, without a shuffler."),
        (8 / 3, "That is alpha. What is eps?"),
    ),
    "02b.4": Exercise(
        (Case((3,), Fraction(3, 8)), Case((2,), Fraction(2, 9)), Case((5,), Fraction(5, 9))),
        "Write p = E/(E + 1). Only the count 2 has P above Q, if the other client holds 1.",
        (Trap(0, Fraction(1, 2), "That is one report without a shuffler, (E - 1)/(E + 1)."),),
    ),
}
