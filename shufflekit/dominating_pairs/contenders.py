"""Which of a game's moves, and which laws of each, can be the worst at one alpha.

A law is never worth more than one that is larger in the convex order: one whose ``E(x + g)_+`` is as large at all x,
which holds where it holds at the larger one's kinks. A pair of inputs all of whose laws, and whose blanket, are below
some of another's is not looked at. [beyond] 13

Laws that tie do so but for round-off, so that those kept are taken for a little larger than they are: all their scores,
by a part of 1e-12, next to which the round-off of the others' scores is counted in full.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.accuracy import UNIT
from shufflekit.definitions import Kind, Moves, ScoreLaw
from shufflekit.dominating_pairs.board import Scores

MOST_SORTED = 500  # laws, that are held against each other
MOST_LOUD = 64  # laws with much variance, that tell how far out any matters
LARGER = 1e-12  # of each score of a law that is kept
AT_ONCE = 2**14  # kinds of laws, at as many kinks
SCORE_ERROR, SUM_ERROR = 4 * UNIT, 64 * UNIT  # of a score, next to its parts; and of a sum over a law's kinds

Marks = NDArray[np.bool_]


class Contender(NamedTuple):
    """One of the moves, by its number, and the centred scores of the laws that can be worst, and of the blanket.

    All of them are a little larger than they are. Without laws, nothing but the blanket is looked at.
    """

    number: int
    laws: list[Scores]
    blanket: Scores


class SideBySide:
    """Laws of scores by rows, filled up with kinds that are never sent."""

    def __init__(self, laws: Sequence[ScoreLaw]) -> None:
        sizes = np.array(list(map(len, laws)))
        kinds = np.array([one for law in laws for one in law], dtype=np.float64)
        given = np.arange(sizes.max()) < sizes[:, None]
        self.chance, self.u0, self.u1 = np.zeros((3, *given.shape))
        # What is never sent has a score of 0 at each alpha.
        own, sent = kinds[:, 0], kinds[:, 0] > 0
        self.chance[given], self.u0[given], self.u1[given] = own, kinds[:, 3] * sent, kinds[:, 4] * sent

    def variances(self, alpha: float) -> Array:
        """About those of the scores, for little."""
        first, both, second = self._moments
        return np.asarray(np.maximum(first - 2 * alpha * both + alpha**2 * second, 0.0))

    @cached_property
    def _moments(self) -> list[Array]:
        pairs = (self.u0, self.u0), (self.u0, self.u1), (self.u1, self.u1)
        return [(self.chance * u * v).sum(axis=1) for u, v in pairs]

    def at(self, alpha: float) -> "Centred":
        return Centred(self, alpha)


class Centred:
    """The scores ``u0 - alpha u1`` of laws side by side, and which of these are below which."""

    def __init__(self, laws: SideBySide, alpha: float) -> None:
        self.chance, self.value = laws.chance, laws.u0 - alpha * laws.u1
        self.off = SCORE_ERROR * (np.abs(laws.u0) + alpha * np.abs(laws.u1))
        self.variance = (self.chance * self.value**2).sum(axis=1)
        # Where a law is above another, it is most often so at an end, or in the middle.
        middle = (np.maximum(self.value, 0.0) * self.chance).sum(axis=1)
        self._ends = np.array([self.value.max(axis=1), -self.value.min(axis=1), middle])

    def larger(self, i: int) -> Scores:
        """One of the laws, all of its scores a little larger."""
        sent = self.chance[i] > 0
        return Scores(self.value[i, sent] * (1 + LARGER), self.chance[i, sent])

    def below(self, i: int, asked: Marks) -> Marks:
        """Whether those asked for are below that law, a little larger, in the convex order."""
        law, below = self.larger(i), np.zeros(len(self.value), dtype=bool)
        left = np.flatnonzero(asked & (self._ends <= self._ends[:, i : i + 1] * (1 + LARGER)).all(axis=0))
        done = 0
        while done < len(law.value) and len(left):
            x = -law.value[done : (done := done + max(1, AT_ONCE // (len(left) * self.value.shape[1])))][:, None, None]
            # E(x + g)_+ - x_+, which keeps its digits on both sides.
            side = np.where(x > 0, -1.0, 1.0)
            most = np.maximum(side * (x + law.value), 0.0) @ law.chance
            own = np.maximum(side * (x + self.value[left]) + self.off[left], 0.0) * self.chance[left]
            left = left[(own.sum(axis=2) * (1 + SUM_ERROR) <= most).all(axis=0)]
        below[left] = True
        return below

    def undominated(self) -> list[int]:
        """The laws that no other is worth as much as for certain, the one with the largest variance first."""
        left, found = np.ones(len(self.value), dtype=bool), []
        for i in np.argsort(-self.variance, kind="stable"):
            if left[i]:
                found.append(int(i))
                left[i] = False
                left &= ~self.below(int(i), left)
        return found


class Field:
    """All laws of all moves, side by side; the last of each are the first blanket's."""

    def __init__(self, moves: Sequence[Moves]) -> None:
        laws = [[*one.laws, one.spares[0]] for one in moves]
        self.first = np.cumsum([0, *map(len, laws)])
        rows = [law for own in laws for law in own]
        self.is_row = np.ones(len(rows), dtype=bool)
        self.is_row[self.first[1:] - 1] = False
        self.laws = SideBySide(rows)

    def contenders(self, alpha: float) -> tuple[list[Contender], list[Contender]]:
        """The moves that no other is worth as much as for certain, the one with the largest variance first.

        Of very many moves those with the smallest variances are not compared: they are looked at by their blankets, and
        are the second list.
        """
        laws = self.laws.at(alpha)
        own = [range(*ends) for ends in zip(self.first[:-1], self.first[1:] - 1, strict=True)]
        left = sorted(range(len(own)), key=lambda i: -max(laws.variance[list(own[i])]))
        most = max(1, MOST_SORTED // max(map(len, own)))
        left, rest = left[:most], left[most:]
        among = np.repeat(np.isin(range(len(own)), left), np.diff(self.first))
        found = []
        while left:
            best = left[0]
            kept: list[int] = []
            below = np.zeros(len(laws.value), dtype=bool)
            for i in sorted(own[best], key=lambda i: -laws.variance[i]):
                if not below[i]:
                    kept.append(i)
                    below |= laws.below(i, ~below & self.is_row & among)
            blanket = int(self.first[best + 1]) - 1
            below |= laws.below(blanket, ~self.is_row & among)
            whole = np.logical_and.reduceat(below, self.first[:-1])
            left = [i for i in left[1:] if not whole[i]]
            *own_laws, spare = map(laws.larger, [*kept, blanket])
            found.append(Contender(best, own_laws, spare))
        return found, self._blankets(laws, rest)

    def _blankets(self, laws: Centred, moves: Sequence[int]) -> list[Contender]:
        return [Contender(i, [], laws.larger(int(self.first[i + 1]) - 1)) for i in moves]

    def variance(self, alpha: float) -> float:
        """The largest of all rows' scores."""
        return float(self.laws.variances(alpha)[self.is_row].max())

    def log_most(self, alpha: float, tilts: Array, rows: bool) -> Array:
        """The largest ``log E e^{tilt g}`` of all blankets; or, about, of all rows: of those with much variance."""
        laws, own = self.laws, np.flatnonzero(self.is_row == rows)
        own = own[np.argsort(-laws.variances(alpha)[own])[:MOST_LOUD]] if rows else own
        chance, value = laws.chance[own], (laws.u0[own] - alpha * laws.u1[own]) * (1 + LARGER)
        value[chance == 0] = -np.inf
        found = []
        for tilt in tilts:
            top = tilt * value.max(axis=1)
            found.append(float((top + np.log((np.exp(tilt * value - top[:, None]) * chance).sum(axis=1))).max()))
        return np.array(found)

    @property
    def largest(self) -> float:
        """The largest score of a blanket's message at alpha = 1: no law below another has a larger one."""
        return float(np.abs(self.laws.at(1.0).value[~self.is_row]).max())

    def part_of_second(self) -> float:
        """Of the rows with much variance at alpha = 1, the largest variance of t1 next to it."""
        laws = self.laws
        own, second = ((laws.chance * u**2).sum(axis=1)[self.is_row] for u in (laws.u0 - laws.u1, laws.u1))
        return float((second / own)[own > own.max() / 2].max())


def larger(law: ScoreLaw) -> ScoreLaw:
    """A law all of whose centred scores are a little larger, at any alpha."""
    return tuple(
        Kind(one.chance, *(1 + u * (1 + LARGER) for u in one[3:]), *(u * (1 + LARGER) for u in one[3:])) for one in law
    )
