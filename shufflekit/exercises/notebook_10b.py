"""Notebook 10b, what a transform forgets: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "10b.1": value(
        Fraction(3, 16),
        "Your ball has to be white, and the other's must not be black.",
        (Fraction(1, 16), "That is two white balls. The other may have thrown none."),
        (Fraction(1, 8), "That is one white ball, yours. The other may have thrown a white one, too."),
        (Fraction(9, 16), "That is under Q, where your ball is white with probability 3/4."),
    ),
    "10b.2": Exercise(
        (
            Case((0.75, math.log(3), 1), 27 / 28),
            Case((0.5, 1.0, 0.0), 0.5),
            Case((0.6, 0.5, -1.0), 1.5 / (1.5 + math.e)),
        ),
        "Multiply both probabilities by e^(t loss), and divide by their sum.",
        (
            Trap(0, 2.25, "Normalise: probabilities sum to 1."),
            Trap(0, 0.25, "The other way round: a tilt above 0 makes large losses likelier."),
            Trap(0, 0.9, "The loss of the other outcome is -eps0: its probability is multiplied by e^(-t eps0)."),
        ),
    ),
    "10b.3": Exercise(
        (
            Case((Fraction(6, 5), 1, 2), [Fraction(4, 5), Fraction(1, 5)]),
            Case((Fraction(5, 4), Fraction(1, 2), 2), [Fraction(1, 2), Fraction(1, 2)]),
            Case((3, 3, 4), [1, 0]),
        ),
        "The shares sum to 1, and low and high, weighted by them, have the mean x.",
        (
            Trap(
                0,
                [Fraction(1, 5), Fraction(4, 5)],
                "The other way round: an atom near low puts most of its mass there.",
            ),
            Trap(1, [0, 1], "That rounds up. Split the mass, so that the mean stays."),
        ),
    ),
}
