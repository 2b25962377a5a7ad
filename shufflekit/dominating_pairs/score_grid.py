"""One score on a grid, and what its moment generating function says of sums of many.

A score Y is rounded at random to K, one of the two grid points around it, its mean kept: larger in the convex order.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.convex_order import cells, divided
from shufflekit.convex_order.rounding import Index
from shufflekit.search import first_yes

REACH_RATES = np.exp2(np.arange(-6.0, 6.0))
JUMP_RATES = np.exp2(np.arange(-4.0, 3.0))
MOST_DOUBLINGS = 80
HALVINGS = 20
ONE_CELL = 1e-3  # steps of the grid: a tilted score that deviates by less has one value


class Score(NamedTuple):
    """A score, from ``low`` upwards on a grid: ``mass[k] = Pr[K = k]`` and ``place[k] = E[(Y - low)/step | K = k]``."""

    low: float
    step: float
    mass: Array
    place: Array

    @property
    def mean(self) -> float:
        """Of ``(Y - low)/step``."""
        return float(dot(self.mass, self.place) / self.mass.sum())


def on_grid(low: float, step: float, cell: Index, mass: Array, offset: Array) -> Score:
    """Masses at ``low + step * (cell + offset)``, 0 <= offset <= 1, each divided between its cell's two ends."""
    size = int(cell.max()) + 2
    total = divided(cell, offset, mass, size)
    moment = divided(cell, offset, mass * (cell + offset), size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Score(low, step, total, np.where(total > 0, moment / total, np.arange(size)))


def finite_score(values: Array, masses: Array, step: float) -> Score:
    """A score with finitely many values."""
    low = float(values.min())
    place = (values - low) / step
    cell = np.floor(place).astype(np.intp)
    return on_grid(low, step, cell, masses, place - cell)


def log_sum(log_values: Array) -> float:
    """``log sum e^x`` of a row, the largest of which is finite: scipy's takes ten times as long for short ones."""
    top = log_values.max()
    return float(top + np.log(np.exp(log_values - top).sum()))


class LogMoments:
    """The logarithmic moment generating function of one rounded score, and what follows from it.

    Far from the mean, cells are lumped (their means kept): that makes the function larger, and hardly so.
    """

    def __init__(self, score: Score) -> None:
        self.score, size = score, len(score.mass)
        away = np.concatenate([np.arange(256), np.geomspace(256, max(size, 257), 800).astype(np.int64)])
        knots = np.unique(np.clip(round(score.mean) + np.concatenate([-away, away]), 0, size - 1))
        knots = np.unique(np.concatenate([[0], knots, [size - 1]])).astype(np.float64)
        mass = divided(*cells(np.arange(float(size)), knots), score.mass, len(knots))
        self.place, self.log_mass = knots[mass > 0], np.log(mass[mass > 0])

    def __call__(self, tilt: float) -> float:
        """``log E e^{tilt K}``, never too small."""
        return log_sum(self.log_mass + tilt * self.place)

    def exactly(self, tilt: float) -> float:
        """The same without the lumps."""
        with np.errstate(divide="ignore"):
            return log_sum(np.log(self.score.mass) + tilt * np.arange(float(len(self.score.mass))))

    def tilted(self, tilt: float) -> tuple[float, float]:
        """Mean and standard deviation under ``e^{tilt k}``."""
        log_weight = self.log_mass + tilt * self.place
        weight = np.exp(log_weight - log_sum(log_weight))
        mean = float(dot(weight, self.place))
        return mean, math.sqrt(float(dot(weight, (self.place - mean) ** 2)))

    def reach(self, n: int, tilt: float, log_tail: float) -> tuple[int, int]:
        """Sums beyond which, on either side, the tilted law has at most ``e^log_tail`` (Chernoff)."""
        deviation = self.tilted(tilt)[1] * math.sqrt(n)
        ends, log_z = [n * self.place[0], n * self.place[-1]], self.exactly(tilt)
        if deviation == 0:
            return math.floor(ends[0]), math.ceil(ends[1])
        # Rates for a nearly normal sum, and for one that a single large score decides.
        rates = np.append(math.sqrt(-2 * log_tail) / deviation * REACH_RATES, -log_tail / ends[1] * n * JUMP_RATES)
        for rate in rates:
            for i, side in ((0, -1), (1, 1)):
                bound = side * (n * (self(tilt + side * rate) - log_z) - log_tail) / rate
                ends[i] = max(ends[i], bound) if i == 0 else min(ends[i], bound)
        return math.floor(ends[0]), math.ceil(ends[1])

    def log_tail(self, n: int, at: float, side: int) -> float:
        """A bound on ``log E[K/at; K > at]`` of the rounded sum K, or on ``log Pr[K < at]`` (Chernoff)."""
        # K/at <= e^{r (K - at)} beyond `at`, for every rate r of at least 1/at.
        rates = np.exp2(np.arange(-6.0, 12.0)) / max(self.tilted(0.0)[1] * math.sqrt(n), 1e-300)
        rates = np.append(rates[rates * at >= 1], 1 / at) if side > 0 else rates
        return float(min(n * self(side * rate) - side * rate * at for rate in rates))

    def tilt_for_mean(self, n: int, at: float) -> float:
        """About the tilt that makes ``at`` the typical sum; at least 0."""
        return self._solve(lambda tilt: n * self.tilted(tilt)[0] >= at, n)

    def tilt_for_rarity(self, n: int, log_mass: float, side: int) -> float:
        """About the tilt whose typical sums have a probability of ``e^log_mass``, above the mean or below it."""

        def rare(tilt: float) -> bool:
            mean, _ = self.tilted(side * tilt)
            return n * (self(side * tilt) - side * tilt * mean) <= log_mass

        return side * self._solve(rare, n)

    def _solve(self, enough: Callable[[float], bool], n: int) -> float:
        start = 0.1 / max(self.tilted(0.0)[1] * math.sqrt(n), 1e-9)

        def settled(tilt: float) -> bool:
            return enough(tilt) or (tilt > 0 and abs(self.tilted(tilt)[1]) < ONE_CELL)

        return first_yes(settled, start, doublings=MOST_DOUBLINGS, halvings=HALVINGS)
