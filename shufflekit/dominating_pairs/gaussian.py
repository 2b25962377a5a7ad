"""The shuffled Gaussian: all hold 0, one record becomes 1, each adds noise of deviation sigma, and all is shuffled.

The likelihood ratio of what is seen is ``X = (1/n) sum_i exp((t_i - 1/2)/sigma^2)`` with the t_i noise alone under Q:
a mean of n iid lognormals, a law in one dimension. [koskela2023] Sec 5, where it is taken to be n-dimensional.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_OUTSIDE_OF_SCORES, RENYI_ERROR, TINY, UNIT, lognormal_error
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, profile, put_together, spread
from shufflekit.dominating_pairs.gaussian_moments import log_moments
from shufflekit.dominating_pairs.lognormal import lognormal_score, noise_at
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.ratio_atoms import both_ends, cells_of_loss
from shufflekit.dominating_pairs.score_grid import LogMoments
from shufflekit.dominating_pairs.score_sums import Sums, sums

LEAST_GRID, MOST_GRID = 2**16, 2**20
MOST_SLOTS = 10_000_000
ATOMS_PER_DEVIATION = 400  # of the loss
LOG_MOST = 600.0  # of a score: floating point holds it, times all that it is multiplied by
KNOTS = 2_000  # of the profile of one user alone
LOG_CUT_OF_MOMENTS = -120.0
MOST_ORDER = 2000  # of a Renyi divergence: the work grows with its square


@dataclass(frozen=True)
class GaussianPair(Pair):
    """P: one of the n records is 1; Q: all are 0. ``backwards`` exchanges the two.

    The ends are near each other for a sigma of 1 or more; below, a single score can outweigh all others by more than
    one grid can show, and they may be far apart.
    """

    sigma: float
    n: int
    backwards: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", _validate.positive(sigma=self.sigma))
        if not 0.05 <= self.sigma <= 1e4:
            raise ValueError(f"sigma must be between 0.05 and 10,000, got {self.sigma!r}")
        object.__setattr__(self, "n", _validate.count(n=self.n, at_most=MOST_SLOTS))

    def reversed(self) -> "GaussianPair":
        return GaussianPair(self.sigma, self.n, not self.backwards)

    @property
    def largest_loss(self) -> float:
        return math.inf

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        eps = _validate.array(low=0, eps=eps)
        if self.n == 1:
            return _single(eps, self.sigma)
        # Shuffling never hurts: one user alone is an upper bound.
        lower, upper = np.zeros(eps.shape), _single(eps, self.sigma).upper
        for cut in (log_cut,) if log_cut is not None else (-30.0, -60.0, -120.0, -240.0):
            # What was cut off must not matter.
            todo = np.log(np.maximum(lower, TINY)) < cut + 10 if cut < -30 and log_cut is None else lower < upper
            if todo.any():
                least, most = self._ends(cut, rtol, self.n if self.backwards else math.inf)
                lower[todo] = np.maximum(lower[todo], profile(least, eps[todo]))
                upper[todo] = np.minimum(upper[todo], profile(most, eps[todo]))
        noise = lognormal_error(self.sigma, self.n)
        return Ends(lower * (1 - noise), np.clip(upper * (1 + noise), TINY, 1.0))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        lower, upper = self._ends(log_cut, rtol, math.inf)
        lower, log_p = put_together(lower, cells_of_loss(lower, ATOMS_PER_DEVIATION)), upper.log_q + upper.loss
        if upper.missing >= 1 or not all(0.5 < float(np.exp(mass).sum()) < 2 for mass in (upper.log_q, log_p)):
            # Nothing is certain on this grid. Shuffling never hurts: one user alone is an upper bound, either way.
            top = min(0.5 / self.sigma**2 + math.sqrt(-2 * log_cut) / self.sigma, LOG_MOST)
            eps = np.linspace(0.0, top, KNOTS)
            delta = _single(eps, self.sigma).upper
            return Enclosure(lower, connected(eps, delta, delta))
        cell = cells_of_loss(upper, ATOMS_PER_DEVIATION)
        first = np.append(np.flatnonzero(np.diff(cell, prepend=cell[0] - 1)), len(cell) - 1)
        return Enclosure(lower, spread(upper, np.unique(first)))

    def divergence(self, orders: Array) -> Array:
        """Moments of X of any real order: interpolated between whole ones forth (their logarithms are convex)."""
        if not self.backwards:
            most = math.ceil(float(orders.max()))
            if most > MOST_ORDER:
                raise ValueError(f"order must be at most {MOST_ORDER:,} for a shuffled Gaussian, got {orders.max():g}")
            moments = log_moments(most, self.sigma, self.n)
            return np.maximum(np.interp(orders, np.arange(most + 1), moments), 0.0) / (orders - 1) * (1 + RENYI_ERROR)
        atoms, values = self.listed(LOG_CUT_OF_MOMENTS).upper, np.empty(orders.shape)
        for i in np.ndindex(orders.shape):
            s = float(orders[i]) - 1
            listed = float(logsumexp((s + 1) * atoms.loss + atoms.log_q))
            # E[X^-s; missing] <= (E[X^-2s] missing)^(1/2), and E[X^-2s] <= E[Y^-2s] for the lognormal Y (Jensen).
            unlisted = (s + 2 * s**2) / (2 * self.sigma**2) + math.log(max(atoms.missing, TINY)) / 2
            values[i] = max(0.0, float(np.logaddexp(listed, unlisted))) / s * (1 + RENYI_ERROR)
        return values

    def _ends(self, log_cut: float, rtol: float, most: float) -> tuple[Atoms, Atoms]:
        """Below and above, on the full grid; sums above ``most`` are taken for one."""
        top = math.exp(min(0.5 / self.sigma**2 + math.sqrt(-2 * log_cut) / self.sigma, LOG_MOST))
        missing = float(ndtr(1 / self.sigma - noise_at(np.array([top]), self.sigma)[0]))
        found = _sums(self.sigma, self.n, min(top, max(most, math.exp(0.5 / self.sigma))), log_cut, rtol)
        lower, upper = both_ends(found, self.n, self.backwards)
        # (sum - c)_+ grows by no more than what is cut off the scores, (c - sum)_+ not at all.
        return lower, upper if self.backwards else upper._replace(missing=upper.missing + missing)


def _sums(sigma: float, n: int, top: float, log_cut: float, rtol: float) -> Sums:
    """Of n scores up to ``top``, on a grid that moves the deviation by about rtol, or as fine as memory should hold."""
    deviation = math.sqrt(math.expm1(1 / sigma**2))
    width = max(top, 2 * (math.sqrt(-2 * log_cut) + 10) * min(deviation * math.sqrt(n), top))
    # Rounding a score moves the deviation by about (step/deviation)^2 / 12; few scores are rounded more finely.
    step = max(min(math.sqrt(10 * rtol) * deviation, width / LEAST_GRID), width / MOST_GRID)
    return _sums_on(sigma, n, top, log_cut, width, max(2, math.ceil(top / step)))


@lru_cache(maxsize=8)  # below some tolerance the grid stays the same
def _sums_on(sigma: float, n: int, top: float, log_cut: float, width: float, cells: int) -> Sums:
    score = lognormal_score(sigma, top, cells)
    law = LogMoments(score)
    tilts = {0.0}
    for side in (-1, 1):
        # P weighs a sum by its size.
        most = law.tilt_for_rarity(n, log_cut - max(0.0, math.log(top)) * (side > 0), side)
        # Where single scores make the sum large, a strong tilt would ask for many of them at once.
        reach = 2 * max(width / score.step, law.reach(n, 0.0, LOG_OUTSIDE_OF_SCORES)[1])
        while law.reach(n, most, LOG_OUTSIDE_OF_SCORES)[1] > reach:
            most *= 0.5
        tilts |= {most * share for share in (1 / 3, 2 / 3, 1)}
    return sums(score, n, sorted(tilts))


def _single(eps: Array, sigma: float) -> Ends:
    """The Gaussian mechanism: ``Phi(1/(2 sigma) - eps sigma) - e^eps Phi(-1/(2 sigma) - eps sigma)``, either way."""
    near, far = log_ndtr(0.5 / sigma - eps * sigma), eps + log_ndtr(-0.5 / sigma - eps * sigma)
    delta = np.exp(near) * -np.expm1(np.minimum(far - near, 0.0))
    # Where the two logarithms are close, so is their round-off to their difference.
    error = np.exp(near) * 8 * UNIT * (4 + np.abs(near) + np.abs(far) + eps + (eps * sigma + 1 / sigma) ** 2)
    return Ends(np.maximum(delta - error, 0.0), np.clip(delta + error, TINY, 1.0))
