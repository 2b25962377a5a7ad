"""Notebook 12, k-RR and the two adversaries: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
EXERCISES: Mapping[str, Exercise] = {
    "12.2": Exercise(
        (
            Case((3, 1, 3, HALF, 2), Fraction(5, 3)),
            Case((1, 0, 0, QUARTER, 4), Fraction(13)),
            Case((2, 0, 4, HALF, 5), Fraction(3)),
        ),
        "Divide the brackets of (C.2) and (C.3): each has a part for the truth and one for a lie.",
        (
            Trap(0, Fraction(3), "That is the strong adversary's, who sees that you told the truth."),
            Trap(0, Fraction(9, 5), "If you lied there are b + 1 lies, yours among them."),
        ),
    ),
    "12.3": Exercise(
        (Case((QUARTER, 4), Fraction(13)), Case((HALF, 2), Fraction(3)), Case((Fraction(9, 10), 3), Fraction(4, 3))),
        "How likely is your own value, and how likely another given one?",
        (Trap(0, Fraction(12), "A lie may be true: your own value comes with 1 - gamma + gamma/k."),),
    ),
    "12.4": Exercise(
        (Case((QUARTER, 4), Fraction(9)), Case((HALF, 2), Fraction(1)), Case((Fraction(1, 10), 5), Fraction(81, 2))),
        "The squared difference of two probabilities, over gamma/k.",
        (
            Trap(0, Fraction(12), "That is the strong adversary's mean: (1 - gamma) is to be squared here."),
            Trap(0, Fraction(72, 7), "That is the clones': (E - 1)^2/(E + 1). It knows nothing of k."),
        ),
    ),
}
