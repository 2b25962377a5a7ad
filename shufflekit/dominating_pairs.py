"""Pairs of laws that stand for a protocol: what the adversary sees with and without the changed record.

A pair is listed as atoms: the loss ``log(P/Q)`` and ``log Q`` of every outcome that carries weight.
"""

import math
from typing import NamedTuple

import numpy as np

from shufflekit import _validate
from shufflekit._binomial import log_pmf
from shufflekit._validate import Array

MAX_TERNARY = 10_000  # clients; the work grows with their number


class Atoms(NamedTuple):
    """A pair (P, Q): losses in rising order, the logarithm of Q, and a bound on the P- and Q-mass not listed."""

    loss: Array
    log_q: Array
    missing: float

    def reversed(self) -> "Atoms":
        """The pair (Q, P)."""
        return Atoms(-self.loss[::-1], (self.log_q + self.loss)[::-1], self.missing)


def randomized_response(eps0: float, n: int, population: int, *, tilt: float = 1.0, log_cut: float = -80.0) -> Atoms:
    """Binary randomized response, all others at 0, the changed record 1 under P and 0 under Q; n of population report.

    Outcomes are numbers of ones. Those are listed that weigh more than ``e^log_cut`` of the heaviest, under Q or under
    Q times the likelihood ratio to the power ``tilt``; with a tilt of 1 or more, P and Q keep all but ``missing``.
    """
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    n = _validate.count(n=n, at_most=population)
    p = 1 / (1 + math.exp(eps0))

    def at(m: Array) -> tuple[Array, Array]:
        # [girgis2021] eq (38): mu_1/mu_0 - 1 = (E^2-1)/(kE) (m - k/(E+1)), written without its cancellation.
        drift = (n / population) * (2 * math.sinh(eps0) * (m / n) + math.expm1(-eps0))
        ratio = (population - n + m * math.exp(eps0) + (n - m) * math.exp(-eps0)) / population
        return _log_ratio(ratio, drift), log_pmf(m, n, p)

    # Both weights are log-concave in m, so what is heavy lies between two points of a coarse grid.
    grid = np.unique(np.round(np.linspace(0, n, 4097)))
    loss, log_mass = at(grid)
    heavy = np.zeros(grid.shape, dtype=bool)
    for weight in (log_mass, log_mass + tilt * loss):
        heavy |= weight >= weight.max() + log_cut
    first, last = np.flatnonzero(heavy)[[0, -1]]
    m = np.arange(grid[max(first - 1, 0)], grid[min(last + 1, len(grid) - 1)] + 1)
    # Every outcome left out has a mass below e^log_cut, under Q and, with it, under P.
    missing = 0.0 if len(m) == n + 1 else (n + 1) * math.exp(log_cut)
    return Atoms(*at(m), missing)


def ternary_randomized_response(eps0: float, n: int, population: int, *, log_cut: float = -90.0) -> Atoms:
    """3-ary randomized response, all others at the third value, the changed record at the first or the second.

    For e^eps0 above 2 and many clients it reveals more than `randomized_response`. Its outcomes are counts of two
    kinds of messages, about n of them, and those below ``e^log_cut`` are not listed.
    """
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    n = _validate.count(n=n, at_most=min(population, MAX_TERNARY))
    E = math.exp(eps0)
    mean = n / (E + 2)
    # Chernoff's bounds: a count outside has a probability below e^log_cut.
    low = max(0, math.floor(mean - math.sqrt(-2 * log_cut * mean)))
    high = min(n, math.ceil(mean + math.sqrt(-2 * log_cut * mean) - log_cut))
    first = np.arange(low, high + 1.0)[:, None]
    second, third = first.T, np.maximum(n - first - first.T, 0)
    log_mass = log_pmf(first, n, 1 / (E + 2)) + log_pmf(np.minimum(second, n - first), n - first, 1 / (E + 1))
    # A message votes with its likelihood ratio against the third value: E for its own, 1, or 1/E.
    ratio = (population - n + E * first + second + third / E) / population
    up = _log_ratio(ratio, (math.expm1(eps0) * first + math.expm1(-eps0) * third) / population)
    kept = (first + second <= n) & (log_mass > log_cut)
    loss, log_q = (up - up.T)[kept], (log_mass + up.T)[kept]
    order = np.argsort(loss)
    # No vote exceeds E, and there are fewer than (n+1)^2 outcomes.
    return Atoms(loss[order], log_q[order], E * (n + 1) ** 2 * math.exp(log_cut))


def _log_ratio(ratio: Array, drift: Array) -> Array:
    """The log of a ratio that is ``1 + drift``: from the drift near 1, but not near 0, where 1 + drift cancels."""
    return np.where(drift > -0.5, np.log1p(np.maximum(drift, -0.5)), np.log(ratio))
