"""The game on a grid: what a chooser of laws can reach in m steps, never too small. [beyond] 9

Scores here have the mean 0. With F_0(x) = x_+ and F_m(x) = max over the laws of E F_{m-1}(x + g), the board holds
``F_m(x) - x_+``, which is small far out on both sides, and keeps its digits there. Every score is divided between its
two neighbours on the grid, its mean kept: larger in the convex order. Beyond the board's edges the edge's value is
taken, which is larger too.
"""

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from shufflekit._dot import add_shifted, dot
from shufflekit._validate import Array
from shufflekit.accuracy import BOARD_ERROR, KNOWN, UNIT
from shufflekit.convex_order import divided, rise
from shufflekit.search import first_yes

NEARLY_CERTAIN = 1e-6  # of the variance
STRETCH = 32  # steps that are played on the same part of the board
JUMPS = 16  # of the largest score, that few steps may lead farther out
LOG_HUGE, SAME = 700.0, 1e-9
EDGE_RATES = np.geomspace(1 / 64, 1.0, 13)  # of Chernoff's bound at the edge, relative to that of a normal sum
DEPTH = 10.0  # deviations of the sum of all steps, that the board reaches out to the left
# The same to the right, where F_m(x) - x is 1e-10 of a deviation: what is asked for lies to the left, but of very many
# blocks in a lottery 1e-6 cost one per cent of eps. And how many of the largest scores more, where those count.
RIGHT, MORE_RIGHT = 6.0, 30.0


Key = tuple[tuple[float, ...], tuple[float, ...]]


class Scores(NamedTuple):
    """A law of one score of mean 0: its values and their chances."""

    value: Array
    chance: Array

    @property
    def key(self) -> Key:
        """The same as something that a cache knows again."""
        return tuple(self.value.tolist()), tuple(self.chance.tolist())

    @classmethod
    def of_key(cls, key: Key) -> "Scores":
        return cls(*map(np.array, key))

    @property
    def variance(self) -> float:
        return float(dot(self.chance, self.value**2))

    @property
    def skewness(self) -> float:
        return float(dot(self.chance, self.value**3) / self.variance**1.5)

    def times(self, size: float) -> "Scores":
        """So many times as large."""
        return Scores(self.value * size, self.chance)

    def log_moments(self, tilts: Array) -> Array:
        """``log E e^{tilt g}`` at each of the tilts."""
        powers = np.outer(tilts, self.value)
        top = powers.max(axis=1)
        return np.asarray(top + np.log(dot(np.exp(powers - top[:, None]), self.chance)))

    def tilted(self, tilt: float) -> tuple[float, float]:
        """Mean and variance under ``e^{tilt g}``."""
        powers = tilt * self.value[self.chance > 0]
        weight = np.zeros(len(self.value))
        weight[self.chance > 0] = self.chance[self.chance > 0] * np.exp(powers - powers.max())
        mean = float(dot(weight, self.value) / weight.sum())
        return mean, float(dot(weight, (self.value - mean) ** 2) / weight.sum())

    def tilt_for_mean(self, mean: float) -> float:
        """About the tilt, of at least 0, that makes this value the mean; no more than makes the law nearly certain."""

        whole = self.variance

        def enough(tilt: float) -> bool:
            found, variance = self.tilted(tilt)
            return found >= mean or variance < NEARLY_CERTAIN * whole

        return first_yes(enough, max(mean, 0.0) / whole + 1e-300, doublings=60, halvings=8)


class _Move(NamedTuple):
    """A law on the grid: by how many nodes it moves, with what chance, and ``E(x + g)_+ - x_+`` where that is not 0."""

    nodes: list[int]
    chance: list[float]
    first: int
    bump: Array


class Light(NamedTuple):
    """With this chance a coin says that a step's scores are so much smaller, before the law is chosen."""

    chance: float
    size: float


