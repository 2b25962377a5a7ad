"""Notebook 6, the lower bound and the gap: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

TWO, THREE = Fraction(2), Fraction(3)
EXERCISES: Mapping[str, Exercise] = {
    "06.1": Exercise(
        (
            Case((0, 2, TWO), Fraction(1, 2)),
            Case((1, 2, TWO), Fraction(5, 4)),
            Case((3, 4, THREE), Fraction(7, 3)),
            Case((0, 1, THREE), Fraction(1, 3)),
        ),
        "Each of the k messages votes with its own likelihood ratio, a 1 with E and a 0 with 1/E. Take the average.",
        (
            Trap(0, Fraction(0), "The zeros vote, too."),
            Trap(
                0, Fraction(1, 4), "That multiplies the votes. Only one message is yours, nobody knows which: average."
            ),
        ),
    ),
    "06.2": Exercise(
        (
            Case((TWO, 1), Fraction(2, 3)),
            Case((TWO, 3), Fraction(8, 27)),
            Case((THREE, 2), Fraction(9, 16)),
        ),
        "The loudest outcome against a 1 among them is that there is no 1 at all. All k report a 0.",
        (Trap(0, Fraction(1, 3), "That is all ones, the loudest outcome of the printed direction."),),
    ),
    "06.3": Exercise(
        (
            Case((2.0,), 1.0),
            Case((7.0,), math.sqrt(14 / 9)),
            Case((20.0,), math.sqrt(40 / 22)),
        ),
        "Divide the two chi-squares, and remember how epsilon depends on them.",
        (
            Trap(1, 14 / 9, "That is the ratio of the chi-squares. Epsilon grows like the root of one."),
            Trap(1, 3 / math.sqrt(14), "That is two values over three."),
        ),
    ),
}
