"""The pair of a game: for each alpha the worth of the game, or the profile of one law that is never smaller.

Centred, k < N of N sampled are worth ``H_a <= F_k(-N (a - 1))/N`` [beyond] 8, all of them ``W_N/N`` [beyond] 10, and
check-ins the mean over their number [beyond] 11. The largest of all blankets gives a law of its own, which any number
of slots is never above: what to fall back on. The least of valid profiles is valid, and so are its chords.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, LOG_LEFT_OUT_OF_POINTS, UNIT, score_error
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, hull
from shufflekit.definitions import Definition, Game, Moves, ScoreLaw, check_in, distinct
from shufflekit.dominating_pairs.blocks import blocks
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.crowd import FEW_ALPHAS, Crowd
from shufflekit.dominating_pairs.knots import knots_of_both, left_out
from shufflekit.dominating_pairs.long_game import BLOCKS_APART, LONG_BLOCK, LongGame
from shufflekit.dominating_pairs.pair import Pair, in_steps
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.spare import spared, spared_at_one

KNOTS_APART, CLOSE, GROWTH = 1 / 32, 12.0, 1.02  # deviations apart, up to so many; then so many times as far
ROUGH = 0.03  # a tolerance at which an evaluation is cheap
FEW = 300  # reports, that are no crowd
CHEAP = 5e-4  # of eps, that a closed form may cost before one alpha is looked at by itself
# The game at alpha = 1 serves for all alpha, at a cost of (alpha - 1)/2 of eps, of which a run feels a part of the
# farthest; or, everybody reporting and two binary corners the worst, one that falls as 1/sqrt(n).
NEAR, NEAR_IF_TIED, PART_OF_FAR, MANY = 5e-3, 2e-3, 0.03, 400_000
TIED = 2.1  # E up to which the two binary corners are the worst, which no one law of votes follows closely
QUIET, LOUD = 2e-3, 1e5  # E - 1, and E, beyond which the law to fall back on is within 5e-4 of what an attack reaches
ROUND_OFF = 1e-9
NUMBERS = 200  # of check-ins that are looked at one by one
FINE = 5e-5  # rtol is no larger, so that lists serve again
LOG_RARE = -60.0  # of numbers of check-ins that are not looked at
POINTS_PER_DEVIATION = 48


Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class GamePair(Pair):
    """The worst of a game's moves, whichever alpha is asked for; both ends are those of the guarantee."""

    game: Game

    closest, one_sided = 1.0, True

    @property
    def largest_loss(self) -> float:
        return self.fallback.largest_loss

    def log_moment_bound(self, power: float) -> float:
        """See ``Pair``: the fallback's delta is nowhere below, so neither are its moments."""
        return self.fallback.log_moment_bound(power)

    def reversed(self) -> "GamePair":
        return self if self._symmetric else GamePair(self.game.reversed())

    @cached_property
    def fallback(self) -> Pair:
        """The pair of one law that is never below the game. [beyond] 2, 9"""
        laws: list[ScoreLaw] = [moves.spares[0] for moves in self.game.moves]
        if self.game.rate < 1:
            laws = [check_in(law, self.game.rate) for law in laws]
        return pair_of_law(Definition(self.game.slots, self.game.population, tuple(laws)))

    @cached_property
    def guide(self) -> Pair:
        """The law to fall back on; of check-ins, with as many reports as there are on the average."""
        if self.game.rate == 1:
            return self.fallback
        slots = max(1, round(self.game.slots * float(self.game.rate)))
        laws = tuple(moves.spares[0] for moves in self.game.moves)
        return pair_of_law(Definition(slots, self.game.population, laws))

    @cached_property
    def settled(self) -> bool:
        """Whether nothing is to be gained: at most two users, or so much or so little to tell. [beyond] 5, 19"""
        return (self._everybody and self.game.slots <= 2) or not QUIET <= self._ratio - 1 <= LOUD

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        """See ``Pair``: one alpha at a time, unless there is a crowd, which answers all of them at once."""
        upper, sure = self._crowded(eps, rtol, log_cut)
        alone = eps < self.largest_loss
        if self.game.rate < 1 and self.crowd is not None:
            alone &= [self._serves(math.exp(float(e))) for e in eps]
        if self._price > CHEAP and alone.any():
            upper[alone] = np.minimum(upper[alone], self._each(eps[alone]))
        upper = self._least(eps, upper, sure, rtol, log_cut)
        return Ends(upper, upper)

    def _each(self, eps: Array) -> Array:
        """The game's own worth; several alphas that alpha = 1 serves for, or many, cost no more than one."""
        together = np.array([self._serves(math.exp(float(e))) for e in eps])
        if len(eps) > FEW_ALPHAS and self._monotone:
            together[:] = True
        elif together.sum() == 1:
            together[:] = False
        worth = np.empty(len(eps))
        worth[~together] = [_at(self, float(e)) for e in eps[~together]]
        if together.any():
            worth[together] = self._all_at_one(eps[together])
        return worth

    def _least(self, eps: Array, upper: Array, sure: Bools, rtol: float, log_cut: float | None) -> Array:
        """Where it is not sure: that or what to fall back on, which is looked at closely only if it may be lower."""
        if sure.all():
            return np.where(eps < self.largest_loss, upper, 0.0)
        rough, upper = self.fallback.delta(eps[~sure], ROUGH, log_cut), upper.copy()
        close = np.flatnonzero(~sure)[rough.lower < upper[~sure]]
        upper[~sure] = np.minimum(upper[~sure], rough.upper)
        if len(close):
            upper[close] = np.minimum(upper[close], self.fallback.delta(eps[close], rtol, log_cut).upper)
        return upper

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return _listed(self, in_steps(log_cut), min(rtol, FINE))

    def listed_anew(self, log_cut: float, rtol: float) -> Enclosure:
        """The list, worked out."""
        back = self.reversed()
        top = float(knots_of_both(self.guide, back.guide, log_cut, rtol)[-1])
        near, far = self._knots(top), self._far_knots(top, log_cut)
        eps = np.concatenate([near, far])
        forth = hull(eps, self._profile(near, far, rtol, log_cut))
        least = forth if back is self else hull(eps, back._profile(near, far, rtol, log_cut))
        if self.crowd is None and (forth >= self.fallback.delta(eps, rtol, log_cut).lower * (1 - ROUND_OFF)).all():
            return self.fallback.listed(log_cut, rtol)  # with no chords
        # The first knots, with nearly all outcomes, are equally far apart.
        atoms = connected(eps, forth, least)._replace(spacing=float(eps[1]))
        return Enclosure(atoms, atoms)

    def _knots(self, top: float) -> Array:
        """The same ones up to any top: a fixed part of a deviation apart, and far out ever farther."""
        deviation = math.sqrt(2 * math.pi) * float(self.guide.delta(np.zeros(1), ROUGH).upper[0])
        close = KNOTS_APART * deviation * np.arange(math.ceil(min(top / deviation, CLOSE) / KNOTS_APART) + 1.0)
        growing = float(close[-1]) * GROWTH ** np.arange(
            1.0, 1 + max(0.0, math.log(top / close[-1]) / math.log(GROWTH))
        )
        return np.append(close, growing)

    def _far_knots(self, top: float, log_cut: float) -> Array:
        """Where only the law to fall back on is looked at: as far as it needs, of check-ins more than their guide."""
        eps, most = [], self.largest_loss
        while top < most and self.fallback.delta(np.array([top]), ROUGH, log_cut).upper[0] > left_out(log_cut):
            top = min(1.2 * top, most)
            eps.append(top)
        return np.array(eps)

    def _profile(self, near: Array, far: Array, rtol: float, log_cut: float) -> Array:
        """At many alphas, by what is cheap for all of them, if there is such a thing."""
        typical, (upper, sure) = float(near[-1]), self._crowded(near, rtol, log_cut)
        if self._monotone and (self.crowd is None or self._price > PART_OF_FAR * typical):
            upper = np.minimum(upper, self._all_at_one(near))
        elif self.crowd is None:
            upper = np.array([_at(self, float(e)) for e in near])
        upper = self._least(near, upper, sure, rtol, log_cut)
        return np.append(upper, self.fallback.delta(far, ROUGH, log_cut).upper if len(far) else far)

    @cached_property
    def crowd(self) -> Crowd | None:
        """A closed form, where the game is that of the corners, and 3-RR the worst of them."""
        if len(self.game.moves) > 1 or not self.game.moves[0].monotone or self._ratio < TIED:
            return None
        if self.game.slots * float(self.game.rate) < FEW:
            return None
        crowd = Crowd(self.game)
        return crowd if crowd.serves else None

    @property
    def _price(self) -> float:
        """About what the closed form costs in eps, relative."""
        return self.crowd.users / self.crowd.reporting / 2 if self.crowd else math.inf

    def _crowded(self, eps: Array, rtol: float, log_cut: float | None) -> tuple[Array, Bools]:
        """The closed form, if there is one, and where it is sure to be below the law to fall back on."""
        if self.crowd is None:
            return np.ones(len(eps)), np.zeros(len(eps), dtype=bool)
        if log_cut is None:
            rough = self.guide.delta(eps[eps < self.guide.largest_loss], ROUGH).upper
            log_cut = math.log(max(float(rough.min(initial=1.0)), KNOWN)) + LOG_LEFT_OUT_OF_POINTS
        return self.crowd.profile(eps, rtol, log_cut, self.fallback.delta(eps, ROUGH, log_cut).upper)

    def at(self, eps: float) -> float:
        """What the game is worth at one alpha, never too small."""
        return max(self._worth(moves, eps) for moves in self.game.moves) * (1 + self._noise)

    def _worth(self, moves: Moves, eps: float) -> float:
        game, N = self.game, float(self.game.population)
        if self._serves(math.exp(eps)):
            return float(self._at_one(moves, np.array([eps]))[0])
        long = LongGame([scores(law, math.exp(eps)) for law in moves.laws])
        start = np.array([-N * math.expm1(eps)])
        if game.rate < 1:
            return float(self._check_ins(long, moves, np.array([eps]), start)[0]) / N
        if not self._everybody:
            return float(long.worth(game.slots, start)[0]) / N  # [beyond] 8, 14
        assumed = partial(self._assumed, moves, np.array([eps]))
        return float(spared(long, moves, eps, game.slots, assumed)[0]) / N  # [beyond] 10

    def _all_at_one(self, eps: Array) -> Array:
        """By alpha = 1, the worst of all moves."""
        return np.asarray(np.max([self._at_one(moves, eps) for moves in self.game.moves], axis=0) * (1 + self._noise))

    def _at_one(self, moves: Moves, eps: Array) -> Array:
        """From one game: H_a <= (a/N) F_k(-N (a - 1)/a), F at alpha = 1. [beyond] 9"""
        long, N = LongGame([scores(law, 1.0) for law in moves.laws], LONG_BLOCK), float(self.game.population)
        alpha, starts = np.exp(eps), N * np.expm1(-eps)
        if self.game.rate < 1:
            return np.asarray(alpha * self._check_ins(long, moves, eps, starts) / N)
        if not self._everybody:
            return np.asarray(alpha * long.worth(self.game.slots, starts) / N)
        # The message that makes room adds t0/a - t1 to a start. Between some starts the worth lies below its chords.
        reach = max(float(max(one.t0, one.t1)) for blanket in moves.spares for one in blanket)
        low, high = float(starts.min()) - reach, reach
        parts = math.ceil((high - low) / (long.deviation * math.sqrt(N)) * POINTS_PER_DEVIATION) + 8
        points = np.linspace(low, high, parts)
        worth = long.worth(self.game.slots - 1, points)
        assumed = partial(self._assumed, moves, eps)
        return spared_at_one(lambda x: np.interp(x, points, worth), moves, eps, self.game.slots, assumed) / N

    def _assumed(self, moves: Moves, eps: Array, m: int) -> Array:
        """``W_m`` is no more than m times what m slots of the one law show."""
        return m * pair_of_law(Definition(m, m, (moves.spares[0],))).delta(eps).upper

    def _check_ins(self, long: LongGame, moves: Moves, eps: Array, starts: Array) -> Array:
        """The mean over how many took part, a stretch of numbers taken for its largest; what is left weighs N.

        If all did, somebody has to make room: then what is assumed of W, which all slots are worth, is added.
        """
        N, rate = self.game.population, float(self.game.rate)
        parts = blocks(N, rate, 1 - rate, width=0.0, log_cut=LOG_RARE)
        stretches = np.array_split(np.arange(len(parts.high))[::-1], min(NUMBERS, len(parts.high)))
        numbers = [int(parts.high[stretch[0]]) for stretch in stretches]
        chances = np.array([float(parts.mass[stretch].sum()) for stretch in stretches])
        worth = long.mean_worth(numbers, chances, starts, BLOCKS_APART) + N * math.exp(LOG_RARE)
        everybody = math.exp(max(N * math.log(rate), LOG_RARE))
        return np.asarray(worth + everybody * self._assumed(moves, eps, N))  # [beyond] 11

    @property
    def _everybody(self) -> bool:
        return self.game.slots == self.game.population and self.game.rate == 1 and not self.game.replaced

    @property
    def _monotone(self) -> bool:
        return all(moves.monotone for moves in self.game.moves)

    def _serves(self, alpha: float) -> bool:
        """Whether the game at alpha = 1 is good enough for this alpha alone."""
        if not self._monotone:
            return False
        if self._everybody:
            return self.game.slots > MANY
        return alpha - 1 <= (NEAR_IF_TIED if self._ratio <= TIED else NEAR)

    @cached_property
    def _symmetric(self) -> bool:
        back = self.game.reversed().moves
        return all(_same(first, second) for first, second in zip(self.game.moves, back, strict=True))

    @cached_property
    def _ratio(self) -> float:
        """The largest likelihood ratio of a message."""
        return max(float(one.t0) for moves in self.game.moves for law in moves.laws for one in law)

    @cached_property
    def _noise(self) -> float:
        return score_error(self.game.slots, math.log(self._ratio)) + 64 * UNIT


@lru_cache(maxsize=2_000)  # the same question may be asked again
def _at(pair: GamePair, eps: float) -> float:
    return pair.at(eps)


@lru_cache(maxsize=20)  # a search over rounds, or for delta, asks again and again
def _listed(pair: GamePair, log_cut: float, rtol: float) -> Enclosure:
    return pair.listed_anew(log_cut, rtol)


def scores(law: ScoreLaw, alpha: float) -> Scores:
    """The centred scores ``(t0 - 1) - alpha (t1 - 1)`` of a law."""
    return Scores(
        np.array([float(one.u0 - alpha * one.u1) for one in law]), np.array([float(one.chance) for one in law])
    )


def _same(first: Moves, second: Moves) -> bool:
    """Whether the laws are the same, in whatever order and but for round-off."""
    return len(distinct((*first.laws, *second.laws))) == len(distinct(first.laws))
