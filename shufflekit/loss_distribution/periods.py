"""The trapezoid rule along a line Re z = c: where the line lies, and what the values a period further add.

With ``M(z) = E_P[e^{z L}]`` the rule gives ``sum_j e^{c j period} delta(eps + j period)`` over all whole j.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.loss_distribution.parts import Losses, Moments, Part, moments

LOG_WRAPPED = -40.0  # relative, of what the next periods add
REACH_OF_TAIL = 9.0  # deviations, by which Chernoff's bound on later periods is tilted more, at most
TAILS = np.exp2(-1.5 * np.arange(5.0))  # times that: less where a few large losses would soon be all of it
LOG_HUGE = 690.0
FARTHER = 2.0  # times as far as the mean should be from that at the tilt, from which on a line is drawn in


class Wrapped(NamedTuple):
    """What other periods add at a point x from the centre: ``before + after e^{-(c + more) x}`` at most.

    Relative to ``M(c) e^{-c centre}``, as all numbers along a line.
    """

    period: float
    before: float
    after: float
    more: float

    def at(self, x: Array, rate: float) -> Array:
        """At some points; infinite where it is no number."""
        exponent = -(rate + self.more) * x
        added = self.before + self.after * np.exp(np.minimum(exponent, LOG_HUGE))
        return np.asarray(np.where(exponent > LOG_HUGE, np.inf, added))


def line(tilt: float, deviation: float) -> float:
    """c, a little beyond the tilt, so that the poles at 0 and -1 stay away."""
    return tilt + 1 / (deviation * (1 + tilt * deviation))


def drawn_in(parts: Sequence[Part[Losses]], tilt: float, c: float) -> float:
    """c, or nearer to the tilt where its losses are other ones: where few large ones would be all that is left.

    At the integrand's least point the mean is ``1/c + 1/(1 + c)`` more than at the tilt; for like losses it is no more
    than that at the line. Any c > tilt serves, a good one is accurate.
    """
    mean, away = moments(parts, tilt).mean, c - tilt
    while moments(parts, tilt + away).mean - mean > FARTHER * (1 / (tilt + away) + 1 / (1 + tilt + away)):
        away /= 2
    return tilt + away


def wrapped(parts: Sequence[Part[Losses]], c: float, total: Moments, variance: float) -> Wrapped:
    """A period after which hardly anything comes again, and a bound on what does.

    Later periods by Chernoff at a larger tilt u: ``delta(eps) <= M(u) e^{-u eps}``, for losses with some Gaussian noise
    of this variance ``M(u) e^{variance u (u + 1)/2}``. Earlier ones: delta is 1 at most.
    """
    most, log_value = min(REACH_OF_TAIL / total.deviation, 2 * c + 1), -math.log(c * (1 + c) * 2.5 * total.deviation)
    log_top = total.log_z - c * total.mean
    found = []
    for more in most * TAILS:
        u = c + more
        growth = moments(parts, u).log_z + variance * u * (u + 1) / 2 - total.log_z - more * total.mean
        least = max((log_value + log_top) / -c, (growth - log_value) / more, 0.0)
        found.append((least - LOG_WRAPPED * max(1 / c, 1 / more), more, growth))
    period, more, growth = min(found)
    after = math.exp(growth - more * period) / -math.expm1(-more * period)
    before = math.exp(-c * period - log_top) / -math.expm1(-c * period)
    return Wrapped(period, before, after, more)
