"""Notebook 4, the ternary divergence: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

TWO, THREE, SEVEN = Fraction(2), Fraction(3), Fraction(7)
EXERCISES: Mapping[str, Exercise] = {
    "04.1": Exercise(
        (
            Case((TWO, 1), Fraction(1, 2)),
            Case((TWO, 2), Fraction(1, 2)),
            Case((THREE, 2), Fraction(8, 5)),
            Case((SEVEN, 3), Fraction(48)),
        ),
        "Two messages count. Which row makes both of them rare under R?",
        (
            Trap(1, Fraction(3, 8), "That is what R = Q gives. Try a third row for R."),
            Trap(2, Fraction(4, 5), "That is one message's part. On how many do P and Q differ?"),
        ),
    ),
    "04.2": Exercise(
        (
            Case((TWO,), Fraction(1, 2)),
            Case((THREE,), Fraction(4, 3)),
            Case((SEVEN,), Fraction(36, 7)),
        ),
        "The mean of the squares, less the square of the mean. The mean of a vote is 1.",
        (
            Trap(0, Fraction(3, 2), "That is the mean of the squares. Take away the square of the mean, which is 1."),
            Trap(0, Fraction(9, 16), "That is the variance if both votes were equally likely. The vote E is rare."),
        ),
    ),
    "04.3": Exercise(
        (
            Case((2, Fraction(1, 100)), 50),
            Case((3, Fraction(1, 100)), 160),
            Case((7, Fraction(1, 1000)), 8000),
            Case((Fraction(3, 2), Fraction(1, 100)), 17),
        ),
        "Divide the exact supremum for one clone by `most`, and round up. Which of the two terms is the larger?",
        (
            Trap(0, 200, "Theorem 6 is enough, but it asks for more than is needed. Use the exact supremum."),
            Trap(1, 134, "That is right for two values. From E = 2 on three are worse."),
        ),
    ),
}
