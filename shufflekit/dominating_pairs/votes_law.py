"""The law of messages that vote for P, for Q, or for neither: its largest losses, and a bound on its moments."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import rel_entr

from shufflekit._validate import Array
from shufflekit.accuracy import loss_limit, stretch_error
from shufflekit.dominating_pairs.pair import Pair


@dataclass(frozen=True)
class VotesLaw(Pair):
    """The numbers of ``votes``. ``rest`` is ``1 - rate``, given apart so that neither loses digits."""

    count: int
    rate: float
    rest: float
    base: float
    less: float
    gap: float
    third_rate: float = 0.0
    third: float = 0.0

    @property
    def third_share(self) -> float:
        """How likely a message that is not labelled is of the third kind."""
        return min(self.third_rate / self.rest, 1.0) if self.third_rate else 0.0

    @property
    def stretched(self) -> float:
        """The relative error of the mass of any stretch of labelled messages, and of one of the third kind with it."""
        third = stretch_error(self.count, self.third_share) if self.third_rate else 0.0
        return stretch_error(self.count, self.rate) + third

    @property
    def largest_loss(self) -> float:
        """The loss when every message votes for P."""
        against = self.base + self.less * self.count
        return loss_limit(math.log1p(self.gap * self.count / against)) if against else math.inf

    @property
    def largest_finite_loss(self) -> float:
        """Where messages alone count, one against all others."""
        against = self.base + self.less * self.count
        return self.largest_loss if against or self.third_rate else math.log(self.count)

    def log_moment_bound(self, power: float) -> float:
        """See ``Pair``. Given c signs and the loss l of all of them, the loss is at most l times their mean, or 0.

        So its moment is at most ``2 (1 + e^{(power l)^2/(2c)})``, or ``e^{power l}`` (Hoeffding). What is rare, few or
        many labelled messages or a weight below 1/2, is weighed by its probability (Chernoff).
        """
        most, mean = power * self.largest_loss, self.count * self.rate
        if self.count == 1 or (self.third < 0 and self.third_rate >= 0.25):
            return most
        terms = [most - self.count * _divergence(0.5, self.third_rate)] if self.third < 0 else []
        # The mean is inside one of these stretches.
        edges = np.unique(np.clip(mean * 2.0 ** np.arange(-61, 63, 2), 1.0, self.count))
        for low, high in pairwise(edges.tolist()):
            against = 0.5 - self.gap / 2 * high if self.third < 0 else self.base + self.less * high
            loss = min(self.largest_loss, math.log1p(self.gap * high / against)) if against > 0 else self.largest_loss
            moment = math.log(2) + float(np.logaddexp(0.0, (power * loss) ** 2 / (2 * low)))
            nearest = min(max(mean, low), high) / self.count
            rare = self.count * _divergence(nearest, self.rate) if not low <= mean <= high and nearest < 1 else 0.0
            weight = float(self.weight(np.array([high]), self.count * (self.third > 0))[0])
            terms.append(min(power * loss, moment) - rare + math.log(max(weight, 1.0)))
        return float(np.logaddexp.reduce([0.0, *terms]))

    def weight(self, c: Array, d: Array | float) -> Array:
        return np.asarray(self.base + (self.less + self.gap / 2) * c + self.third * d)


def _divergence(share: float, rate: float) -> float:
    """``KL(share || rate)`` of two coins, both between 0 and 1."""
    return float(rel_entr(share, rate) + rel_entr(1 - share, 1 - rate))
