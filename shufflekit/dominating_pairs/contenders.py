"""Which of a game's moves, and which laws of each, can be the worst at one alpha.

A law is never worth more than one that is larger in the convex order: one whose ``E(x + g)_+`` is as large at all x,
which holds where it holds at the larger one's kinks. A pair of inputs all of whose laws, and whose blanket, are below
some of another's is not looked at. [beyond] 13
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.definitions import Moves
from shufflekit.dominating_pairs.board import Scores

SAME = 1e-14  # of the largest score: what is above by no more than that is above by round-off

Marks = NDArray[np.bool_]


class Contender(NamedTuple):
    """One of the moves, by its number, and the centred scores of the laws that can be worst, and of the blanket."""

    number: int
    laws: list[Scores]
    blanket: Scores


class Field:
    """All laws of all moves, side by side; the last of each are the first blanket's."""

    def __init__(self, moves: Sequence[Moves]) -> None:
        laws = [[*one.laws, one.spares[0]] for one in moves]
        self.first = np.cumsum([0, *map(len, laws)])
        rows = [law for own in laws for law in own]
        self.is_row = np.ones(len(rows), dtype=bool)
        self.is_row[self.first[1:] - 1] = False
        sizes = np.array(list(map(len, rows)))
        sent = np.arange(sizes.max()) < sizes[:, None]
        self.chance, self.u0, self.u1 = np.zeros((3, *sent.shape))
        kinds = np.array([one for law in rows for one in law], dtype=np.float64)
        self.chance[sent], self.u0[sent], self.u1[sent] = kinds[:, 0], kinds[:, 3], kinds[:, 4]

    def contenders(self, alpha: float) -> list[Contender]:
        """The moves that no other is worth as much as for certain, the one with the largest variance first."""
        g = np.where(self.chance > 0, self.u0 - alpha * self.u1, 0.0)
        variance = (self.chance * g**2).sum(axis=1)
        slack = self.slack(alpha)
        # Where a law is above another, it is most often so at an end, or in the middle.
        ends = np.array([g.max(axis=1), -g.min(axis=1), (np.maximum(g, 0.0) * self.chance).sum(axis=1)])
        own = [range(*ends) for ends in zip(self.first[:-1], self.first[1:] - 1, strict=True)]
        left = sorted(range(len(own)), key=lambda i: -max(variance[list(own[i])]))
        found = []
        while left:
            best = left[0]
            kept: list[int] = []
            below = np.zeros(len(g), dtype=bool)
            for i in sorted(own[best], key=lambda i: -variance[i]):
                if not below[i]:
                    kept.append(i)
                    asked = ~below & self.is_row & (ends <= ends[:, i : i + 1] + slack).all(axis=0)
                    below |= self._below(g, i, asked, slack)
            blanket = int(self.first[best + 1]) - 1
            asked = ~self.is_row & (ends <= ends[:, blanket : blanket + 1] + slack).all(axis=0)
            below |= self._below(g, blanket, asked, slack)
            whole = np.logical_and.reduceat(below, self.first[:-1])
            left = [i for i in left[1:] if not whole[i]]
            *laws, spare = (_scores(g[i], self.chance[i]) for i in [*kept, blanket])
            found.append(Contender(best, laws, spare))
        return found

    def variance(self, alpha: float) -> float:
        """The largest of all rows' scores."""
        g = self.u0 - alpha * self.u1
        return float((self.chance * g**2).sum(axis=1)[self.is_row].max())

    def part_of_second(self) -> float:
        """Of the rows with much variance at alpha = 1, the largest variance of t1 next to it."""
        own, second = ((self.chance * u**2).sum(axis=1)[self.is_row] for u in (self.u0 - self.u1, self.u1))
        return float((second / own)[own > own.max() / 2].max())

    def slack(self, alpha: float) -> float:
        """What a step may be worth more than those that are left."""
        return SAME * float(np.abs(self.u0 - alpha * self.u1).max())

    def _below(self, g: Array, i: int, asked: Marks, slack: float) -> Marks:
        """Whether the potentials of those asked for are nowhere above that of the law i."""
        below = asked.copy()
        for x in -g[i][self.chance[i] > 0]:
            most = float(np.maximum(x + g[i], 0.0) @ self.chance[i]) + slack
            below[below] = (np.maximum(x + g[below], 0.0) * self.chance[below]).sum(axis=1) <= most
        return below


def _scores(g: Array, chance: Array) -> Scores:
    return Scores(g[chance > 0], chance[chance > 0])
