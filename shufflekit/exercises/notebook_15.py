"""Notebook 15, averaging, windows, utility: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "15.1": Exercise(
        (
            Case((1, 1), Fraction(0)),
            Case((6, 3), Fraction(92, 27)),
            Case((4, 4), Fraction(969, 256)),
        ),
        "Slot i may have min(i, n) - max(i - m, 0) clients, and each of them goes elsewhere with the chance 1 - 1/m. "
        "Add up the chances of all n + m - 1 slots.",
        (Trap(1, Fraction(32, 27), "Those are the full slots, m to n. What of the edges?"),),
    ),
    "15.2": Exercise(
        (
            Case((1, 3), Fraction(1)),
            Case((2, 2), Fraction(5, 6)),
            Case((3, 2), Fraction(29, 42)),
        ),
        "Add up Pr[S = s]/s over s = 1, ..., n, and divide by the chance that S is not 0.",
        (
            Trap(1, Fraction(5, 8), "That is E[1{S>0}/S], where an empty slot counts as 0. Which slots make a step?"),
            Trap(1, Fraction(1), "That is m/n, the reciprocal of the mean."),
        ),
    ),
    "15.3": Exercise(
        (
            Case((1,), Fraction(1)),
            Case((2,), Fraction(7, 8)),
            Case((3,), Fraction(137, 162)),
        ),
        "Slot i of hers lies in the windows of i clients, hers among them. It takes one with the chance "
        "1 - (1 - 1/m)^i, and all i are alike.",
        (Trap(1, Fraction(3, 4), "That is a client in the middle, who has m - 1 neighbours in every slot."),),
    ),
    "15.4": value(
        2096,
        "Bisect on m: Shuffle(1.0, m, reduction='clones').epsilon(1e-6).upper falls with m.",
        (22_257, "That is what Theorem 4.3 needs. Ask the clone pair of m slots."),
    ),
}
