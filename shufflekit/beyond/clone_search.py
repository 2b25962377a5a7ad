"""An adversary of [beyond] 2: the worst eps0-LDP channel against the clone pair, by constrained optimisation.

Every channel on k inputs is a post-processing of one whose columns are multiples of vectors in {1, E}^k, one a
vector: the extremal channels. So only their weights w >= 0 remain, with every row summing to 1, and for a data set
``H_a = sum_h w^h (c0(h) - a c1(h))_+`` over histograms h, whose numbers c0 and c1 do not depend on w.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.beyond.scores import clone_scores, score_pair
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import Channel

# Data sets as (inputs, others), and from how many starts each is climbed. Two clients have at most three different
# inputs and three have four: there these are all data, up to renaming.
DATA = {
    2: (((3, (0,)), (3, (2,))), 16),
    3: (((3, (0, 0)), (3, (0, 1)), (4, (2, 2)), (4, (2, 3))), 2),
    4: (((3, (0, 1, 2)), (3, (2, 2, 2))), 6),
}


class Attack(NamedTuple):
    """What a search found: ``share`` is H_a of the channel's shuffle over that of the clone pair."""

    share: float
    channel: Channel


class Search:
    """All extremal channels on ``inputs`` inputs; the changed user has input 0 or 1, the others ``others``."""

    def __init__(self, ratio: float, inputs: int, others: Sequence[int]) -> None:
        self.ratio, k = float(_validate.ratio(ratio=ratio)), _validate.count(at_least=2, inputs=inputs)
        self.others = [_validate.count(at_least=0, at_most=k - 1, others=x) for x in others]
        corners = itertools.product((1.0, self.ratio), repeat=k)
        # (E,...,E) is a multiple of (1,...,1): one output of that kind is enough.
        columns = np.array([corner for corner in corners if min(corner) == 1.0]).T
        self.columns = columns / columns.mean(axis=0)  # so that the weights sum to 1
        self.n = len(self.others) + 1
        self.clones = score_pair(clone_scores(self.ratio), self.n)
        self._histograms, self._coefficients = self._expand()

    def hockey_stick(self, w: Array, alpha: float) -> tuple[float, Array]:
        """``H_alpha`` of the shuffle with weights w, and its gradient."""
        c0, c1 = self._coefficients
        excess = np.maximum(c0 - alpha * c1, 0)
        h = self._histograms[excess > 0]
        terms = excess[excess > 0] * np.prod(w**h, axis=1)
        fewer = np.maximum(h[:, None, :] - np.eye(w.size, dtype=int), 0)  # the derivative of w^h: one w less
        slopes = excess[excess > 0, None] * h * np.prod(w**fewer, axis=2)
        return math.fsum(terms), slopes.sum(axis=0)

    def run(self, alpha: float, starts: int, rng: np.random.Generator) -> Attack:
        """The best of several climbs, each from a random mixture of random vertices of the set of channels."""
        if not (alpha := _validate.positive(alpha=alpha)) < self.ratio:
            raise ValueError(f"alpha must be below the ratio {self.ratio:g}, where both sides are 0, got {alpha:g}")
        clones = hockey_stick(*self.clones, alpha)
        rows = {"type": "eq", "fun": lambda w: self.columns @ w - 1, "jac": lambda w: self.columns}
        found = self._vertex(rng)
        best = self.hockey_stick(found, alpha)[0] / clones
        for _ in range(_validate.count(starts=starts)):
            start = rng.dirichlet([0.5] * 3) @ [self._vertex(rng) for _ in range(3)]

            def loss(w: Array) -> tuple[float, Array]:
                value, slope = self.hockey_stick(w, alpha)
                return -value / clones, -slope / clones

            w = minimize(loss, start, jac=True, method="SLSQP", bounds=[(0, 1)] * start.size, constraints=rows).x
            w = self._repaired(w)
            # A climb that ended outside the set of channels says nothing.
            if (w >= 0).all() and (value := self.hockey_stick(w, alpha)[0] / clones) > best:
                best, found = value, w
        return Attack(best, Channel(self.columns * found, "the worst channel found"))

    def channel(self, rng: np.random.Generator) -> Channel:
        """A random extremal channel, a vertex of the set of weights, other than the one that always says the same."""
        while np.count_nonzero(w := self._vertex(rng)) < 2:
            pass
        return Channel(self.columns * w, "an extremal channel")

    def _vertex(self, rng: np.random.Generator) -> Array:
        """The solution of a linear programme with a random objective."""
        k, count = self.columns.shape
        return np.asarray(linprog(rng.normal(size=count), A_eq=self.columns, b_eq=np.ones(k), bounds=(0, 1)).x)

    def _repaired(self, w: Array) -> Array:
        """The nearest weights on the same columns whose rows sum to 1 to the last digit."""
        used = w > 1e-6
        columns, kept = self.columns[:, used], w[used]
        w = np.zeros_like(w)
        w[used] = kept + np.linalg.pinv(columns) @ (1 - columns @ kept)
        return w

    def _expand(self) -> tuple[NDArray[np.int64], tuple[Array, Array]]:
        """All histograms over the columns, and the two coefficients of each."""
        outputs = range(self.columns.shape[1])
        index: dict[tuple[int, ...], int] = {}
        for h in itertools.combinations_with_replacement(outputs, self.n):
            index[h] = len(index)
        c = np.zeros((2, len(index)))
        for messages in itertools.product(outputs, repeat=self.n):
            weight = math.prod(self.columns[x, o] for x, o in zip(self.others, messages[1:], strict=True))
            c[:, index[tuple(sorted(messages))]] += self.columns[[0, 1], messages[0]] * weight
        histograms = np.array([np.bincount(h, minlength=len(outputs)) for h in index])
        return histograms, (c[0], c[1])


def best_shares(ratio: float, alphas: Sequence[float], data: Sequence[tuple[int, Sequence[int]]], starts: int) -> Array:
    """The largest share found for each alpha, over data sets given as (inputs, others); seeded."""
    searches = [Search(ratio, inputs, others) for inputs, others in data]
    return np.array([max(s.run(a, starts, np.random.default_rng(7)).share for s in searches) for a in alphas])


def worst_found(eps0: float, n: int, exponents: Array) -> Array:
    """The largest share found among n clients, at each ``alpha = e^(eps0 exponent)``."""
    eps0, n = _validate.local_eps(eps0=eps0), _validate.count(n=n, at_least=2, at_most=max(DATA))
    return best_shares(math.exp(eps0), [math.exp(eps0 * x) for x in exponents], *DATA[n])
