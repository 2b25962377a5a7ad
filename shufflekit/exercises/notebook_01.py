"""Notebook 1, privacy as a distance: the hidden cases of its exercises."""

import math
from collections.abc import Mapping
from fractions import Fraction

from shufflekit.exercises.checking import Case, Exercise, Trap

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
EXERCISES: Mapping[str, Exercise] = {
    "01.1": Exercise(
        (Case((HALF, 3), Fraction(3, 4)), Case((QUARTER, 2), Fraction(2, 5)), Case((THIRD, 4), Fraction(2, 3))),
        "Odds are p : (1 - p). One report multiplies them by E at most. Then back from odds to a probability.",
        (
            Trap(0, Fraction(3, 2), "A probability above 1? It is the odds p : (1 - p) that are multiplied by E."),
            Trap(1, Fraction(2, 3), "That is E/(E + 1), from even odds. She may have believed something else before."),
        ),
    ),
    "01.2": Exercise(
        (
            Case(((Fraction(3, 4), QUARTER), (QUARTER, Fraction(3, 4)), Fraction(3, 2)), Fraction(3, 8)),
            Case(((HALF, HALF), (HALF, HALF), 1), Fraction(0)),
            Case(((HALF, QUARTER, QUARTER), (QUARTER, QUARTER, HALF), 1), QUARTER),
        ),
        "One term an outcome, p - alpha q, and only the terms above 0 count.",
        (
            Trap(0, -HALF, "You have added up the negative terms, too: outcomes that the best rule leaves out."),
            Trap(2, HALF, "Those are both sides, |p - alpha q|. Only where p is above alpha q does a term count."),
        ),
    ),
    "01.3": Exercise(
        (Case((3, 1), math.log(7 / 3)), Case((3, 10), 10 * math.log(7 / 3)), Case((2, 4), 4 * math.log(3 / 2))),
        "First the mean of (P/Q)^2 under Q for one round, then its logarithm, then T of them.",
        (
            Trap(0, 7 / 3, "That is the moment. The divergence of order 2 is its logarithm."),
            Trap(1, math.log(7 / 3), "That is one round: over rounds the divergences add up."),
        ),
    ),
    "01.4": Exercise(
        (
            Case((1, 0.5, 1e-6), 1 + math.sqrt(math.log(1e6) / 0.5)),
            Case((100, 0.01, 1e-8), 1 + math.sqrt(math.log(1e8))),
            Case((10_000, 0.02, 1e-5), 1 + math.sqrt(math.log(1e5) / 200)),
        ),
        "Minimise T rho x + log(1/delta)/(x - 1) over x: set its derivative to 0.",
        (
            Trap(0, math.sqrt(math.log(1e6) / 0.5), "That is the order less 1: the fraction has x - 1 below."),
            Trap(1, 1 + math.sqrt(math.log(1e8) / 0.01), "That is one round: after T rounds rho counts T times."),
        ),
    ),
}
