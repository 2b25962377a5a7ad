"""The game of any length, for one alpha: a few steps on the board, and then many at once.

Two ways, both upper bounds. *One law*: after some steps the worth is so smooth that the law with the largest variance
is the best nearly everywhere, and a certificate says what that misses. *Blocks*: F_m(x) = E(x + G)_+ for a law G, and
sums of q copies are worth q m steps: each block pays once for the kink of x_+.
"""

import math
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import BOARD_ERROR, TINY, UNIT
from shufflekit.convex_order import divided
from shufflekit.dominating_pairs.board import Board, Scores, rise
from shufflekit.dominating_pairs.certificate import TILTS, log_most, slack
from shufflekit.dominating_pairs.score_grid import LogMoments, Score, finite_score
from shufflekit.dominating_pairs.score_sums import Sums, fine_score, sums

STAGES = (30, 45, 70, 100, 150, 220, 320, 480, 700)  # after which one law is tried
BLOCK, LONG_BLOCK = 2_000, 5_000  # steps, at most; where the board serves for all alphas
SLACK = 2e-5  # of the worth, that one law may cost
PART_OF_CHERNOFF, LOG_HUGE = 0.02, 700.0
SPREAD = 8.0  # deviations of the steps on the board
APART = 3.0  # deviations between sums that share a tilt
MOST_COPIES = 20_000  # that are summed at once
MOST_IN_BUNDLE = 128  # scores of one law that are put together where they are more: that many steps more on the board
NODES, FINE_NODES = (6.0, 14.0), (12.0, 40.0)  # a deviation, on boards of few steps and of many
HEAVY = 0.8  # of the largest variance, that is nearly as large
LOG_MASSES = -40.0, -200.0  # of the sums that are to be right in a law of many scores
LEAST_TILT = 1e-3  # times the deviation of a score
LEAST_GAP = 0.01  # between the two largest variances, for one law to be enough
MOVED = 5e-5  # of the variance, that rounding to the grid may add
FEW_VALUES, MOST_PARTS = 8, 600
MOST_MIXED = 12  # laws, of which mixtures are tried
MOST_SIZES = 12  # of scores, that a grid is looked for on which they nearly lie
CELLS_OF_BLOCK = 48.0  # nodes a deviation of a block, when blocks are put together
LAW_NODES = 8.0  # a deviation, of what the last of many slots are worth
NODES_OF_SUM = 200.0  # a deviation of a sum, when it is added to what a board is worth: 2e-6 of eps


class Few(NamedTuple):
    """So many steps are played, and then one law takes over."""

    steps: int
    law: int


