"""Notebook 11, sampling, then shuffling: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "11.1": Exercise(
        (
            Case((1.0, 1.0), 1.0),
            Case((1.0, 0.1), math.log1p(0.1 * math.expm1(1.0))),
            Case((3.0, 0.01), math.log1p(0.01 * math.expm1(3.0))),
        ),
        "H_alpha' is 0 from alpha' = e^eps on. To which alpha does that belong?",
        (Trap(1, 0.1, "That scales eps itself. What is scaled is alpha - 1."),),
    ),
    "11.2": Exercise(
        (
            Case((1, 0, 1, 1, 3), Fraction(3)),
            Case((1, 0, 1, 2, 3), Fraction(2)),
            Case((2, 1, 5, 10, 3), Fraction(6, 5)),
            Case((0, 0, 3, 6, 7), Fraction(1)),
        ),
        "Divide the two lines of [beyond] 3: both begin with n - k.",
        (
            Trap(1, Fraction(3), "That is as if you were drawn for sure. What is the score of your absence?"),
            Trap(2, Fraction(7, 6), "Who threw no ball left the blanket, and has the score 0, not 1."),
        ),
    ),
    "11.4": value(
        54_472,
        "Bisect on the rounds: (Shuffle(2.0, 1000, 10**6) * rounds).guarantee(1e-8).upper rises with them.",
        (48_693, "That is what the clones allow. Leave reduction away."),
    ),
    "11.5": Exercise(
        (
            Case((1, 1, 3), Fraction(2)),
            Case((10, 100, 3), Fraction(1, 500)),
            Case((7, 20, 2), Fraction(7, 600)),
        ),
        "b - w is a sum of K independent steps: up, down, or none. What is the variance of one?",
        (Trap(1, Fraction(1, 5), "That divides by K, as if all n reported. The n - K who are absent count, too."),),
    ),
}
