"""Notebook 21, the ledger: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

EXERCISES: Mapping[str, Exercise] = {
    "21.1": Exercise(
        (
            Case(([0.2, 0.95, 0.5],), "holds"),
            Case(([0.2, 0.3],), "holds, loose"),
            Case(([0.5, 1.01],), "fails"),
            Case(([0.9],), "holds"),
            Case(([0.1, 1.0],), "holds"),
            Case(([0.89, 0.899],), "holds, loose"),
        ),
        "One share above 1 is enough to fail. Else the largest share decides: 0.9 or more is near the truth.",
        (
            Trap(0, "holds, loose", "One point near the truth is enough: the largest share counts, not the smallest."),
            Trap(2, "holds", "At one point the left side is above the right one. That is a counterexample."),
        ),
    ),
    "21.3": Exercise(
        (
            Case((0.0189, 0.1306), "unsafe"),
            Case((1.04, 0.1374), "wasteful"),
            Case((Fraction(1, 3), Fraction(1, 3)), "right"),
        ),
        "A promised epsilon below the true one is unsafe; one above it is wasteful.",
        (
            Trap(
                0, "wasteful", "A smaller epsilon promises more privacy than there is: it is the promise that is wrong."
            ),
        ),
    ),
}
