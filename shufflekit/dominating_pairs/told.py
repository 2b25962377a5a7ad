"""The game where most slots stay silent, whichever law is chosen: how many do not is told beforehand.

Silence is a score of 0, with a chance of at least 1 - r under every law: so a step is a coin with the chance r, and
then one of the laws of those who report. Who knows beforehand how the coins fall chooses no worse, and

    F_n(x) <= E F'_K(x),        K ~ Bin(n, r),

F' being the game of those who report, which takes K steps in place of n. More of them than a board is played for are
bounded by Chernoff: ``F'_K(x) <= L^K e^{c x - 1}/c``, L the largest ``E e^{c g}`` of the laws.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shufflekit._binomial import log_pmf, tail
from shufflekit._validate import Array
from shufflekit.accuracy import TINY, count_error, pmf_error
from shufflekit.dominating_pairs.blocks import window
from shufflekit.dominating_pairs.board import DEPTH, LOG_HUGE, Board, Scores
from shufflekit.dominating_pairs.certificate import log_most
from shufflekit.dominating_pairs.long_game import Few, LongGame

LEAST_SILENT = 0.5  # of the slots: with fewer there is little to be gained
FEW_REPORTS = 0.25  # on the average: slot by slot a grid would be far finer than their scores; of more, telling costs
TILTS = np.geomspace(1 / 64, 4.0, 25)  # of Chernoff's bound, next to that of a normal sum
LOG_BEYOND = -32.0  # of what more reports than are played may add, relative
LOG_PART, LOG_LEAST = -16.0, -600.0  # the same in blocks: relative to about the least worth, and at least
FEWER = 0.8  # times the slots of a block, until its reports fit a board
ROUND_OFF = 1e-12  # of a chance
FARTHEST = 40.0  # deviations of the reports, and one more: farther out no board is played
DEEPER = 4.0  # deviations, that the board reaches farther out than what is asked for


class Told:
    """Upper bounds of ``F_n(x)``, as ``LongGame`` has them."""

    def __init__(
        self, laws: Sequence[Scores], slots: int, make: Callable[[Sequence[Scores]], LongGame], finest: int
    ) -> None:
        self.rate, self.slots = _rate(laws), slots
        self.game = make([_reporting(law, self.rate) for law in laws])
        # A slot's scores deviate less than a report's do: a grid that is as fine for them makes boards shorter.
        finer = max(1, min(finest, math.floor(self.rate**-0.5)))
        self.game.fine_step, self.game.block = (
            self.game.fine_step / finer,
            math.ceil(self.game.block * finer ** (-2 / 3)),
        )

    def is_far(self, n: int, x: Array) -> bool:
        """Whether a start lies so far out that no board is played."""
        return float(-x.min()) > FARTHEST * self.game.deviation * math.sqrt(n * self.rate + 1)

    @property
    def block(self) -> int:
        """Games of so many slots are played on one board, one as well as many."""
        return self.slots

    def enough(self, n: int, shortest: int, x: Array) -> Few | None:
        """No law takes over: boards are short."""
        return None

    def worth(self, n: int, x: Array) -> Array:
        """``F_n`` at the starts x, never too small."""
        return self.worths([n], [x])[0]

    def worths(self, lengths: Sequence[int], starts: Sequence[Array], few: Few | None = None) -> list[Array]:
        """The same at some starts for each of the lengths n, which fall from the first on."""
        x, row = np.concatenate(starts), np.repeat(np.arange(len(lengths)), [len(own) for own in starts])
        if self.is_far(lengths[0], x):
            return [np.full(len(own), np.inf) for own in starts]
        most = self._most(lengths[0], x)
        if most <= self.game.block:
            found = self._on_a_board(lengths, x, row, most) + self._beyond(lengths[0], x, most)
        else:
            found = self._by_blocks(lengths[0], x)  # more slots are worth more
        return np.split(found, np.cumsum([len(own) for own in starts])[:-1])

    def _most(self, n: int, x: Array) -> int:
        """More reports hardly matter: those that are typical under the tilt of the farthest start."""
        _, log_worth, chance = self._chernoff(n, x[x.argmin() : x.argmin() + 1])
        i = int(log_worth[0].argmin())
        return window(n, float(chance[i]), 1 - float(chance[i]), LOG_BEYOND)[1]

    def _chernoff(self, n: int, x: Array) -> tuple[Array, Array, Array]:
        """Tilts, the logarithms of the bounds by starts and tilts, and the chance of a report under each."""
        deviation = self.game.deviation * math.sqrt(n * self.rate)
        tilts = TILTS * max(float(-x.min()) / deviation, 1.0) / deviation
        size = np.exp(np.minimum(log_most(self.game.laws, tilts), LOG_HUGE))
        log_all = n * np.log1p(self.rate * (size - 1))
        return tilts, np.outer(x, tilts) + log_all - 1 - np.log(tilts), self.rate * size / (1 + self.rate * (size - 1))

    def _beyond(self, n: int, x: Array, most: int) -> Array:
        """What more reports may be worth."""
        if most >= n:
            return np.zeros(len(x))
        _, log_worth, chance = self._chernoff(n, x)
        left = [float(tail(most + 1, n, p, 1 - p)) * (1 + count_error(n)) for p in chance.tolist()]
        log_worth = (log_worth + np.log(np.maximum(left, TINY))).min(axis=1)
        return np.asarray(np.exp(np.minimum(log_worth, LOG_HUGE)) * (1 + 1e-9))

    def _on_a_board(self, lengths: Sequence[int], x: Array, row: NDArray[np.intp], most: int) -> Array:
        """One board for all numbers of reports."""
        chance = np.array([_chances(np.arange(most + 1.0), n, self.rate) for n in lengths])
        total = chance[row, 0] * np.maximum(x, 0.0)
        board = Board(self.game.laws, most, self.game.fine_step, self._depth(x, most))
        value = board.reading(x)
        for count in range(1, most + 1):
            board.play(1)
            total += chance[row, count] * value()
        return np.asarray(total * (1 + pmf_error(lengths[0] * self.rate)))

    def _by_blocks(self, n: int, x: Array) -> Array:
        """Blocks of slots, each with one board for all numbers of reports; each pays once for the kink of x_+."""
        # More reports of a block add the same wherever it starts: that is to be hardly anything of the least worth.
        least = min(max(float(self._chernoff(n, x)[1].min(axis=1).min()) + LOG_PART, LOG_LEAST), 0.0)
        slots, most = n, self.game.block
        while slots > 1 and float(tail(most + 1, slots, self.rate, 1 - self.rate)) > math.exp(least):
            slots = math.floor(FEWER * slots)
        count = math.ceil(n / slots)
        slots = math.ceil(n / count)
        most = min(most, slots)
        board = self._mean_board(slots, most, self.game._depth_of_block(math.ceil(n * self.rate), most, x))
        gain = max(float(law.chance @ np.maximum(law.value, 0.0)) for law in self.game.laws)
        beyond = slots * self.rate * float(tail(most, slots - 1, self.rate, 1 - self.rate)) if most < slots else 0.0
        none = Board(self.game.laws, 1, self.game.step)
        worth = self.game._copies([none], board, np.full(1, float(count)), np.zeros(1), x)
        return np.asarray(worth + count * gain * beyond * (1 + count_error(slots)))

    def _mean_board(self, slots: int, most: int, depth: float) -> Board:
        """Of as many reports as so many slots make."""
        chance = _chances(np.arange(most + 1.0), slots, self.rate) * (1 + pmf_error(slots * self.rate))
        board = Board(self.game.laws, most, self.game.fine_step, depth)
        mean = board.mixed([(board, float(chance[0]))])
        for count in range(1, most + 1):
            mean = board.mixed([(mean, 1.0), (board.play(1), float(chance[count]))])
        return mean

    def _depth(self, x: Array, most: int) -> float:
        out = float(-x.min()) / (self.game.deviation * math.sqrt(most))
        return max(DEPTH, out + DEEPER)


def serves(laws: Sequence[Scores], slots: int, block: int) -> bool:
    """Whether most slots stay silent, and more than a board takes, or all but a few: else nothing need be told."""
    rate = _rate(laws)
    return rate <= 1 - LEAST_SILENT and (slots > block or slots * rate <= FEW_REPORTS)


def _rate(laws: Sequence[Scores]) -> float:
    """The largest chance of another score than 0."""
    return min(max(float(law.chance[law.value != 0].sum()) for law in laws), 1.0)


def _reporting(law: Scores, rate: float) -> Scores:
    """The law of a slot that reports with this chance, or makes up for that by a score of 0."""
    heard = law.value != 0
    value, chance = law.value[heard], law.chance[heard] / rate
    rest = 1 - float(chance.sum())
    return Scores(np.append(value, 0.0), np.append(chance, rest)) if rest > ROUND_OFF else Scores(value, chance)


def _chances(count: Array, n: int, rate: float) -> Array:
    """Of so many reports, by rising numbers from 0 on."""
    return np.where(count <= n, np.exp(log_pmf(np.minimum(count, n), n, rate)), 0.0)
