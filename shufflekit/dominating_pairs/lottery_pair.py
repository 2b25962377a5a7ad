"""The pair of a lottery: a game whose slots are not equally likely to be the changed record's. [beyond] 14 to 16

H_a = E(sum_i c_i y_i - (a - 1))_+ with centred scores y_i, whichever corner each slot's law is, and in any order. The
clones' score is above all corners': that is what to fall back on. Closer: the game is played in the last slots of time,
a coin saying of each whether it is heavy; before these what is left to come is so smooth that one law, 3-ary randomized
response (3-RR), is worst, and the certificate says what that misses.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import BOARD_ERROR, TINY, loss_limit, score_error
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.definitions import Definition, Lottery, ScoreLaw
from shufflekit.dominating_pairs.anchors import in_stretches
from shufflekit.dominating_pairs.board import Board, Light, Scores
from shufflekit.dominating_pairs.certificate import LOG_HUGE, log_gain, tilts_for
from shufflekit.dominating_pairs.game_pair import scores
from shufflekit.dominating_pairs.hulled import listed_by_knots
from shufflekit.dominating_pairs.line import Share, stop_losses
from shufflekit.dominating_pairs.long_game import APART, LONG_BLOCK, NODES, LongGame
from shufflekit.dominating_pairs.lottery_terms import Terms, about, far_out, log_grown, terms, worst
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.score_laws import coarser, grid_step
from shufflekit.dominating_pairs.tied_lottery import TiedLottery

LOUD = 1e5  # E beyond which a message says nearly all, and clones of equal weight do
TIED = 2.1  # E up to which binary corners are the worst, which no one law of votes follows closely
LEAST_SLOTS = 100  # below, clones do
PART, LITTLE = 1e-3, 1e-4  # of the worth: a slack that is little; what may be bounded by what costs nothing
TYPICAL = 6.5  # deviations at which the steps on the board are chosen
MOST_LAST = 5_000  # slots on the board


@dataclass(frozen=True)
class LotteryPair(Pair):
    """The worst of a lottery's corners, whichever alpha is asked for; both ends are those of the guarantee."""

    lottery: Lottery

    closest, one_sided = 1.0, True

    @property
    def follows_corners(self) -> bool:
        """Whether it is told apart from the clones' lottery, to fall back on."""
        if self._ratio < TIED:
            return self._many and (not self.lottery.dummies or _tied(self.lottery).serves)
        return self._last is not None

    @property
    def _many(self) -> bool:
        return len(self.lottery.moves.laws) > 1 and self.lottery.slots >= LEAST_SLOTS and self._ratio <= LOUD

    def of_clones(self, eps: Array) -> Array:
        """About the same for the clones' lottery: to tell which of two is worth more."""
        if self._ratio > LOUD:
            return self.at(eps)
        return self._heavy * self._by_clones(self._all, eps)

    @property
    def largest_loss(self) -> float:
        """Where every message says x0: given what is told, the record is in one of them with this chance at most."""
        n, m = self.lottery.clients, self.lottery.slots
        shown = float(self.lottery.rate) if self.lottery.dummies else min(m / n, 1.0)
        return loss_limit(math.log1p(shown * (self._ratio - 1)))

    def reversed(self) -> "LotteryPair":
        return self

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        inside = eps < self.largest_loss
        upper: Array = np.zeros(eps.shape)
        upper[inside] = self.at(eps[inside])
        if not self.lottery.dummies and self.lottery.clients <= self.lottery.slots and inside.any():
            # Hardly anybody is left over: then all taken may be the lower bound.
            upper[inside] = np.minimum(upper[inside], self.fallback.delta(eps[inside], rtol, log_cut).upper)
        return Ends(upper, upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return listed_by_knots(self, log_cut)

    def at(self, eps: Array) -> Array:
        """``H_{e^eps}`` below the largest loss, never too small."""
        if self._ratio > LOUD:
            return self.fallback.delta(eps).upper
        by_slots = self._ratio < TIED and not self.lottery.dummies and self.follows_corners
        worth = self._by_equal_slots(eps) if by_slots else self._by_corners_or_clones(eps)
        noise = score_error(self.lottery.slots, math.log(self._ratio))
        return np.clip(self._heavy * worth * (1 + noise) + self._crowded(eps), TINY, 1.0)

    @property
    def fallback(self) -> Pair:
        """All slots as likely hers as the likeliest one, or as many taken as may be, and clones: nowhere below this."""
        n, m, rate = self.lottery.clients, self.lottery.slots, float(self.lottery.rate)
        slots, population = (m, m / rate) if self.lottery.dummies else (min(m, n), float(n))
        return pair_of_law(Definition(slots, population, (self.lottery.moves.spares[0],)))

    @cached_property
    def guide(self) -> Pair:
        """As many heavy slots as have about the variance of all: 3-RR in them, or clones, and in fewer of these."""
        slots, population = about(self.lottery)
        laws = self.lottery.moves.laws
        law = laws[0] if self._ratio >= TIED else self.lottery.moves.spares[0]
        slots *= max(scores(one, 1.0).variance for one in laws) / scores(law, 1.0).variance
        return pair_of_law(Definition(min(max(1, round(slots)), math.floor(population)), population, (law,)))

    def _by_clones(self, of: Terms, eps: Array) -> Array:
        """``E(sum - x)_+`` in units of the heavy chance, if all scores are clones'."""
        return self._in_stretches(eps, lambda place, x: self._clones_at(of, place, x))

    def _in_stretches(self, eps: Array, worth: Callable[[float, Array], Array]) -> Array:
        def spread(alpha: float) -> float:
            law = scores(self.lottery.moves.laws[0], alpha)
            return math.sqrt(law.variance * self._slots)

        return in_stretches(eps, 1 / self._heavy, spread, worth)

    def _clones_at(self, of: Terms, place: float, x: Array) -> Array:
        """At alpha = e^place, and any starts x."""
        worth = self._of_law(self.lottery.moves.spares[0], of, place, x)
        return worth + self._unlikely(of, place, x, worth)

    def _unlikely(self, of: Terms, place: float, x: Array, worth: Array) -> Array:
        """What numbers that are not looked at add to a worth: by Chernoff's bound, where that is little enough."""
        if not of.unlikely:
            return np.zeros(len(x))
        all_of = worst(self.lottery)
        rest = of.unlikely * far_out([scores(self.lottery.moves.spares[0], math.exp(place))], all_of, x)
        near = rest > LITTLE * worth
        if near.any():
            rest[near] = of.unlikely * self._clones_at(all_of, place, x[near])
        return rest

    @staticmethod
    def _of_law(law: ScoreLaw, of: Terms, place: float, x: Array, late: Scores | None = None) -> Array:
        """The same of one law, and of what the last slots are worth."""
        score, one = scores(law, math.exp(place)), np.ones(len(of.heavy))
        shares = [Share(score, of.heavy, one), Share(score, of.light, of.size)]
        shares += [Share(late, one, one)] if late else []
        return stop_losses(shares, of.log_chance, x).upper

    def _start(self, eps: Array) -> Array:
        """The x of each eps."""
        return np.asarray(np.expm1(eps) / self._heavy)

    def _crowded(self, eps: Array) -> Array:
        """Few clients may all be taken, and somebody has to make room: clones, at that chance. [beyond] 10"""
        n, m, rate = self.lottery.clients, self.lottery.slots, float(self.lottery.rate)
        if self.lottery.dummies or n > m:
            return np.zeros(len(eps))
        log_chance = n * math.log(rate) + float(np.log1p(-np.arange(min(n, 10**6)) / m).sum())
        if log_chance < -700:
            return np.full(len(eps), 0.0 if n > 10**6 else TINY)
        clones = pair_of_law(Definition(n, n, (self.lottery.moves.spares[0],)))
        return math.exp(log_chance) * clones.delta(eps).upper

    # The corners.

    def _by_corners_or_clones(self, eps: Array) -> Array:
        """``E(sum - x)_+`` by corners where one law takes over soon enough, else by clones."""
        if self._ratio >= TIED:
            gone = [not self.follows_corners]
            return self._in_stretches(eps, lambda place, x: self._at_place(place, x, gone))
        worth = self._by_tied_corners(eps) if self.follows_corners else np.full(len(eps), np.inf)
        clones = ~np.isfinite(worth)
        if clones.any():
            worth[clones] = self._by_clones(self._all, eps[clones])
        return worth

    def _at_place(self, place: float, x: Array, gone: list[bool]) -> Array:
        """The same at one alpha, for some starts; farther out than where it is ``gone`` no law takes over either."""
        worth = np.full(len(x), np.inf) if gone[0] else self._by_corners(place, x)
        clones = ~np.isfinite(worth)
        gone[0] = gone[0] or bool(clones.all())
        if clones.any():
            worth[clones] = self._clones_at(self._all, place, x[clones])
        return worth

    def _by_corners(self, place: float, x: Array) -> Array:
        """Infinity where one law does not take over soon enough."""
        late = _late(self, place)
        worth = self._of_law(self.lottery.moves.laws[0], self._early, place, x, late.law)
        slack = self._slack(late.board, place, x) + late.edge + self._unlikely(self._early, place, x, worth)
        return np.where(slack <= PART * worth, worth + slack, np.inf)

    def _by_tied_corners(self, eps: Array) -> Array:
        """The same from alpha = 1, at a cost of (alpha - 1)/2 of eps: at most ``alpha E(sum - x/alpha)_+`` there."""
        tied, alpha = _tied(self.lottery), np.exp(eps)
        worth = alpha * tied.worth(self._start(eps) / alpha)
        unlikely = tied.early.unlikely
        return worth + unlikely * self._by_clones(worst(self.lottery), eps) if unlikely else worth

    def _by_equal_slots(self, eps: Array) -> Array:
        """The same where all slots that count are alike, and only their number is random, at many alphas.

        Where numbers that are not looked at are worth more by far, Chernoff's bound on the others is enough.
        """
        long, of = LongGame([scores(law, 1.0) for law in self.lottery.moves.laws], LONG_BLOCK), self._all
        falling, starts = np.argsort(-of.heavy), np.expm1(-eps) / self._heavy
        numbers, log_chance = [int(number) for number in of.heavy[falling]], of.log_chance[falling]
        found, rest = np.exp(eps) * far_out(long.laws, of, -starts), np.zeros(len(eps))
        if of.unlikely:
            rest = of.unlikely * self._by_clones(worst(self.lottery), eps)
        near = found > LITTLE * rest
        if near.any():
            worth = long.mean_worth(numbers, np.exp(log_chance), starts[near], APART)
            found[near] = np.exp(eps[near]) * worth
        return found + rest

    def _slack(self, board: Board, place: float, x: Array) -> Array:
        """The certificate, for slots of either weight: ``s K e^{-c x}`` times each slot's Lam, for the best tilt c."""
        early, tilts = self._early, tilts_for(x, self._variance)
        laws = [scores(law, math.exp(place)) for law in self.lottery.moves.laws]
        sizes = [1.0, *{float(early.size.min()), float(early.size.max())} - {0.0}]
        gains = [log_gain(board, [law.times(size) for law in laws], 0, tilts) for size in sizes]
        known = np.max(gains, axis=0) + math.log(self.lottery.slots) + log_grown(laws, early, tilts)
        return np.asarray(np.exp(np.minimum((known - np.outer(x, tilts)).min(axis=1), LOG_HUGE)))

    @cached_property
    def _last(self) -> int | None:
        """How many of the last slots are enough, at alpha near 1."""
        if self._ratio < TIED or not self._many:
            return None
        long = LongGame([scores(law, 1.0) for law in self.lottery.moves.laws])
        n = max(round(self._variance / long.deviation**2), 2)
        few = long.enough(n, n, np.array([-TYPICAL * long.deviation * math.sqrt(n)]))
        if few is None or few.law != 0:
            return None
        share = n / float((self._all.heavy + self._all.light).max())
        last = math.ceil(few.steps / share)
        enough = last <= min(self.lottery.slots / 4, MOST_LAST) and terms(self.lottery, last) is not None
        return last if enough else None

    @cached_property
    def _all(self) -> Terms:
        """No slots set apart."""
        found = terms(self.lottery, 0)
        if found is None:
            raise ArithmeticError(f"no slots of {self.lottery!r} were counted")
        return found

    @cached_property
    def _early(self) -> Terms:
        found = terms(self.lottery, self._last or 0)
        if found is None:
            raise ArithmeticError(f"no slots of {self.lottery!r} come before the last {self._last}")
        return found

    @cached_property
    def _heavy(self) -> float:
        """The chance that a slot to which nobody else came, or which counts, has the changed record."""
        return float(self.lottery.rate) / self.lottery.slots if self.lottery.dummies else 1 / self.lottery.clients

    @cached_property
    def _variance(self) -> float:
        """About that of the sum, at alpha = 1, in units of the heavy chance."""
        return scores(self.lottery.moves.laws[0], 1.0).variance * self._slots

    @cached_property
    def _slots(self) -> float:
        """About how many heavy slots have the variance of all."""
        return float(np.exp(self._all.log_chance) @ (self._all.heavy + self._all.light * self._all.size**2))

    @cached_property
    def _ratio(self) -> float:
        return max(float(one.t0) for law in self.lottery.moves.laws for one in law)


@lru_cache(maxsize=8)
def _tied(lottery: Lottery) -> TiedLottery:
    return TiedLottery(lottery)


class Late(NamedTuple):
    """What the last slots are worth: a board, and a law that is worth as much but for ``edge``, or a little more."""

    board: Board
    law: Scores
    edge: float


@lru_cache(maxsize=60)
def _late(pair: LotteryPair, place: float) -> Late:
    """At alpha = e^place."""
    last, early = pair._last or 0, pair._early
    laws = LongGame([scores(law, math.exp(place)) for law in pair.lottery.moves.laws]).laws
    light = Light(1 - early.coin, float(early.size.max())) if early.coin < 1 else None
    board = Board(laws, last, grid_step(laws, *NODES, many=False), light=light).play(last)
    law, edge = board.inner_law()
    law = coarser(law)
    return Late(board, law._replace(chance=law.chance * (1 + BOARD_ERROR * board.played)), edge)
