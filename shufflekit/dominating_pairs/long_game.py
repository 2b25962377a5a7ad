"""The game of any length, for one alpha: a few steps on the board, and then many at once.

Three ways, all upper bounds. *One law*: after some steps the worth is so smooth that the law with the largest variance
is the best nearly everywhere, and a certificate says what that misses. *A soft start*: the same without the steps, see
``soft_start``. *Blocks*: F_m(x) = E(x + G)_+ for a law G, and sums of q copies are worth q m steps: each block pays
once for the kink of x_+.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import BOARD_ERROR, TINY
from shufflekit.dominating_pairs.board import DEPTH, LOG_HUGE, Board, Key, Scores
from shufflekit.dominating_pairs.certificate import TILTS, log_most, slack
from shufflekit.dominating_pairs.line import Rows, Share, stop_losses
from shufflekit.dominating_pairs.score_laws import grid_step, on_grid, undominated
from shufflekit.dominating_pairs.soft_start import SoftStarts, best_starts

STAGES = (30, 45, 70, 100, 150, 220, 320, 480, 700)  # after which one law is tried
MOST_COPIES = 900  # of a block, whose transform is worked out by products
# Steps, at most; where the board serves for all alphas; and where other laws have so much of the largest variance.
BLOCK, LONG_BLOCK, SHORT_BLOCK, CLEARLY = 2_000, 5_000, 700, 0.8
SLACK = 2e-5  # of the worth, that one law may cost after some steps
PART_OF_CHERNOFF = 0.02
LINE_RTOL = 1e-4  # of eps, of which the noise on a line takes a part
DEEPER, DEEPEST = 4.0, 60.0  # deviations, that a board reaches farther out than what is asked for, and at most
APART, BLOCKS_APART = 24.0, 4.0  # deviations: boards, and those of blocks, are not made for each depth
# Of a random number of steps, that it may be rounded up by: fewer boards are kept, or no other than a whole block's.
ROUNDED, WHOLE = 1e-5, 1e-4
FARTHER = 8.0  # deviations of a tilted block, that are to be known
NODES, FINE_NODES = (6.0, 14.0), (12.0, 40.0)  # a deviation, on boards of few steps and of many
LEAST_TILT = 1e-3  # times the deviation of a score
MOST_OF_ALL = 0.75  # of the steps: of more, the finer board of all steps is nearer
FEWEST_SOFT = 1_000.0  # scores other than 0: a soft start costs as much as some hundreds
LEAST_GAP = 0.01  # between the two largest variances, for one law to be enough
SKEW = 0.5  # times the square of the skewness: steps, before which their sum is far from normal
CELLS_OF_BLOCK = 64.0  # nodes a deviation of a block, when blocks are put together
NODES_OF_SUM = 60.0  # a deviation of a sum, of what a board is worth when that is added to it: 2e-5 of eps


class Few(NamedTuple):
    """What a board is worth after a few steps, and the law that takes over; or a start that needs no steps."""

    start: Board | SoftStarts | None
    law: int

    @property
    def steps(self) -> int:
        return self.start.played if isinstance(self.start, Board) else 0


class LongGame:
    """Upper bounds of ``F_n(x)``, the scores having the mean 0."""

    def __init__(self, laws: Sequence[Scores], block: int = BLOCK) -> None:
        self.laws, self.stages = undominated(list(laws)), list(STAGES)
        *others, most = sorted(law.variance for law in self.laws)
        self.block, self.clear = block, max(others, default=0.0) < CLEARLY * most
        # Of the worth, that one law may cost after some stage, and after the last; and of eps, with a soft start.
        self.slack, self.last_slack, self.soft = SLACK, SLACK, 0.0
        self.deviation = math.sqrt(most)
        self.step = grid_step(self.laws, *NODES, many=False)
        self.fine_step, self.block_step = (grid_step(self.laws, *FINE_NODES, many=many) for many in (False, True))

    @property
    def part(self) -> int:
        """The steps of a block, where there are several. What it pays for its kink is little if one law is clearly the
        largest."""
        return min(self.block, SHORT_BLOCK) if self.clear else self.block

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
        return self._split(self._by_blocks(lengths[0], np.concatenate(starts)), starts)

    def enough(self, n: int, shortest: int, x: Array) -> Few | None:
        """After how many steps on the board which law may take over, if one may, in all games down to the shortest."""
        if len(self.laws) == 1:
            return Few(None, 0)
        if soft := self.softly(n, x):
            return soft
        most = self.slack * self._likely(n, x)
        if most.min() < TINY:  # so far out that no slack is known to be little
            return None
        pure, stages = self._stages(max(0.0, float(-x.min())) / (n * self.deviation**2))
        stages = [steps for steps in stages if steps < min(shortest, self.block) and steps <= MOST_OF_ALL * n]
        if not stages:
            return None
        board = Board(self.laws, max(stages), self.step)
        needed, before, over = 0.0, 0, math.inf
        for steps in stages:
            if steps < needed:
                continue
            board = board.play(steps - board.played)
            left = np.maximum(self._slack(board, pure, np.full(len(x), float(n - steps)), x), TINY)
            last, over = over, float((np.log(left) - np.log(most)).max())
            last_over = over - math.log(self.last_slack / self.slack)
            if (over if steps < stages[-1] else last_over) <= 0:
                return Few(board, pure)
            # The logarithm falls ever more slowly: what is on a straight line with the last two comes later.
            falls = (last - over) / (steps - before)
            if falls <= 0 or steps + last_over / falls > stages[-1]:
                return None
            needed = min(steps + over / falls, stages[-1])
            before = steps
        return None

    def softly(self, n: int, x: Array) -> Few | None:
        """A start that needs no steps, if it costs little enough."""
        found = best_starts(self.laws, n, x, self.soft) if self.may_be_soft(n) else None
        return None if found is None else Few(found[0], 0)

    def may_be_soft(self, n: int) -> bool:
        """Whether such a start is looked for."""
        heard = n * max(float(law.chance[law.value != 0].sum()) for law in self.laws)
        return bool(self.soft) and len(self.laws) > 1 and heard >= FEWEST_SOFT

    def _by_one_law(self, few: Few, lengths: Sequence[int], starts: Sequence[Array]) -> list[Array]:
        """The last steps are on the board; before them come as many scores of the law as are left of each length."""
        x, row = np.concatenate(starts), np.repeat(np.arange(len(lengths)), [len(own) for own in starts])
        if isinstance(few.start, SoftStarts):
            return self._split(few.start.worth(lengths[0], x), starts)  # more steps are worth more
        number, none = np.array(lengths, dtype=float) - few.steps, np.zeros(len(lengths))
        crowd = Share(self.laws[few.law], number, np.ones(len(lengths)))
        if few.start is None:
            return self._split(stop_losses([crowd], none, -x, LINE_RTOL, row).upper, starts)
        board = few.start
        if self._depth(lengths[0], x, BLOCKS_APART) > board.depth:
            board = self._board(few.steps, self.step, self._depth(lengths[0], x, APART))
        worth = self._after([board], crowd, none, x, row)
        return self._split(worth + self._slack(board, few.law, number[row], x), starts)

    @staticmethod
    def _split(worth: Array, starts: Sequence[Array]) -> list[Array]:
        return np.split(worth, np.cumsum([len(own) for own in starts])[:-1])

    def _by_steps(self, lengths: Sequence[int], starts: Sequence[Array]) -> list[Array]:
        board, worths = Board(self.laws, lengths[0], self.fine_step), []
        for length, x in zip(lengths[::-1], starts[::-1], strict=True):
            worths.append(board.play(length - board.played).value(x))
        return worths[::-1]

    def mean_worth(self, numbers: Sequence[int], chances: Array, x: Array, apart: float) -> Array:
        """``E F_K(x)`` for a random number K of steps, or a few more; numbers fall, depths of boards lie ``apart``."""
        laws, weights = tuple(law.key for law in self.laws), tuple(chances.tolist())
        if numbers[0] <= self.block:
            means, _ = _left_over(laws, tuple(numbers), weights, numbers[0] + 1, self.fine_step, DEPTH)
            return means[0].value(x)
        if self.part <= WHOLE * numbers[0]:
            counts, row = np.unique([-(-number // self.part) for number in numbers], return_inverse=True)
            log_chance, none = np.log(np.bincount(row, chances)), Board(self.laws, 1, self.step)
            block = self._board(self.part, self.block_step, self._depth_of_block(numbers[0], self.part, x))
            return self._copies([none], block, counts.astype(np.float64), log_chance, x)
        more = min(max(math.floor(ROUNDED * numbers[0]), 1), self.part)
        numbers, depth = [more * -(-number // more) for number in numbers], self._depth(numbers[0], x, apart)
        means, block = _left_over(laws, tuple(numbers), weights, self.part, self.block_step, depth)
        total = means[0].value(x) if 0 in means else np.zeros(len(x))
        if whole := [count for count in means if count]:
            boards, number = [means[count] for count in whole], np.array(whole, dtype=np.float64)
            total += self._copies(boards, block, number, np.zeros(len(whole)), x)
        return total

    def _stages(self, tilt: float) -> tuple[int, list[int]]:
        """Which law may take over, and after how many steps: where a sum's slope is what its variance makes up for.

        The law is that which grows most where the start is made up for. Next to its variance V, another's V (1 - gap)
        with the skewness k is worth less where the slope of the density is below 3 gap/k of a score's deviation; four
        deviations out the slope of m scores is 4/sqrt(m).
        """
        tilt = max(tilt, LEAST_TILT / self.deviation)
        sizes = [float(law.log_moments(np.array([tilt]))[0]) * 2 / tilt**2 for law in self.laws]
        pure = int(np.argmax(sizes))
        needed = SKEW * self.laws[pure].skewness ** 2  # before, a single large score is more than a board holds
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

    def _slack(self, board: Board, pure: int, steps: Array, x: Array) -> Array:
        """After so many steps from each start: any tilt serves all of them, and what a step gains is the same."""

        def times(log_lam: Array) -> Array:
            return np.log(steps)[:, None] + np.outer(steps - 1, log_lam)

        return slack(board, self.laws, pure, x, float(steps.max()) + board.played, times)

    def _after(self, boards: Sequence[Board], crowd: Share, log_chance: Array, x: Array, row: Rows = None) -> Array:
        """``E F_m(x + S)`` for the crowd's sum S, where nothing of F_m is looked at beyond a board.

        There is one board for all numbers of the crowd, or one for each.
        """
        inner = [board.inner_law() for board in boards]
        laws, (mass, edge) = [law for law, _ in inner], np.array([(law.chance.sum(), edge) for law, edge in inner]).T
        apart = math.sqrt(float(crowd.number.max()) * crowd.law.variance + laws[0].variance) / NODES_OF_SUM
        smooth = [on_grid(law, apart) if apart > boards[0].step else law for law in laws]
        number = np.eye(len(laws)) if len(laws) > 1 else np.ones((1, len(log_chance)))
        last = [
            Share(law._replace(chance=law.chance / total), own, np.ones(len(own)))
            for law, total, own in zip(smooth, mass, number, strict=True)
        ]
        found = stop_losses([crowd, *last], log_chance + np.log(mass), -x, LINE_RTOL, row).upper
        return np.asarray((found + edge.sum()) * (1 + 2 * BOARD_ERROR * (boards[0].played + 1)))

    def _depth(self, n: int, x: Array, apart: float) -> float:
        """How many deviations a board is to reach out, so that what it ends with is less than what is asked for."""
        out = float(-x.min()) / (self.deviation * math.sqrt(n))
        return float(min(max(DEPTH, apart * math.ceil((out + DEEPER) / apart)), DEEPEST))

    def _depth_of_block(self, n: int, steps: int, x: Array) -> float:
        """How many deviations of a block are to be known, of n scores in blocks: those that matter to all of them.

        They are the typical ones under the tilt that brings the sum of all to the farthest start.
        """
        mean, farthest = max(0.0, float(-x.min())) / n, 0.0
        for law in self.laws:
            own, variance = law.tilted(law.tilt_for_mean(mean))
            farthest = max(farthest, steps * own + FARTHER * math.sqrt(steps * variance))
        out = farthest / (self.deviation * math.sqrt(steps))
        return float(min(max(DEPTH, BLOCKS_APART * math.ceil(out / BLOCKS_APART)), DEEPEST))

    def _by_blocks(self, n: int, x: Array) -> Array:
        few = math.ceil(n / MOST_COPIES)
        count = math.ceil(n / (max(self.part, few) if few <= self.block else self.part))
        steps = math.ceil(n / count)
        board = self._board(steps, self.block_step, self._depth_of_block(n, steps, x))
        return self._copies([Board(self.laws, 1, self.step)], board, np.full(1, float(count)), np.zeros(1), x)

    def _copies(self, boards: Sequence[Board], block: Board, number: Array, log_chance: Array, x: Array) -> Array:
        """``E F_m(x + S)`` for the sum S of a random number of a block's scores, and a board, or one for each."""
        law, steps = block.law(), boards[0].played + block.played * float(number.max())
        crowd = Share(on_grid(law, math.sqrt(law.variance) / CELLS_OF_BLOCK), number, np.ones(len(number)))
        return self._after(boards, crowd, log_chance, x) * (1 + BOARD_ERROR * steps)

    def _board(self, steps: int, step: float, depth: float = DEPTH) -> Board:
        return _played(tuple(law.key for law in self.laws), steps, step, depth)


@lru_cache(maxsize=8)  # many starts are asked about, and at alpha = 1 many alphas
def _played(laws: tuple[Key, ...], steps: int, step: float, depth: float) -> Board:
    return Board(list(map(Scores.of_key, laws)), steps, step, depth).play(steps)


@lru_cache(maxsize=4)  # at alpha = 1 many alphas are asked about; boards one by one would be a hundred times as much
def _left_over(
    laws: tuple[Key, ...],
    numbers: tuple[int, ...],
    chances: tuple[float, ...],
    block: int,
    step: float,
    depth: float,
) -> tuple[dict[int, Board], Board]:
    """For how many whole blocks a number of steps may hold, the mean of boards after what is left; and a block's."""
    left = sorted((number % block, number // block, chance) for number, chance in zip(numbers, chances, strict=True))
    board, means = Board(list(map(Scores.of_key, laws)), block, step, depth), dict[int, Board]()
    for length, count, chance in left:
        board.play(length - board.played)
        before = [(means[count], 1.0)] if count in means else []
        means[count] = board.mixed([*before, (board, chance)])
    return means, board.play(block - board.played)
