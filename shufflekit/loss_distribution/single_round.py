"""One round of a described pair: delta is evaluated, not composed, and inverted by a search."""

import math
import sys

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import LOG_LEFT_OUT, LOG_LEFT_OUT_OF_SEARCH
from shufflekit.bracket import Bracket, Ends, bracket
from shufflekit.dominating_pairs import Pair

ROUGH, FINE = 0.03, 1e-4  # tolerances: one at which an evaluation is cheap, one at which little is unknown
MOST = 600.0  # eps beyond which e^eps is hardly a number


def delta(pair: Pair, eps: float, rtol: float) -> Bracket:
    """``delta(eps)`` of one round, both ends."""
    ends = bracket(0.0, 1.0)
    # delta moves about 2 log(1/delta) times as much as eps does.
    for finer in (rtol / 4, rtol / 32, rtol / 512):
        lower, upper = pair.delta(np.array([eps]), finer)
        before, ends = ends.width, bracket(max(ends.lower, float(lower[0])), min(ends.upper, float(upper[0])))
        # What no tolerance mends is the floating point's.
        if ends.upper - ends.lower <= max(rtol * ends.upper, sys.float_info.min) or ends.width > 0.8 * before:
            break
    return ends


def epsilon(pair: Pair, delta: float, rtol: float) -> Bracket:
    """The least eps with ``delta(eps) <= delta`` of one round, both ends."""
    search = _Search(pair, delta)
    search.locate()
    for finer in (20 * rtol, rtol, rtol / 4, rtol / 32, rtol / 32):
        search.polish(min(finer, ROUGH))
        if finer == rtol / 32:
            search.log_cut += LOG_LEFT_OUT  # where delta is flat, what was left out is seen before the tolerance is
        if bracket(search.low, search.high).width <= rtol:
            break
    return bracket(search.low, search.high)


class _Search:
    """What is known so far: delta's lower end is at least the target at ``low``, its upper end no more at ``high``."""

    def __init__(self, pair: Pair, delta: float) -> None:
        self.pair, self.delta, self.log_cut = pair, delta, math.log(delta) + LOG_LEFT_OUT_OF_SEARCH
        self.low, self.high = 0.0, pair.largest_loss

    def look(self, points: Array, rtol: float) -> Ends:
        """Both ends at some points, and what follows from them."""
        ends = self.pair.delta(points, rtol, self.log_cut)
        self.low = max(self.low, float(points[ends.lower >= self.delta].max(initial=0.0)))
        if (ends.lower > self.delta)[points > self.pair.largest_finite_loss].any():
            self.low = math.inf  # delta falls no further
        self.high = min(self.high, float(points[ends.upper <= self.delta].min(initial=math.inf)))
        return ends

    def locate(self) -> None:
        """Roughly, from coarse evaluations, the first where the eps of a Gaussian loss with this delta(0) lies."""
        deviation = 2.6 * float(self.look(np.zeros(1), ROUGH).upper[0])
        if self.high == 0.0:
            return
        if self.high == math.inf > self.pair.largest_finite_loss and not self.ends_somewhere():
            return
        top = min(self.high, MOST)
        reach = deviation * (1 + math.sqrt(-2 * math.log(self.delta)))
        self.look(np.minimum(reach * np.linspace(0.05, 2, 40), top), ROUGH)
        if self.low == 0.0 or self.high == math.inf:
            self.look(top * np.logspace(-12, 0, 49), ROUGH)
        for _ in range(4):
            if not self.low < self.high < math.inf or self.high - self.low <= 2 * ROUGH * self.high:
                return
            self.look(np.linspace(self.low, self.high, 18)[1:-1], ROUGH)

    def ends_somewhere(self) -> bool:
        """Whether delta may fall to the target before only infinite losses are left: looked at from far out."""
        for rtol, left_out in ((ROUGH, 0.0), (FINE, LOG_LEFT_OUT)):
            self.log_cut += left_out
            self.look(np.array([min(2 * self.pair.largest_finite_loss + 1, MOST)]), rtol)
            if self.low == math.inf or self.high < math.inf:
                break
        return self.low < math.inf

    def polish(self, rtol: float) -> None:
        """From the two ends of what is left inwards, ``log delta`` being nearly linear in ``eps^2``."""
        margin = rtol / 16
        for _ in range(6):
            low, high = self.low, self.high
            if not low < high < math.inf or high - low <= 4 * margin * high:
                return
            points = np.array([low, (low + high) / 2, high] if high - low > 0.01 * high else [low, high])
            ends = self.look(points, rtol)
            roots = [_crossing(points, end, self.delta) for end in ends]
            near = [root * (1 + side * margin) for root in roots for side in (-1, 1) if root > 0]
            points = np.clip(np.array([*near, (low + high) / 2]), low, high)
            self.look(points, rtol)
            # The ends stand apart for a reason: what is left between them cannot be had at this tolerance.
            if self.high - self.low <= roots[1] - roots[0] + 4 * margin * high:
                return
            margin *= 8


def _crossing(eps: Array, values: Array, target: float) -> float:
    """Where interpolation says that the falling values reach the target; 0 where it cannot say."""
    kept = values > 0
    if kept.sum() < 2:
        return 0.0
    x, y = eps[kept] ** 2, np.log(values[kept]) - math.log(target)
    return math.sqrt(max(0.0, float(np.interp(0.0, -y, x))))
