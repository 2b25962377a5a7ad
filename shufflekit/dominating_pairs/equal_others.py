"""One known finite channel that is really run, all others having the same value: an attack.

With scores t_j = R(x_j)/R(x_2), x_2 the others' value, nothing need be revealed: H_a is exactly
``E[((1/N) sum_{i <= k} (t_0 - a t_1) + (1 - k/N)(1 - a))_+]`` with messages o ~ R(x_2). [beyond] 5
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.dominating_pairs.blanket import as_votes, listed_scores
from shufflekit.dominating_pairs.chords import below
from shufflekit.dominating_pairs.knots import connected, knots
from shufflekit.dominating_pairs.pair import Ends, Laws, Pair
from shufflekit.dominating_pairs.score_sums import finite_excess
from shufflekit.randomizers import Channel

MOST_ATTACKS = 2  # kinds of triples of inputs that are tried
KNOTS_APART = 6  # of the usual ones: each costs an FFT


def worst_data(channel: Channel, n: int, population: int) -> list[Pair]:
    """The attacks on a channel with the largest variance of the likelihood ratio, one for each kind of triple."""
    found: dict[bytes, EqualOthers] = {}
    for x0, x1 in itertools.combinations(range(channel.inputs), 2):
        for x2 in range(channel.inputs):
            columns = np.round(channel.probs[[x0, x1, x2]].astype(np.float64), 12)
            key = columns[:, np.lexsort(columns)].tobytes()
            found.setdefault(key, EqualOthers(channel, n, population, x0, x1, x2))
    worst = sorted(found.values(), key=lambda attack: -attack.variance)[:MOST_ATTACKS]
    return [as_votes(*attack.scores, n, population) or attack for attack in worst]


@dataclass(frozen=True)
class EqualOthers(Pair):
    """The changed record is ``x0`` under P and ``x1`` under Q, all others are ``x2``; n of population report."""

    lists_closer = False

    channel: Channel
    n: int
    population: int
    x0: int
    x1: int
    x2: int

    @property
    def variance(self) -> float:
        """``sum (R(x0) - R(x1))^2 / R(x2)``."""
        first, second, others = self.channel.probs[[self.x0, self.x1, self.x2]].astype(np.float64)
        return float((((first - second) ** 2) / others).sum())

    @property
    def scores(self) -> tuple[Array, Array, Array]:
        """t_0, t_1, and how likely the others are to send what has these scores; equal ones are one."""
        first, second, others = self.channel.probs[[self.x0, self.x1, self.x2]].astype(np.float64)
        t = np.column_stack([first / others, second / others])
        _, inverse = np.unique(np.round(t, 10), axis=0, return_inverse=True)
        mass = np.bincount(inverse.ravel(), others)
        t0, t1 = (np.bincount(inverse.ravel(), others * score) / mass for score in t.T)
        return np.asarray(t0), np.asarray(t1), np.asarray(mass, dtype=np.float64)

    def reversed(self) -> "EqualOthers":
        return EqualOthers(self.channel, self.n, self.population, self.x1, self.x0, self.x2)

    @property
    def largest_loss(self) -> float:
        return math.log1p(self.n / self.population * math.expm1(self.channel.eps0)) * (1 + 1e-14)

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        eps = _validate.array(low=0, eps=eps)
        t0, t1, mass = self.scores
        lower, upper = np.zeros(eps.shape), np.zeros(eps.shape)
        for i in np.ndindex(eps.shape):
            if eps[i] < self.largest_loss:
                a = math.exp(eps[i])
                ends = finite_excess(t0 - a * t1, mass, self.n, (self.population - self.n) * (a - 1), rtol)
                lower[i], upper[i] = (float(end) / self.population for end in ends)
        return Ends(lower, np.minimum(upper, 1.0))

    def laws(self, log_cut: float, rtol: float = 1e-4) -> Laws:
        listed = listed_scores(*self.scores, self.n, self.population)
        if listed is not None:
            return Laws(listed, listed)
        back = self.reversed()
        eps = max((knots(pair, log_cut, rtol) for pair in (self, back)), key=lambda found: float(found[-1]))
        eps = np.append(eps[:-1:KNOTS_APART], eps[-1])
        forth_ends, back_ends = self.delta(eps, rtol / 2), back.delta(eps, rtol / 2)
        return Laws(below(eps, forth_ends, back_ends), connected(eps, forth_ends.upper, back_ends.upper))
