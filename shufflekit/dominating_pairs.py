"""Pairs of laws that stand for a protocol: what the adversary sees with and without the changed record.

A pair is listed as atoms: the loss ``log(P/Q)`` and ``log Q`` of every outcome that carries weight.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from shufflekit import _validate
from shufflekit._validate import Array


class Atoms(NamedTuple):
    """A pair (P, Q): losses in rising order, the logarithm of Q, and a bound on the P- and Q-mass not listed."""

    loss: Array
    log_q: Array
    missing: float

    def reversed(self) -> "Atoms":
        """The pair (Q, P)."""
        return Atoms(-self.loss[::-1], (self.log_q + self.loss)[::-1], self.missing)


def randomized_response(
    eps0: float, n: int, population: int, *, tilt: float = 1.0, log_cut: float = -80.0
) -> Atoms:
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
        log_mass = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1) + xlogy(m, p) + xlog1py(n - m, -p)
        return np.log1p(drift), log_mass

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
