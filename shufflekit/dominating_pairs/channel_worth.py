"""What the game of a channel's own rows is worth: by one pair of the changed record's values, and by the worst.

In units of 1/N [beyond] 13, and at an alpha with all starts moved: see ``anchors``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT, score_error
from shufflekit.definitions import Game, Moves
from shufflekit.dominating_pairs import told
from shufflekit.dominating_pairs.anchors import Anchor, alike, anchored, between, shifts
from shufflekit.dominating_pairs.board import DEPTH, Scores
from shufflekit.dominating_pairs.contenders import Contender, Field, larger
from shufflekit.dominating_pairs.long_game import SLACK, STAGES, LongGame
from shufflekit.dominating_pairs.quick_sums import Quick, quick_worths
from shufflekit.dominating_pairs.score_laws import grid_step
from shufflekit.dominating_pairs.spare import NO_SHIFT, spared

LOUD = 1_000.0  # likelihood ratios, with which few messages may be from the blanket
FEW = 300  # reports, of which a blanket's outcomes are looked at one by one
LOG_FAINT = -10.0  # of the weight of what is assumed of games to come: a quick look at it is enough
FEW_LAWS = 3  # with more a board costs much
VERY_FEW, FEWEST = 20, 8  # reports, with which a game costs little, and its worth bends much, or very much
FINEST = 4  # times finer are grids of slots most of which stay silent, at a close look
# In all, of very few reports and of more, and at an alpha; other pairs of values are looked at by their blankets.
CHEAP_GAMES, MOST_GAMES, LEAST_GAMES = 150, 24, 2
MOST_LAWS = 1_000  # in all, of which many are played
# Of a start, in a deviation: where sums take few values, chords of them are closer.
SHIFTS, SHIFTS_OF_FEW, SHIFTS_OF_FEWEST = 24, 96, 400
NOISES = 2.0  # times what noise adds to a quick sum: a game that is worth less than that leaves is below its blanket
FARTHER, HALVINGS, MARGIN = 1.3, 4, 1.05  # times as far out, until hardly any is left, and then nearer; and in the end
LOG_CLEARLY = 8.0  # farther out than rows matter clearly not, the bound is that of blankets
REACHING = np.geomspace(1 / 32, 4.0, 22)  # tilts, next to that of a normal sum
LOOKS, PRICE = 4, 2  # times as many soft starts as games are played; and a look at a game without one
CLEARLY = 1e-4  # of eps: what a look shows to be above the worst so far by less is not looked at again


# A contender's worth or its blanket's, from its game's worth and what that is at most where no blanket need be asked.
Spare = Callable[[Contender, float, Array, Array, Array], Array]


class Effort(NamedTuple):
    """What a game may cost: nodes a deviation, sums on a board at most, and steps before one law is tried; and what
    one law may lose where boards cost much: of the worth, after some steps and after the last; of eps, softly."""

    nodes: tuple[float, float]
    work: float
    steps: int
    slack: tuple[float, float, float]

    def game(self, laws: Sequence[Scores]) -> LongGame:
        long = LongGame(laws)
        long.clear = False  # blocks are as long as the work allows: of a channel's rows, a small one may matter much
        long.fine_step, long.block_step = (grid_step(long.laws, *self.nodes, many=many) for many in (False, True))
        kinds = sum(len(law.value) for law in long.laws)
        # A board of b steps has so many nodes times the root of b, and all kinds of scores are summed b times.
        once = 2 * DEPTH * long.deviation / long.fine_step * kinds
        long.block = math.ceil((self.work / once) ** (2 / 3))
        long.stages = [steps for steps in STAGES if steps <= self.steps]
        long.slack, long.last_slack, long.soft = self.slack if len(long.laws) > FEW_LAWS else LITTLE
        return long


LITTLE = (SLACK, SLACK, 1e-4)  # that one law may lose where boards cost little
CLOSELY = Effort((7.0, 24.0), 1.5e8, STAGES[-1], (1e-3, 4e-3, 2.5e-3))
A_LOOK = Effort((5.0, 16.0), 1.5e7, 150, (5e-3, 2e-2, 1.0))
FEW_SLOTS = Effort((24.0, 80.0), 5e7, 150, (SLACK, SLACK, 0.0))
VERY_FEW_SLOTS = Effort((200.0, 400.0), 5e7, 150, (SLACK, SLACK, 0.0))


@dataclass(frozen=True)
class ChannelWorth:
    """Of a game of rows, whose slots are all of the population or fewer."""

    game: Game

    @cached_property
    def field(self) -> Field:
        return Field(self.game.moves)

    @cached_property
    def noise(self) -> float:
        return score_error(self.game.slots, math.log(self.ratio)) + 64 * UNIT

    @cached_property
    def ratio(self) -> float:
        """The largest likelihood ratio of a message."""
        return max(float(one.t0) for moves in self.game.moves for law in moves.laws for one in law)

    @cached_property
    def is_lonely(self) -> bool:
        """Whether one message alone may outweigh all others: quick sums say nothing then, and few others play."""
        return self.field.largest > self._spread(1.0)

    def of(self, contender: Contender, eps: float, effort: Effort, moved: Array = NO_SHIFT) -> Array:
        """The game of the contender's laws, never too small."""
        if self.game.slots <= FEW:
            effort = VERY_FEW_SLOTS if self.game.slots <= VERY_FEW else FEW_SLOTS
        return self._by(self._played(contender.laws, effort, self._start(eps, moved)), contender, eps, moved)

    def _by(self, long: LongGame | told.Told, contender: Contender, eps: float, moved: Array) -> Array:
        N, (blanket,) = int(self.game.population), self.game.moves[contender.number].spares
        if self.game.slots < N:
            return long.worth(self.game.slots, moved - N * math.expm1(eps)) * (1 + self.noise)  # [beyond] 8

        left = float(blanket[-1].chance)

        def assumed(m: int) -> Array:
            start = moved - m * math.expm1(eps)
            if (N - m) * math.log(max(left, TINY)) < LOG_FAINT and start.max() <= 0:
                worth = quick_worths([contender.blanket], m, start).worth[0]
            else:
                worth = LongGame([contender.blanket]).worth(m, start)
            return np.asarray(worth * (1 + self.noise))

        return spared(long, Moves((), (larger(blanket),)), eps, N, assumed, moved) * (1 + self.noise)  # [beyond] 10

    def _played(self, laws: Sequence[Scores], effort: Effort, start: Array) -> LongGame | told.Told:
        long, slots = effort.game(laws), self.game.slots
        if not told.serves(laws, slots, long.block) or long.softly(slots, start):
            return long
        return told.Told(laws, slots, effort.game, FINEST if effort is CLOSELY else 1)

    def of_blanket(self, contender: Contender, eps: float, moved: Array) -> Array:
        """That of its blanket's law in every slot, which is never less."""
        start = self._start(eps, moved)
        return LongGame([contender.blanket]).worth(self.game.slots, start) * (1 + self.noise)

    def quick(self, contenders: Sequence[Contender], eps: float, moved: Array = NO_SHIFT) -> Quick:
        """All blankets, which are never worth less, roughly."""
        start = self._start(eps, moved)
        found = quick_worths([one.blanket for one in contenders], self.game.slots, start)
        return found._replace(worth=found.worth * (1 + self.noise))

    def _is_alone(self, contender: Contender) -> bool:
        """Whether hardly any other message is from the blanket: then there is no crowd to play with."""
        left = float(self.game.moves[contender.number].spares[0][-1].chance)
        return self.ratio > LOUD and self.game.slots * (1 - left) < 1

    @property
    def deviation(self) -> float:
        """Of a round's loss, about."""
        return self._spread(1.0) / float(self.game.population)

    def reach(self, log_cut: float, near: float, most: float, rows: bool) -> float:
        """About from which eps on, between these, all blankets are worth less than e^log_cut, or all rows, clearly."""
        log_cut -= LOG_CLEARLY if rows else 0.0
        low = top = min(near, most)
        while top < most and self._log_left(top, rows) > log_cut:
            low, top = top, min(top * FARTHER, most)
        for _ in range(HALVINGS if low < top < most else 0):
            middle = math.sqrt(low * top)
            low, top = (middle, top) if self._log_left(middle, rows) > log_cut else (low, middle)
        return min(top * MARGIN, most)

    def beyond(self, eps: Array) -> Array:
        """Numbers that delta does not exceed, which need not be close."""
        log_left = np.array([self._log_left(float(e), rows=False) for e in eps])
        return np.asarray(np.exp(log_left) * (1 + self.noise))

    def _log_left(self, eps: float, rows: bool) -> float:
        """By Chernoff, of one law in every slot: ``t e^{-ct}`` is 1/(ec) at most."""
        alpha, N = math.exp(eps), float(self.game.population)
        out, spread = N * math.expm1(eps), self._spread(alpha)
        tilts = REACHING * max(out / spread, 1.0) / spread
        most = self.game.slots * self.field.log_most(alpha, tilts, rows)
        return float((most - tilts * out - 1 - np.log(tilts)).min()) - math.log(N)

    def profile(self, eps: Array, top: float) -> Array:
        """At each eps up to ``top``, by a few alphas."""
        N = float(self.game.population)
        few = self.game.slots <= VERY_FEW and len(self.field.is_row) <= MOST_LAWS
        fewest = few and self.game.slots <= FEWEST
        places = anchored(self.deviation, top, few=fewest, apart=alike(self.field.part_of_second()))
        games = max((CHEAP_GAMES if few else MOST_GAMES) // len(places), LEAST_GAMES)
        in_a_deviation = SHIFTS_OF_FEWEST if fewest else SHIFTS_OF_FEW if few else SHIFTS
        known = [
            Anchor(math.exp(e), moved, self._worst(float(e), moved, games))
            for e, moved in zip(places, shifts(places, N, self._spread, in_a_deviation), strict=True)
        ]
        return between(eps, known) / N * (1 + 64 * UNIT)

    def _spread(self, alpha: float) -> float:
        return math.sqrt(self.game.slots * self.field.variance(alpha))

    def _worst(self, eps: float, moved: Array, games: int) -> Array:
        contenders, blankets = self.field.contenders(math.exp(eps))
        return self._with_blankets(blankets, eps, moved, self.worst(contenders, eps, moved, games, self._spare))

    def worst(self, contenders: list[Contender], eps: float, moved: Array, games: int, spare: Spare) -> Array:
        """The largest of some contenders by their games, which ``spare`` may lower.

        The first is looked at closely, the others if a look does not show that they are smaller, the largest first.
        """
        worst, left, looks = np.zeros(len(moved)), list[tuple[Contender, Array, Array]](), LOOKS * games
        start, slots = self._start(eps, moved), self.game.slots
        clearly = 1 + CLEARLY * (1 + (start / self._spread(math.exp(eps))) ** 2)
        quick, part = self.quick(contenders, eps, moved)
        # A game that is worth about what a quick sum says of its blanket is not held against that again.
        about = quick * np.exp(-NOISES * part) if slots > VERY_FEW else 0 * quick
        for i, contender in enumerate(contenders):
            if looks <= 0 or (quick[i] <= worst * clearly).all():
                worst = np.maximum(worst, quick[i])
                continue
            look = self._played(contender.laws, A_LOOK, start)
            if isinstance(look, told.Told) and look.is_far(slots, start):
                # Nothing but the blanket is looked at, and that roughly.
                worst = np.maximum(worst, spare(contender, eps, moved, quick[i], quick[i]))
            elif not worst.any():
                worst, games = np.minimum(quick[i], self._closely(contender, eps, moved, about[i], spare)), games - 1
            else:
                left.append((contender, about[i], np.minimum(quick[i], self._by(look, contender, eps, moved))))
                looks -= 1 if isinstance(look, LongGame) and look.may_be_soft(slots) else PRICE
        middle = int(np.abs(moved).argmin())
        for contender, own, found in sorted(left, key=lambda one: -one[2][middle]):
            if games > 0 and (found > worst * clearly).any():
                found, games = np.minimum(found, self._closely(contender, eps, moved, own, spare)), games - 1
            worst = np.maximum(worst, found)
        return worst

    def _closely(self, contender: Contender, eps: float, moved: Array, about: Array, spare: Spare) -> Array:
        known = not self._is_alone(contender)
        least = self.of(contender, eps, CLOSELY, moved) if known else np.full(len(moved), np.inf)
        return spare(contender, eps, moved, about, least)

    def _start(self, eps: float, moved: Array) -> Array:
        return moved - float(self.game.population) * math.expm1(eps)

    def _with_blankets(self, blankets: list[Contender], eps: float, moved: Array, worst: Array) -> Array:
        """Those with nothing but blankets too: the fewer, the closer they are looked at."""
        while blankets:
            bounds = self.quick(blankets, eps, moved).worth
            above: Array = np.any(bounds > worst, axis=1)
            if above.all():
                return np.asarray(np.maximum(worst, bounds.max(axis=0)))
            blankets = [one for one, over in zip(blankets, above, strict=True) if over]
        return worst

    def _spare(self, contender: Contender, eps: float, moved: Array, about: Array, least: Array) -> Array:
        """A game's worth, or its blanket's where that is not ``about`` as much or less."""
        if not (loose := least > about).any():
            return least
        found = least.copy()
        found[loose] = np.minimum(found[loose], self.of_blanket(contender, eps, moved[loose]))
        return found
