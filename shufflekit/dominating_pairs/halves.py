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
AT_ONCE = 2**18  # outcomes times points
MOST_OTHERS, FARTHEST = 6.0, 60  # on the average, and of which there are lists
VERY_FEW_OTHERS = 0.5  # on the average: their short lists cost less than long ones of all scores
HARDLY_EVER = 1e-12  # times the likeliest number of others: of that many lists are looked up at few points
LEFT_OUT = 1e-9  # of the worth, that more others may have


class Parts(NamedTuple):
    """Scores ``u0 - alpha u1`` with their chances, which sum to 1."""

    chance: Array
    u0: Array
    u1: Array

    @property
    def sent(self) -> "Parts":
        return Parts(*(column[self.chance > 0] for column in self))

    @property
    def one_law(self) -> bool:
        """Whether they are the same at all alphas but for a factor."""
        return not (self.u0.any() and self.u1.any())

    @property
    def turned(self) -> "Parts":
        """The scores ``-alpha u1`` of parts without u0, over alpha."""
        return Parts(self.chance, -self.u1, self.u0)

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

    def excess(self, alpha: float, x: Array) -> Ends:
        """At points x, for which the lists are sorted once."""
        return self.near(alpha, x, 0.0)

    def near(self, alpha: float, x: Array, away: float) -> Ends:
        """The same of points that may be so far ``away``."""
        here, other = self.first.at(alpha), self.second.at(alpha)
        order = np.argsort(other)[::-1]
        least = float(other[order[-1]])
        other, chance, chances = other[order] - least, self.second.chance[order], self.first.chance[:, None]
        # What is added up is positive.
        mass, moment = (np.append(0.0, np.cumsum(part)) for part in (chance, chance * other))
        kinds = len(self.scores.chance)
        summed = 2 * (len(other) + len(here) + 8) * UNIT
        lower, upper = np.empty(len(x)), np.empty(len(x))
        for i in range(0, len(x), step := max(1, AT_ONCE // len(here))):
            own = x[i : i + step]
            # A row an outcome: rising points are looked up in half the time.
            needed = own - least - here[:, None]
            off = (16 + kinds) * UNIT * (self.number * self.scores.size(alpha) + np.abs(own)) + away
            # All that may be above what is needed, each by that or by a little more.
            count = len(other) - np.searchsorted(other[::-1], needed - off, side="right")
            most, less = moment[count], needed * mass[count]
            noise = 2 * off * mass[count] + summed * (most + np.abs(less))
            lower[i : i + step] = (chances * np.maximum(most - less - noise, 0.0)).sum(axis=0)
            upper[i : i + step] = (chances * np.maximum(most - less + noise, 0.0)).sum(axis=0)
        return Ends(lower * (1 - summed - LIST_ERROR), upper * (1 + summed + LIST_ERROR))


def excess_of_few(scores: Parts, number: int, alpha: Array, x: Array) -> Ends:
    """The ends at x >= 0 of sums of so many scores at these alphas, infinity where the lists would be too long."""
    if scores.u1.any() and not scores.u0.any():  # one law, times alpha
        lower, upper = excess_of_few(scores.turned, number, alpha, x / alpha)
        return Ends(alpha * lower, alpha * upper)
    lists = _lists(scores.sent, number)
    if lists is None:
        return Ends(np.zeros(len(x)), np.full(len(x), np.inf))
    if not scores.u1.any():
        return lists.excess(1.0, x)
    lower, upper = np.empty(len(x)), np.empty(len(x))
    for i, own in enumerate(alpha.tolist()):
        lower[i : i + 1], upper[i : i + 1] = lists.excess(own, x[i : i + 1])
    return Ends(lower, upper)


def _lists(scores: Parts, number: int) -> "Halves | _Others | None":
    """Of all scores, or of those that are not the usual one; none where they would be too long."""
    others = number * (1 - float(scores.chance.max()))
    if _longest(scores, number) <= (MOST_OUTCOMES if others > VERY_FEW_OTHERS else MOST_OF_OTHERS):
        return _halves(scores, number)
    return _Others(scores, number) if others <= MOST_OTHERS else None


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

    def excess(self, alpha: float, x: Array) -> Ends:
        """The lists go on until what more others may be worth is hardly anything."""
        usual, most = (float(part) for part in (self.scores.at(alpha)[self.usual], self.others.at(alpha).max()))
        off, most = 8 * UNIT * self.number * self.scores.size(alpha), max(most, 0.0)
        lower, upper, left = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x))
        todo = np.arange(len(x))
        for count, chance in enumerate(self.chance.tolist()):
            # All that is left of x, when the usual ones are counted.
            rest = x[todo] - (self.number - count) * usual
            seen = count * most + off >= rest * (1 - 8 * UNIT)
            own, rest = todo[seen], rest[seen]
            if len(own):
                ends = self._of(count, alpha, rest, off)
                lower[own] += chance * ends.lower
                upper[own] += chance * ends.upper
            # (S - x)_+ of more others is no more than all of these as large as the largest, and the usual ones.
            left[todo] = most * float(self.mean_beyond[count])
            left[todo] += self.number * max(usual + off, 0.0) * float(self.beyond[count])
            todo = todo[left[todo] > LEFT_OUT * upper[todo]]
            if not len(todo):
                break
        return Ends(lower * (1 - self.error), upper * (1 + self.error) + left)

    def _of(self, count: int, alpha: float, x: Array, off: float) -> Ends:
        """Of so many others, at points that may be so much off."""
        if count == 0:
            return Ends(np.maximum(-x - off, 0.0), np.maximum(-x + off, 0.0))
        if count not in self.lists:
            self.lists[count] = _halves(self.others, count)
        return self.lists[count].near(alpha, x, off)


def _halves(scores: Parts, number: int) -> Halves:
    return Halves(scores, number, *(_listed(scores, own) for own in (number - number // 2, number // 2)))


def price(scores: Parts, number: int) -> float:
    """What a point costs, about, in outcomes of a half that are looked up; infinite where there are no lists."""
    lists = _lists(scores.sent, number)
    if lists is None:
        return math.inf
    if isinstance(lists, Halves):
        return float(len(lists.first.chance))
    likely = np.flatnonzero(lists.chance > HARDLY_EVER * lists.chance.max())
    return float(sum(_longest(lists.others, count) for count in likely.tolist()))


def _longest(scores: Parts, number: int) -> int:
    """How many outcomes the longer list has."""
    kinds = len(scores.chance)
    return math.comb(number - number // 2 + kinds - 1, kinds - 1)


def _listed(scores: Parts, number: int) -> Parts:
    times, log_ways = ways(number, len(scores.chance))
    log_chance = log_ways + dot(times, np.log(scores.chance))
    return Parts(np.exp(log_chance), dot(times, scores.u0), dot(times, scores.u1))
