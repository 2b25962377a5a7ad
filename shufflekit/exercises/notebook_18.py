"""Notebook 18, closing the gap: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
EXERCISES: Mapping[str, Exercise] = {
    "18.1": Exercise(
        (
            Case(((Fraction(3),), 2), Fraction(2)),
            Case(((Fraction(3), THIRD), 4), Fraction(4, 3)),
            Case(((THIRD, THIRD, THIRD), 10), Fraction(4, 5)),
        ),
        "With the chance 1 - k/N nothing was changed; each slot is yours with the chance 1/N.",
        (
            Trap(0, Fraction(3), "That is as if you reported for sure: one of N users need not be drawn."),
            Trap(0, Fraction(3, 2), "That forgets the worlds in which you stay at home: their factor is 1."),
        ),
    ),
    "18.2": value(
        Fraction(5, 4),
        "For each corner, the mean of (1 + score)_+. The chooser takes the best.",
        (Fraction(6, 5), "That is what 3rr has. Another corner is better here: try bin0."),
        (Fraction(1), "That is the sum so far, or bin1. A chooser can do better than nothing."),
    ),
    "18.3": Exercise(
        (
            Case((Fraction(3), 3), True),
            Case((THIRD, 3), True),
            Case((Fraction(2), 3), False),
            Case((HALF, 3), False),
            Case((Fraction(5), 2), True),
        ),
        "When can a score t0 - alpha t1 not change its sign? t0/t1 lies between 1/E and E.",
        (Trap(1, False, "That is one end. For small alpha every score is positive, and a mean is all there is."),),
    ),
}
