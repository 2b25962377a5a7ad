"""The noisy mean of those who came, their number seen: forth and back, each number's law in closed form.

For a >= 1 nothing that either data set may hold shows more than ``NoisyMeanPair``; see docs/noisy_mean.md.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT, cell_error, loss_limit
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import Known, below, connected
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.blocks import blocks
from shufflekit.dominating_pairs.came import Shown, shown_by
from shufflekit.dominating_pairs.came_sums import summed
from shufflekit.dominating_pairs.knots import COARSE, focused, outwards
from shufflekit.dominating_pairs.pair import Aim, Pair, in_steps

LOG_CUTS = (-40.0, -80.0, -160.0, -320.0, -720.0)  # how many numbers that came are looked at, until it is enough
ENOUGH = 1e-9  # of delta: numbers left out that hardly matter
MOST_EPS = 600.0  # beyond which e^eps is hardly a number: delta is no more there
MOMENT_RTOL = 1e-3  # of a moment that need not be close
ROUND_OFF = 1e-10  # relative, of a probability


@dataclass(frozen=True)
class NoisyMeanPair(Pair):
    """P: a record far from all others, which are alike; Q: one like them instead, or none. ``backwards``: exchanged."""

    mean: NoisyMean
    backwards: bool = False

    def reversed(self) -> "NoisyMeanPair":
        return NoisyMeanPair(self.mean, not self.backwards)

    @property
    def largest_loss(self) -> float:
        """Backwards a record that was removed at most has not come."""
        if self.backwards and not self.mean.replaced and self.mean.rate < 1:
            return loss_limit(-math.log1p(-self.mean.rate))
        return math.inf

    @property
    def largest_finite_loss(self) -> float:
        """Nothing else is shown where nobody else is, or all always come."""
        alone = not self.mean.replaced and (self.mean.population == 1 or self.mean.rate == 1)
        return 0.0 if alone and not self.backwards else self.largest_loss

    @property
    def infinite(self) -> float:
        """The chance that all came, which cannot be without the record; backwards, where all always come, that not."""
        if self.mean.replaced:
            return 0.0
        if self.backwards:
            return float(self.mean.rate == 1)
        return math.exp(self.mean.population * math.log(self.mean.rate))

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        """See ``Pair``: hardly anything but round-off keeps the ends apart."""
        eps = np.asarray(eps, dtype=np.float64)
        for cut in LOG_CUTS if log_cut is None else (log_cut,):
            looked = self.looked(eps.ravel(), cut)
            if log_cut is not None or (looked.missing <= ENOUGH * np.maximum(looked.delta.lower, TINY)).all():
                break
        return Ends(*(end.reshape(eps.shape) for end in looked.delta))

    def looked(self, eps: Array, log_cut: float) -> "Looked":
        """Beyond ``MOST_EPS`` delta is taken for what it is there, or for infinite losses alone."""
        at = np.minimum(eps, MOST_EPS)
        (delta, tail), infinite, missing, error = summed(self.mean, self.backwards, at, log_cut)
        nobody, chance = self._nobody(at)
        delta, tail = (
            Ends(end.lower + more * (1 - error), end.upper + more * (1 + error))
            for end, more in ((delta, nobody), (tail, chance))
        )
        lower = np.where(eps <= MOST_EPS, delta.lower + infinite * (1 - error), self.infinite * (1 - ROUND_OFF))
        upper = delta.upper + infinite * (1 + error) + missing
        inside = eps < self.largest_loss
        total = Ends(np.where(inside, lower, 0.0), np.where(inside, np.clip(upper, TINY, 1.0), 0.0))
        return Looked(Ends(np.minimum(*total), total.upper), Known(delta, tail), missing)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return _listed(self, in_steps(log_cut), rtol, None)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        return _listed(self, in_steps(log_cut), rtol, aim)

    def divergence(self, orders: Array) -> Array:
        """Infinite of a removed record, forth: all may have come, however unlikely that is."""
        if not self.mean.replaced and not self.backwards:
            return np.full(orders.shape, np.inf)
        return super().divergence(orders)

    def log_moment_bound(self, power: float) -> float:
        """Of a replaced record, from the next whole order on, either way: delta backwards is never above delta forth.

        ``E X^n = int n (n - 1) a^(n - 2) H_a da``: what lies left of 1 adds no more than what lies right of it.
        """
        if not self.mean.replaced:
            return super().log_moment_bound(power)
        n, shown = np.arange(2.0, math.ceil(power) + 2), _crowds(self.mean)
        q, shift = 1 / shown.ratio[:, None], shown.shift[:, None]
        choose = gammaln(n[-1] + 1) - gammaln(n + 1) - gammaln(n[-1] - n + 1)
        few = np.where(n < n[-1], (n[-1] - n) * np.log1p(-np.minimum(q, 1 - UNIT)), 0.0)
        terms = choose + few + (n - 1) * np.log(q) + n * (n - 1) * shift**2 / 2
        with np.errstate(divide="ignore"):
            log_sum = float(logsumexp(terms + np.log(shown.came)[:, None]))
        # Numbers that were left out are taken for their worst, one that came alone.
        alone = math.log(TINY) + n[-1] * (n[-1] - 1) * float(self.mean.distance / self.mean.sigma) ** 2 / 2
        return float(np.logaddexp(0.0, math.log(2) + np.logaddexp(log_sum, alone)))

    def _nobody(self, eps: Array) -> tuple[Array, Array]:
        """What is shown where nobody came, backwards, of a removed record: that it did not, if it is not there.

        Of delta, and of the chance that it did not though it is there.
        """
        nothing = np.zeros(eps.shape)
        if self.mean.replaced or not self.backwards:
            return nothing, nothing
        if self.mean.rate == 1:
            return np.ones(eps.shape), nothing
        gap, N = np.log1p(-self.mean.rate), self.mean.population
        return np.exp((N - 1) * gap) * -np.expm1(np.minimum(eps + gap, 0.0)), np.exp(N * gap) * (eps < -gap)


class Looked(NamedTuple):
    """Delta, what is known of finite losses, and the chance of the numbers that came that were left out."""

    delta: Ends
    finite: Known
    missing: float


@dataclass(frozen=True)
class EitherWay(Pair):
    """The pair whose delta is the larger of both directions, whichever is asked for: one for each round anew.

    That is delta forth. Where k came, with q = k/N, A that record's mean and B the others', ``P - a Q`` forth is
    ``q (A - a' B)`` with ``a' = (a - 1 + q)/q``; back it is ``(1 - a + a q) (B - b A)`` with ``b = a q/(1 - a + a q)``,
    or nowhere above 0. The first factor is the larger one, and ``b - a'`` has the sign of ``(1 - q) (a - 1)^2``; and A
    and B, two Gaussians, may be exchanged.
    """

    one: NoisyMeanPair

    @property
    def largest_loss(self) -> float:
        return self.one.largest_loss

    def reversed(self) -> "EitherWay":
        return self

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        return self.one.delta(eps, rtol, log_cut)

    def looked(self, eps: Array, log_cut: float) -> Looked:
        return self.one.looked(eps, log_cut)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return _listed(self, in_steps(log_cut), rtol, None)

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        return _listed(self, in_steps(log_cut), rtol, aim)

    def log_moment_bound(self, power: float) -> float:
        return self.one.log_moment_bound(power)


@lru_cache(maxsize=10)  # a search over rounds, or for delta, asks again and again
def _listed(pair: NoisyMeanPair | EitherWay, log_cut: float, rtol: float, aim: Aim | None) -> Enclosure:
    if isinstance(pair, NoisyMeanPair) and 1 in (pair.infinite, pair.reversed().infinite):
        certain = Atoms(np.zeros(1), np.full(1, math.log(TINY)), infinite=1.0)
        return Enclosure(certain, certain)
    backwards = isinstance(pair, NoisyMeanPair) and pair.backwards
    eps, *ways = _coarsely(pair.reversed() if backwards else pair, log_cut, rtol, aim is not None)
    forth, back = ways[::-1] if backwards else ways
    if aim is not None:
        eps = focused(eps, connected(eps, forth.delta.upper, back.delta.upper), aim)
        forth, back = _both(pair, eps, log_cut)
    if isinstance(pair, EitherWay):
        infinite = infinite_back = 0.0
    else:
        infinite, infinite_back = pair.infinite, pair.reversed().infinite
    lower = below(eps, forth.finite, back.finite, infinite * (1 - ROUND_OFF), infinite_back * (1 - ROUND_OFF))
    upper = connected(eps, forth.delta.upper, back.delta.upper)
    # Of what is left at the last knot so much is infinite in each round for certain, and counts once in all.
    infinite = min(infinite * (1 + ROUND_OFF), upper.missing)
    return Enclosure(lower, upper._replace(missing=upper.missing - infinite, infinite=infinite))


@lru_cache(maxsize=4)  # both directions have the same knots
def _coarsely(
    pair: NoisyMeanPair | EitherWay, log_cut: float, rtol: float, aimed: bool
) -> tuple[Array, Looked, Looked]:
    """Knots from 0 to where in both directions only infinite losses are left, or what may be left out."""
    ways = _ways(pair)

    def left(eps: Array) -> Array:
        found = [way.looked(eps, log_cut).delta.upper - way.infinite * (1 + ROUND_OFF) for way in ways]
        return np.asarray(np.max(found, axis=0))

    eps = outwards(left, log_cut, COARSE if aimed else rtol, MOST_EPS, rtol)
    return eps, *_both(pair, eps, log_cut)


def _both(pair: NoisyMeanPair | EitherWay, eps: Array, log_cut: float) -> tuple[Looked, Looked]:
    found = [way.looked(eps, log_cut) for way in _ways(pair)]
    return found[0], found[-1]


def _ways(pair: NoisyMeanPair | EitherWay) -> list[NoisyMeanPair]:
    return [pair.one] if isinstance(pair, EitherWay) else [pair, pair.reversed()]


def _crowds(mean: NoisyMean) -> Shown:
    """For a bound from above: the least number of each of a few cells shifts most, the largest is the likeliest to
    hold the record."""
    parts = blocks(mean.population - 1, mean.rate, 1 - mean.rate, width=MOMENT_RTOL, log_cut=LOG_CUTS[-1])
    chance = mean.rate * parts.mass * (1 + cell_error(mean.population))
    return shown_by(mean, parts.high + 1, chance)._replace(shift=shown_by(mean, parts.low + 1, chance).shift)
