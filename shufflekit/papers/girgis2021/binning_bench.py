"""[girgis2021] Theorem 1 is for discrete reports: continuous ones cut into bins, held against the continuum.

The Renyi divergence of two laws is the supremum over finite partitions: binned divergences rise to it.
"""

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import laplace

from shufflekit import divergences
from shufflekit._validate import Array
from shufflekit.papers.rows import Row
from shufflekit.vector_randomizers import PrivUnit

RATIO = Fraction(5)  # of the half-sphere
ANGLE, OTHER = (
    Fraction(1, 3),
    Fraction(2, 3),
)  # where your second vector points, and the other client's: parts of a turn
START = Fraction(1, 7)  # where the first bin begins, so that no bin's edge meets an edge of a half-circle
QUARTER = Fraction(1, 4)
LAPLACE_EPS0 = 2.0
BINS = tuple(2**i for i in range(1, 9))
ORDERS = (2, 4, 16)
KINDS = ("half-sphere", "two shuffled", "PrivUnit", "Laplace")


def arcs(angle: Fraction, bins: int, start: Fraction) -> Any:
    """The half-sphere's report in the plane, for a vector at this angle, cut into equal arcs; in fractions."""
    edges = [start + Fraction(i, bins) for i in range(bins + 1)]
    far = [[edge - angle + QUARTER, edge - angle - 1 + QUARTER] for edge in edges]
    inside = [sum(min(max(x, Fraction(0)), 2 * QUARTER) for x in pair) for pair in far]
    return 2 / (RATIO + 1) * (Fraction(1, bins) + (RATIO - 1) * np.diff(np.array(inside)))


def half_sphere(bins: int, start: Fraction) -> tuple[Any, Any]:
    """The laws of the binned report of two vectors, a third of a turn apart."""
    return arcs(Fraction(0), bins, start), arcs(ANGLE, bins, start)


def two_shuffled(bins: int, start: Fraction) -> tuple[Any, Any]:
    """The same with another client's report, the order forgotten."""
    other = arcs(OTHER, bins, start).astype(float)
    pairs = [np.outer(other, report.astype(float)) for report in half_sphere(bins, start)]
    return (pairs[0] + pairs[0].T) / 2, (pairs[1] + pairs[1].T) / 2


ON_THE_CIRCLE = {"half-sphere": half_sphere, "two shuffled": two_shuffled}


def bands(edges: Array) -> tuple[Array, Array]:
    """PrivUnit in 100 dimensions, two opposite vectors, seen through bands across the axis; edges in shares of area."""
    unit = PrivUnit(100, 2.0)
    c, P = unit.cap_area, unit.cap_probability
    below = np.where(edges <= c, P * edges / c, P + (1 - P) * (edges - c) / (1 - c))
    return np.diff(below), np.diff(below)[::-1]


def binned_laplace(bins: int) -> tuple[Array, Array]:
    """Laplace noise on the numbers 0 and 1."""
    edges = np.concatenate([[-np.inf], np.linspace(-3, 4, bins + 1)[1:-1], [np.inf]])
    first, second = (np.diff(laplace.cdf(edges, loc=x, scale=1 / LAPLACE_EPS0)) for x in (0, 1))
    return first, second


def binned(kind: str, bins: int) -> tuple[Any, Any]:
    """Both laws of a kind of report, cut into bins."""
    if kind == "PrivUnit":
        return bands(np.linspace(0, 1, bins + 1))
    if kind == "Laplace":
        return binned_laplace(bins)
    return ON_THE_CIRCLE[kind](bins, START)


def continuous(kind: str, order: float) -> float:
    """The divergence without bins: in closed form, or from bins whose edges are where the densities jump."""
    if kind == "Laplace":
        near, far = math.exp((order - 1) * LAPLACE_EPS0), math.exp(-order * LAPLACE_EPS0)
        return math.log((order * near + (order - 1) * far) / (2 * order - 1)) / (order - 1)
    if kind == "PrivUnit":
        area = PrivUnit(100, 2.0).cap_area
        return float(divergences.renyi(*bands(np.array([0, area, 1 - area, 1])), order))
    return float(divergences.renyi(*ON_THE_CIRCLE[kind](12, Fraction(0)), order))


@functools.cache
def shares(kind: str, order: float) -> tuple[float, ...]:
    """What part of the divergence is left after cutting, for each number of bins."""
    whole = continuous(kind, order)
    return tuple(float(divergences.renyi(*binned(kind, bins), order)) / whole for bins in BINS)


def discrete_rows() -> list[Row]:
    """The binned divergence and the continuous one: every kind of report, order and number of bins."""
    rows: list[Row] = []
    for kind in KINDS:
        for order in ORDERS:
            whole = continuous(kind, order)
            sides = zip(shares(kind, order), BINS, strict=True)
            rows += [(share * whole, whole, f"{kind}, order = {order}, bins = {bins}") for share, bins in sides]
    return rows
