"""Notebook 9, the clone pair: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "09.1": Exercise(
        (
            Case((1, 3), Fraction(0)),
            Case((2, 3), Fraction(1, 2)),
            Case((4, 4), Fraction(98, 125)),
        ),
        "With what probability does no other client throw a ball? They are independent.",
        (
            Trap(0, Fraction(1, 2), "You are no clone of your own: how many others are there?"),
            Trap(1, Fraction(1, 4), "That counts black balls only. A clone throws black or white."),
        ),
    ),
    "09.2": Exercise(
        (
            Case((1, 1, 3), Fraction(1)),
            Case((2, 0, 3), Fraction(3)),
            Case((2, 1, 5), Fraction(11, 7)),
        ),
        "Add up over which ball is yours: E for a black one, 1 for a white one; under Q the other way round.",
        (
            Trap(1, Fraction(9), "Only one ball is yours. The others speak for nobody."),
            Trap(2, Fraction(2), "That is b/w. Your ball is black with probability E/(E+1) only, not always."),
        ),
    ),
    "09.3": value(
        [Fraction(2, 3), Fraction(6)],
        "The factor is 2 M1(y)/M0(y), for y with M0 = 3/4, M1 = 1/4 first.",
        (
            [Fraction(6), Fraction(2, 3)],
            "The other way round. The first answer speaks for x0, so M1(y) is smaller.",
        ),
    ),
    "09.4": value(
        2553,
        "Shuffle(2.0, n, reduction='clones').guarantee(1e-8).upper falls with n: halve an interval.",
        (4502, "That is what the published pair needs, clones2021."),
        (2273, "That is what the corners need. Name the reduction."),
    ),
}
