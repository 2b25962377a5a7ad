"""[liew2022] Distributed check-ins in one dimension: mixtures of Gaussians, where nobody sees how many came.

Whoever comes sends her value with noise of deviation sigma, and the mean of k such reports is seen, which has noise of
deviation sigma/sqrt(k). If nobody comes, noise of deviation sigma is shown.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from shufflekit import _validate
from shufflekit._binomial import pmf
from shufflekit._validate import Array

POINTS = 2**12  # of an integral over the line
DEVIATIONS = 12.0  # to either side of what an integral is taken over
BLOCK = 512  # points taken together


class Mixture(NamedTuple):
    """Gaussians with their weights."""

    weight: Array
    mean: Array
    deviation: Array

    def log_density(self, y: Array) -> Array:
        """At an array of points."""
        with np.errstate(divide="ignore"):
            log_weight = np.log(self.weight) - np.log(self.deviation) - 0.5 * math.log(2 * math.pi)
        found = [
            logsumexp(log_weight - ((part[:, None] - self.mean) / self.deviation) ** 2 / 2, axis=1)
            for part in np.array_split(y, max(1, len(y) // BLOCK))
        ]
        return np.concatenate(found)

    def times(self, share: Array | float) -> "Mixture":
        """Each weight times a share."""
        return self._replace(weight=self.weight * share)

    def joined(self, other: "Mixture") -> "Mixture":
        """The Gaussians of both."""
        return Mixture(*(np.concatenate(parts) for parts in zip(self, other, strict=True)))


class Pair(NamedTuple):
    """Two such laws."""

    p: Mixture
    q: Mixture

    def moment(self, order: int, *, forth: bool) -> float:
        """``E_q[(p/q)^order]``, or back, ``E_p[(q/p)^order]``: an integral by the trapezoid rule.

        For an analytic function on the whole line that rule converges faster than any power of the step. The moment
        must be finite.
        """
        order = _validate.count(order=order)
        over, under = (self.p, self.q) if forth else (self.q, self.p)
        # A quotient of Gaussians to some power may be large far from both means.
        low, high = (
            min(float((law.mean - DEVIATIONS * order * law.deviation).min()) for law in self),
            max(float((law.mean + DEVIATIONS * order * law.deviation).max()) for law in self),
        )
        y = np.linspace(low, high, POINTS * order)
        log_p, log_q = over.log_density(y), under.log_density(y)
        return float(np.exp(order * log_p + (1 - order) * log_q).sum() * (y[1] - y[0]))


def alone(k: int, sigma: float) -> Pair:
    """p' and q' of Theorem 5, where k of the others came: without the record, which is 1, and with it."""
    k, sigma = _validate.count(k=k, at_least=0), _validate.positive(sigma=sigma)
    once = np.ones(1)
    return Pair(_means(once, np.array([k]), sigma, 0.0), _means(once, np.array([k + 1]), sigma, 1.0))


def removed(sigma: float, n: int, gamma: float) -> Pair:
    """p and q of Theorem 5: of n - 1 others each comes with the chance gamma; q has the record, which may come, too."""
    k, sigma = np.arange(_validate.count(n=n)), _validate.positive(sigma=sigma)
    chance = pmf(k, n - 1, _validate.open_unit(gamma=gamma))
    p, with_it = _means(chance, k, sigma, 0.0), _means(chance, k + 1, sigma, 1.0)
    return Pair(p, p.times(1 - gamma).joined(with_it.times(gamma)))


def replaced(sigma: float, n: int, gamma: float, distance: float) -> Pair:
    """Of n clients each comes with the chance gamma: all hold 0 (q), or one holds ``distance`` instead (p)."""
    k, sigma = np.arange(_validate.count(n=n) + 1), _validate.positive(sigma=sigma)
    chance, distance = pmf(k, n, _validate.open_unit(gamma=gamma)), _validate.positive(distance=distance)
    q, with_it = (_means(chance, k, sigma, value) for value in (0.0, distance))
    return Pair(q.times(1 - k / n).joined(with_it.times(k / n)), q)


def _means(chance: Array, k: NDArray[np.int64], sigma: float, value: float) -> Mixture:
    """The mean of k values with its noise, of which one is ``value`` and all others are 0."""
    came = np.maximum(k, 1)
    return Mixture(chance, value / came, sigma / np.sqrt(came))
