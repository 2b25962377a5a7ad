"""Notebook 8, the paper's figures: the hidden cases of its exercises."""

import math
from collections.abc import Mapping

from shufflekit.exercises.checking import Case, Exercise, Trap

EXERCISES: Mapping[str, Exercise] = {
    "08.1": Exercise(
        (
            Case((1000, 10**6, 10**5, 1e-8), math.log(1000 / (16 * math.log(4e10 * 2)))),
            Case((10**4, 10**4, 1, 1e-5), math.log(10**4 / (16 * math.log(8e5)))),
            Case((10**4, 10**7, 1000, 1e-8), math.log(10**4 / (16 * math.log(8e8)))),
        ),
        "Put delta_1 = delta / (2 T gamma) in the place of delta, with gamma = k / n.",
        (
            Trap(0, math.log(1000 / (16 * math.log(4e8))), "That spends all of delta on one round."),
            Trap(0, math.log(1000 / (16 * math.log(2 * 4e13))), "You are seen in a round with probability gamma only."),
            Trap(0, math.log(1000 / (16 * math.log(4e10))), "That is with the 2. The proof needs the 4."),
        ),
    ),
    "08.2": Exercise(
        (
            Case(((1, 100), (0.5, 5.0)), 0.5),
            Case(((10, 100, 1000), (1.0, 3.0, 16.0)), math.log10(16) / 2),
            Case(((100, 200), (1.0, 2.0)), 1.0),
        ),
        "In a doubly logarithmic plot both axes show logarithms: rise over run, of these.",
        (
            Trap(0, 4.5 / 99, "That is the slope in a plot without logarithms."),
            Trap(0, 2.0, "That is the run over the rise."),
        ),
    ),
    "08.3": Exercise(
        (
            Case((2.0, 1.0), 2.0),
            Case((2.0, 1e-3), math.log1p(1e-3 * math.expm1(2.0))),
            Case((0.5, 0.1), math.log1p(0.1 * math.expm1(0.5))),
        ),
        "The new factor, less 1, is gamma times the old factor, less 1. What is its logarithm?",
        (
            Trap(1, 2e-3, "That multiplies epsilon itself. It is alpha - 1 that is multiplied."),
            Trap(2, 0.1 * math.expm1(0.5), "That is alpha - 1. Take the logarithm of alpha."),
        ),
    ),
}
