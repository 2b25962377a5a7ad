"""Notebook 12b, two adversaries, losses and counts: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
EXERCISES: Mapping[str, Exercise] = {
    "12b.1": Exercise(
        (
            Case(((Fraction(3), THIRD), (Fraction(3, 4), Fraction(1, 4)), 2), Fraction(1, 4)),
            Case(((Fraction(4), Fraction(1), Fraction(4, 13)), (HALF, THIRD, Fraction(1, 6)), 1), Fraction(3, 8)),
            Case(((Fraction(2), Fraction(2, 3)), (HALF, HALF), 3), Fraction(0)),
        ),
        "An outcome with the ratio r counts with the weight 1 - alpha/r, if that is positive.",
        (
            Trap(0, Fraction(3, 4), "That is the probability of a ratio above alpha. What is each outcome's weight?"),
            Trap(0, Fraction(-1), "Outcomes with a ratio below alpha do not count: they weigh 0, not less."),
        ),
    ),
    "12b.2": Exercise(
        (
            Case((101, Fraction(9, 10), 2), Fraction(90)),
            Case((2, HALF, 4), Fraction(1, 4)),
            Case((11, Fraction(1, 5), 2), Fraction(2)),
        ),
        "One other user adds 1, -1 or 0. What is the variance of that?",
        (Trap(0, Fraction(99, 2), "That is for independent counts. A lie that is the first value is not the second."),),
    ),
    "12b.3": value(
        Fraction(7, 16),
        "Four outcomes: multiply the two rounds' probabilities, under X and under X'.",
        (Fraction(9, 16), "That is the probability of a ratio above 2."),
        (HALF, "That adds up the rounds' own deltas. It is a bound; the rounds can be multiplied out."),
    ),
}
