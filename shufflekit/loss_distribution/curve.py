"""delta as a function of eps, known from one side at many points."""

import math
import sys
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array

LOG_LARGEST = 600.0  # of what stands next to the scaled deltas of a curve: floating point tells both apart
STRETCH = 500.0  # of loss, whose exponential is still a number


class Curve(NamedTuple):
    """``e^log_scale`` times delta at the points ``eps``, from one side; between them delta is linear in ``e^eps``."""

    eps: Array
    scaled: Array
    log_scale: float
    upper: bool

    @classmethod
    def unknown(cls, *, upper: bool) -> "Curve":
        """What is certain without any work: delta is between 0 and 1."""
        return cls(np.array([0.0, 1.0]), np.full(2, 1.0 if upper else 0.0), 0.0, upper)

    def epsilon(self, delta: float) -> float:
        """Where the curve falls to delta; outside the points, what this side can still be sure of."""
        log_target, i = math.log(delta) + self.log_scale, self.last_above(delta)
        if i < 0:
            return max(0.0, float(self.eps[0])) if self.upper else 0.0
        if i == len(self.eps) - 1:
            return math.inf if self.upper else max(0.0, float(self.eps[i]))
        target = math.exp(log_target - math.log(self.scaled[i]))
        share = (1 - target) / (1 - self.scaled[i + 1] / self.scaled[i])
        return max(0.0, float(self.eps[i] + np.log1p(share * np.expm1(self.eps[i + 1] - self.eps[i]))))

    def last_above(self, delta: float) -> int:
        """The number of the last point at which the curve is at least delta; -1 if there is none."""
        with np.errstate(divide="ignore"):
            above = np.flatnonzero(np.log(np.maximum(self.scaled, 0.0)) >= math.log(delta) + self.log_scale)
        return int(above[-1]) if len(above) else -1

    def shifted(self, by: float) -> "Curve":
        """All losses so much larger."""
        return self._replace(eps=self.eps + by)

    def with_unlisted(self, infinite: float, missing: float, noise: float) -> "Curve":
        """The same with the mass at infinite loss added, and with what is missing if it is an upper curve."""
        unlisted = infinite * (1 + noise) + missing if self.upper else infinite * (1 - noise)
        if unlisted <= 0:
            return self
        # What is at infinite loss may outweigh all the rest by more than floating point can tell.
        excess = max(0.0, self.log_scale + math.log(unlisted) - LOG_LARGEST)
        log_scale = self.log_scale - excess
        with np.errstate(invalid="ignore"):
            scaled = np.where(self.scaled < np.inf, self.scaled * math.exp(-excess), np.inf)  # unknown, and so it stays
        scaled = scaled + math.exp(math.log(unlisted) + log_scale)
        return self._replace(scaled=scaled, log_scale=log_scale)

    def delta(self, eps: float) -> float:
        """The curve at eps; below its first point 1 or what it starts with, above its last what it ends with."""
        if eps < self.eps[0] and self.upper:
            return 1.0
        eps = min(eps, float(self.eps[-1]))
        i = int(np.clip(np.searchsorted(self.eps, eps) - 1, 0, len(self.eps) - 2))
        value = float(self.scaled[i])
        if len(self.eps) > 1:
            gap = float(np.expm1(self.eps[i + 1] - self.eps[i]))
            # Points that are too large to differ by what is between them: the safe one of both.
            share = np.clip(np.expm1(eps - self.eps[i]) / gap, 0, 1) if gap > 0 else float(not self.upper)
            value += float(share * (self.scaled[i + 1] - self.scaled[i]))
        # A delta too small for floating point is not 0: the least normal number is the safe side.
        least = sys.float_info.min if self.upper else 0.0
        return max(least, math.exp(min(0.0, math.log(value) - self.log_scale))) if value > 0 else least


def deltas(loss: Array, weight: Array, step: float | None = None) -> Array:
    """``sum_{j > i} weight_j (1 - e^{loss_i - loss_j})`` at each of the rising losses, ``step`` apart if it is given.

    By F_i = e^{-gap} F_{i+1} + (1 - e^{-gap}) (weight beyond i), gap = loss_{i+1} - loss_i, solved a stretch at a time:
    only positive terms, and no overflow.
    """
    down = loss[-1] - loss[::-1]  # from the last loss on
    share = -np.expm1(-np.diff(loss)[::-1]) if step is None else -math.expm1(-step)
    gain = np.append(0.0, share * np.cumsum(weight[:0:-1]))
    values, first = np.empty(len(down)), 0
    while first < len(down):
        last = int(np.searchsorted(down, down[first] + STRETCH, side="right"))
        before = values[first - 1] * math.exp(down[first - 1] - down[first]) if first else 0.0
        rise = np.exp(down[first:last] - down[first])
        values[first:last] = (before + np.cumsum(gain[first:last] * rise)) / rise
        first = last
    return values[::-1]
