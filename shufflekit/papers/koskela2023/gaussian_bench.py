"""The shuffled Gaussian's one-dimensional law, and its moments, held against integrals and sums of other kinds.

A row is a left side, a right side and where: what ``claims.verify`` compares, with ``rows.compared``. What belongs to
[koskela2023] is at its sigma, 2, and at four eps.
"""

import functools
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from shufflekit._validate import Array
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs import GaussianPair
from shufflekit.dominating_pairs.gaussian_moments import log_moments
from shufflekit.papers.koskela2023.gaussian import (
    Estimate,
    call,
    section5_grid_corrected,
    section5_hypercube,
    section5_left_out,
    section5_orbits,
)
from shufflekit.papers.rows import Row
from shufflekit.protocols import RandomAllocation

SIGMA = 2.0
EPS = np.array([0.0, 0.1, 0.25, 0.5])
POINTS = {3: (52, 56, 60, 64), 7: (17, 18, 19, 20)}  # of the grids in n dimensions
MILLION, RUNS = 10**6, 50
SIDE = 10.5  # half the side of the cube that is drawn from
SIDES = (8.5, 9.0, 9.5, 9.6, 9.7, 9.8, 10.0, SIDE, 12.0)
GRAIN = 1e-5  # what the cells of the plane may be off by


# The law of one number against integrals in n dimensions


def ends(n: int) -> Ends:
    """The certified ends of the one-dimensional law."""
    return GaussianPair(SIGMA, n).delta(EPS)


def quadrature(n: int, alpha: float) -> float:
    """One user: the closed form. Two: an integral over one score, the other one known in closed form."""
    if n == 1:
        return float(call(np.asarray(alpha), SIGMA))
    bend = SIGMA * np.log(2 * alpha) + 0.5 / SIGMA  # where one score alone reaches 2 alpha

    def inner(z: float) -> float:
        score = np.exp(z / SIGMA - 0.5 / SIGMA**2)
        return float(call(2 * alpha - score, SIGMA) * norm.pdf(z) / 2)

    return float(quad(inner, -9, 12, points=[bend], epsabs=1e-13, epsrel=1e-10, limit=200)[0])


@functools.cache
def integral(n: int) -> Estimate:
    """The integral in n dimensions at each eps; its error is how far four grids are apart."""
    if n not in POINTS:
        return Estimate(np.array([quadrature(n, a) for a in np.exp(EPS)]), np.zeros(len(EPS)))
    grids = [section5_orbits(EPS, SIGMA, n, points) for points in POINTS[n]]
    return Estimate(np.mean(grids, axis=0), np.ptp(grids, axis=0))


def section5_rows() -> Iterator[Row]:
    """[koskela2023] Sec 5, corrected: the integral lies between the ends, up to the error of its own grid."""
    for n in (1, 2, 3, 7):
        for e, value, error, low, high in zip(EPS, *integral(n), *ends(n), strict=True):
            yield low - error, value, f"n = {n}, eps = {e:g}"
            yield value, high + error, f"n = {n}, eps = {e:g}"


def gaussian_delta(mu: ArrayLike, eps: ArrayLike) -> Array:
    """The delta of a Gaussian mechanism whose two means are mu deviations apart."""
    mu, eps = np.asarray(mu), np.asarray(eps)
    return np.asarray(ndtr(mu / 2 - eps / mu) - np.exp(eps) * ndtr(-mu / 2 - eps / mu))


# Random points


class Cube(NamedTuple):
    """What 50 million points of one cube are off by, relative: on average and by chance; and the chance of success."""

    bias: Array
    scatter: Array
    chance: Array


class Cubes(NamedTuple):
    """Fifty runs of a million points against the truth, each relative, and what follows for other cubes."""

    off: Array
    half: Array
    seen: Array
    sides: dict[float, Cube]


@functools.cache
def cubes(seed: int = 1) -> Cubes:
    """[koskela2023] Fig 5: seven dimensions. ``half`` is half a unit of the second figure, ``seen`` the scatter.

    That is in units of what the runs' own standard errors say. In a larger cube the mean square grows like its volume.
    """
    rng, exact = np.random.default_rng(seed), ends(7).upper
    runs = [section5_hypercube(EPS, SIGMA, 7, SIDE, MILLION, rng) for _ in range(RUNS)]
    off = np.array([one.value for one in runs]) / exact - 1
    half = 0.5 * 10 ** (np.floor(np.log10(exact)) - 1) / exact
    square = np.mean([MILLION * one.error**2 + one.value**2 for one in runs], axis=0)
    seen = off.std(axis=0) * exact / np.sqrt((square - exact**2) / MILLION)
    sides = {}
    for side in SIDES:
        bias = section5_left_out(EPS, SIGMA, 7, side, 100_000, rng).value / exact
        scatter = np.sqrt((square * (side / SIDE) ** 7 - exact**2) / (RUNS * MILLION)) / exact
        sides[side] = Cube(bias, scatter, ndtr((half + bias) / scatter) - ndtr((bias - half) / scatter))
    return Cubes(off, half, seen, sides)


