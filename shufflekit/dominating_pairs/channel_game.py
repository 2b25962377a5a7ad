"""The pair of a known channel: the game of its own rows, for the worst two values of the changed record. [beyond] 13

Each pair of values (x0, x1) is a move of the game: its laws are the channel's rows, the blanket is what all rows have
in common. At each alpha only some moves and laws can be the worst. The pair of the blanket alone is never below; where
what the game loses on a grid is more than that, it answers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import UNIT, score_error
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, hull
from shufflekit.definitions import Definition, Game, kind, without_round_off
from shufflekit.dominating_pairs.board import DEPTH, Scores
from shufflekit.dominating_pairs.contenders import Contender, Field
from shufflekit.dominating_pairs.knots import knots
from shufflekit.dominating_pairs.long_game import STAGES, LongGame, grid_step
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.score_pair import MOST_SLOTS, ScorePair
from shufflekit.dominating_pairs.spare import spared

ROUGH = 0.03  # a tolerance at which a look at a blanket is cheap
LOUD = 1_000.0  # likelihood ratios, with which few messages may be from the blanket
FEW = 300  # reports, of which a blanket's outcomes are looked at one by one
CLOSE, APART = 4, 8  # of the usual knots are looked at, nearer and farther out: each costs a game
NEAR, FAR = 2.0, 5.0  # deviations of a blanket's loss
FEW_KINDS = 24  # of scores in all laws: with more, one law is never tried to be enough


class Effort(NamedTuple):
    """What a game may cost: nodes a deviation, sums on a board at most, and steps before one law is tried."""

    nodes: tuple[float, float]
    work: float
    steps: int

    def game(self, laws: Sequence[Scores]) -> LongGame:
        long = LongGame(laws)
        long.fine_step = grid_step(long.laws, *self.nodes)
        kinds = sum(len(law.value) for law in long.laws)
        # A board of b steps has so many nodes times the root of b, and all kinds of scores are summed b times.
        once = 2 * DEPTH * long.deviation / long.fine_step * kinds
        long.block = math.ceil((self.work / once) ** (2 / 3))
        long.stages = [steps for steps in STAGES if steps <= self.steps and kinds <= FEW_KINDS]
        return long


CLOSELY = Effort((7.0, 24.0), 2.5e8, STAGES[-1])
AT_A_KNOT = Effort((7.0, 24.0), 5e7, 150)
A_LOOK = Effort((4.0, 12.0), 5e6, 150)
FEW_SLOTS = Effort((24.0, 80.0), 5e7, 150)


@dataclass(frozen=True)
class ChannelPair(Pair):
    """The worst of a game's moves, whichever alpha is asked for; both ends are those of the guarantee."""

    game: Game

    closest, one_sided = 1.0, True

    def __post_init__(self) -> None:
        _ = self.fallback  # it may have too many slots: it says so now

    @property
    def largest_loss(self) -> float:
        return self.fallback.largest_loss

    def log_moment_bound(self, power: float) -> float:
        """See ``Pair``: the fallback's delta is nowhere below, so neither are its moments."""
        return self.fallback.log_moment_bound(power)

    def reversed(self) -> "ChannelPair":
        return self if self._symmetric else ChannelPair(self.game.reversed())

    @cached_property
    def fallback(self) -> Pair:
        """The pair of the blankets, which is never below the game. [beyond] 1, 3, 13"""
        laws = tuple(moves.spares[0] for moves in self.game.moves)
        return pair_of_law(Definition(self.game.slots, self.game.population, laws))

    @cached_property
    def guide(self) -> Pair:
        """Votes that deviate as much as the worst law does."""
        slots, population = self.game.slots, self.game.population
        worst = max(self._field.contenders(1.0)[0].laws, key=lambda law: law.variance)
        x = self._ratio - 1
        vote = min(worst.variance / (2 * x * x), 1 / (x + 2))
        rest = kind(1 - 2 * vote, -vote * x / (1 - 2 * vote), -vote * x / (1 - 2 * vote))
        return pair_of_law(Definition(slots, population, ((kind(vote, x, 0.0), kind(vote, 0.0, x), rest),)))

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        reached = np.asarray(eps) < self.largest_loss
        upper = np.zeros(reached.shape)
        for i in np.argwhere(reached):
            upper[tuple(i)] = self._worst(float(eps[tuple(i)]), rtol, CLOSELY)
        return Ends(upper, upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        eps, far = self._knots(log_cut, rtol)
        back = self.reversed()
        forth = hull(eps, self._profile(eps, far))
        atoms = connected(eps, forth, forth if back == self else hull(eps, back._profile(eps, far)))
        return Enclosure(atoms, atoms)

    def _knots(self, log_cut: float, rtol: float) -> tuple[Array, float]:
        """Where the pair is looked at, closer where most outcomes are, and from where on only blankets are."""
        found = [knots(self._blanket(one), log_cut, rtol) for one in self._field.contenders(1.0)]
        eps = max(found, key=lambda points: float(points[-1]))
        deviation = float(eps[-1]) / math.sqrt(-2 * log_cut)
        near = eps < NEAR * deviation
        eps = np.unique([*eps[near][::CLOSE], *eps[~near][::APART], eps[-1]])
        # Another pair of inputs may reach farther.
        if eps[-1] < self.largest_loss and self._blankets(float(eps[-1])) > math.exp(log_cut):
            eps = np.append(eps, self.largest_loss)
        return eps, FAR * deviation

    def _profile(self, eps: Array, far: float) -> Array:
        return np.array([self._knot(float(e), float(e) >= far) for e in eps])

    def _knot(self, eps: float, is_far: bool) -> float:
        if eps >= self.largest_loss:
            return 0.0
        return self._blankets(eps) if is_far else self._worst(eps, ROUGH, AT_A_KNOT)

    def _blankets(self, eps: float) -> float:
        """The worst of all blankets, quickly."""
        found = [self._blanket(one).delta(np.array([eps]), ROUGH) for one in self._field.contenders(math.exp(eps))]
        return max(float(ends.upper[0]) for ends in found)

    def _worst(self, eps: float, rtol: float, effort: Effort) -> float:
        """The largest of all contenders, each by its game or its blanket; a rough look may show that one is smaller."""
        worst, alpha = 0.0, math.exp(eps)
        dust = self.game.slots / self.game.population * self._field.slack(alpha)
        for contender in self._field.contenders(alpha):
            if worst > 0 and not self._is_alone(contender) and self._worth(contender, eps, A_LOOK) + dust <= worst:
                continue
            upper = 1.0 if self._is_alone(contender) else min(self._worth(contender, eps, effort) + dust, 1.0)
            if upper > worst:
                worst = max(worst, self._or_blanket(upper, contender, eps, rtol))
        return worst

    def _is_alone(self, contender: Contender) -> bool:
        """Whether hardly any other message is from the blanket: then there is no crowd to play with."""
        left = float(self.game.moves[contender.number].spares[0][-1].chance)
        return self._ratio > LOUD and self.game.slots * (1 - left) < 1

    def _or_blanket(self, upper: float, contender: Contender, eps: float, rtol: float) -> float:
        """That or the blanket's, which is looked at closely only where it may be the lower one."""
        blanket, point = self._blanket(contender), np.array([eps])
        rough = blanket.delta(point, ROUGH)
        if rough.lower[0] >= upper:
            return upper
        return min(upper, float(rough.upper[0]), float(blanket.delta(point, rtol).upper[0]))

    def _worth(self, contender: Contender, eps: float, effort: Effort) -> float:
        """The game of the contender's laws at one alpha, never too small."""
        N, moves = int(self.game.population), self.game.moves[contender.number]
        few = self.game.slots <= FEW and effort is not A_LOOK
        long = (FEW_SLOTS if few else effort).game(contender.laws)
        if self.game.slots < N:
            start = np.array([-N * math.expm1(eps)])
            return float(long.worth(self.game.slots, start)[0]) / N * (1 + self._noise)  # [beyond] 8

        def assumed(m: int) -> Array:
            return m * _quick(Definition(m, m, (moves.spares[0],))).delta(np.array([eps]), ROUGH).upper

        return spared(long, moves, eps, N, assumed) / N * (1 + self._noise)  # [beyond] 10

    def _blanket(self, contender: Contender) -> Pair:
        law = self.game.moves[contender.number].spares[0]
        return _quick(Definition(self.game.slots, self.game.population, (law,)))

    @cached_property
    def _field(self) -> Field:
        return Field(self.game.moves)

    @cached_property
    def _symmetric(self) -> bool:
        """Whether the moves are the same with x0 and x1 exchanged, in whatever order and but for round-off."""

        def keys(game: Game) -> set[Any]:
            return {tuple(frozenset(map(without_round_off, laws)) for laws in one[:2]) for one in game.moves}

        return keys(self.game) == keys(self.game.reversed())

    @cached_property
    def _noise(self) -> float:
        return score_error(self.game.slots, math.log(self._ratio)) + 64 * UNIT

    @cached_property
    def _ratio(self) -> float:
        """The largest likelihood ratio of a message."""
        return max(float(one.t0) for moves in self.game.moves for law in moves.laws for one in law)


@lru_cache(maxsize=200)
def _quick(definition: Definition) -> Pair:
    """The pair of a blanket that answers the soonest: votes with a third kind cost much."""
    (law,) = definition.laws
    if FEW < definition.slots <= MOST_SLOTS and len(law) > 3 and max(one.t0 for one in law) <= LOUD:
        return ScorePair(definition)
    return pair_of_law(definition)