class LongGame:
    """Upper bounds of ``F_n(x)``, the scores having the mean 0."""

    def __init__(self, laws: Sequence[Scores], block: int = BLOCK) -> None:
        self.block, self.stages = block, list(STAGES)
        self.laws = _best(list(laws))
        self.deviation = math.sqrt(max(law.variance for law in laws))
        self.step, self.fine_step = grid_step(self.laws, *NODES), grid_step(self.laws, *FINE_NODES)

    def worth(self, n: int, x: Array) -> Array:
        """``F_n`` at the starts x, never too small."""
        if n == 0:
            return np.maximum(x, 0.0)
        return self.worths([n], [x], self.enough(n, n, x))[0]

    def worths(self, lengths: Sequence[int], starts: Sequence[Array], few: Few | None) -> list[Array]:
        """``F_n`` at some starts for each of the lengths n, which fall from the first on: at the cost of about one.

        ``few`` is what ``enough`` says of the first.
        """
        if few is not None:
            return self._by_one_law(few, lengths, starts)
        if lengths[0] <= self.block:
            return self._by_steps(lengths, starts)
        # More steps are worth more.
        worth = self._by_blocks(lengths[0], np.concatenate(starts))
        return np.split(worth, np.cumsum([len(x) for x in starts])[:-1])

    def enough(self, n: int, shortest: int, x: Array) -> Few | None:
        """After how many steps on the board which law may take over, if one may, in all games down to the shortest."""
        likely = self._likely(n, x)
        pure, stages = self._stages(max(0.0, float(-x.min())) / (n * self.deviation**2))
        for steps in stages:
            if steps >= min(shortest, self.block):
                return None
            (board,) = self._boards([steps], self.step)
            if (self._slack(board, pure, n - steps, x) <= SLACK * likely).all():
                return Few(steps, pure)
        return None

    def _by_one_law(self, few: Few, lengths: Sequence[int], starts: Sequence[Array]) -> list[Array]:
        """The sum of many scores is that of the shortest length; the longer ones have more steps on the board."""
        many, law, bundle = lengths[-1] - few.steps, self.laws[few.law], 1
        if many > MOST_COPIES:
            bundle = min(math.isqrt(many), MOST_IN_BUNDLE)
            many, law = many - many % bundle, _together(law, bundle)
        boards = self._boards([length - many for length in lengths], self.step)
        worths = self._after(boards, law, many // bundle, starts)
        return [
            worth + self._slack(board, few.law, many, x) for worth, board, x in zip(worths, boards, starts, strict=True)
        ]

    def _by_steps(self, lengths: Sequence[int], starts: Sequence[Array]) -> list[Array]:
        board, worths = Board(self.laws, lengths[0], self.fine_step), []
        for length, x in zip(lengths[::-1], starts[::-1], strict=True):
            worths.append(board.play(length - board.played).value(x))
        return worths[::-1]

    def mean_worth(self, numbers: Sequence[int], chances: Array, x: Array) -> Array:
        """``E F_K(x)`` for a random number K of steps; the numbers fall."""
        if numbers[0] <= self.block:
            return np.asarray(chances @ np.array(self._by_steps(numbers, [x] * len(numbers))))
        total = np.zeros(len(x))
        whole = [number // self.block for number in numbers]
        boards = self._boards(sorted({self.block, *(n % self.block for n in numbers)}, reverse=True), self.fine_step)
        played = {board.played: board for board in boards}
        law = played[self.block].law()
        for count in sorted(set(whole)):
            # After that many blocks, what is left of each number.
            several = zip(numbers, whole, chances, strict=True)
            left = [(played[n % self.block], float(chance)) for n, q, chance in several if q == count]
            mixed = boards[0].mixed(left)
            total += self._copies(mixed, law, count, x) if count else mixed.value(x)
        return total

    def _stages(self, tilt: float) -> tuple[int, list[int]]:
        """Which law may take over, and after how many steps: where a sum's slope is what its variance makes up for.

        The law is that which grows most where the start is made up for. Next to its variance V, another's V (1 - gap)
        with the skewness k is worth less where the slope of the density is below 3 gap/k of a score's deviation; four
        deviations out the slope of m scores is 4/sqrt(m).
        """
        tilt = max(tilt, LEAST_TILT / self.deviation)
        sizes = [float(law.log_moments(np.array([tilt]))[0]) * 2 / tilt**2 for law in self.laws]
        pure, needed = int(np.argmax(sizes)), 0.0
        for i, law in enumerate(self.laws):
            gap = 1 - sizes[i] / sizes[pure]
            skewness = max(0.0, float(law.chance @ law.value**3)) / sizes[pure] ** 1.5
            if i != pure:
                needed = max(needed, (4 * skewness / (3 * gap)) ** 2 if gap > LEAST_GAP else math.inf)
        return pure, [steps for steps in self.stages if steps >= needed / 2] if needed <= STAGES[-1] else []

    def _likely(self, n: int, x: Array) -> Array:
        """About what n scores of one law are worth, or less: a normal sum's, and a part of Chernoff's bound.

        Nothing but effort is decided by it.
        """
        deviation = self.deviation * math.sqrt(n)
        z = np.maximum(-x, 0.0) / deviation
        normal = deviation * np.exp(-(z**2) / 2) / (2.5 * (1 + z**2))
        tilts = TILTS * max(float(z.max()), 1.0) / deviation
        chernoff = n * log_most(self.laws, tilts) + np.outer(x, tilts) - 1 - np.log(tilts)
        return np.asarray(np.minimum(normal, PART_OF_CHERNOFF * np.exp(np.minimum(chernoff.min(axis=1), LOG_HUGE))))

    def _slack(self, board: Board, pure: int, steps: int, x: Array) -> Array:
        def times(log_lam: Array) -> Array:
            return math.log(steps) + (steps - 1) * log_lam

        return slack(board, self.laws, pure, x, steps + board.played, times)

    def _after(self, boards: Sequence[Board], law: Scores, n: int, starts: Sequence[Array]) -> list[Array]:
        """``E F_m(x + S)`` for each board and its starts x, S the sum of n scores of the law."""
        score = _score(law, n, max(float(-x.min()) for x in starts))
        spread = SPREAD * self.deviation * math.sqrt(boards[0].played)
        tilts = self._tilts(law, n, np.concatenate(starts), spread)
        found = sums(score, n, [score.step * tilt for tilt in tilts])
        total = on_grid(_listed(found), math.sqrt(n * law.variance) / NODES_OF_SUM)
        noise = 4 * UNIT * math.log2(len(found.value))
        worths = []
        for board, x in zip(boards, starts, strict=True):
            worth = np.array([float(dot(total.chance, board.value(start + total.value))) for start in x])
            # Of what is not listed, on the left the first value is more; on the right |y|, and at 0 the kink.
            unlisted = found.before * board.value(x + found.value[0]) + found.after * (1 + board.value(np.zeros(1))[0])
            worths.append(np.asarray((worth + unlisted) * (1 + noise)))
        return worths

    def _tilts(self, law: Scores, n: int, x: Array, spread: float) -> list[float]:
        """Those that make sums typical which are some deviations apart, so that all starts have digits, and what lies
        so far to the left of them."""
        low, high = max(0.0, float(-x.max()) - spread), max(0.0, float(-x.min()))
        count = 1 + math.ceil((high - low) / math.sqrt(n * law.variance) / APART)
        return [law.tilt_for_mean(start / n) for start in np.linspace(low, high, count)]

    def _by_blocks(self, n: int, x: Array) -> Array:
        count = math.ceil(n / self.block)
        (board,) = self._boards([math.ceil(n / count)], self.fine_step)
        return self._copies(Board(self.laws, 1, self.step), board.law(), count, x)

    def _copies(self, board: Board, law: Scores, count: int, x: Array) -> Array:
        """``E F_m(x + S)`` for a board and the sum of so many scores of a block's law."""
        steps = board.played + self.block * count
        if count > MOST_COPIES:
            inner = math.ceil(math.sqrt(count))
            law, count = _together(law, inner), math.ceil(count / inner)
        return self._after([board], law, count, [x])[0] * (1 + BOARD_ERROR * steps)

    def _boards(self, lengths: Sequence[int], step: float) -> Sequence[Board]:
        return _played(tuple(map(_hashable, self.laws)), tuple(lengths), step)


def _best(laws: list[Scores]) -> list[Scores]:
    """The laws but those which are in the convex order no more than another, or than a fair mixture of two others.

    Mixtures of two of many laws are not tried: they are very many.
    """
    x = -np.concatenate([law.value for law in laws])
    rises = [rise(law, x) for law in laws]
    kept = list(range(len(laws)))
    for i in range(len(laws)):
        others = [(j, k) for j in kept for k in kept if i != j <= k != i and (j == k or len(laws) <= MOST_MIXED)]
        if any((rises[i] <= (rises[j] + rises[k]) / 2 * (1 + BOARD_ERROR)).all() for j, k in others):
            kept.remove(i)
    return [laws[i] for i in kept]


def grid_step(laws: Sequence[Scores], coarse: float, fine: float) -> float:
    """A step, within so many nodes a deviation, on which the laws with nearly the largest variance nearly lie."""
    most = max(law.variance for law in laws)
    heavy = [law for law in laws if law.variance > HEAVY * most]
    deviation = math.sqrt(most)
    sizes = {abs(float(v)) for law in heavy for v in law.value if abs(v) > deviation / fine}
    if len(sizes) > MOST_SIZES:
        return deviation / coarse
    steps = [size / parts for size in sizes for parts in range(1, 200) if coarse <= deviation * parts / size <= fine]
    added = [max(_added(law, step) for law in heavy) / most for step in steps]
    if not steps:
        return deviation / fine
    good = [step for step, more in zip(steps, added, strict=True) if more <= MOVED]
    return max(good) if good else steps[int(np.argmin(added))]


def _score(law: Scores, n: int, c: float) -> Score:
    """A law on a grid, for sums of n about c: with few values, on the coarsest on which they nearly lie."""
    value, chance = law.value[law.chance > 0], law.chance[law.chance > 0]
    reach = float(np.ptp(value))
    if len(value) <= FEW_VALUES:
        for parts in range(1, MOST_PARTS):
            if _added(Scores(value - value.min(), chance), reach / parts) <= MOVED / 4 * law.variance:
                return finite_score(value, chance, reach / parts)
    return fine_score(value, chance, n, c, MOVED)


def _added(law: Scores, step: float) -> float:
    """What rounding to multiples of the step adds to the variance."""
    share = law.value / step % 1.0
    return float(law.chance @ (share * (1 - share))) * step**2


def _together(law: Scores, n: int) -> Scores:
    """The sum of n scores as one law, never smaller in the convex order; its chances sum to 1 or a little more."""
    score = _score(law, n, 0.0)
    moments = LogMoments(score)
    tilts = [moments.tilt_for_rarity(n, log_mass, side) for log_mass in LOG_MASSES for side in (-1, 1)]
    found = sums(score, n, [0.0, *tilts])
    value, mass = _listed(found)
    # What is not listed: before the first, at the first; after the last, so far out that it counts for as much.
    wide = float(value[-1] - value[0])
    value = np.concatenate([value[:1], value, [value[-1] + wide]])
    mass = np.concatenate([[found.before], mass, [2 * found.after / wide]])
    return on_grid(Scores(value, mass), math.sqrt(n * law.variance) / CELLS_OF_BLOCK)


def _listed(found: Sums) -> Scores:
    """The sums that are listed, with no less than their chances: where one is too small for a number, it is not 0."""
    kept = np.isfinite(found.mass.upper)
    return Scores(found.value[kept], np.maximum(found.mass.upper[kept], TINY))


def coarser(law: Scores) -> Scores:
    """Larger in the convex order, on fewer points."""
    return on_grid(law, math.sqrt(law.variance) / LAW_NODES)


def on_grid(law: Scores, step: float) -> Scores:
    """Each value divided between its neighbours among the multiples of the step: larger in the convex order."""
    cell = np.floor(law.value / step).astype(np.intp)
    first = int(cell.min())
    mass = divided(cell - first, law.value / step - cell, law.chance, int(cell.max()) - first + 2)
    kept = mass > 0
    return Scores(step * (first + np.arange(float(len(mass))))[kept], mass[kept])


def _hashable(law: Scores) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(law.value.tolist()), tuple(law.chance.tolist())


@lru_cache(maxsize=8)  # many starts are asked about, and at alpha = 1 many alphas
def _played(
    laws: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...], lengths: tuple[int, ...], step: float
) -> list[Board]:
    """Boards after so many steps each, the longest first."""
    board = Board([Scores(np.array(v), np.array(c)) for v, c in laws], lengths[0], step)
    played = []
    for length in lengths[::-1]:
        played.append(copy(board.play(length - board.played)))
    return played[::-1]
