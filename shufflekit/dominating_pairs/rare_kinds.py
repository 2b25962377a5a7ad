"""Four kinds of messages of which two are rare: given how many of these there are, the others are a binomial count.

Of n slots r and s send the rare kinds and m ~ Bin(n - r - s, p) the likelier of the common ones to tell P, so that the
sum of the scores is ``start + slope m``, and its positive part has a closed form. For the attack that tells by a coin
which randomized response a client uses.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit._binomial import log_pmf, pmf, tail
from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, TINY, count_error
from shufflekit.bracket import Ends
from shufflekit.definitions import Definition, Kind
from shufflekit.dominating_pairs.score_pair import ScorePair

MOST_RARE_SLOTS = 5_000
MOST_RARE = 100  # of either kind, on average
LOG_CUT = -240.0  # where none is asked for
FEW_POINTS, MOST_TERMS = 40, 500_000  # of more points and terms in all, what sums of scores say costs less


class Crowd(NamedTuple):
    """How many of the slots send each of the rare kinds, and how likely that is; ``missing`` is what is left out."""

    first: Array
    second: Array
    mass: Array
    missing: float


@dataclass(frozen=True)
class RareKinds(ScorePair):
    """A definition with one law of four kinds; the ends hold for that, in one direction."""

    def reversed(self) -> "RareKinds":
        return RareKinds(self.definition.reversed())

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        first, second = self._parts[:2]
        crowd = _crowd(self.definition.slots, first.chance, second.chance, LOG_CUT if log_cut is None else log_cut)
        if np.size(eps) > FEW_POINTS and np.size(eps) * len(crowd.mass) > MOST_TERMS:
            return super().delta(eps, rtol, log_cut)
        lower, upper = np.zeros(eps.shape), np.zeros(eps.shape)
        for i in np.ndindex(eps.shape):
            if eps[i] < self.largest_loss:
                lower[i], upper[i] = self._positive_part(crowd, math.exp(eps[i]))
        return Ends(lower, upper)

    @cached_property
    def _parts(self) -> list[Kind]:
        """The rare kinds, then the common ones."""
        return sorted((one for one in self.definition.laws[0] if one.chance > 0), key=lambda one: one.chance)

    def _positive_part(self, crowd: Crowd, a: float) -> tuple[float, float]:
        slots, population = self.definition.slots, self.definition.population
        kinds = [*self._parts[:2], *sorted(self._parts[2:], key=lambda one: one.t0 - a * one.t1)]
        rare, other, low, high = (one.t0 - a * one.t1 for one in kinds)
        p, q = (one.chance / (kinds[2].chance + kinds[3].chance) for one in (kinds[3], kinds[2]))
        left, apart, slope = slots - crowd.first - crowd.second, (population - slots) * (1 - a), high - low
        start = crowd.first * rare + crowd.second * other + left * low + apart
        # Where the common kinds say the same of this alpha, any count is as good.
        least = np.clip(np.floor(-start / max(slope, KNOWN)) + 1, 0, left + 1)
        beyond = tail(least, left, p, q)
        # slope E[m - left p; m >= j] = slope left p q Pr[j - 1 of left - 1]
        inside = (least > 0) & (least <= left)
        last = np.where(inside, pmf(np.where(inside, least - 1, 0), np.maximum(left - 1, 0), p), 0.0)
        spread = slope * left * p * q * last
        size = crowd.first * abs(rare) + crowd.second * abs(other) + left * (abs(low) + slope * p) - apart
        value = float(dot(crowd.mass, (start + slope * left * p) * beyond + spread)) / population
        error = 2 * count_error(slots) * float(dot(crowd.mass, size * beyond + spread)) / population + TINY
        most = max(1.0, *(one.t0 for one in kinds))
        return max(value - error, 0.0), min(max(value + error + most * crowd.missing, TINY), 1.0)


@lru_cache(maxsize=8)
def _crowd(slots: int, first: float, second: float, log_cut: float) -> Crowd:
    """All but ``3 e^log_cut`` of what the two rare kinds may do."""
    counts = np.arange(slots + 1.0)
    many = (np.count_nonzero(tail(counts + 1, slots, p, 1 - p) > math.exp(log_cut)) for p in (first, second))
    r, s = (counts[: 1 + most] for most in many)
    r, s = (part.ravel() for part in np.meshgrid(r, s, indexing="ij"))
    r, s = r[r + s <= slots], s[r + s <= slots]
    log_mass = log_pmf(r, slots, first) + log_pmf(s, slots - r, second / (1 - first))
    kept = log_mass > log_cut - math.log(len(r))
    return Crowd(r[kept], s[kept], np.exp(log_mass[kept]), 3 * math.exp(log_cut))


def rare_kinds_of(definition: Definition) -> RareKinds | None:
    """The pair of a definition of this shape in which the rare kinds are few, and any message may be the record's."""
    if len(definition.laws) > 1 or definition.slots > MOST_RARE_SLOTS:
        return None
    law = [one for one in definition.laws[0] if one.chance > 0]
    if len(law) != 4 or definition.slots * sorted(one.chance for one in law)[1] > MOST_RARE:
        return None
    return RareKinds(definition) if all(min(one.t0, one.t1) > 0 for one in law) else None
