"""The pair of a known channel: the game of its own rows, for the worst two values of the changed record. [beyond] 13

Each pair of values (x0, x1) is a move of the game: its laws are the channel's rows, the blanket is what all rows have
in common. At each alpha only some moves and laws can be the worst. The pair of the blanket alone is never below; where
what the game loses on a grid is more than that, it answers.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import TINY
from shufflekit.atoms import Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import connected, hull
from shufflekit.definitions import Definition, Game, ScoreLaw, distinct, kind
from shufflekit.dominating_pairs import few_reports
from shufflekit.dominating_pairs.channel_worth import FEW, LOUD, MOST_GAMES, VERY_FEW, ChannelWorth
from shufflekit.dominating_pairs.contenders import Contender, SideBySide, larger
from shufflekit.dominating_pairs.pair import Pair, in_steps
from shufflekit.dominating_pairs.pair_of_law import pair_of_law
from shufflekit.dominating_pairs.score_pair import MOST_SLOTS, ScorePair
from shufflekit.dominating_pairs.spare import NO_SHIFT

ROUGH, FINE = 0.03, 1e-4  # a tolerance at which a look at a blanket is cheap, and of a close one
CLOSE, NEAR, GROWTH = 32, 4.0, 1.02  # knots a deviation, up to so many deviations; then so many times as far
CLOSE_OF_FEW = 128  # where sums take few values
MOST_COMPARED = 4_000  # points of blankets, that cost little


@dataclass(frozen=True)
class ChannelPair(Pair):
    """The worst of a game's moves, whichever alpha is asked for; both ends are those of the guarantee."""

    game: Game

    closest, costly, one_sided = 1.0, True, True

    def __post_init__(self) -> None:
        _ = self.fallback  # it may have too many slots: it says so now

    @property
    def largest_loss(self) -> float:
        return self.fallback.largest_loss

    def log_moment_bound(self, power: float) -> float:
        """See ``Pair``: the fallback's delta is nowhere below, so neither are its moments."""
        return self.fallback.log_moment_bound(power)

    def reversed(self) -> "ChannelPair":
        return self if self.game.symmetric else _turned(self)

    @cached_property
    def fallback(self) -> Pair:
        """The pair of the blankets, which is never below the game. [beyond] 1, 3, 13"""
        return pair_of_law(Definition(self.game.slots, self.game.population, self.fallback_laws))

    @property
    def fallback_laws(self) -> tuple[ScoreLaw, ...]:
        """The blanket of each pair of values, those that are told apart."""
        return distinct(moves.spares[0] for moves in self.game.moves)

    @cached_property
    def guide(self) -> Pair:
        """Votes that deviate as much as the worst law does."""
        slots, population = self.game.slots, self.game.population
        x = self._worth.ratio - 1
        vote = min(self._worth.field.variance(1.0) / (2 * x * x), 1 / (x + 2))
        rest = kind(1 - 2 * vote, -vote * x / (1 - 2 * vote), -vote * x / (1 - 2 * vote))
        return pair_of_law(Definition(slots, population, ((kind(vote, x, 0.0), kind(vote, 0.0, x), rest),)))

    @cached_property
    def few(self) -> bool:
        """Whether there are so few reports that all terms of the game are summed."""
        return few_reports.serves(self.game)

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        reached = np.asarray(eps) < self.largest_loss
        upper = np.zeros(reached.shape)
        if self.few:
            upper[reached] = np.minimum(few_reports.few_worths(self.game, np.asarray(eps)[reached]), 1.0)
            return Ends(upper, upper)
        for i in np.argwhere(reached):
            upper[tuple(i)] = max(self._worst(float(eps[tuple(i)]), rtol), TINY)
        return Ends(upper, upper)

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        log_cut = 0.0 if self.few else in_steps(log_cut)  # nothing is left out of few reports
        back = self.reversed()
        eps, near = _knots(self, back, log_cut)
        forth = _profile(self, eps, near, log_cut)
        backwards = forth if back is self else _profile(back, eps, near, log_cut)
        heard = len(eps)
        if not self.few:
            # The reach is a rough one; farther out profiles end in what floating point can hold, and tilts find that.
            left = int(np.count_nonzero(np.maximum(forth, backwards) > math.exp(log_cut)))
            heard = min(heard, max(left, 1) + 1)
        atoms = connected(np.array(eps[:heard]), forth[:heard], backwards[:heard])
        return Enclosure(atoms, atoms)

    def reach(self, log_cut: float) -> tuple[float, float, float]:
        """The deviation of a round's loss, about, and from where on hardly any is left: by rows, and by blankets."""
        deviation = self._worth.deviation
        near, top = (self._worth.reach(log_cut, NEAR * deviation, self.largest_loss, rows) for rows in (True, False))
        return deviation, min(near, top), top

    def profile(self, eps: Array, near: float = math.inf, log_cut: float | None = None) -> Array:
        """Chords of delta at many eps from 0 on, which are taken for all of its values; roughly from ``near`` on, or
        where e^log_cut may be left out."""
        if self.few:
            return hull(eps, self.delta(eps).upper)
        lonely, found, inner = self._worth.is_lonely, np.ones(len(eps)), eps <= near
        if not lonely:
            found[inner] = np.minimum(self._worth.profile(eps[inner], float(eps[inner][-1])), 1.0)
            found[~inner] = np.minimum(self._worth.beyond(eps[~inner]), 1.0)
        if lonely or len(self.fallback_laws) * len(eps) <= MOST_COMPARED:
            found = np.minimum(found, self._worst_blanket(eps, log_cut))
        found = np.minimum(found, _by_losses(eps, max(self.largest_loss, self.reversed().largest_loss)))
        return hull(eps, np.where(eps < self.largest_loss, found, 0.0))

    def _worst_blanket(self, eps: Array, log_cut: float | None = None) -> Array:
        """The fallback's upper end, for which only those blankets are looked at that no other dominates."""
        if not isinstance(self.fallback, ScorePair) or len(self.fallback_laws) == 1:
            return self.fallback.delta(eps, FINE, log_cut).upper
        known, laws = self.fallback.definition, SideBySide(self.fallback_laws)
        asked = np.zeros((len(known.laws), len(eps)), dtype=bool)
        for place, alpha in enumerate(np.exp(eps)):
            asked[laws.at(float(alpha)).undominated(), place] = True
        looked, least, worst, rivals = [], np.zeros(len(eps)), np.zeros(len(eps)), asked.sum(axis=0) > 1
        for i in map(int, np.flatnonzero(asked.any(axis=1))):
            pair, own = ScorePair(known._replace(laws=(larger(known.laws[i]),))), np.flatnonzero(asked[i])
            most, some = np.ones(len(own)), rivals[own]
            if some.any():
                rough = pair.delta(eps[own[some]], ROUGH, log_cut)
                least[own[some]], most[some] = np.maximum(least[own[some]], rough.lower), rough.upper
            looked.append((pair, own, most))
        for pair, own, most in sorted(looked, key=lambda one: -float(one[2].max())):
            if (left := most >= least[own]).any():
                own, most = own[left], most[left]
                fine = pair.delta(eps[own], FINE, log_cut)
                least[own] = np.maximum(least[own], fine.lower)
                worst[own] = np.maximum(worst[own], np.minimum(fine.upper, most))
        return worst

    def _worst(self, eps: float, rtol: float) -> float:
        """The largest of all contenders, each by its game or its blanket."""
        N = float(self.game.population)

        def spare(contender: Contender, eps: float, moved: Array, about: Array, least: Array) -> Array:
            return np.full(1, N * self._or_blanket(min(float(least[0]) / N, 1.0), contender, eps, rtol))

        contenders, blankets = self._worth.field.contenders(math.exp(eps))
        worst = float(self._worth.worst(contenders, eps, NO_SHIFT, MOST_GAMES, spare)[0]) / N
        bounds = self._worth.quick(blankets, eps).worth[:, 0] / N if blankets else np.zeros(0)
        for contender, quick in zip(blankets, bounds, strict=True):
            if quick > worst:
                worst = max(worst, self._or_blanket(min(float(quick), 1.0), contender, eps, rtol))
        return min(worst, 1.0)

    def _or_blanket(self, upper: float, contender: Contender, eps: float, rtol: float) -> float:
        """That or the blanket's, which is looked at closely only where it may be the lower one."""
        blanket, point = self._blanket(contender), np.array([eps])
        rough = blanket.delta(point, ROUGH)
        if rough.lower[0] >= upper:
            return upper
        return min(upper, float(rough.upper[0]), float(blanket.delta(point, rtol).upper[0]))

    def _blanket(self, contender: Contender) -> Pair:
        law = self.game.moves[contender.number].spares[0]
        return _quick(Definition(self.game.slots, self.game.population, (law,)))

    @cached_property
    def _worth(self) -> ChannelWorth:
        return ChannelWorth(self.game)


