"""Notebook 5, the Renyi upper bound: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

HALF = Fraction(1, 2)
EXERCISES: Mapping[str, Exercise] = {
    "05.1": Exercise(
        (
            Case((HALF, Fraction(1), Fraction(2)), Fraction(1)),
            Case((Fraction(1, 10), Fraction(4, 3), Fraction(5)), Fraction(9, 200)),
            Case((Fraction(1), Fraction(1, 7), Fraction(0)), Fraction(3, 7)),
        ),
        "The sum has two terms, j = 2 and j = 3. What stands before each?",
        (
            Trap(0, HALF, "Where are the binomial coefficients?"),
            Trap(1, Fraction(9, 10), "Each term has its own power of gamma, j of them in term j."),
        ),
    ),
    "05.2": value(
        750,
        "Go up from k = 2, and stop at the first k whose tail is below 4 (E-1)^2 / (kbar E).",
        (1446, "The main term has kbar people in it, not k."),
        (749, "That is the last k at which the tail is not below the main term."),
    ),
    "05.3": Exercise(
        (
            Case((Fraction(3, 2),), Fraction(4)),
            Case((Fraction(2),), Fraction(4)),
            Case((Fraction(4),), Fraction(3)),
            Case((Fraction(20),), Fraction(11, 5)),
        ),
        "Divide Theorem 6 at order 2 by the exact supremum. Two of its terms compete.",
        (
            Trap(0, Fraction(14, 3), "Below E = 2 two values are the worst."),
            Trap(2, Fraction(4), "That is right for two values. From E = 2 on three are worse."),
        ),
    ),
}
