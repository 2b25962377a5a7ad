"""A lottery's worth where the two binary corners tie, below E = 2: at alpha = 1, which serves for all. [beyond] 12, 14

No one corner is worst there before a sum is smooth, and then only nearly: the two differ in their skewness. The game is
played in some of the last slots, in blocks. Before these one law serves, both binary corners by a coin, its scores a
little larger: that makes up for the skewness as far out as matters, and a certificate says what is missing farther out.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import BOARD_ERROR
from shufflekit.definitions import Lottery
from shufflekit.dominating_pairs.board import Board, Light, Scores
from shufflekit.dominating_pairs.certificate import LOG_HUGE, tilts_for
from shufflekit.dominating_pairs.game_pair import scores
from shufflekit.dominating_pairs.line import Share, stop_losses
from shufflekit.dominating_pairs.long_game import FINE_NODES, LongGame
from shufflekit.dominating_pairs.lottery_terms import Terms, log_grown, terms
from shufflekit.dominating_pairs.score_grid import finite_score
from shufflekit.dominating_pairs.score_laws import coarser, grid_step
from shufflekit.dominating_pairs.score_sums import sums

BLOCK = 500  # slots
LEAST_HEAVY = 5.0  # slots of a block: of fewer the grid, which is made for them, sees nothing
LAST, LEAST_BLOCKS = 0.03, 2  # of all slots: those that the game is played in
LARGER = (0.002, 0.003, 0.0045, 0.006, 0.008, 0.011, 0.015, 0.02, 0.03, 0.045, 0.07)  # scores, relative
STRETCHES = 400  # of the board, whose largest excess counts
PART = 1e-3  # of the worth: a slack that is little
FEW = 2  # places, for which not all enlargements are tried in turn


class Step(NamedTuple):
    """The one law, and the logarithm of what a step by any corner is worth more than one by it, by the tilt."""

    law: Scores
    points: Array
    excess: Array


class TiedLottery:
    """``E(sum - x)_+`` of a lottery with dummies at alpha = 1, in units of the heavy chance; never too small."""

    def __init__(self, lottery: Lottery) -> None:
        self.lottery, blocks = lottery, max(LEAST_BLOCKS, round(LAST * lottery.slots / BLOCK))
        self.last = blocks * BLOCK
        found = terms(lottery, self.last) if 3 * self.last <= lottery.slots else None
        self.serves = found is not None and found.coin * BLOCK > LEAST_HEAVY
        if found is None or not self.serves:
            return
        self.early: Terms = found
        self.laws = [scores(law, 1.0) for law in lottery.moves.laws]
        played = LongGame(self.laws).laws
        light = Light(1 - self.early.coin, float(self.early.size.max())) if self.early.coin < 1 else None
        step = grid_step(played, *FINE_NODES, many=True)
        block = Board(played, BLOCK, step, light=light).play(BLOCK).law()
        self.board, late = _of_blocks(self.laws, block, blocks, step)
        self.late = coarser(late)
        self.edge = float(self.board.rise[[0, -1]].max())
        self.steps: dict[float, Step] = {}
        self.beyond = math.inf  # where no enlargement is enough
        weight = np.exp(self.early.log_chance) @ (self.early.heavy + self.early.light * self.early.size**2)
        self.variance = self.laws[1].variance * float(weight) + late.variance

    def worth(self, x: Array) -> Array:
        """For the least enlargement of the scores that is enough, or infinity."""
        found = np.full(len(x), np.inf)
        left = np.flatnonzero(x < self.beyond)
        if len(left) <= FEW:
            found[left] = [self._by_halves(x[i : i + 1]) for i in left]
            left = left[~np.isfinite(found[left])]
        for larger in LARGER if len(left) > FEW else ():
            found[left] = self._enlarged(larger, x[left])
            left = left[~np.isfinite(found[left])]
            if not len(left):
                return found
        self.beyond = min(self.beyond, float(x[left].min(initial=np.inf)))  # farther out nothing is enough either
        return found

    def _by_halves(self, x: Array) -> float:
        """At one place: the least enlargement that is enough is looked for by halves, as what is enough stays so."""
        found, low, high = math.inf, 0, len(LARGER)
        while low < high:
            middle = (low + high) // 2
            worth = float(self._enlarged(LARGER[middle], x)[0])
            found, low, high = (worth, low, middle) if worth < math.inf else (found, middle + 1, high)
        return found

    def _enlarged(self, larger: float, x: Array) -> Array:
        """By scores that are so much larger, or infinity where that is not enough."""
        step, one = self._step(larger), np.ones(len(self.early.heavy))
        shares = [
            Share(step.law, self.early.heavy, one),
            Share(step.law, self.early.light, self.early.size),
            Share(self.late, one, one),
        ]
        worth = stop_losses(shares, self.early.log_chance, x).upper
        slack = self._slack(step, x) + self.edge
        return np.where(slack <= PART * worth, (worth + slack) * (1 + BOARD_ERROR * self.last), np.inf)

    def _step(self, larger: float) -> Step:
        """In one step of either weight."""
        if larger not in self.steps:
            _, one, zero = self.laws[:3]
            law = Scores(
                np.concatenate([one.value, zero.value]) * (1 + larger), np.concatenate([one.chance, zero.chance]) / 2
            )
            sizes = sorted({1.0, float(self.early.size.min()), float(self.early.size.max())})
            found = [self.board.excess([each.times(size) for each in (law, *self.laws)], 0) for size in sizes]
            points, excess = (np.concatenate(column) for column in zip(*found, strict=True))
            self.steps[larger] = Step(law, *_most_of_each(points[excess > 0], excess[excess > 0]))
        return self.steps[larger]

    def _slack(self, step: Step, x: Array) -> Array:
        """``s K e^{-c x}`` times each slot's Lam, for the best of some tilts c."""
        tilts = tilts_for(x, self.variance)
        gain = (step.excess - np.outer(tilts, step.points)).max(axis=1, initial=-np.inf) + tilts * self.board.step
        grown = log_grown([step.law, *self.laws], self.early, tilts)
        bound = gain + math.log(self.lottery.slots) + grown - np.outer(x, tilts)
        return np.asarray(np.exp(np.minimum(bound.min(axis=1), LOG_HUGE)))


