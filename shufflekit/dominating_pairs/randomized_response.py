"""Randomized response that is really run, all others having the same value: what it costs, no analysis can undercut."""

import math
import sys
from dataclasses import dataclass

import numpy as np

from shufflekit import _validate
from shufflekit._binomial import log_pmf, pmf, tail
from shufflekit._validate import Array
from shufflekit.dominating_pairs.blocks import LEAST
from shufflekit.dominating_pairs.knots import Tails, connected, knots, merged
from shufflekit.dominating_pairs.pair import Atoms, Ends, Laws, Pair
from shufflekit.dominating_pairs.votes import MOST_ATOMS, TAIL_ERROR, Votes

ROUNDING = 2e-15  # relative, more than the number of ones from which on a loss exceeds eps errs by


def ternary_response(eps0: float, n: int, population: int, k: int = 3) -> Votes:
    """k-ary randomized response, k > 2: all others at the third value, the changed record at the first or second.

    Three values are worst; more are there for attacks on protocols that have them.
    """
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    n, k = _validate.count(n=n, at_most=population), _validate.count(k=k, at_least=3)
    small, size = math.exp(-eps0), math.expm1(eps0) + k
    # A message votes with its likelihood ratio against the third value, told relative to that value's own, 1/E:
    # E : 1 for the first, 1 : E for the second, 1 : 1 for one beyond the third.
    less = -math.expm1(-eps0) / population
    gap, others = math.expm1(eps0) / population, (k - 3) / size
    base = (population - n + n * small) / population
    return Votes(n, 2 / size, 1 - 2 / size, base, less, gap, others, less if others else 0.0)


def ternary_check_in(eps0: float, population: int, rate: float) -> Votes:
    """The same data, each of the population taking part with probability ``rate``, and how many did being seen."""
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    rate, size = _validate.rate(rate=rate), math.expm1(eps0) + 3
    if rate == 1:
        return ternary_response(eps0, population, population)
    # Given k reports, P/R = 1 - k/N + (1/N) (E a + b + (k - a - b)/E): who takes part votes with that, less 1.
    gap, labelled = math.expm1(eps0) / population, 2 * rate / size
    thirds = rate * math.exp(eps0) / size
    return Votes(population, labelled, 1 - labelled, 1.0, 0.0, gap, thirds, math.expm1(-eps0) / population)


