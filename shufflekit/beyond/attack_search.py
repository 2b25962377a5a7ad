"""The worst eps0-LDP channel where all others have the same value: a choice of weights on six vertices.

An output o of a channel is known by t_0 = R(x_0)(o)/R(x_2)(o) and t_1 = R(x_1)(o)/R(x_2)(o), x_2 being the value of
all others. With E = e^eps0, (t_0, t_1) lies in a hexagon; both means are 1 under R(x_2). Splitting an output into
vertices loses nothing, as the old channel merges them again, so what remains is six weights. [beyond] 5
It is about the gap that [girgis2021] leaves open.

Everything but the estimate is exact, in fractions (a float is the fraction that it stands for).
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.polynomial import polynomial
from scipy.optimize import brentq, minimize_scalar

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.bracket import Bracket, bracket
from shufflekit.definitions import Definition, equal_others
from shufflekit.dominating_pairs import pair_of
from shufflekit.loss_distribution import Composition, Part
from shufflekit.randomizers import Channel, checked_input

Weights = tuple[Fraction, ...]


def vertices(ratio: float | Fraction) -> list[tuple[Fraction, Fraction]]:
    """The corners of ``1/E <= t_0, t_1, t_0/t_1 <= E``."""
    E, one = Fraction(_validate.ratio(ratio=ratio)), Fraction(1)
    return [(E, one), (one, E), (E, E), (1 / E, 1 / E), (one, 1 / E), (1 / E, one)]


def extreme_weights(ratio: float | Fraction) -> list[Weights]:
    """The corners of the set of weights with sum 1 and means (1, 1): every channel's weights are a mixture of them."""
    corners, found = vertices(ratio), set()
    for chosen in itertools.combinations(range(6), 3):
        a, b, c = (corners[i] for i in chosen)
        area = _area(a, b, c)  # never 0: no three corners of the hexagon lie on a line
        # The weights of three corners whose mean is (1, 1): areas of parts of their triangle.
        middle = (Fraction(1), Fraction(1))
        parts = _area(middle, b, c) / area, _area(a, middle, c) / area, _area(a, b, middle) / area
        if min(parts) >= 0:
            weights = dict(zip(chosen, parts, strict=True))
            found.add(tuple(weights.get(i, Fraction(0)) for i in range(6)))
    return sorted(found)


def chi_square(ratio: float | Fraction, weights: Sequence[Any]) -> Fraction:
    """``E (t_0 - t_1)^2``: m times the ternary divergence of order 2 for m clients, whatever m is."""
    corners, shares = vertices(ratio), _weights(weights)
    return sum((w * (t0 - t1) ** 2 for w, (t0, t1) in zip(shares, corners, strict=True)), Fraction(0))


def worst_chi_square(ratio: float | Fraction) -> Fraction:
    """The largest ``chi_square``: the linear programme, solved by looking at every corner."""
    return max(chi_square(ratio, weights) for weights in extreme_weights(ratio))


def clone_chi_square(ratio: float | Fraction) -> Fraction:
    """The same of the clone pair: the score is E - 1, 1 - E with probability 1/(E + 1) each, else 0."""
    E = Fraction(_validate.ratio(ratio=ratio))
    return 2 * (E - 1) ** 2 / (E + 1)


def limit_ratio(ratio: float | Fraction) -> float:
    """Upper end over attack in epsilon, for many clones and many rounds: the square root of that of the chi-squares."""
    return math.sqrt(clone_chi_square(ratio) / worst_chi_square(ratio))


def channel_of(ratio: float | Fraction, weights: Sequence[Any]) -> Channel:
    """The channel with these weights: its inputs 0, 1, 2 are x_0, x_1 and the others' x_2."""
    corners, shares = vertices(ratio), _weights(weights)
    table = [[w * t0, w * t1, w] for w, (t0, t1) in zip(shares, corners, strict=True) if w > 0]
    rows = np.array(table, dtype=object).T
    if not (rows.sum(axis=1) == 1).all():
        raise ValueError(f"weights must have the means (1, 1) at this ratio, got {weights!r}")
    return Channel(rows, "weights on six vertices")


def limit_chi_square(channel: Channel, x0: int, x1: int, shares: Sequence[float]) -> float:
    """m times the chi-square of the best linear statistic u, for m others divided among the inputs by ``shares``.

    The signal is ``E_{R(x0)} u - E_{R(x1)} u``, the noise the variance of u summed over the others; how many of them
    hold which value is known. In the limit of many clones nothing else matters.
    """
    x0, x1 = checked_input(channel, x0=x0), checked_input(channel, x1=x1)
    rows = channel.probs.astype(np.float64)
    divided = _validate.probabilities(shares=shares).astype(np.float64)
    if len(divided) != len(rows):
        raise ValueError(f"shares must hold one share an input, {len(rows)} in all, got {shares!r}")
    spread = sum(share * (np.diag(row) - np.outer(row, row)) for share, row in zip(divided, rows, strict=True))
    signal = rows[x0] - rows[x1]
    return float(signal @ np.linalg.lstsq(np.asarray(spread), signal, rcond=1e-12)[0])