def _of_blocks(laws: Sequence[Scores], block: Scores, count: int, step: float) -> tuple[Board, Scores]:
    """What that many blocks are worth, as a board on which it no longer falls beyond the edges; and as a law."""
    score = finite_score(block.value, block.chance, step)
    found = sums(score, count, [0.0])
    kept = np.isfinite(found.mass.upper) & (found.mass.upper > 0)
    first, last = np.flatnonzero(kept)[[0, -1]]
    value, mass = found.value[first : last + 1], np.where(kept, found.mass.upper, 0.0)[first : last + 1].copy()
    mass[0] += found.before
    mass[-1] += found.after
    # E(x + S)_+ - x_+ at x = -value: what is above, and for x > 0 what is below.
    above = np.cumsum((mass * value)[::-1])[::-1] - value * np.cumsum(mass[::-1])[::-1]
    below = value * np.cumsum(mass) - np.cumsum(mass * value)
    rise = np.where(value >= 0, above, below)[::-1]
    board = Board.known(laws, -value[::-1], np.maximum(rise, 0.0))
    return board, Scores(value, mass)


def _most_of_each(points: Array, excess: Array) -> tuple[Array, Array]:
    """The largest logarithm in each of some stretches, at its first point: no less for any tilt of 0 or more."""
    if not len(points):
        return np.zeros(1), np.full(1, -np.inf)
    edges = np.linspace(points.min(), points.max(), STRETCHES + 1)
    most = np.zeros(STRETCHES)
    np.maximum.at(most, np.clip(np.searchsorted(edges, points, side="right") - 1, 0, STRETCHES - 1), excess)
    kept = most > 0
    return edges[:-1][kept], np.log(most[kept])
