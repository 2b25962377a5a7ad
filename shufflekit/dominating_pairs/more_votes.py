"""Votes with some more messages that may be labelled: the pair of a crowd, of which a few are worth a little more."""

import math
from dataclasses import dataclass

import numpy as np

from shufflekit._binomial import pmf, tail
from shufflekit._validate import Array
from shufflekit.accuracy import TINY, stretch_error
from shufflekit.dominating_pairs.blocks import Blocks, blocks, outside, window
from shufflekit.dominating_pairs.votes import MOST_EPS, Votes

PART_OF_RTOL = 0.4  # that blocks may take
MOST_ASKED = 2**24  # rows times eps: with more, values of d are looked at that lie farther apart


@dataclass(frozen=True)
class MoreVotes(Votes):
    """``more`` further messages, each labelled with ``more_rate``, and else silent; all labelled ones vote alike.

    What these add on the average is taken off: ``base`` is that of the messages without them.
    """

    more: int = 0
    more_rate: float = 0.0

    @property
    def stretched(self) -> float:
        return super().stretched + stretch_error(self.more, self.more_rate)

    def upper(self, eps: Array, rtol: float, log_cut: float, moved: Array | None = None) -> Array:
        """``H_{e^eps}``, never too small, at an array of eps >= 0; or R's mean of ``(P/R - e^eps Q/R + moved)_+``."""
        width = PART_OF_RTOL * rtol
        parts = blocks(self.count, self.rate, self.rest, width=width, log_cut=log_cut, growing=True)
        # What is outside the stretch of further labelled messages weighs no more than all of these.
        first, last = window(self.more, self.more_rate, 1 - self.more_rate, log_cut)
        out = float(tail(last + 1, self.more, self.more_rate, 1 - self.more_rate))
        before = float(tail(self.more - first + 1, self.more, 1 - self.more_rate, self.more_rate)) if first else 0.0
        slope = self.less + self.gap / 2
        missing = self._missing(parts) + (out + before) * (1 + slope * self.more)
        most = 1.0
        if moved is not None:
            away = outside(self.count, self.rate, self.rest, int(parts.low[0]), int(parts.high[-1]))
            missing += max(float(moved.max()), 0.0) * (away.probability + out + before) * (1 + self.stretched)
            most = math.inf
        lowered = Votes(
            self.count,
            self.rate,
            self.rest,
            self.base - slope * self.more * self.more_rate,
            self.less,
            self.gap,
            self.third_rate,
            self.third,
        )
        # Taking neighbours for one is rounding up wherever they lie, at a cost of second order in how far apart.
        many = self.rows_of_points(rtol, log_cut) * len(eps) / MOST_ASKED
        rows = lowered.heavier(self._joined(parts, first, last), rtol * max(1.0, many) ** 2, log_cut)
        above, error = lowered.excess(rows, np.minimum(eps, MOST_EPS), moved)
        return np.clip((above + error) * (1 + self.stretched) + missing, TINY, most)

    def _joined(self, parts: Blocks, first: int, last: int) -> Blocks:
        """The labelled ones of both kinds together."""
        step = max(1, int(np.median(parts.high - parts.low)) + 1)
        low = np.arange(first, last + 1.0, step)
        high = np.minimum(low + step - 1, last)
        mass = np.add.reduceat(pmf(np.arange(first, last + 1.0), self.more, self.more_rate), (low - first).astype(int))
        if parts.single:
            both = np.arange(parts.low[0] + first, parts.high[-1] + last + 1)
            return Blocks(both, both, np.convolve(parts.mass, mass))
        # Blocks that begin near each other are one.
        begin, end, both = (
            np.add.outer(parts.low, low).ravel(),
            np.add.outer(parts.high, high).ravel(),
            np.multiply.outer(parts.mass, mass).ravel(),
        )
        order = np.argsort(begin, kind="stable")
        begin, end, both = begin[order], end[order], both[order]
        starts = np.flatnonzero(np.diff((begin - begin[0]) // step, prepend=-1.0))
        return Blocks(begin[starts], np.maximum.reduceat(end, starts), np.add.reduceat(both, starts))
