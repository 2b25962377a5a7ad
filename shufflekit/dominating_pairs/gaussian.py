"""The shuffled Gaussian: all hold 0, one record becomes 1, each adds noise of deviation sigma, and all is shuffled.

The likelihood ratio of what is seen is ``X = (1/n) sum_i exp((t_i - 1/2)/sigma^2)`` with the t_i noise alone under Q:
a mean of n iid lognormals, a law in one dimension. [koskela2023] Sec 5, where it is taken to be n-dimensional.

It is also what random allocation shows of a record that is in one of n batches, at random. [chua2025] [feldman2025]
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtr

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.accuracy import RENYI_ERROR, TINY
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import Known, below, connected
from shufflekit.dominating_pairs.gaussian_moments import log_moments
from shufflekit.dominating_pairs.knots import COARSE, focused, left_out
from shufflekit.dominating_pairs.lognormal_excess import excess, excess_error
from shufflekit.dominating_pairs.lognormal_sums import lognormal_sum
from shufflekit.dominating_pairs.pair import Aim, Pair, in_steps

MOST_SLOTS = 10_000_000
LEAST_SIGMA, MOST_SIGMA = 0.05, 1e4
MOST_EPS = 300.0  # up to which e^eps is a number, and its square, and what the cut shows of one score
KNOTS_APART, CLOSE = 1.5, 10.0  # deviations of the loss, times the root of rtol, up to so many
GROWTH = 1.5  # beyond, of eps, times the root of rtol
LOOKS, OUTWARD = 80, 1.2  # at how far out the pair is to be listed
LOG_CUT_OF_MOMENTS = -120.0
TAIL_ERROR = 1e-12  # of a normal probability, relative
MOST_ORDER = 2000  # of a Renyi divergence: the work grows with its square


@dataclass(frozen=True)
class GaussianPair(Pair):
    """P: one of the n records is 1; Q: all are 0. ``backwards`` exchanges the two."""

    sigma: float
    n: int
    backwards: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", _validate.positive(sigma=self.sigma))
        if not LEAST_SIGMA <= self.sigma <= MOST_SIGMA:
            raise ValueError(f"sigma must be between {LEAST_SIGMA} and {MOST_SIGMA:,.0f}, got {self.sigma!r}")
        object.__setattr__(self, "n", _validate.count(n=self.n, at_most=MOST_SLOTS))

    def reversed(self) -> "GaussianPair":
        return GaussianPair(self.sigma, self.n, not self.backwards)

    @property
    def largest_loss(self) -> float:
        return math.inf

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        """See ``Pair``: only round-off keeps the ends apart."""
        eps = _validate.array(low=0, eps=eps)
        # Shuffling never hurts: one user alone is an upper bound.
        alone = _single(eps, self.sigma)
        if self.n == 1:
            return alone
        least = TINY if log_cut is None else max(TINY, math.exp(log_cut))
        lower, upper, some = np.zeros(eps.shape), alone.upper.copy(), (alone.upper > least) & (eps < MOST_EPS)
        if some.any():
            found, _ = self._found(eps[some])
            lower[some], upper[some] = found.lower, np.minimum(found.upper, upper[some])
        return Ends(np.minimum(lower, upper), upper)

    def delta_and_tail(self, eps: Array) -> tuple[Ends, Ends]:
        """delta, and ``Pr_Q[P/Q > e^eps]``, at eps up to ``MOST_EPS``."""
        alone = _single(eps, self.sigma)
        if self.n == 1:
            chance = ndtr(-0.5 / self.sigma - eps * self.sigma)
            return alone, Ends(chance * (1 - TAIL_ERROR), chance * (1 + TAIL_ERROR))
        found, tail = self._found(eps)
        upper = np.minimum(found.upper, alone.upper)
        return Ends(np.minimum(found.lower, upper), upper), tail

    def _found(self, eps: Array) -> tuple[Ends, Ends]:
        total, log_n = lognormal_sum(self.sigma, self.n), math.log(self.n)
        if not self.backwards:
            return total.calls(self.n * np.expm1(eps), -log_n)
        # (1 - a X)_+ is a/n times (n/a - S)_+. Of P' = Q and Q' = P: P[a X < 1] = (Q[a X < 1] - E_Q(1 - a X)_+)/a.
        delta, q = total.puts(eps, eps - log_n)
        tail = Ends(np.maximum(q.lower - delta.upper, 0.0), np.maximum(q.upper - delta.lower, 0.0))
        return delta, Ends(*(end * np.exp(-eps) for end in tail))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return _listed(self, in_steps(log_cut), rtol, None)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        return _listed(self, in_steps(log_cut), COARSE, aim)

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


class Looks(NamedTuple):
    """delta and tail at knots, of the pair and of the reversed one."""

    eps: Array
    forth: tuple[Ends, Ends]
    back: tuple[Ends, Ends]

    def upper(self) -> Atoms:
        """The chords of the profile."""
        return connected(self.eps, self.forth[0].upper, self.back[0].upper)


@lru_cache(maxsize=2)  # both directions have the same knots
def _looks(forth: GaussianPair, log_cut: float, rtol: float) -> Looks:
    return _looks_at(forth, _knots(forth, log_cut, rtol))


def _looks_at(pair: GaussianPair, eps: Array) -> Looks:
    return Looks(eps, pair.delta_and_tail(eps), pair.reversed().delta_and_tail(eps))


@lru_cache(maxsize=10)  # a search over rounds, or for delta, asks again and again
def _listed(pair: GaussianPair, log_cut: float, rtol: float, aim: Aim | None) -> Enclosure:
    """The chords of the profile from above, its tangents from below."""
    known = _looks(pair.reversed() if pair.backwards else pair, log_cut, rtol)
    known = Looks(known.eps, known.back, known.forth) if pair.backwards else known
    if aim is not None:
        known = _looks_at(pair, focused(known.eps, known.upper(), aim))
    lower = below(known.eps, Known(*known.forth), Known(*known.back))
    return Enclosure(lower, known.upper())


def _knots(pair: GaussianPair, log_cut: float, rtol: float) -> Array:
    """From 0 to where nothing is left but what may be left out, in either direction: ever farther apart."""
    forth, back = (one.delta(np.zeros(1)).upper[0] for one in (pair, pair.reversed()))
    deviation = math.sqrt(2 * math.pi) * float(max(forth, back))
    far = 3 * deviation * OUTWARD ** np.arange(float(LOOKS))
    left = np.maximum(pair.delta(far).upper, pair.reversed().delta(far).upper)
    top = min(float(far[min(int((left > left_out(log_cut)).sum()), LOOKS - 1)]), MOST_EPS)
    apart, growth = KNOTS_APART * math.sqrt(rtol), 1 + GROWTH * math.sqrt(rtol)
    close = deviation * np.arange(0.0, CLOSE, apart)
    growing = float(close[-1]) * growth ** np.arange(1.0, 1 + max(0.0, math.log(top / close[-1]) / math.log(growth)))
    eps: Array = np.append(close, growing)
    return np.append(eps[eps < top], top)


def _single(eps: Array, sigma: float) -> Ends:
    """The Gaussian mechanism, either way."""
    shift = np.full(eps.shape, 1 / sigma)
    delta = excess(eps, shift)
    error = excess_error(eps, shift) * delta
    return Ends(np.maximum(delta - error, 0.0), np.clip(delta + error, TINY, 1.0))
