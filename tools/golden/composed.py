"""Rounds of one pair of laws without a grid: two rounds as a direct double sum, many as a contour integral. [beyond] 7

A `Law` is a list of atoms, each with its chance under the first law and its loss; nothing of it is rounded or merged.
"""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln

Array = NDArray[np.float64]
DEVIATIONS = 9  # where the contour is cut off: the integrand falls like exp(-t^2/2)
STEPS = 3  # nodes in one deviation: the error of the trapezoid rule is about exp(-2 pi^2 STEPS^2)
SMALL = 1e-4  # an eps at which delta is larger than asked for
LARGEST_EXPONENT = 600  # of e, well within double precision
NARROW = 16  # deviations of the number of clones; what lies beyond has a mass below 1e-50
LEAST = 1e-40  # atoms of less are left out: all rounds together, delta changes by less than 1e-29


class Law(NamedTuple):
    """Chances under P, and losses ``log(P/Q)``."""

    chance: Array
    loss: Array

    def reversed(self) -> Self:
        """The law of ``log(Q/P)`` under Q."""
        return type(self)(self.chance * np.exp(-self.loss), -self.loss)


def binomial(k: int, p: float, m: Array) -> Array:
    """Chances of m of k; those of all m together are 1 but for round-off, which is divided out."""
    log_chance = gammaln(k + 1) - gammaln(m + 1) - gammaln(k - m + 1) + m * np.log(p) + (k - m) * np.log1p(-p)
    return np.exp(log_chance)


def randomized_response(eps0: float, k: int, n: int) -> Law:
    """k of n clients by binary randomized response, all others at one value: m ones among k. [girgis2021] Thm 2"""
    E, m = np.exp(eps0), np.arange(k + 1.0)
    excess = (E - 1 / E) / n * (m - k / (E + 1))
    chance = binomial(k, 1 / (E + 1), m)
    return _without_the_least(Law(chance / chance.sum() * (1 + excess), np.log1p(excess)))


def clones(eps0: float, k: int, n: int) -> Law:
    """The clone pair of k of n: m votes among k, a of them for the first record. [beyond] 3"""
    E, share = np.exp(eps0), k / n
    mean, deviation = 2 * k / (E + 1), np.sqrt(2 * k * (E - 1)) / (E + 1)
    reach = NARROW * deviation + 40
    votes = np.arange(max(0, int(mean - reach)), min(k, int(mean + reach)) + 1.0)
    m = np.repeat(votes, votes.astype(int) + 1)
    a = np.concatenate([np.arange(count + 1) for count in votes])
    chance = binomial(k, 2 / (E + 1), m) * binomial(m, 0.5, a)
    # What differs from 1 is kept apart, so that the logarithms lose nothing.
    first, second = (share * ((E * x + (m - x)) / k - 1) for x in (a, m - a))
    return _without_the_least(Law(chance / chance.sum() * (1 + first), np.log1p(first) - np.log1p(second)))


def _without_the_least(law: Law) -> Law:
    return Law(*(part[law.chance > LEAST] for part in law))


def two_rounds(law: Law) -> Callable[[float], float]:
    """delta as a function of eps: for each loss of the first round the second's profile at what is left of eps."""
    order = np.argsort(law.loss)
    loss, p = law.loss[order], law.chance[order]
    tails = [np.append(np.cumsum(x[::-1])[::-1], 0.0) for x in (p, p * np.exp(-loss))]

    def delta(eps: float) -> float:
        left = eps - loss
        first = np.searchsorted(loss, left, side="right")
        return float(p @ (tails[0][first] - np.exp(left) * tails[1][first]))

    return delta


def many_rounds(law: Law, rounds: int) -> Callable[[float], float]:
    """delta by ``1/(2 pi i) int M(z)^T e^{-z eps} / (z (z+1)) dz`` along the vertical line through the saddle point."""

    highest = np.log(LARGEST_EXPONENT / np.abs(law.loss).max())

    def log_moment(z: complex) -> complex:
        return np.log1p(law.chance @ np.expm1(z * law.loss))

    def delta(eps: float) -> float:
        def height(log_c: float) -> float:
            c = np.exp(log_c)
            return float(rounds * log_moment(c) - c * eps - np.log(c * (c + 1)))

        saddle = minimize_scalar(height, bounds=(-5, highest), method="bounded", options={"xatol": 1e-3})
        c = float(np.exp(saddle.x))
        tilted = law.chance * np.exp(c * law.loss)
        tilted /= tilted.sum()
        spread = rounds * (tilted @ law.loss**2 - (tilted @ law.loss) ** 2) + 1 / c**2 + 1 / (c + 1) ** 2
        step = 1 / (STEPS * np.sqrt(spread))
        z = c + 1j * step * np.arange(DEVIATIONS * STEPS + 1)
        values = np.exp([rounds * log_moment(x) - x * eps - saddle.fun for x in z]) / (z * (z + 1))
        return float(np.exp(saddle.fun) * step / np.pi * (values.real.sum() - values[0].real / 2))

    return delta


def epsilon(delta_of: Callable[[float], float], delta: float, start: float = SMALL) -> float:
    """The eps at which delta is met: by steps from a small one on, then between the last two."""
    eps = start
    while delta_of(eps) > delta:
        eps *= 1.5
    return float(brentq(lambda x: np.log(delta_of(x) / delta), eps / 1.5, eps, rtol=1e-11))
