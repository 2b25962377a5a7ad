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
from shufflekit.dominating_pairs.long_game import NODES, LongGame, grid_step
from shufflekit.dominating_pairs.more_votes import MoreVotes
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.votes import Votes

PART = 1e-3  # of the votes', that is little
LOG_NEVER = -700.0
LOG_FORGOTTEN = -10.0  # of what is assumed of the last places
MORE = 1.06  # times what makes up for a clone at alpha = 1
TYPICAL = 6.5  # deviations at which the steps on the board are chosen
STRETCH, WIDEST = 12, 0.2  # alphas that share a board, no farther apart than this part of one more vote's chance
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

    def profile(self, eps: Array, rtol: float, log_cut: float) -> tuple[Array, NDArray[np.bool_]]:
        """``H_{e^eps}``, never too small, and where the votes alone decide it.

        There it is below the clones': so few more votes are less than all slots' being clones.
        """
        votes = self.votes.upper(eps, rtol, log_cut)
        more = self._slack(eps) + self._assumed(eps, rtol, log_cut)
        return np.asarray(votes + more), more <= PART * votes

    def _assumed(self, eps: Array, rtol: float, log_cut: float) -> Array:
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
        return np.asarray(math.exp(log_chance) * clones.delta(eps, rtol, log_cut).upper)

    @property
    def _ratio(self) -> float:
        (moves,) = self.game.moves
        return max(float(one.t0) for one in moves.laws[0])

    def _steps(self) -> int | None:
        """After how many steps 3-RR takes over, at alpha near 1."""
        long, n = LongGame([law.scores(0.0) for law in self.laws]), max(round(self.reporting), 2)
        few = long.enough(n, n, np.array([-TYPICAL * long.deviation * math.sqrt(n)]))
        return few.steps if few and few.law == 0 else None

    def _slack(self, eps: Array) -> Array:
        deltas = 2 * np.tanh(eps / 2)
        order, found = np.argsort(deltas), np.full(len(eps), np.inf)
        while len(order):
            near = deltas[order] <= deltas[order[0]] + WIDEST * self.more_rate
            stretch = order[: min(STRETCH, int(near.sum()))]
            found[stretch], order = self._slack_of(deltas[stretch]), order[len(stretch) :]
        return np.asarray((1 + np.exp(eps)) / 2 * found / self.game.population)

    def _slack_of(self, deltas: Array) -> Array:
        """From one board: a step at any delta is worth no more than the better one of those at the ends."""
        ends = [law.scores(float(end)) for end in sorted({deltas[0], deltas[-1]}) for law in self.laws]
        step = grid_step(ends, *NODES)
        board = Board(ends, self.steps or 1, step).play(self.steps or 1)
        found = np.full(len(deltas), np.inf)
        for i, delta in enumerate(deltas):
            laws, clone = [law.scores(float(delta)) for law in self.laws], self.clone.scores(float(delta))
            own = _sum(laws[0], self._extra(float(delta)))
            if _all_below([*ends, clone], own):
                start = np.array([-self.game.population * delta])
                found[i] = slack(board, laws, 0, start, self.reporting, self._times, [clone, own])[0]
        return found

    def _extra(self, delta: float) -> Scores:
        """One more vote, its mean taken off."""
        law = self.vote.scores(delta)
        return Scores(law.value - float(law.chance @ law.value), law.chance)

    def _times(self, log_lam: Array) -> Array:
        rate, slots = float(self.game.rate), self.game.slots
        return math.log(slots * rate) + (slots - 1) * np.log1p(rate * np.expm1(log_lam))


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