@dataclass(frozen=True)
class BinaryResponse(Pair):
    """Binary randomized response, all others at 0, the changed record 1 under P and 0 under Q; n of population report.

    The outcome is the number m of ones: ``Bin(n, p)`` under Q, and ``P/Q = 1 + slope (m - n p)``. ``mirrored`` is the
    pair (Q, P).
    """

    eps0: float
    n: int
    population: int
    mirrored: bool = False

    def __post_init__(self) -> None:
        _validate.local_eps(eps0=self.eps0)
        _validate.count(n=self.n, at_most=_validate.count(population=self.population))

    def reversed(self) -> "BinaryResponse":
        return BinaryResponse(self.eps0, self.n, self.population, not self.mirrored)

    @property
    def largest_loss(self) -> float:
        sign = -1 if self.mirrored else 1
        drift = math.expm1(sign * self.eps0) * self.n / self.population
        if drift < -0.5:
            return -math.log((self.population - self.n + self.n * math.exp(-self.eps0)) / self.population) * (1 + 1e-14)
        return sign * math.log1p(drift) * (1 + 1e-14)

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        reached, eps = eps < self.largest_loss, np.minimum(eps, self.largest_loss)
        gain, q = self._tails(eps)
        cost = np.expm1(eps) * q
        # The mean n p is known to a few units, which the tails feel in proportion to their distance from it;
        # and what is too small a number to have digits, alpha makes larger.
        error = (TAIL_ERROR + 4e-14 * math.sqrt(self.n)) * (gain + cost) + np.expm1(eps) * sys.float_info.min
        upper = np.where(reached, np.clip(gain - cost + error, sys.float_info.min, 1.0), 0.0)
        lower = np.where(reached & (gain - cost - error > LEAST), gain - cost - error, 0.0)
        return Ends(np.minimum(lower, upper), upper)

    def laws(self, log_cut: float, rtol: float = 1e-4) -> Laws:
        reach = math.sqrt(-2 * log_cut * self.n * self._p * (1 - self._p)) - log_cut
        if min(2 * reach, self.n) <= MOST_ATOMS:
            atoms = randomized_response(self.eps0, self.n, self.population, log_cut=log_cut - math.log(self.n + 1))
            # Their losses lie nearly on a lattice, when few are sampled.
            near = float(atoms.loss[np.argmin(np.abs(atoms.loss))])
            atoms = atoms._replace(spacing=self._slope, origin=near)
            atoms = atoms.reversed() if self.mirrored else atoms
            return Laws(atoms, atoms)
        back = self.reversed()
        eps = max((knots(pair, log_cut) for pair in (self, back)), key=lambda found: float(found[-1]))
        lower = merged(eps, self._tails(eps), back._tails(eps))
        upper = connected(eps, self.delta(eps).upper, back.delta(eps).upper)
        return Laws(lower._replace(error=1e-8 + 4e-12 * math.sqrt(self.n)), upper)

    @property
    def _p(self) -> float:
        return math.exp(-self.eps0) / (1 + math.exp(-self.eps0))

    @property
    def _slope(self) -> float:
        return 2 * math.sinh(self.eps0) / self.population  # [girgis2021] eq (38)

    def _tails(self, eps: Array) -> Tails:
        """``P - Q`` and Q of what has a loss above eps; of the pair (Q, P), ``Q - P`` and P.

        Of the n - 1 others' messages, j - 1 or more must be of the kind that tells, and where it is just j - 1 the
        changed record's own too: told thus, no probability is a difference. Outcomes whose loss is eps but for a
        rounding are among those looked at, and never none: they add or take less than the error of ``delta``.
        """
        n, p, q = self.n, self._p, 1 / (1 + math.exp(-self.eps0))
        share, away = n / self.population, (self.population - n) / self.population
        if self.mirrored:
            # Zeros tell, and P/Q < 1/alpha: with m ones, m < (1/alpha - least)/slope; and n p is (1 - least)/slope.
            least = away + share * math.exp(-self.eps0)
            near = n * p * (1 + ROUNDING) + np.expm1(-eps) / self._slope
            far = (np.exp(-eps) * (1 + ROUNDING) - least) / self._slope
            m = np.maximum(np.ceil(np.where(eps < 1, near, far)) - 1, 0.0)
            last, beyond, own = pmf(m, n - 1, p), tail(n - m, n - 1, q, p), share * p + away * q
        else:
            j = np.minimum(np.floor((n * p + np.expm1(eps) / self._slope) * (1 - ROUNDING)) + 1, n)
            last, beyond, own = pmf(j - 1, n - 1, p), tail(j, n - 1, p, q), p
        return Tails(share * math.tanh(self.eps0 / 2) * last, beyond + own * last)


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
    away = np.append(0.0, np.geomspace(1, n, 1025))
    grid = np.concatenate([np.linspace(0, n, 4097), n * p - away, n * p + away])
    grid = np.unique(np.round(np.clip(grid, 0, n)))
    loss, log_mass = at(grid)
    heavy = np.zeros(grid.shape, dtype=bool)
    for weight in (log_mass, log_mass + tilt * loss):
        heavy |= weight >= weight.max() + log_cut
    first, last = np.flatnonzero(heavy)[[0, -1]]
    m = np.arange(grid[max(first - 1, 0)], grid[min(last + 1, len(grid) - 1)] + 1)
    # Every outcome left out has a mass below e^log_cut, under Q and, with it, under P.
    missing = 0.0 if len(m) == n + 1 else (n + 1) * math.exp(log_cut)
    return Atoms(*at(m), missing)


def _log_ratio(ratio: Array, drift: Array) -> Array:
    """The log of a ratio that is ``1 + drift``: from the drift near 1, but not near 0, where 1 + drift cancels."""
    return np.where(drift > -0.5, np.log1p(np.maximum(drift, -0.5)), np.log(ratio))
