"""One known finite channel: its privacy blanket, and the scores that decide what is left once the blanket is told.

B(o) = min_x R(x)(o) is in every row. Tell the adversary which of the others left the blanket, and what they sent.
With the scores t_j = R(x_j)/B under B, and 0 outside it, what is left is, for k reports of a population of N, g = k/N,

    H_a <= E[((g/k) sum_{i <= k} (t_0 - a t_1) + (1 - g)(1 - a))_+],       a = e^eps:

[beyond] 1 and 3, a sum of iid scores for each a.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.dominating_pairs.chords import below
from shufflekit.dominating_pairs.knots import connected, knots
from shufflekit.dominating_pairs.pair import Atoms, Ends, Laws, Pair
from shufflekit.dominating_pairs.score_sums import finite_excess
from shufflekit.dominating_pairs.votes import Votes
from shufflekit.randomizers import Channel

MOST_CLIENTS = 10_000_000
DIGITS = 14  # of a score
KNOTS_APART = 4  # of the usual ones: each costs an FFT
MOST_ATOMS = 100_000  # that are listed one by one
LIST_ERROR = 1e-11  # relative, of a mass by its logarithm
SAME = 1e-9  # scores that differ by less differ by round-off


@dataclass(frozen=True, eq=False)
class BlanketPair(Pair):
    """n of the population report through the channel, fixed size, without replacement.

    Formal guarantee: the upper end holds for all data sets that differ in one record, in both directions.
    """

    lists_closer = False

    channel: Channel
    n: int
    population: int

    def __post_init__(self) -> None:
        if not isinstance(self.channel, Channel):
            raise TypeError(f"channel must be a shufflekit.randomizers.Channel, got {self.channel!r}")
        if self.channel.eps0 == math.inf:
            raise ValueError("channel must give every output it can send a positive probability on every input")
        _validate.count(n=self.n, at_most=min(MOST_CLIENTS, _validate.count(population=self.population)))

    @property
    def largest_loss(self) -> float:
        """Sampling at rate g turns eps0 into ``log(1 + g (e^eps0 - 1))``."""
        return math.log1p(self.n / self.population * math.expm1(self.channel.eps0)) * (1 + 1e-14)

    def reversed(self) -> "BlanketPair":
        return self

    @cached_property
    def kinds(self) -> list[tuple[Array, Array, Array]]:
        """For each pair of inputs that differs from the others: t_0, t_1, and the mass of the blanket there."""
        table = self.channel.probs.astype(np.float64)
        blanket = table.min(axis=0)
        found: dict[bytes, tuple[Array, Array, Array]] = {}
        for x0 in range(len(table)):
            for x1 in range(len(table)):
                if x0 != x1:
                    scores = np.column_stack([table[x0] / blanket, table[x1] / blanket])
                    # Scores that differ by round-off are one, their mean: that errs by its square. So are such pairs.
                    places, inverse = np.unique(np.round(scores, DIGITS), axis=0, return_inverse=True)
                    mass = np.bincount(inverse.ravel(), blanket).astype(np.float64)
                    t = [np.bincount(inverse.ravel(), blanket * score) / mass for score in scores.T]
                    found.setdefault(np.round(np.column_stack([places, mass]), DIGITS).tobytes(), (t[0], t[1], mass))
        return list(found.values())

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        eps = _validate.array(low=0, eps=eps)
        lower, upper = np.zeros(eps.shape), np.zeros(eps.shape)
        for i in np.ndindex(eps.shape):
            if eps[i] < self.largest_loss:
                lower[i], upper[i] = self._worst(math.exp(eps[i]), rtol)
        # Round-off of the scores, beside a deviation of about eps0 sqrt(n) of their sum.
        noise = 1e-10 * math.sqrt(self.n) * (1 + 1 / self.channel.eps0)
        return Ends(lower * (1 - noise), np.minimum(upper * (1 + noise), 1.0))

    def _worst(self, a: float, rtol: float) -> tuple[float, float]:
        """Of all pairs of inputs; those that a rough look rules out are not looked at again."""
        rough = [self._excess(*kind, a, max(rtol, 0.1)) for kind in self.kinds]
        least = max(float(ends.lower) for ends in rough)
        left = [kind for kind, ends in zip(self.kinds, rough, strict=True) if ends.upper >= least]
        fine = [self._excess(*kind, a, rtol) for kind in left]
        return max(least, *(float(ends.lower) for ends in fine)), max(float(ends.upper) for ends in fine)

    def _excess(self, t0: Array, t1: Array, mass: Array, a: float, rtol: float) -> Ends:
        """``E[((1/N) sum_i (t_0 - a t_1) + (1 - g)(1 - a))_+]``."""
        outside = max(0.0, 1 - float(mass.sum()))
        values, masses = np.append(t0 - a * t1, 0.0), np.append(mass, outside)
        c = (self.population - self.n) * (a - 1)
        ends = finite_excess(values, masses, self.n, c, rtol)
        return Ends(ends.lower / self.population, ends.upper / self.population)

    def laws(self, log_cut: float, rtol: float = 1e-4) -> Laws:
        listed = [listed_scores(*_with_nothing(*kind), self.n, self.population) for kind in self.kinds]
        if len(listed) == 1 and listed[0] is not None:
            return Laws(listed[0], listed[0])
        eps = knots(self, log_cut, rtol)
        eps = np.append(eps[:-1:KNOTS_APART], eps[-1])
        ends = self.delta(eps, rtol / 2)
        return Laws(below(eps, ends, ends), connected(eps, ends.upper, ends.upper))


def known_channel(channel: Channel, n: int, population: int) -> Pair:
    """The pair of the blanket; told as votes where that is what its scores are, which is faster and composes closer."""
    general = BlanketPair(channel, n, population)
    if len(general.kinds) > 1:
        return general
    t0, t1, mass = general.kinds[0]
    return as_votes(*_with_nothing(t0, t1, mass), n, population) or general


def _with_nothing(t0: Array, t1: Array, mass: Array) -> tuple[Array, Array, Array]:
    """The scores, and 0 for what is outside the blanket."""
    return np.append(t0, 0.0), np.append(t1, 0.0), np.append(mass, max(0.0, 1 - float(mass.sum())))


def listed_scores(t0: Array, t1: Array, mass: Array, n: int, population: int) -> Atoms | None:
    """All outcomes of few clients: how many messages have each score."""
    t0, t1, mass = (values[mass > 0] for values in (t0, t1, mass))
    kinds = len(mass)
    if math.comb(min(n, 10**4) + kinds - 1, kinds - 1) > MOST_ATOMS:
        return None
    bars = np.array(list(itertools.combinations(range(n + kinds - 1), kinds - 1)), dtype=np.int64)
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + kinds - 1)])
    counts = np.diff(edges, axis=1) - 1
    log_r = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(mass)
    apart = (population - n) / population
    p, q = apart + counts @ t0 / population, apart + counts @ t1 / population
    shown = q > 0
    loss, log_q = np.log(p[shown] / q[shown]), log_r[shown] + np.log(q[shown])
    order = np.argsort(loss)
    return Atoms(loss[order], log_q[order], error=LIST_ERROR)


def as_votes(t0: Array, t1: Array, mass: Array, n: int, population: int) -> Votes | None:
    """Scores (u, v) and (v, u), as likely, and equal ones of at most two sizes: as in randomized response."""
    gap = t0 - t1
    sizes = np.unique(np.round(t0[(np.abs(gap) < SAME) & (mass > SAME)], 9))
    first, second = np.flatnonzero(gap >= SAME), np.flatnonzero(gap <= -SAME)
    if len(sizes) > 2 or len(first) != 1 or len(second) != 1:
        return None
    i, j = int(first[0]), int(second[0])
    if max(abs(t0[i] - t1[j]), abs(t1[i] - t0[j]), abs(mass[i] - mass[j])) > SAME:
        return None
    # All scores are told relative to the smaller of the two sizes.
    small, third = (float(sizes[0]), float(sizes[-1] - sizes[0])) if len(sizes) else (0.0, 0.0)
    rate = 2 * float(mass[i])
    third_rate = float(mass[(np.abs(gap) < SAME) & (t0 > small + SAME)].sum()) if third else 0.0
    base = (population - n + n * small) / population
    less, more = (float(t1[i]) - small) / population, float(gap[i]) / population
    return Votes(n, rate, 1 - rate, base, less, more, third_rate, third / population)
