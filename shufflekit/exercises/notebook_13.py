"""Notebook 13, the shuffled Gaussian: the hidden cases of its exercises."""

import math
from collections.abc import Mapping

import numpy as np

from shufflekit.exercises.checking import Case, Exercise, Trap

EXERCISES: Mapping[str, Exercise] = {
    "13.1": Exercise(
        (
            Case((np.array([0.5]), 1.0), 1.0),
            Case((np.array([0.0, 1.0]), 1.0), math.cosh(0.5)),
            Case((np.array([2.5, 0.5, 0.5]), 2.0), (math.exp(0.5) + 2) / 3),
        ),
        "The box: a mean of exponentials, one a number.",
        (
            Trap(0, math.exp(0.5), "Its mean is to be 1 under noise alone. Where is the half?"),
            Trap(
                1, 1.0, "That is the exponential of a mean. Which of the numbers is the 1 is not known: average ratios."
            ),
        ),
    ),
    "13.2": Exercise(
        (Case((1, 3), 1), Case((2, 2), 3), Case((10, 7), 11_440), Case((20, 6), 177_100)),
        "Sort the coordinates: how many sorted lists of n of the m values are there?",
        (
            Trap(1, 1, "Coordinates may be equal: the pairs (1,1), (1,2), (2,2)."),
            Trap(1, 2, "That is m^n/n!. A point with equal coordinates has fewer than n! rearrangements."),
        ),
    ),
    "13.3": Exercise(
        (
            Case((1.0, 1), math.sqrt(math.expm1(1.0))),
            Case((2.0, 100), math.sqrt(math.expm1(0.25)) / 10),
        ),
        "X is a mean of n lognormals. What is the variance of one?",
        (
            Trap(0, 1.0, "That is the sum's. The reports tell more: X has the variance of a lognormal, over n."),
            Trap(0, math.expm1(1.0), "That is the variance of X, and mu is its root."),
        ),
    ),
    "13.4": Exercise(
        (
            Case((1.0,), (math.exp(3.0) + 3 * math.e) / 4),
            Case((2.0,), (math.exp(0.75) + 3 * math.exp(0.25)) / 4),
        ),
        "Multiply out (Y1 + Y2)^3: which of the eight terms are alike?",
        (
            Trap(0, math.exp(3.0) / 4, "Those are the two cubes. What of the six mixed terms?"),
            Trap(0, (math.exp(3.0) + 3) / 4, "A mixed term is E[Y^2] E[Y], and E[Y^2] is not 1."),
        ),
    ),
}
