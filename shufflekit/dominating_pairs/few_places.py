"""A sum over many whole numbers in a row, by few places among them, and how far off that is at most.

Gauss's rule for the weight 1 at each of L numbers in a row has positive weights and sums all polynomials of a degree
below twice the number of its places exactly. A function that is analytic and at most M in size inside the ellipse
about the stretch whose half axes are ``(R + 1/R)/2`` and ``(R - 1/R)/2`` times as long as half the stretch, is within
``2 M R^-d/(R - 1)`` of a polynomial of degree d (Bernstein). So sum and rule differ by twice L times that at most.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array

PLACES = 16  # of a rule; it sums polynomials of degree 31
ELLIPSE = 4.0  # R
ALONG, ACROSS = (ELLIPSE + 1 / ELLIPSE) / 2, (ELLIPSE - 1 / ELLIPSE) / 2
LOG_REMAINDER = math.log(4 / (ELLIPSE - 1)) - (2 * PLACES - 1) * math.log(ELLIPSE)  # times L and M
GROWTH = 1.25  # of lengths that are in use: few, so that rules serve again


class Stretch(NamedTuple):
    """Whole numbers in a row, from the first one on."""

    first: float
    length: int

    @property
    def exact(self) -> bool:
        """Whether each number is one of the places."""
        return self.length <= PLACES


@lru_cache(maxsize=200)
def rule(length: int) -> tuple[Array, Array]:
    """The places, counted from the first number, and their weights."""
    if length <= PLACES:
        return np.arange(float(length)), np.ones(length)
    # The recurrence of the discrete Chebyshev polynomials; the places are the eigenvalues. (Golub and Welsch)
    n, total = np.arange(1.0, PLACES), float(length)
    beside = n / 2 * np.sqrt((total - n) * (total + n) / (4 * n**2 - 1))
    place, vector = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return place + (total - 1) / 2, total * vector[0] ** 2


def fitting(length: float) -> int:
    """The longest length in use that is no longer; what is hardly longer than the rule is summed number by number."""
    if length < 2 * PLACES:
        return PLACES
    return math.floor(2 * PLACES * GROWTH ** math.floor(math.log(length / (2 * PLACES)) / math.log(GROWTH)))


def places(stretches: list[Stretch]) -> tuple[Array, Array]:
    """The places of all stretches, and their weights."""
    rules = [rule(one.length) for one in stretches]
    where = [one.first + place for one, (place, _) in zip(stretches, rules, strict=True)]
    return np.concatenate(where), np.concatenate([weight for _, weight in rules])