class Board:
    """``F_m(x) - x_+`` at multiples of ``step``, after as many steps as have been played."""

    def __init__(
        self, laws: Sequence[Scores], steps: int, step: float, depth: float = DEPTH, light: Light | None = None
    ) -> None:
        self.laws, self.step, self.played = list(laws), step, 0
        self.variance = max(law.variance for law in laws)
        self.depth, self.largest = depth, max(float(np.abs(law.value).max()) for law in laws)
        self.half, self.margin = self._reach(steps, depth), math.ceil(self.largest / step) + 2
        right = min(self.half, self._reach(steps, RIGHT) + math.ceil(MORE_RIGHT * self.largest / step))
        self.x = step * np.arange(-self.half, right + 1.0)
        self.moves = [(1.0, [self._move(law) for law in laws])]
        if light is not None:
            lighter = [self._move(law.times(light.size)) for law in laws]
            self.moves = [(1 - light.chance, self.moves[0][1]), (light.chance, lighter)]
        self.rise = np.zeros(len(self.x))
        self.weight = 1.0

    @classmethod
    def known(cls, laws: Sequence[Scores], x: Array, rise: Array) -> "Board":
        """The worth of something else at rising places x, equally far apart: at the ends ``rise`` stays as it is."""
        board = cls.__new__(cls)
        board.laws, board.step, board.played = list(laws), float(x[1] - x[0]), 0
        board.largest = max(float(np.abs(law.value).max()) for law in laws)
        board.margin = math.ceil(1.2 * board.largest / board.step) + 2
        board.x, board.rise, board.weight = x, rise, 1.0
        return board

    def play(self, steps: int) -> "Board":
        """So many steps more."""
        padded, left = self._padded(), steps
        while left:
            stretch = min(left, STRETCH)
            left, self.played = left - stretch, self.played + stretch
            # Farther out than steps so far may lead, the last value serves.
            reach = self._reach(self.played, self.depth) + math.ceil(JUMPS * self.largest / self.step)
            within = slice(max(self.half - reach, 0), min(self.half + reach + 1, len(self.x)))
            self._play(padded, stretch, within)
        self.rise = padded[self.margin : -self.margin].copy()
        return self

    def mixed(self, parts: "Sequence[tuple[Board, float]]") -> "Board":
        """The mean of boards of the same laws and places, each with its weight; the weights need not sum to 1."""
        mean = copy(self)
        mean.rise = sum((chance * board.rise for board, chance in parts), np.zeros(len(self.x)))
        mean.weight = sum(chance * board.weight for board, chance in parts)
        mean.played = max(board.played for board, _ in parts)
        return mean

    def excess(self, laws: Sequence[Scores], pure: int) -> tuple[Array, Array]:
        """Points y, and by how much one step by any of the laws is worth more there than one by ``laws[pure]``.

        The worth of a step is convex, and that of one by the pure law straight between those points: nowhere between
        two is the excess larger than at both. [beyond] 12, Lemma 4
        """
        padded, own = self._padded(2), laws[pure]
        points, most = [], []
        for offset in -own.value:
            worth = self._worth(own, offset, padded)
            best = np.max([self._worth(law, offset, padded) for law in laws if law is not own], axis=0, initial=0.0)
            points.append(self.x + offset)
            most.append(np.maximum(best - worth + BOARD_ERROR * (best + worth), 0.0))
        return np.concatenate(points), np.concatenate(most)

    def _worth(self, law: Scores, offset: float, padded: Array) -> Array:
        """``E F_m(x + offset + g) - (x + offset)_+`` at all nodes x."""
        x, reach = len(self.x), float(np.abs(law.value).max())
        total, bent = np.zeros(x), slice(*np.searchsorted(self.x, [-reach - offset, reach - offset]))
        total[bent] = rise(*law, self.x[bent] + offset)  # and 0 elsewhere
        place = (offset + law.value) / self.step
        cell = np.floor(place)
        share, first = place - cell, (2 * self.margin + cell).astype(int).tolist()
        add_shifted(total, padded, first, (law.chance * (1 - share)).tolist())
        add_shifted(total, padded, [i + 1 for i in first], (law.chance * share).tolist())
        return total

    def value(self, x: Array) -> Array:
        """``F_m``, never too small; between nodes by its chord, above a convex function."""
        return self.reading(x)()

    def reading(self, x: Array) -> Callable[[], Array]:
        """``value`` at x after whatever will have been played: what lies between which nodes is looked up once."""
        # Towards the kink, where F_m(x) - x_+ is largest, by more than the places' round-off.
        place, middle, off = (x - self.x[0]) / self.step, -float(self.x[0]) / self.step, 8 * UNIT * len(self.x)
        place = np.where(place < middle, np.minimum(place + off, middle), np.maximum(place - off, middle))
        place = np.clip(place, 0.0, len(self.x) - 1.0)
        cell = np.minimum(place.astype(np.intp), len(self.x) - 2)
        share, above = place - cell, np.maximum(x, 0.0)

        def value() -> Array:
            worth = (1 - share) * self.rise[cell] + share * self.rise[cell + 1]
            return np.asarray(self.weight * above + worth * (1 + 2 * BOARD_ERROR * (self.played + 1)))

        return value

    def law(self) -> Scores:
        """The law G with ``E(x + G)_+ = F_m(x)``, or a little more: sums of it are worth that many steps each."""
        # Beyond the board F_m is convex and ends where all scores are the largest: below its chord.
        end = max(self.played * self.largest, -float(self.x[0])) + self.step
        (first, far, tail), (after, beyond, head) = self._far(end, 1.0), self._far(end, -1.0)
        last = len(self.x) - after
        x = np.concatenate([[-end], far, self.x[first:last], -beyond[::-1], [end]])
        rise = np.concatenate([[0.0], tail, self.rise[first:last], head[::-1], [0.0]])
        slope = np.diff(rise) / np.diff(x)
        bend = np.append(slope, 0.0) - np.append(0.0, slope)
        bend[np.searchsorted(x, 0.0)] += 1  # that of x_+
        # A bend of E(x + G)_+ at x is an outcome -x.
        chance = np.maximum(bend, 0.0)[::-1]
        kept = chance > 0
        return Scores(-x[::-1][kept], chance[kept] / chance.sum())

    def _far(self, end: float, side: float) -> tuple[int, Array, Array]:
        """On one side, the left (1) or the right (-1), which is turned over: the first node that is taken as it is, and
        points farther left with bounds on the rise ``F_m(x) - x_+``, convex in all.

        Outcomes far out are what a tilt makes large, and the chord to the end would be far above. Chernoff's bound is
        convex and falls: ``F_m(x) - x_+ <= Lam^m e^{r x - 1}/r``, Lam the largest ``E e^{r g}`` of the laws. It serves
        up to the edge, and from there the chord to the first node at which F_m is above the bound's own tangent.
        """
        x, rise = (self.x, self.rise) if side > 0 else (-self.x[::-1], self.rise[::-1])
        edge = -float(x[0])
        rates = EDGE_RATES * edge / (self.variance * self.played)
        log_lam = np.max([law.times(side).log_moments(rates) for law in self.laws], axis=0)
        bounds = self.played * log_lam - rates * edge - 1 - np.log(rates)
        # The board itself is no less than it has at the edge.
        least, most = (1 + SAME) * float(rise[0]), math.exp(min(float(bounds.min()), LOG_HUGE))
        rate, at_edge = float(rates[bounds.argmin()]), max(least, most)
        if rise[0] == 0 or at_edge < KNOWN:
            return 0, x[:0], x[:0]
        own = x < 0
        above = np.flatnonzero(rise[own] >= at_edge * (1 + rate * (x[own] + edge)))
        if not len(above):
            return 0, x[:0], x[:0]
        out = np.arange(math.ceil(min((end - edge) * rate, LOG_HUGE)))[::-1]
        return int(above[0]), -edge - out / rate, at_edge * np.exp(-out.astype(np.float64))

    def inner_law(self) -> tuple[Scores, float]:
        """A law G with ``F_m(x) <= E(x + G)_+ +`` a number, where nothing of F_m is looked at beyond the board.

        Its bends begin with what F_m is at the left edge; right of the board ``F_m(x) - x`` is no more than there.
        """
        slope = np.concatenate([[0.0], np.diff(self.rise) / self.step, [0.0]])
        bend = np.diff(slope)
        bend[self.half] += self.weight  # that of x_+
        chance = np.maximum(bend, 0.0)[::-1]
        kept = chance > 0
        # Where bends were dented by round-off, E(x + G)_+ is larger; its slope far out is the sum of all.
        return Scores(-self.x[::-1][kept], chance[kept]), 2 * float(self.rise[0])

    def _play(self, padded: Array, steps: int, within: slice) -> None:
        best, own, mean = (np.empty(within.stop - within.start) for _ in range(3))
        first, last = self.margin + within.start, self.margin + within.stop
        places = [[[first + nodes for nodes in move.nodes] for move in moves] for _, moves in self.moves]
        for step in range(steps):
            for (weight, moves), led in zip(self.moves, places, strict=True):
                for i, move in enumerate(moves):
                    total = own if i else best
                    np.multiply(padded[led[i][0] : led[i][0] + len(total)], move.chance[0], out=total)
                    add_shifted(total, padded, led[i][1:], move.chance[1:])
                    bent = move.first - within.start
                    total[bent : bent + len(move.bump)] += move.bump
                    if i:
                        np.maximum(best, own, out=best)
                if weight < 1:
                    np.multiply(best, weight, out=best)
                    np.add(mean, best, out=mean) if moves is not self.moves[0][1] else np.copyto(mean, best)
            worth = mean if len(self.moves) > 1 else best
            # The next step looks no farther than a margin; what is beyond waits for the last one.
            near = self.margin if step < steps - 1 else len(padded)
            padded[max(first - near, 0) : first], padded[last : last + near] = worth[0], worth[-1]
            padded[first:last] = worth

    def _reach(self, steps: int, depth: float) -> int:
        return math.ceil((depth * math.sqrt(self.variance * steps) + 2 * self.largest) / self.step)

    def _padded(self, times: int = 1) -> Array:
        first, last = (np.full(times * self.margin, end) for end in (self.rise[0], self.rise[-1]))
        return np.concatenate([first, self.rise, last])

    def _move(self, law: Scores) -> _Move:
        place = law.value / self.step
        cell = np.floor(place).astype(np.intp)
        first = int(cell.min())
        mass = divided(cell - first, place - cell, law.chance, int(cell.max()) - first + 2)
        kept = [(first + i, float(m)) for i, m in enumerate(mass) if m > 0]
        rounded = Scores(self.step * np.array([float(nodes) for nodes, _ in kept]), np.array([m for _, m in kept]))
        far = max(abs(nodes) for nodes, _ in kept)
        bent = slice(self.half - far, self.half + far + 1)
        return _Move([nodes for nodes, _ in kept], [m for _, m in kept], bent.start, rise(*rounded, self.x[bent]))