def fig5_rows() -> Iterator[Row]:
    """[koskela2023] Fig 5, corrected: one unit of the second figure, as found, and in 19 of 20 runs."""
    seen = cubes()
    bias, scatter, _ = seen.sides[SIDE]
    for e, found, reach, half in zip(EPS, abs(seen.off.mean(axis=0)), bias + 1.96 * scatter, seen.half, strict=True):
        yield found, 2 * half, f"eps = {e:g}, 50 million points"
        yield reach, 2 * half, f"eps = {e:g}, in 19 of 20 runs"


def grid_rows() -> Iterator[Row]:
    """[koskela2023] Sec 5, corrected: orbits counted one by one."""
    for m, n in itertools.product(range(1, 8), range(1, 7)):
        counted = sum(1 for _ in itertools.combinations_with_replacement(range(m), n))
        yield counted, section5_grid_corrected(m, n), f"m = {m}, n = {n}"


# Moments


def recurrence(most: int, sigma: float, n: int) -> Array:
    """[beyond] 6: the moments of the mean of n lognormals from the series of one, by ``A B' = n A' B``."""
    j = np.arange(most + 1)
    factorial = np.cumprod(np.maximum(j, 1).astype(float))
    a, b = np.exp(j * (j - 1) / (2 * sigma**2)) / factorial, np.ones(1)
    for k in range(1, most + 1):
        i = np.arange(1, k + 1)
        b = np.append(b, ((n * i - k + i) * a[i] * b[k - i]).sum() / k)
    return np.asarray(b * factorial / float(n) ** j)


def term_by_term(order: int, sigma: float, n: int) -> float:
    """The same moment, all terms of ``(Y_1 + ... + Y_n)^order`` one by one."""
    counts = [np.bincount(who, minlength=n) for who in itertools.product(range(n), repeat=order)]
    return float(np.mean([np.exp((j * (j - 1)).sum() / (2 * sigma**2)) for j in counts]))


def moment_rows() -> Iterator[Row]:
    """[beyond] 6: the kit's moments against all terms, against the recurrence, and for one user in closed form."""
    for order, sigma, n in itertools.product((2, 3, 4, 6), (0.8, SIGMA), (1, 2, 3, 4)):
        yield moment(order, sigma, n), term_by_term(order, sigma, n), f"all terms, order {order}, n = {n}"
    for order, n in itertools.product((2, 5, 12, 20), (7, 1000, 10**6)):
        yield moment(order, SIGMA, n, 20), recurrence(20, SIGMA, n)[order], f"recurrence, order {order}, n = {n}"
    for order in (2, 8, 32):
        yield moment(order, SIGMA, 1, 32), np.exp(order * (order - 1) / (2 * SIGMA**2)), f"one user, order {order}"


def moment(order: int, sigma: float, n: int, most: int | None = None) -> float:
    """The kit's, from the list of all up to an order."""
    return float(np.exp(log_moments(most or order, sigma, n)[order]))


# Balls in bins


def in_the_plane(sigma: float, alpha: float, points: int = 1501) -> tuple[float, float]:
    """Two batches, an example added and removed: the two densities integrated over the plane, cell by cell."""
    side = np.linspace(-9 * sigma, 9 * sigma + 1, points)
    cell = (side[1] - side[0]) ** 2
    zero, one = norm.pdf(side, 0, sigma), norm.pdf(side, 1, sigma)
    without = np.outer(zero, zero)
    with_it = (np.outer(one, zero) + np.outer(zero, one)) / 2
    added = np.maximum(with_it - alpha * without, 0).sum() * cell
    return float(added), float(np.maximum(without - alpha * with_it, 0).sum() * cell)


def plane_rows() -> Iterator[Row]:
    """[beyond] 20: those integrals lie between the ends of one epoch's pair, up to the size of cells."""
    for sigma, eps in itertools.product((0.5, 1.0, 2.0), (0.0, 0.3, 1.0)):
        pair: Any = RandomAllocation(sigma, steps=2).pair
        plane = in_the_plane(sigma, float(np.exp(eps)))
        for found, way, name in zip(plane, (pair, pair.reversed()), ("added", "removed"), strict=True):
            lower, upper = (float(end[0]) for end in way.delta(np.array([eps])))
            where = f"sigma = {sigma:g}, eps = {eps:g}, {name}"
            yield lower * (1 - GRAIN), found, where
            yield found, upper * (1 + GRAIN), where
