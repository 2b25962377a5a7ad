"""The game of a crowd, in closed form for all alpha at once: votes, of which a few more than 3-RR's. [beyond] 9, 12

A clone's score is below, in the convex order, that of 3-ary randomized response with one more vote now and then. So

    F_m(x) <= E(x + m scores of 3-RR + up to m more votes)_+,

and by the certificate the other slots are worth one score of 3-RR each, and some slack. Everybody reports: the last
places' W is at most another valid bound, and each of the D places before makes it a clone's larger at most.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.definitions import Definition, Game, ScoreLaw, check_in
from shufflekit.dominating_pairs.board import Board, Scores
from shufflekit.dominating_pairs.certificate import slack
from shufflekit.dominating_pairs.long_game import NODES, LongGame, grid_step, undominated
from shufflekit.dominating_pairs.more_votes import MoreVotes
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.votes import Votes

PART = 1e-3  # of the votes', that is little
LOG_NEVER = -700.0
LOG_FORGOTTEN = -10.0  # of what is assumed of the last places
MORE = 1.06  # times what makes up for a clone at alpha = 1
TYPICAL = 6.5  # deviations at which the steps on the board are chosen
WIDEST = 0.5  # times one more vote's chance, between alphas that share a board
STEPS_APART, LEAST_STEPS = 1.25, 4  # times: numbers of steps, after which slack is looked at; the least of them
LITTLE, MUCH_LESS = 2e-5, 4e-7  # of the votes, for slack
ROUGH = 0.01  # a tolerance for what weighs e^-10
SAME = 1e-12


class Vote(NamedTuple):
    """A score as what it says for x0 against x1, u0 - u1, and for both, (u0 + u1)/2; and its chance."""

    apart: Array
    both: Array
    chance: Array

    def scores(self, delta: float) -> Scores:
        """At ``delta = 2 (alpha - 1)/(alpha + 1)``, in units of ``(1 + alpha)/2``."""
        return Scores(self.apart - delta * self.both, self.chance)


class Crowd:
    """A bound on a game's profile that costs as much as votes do; ``users`` says how many more it is worth."""

    def __init__(self, game: Game) -> None:
        (moves,) = game.moves
        self.game, self.everybody = game, game.slots == game.population and game.rate == 1 and not game.replaced
        self.laws, self.clone = [_vote(law) for law in moves.laws], _vote(moves.spares[0])
        # 3-RR is the first of the corners.
        law = check_in(moves.laws[0], game.rate) if game.rate < 1 else moves.laws[0]
        votes = pair_of_law(Definition(game.slots, game.population, (law,)))
        if not isinstance(votes, Votes):
            raise TypeError(f"the first law must vote, got {law!r}")
        E = max(float(one.t0) for one in moves.laws[0])
        self.reporting = game.slots * float(game.rate)
        self.steps = self._steps()
        self.stages = _stages(self.steps or 1)
        places = min(math.ceil(LOG_FORGOTTEN / math.log1p(-1 / E)), game.slots - 1)
        self.places = places if self.everybody else 0
        self.more_rate = 2 * MORE / (E * (E + 1))  # what makes up for a clone, at alpha = 1: 2/(E (E + 1))
        more = (self.steps or 0) + self.places
        self.users = more * self.more_rate * (E + 2) / 2
        # One more vote says what a vote says less what a silent slot does.
        slope = votes.less + votes.gap / 2
        self.vote = Vote(
            np.array([1.0, -1.0, 0.0]) * votes.gap * game.population,
            np.array([1.0, 1.0, 0.0]) * slope * game.population,
            np.array([self.more_rate / 2, self.more_rate / 2, 1 - self.more_rate]),
        )
        self.votes = MoreVotes(**vars(votes), more=more, more_rate=self.more_rate)

    @property
    def serves(self) -> bool:
        """Whether one law takes over soon enough."""
        return self.steps is not None and self.steps + self.places < self.reporting / 4

    def profile(self, eps: Array, rtol: float, log_cut: float, other: Array) -> tuple[Array, NDArray[np.bool_]]:
        """``H_{e^eps}``, never too small, and where the votes alone decide it; ``other`` is another bound on it.

        There it is below the clones': so few more votes are less than all slots' being clones.
        """
        votes = self.votes.upper(eps, rtol, log_cut)
        more = self._slack(eps, votes, other) + self._assumed(eps, log_cut)
        return np.asarray(votes + more), more <= PART * votes

    def _assumed(self, eps: Array, log_cut: float) -> Array:
        """What is assumed where W decides: of the last places, and if all have checked in. [beyond] 10, 11"""
        n, (moves,) = self.game.slots - self.places, self.game.moves
        if self.everybody:
            log_chance = self.places * math.log1p(-1 / self._ratio)
        elif self.game.slots == self.game.population and not self.game.replaced:
            log_chance = n * math.log(float(self.game.rate))
        else:
            log_chance = -math.inf
        if log_chance < LOG_NEVER:
            return np.full(len(eps), math.exp(LOG_NEVER) if log_chance > -math.inf else 0.0)
        clones = pair_of_law(Definition(n, n, (moves.spares[0],)))
        return np.asarray(math.exp(log_chance) * clones.delta(eps, ROUGH, log_cut).upper)

    @property
    def _ratio(self) -> float:
        (moves,) = self.game.moves
        return max(float(one.t0) for one in moves.laws[0])

    def _steps(self) -> int | None:
        """After how many steps 3-RR takes over, at alpha near 1."""
        long, n = LongGame([law.scores(0.0) for law in self.laws]), max(round(self.reporting), 2)
        few = long.enough(n, n, np.array([-TYPICAL * long.deviation * math.sqrt(n)]))
        return few.steps if few and few.law == 0 else None

    def _slack(self, eps: Array, votes: Array, other: Array) -> Array:
        """From few boards, of no more steps than make it little next to the votes; infinite where the other serves."""
        deltas = 2 * np.tanh(eps / 2)
        units = (1 + np.exp(eps)) / 2 / self.game.population  # those of a board
        order, found, most, stage = np.argsort(deltas), np.full(len(eps), np.inf), votes / units, 0
        while len(order):
            stretch = order[deltas[order] <= deltas[order[0]] + WIDEST * self.more_rate]
            while len(stretch) and not self._stands_for(deltas[stretch[[0, -1]]]):
                stretch = stretch[: len(stretch) // 2]
            if not len(stretch):
                order = order[1:]
                continue
            stage, own = self._slack_of(deltas[stretch], LITTLE * most[stretch], stage)
            found[stretch], order = own, order[len(stretch) :]
            if (own * units[stretch] >= other[stretch]).all() and np.isfinite(own).all():
                break  # farther out it is worse
            # Where far fewer steps might have done, fewer are tried next.
            stage -= stage > 0 and bool((own <= MUCH_LESS * most[stretch]).all())
        return np.asarray(units * found)

    def _slack_of(self, deltas: Array, little: Array, stage: int) -> tuple[int, Array]:
        """From one board: a step at any delta is worth no more than the better one of those at the ends.

        And after which number of steps it is little, or that it is not after the last.
        """
        ends, found = self._ends(deltas[[0, -1]]), np.full(len(deltas), np.inf)
        step = grid_step(ends, *NODES)
        while True:
            board = Board(ends, self.stages[stage], step).play(self.stages[stage])
            last = stage == len(self.stages) - 1
            # The farthest one tells whether the others are worth a look.
            for i in np.flatnonzero(found > little)[::-1]:
                found[i] = min(found[i], self._slack_at(board, float(deltas[i])))
                if found[i] > little[i] and not last:
                    break
            if last or (found <= little).all():
                return stage, found
            stage += 1

    def _slack_at(self, board: Board, delta: float) -> float:
        clone, own = self.clone.scores(delta), self._own(delta)
        if not _all_below([*board.laws, clone], own):
            return math.inf
        first, *others = (law.scores(delta) for law in self.laws)
        start = np.array([-self.game.population * delta])
        laws = [first, *(law for law in undominated([first, *others]) if law is not first)]
        return float(slack(board, laws, 0, start, self.reporting, self._times, [clone, own])[0])

    def _ends(self, deltas: Array) -> list[Scores]:
        """The laws that may be the worst ones, at one or two deltas."""
        return undominated([law.scores(float(end)) for end in np.unique(deltas) for law in self.laws])

    def _stands_for(self, ends: Array) -> bool:
        """Whether a score of 3-RR and one more vote is larger than all, at either end."""
        laws = self._ends(ends)
        return all(_all_below([*laws, self.clone.scores(float(end))], self._own(float(end))) for end in ends)

    def _own(self, delta: float) -> Scores:
        """A score of 3-RR, and one more vote now and then."""
        return _sum(self.laws[0].scores(delta), self._extra(delta))

    def _extra(self, delta: float) -> Scores:
        """One more vote, its mean taken off."""
        law = self.vote.scores(delta)
        return Scores(law.value - float(law.chance @ law.value), law.chance)

    def _times(self, log_lam: Array) -> Array:
        rate, slots = float(self.game.rate), self.game.slots
        return math.log(slots * rate) + (slots - 1) * np.log1p(rate * np.expm1(log_lam))


def _stages(last: int) -> list[int]:
    """Numbers of steps up to the last one."""
    stages = [last]
    while stages[0] > LEAST_STEPS:
        stages.insert(0, max(LEAST_STEPS, math.floor(stages[0] / STEPS_APART)))
    return stages


def _vote(law: ScoreLaw) -> Vote:
    u0, u1, chance = (np.array([float(getattr(one, name)) for one in law]) for name in ("u0", "u1", "chance"))
    return Vote(u0 - u1, (u0 + u1) / 2, chance)


def _sum(first: Scores, second: Scores) -> Scores:
    return Scores(np.add.outer(first.value, second.value).ravel(), np.outer(first.chance, second.chance).ravel())


def _all_below(laws: Sequence[Scores], law: Scores) -> bool:
    """Whether all have potentials ``E(x + g)_+`` below the law's: it is enough to look where that one bends."""
    x = -law.value

    def potential(one: Scores) -> Array:
        return np.asarray(np.maximum(np.add.outer(x, one.value), 0.0) @ one.chance)

    most = potential(law) * (1 + SAME) + SAME * float(np.abs(x).max())
    return all(bool((potential(one) <= most).all()) for one in laws)
