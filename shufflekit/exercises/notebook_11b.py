"""Notebook 11b, sampling, proofs and refinements: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
EXERCISES: Mapping[str, Exercise] = {
    "11b.1": Exercise(
        (
            Case((Fraction(1), HALF), Fraction(0)),
            Case((Fraction(5, 4), HALF), Fraction(1, 6)),
            Case((Fraction(2), Fraction(1, 100)), Fraction(99, 101)),
        ),
        "alpha' is 1 + (alpha - 1)/gamma.",
        (
            Trap(
                0,
                HALF,
                "That is 1 - gamma, the chance to be absent. At alpha = 1 absence is subtracted as it is added.",
            ),
        ),
    ),
    "11b.2": Exercise(
        (
            Case(((Fraction(0), Fraction(1)), (Fraction(1), QUARTER), (Fraction(2), Fraction(0))), HALF),
            Case(((Fraction(0), Fraction(1)), (HALF, Fraction(5, 8)), (Fraction(1), Fraction(3, 8))), QUARTER),
            Case(((Fraction(1), HALF), (Fraction(2), QUARTER), (Fraction(4), Fraction(0))), Fraction(1, 8)),
        ),
        "By how much does the slope rise at the middle dot?",
        (
            Trap(0, -HALF, "The slope rises: right minus left."),
            Trap(1, Fraction(1, 8), "That is P there, alpha times Q."),
        ),
    ),
    "11b.3": Exercise(
        (Case((1, 1), 1), Case((1, 10), 10), Case((Fraction(1, 8), QUARTER), 2)),
        "Keep the mean: with which probability does the loss become s?",
        (Trap(1, 100, "That is as if the loss always became s. Its mean is kept."),),
    ),
}
