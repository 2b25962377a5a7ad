"""Notebook 17, distributed check-in: the hidden cases of its exercises."""

import math
from collections.abc import Mapping

from shufflekit.exercises.checking import Case, Exercise, Trap

FIGURE_4 = 60_000**-1.1  # delta

EXERCISES: Mapping[str, Exercise] = {
    "17.1": Exercise(
        (Case((60,), 28_800), Case((1000,), 8_000_000), Case((1,), 8)),
        "Solve K sqrt(2/d) = 1/2 for d: square both sides.",
        (
            Trap(0, 7_200, "That is where the deviation of K is 1. To know K it has to be below one half."),
            Trap(0, 480, "That grows like K. The deviation is K sqrt(2/d): square all of it."),
        ),
    ),
    "17.2": Exercise(
        (
            Case((1.0, 0.5), math.exp(0.25)),
            Case((0.5, 1.0), 1 + 0.25 * math.expm1(1.0)),
            Case((0.3, 1.5), 1 + 0.09 * math.expm1(2.25)),
            Case((0.1, 2.5), 1 + 0.01 * math.expm1(6.25)),
        ),
        "Expand (1 - q + q Y)^2. Under Q, Y has the mean 1; and E Y^2 for a lognormal?",
        (Trap(1, 1 + 0.5 * math.expm1(1.0), "That weighs the moment of Y - 1 once by q. It is squared, too."),),
    ),
    "17.4": Exercise(
        (
            Case((1, 0.65, FIGURE_4), 2),
            Case((20, 0.65, FIGURE_4), 7),
            Case((100, 1.0, 1e-6), 26),
        ),
        "Raise the order by one while order (order - 1) D^2/(2 sigma^2 least) is at most log(1/delta), and D = 2.",
        (
            Trap(0, 1, "That has order^2 in the exponent. It is order (order - 1): at order 1 a moment is 1."),
            Trap(0, 3, "That is for D = 1. A record that is replaced may be 2 from its old value."),
        ),
    ),
}
