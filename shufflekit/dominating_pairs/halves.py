"""``E(S - x)_+`` of few scores, or of many of which hardly any is another than the usual one: by lists of outcomes.

Half of the scores have a list of their own, of all ways in which they may fall but for their order; sorted, it says for
every outcome of the other half what both are worth. Where nearly all scores are the most likely one, the number of
others is binomial, and those others are few scores.
"""

import math
from typing import NamedTuple

import numpy as np

from shufflekit._binomial import pmf, tail
from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LIST_ERROR, UNIT, count_error, pmf_error
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.few_sums import ways

MOST_OUTCOMES, MOST_OF_OTHERS = 60_000, 6_000  # of a half: of all scores, and of some
MOST_OTHERS, FARTHEST = 6.0, 60  # on the average, and of which there are lists
VERY_FEW_OTHERS = 0.5  # on the average: their short lists cost less than long ones of all scores
LEFT_OUT = 1e-6  # of the worth, that more others may have


class Parts(NamedTuple):
    """Scores ``u0 - alpha u1`` with their chances, which sum to 1."""

    chance: Array
    u0: Array
    u1: Array

    @property
    def sent(self) -> "Parts":
        return Parts(*(column[self.chance > 0] for column in self))

    def at(self, alpha: float) -> Array:
        return self.u0 - alpha * self.u1

    def at_all(self, alpha: Array) -> Array:
        """A row for each alpha."""
        return np.asarray(self.u0 - alpha[:, None] * self.u1)

    def size(self, alpha: float) -> float:
        """No part of a score is larger."""
        return float(np.abs(self.u0).max() + alpha * np.abs(self.u1).max())


class Halves(NamedTuple):
    """Of so many scores the outcomes of a half and of the others."""

    scores: Parts
    number: int
    first: Parts
    second: Parts

    def excess(self, alpha: float, x: float) -> tuple[float, float]:
        """From below and from above."""
        here, other = self.first.at(alpha), self.second.at(alpha)
        order = np.argsort(other)[::-1]
        least = float(other[order[-1]])
        other, chance = other[order] - least, self.second.chance[order]
        needed = x - least - here
        # What is added up is positive.
        mass, moment = (np.append(0.0, np.cumsum(part)) for part in (chance, chance * other))
        kinds = len(self.scores.chance)
        off = (16 + kinds) * UNIT * (self.number * self.scores.size(alpha) + abs(x))
        summed = 2 * (len(other) + len(here) + 8) * UNIT
        # All that may be above what is needed, each by that or by a little more.
        count = len(other) - np.searchsorted(other[::-1], needed - off, side="right")
        most, less = moment[count], needed * mass[count]
        noise = 2 * off * mass[count] + summed * (most + np.abs(less))
        lower, upper = (float(dot(self.first.chance, np.maximum(most - less + one, 0.0))) for one in (-noise, noise))
        return lower * (1 - summed - LIST_ERROR), upper * (1 + summed + LIST_ERROR)


def excess_of_few(scores: Parts, number: int, alpha: Array, x: Array) -> Ends:
    """The ends at x >= 0 of sums of so many scores at these alphas, infinity where the lists would be too long."""
    scores = scores.sent
    longest, others = _longest(scores, number), number * (1 - float(scores.chance.max()))
    if longest <= (MOST_OUTCOMES if others > VERY_FEW_OTHERS else MOST_OF_OTHERS):
        halves = _halves(scores, number)
        found = [halves.excess(float(a), float(own)) for a, own in zip(alpha, x, strict=True)]
    elif others <= MOST_OTHERS:
        rare = _Others(scores, number)
        found = [rare.excess(float(a), float(own)) for a, own in zip(alpha, x, strict=True)]
    else:
        return Ends(np.zeros(len(x)), np.full(len(x), np.inf))
    return Ends(*np.reshape(found, (-1, 2)).T.copy())


class _Others:
    """Of many scores, by how many are not the usual one."""

    def __init__(self, scores: Parts, number: int) -> None:
        self.scores, self.number = scores, number
        self.usual = int(scores.chance.argmax())
        chance, u0, u1 = (np.delete(column, self.usual) for column in scores)
        rate = float(chance.sum())
        self.others = Parts(chance / rate, u0, u1)
        self.lists: dict[int, Halves] = {}
        farthest = 1  # numbers of others that are listed
        while farthest < min(number, FARTHEST) and _longest(self.others, farthest + 1) <= MOST_OF_OTHERS:
            farthest += 1
        counts = np.arange(farthest + 1.0)
        self.chance = pmf(counts, number, rate)
        more = 1 + count_error(number)
        self.beyond = tail(counts + 1, number, rate, 1 - rate) * more
        self.mean_beyond = number * rate * tail(counts, number - 1, rate, 1 - rate) * more
        self.error = pmf_error(number * rate) + len(counts) * UNIT

    def excess(self, alpha: float, x: float) -> tuple[float, float]:
        """The lists go on until what more others may be worth is hardly anything."""
        usual, most = (float(part) for part in (self.scores.at(alpha)[self.usual], self.others.at(alpha).max()))
        off, most = 8 * UNIT * self.number * self.scores.size(alpha), max(most, 0.0)
        lower = upper = left = 0.0
        for count, chance in enumerate(self.chance.tolist()):
            # All that is left of x, when the usual ones are counted.
            rest = x - (self.number - count) * usual
            if count * most + off >= rest * (1 - 8 * UNIT):
                lower += chance * self._of(count, alpha, rest + off)[0]
                upper += chance * self._of(count, alpha, rest - off)[1]
            # (S - x)_+ of more others is no more than all of these as large as the largest, and the usual ones.
            left = most * float(self.mean_beyond[count])
            left += self.number * max(usual + off, 0.0) * float(self.beyond[count])
            if left <= LEFT_OUT * upper:
                break
        return lower * (1 - self.error), upper * (1 + self.error) + left

    def _of(self, count: int, alpha: float, x: float) -> tuple[float, float]:
        if count == 0:
            return max(-x, 0.0), max(-x, 0.0)
        if count not in self.lists:
            self.lists[count] = _halves(self.others, count)
        return self.lists[count].excess(alpha, x)


def _halves(scores: Parts, number: int) -> Halves:
    return Halves(scores, number, *(_listed(scores, own) for own in (number - number // 2, number // 2)))


def _longest(scores: Parts, number: int) -> int:
    """How many outcomes the longer list has."""
    kinds = len(scores.chance)
    return math.comb(number - number // 2 + kinds - 1, kinds - 1)


def _listed(scores: Parts, number: int) -> Parts:
    times, log_ways = ways(number, len(scores.chance))
    log_chance = log_ways + dot(times, np.log(scores.chance))
    return Parts(np.exp(log_chance), dot(times, scores.u0), dot(times, scores.u1))
