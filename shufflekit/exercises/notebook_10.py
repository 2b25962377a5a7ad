"""Notebook 10, privacy loss distributions: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
RESPONSE = {Fraction(3): Fraction(3, 4), THIRD: Fraction(1, 4)}
PROOF = {math.inf: HALF, Fraction(1): HALF}

EXERCISES: Mapping[str, Exercise] = {
    "10.1": Exercise(
        (
            Case((2, RESPONSE), Fraction(1, 4)),
            Case((2, PROOF), 0.5),
            Case((HALF, PROOF), 0.75),
        ),
        "Each ratio above alpha counts with its probability times 1 - alpha/ratio; all others count 0.",
        (
            Trap(0, HALF, "That has no alpha in it, as (2.1) is printed: 1 - 1/ratio. Think of e^(eps - loss)."),
            Trap(0, Fraction(-1), "Losses below eps count 0, not something negative: the + in the formula."),
            Trap(1, 0, "An infinite loss counts in full: alpha/inf is 0."),
        ),
    ),
    "10.2": Exercise(
        (Case((1,), 2), Case((2,), 3), Case((8,), 23), Case((12,), 47)),
        "Count the different fractions b/(b + w) with 1 to n balls; 0 and 1 are among them.",
        (
            Trap(1, 5, "Those are the outcomes. (1, 0) and (2, 0) have the same share."),
            Trap(0, 1, "Both colours: one ball may be black or white."),
        ),
    ),
    "10.3": Exercise(
        (Case((1, 2, 4), 2), Case((3, 2, 4), 2), Case((5, 7, 32), 3)),
        "The sum of all losses, on a clock of that many hours.",
        (
            Trap(1, 6, "The grid has no such point: it ends at size - 1."),
            Trap(1, 3, "It does not stop at the end, it comes in again at the beginning."),
        ),
    ),
}
