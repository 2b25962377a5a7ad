"""Notebook 3, what the shuffler hides: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

HALF = Fraction(1, 2)
EXERCISES: Mapping[str, Exercise] = {
    "03.1": Exercise(
        (Case((3, 2), 4), Case((2, 3), 6), Case((1, 5), 5), Case((12, 4), 455)),
        "Stars and bars: in how many ways can n stars be separated by B - 1 bars?",
        (
            Trap(0, 8, "Those are the assignments, B to the power n: who sends what. The histogram forgets who."),
            Trap(0, 3, "With three clients and two messages there may be 0, 1, 2 or 3 ones: that is four histograms."),
        ),
    ),
    "03.2": value(
        HALF,
        "Add up (P - Q)^2/R over the three messages. One of them has P = Q.",
        (Fraction(3, 8), "That is in units of Q, or P against R. The difference is P - Q, the unit is R."),
        (Fraction(8, 5), "That is the example above, E = 3. Here E = 2."),
    ),
    "03.3": Exercise(
        (Case((2, 2), HALF), Case((4, 3), Fraction(8, 27)), Case((1, 2), Fraction(1))),
        "Each of the others is no clone with the chance 1 - 1/E, and their coins are independent.",
        (
            Trap(0, Fraction(1, 4), "You are no clone of anybody: how many others are there?"),
            Trap(1, Fraction(1, 27), "That is the chance that all of them are clones."),
        ),
    ),
    "03.4": Exercise(
        (Case((1, 3), Fraction(1)), Case((2, 3), Fraction(5, 3)), Case((3, 2), Fraction(7, 4))),
        "Theorem 5's right side is (E - 1)^2/E times the mean of 1/(m + 1), with q = 1/E. Divide by E_(n-1).",
        (
            Trap(0, Fraction(3), "E is the limit, for many clients. One client alone: both sides are the same."),
            Trap(1, Fraction(5, 9), "That is 1 - (1 - q)^n. What became of the q in the denominator?"),
        ),
    ),
}
