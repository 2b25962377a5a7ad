"""``E(S - x)_+`` of a sum of few scores: all its outcomes, one by one."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.certificate import LOG_HUGE
from shufflekit.dominating_pairs.score_transform import Share

MOST_OUTCOMES = 60_000  # of all numbers together: a line costs less than more of them
MOST_CELLS = 2**21  # outcomes times kinds: how often each comes is listed
MOST_COMPARED = 2**20  # outcomes times points, at once

Rows = NDArray[np.intp] | None


class Outcomes(NamedTuple):
    """Values of S with their chances, and how far off they may be: absolute, and relative."""

    value: Array
    chance: Array
    off: float
    relative: float

    def stop_loss(self, x: Array) -> Ends:
        """From below and from above; what is added up is positive, so that no digits are lost."""
        lower, upper = np.empty(len(x)), np.empty(len(x))
        for i in range(0, len(x), step := max(1, MOST_COMPARED // max(len(self.value), 1))):
            away = self.value - x[i : i + step, None]
            off = self.off + 2 * UNIT * np.abs(x[i : i + step, None])
            lower[i : i + step] = dot(np.maximum(away - off, 0.0), self.chance)
            upper[i : i + step] = dot(np.maximum(away + off, 0.0), self.chance)
        error = self.relative + 2 * len(self.value) * UNIT
        return Ends(lower * (1 - error), upper * (1 + error))


def are_few(shares: Sequence[Share]) -> bool:
    """Whether all outcomes can be looked at."""
    counts = np.ones(len(shares[0].number))
    for share in shares:
        kinds = int(np.count_nonzero(share.law.chance))
        own = np.array([_count(float(number), kinds) for number in share.number])
        if own.max() * kinds > MOST_CELLS:
            return False
        counts = counts * own
    return bool(counts.sum() <= MOST_OUTCOMES)


def stop_losses(shares: Sequence[Share], log_chance: Array, x: Array, row: Rows) -> Ends:
    """The same questions as ``line.stop_losses`` answers."""
    each = [_outcomes(shares, i, float(log_chance[i])) for i in range(len(log_chance))]
    if row is None:
        value, chance = (np.concatenate([getattr(one, name) for one in each]) for name in ("value", "chance"))
        return Outcomes(value, chance, max(o.off for o in each), max(o.relative for o in each)).stop_loss(x)
    lower, upper = np.empty(len(x)), np.empty(len(x))
    for i in np.unique(row):
        lower[row == i], upper[row == i] = each[i].stop_loss(x[row == i])
    return Ends(lower, upper)


def _count(number: float, kinds: int) -> float:
    """About how many ways there are for so many scores to fall, but for their order."""
    return math.exp(min(math.lgamma(number + kinds) - math.lgamma(kinds) - math.lgamma(number + 1), LOG_HUGE))


def _outcomes(shares: Sequence[Share], i: int, log_chance: float) -> Outcomes:
    """Of the i-th of the numbers that S is a mixture over."""
    value, log_mass, off, relative = np.zeros(1), np.full(1, log_chance), 0.0, abs(log_chance) * UNIT
    for share in shares:
        number, law = int(share.number[i]), _possible(share.law)
        times, log_ways = ways(number, len(law.value))
        log_one = np.log(law.chance)
        value = np.add.outer(value, dot(times, law.value * share.size[i])).ravel()
        log_mass = np.add.outer(log_mass, log_ways + dot(times, log_one)).ravel()
        size = number * float(np.abs(law.value).max()) * float(share.size[i])
        off += (len(law.value) + 8) * UNIT * size
        relative += (len(law.value) + 8) * UNIT * (3 * math.lgamma(number + 1) + 1 - number * float(log_one.min()))
    return Outcomes(value, np.exp(log_mass), off + 4 * UNIT * float(np.abs(value).max()), relative + 8 * UNIT)


def _possible(law: Scores) -> Scores:
    return Scores(law.value[law.chance > 0], law.chance[law.chance > 0])


@lru_cache(maxsize=64)  # many laws have equally many kinds
def ways(number: int, kinds: int) -> tuple[Array, Array]:
    return all_ways(number, kinds)


def all_ways(number: int, kinds: int) -> tuple[Array, Array]:
    """How often each kind comes in so many scores, in all ways; and the logarithm of the orders of each way."""
    times = np.zeros((1, 0))
    left = np.full(1, float(number))
    for _ in range(kinds - 1):
        many = left.astype(np.intp) + 1
        row = np.repeat(np.arange(len(left)), many)
        own = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
        times, left = np.column_stack([times[row], own]), left[row] - own
    times = np.column_stack([times, left])
    return times, gammaln(number + 1) - gammaln(times + 1).sum(axis=1)