def attack_epsilon(
    ratio: float | Fraction, weights: Sequence[Any], n: int, population: int, rounds: int, delta: float, rtol: float
) -> Bracket:
    """The epsilon that these weights really have, n of the population a round: the worse of both directions.

    ``rtol`` is how far apart its certified ends may be.
    """
    n, rtol = _validate.count(n=n, at_most=_validate.count(population=population)), _validate.positive(rtol=rtol)
    law = equal_others(channel_of(ratio, weights), 0, 1, 2)
    run = Composition([Part(pair_of(Definition(n, population, (law,)).mapped(float)), rounds)])
    ends = [way.epsilon(delta, rtol) for way in run.both_ways()]
    return bracket(max(end.lower for end in ends), max(end.upper for end in ends))


def estimated_epsilon(
    ratio: float | Fraction, weights: Sequence[Any], n: int, population: int, rounds: int, delta: float
) -> float:
    """About the epsilon of ``rounds`` sampled rounds with these weights: quick enough to search by, and no bound.

    For small n/population and many rounds: from the first four cumulants of the loss, by the contour integral.
    """
    n, rounds = _validate.count(n=n, at_most=_validate.count(population=population)), _validate.count(rounds=rounds)
    delta = _validate.open_unit(delta=delta)
    k = rounds * _cumulant_series(ratio, weights, n, n / population)
    deviation = math.sqrt(2 * k[2])

    def log_delta(eps: float) -> float:
        # delta = 1/(2 pi i) int e^{K(z) - z eps} / (z (z+1)) dz on the line through the saddle point. [beyond] 7
        def height(c: float) -> float:
            return float(polynomial.polyval(c, k) - c * eps - math.log(c) - math.log1p(c))

        top = 2 * (eps + 2 * deviation) / k[2]
        c = minimize_scalar(height, bounds=(1e-9 * top, top), method="bounded", options={"xatol": 1e-9 * top}).x
        y = np.linspace(-9, 9, 181) / deviation
        z = c + 1j * y
        terms = np.exp(polynomial.polyval(z, k) - z * eps - height(c)) / (z * (z + 1))
        value = float(terms.real.sum()) * float(y[1] - y[0]) / (2 * math.pi)
        return math.log(value) + height(float(c))

    def excess(eps: float) -> float:
        return log_delta(eps) - math.log(delta)

    least = 1e-3 * deviation
    return float(brentq(excess, least, 40 * deviation + k[1], rtol=1e-10)) if excess(least) > 0 else 0.0


def _cumulant_series(ratio: float | Fraction, weights: Sequence[Any], n: int, rate: float) -> Array:
    """``log E_R[(P/R)^{1+z} (Q/R)^{-z}]`` as a polynomial in z, up to z^4 and to the fourth order in the rate."""
    corners = np.array(vertices(ratio), dtype=float) - 1
    mass = np.array(_weights(weights), dtype=float)

    def one(powers: Sequence[int]) -> float:
        """The mixed moment of one vote: ``powers`` lists which of the two it is, factor by factor."""
        return float(mass @ np.prod(corners[:, list(powers)], axis=1))

    def of_the_mean(powers: Sequence[int]) -> float:
        """The same of the mean of n votes, each with mean 0."""
        if len(powers) < 4:
            return one(powers) / float(n) ** (len(powers) - 1)
        a, b, c, d = powers
        pairs = one([a, b]) * one([c, d]) + one([a, c]) * one([b, d]) + one([a, d]) * one([b, c])
        return (one(powers) + (n - 1) * pairs) / float(n) ** 3

    moment: Array = np.zeros(1)
    for i, j in itertools.product(range(5), repeat=2):
        if 2 <= i + j <= 4:
            size = rate ** (i + j) * of_the_mean([0] * i + [1] * j)
            term = polynomial.polymul(_binomial([1.0, 1.0], i), _binomial([0.0, -1.0], j))
            moment = np.asarray(polynomial.polyadd(moment, size * term))
    square = polynomial.polymul(moment, moment)
    series = polynomial.polyadd(moment, -square / 2)  # log(1 + moment), whose cube is of the sixth order
    return np.asarray(series[:5])


def _binomial(x: Sequence[float], r: int) -> Array:
    """``x (x - 1) ... (x - r + 1) / r!`` for a polynomial x."""
    product: Array = np.ones(1)
    for i in range(r):
        product = np.asarray(polynomial.polymul(product, polynomial.polysub(x, [float(i)]) / (i + 1)))
    return product


def _weights(weights: Sequence[Any]) -> Weights:
    values = _validate.probabilities(weights=weights)
    if values.shape != (6,):
        raise ValueError(f"weights must hold six numbers, one a vertex, got {weights!r}")
    return tuple(Fraction(w) for w in values)


def _area(a: tuple[Fraction, Fraction], b: tuple[Fraction, Fraction], c: tuple[Fraction, Fraction]) -> Fraction:
    """Twice the area of a triangle, with its sign."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
