"""Notebook 9b, why clones work: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "09b.1": Exercise(
        (
            Case((2, 3), Fraction(1, 2)),
            Case((3, 3), Fraction(7, 15)),
            Case((5, 2), Fraction(7, 12)),
        ),
        "The larger of the two rows, output by output, divided by E; then add up all k outputs.",
        (
            Trap(1, Fraction(3, 5), "That is the largest blanket, min R(x). This one knows two rows only."),
            Trap(1, Fraction(7, 5), "That is the sum of the larger entries. Divide by E."),
        ),
    ),
    "09b.2": value(
        [Fraction(13, 4), Fraction(3)],
        "Add 4 to each value of g, count what is negative as 0, and weigh by the probabilities.",
        ([Fraction(5, 4), Fraction(1, 3)], "The score is 0 with the rest of the probability, and (0 + 4)_+ = 4."),
        ([Fraction(3), Fraction(3)], "A negative value counts as 0: (-5 + 4)_+ = 0. Else only the mean is left."),
    ),
    "09b.3": Exercise(
        (Case((1,), 1), Case((2,), 3), Case((4,), 15)),
        "Vectors with entries 1 and E. Which of them point in the same direction?",
        (Trap(1, 4, "(1, ..., 1) and (E, ..., E) point in the same direction."),),
    ),
}
