"""Notebook 2, local randomizers: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

HALF, HUNDREDTH = Fraction(1, 2), Fraction(1, 100)
EXERCISES: Mapping[str, Exercise] = {
    "02.1": Exercise(
        (
            Case((HALF, 1, 3), Fraction(5, 8)),
            Case((1, 1, 3), Fraction(3, 4)),
            Case((1, 2, 2), Fraction(7, 12)),
            Case((-2, 2, 3), Fraction(1, 4)),
        ),
        "1/2 + x/(2 a s) with s = (E + 1)/(E - 1).",
        (
            Trap(1, Fraction(1), "Then x = a is always reported as +: that is not private. Divide by s, too."),
            Trap(2, Fraction(2, 3), "That is right for a = 1. The radius is 2 here, and x = 1 is half of it."),
        ),
    ),
    "02.2": Exercise(
        (Case((2,), 2), Case((1000,), 11), Case((1024,), 11), Case((1025,), 12)),
        "How many bits for a number from 0 to d - 1? And one for the sign.",
        (
            Trap(0, 1, "That is the coordinate. The sign is a bit, too."),
            Trap(2, 12, "1024 numbers, from 0 to 1023, need 10 bits: round up only what is no power of two."),
        ),
    ),
    "02.3": Exercise(
        (
            Case((4, 3, HUNDREDTH), Fraction(1600)),
            Case((100, 2, Fraction(1, 10)), Fraction(9000)),
            Case((32, 5, Fraction(1, 2)), Fraction(144)),
        ),
        "The second moment of one report of R_1 is d s^2, with s = (E + 1)/(E - 1). Divide by the error.",
        (
            Trap(0, Fraction(800), "That has s in the place of s^2."),
            Trap(0, Fraction(6400), "That is R_inf, whose second moment is d^2 s^2."),
            Trap(1, Fraction(90_000), "The error is a squared error already: it falls like 1/n."),
        ),
    ),
    "02.4": Exercise(
        (
            Case((HALF, 2, 3), HALF),
            Case((Fraction(2, 5), 3, 2), Fraction(3, 5)),
            Case((Fraction(1, 4), 3, 2), Fraction(0)),
            Case((HALF, 4, 6), Fraction(7, 10)),
        ),
        "If the true share is f, how often is the word reported? By those who hold it, and by those who do not.",
        (
            Trap(1, Fraction(2, 5), "That is the share of the reports, not of the words: most reports may be wrong."),
            Trap(1, Fraction(4, 5), "Those who hold other words report this one, too: subtract them first."),
        ),
    ),
}
