"""One round of a described pair: delta is evaluated, not composed, and inverted by a search."""

import math
import sys

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import LOG_LEFT_OUT, LOG_LEFT_OUT_OF_SEARCH, SUM_ERROR
from shufflekit.bracket import Bracket, Ends, bracket
from shufflekit.dominating_pairs import Pair

ROUGH, FINE = 0.03, 1e-4  # tolerances: one at which an evaluation is cheap, one at which little is unknown
GUIDED, GUIDE_POINTS = (0.2, 1.4), 81  # of what the guide says, the stretch that is looked at
MOST_LOOKS = 40
HARDLY_NEARER = 0.8  # of the width before
FAR = 0.01  # relative: ends between which a look in the middle pays
MOST = 600.0  # eps beyond which e^eps is hardly a number


def delta(pair: Pair, eps: float, rtol: float) -> Bracket:
    """``delta(eps)`` of one round, both ends."""
    ends = bracket(0.0, 1.0)
    # delta moves about 2 log(1/delta) times as much as eps does.
    for finer in (rtol / 4, rtol / 32, rtol / 512):
        lower, upper = pair.delta(np.array([eps]), finer)
        before, ends = ends.width, bracket(max(ends.lower, float(lower[0])), min(ends.upper, float(upper[0])))
        # What no tolerance mends is the floating point's.
        if ends.upper - ends.lower <= max(rtol * ends.upper, sys.float_info.min) or ends.width > HARDLY_NEARER * before:
            break
    return ends


def epsilon(pair: Pair, delta: float, rtol: float) -> Bracket:
    """The least eps with ``delta(eps) <= delta`` of one round, both ends."""
    if pair.infinite * (1 - SUM_ERROR) > delta:
        return bracket(math.inf, math.inf)
    if pair.guide is not None:
        return _guided(pair, pair.guide, delta, rtol)
    search = _Search(pair, delta)
    search.locate()
    for finer in (20 * rtol, rtol, rtol / 4, rtol / 32, rtol / 32):
        search.polish(min(finer, ROUGH))
        if finer == rtol / 32:
            search.log_cut += LOG_LEFT_OUT  # where delta is flat, what was left out is seen before the tolerance is
        if bracket(search.low, search.high).width <= rtol:
            break
    return bracket(search.low, search.high)


def _guided(pair: Pair, guide: Pair, delta: float, rtol: float) -> Bracket:
    """By few evaluations of a pair that costs much, and many of one that costs little and has a like curve."""
    low, high = 0.0, pair.largest_loss
    if guide.delta(np.zeros(1), ROUGH).upper[0] < 10 * delta and pair.delta(np.zeros(1), rtol).upper[0] <= delta:
        return bracket(0.0, 0.0)
    about = epsilon(guide, delta, ROUGH).upper
    if not 0.0 < about < math.inf:
        about = high / 2
    eps = np.linspace(GUIDED[0], GUIDED[1], GUIDE_POINTS) * about
    log_guide = np.log(np.maximum(guide.delta(eps, ROUGH).upper, sys.float_info.min))
    known: list[tuple[float, float]] = []  # eps, and the logarithm of delta there over the target
    at = min(about, high * (1 - rtol / 2))
    for look in range(MOST_LOOKS):
        value = max(float(pair.delta(np.array([at]), rtol).upper[0]), sys.float_info.min)
        low, high = (max(low, at), high) if value > delta else (low, min(high, at))
        if bracket(low, high).width <= rtol:
            break
        known.append((at, math.log(value / delta)))
        gap = known[0][1] - float(np.interp(known[0][0] ** 2, eps**2, log_guide))
        root = _root(known) if look else math.sqrt(float(np.interp(gap, -log_guide, eps**2)))
        # On both sides of where it should be, by turns.
        at = root * (1 + (1 if root <= low or high > root * (1 + rtol / 2) else -1) * rtol / 3)
        if not low < at < high:
            at = (low + high) / 2
    return bracket(low, high)


def _root(known: list[tuple[float, float]]) -> float:
    """Where the straight line through the two points nearest to the root has it, ``log delta`` in ``eps^2``."""
    (x, y), (other, beyond) = sorted(known, key=lambda point: abs(point[1]))[:2]
    if y == beyond:
        return x
    return math.sqrt(max(0.0, x**2 - y * (x**2 - other**2) / (y - beyond)))


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
        for part in (np.linspace(0.05, 1, 20), np.linspace(1.05, 2, 20)):  # what is farther out costs more
            if self.high > reach * float(part[0]):
                self.look(np.minimum(reach * part, top), ROUGH)
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
            points = np.array([low, (low + high) / 2, high] if high - low > FAR * high else [low, high])
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