def _by_losses(eps: Array, most: float) -> Array:
    """What no pair is above whose losses are at most this, either way: both laws' masses are 1."""
    return np.asarray(np.maximum(-np.expm1(np.minimum(eps, most) - most), 0.0) / (1 + math.exp(-most)))


@lru_cache(maxsize=20)  # its moves are sorted anew each time
def _turned(pair: ChannelPair) -> ChannelPair:
    return ChannelPair(pair.game.reversed())


@lru_cache(maxsize=20)
def _knots(pair: ChannelPair, back: ChannelPair, log_cut: float) -> tuple[tuple[float, ...], float]:
    """Where both directions are looked at, closer where most outcomes are, to where hardly any is left; and from where
    on a rough look is enough."""
    if pair.few:
        top = max(pair.largest_loss, back.largest_loss)
        return tuple(np.union1d(*(few_reports.bends(one.game, top) for one in (pair, back))).tolist()), top
    both = zip(pair.reach(log_cut), back.reach(log_cut), strict=True)
    deviation, known, top = (max(ends) for ends in both)
    close = CLOSE_OF_FEW if pair.game.slots <= VERY_FEW else CLOSE
    near = np.arange(0.0, min(NEAR * deviation, top), deviation / close)
    far = max(0, math.ceil(math.log(top / near[-1]) / math.log(GROWTH)))
    return tuple(np.unique([*near, *np.geomspace(near[-1], top, far + 1)]).tolist()), known


@lru_cache(maxsize=20)  # both directions of a list need both, and lists are asked for again and again
def _profile(pair: ChannelPair, eps: tuple[float, ...], near: float, log_cut: float) -> Array:
    return pair.profile(np.array(eps), near, log_cut)


@lru_cache(maxsize=200)
def _quick(definition: Definition) -> Pair:
    """The pair of a blanket that answers the soonest: votes with a third kind cost much."""
    (law,) = definition.laws
    if FEW < definition.slots <= MOST_SLOTS and len(law) > 3 and max(one.t0 for one in law) <= LOUD:
        return ScorePair(definition)
    return pair_of_law(definition)
