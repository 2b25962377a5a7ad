"""Notebook 14, random check-ins: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

HALF = Fraction(1, 2)
EXERCISES: Mapping[str, Exercise] = {
    "14.1": Exercise(
        (
            Case((1, 1, Fraction(1)), Fraction(1)),
            Case((2, 2, Fraction(1)), Fraction(3, 4)),
            Case((3, 4, HALF), Fraction(169, 384)),
            Case((5, 2, HALF), Fraction(781, 2560)),
        ),
        "A slot that is not empty takes one client, and all n are alike. How many slots are not empty on average?",
        (
            Trap(1, Fraction(1), "That is m/n, as if no slot were ever empty."),
            Trap(2, HALF, "That is the chance that you come. Others may have come to the same slot."),
        ),
    ),
    "14.2": value(
        Fraction(71, 17496),
        "Two ordered pairs, (x0, x1) and (x1, x0): take the larger H_a. The dummy is an input number, 0 here.",
        (Fraction(23, 5832), "That is what the averaged weights say. Enumerate: exact.fixed_window."),
        (Fraction(67, 17496), "That is what the averaged weights say, with the corners. Enumerate instead."),
    ),
    "14.3": value(
        Fraction(1, 3),
        "All data of the two others, in order: exact.neighbours_of of a view made with exact.one_swap.",
        (Fraction(5, 16), "That is the clone pair's, a bound for shuffled data. Enumerate A_swap itself."),
    ),
    "14.4": Exercise(
        (
            Case((2, 2), HALF),
            Case((2, 3), Fraction(2, 3)),
            Case((3, 4), Fraction(3, 8)),
            Case((3, 2), Fraction(0)),
            Case((1, 7), Fraction(1)),
        ),
        "At so large an alpha only what cannot happen without you counts: n slots are taken, one by each client.",
        (Trap(2, Fraction(9, 16), "That is the chance that you are alone in your slot. The others may share one."),),
    ),
}
