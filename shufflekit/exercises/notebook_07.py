"""Notebook 7, privacy against convergence: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

THREE = Fraction(3)
EXERCISES: Mapping[str, Exercise] = {
    "07.1": Exercise(
        (
            Case((9, THREE), Fraction(36)),
            Case((1, Fraction(2)), Fraction(9)),
            Case((100, Fraction(9)), Fraction(625, 4)),
        ),
        "The noise of an average of k reports is d s / sqrt(k) long. Set that equal to sqrt(d).",
        (
            Trap(0, Fraction(324), "That is for a gradient of length 1. It may be sqrt(d) long."),
            Trap(0, Fraction(6), "To average k reports divides the noise's length by sqrt(k), not by k."),
        ),
    ),
    "07.2": Exercise(
        (
            Case((1, 0.01, math.exp(-1)), 10.0),
            Case((100, 1e-4, math.exp(-4)), 20.0),
            Case((1000, 1e-5, 1e-5), math.sqrt(100 * math.log(1e5))),
        ),
        "Set the derivative in lambda to 0: T c = log(1/delta) / lambda^2.",
        (
            Trap(1, 0.4, "That is the least value. Which order attains it?"),
            Trap(1, 200.0, "That is the best order of one round. T rounds cost T c lambda."),
        ),
    ),
    "07.3": Exercise(
        (
            Case((2, 1), Fraction(1)),
            Case((10, 2), Fraction(4, 9)),
            Case((6, 6), Fraction(0)),
            Case((100, 10), Fraction(1, 11)),
        ),
        "The mean of g is 0 and the mean of its square 1: only the middle term of the split is left.",
        (Trap(1, Fraction(1, 2), "That is with replacement: without it, nobody is drawn twice."),),
    ),
}
