"""[girgis2021] Section 3: the four conditions on a local randomizer and Remark 1, held against laws and integrals.

A row is a left side, a right side and where: what ``claims.verify`` compares. R_inf and R_1 have finite laws, checked
in fractions; R_2 and PrivUnit report a point of a sphere, and their density is integrated.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.special import beta

from shufflekit._validate import Array
from shufflekit.papers.girgis2021.convergence import remark1_second_moment
from shufflekit.papers.rows import Row
from shufflekit.vector_randomizers import R1, R2, PrivUnit, RInf, VectorRandomizer

FINITE: tuple[type[RInf | R1], ...] = (RInf, R1)
REPEATS = 20  # of an average, to measure its error
SPHERE: tuple[type[R2 | PrivUnit], ...] = (R2, PrivUnit)


def points_of_the_ball(randomizer: RInf | R1) -> Any:
    """All corners of its ball, where probabilities are largest and smallest, an inner point and the centre."""
    d = randomizer.d
    unit = np.eye(d, dtype=int)
    signs = [list(point) for point in itertools.product((1, -1), repeat=d)]
    corners = signs if randomizer.p == math.inf else np.vstack([unit, -unit]).tolist()
    inner = [[Fraction(1, d + i) for i in range(d)], [0] * d]
    return np.array([[Fraction(value) for value in point] for point in [*corners, *inner]])


def finite_rows() -> list[Row]:
    """R_inf and R_1: privacy, bias, the number of messages and the variance, in fractions."""
    rows: list[Row] = []
    for kind, d, ratio in itertools.product(FINITE, range(1, 7), (Fraction(3, 2), Fraction(3), Fraction(20))):
        randomizer = kind(d, ratio=ratio)
        x = points_of_the_ball(randomizer)
        law, stretch = randomizer.law(x), (ratio + 1) / (ratio - 1)
        where = f"{kind.__name__}, d = {d}"
        rows += [
            (law.channel.ratio, ratio, f"{where}: privacy"),
            (abs(law.mean - x).max(), 0, f"{where}: bias"),
            (law.channel.outputs, 2 ** int(randomizer.bits), f"{where}: outputs"),
            (max(law.second_moment - (x**2).sum(axis=1)), d * randomizer.stretch * stretch**2, f"{where}: variance"),
        ]
    return rows


def sphere_rows() -> list[Row]:
    """R_2 and PrivUnit: privacy on the sphere, mass and mean of the density, variance; vectors long and short."""
    rows: list[Row] = []
    for kind, d, eps0, share in itertools.product(SPHERE, (3, 10, 50), (0.5, 2.0, 5.0), (0.0, 0.5, 1.0)):
        kit = kind(d, eps0)
        mass, mean = mass_and_mean(kit, share)
        where, mean = f"{kind.__name__}, d = {d}, eps0 = {eps0}, length {share:g}", mean / kit.alignment
        variance = kit.second_moment - share**2
        rows += [
            (largest_ratio(kit), float(kit.E), f"{where}: privacy"),
            (mass, 1, f"{where}: mass"),
            (1, mass, f"{where}: mass"),
            (mean, share, f"{where}: mean"),
            (share, mean, f"{where}: mean"),
            (variance, remark1_second_moment(2, d, 1.0, eps0), f"{where}: variance"),
        ]
    return rows


def largest_ratio(kit: R2 | PrivUnit) -> float:
    """Of the likelihoods of a report, over vectors of several lengths in both directions."""
    u, side = np.eye(kit.d)[:2]
    t = np.linspace(-1, 1, 41)
    reports = np.outer(t, u) + np.outer(np.sqrt(1 - t * t), side)
    logs = [kit.log_density(reports, np.tile(length * u, (41, 1))) for length in (0, 0.5, 1, -0.5, -1)]
    return float(np.exp(np.ptp(logs, axis=0).max()))


def mass_and_mean(kit: R2 | PrivUnit, share: float) -> Array:
    """The mass, and the mean along the vector, of the kit's density, for a vector of that share of the radius."""
    u, side = np.eye(kit.d)[:2]

    def weighted(t: float, power: int) -> float:
        report = t * u + (1 - t * t) ** 0.5 * side
        density = float(np.exp(kit.log_density([report], [share * u])[0]))
        return t**power * density * _sphere_density(t, kit.d)

    parts = list(itertools.pairwise([-1, -kit.cap, kit.cap, 1]))
    return np.array([sum(quad(weighted, *part, args=(power,))[0] for part in parts) for power in (0, 1)])


def by_integration(kit: R2 | PrivUnit) -> tuple[float, float, float]:
    """The cap's area, the probability of the cap and the alignment m, from integrals over the sphere."""
    area = quad(_sphere_density, kit.cap, 1, args=(kit.d,), epsabs=1e-14)[0]
    first = quad(lambda t: t * _sphere_density(t, kit.d), kit.cap, 1, epsabs=1e-14)[0]
    inside = kit.E * area / (kit.E * area + 1 - area)
    return area, inside, inside * first / area - (1 - inside) * first / (1 - area)


def remark1_rows() -> list[Row]:
    """Remark 1: the largest variance of each mechanism, and the constant printed."""
    levels, rows = (0.1, 1.0, 3.0), []
    for kind, d, eps0 in itertools.product(FINITE, (1, 2, 3, 5, 8), levels):
        x = np.vstack([np.zeros(d), np.eye(d)])
        variance = max(kind(d, eps0).law(x).second_moment - (x**2).sum(axis=1))
        rows.append((variance, remark1_second_moment(kind.p, d, 1.0, eps0), f"{kind.__name__}, d = {d}, eps0 = {eps0}"))
    for kind_, d, eps0 in itertools.product(SPHERE, (2, 10, 100, 13_722), levels):
        moment = kind_(d, eps0).second_moment
        rows.append((moment, remark1_second_moment(2, d, 1.0, eps0), f"{kind_.__name__}, d = {d}, eps0 = {eps0}"))
    return rows


def averaging_errors(
    randomizer: VectorRandomizer, raw: Array, numbers: list[int], rng: np.random.Generator
) -> tuple[Array, Array]:
    """The root of the mean squared error of averages of the first so many vectors: measured, and predicted.

    The vectors are scaled to the border of the ball. Reports are unbiased and independent: the variances add up.
    """
    x = raw / np.linalg.norm(raw, ord=randomizer.p, axis=1, keepdims=True)
    measured = []
    for n in numbers:
        squares = [((randomizer.average(x[:n], rng) - x[:n].mean(axis=0)) ** 2).sum() for _ in range(REPEATS)]
        measured.append(math.sqrt(np.mean(squares)))
    variances = np.cumsum(randomizer.second_moment - (x**2).sum(axis=1))
    counts = np.array(numbers)
    return np.array(measured), np.sqrt(variances[counts - 1]) / counts


def _sphere_density(t: float, d: int) -> float:
    """Of one coordinate of a uniform point of the sphere in d dimensions."""
    return float((1 - t * t) ** ((d - 3) / 2) / beta(0.5, (d - 1) / 2))
