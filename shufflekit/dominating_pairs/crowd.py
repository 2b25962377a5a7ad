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
from shufflekit.accuracy import TINY
from shufflekit.definitions import Definition, Game, ScoreLaw, check_in
from shufflekit.dominating_pairs.anchors import Anchor, alike, between, shifts
from shufflekit.dominating_pairs.board import Board, Scores
from shufflekit.dominating_pairs.certificate import slack
from shufflekit.dominating_pairs.long_game import NODES, LongGame
from shufflekit.dominating_pairs.more_votes import MoreVotes
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.score_laws import grid_step, undominated
from shufflekit.dominating_pairs.spare import NO_SHIFT
from shufflekit.dominating_pairs.votes import Votes

SHIFTS = 120, 48  # of a start, in a deviation: as many as are affordable
PART = 1e-3  # of the votes', that is little
LOG_NEVER = -700.0
LOG_FORGOTTEN = -10.0  # of what is assumed of the last places
MORE = 1.06  # times what makes up for a clone at alpha = 1
TYPICAL = 6.5  # deviations at which the steps on the board are chosen
FARTHER = 2.0  # times as far apart as alphas may be that are alike
FEW_ALPHAS, WORK_OF_STEP = 12, 300  # that are looked at one by one; a board's step, in rows of votes at one alpha
STEPS_APART, LEAST_STEPS = 1.25, 4  # times: numbers of steps, after which slack is looked at; the least of them
LITTLE, MUCH_LESS = 1e-6, 2e-8  # of the votes, for slack
ROUGH = 0.01  # a tolerance for what weighs e^-10
SAME = 1e-12


class Vote(NamedTuple):
    """A score as what it says for x0 against x1, u0 - u1, and for both, (u0 + u1)/2; and its chance."""

    apart: Array
    both: Array
    chance: Array

    @property
    def ends(self) -> tuple[Array, Array]:
        """What it is at alpha = 1, and what an alpha more than that takes off: u0 - u1, and u1."""
        return self.apart, self.both - self.apart / 2

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

        There it is below the clones': so few more votes are less than all slots' being clones. Many eps that rise are
        between a few at which starts are moved, see ``anchors``: the worth of votes and of slack is one of plays.
        """
        places = self._anchors(eps)
        moved = self._moved(places, len(eps), rtol, log_cut)
        if moved is None:
            found, sure = self._alone(eps, rtol, log_cut, other)
        else:
            found, sure = self._between(eps, places, moved, rtol, log_cut, other)
        assumed = self._assumed(eps, log_cut)
        return found + assumed, sure & (assumed <= PART * found)

    def _moved(self, places: Array, points: int, rtol: float, log_cut: float) -> list[Array] | None:
        """Starts at each anchor, as close as costs less than what boards at all points cost more; or none."""
        boards = WORK_OF_STEP * self.stages[-1] * (points - len(places))
        rows = self.votes.rows_of_points(rtol, log_cut)
        for per_deviation in SHIFTS if boards > 0 else ():
            moved = shifts(places, float(self.game.population), self._spread, per_deviation)
            if boards > rows * (sum(map(len, moved)) - points):
                return moved
        return None

    def _alone(self, eps: Array, rtol: float, log_cut: float, other: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Votes and slack, each alpha by itself."""
        known, little = self._known(eps, [NO_SHIFT] * len(eps), rtol, log_cut, other)
        found, sure = np.full(len(eps), np.inf), np.zeros(len(eps), dtype=bool)
        found[: len(known)] = [float(one.worth[0]) / float(self.game.population) for one in known]
        sure[: len(known)] = little
        return found, sure

    def _between(
        self, eps: Array, places: Array, moved: Sequence[Array], rtol: float, log_cut: float, other: Array
    ) -> tuple[Array, NDArray[np.bool_]]:
        """The same by anchors at these places."""
        rough = np.exp(np.interp(places, eps, np.log(np.maximum(other, TINY))))
        known, little = self._known(places, moved, rtol, log_cut, rough)
        inside = eps <= places[len(known) - 1] if len(known) > 1 else np.zeros(len(eps), dtype=bool)
        found, sure = np.full(len(eps), np.inf), np.zeros(len(eps), dtype=bool)
        if inside.any():
            found[inside] = between(eps[inside], known) / float(self.game.population)
        last = np.searchsorted(places, eps[inside])
        sure[inside] = np.array(little)[last] & np.array(little)[np.maximum(last - 1, 0)]
        return found, sure

    def _anchors(self, eps: Array) -> Array:
        """Fewer eps, if they are many: a deviation apart, or as far as costs hardly anything."""
        first, second = (float(self.laws[0].chance @ u**2) for u in self.laws[0].ends)
        near = alike(second / first)
        apart = min(max(self._spread(1.0) / float(self.game.population), near), FARTHER * near)
        number = math.ceil(float(eps[-1]) / apart) + 1 if len(eps) > FEW_ALPHAS else 0
        return np.linspace(0.0, float(eps[-1]), number) if 1 < number < len(eps) else eps

    def _spread(self, alpha: float) -> float:
        """The deviation of the sum of all scores of 3-RR."""
        apart, own = self.laws[0].ends
        return math.sqrt(self.reporting * float(self.laws[0].chance @ (apart - (alpha - 1) * own) ** 2))

    def _known(
        self, places: Array, moved: Sequence[Array], rtol: float, log_cut: float, other: Array
    ) -> tuple[list[Anchor], list[bool]]:
        """The worth of votes and slack, up to where it is above the ``other`` bound, and whether slack is a small part.

        Farther out it is worse. Where far fewer steps might have done, fewer are tried next.
        """
        N, found, little, stage = float(self.game.population), list[Anchor](), list[bool](), 0
        sizes, shift = [len(own) for own in moved], np.concatenate(moved) / N
        all_votes = self.votes.upper(np.repeat(places, sizes), rtol, log_cut, shift if shift.any() else None)
        for eps, own, votes, most in zip(places, moved, np.split(all_votes, np.cumsum(sizes)[:-1]), other, strict=True):
            stage, slack = self._slack(float(eps), own, LITTLE * votes, stage)
            if not np.isfinite(slack).all() or float(slack[own == 0][0]) >= most:
                break
            found.append(Anchor(math.exp(eps), own, N * (votes + slack)))
            little.append(bool((slack <= PART * votes).all()))
            stage -= stage > 0 and bool((slack <= MUCH_LESS * votes).all())
        return found, little

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

    def _slack(self, eps: float, moved: Array, little: Array, stage: int) -> tuple[int, Array]:
        """From boards of ever more steps until it is little for all starts: after which of them, and how much it is."""
        delta, unit = 2 * math.tanh(eps / 2), (1 + math.exp(eps)) / 2
        clone, own = self.clone.scores(delta), self._own(delta)
        first, *others = (law.scores(delta) for law in self.laws)
        laws = [first, *(law for law in undominated([first, *others]) if law is not first)]
        if not _all_below([*laws, clone], own):
            return stage, np.full(len(moved), np.inf)
        starts, found = moved / unit - self.game.population * delta, np.full(len(moved), np.inf)
        step, units = grid_step(laws, *NODES, many=False), unit / float(self.game.population)
        for steps in self.stages[stage:]:
            board = Board(laws, steps, step).play(steps)
            now = units * slack(board, laws, 0, starts, self.reporting, self._times, [clone, own])
            found = np.minimum(found, now)
            if (found <= little).all():
                break
            stage += steps < self.stages[-1]
        return stage, found

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
