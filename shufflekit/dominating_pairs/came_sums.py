"""What a noisy mean shows, summed over how many came: delta and the tails of the second law, with certified ends."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.bracket import Ends
from shufflekit.convex_order import Known
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.came import Came, Shown, came, log_y
from shufflekit.dominating_pairs.came_around import around, pays
from shufflekit.dominating_pairs.came_remainder import remainder
from shufflekit.dominating_pairs.lognormal_excess import excess, excess_error

CHUNK = 200_000  # places worked on at once
LOG_HUGE = 700.0  # of a number that floating point holds
SUM_ERROR = 1e-12
# No more than 1.26 + max(x, 0) times as much as x moves, log E(Z - x)_+ and log Pr[Z > x] do: their second derivatives
# are above -1, as those of all that a normal density is part of.
FALLS = 1.26
HARDLY = 1e-6
FARTHEST = 1e100  # deviations


class Summed(NamedTuple):
    """Of finite losses, of those numbers that are looked at; the chance of infinite ones, and of all other numbers."""

    known: Known
    infinite: float
    missing: float
    error: float


def summed(mean: NoisyMean, backwards: bool, eps: Array, log_cut: float) -> Summed:
    """At each eps of 0 or more; K = 0 aside."""
    close = pays(mean, log_cut)
    looked = around(mean, backwards, eps[:1], log_cut) if close else came(mean, log_cut)
    infinite = 0.0 if close else float(looked.shown.came[looked.shown.ratio == 0].sum())
    if not close:
        looked = looked._replace(shown=looked.shown.kept(looked.shown.ratio > 0))
    parts, rows = [], max(1, CHUNK // max(looked.shown.came.shape[-1], 1))
    for start in range(0, len(eps), rows):
        some = eps[start : start + rows]
        found = around(mean, backwards, some, log_cut) if close else looked
        parts.append(_part(mean, backwards, some, found))
    known = Known(
        *(Ends(*(np.concatenate(end) for end in zip(*side, strict=True))) for side in zip(*parts, strict=True))
    )
    return Summed(known, 0.0 if backwards else infinite, looked.missing, looked.error + SUM_ERROR)


def _part(mean: NoisyMean, backwards: bool, eps: Array, found: Came) -> Known:
    error, ends = found.error + SUM_ERROR, []
    left = remainder(mean, backwards, eps, found.stretches)
    for (lower, upper), off, dead in zip(_sums(mean, backwards, eps, found.shown), left, found.dead, strict=True):
        ends.append(Ends(np.maximum(lower - off, 0.0) * (1 - error), (upper + off + dead) * (1 + error)))
    return Known(*ends)


def _sums(mean: NoisyMean, backwards: bool, eps: Array, shown: Shown) -> Known:
    """``sum m1 E(Y - y)_+`` and ``sum V Pr[Y > y]``; backwards ``a sum m1 E(y - Y)_+`` at 1/a, and its like."""
    log, off = log_y(mean, -eps if backwards else eps, shown)
    x = np.clip((-log if backwards else log) / shown.shift, -FARTHEST, FARTHEST)
    sure = np.isfinite(off)
    off = np.where(sure, off, 0.0)
    error = off * (FALLS + np.maximum(x + shown.shift / 2, 0.0) + off / shown.shift) / shown.shift
    error = error + excess_error(log, shown.shift)
    if not backwards:
        delta, tail = excess(log, shown.shift), ndtr(-x - shown.shift / 2) * shown.ratio
    else:
        # E(y - Y)_+ = y E(Y - 1/y)_+, and a y is no large number.
        error = error + off
        delta = np.exp(np.minimum(eps[:, None] + log, LOG_HUGE)) * excess(-log, shown.shift)
        others = mean.population / shown.number - 1
        tail = ndtr(-x + shown.shift / 2) * others + ndtr(-x - shown.shift / 2)
    return Known(*(_ends(value, error, sure, shown.came) for value in (delta, tail)))


def _ends(value: Array, error: Array, sure: Array, chance: Array) -> Ends:
    """Sums of values whose logarithms err by so much; what is not sure is anything up to its value."""
    above = dot(value, chance)
    least = above if sure.all() else dot(np.where(sure, value, 0.0), chance)
    if error.max(initial=0.0) < HARDLY:
        off = (1 + HARDLY) * dot(value * error, chance)
        return Ends(least - off, above + off)
    more = np.expm1(np.minimum(error, LOG_HUGE))
    return Ends(least - dot(value * (more / (1 + more)), chance), above + dot(value * more, chance))
