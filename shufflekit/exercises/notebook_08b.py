"""Notebook 8b, the privacy axes: the hidden cases of its exercises."""

from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap, value

EXERCISES: Mapping[str, Exercise] = {
    "08b.1": value(
        46,
        'Compare bench.cost("Figure 3", 6 * e) with the same and "simplified", epoch by epoch.',
        (167, "That is with the optimal [34]."),
        (276, "That counts steps. An epoch has 6."),
    ),
    "08b.2": Exercise(
        (
            Case((16, 8, 1), 1040),
            Case((32, 4, 16), 8224),
            Case((10, 1, 3), 40),
        ),
        "One filter sees all channels through its window, and has one bias.",
        (
            Trap(0, 1024, "Each filter has a bias, too."),
            Trap(1, 544, "A filter sees all channels of its input."),
        ),
    ),
    "08b.3": value(
        Fraction(443, 4),
        "Take the other layers away from 13,170, and the 32 biases, and divide by the units.",
        (Fraction(447, 4), "The 32 biases of that layer are no inputs."),
        (Fraction(1801, 16), "The other layers have biases, too."),
    ),
}
