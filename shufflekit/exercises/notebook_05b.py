"""Notebook 5b, what Theorem 1 is made of: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

THIRD = Fraction(1, 3)
EXERCISES: Mapping[str, Exercise] = {
    "05b.1": Exercise(
        (
            Case((1001, 0.1, 2.0), 447.18897675472454),
            Case((301, 1e-3, 7.0), 783.9255206543484),
            Case((33, 1.0, 2.0), 2.182713335874583),
        ),
        "Solve (1 + x)^order = e^((k-1)/(8E)) for the order.",
        (
            Trap(0, 417.08333333333326, "That is the second expression, for a small x and a large k. Take the first."),
            Trap(0, 3577.5118140377963, "There is an 8 below k - 1, from Chernoff's inequality at half the mean."),
        ),
    ),
    "05b.2": value(
        76,
        "Go up from k = 2 with k = n, and stop where Theorem 1 at order 2 is at most 1.5.",
        (127, "That is for order 8."),
        (75, "There it still is above 1.5."),
    ),
    "05b.3": Exercise(
        (
            Case((Fraction(5, 2), 2, Fraction(1), 3, Fraction(2)), Fraction(5, 3)),
            Case((Fraction(4), 2, THIRD, 8, Fraction(1)), Fraction(23, 27)),
            Case((Fraction(3), 3, THIRD, 4, Fraction(1)), THIRD),
        ),
        "What is convex in the order is (order - 1) times the Renyi divergence. Interpolate that.",
        (Trap(0, Fraction(3, 2), "The straight line is one of (order - 1) times the bound, not of the bound itself."),),
    ),
}
