"""One of the two records sends what all others send: the pair of a count, worst for binary randomized response.

Of n messages m are of the kind that the other record sends more often, m ~ Bin(n, p) without it. So Q is the law of m.
A score has the mean 1, p u_up + (1 - p) u_down = 0; so P/Q = 1 + slope (m - n p), with slope = (t_up - t_down)/N.
"""

import math
from dataclasses import dataclass

import numpy as np

from shufflekit import _validate
from shufflekit._binomial import log_pmf, pmf, tail
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, START_ERROR, TINY, cell_error, count_error, loss_limit, pmf_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import Tails, connected, untold
from shufflekit.definitions import Definition, Kind, growth, one_kind, response
from shufflekit.dominating_pairs.knots import knots_of_both
from shufflekit.dominating_pairs.listed_votes import drawn_together, put_apart
from shufflekit.dominating_pairs.pair import Aim, Pair

FEW_ATOMS, MOST_ATOMS = 2**14, 2**21  # that are listed as they are; that are looked at one by one
ADDED = 1.6  # times rtol, relative to the variance: the square of how near losses are not told apart


@dataclass(frozen=True)
class Count(Pair):
    """P has the changed record at the value that sends ``up`` more often, Q is without it; ``mirrored``: (Q, P)."""

    n: int
    population: int
    up: Kind
    down: Kind
    mirrored: bool = False

    def reversed(self) -> "Count":
        return Count(self.n, self.population, self.up, self.down, not self.mirrored)

    @property
    def largest_loss(self) -> float:
        drift = self._share * (self.down.u0 if self.mirrored else self.up.u0)
        if drift < -0.5:
            return loss_limit(-math.log(self._least))
        return loss_limit((-1 if self.mirrored else 1) * math.log1p(drift))

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        reached, eps = eps < self.largest_loss, np.minimum(eps, self.largest_loss)
        gain, q = self._tails(eps)
        cost = np.expm1(eps) * q
        # What is too small a number to have digits, alpha makes larger.
        error = count_error(self.n) * (gain + cost) + np.expm1(eps) * TINY
        upper = np.where(reached, np.clip(gain - cost + error, TINY, 1.0), 0.0)
        lower = np.where(reached & (gain - cost - error > KNOWN), gain - cost - error, 0.0)
        return Ends(np.minimum(lower, upper), upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        deviation = math.sqrt(self.n * self.up.chance * self.down.chance) * self._slope
        return self._listed(log_cut, math.sqrt(ADDED * rtol) * deviation)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        return self._listed(log_cut, aim.apart)

    def _listed(self, log_cut: float, near: float) -> Enclosure:
        """Counts that have losses so near each other are not told apart, where they are many."""
        reach = math.sqrt(-2 * log_cut * self.n * self.up.chance * self.down.chance) - log_cut
        if min(2 * reach, self.n) <= MOST_ATOMS:
            atoms = self.outcomes(log_cut=log_cut - math.log(self.n + 1))
            # Their losses lie nearly on a lattice, when few are sampled.
            least = float(atoms.loss[np.argmin(np.abs(atoms.loss))])
            atoms = atoms._replace(spacing=self._slope, origin=least)
            atoms = atoms.reversed() if self.mirrored else atoms
            if len(atoms.loss) <= FEW_ATOMS:
                return Enclosure(atoms, atoms)
            atoms = atoms._replace(error=pmf_error(self.n * self.up.chance))
            return Enclosure(drawn_together(atoms, near), put_apart(atoms, near))
        back = self.reversed()
        eps = knots_of_both(self, back, log_cut)
        lower = untold(self._tails(eps), back._tails(eps))
        upper = connected(eps, self.delta(eps).upper, back.delta(eps).upper)
        return Enclosure(lower._replace(error=cell_error(self.n)), upper)

    def outcomes(self, *, tilt: float = 1.0, log_cut: float = -80.0) -> Atoms:
        """Counts one by one, of P against Q whatever ``mirrored`` says.

        Those are listed that weigh more than ``e^log_cut`` of the heaviest, under Q or under Q times the likelihood
        ratio to the power ``tilt``; with a tilt of 1 or more, P and Q keep all but ``missing``.
        """
        # Both weights are log-concave in m, so what is heavy lies between two points of a coarse grid.
        n, mean = self.n, self.n * self.up.chance
        away = np.append(0.0, np.geomspace(1, n, 1025))
        grid = np.concatenate([np.linspace(0, n, 4097), mean - away, mean + away])
        grid = np.unique(np.round(np.clip(grid, 0, n)))
        loss, log_mass = self._outcome(grid)
        heavy = np.zeros(grid.shape, dtype=bool)
        for weight in (log_mass, log_mass + tilt * loss):
            heavy |= weight >= weight.max() + log_cut
        first, last = np.flatnonzero(heavy)[[0, -1]]
        m = np.arange(grid[max(first - 1, 0)], grid[min(last + 1, len(grid) - 1)] + 1)
        # Every outcome left out has a mass below e^log_cut, under Q and, with it, under P.
        missing = 0.0 if len(m) == n + 1 else (n + 1) * math.exp(log_cut)
        return Atoms(*self._outcome(m), missing)

    def _outcome(self, m: Array) -> tuple[Array, Array]:
        """The loss and the log of Q of a count: from the drift near 1, not near 0, where 1 + drift cancels."""
        n, up, down = self.n, self.up, self.down
        drift = self._share * ((up.u0 - down.u0) * (m / n) + down.u0)
        ratio = (self.population - n + m * up.t0 + (n - m) * down.t0) / self.population
        loss = np.where(drift > -0.5, np.log1p(np.maximum(drift, -0.5)), np.log(ratio))
        return loss, log_pmf(m, n, up.chance)

    @property
    def _share(self) -> float:
        return self.n / self.population

    @property
    def _slope(self) -> float:
        return float(self.up.u0 - self.down.u0) / self.population  # [girgis2021] eq (38)

    @property
    def _least(self) -> float:
        """P/Q where no message is ``up``."""
        return float(self.population - self.n + self.n * self.down.t0) / self.population

    def _tails(self, eps: Array) -> Tails:
        """``P - Q`` and Q of what has a loss above eps; of the pair (Q, P), ``Q - P`` and P.

        Of the n - 1 others' messages, j - 1 or more must be of the kind that counts, and where it is just j - 1 the
        changed record's own too: written so, no probability is a difference. Outcomes whose loss is eps but for a
        rounding are among those looked at, and never none: they add or take less than the error of ``delta``.
        """
        n, p, q = self.n, self.up.chance, self.down.chance
        away = (self.population - n) / self.population
        if self.mirrored:
            # P/Q < 1/alpha: m < (1/alpha - least)/slope; and n p is (1 - least)/slope.
            near = n * p * (1 + START_ERROR) + np.expm1(-eps) / self._slope
            far = (np.exp(-eps) * (1 + START_ERROR) - self._least) / self._slope
            m = np.maximum(np.ceil(np.where(eps < 1, near, far)) - 1, 0.0)
            last, beyond = pmf(m, n - 1, p), tail(n - m, n - 1, q, p)
            own = q * (self._share * self.down.t0 + away)
        else:
            j = np.minimum(np.floor((n * p + np.expm1(eps) / self._slope) * (1 - START_ERROR)) + 1, n)
            last, beyond, own = pmf(j - 1, n - 1, p), tail(j, n - 1, p, q), p
        # P - Q of counts from j on: slope E[m - n p; m >= j] = slope n p q Pr[j - 1 of n - 1].
        return Tails(self._slope * n * p * q * last, beyond + own * last)


def count_of(definition: Definition) -> Count | None:
    """The pair of a definition in which one of the two records sends what all others send, if it is so."""
    if len(definition.laws) != 1 or (parts := one_kind(definition.laws[0])) is None:
        return None
    law = definition.laws[0]
    up, down = law[parts.up], law[parts.down]
    if parts.mirrored:
        up, down = (Kind(one.chance, one.t1, one.t0, one.u1, one.u0) for one in (up, down))
    if definition.slots == definition.population and down.t0 == 0:
        return None  # one record never sends this kind: backwards there are infinite losses
    return Count(definition.slots, definition.population, up, down, parts.mirrored)


def randomized_response(eps0: float, n: int, population: int, *, tilt: float = 1.0, log_cut: float = -80.0) -> Atoms:
    """Binary randomized response, all others at 0, the changed record 1 under P and 0 under Q; n of population report.

    Outcomes are numbers of ones: see ``Count.outcomes``.
    """
    eps0, population = _validate.local_eps(eps0=eps0), _validate.count(population=population)
    n = _validate.count(n=n, at_most=population)
    up, down = response(growth(eps0), 2)
    return Count(n, population, up, down).outcomes(tilt=tilt, log_cut=log_cut)
