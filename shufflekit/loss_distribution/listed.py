"""Rounds whose pairs are listed, from below and from above, composed and read off.

An FFT forgets what is 1e-16 of its largest entry. So P is tilted first (multiplied by ``e^{t loss}``, with t such that
the losses that matter for delta are the typical ones); round-off and wrap-around are bounded and added.
"""

import math
import sys
from collections.abc import Callable, Sequence

import numpy as np

from shufflekit.accuracy import UNIT
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Bracket, bracket
from shufflekit.convex_order import contract, split
from shufflekit.loss_distribution.curve import STRETCH, Curve, deltas
from shufflekit.loss_distribution.parts import Leftover, Moments, Part, leftover, moments, reach, rounding
from shufflekit.loss_distribution.spectrum import composed
from shufflekit.search import first_yes

MAX_GRID = 2**22
MAX_OUTCOMES = 2**21  # of all rounds together, that are listed one by one
MOST_DOUBLINGS = 1100  # of a tilt, from 1: floating point holds no more
LEAST_DEVIATION = 1e-140  # of the loss: its square is a number still


class Listed:
    """Independent rounds of pairs that lie between two lists of atoms."""

    def __init__(self, parts: Sequence[Part[Enclosure]]) -> None:
        self.lower = [Part(known.lower, rounds) for known, rounds in parts]
        self.upper = [Part(known.upper, rounds) for known, rounds in parts]
        outcomes = math.prod(len(pair.loss) ** min(rounds, 64) for pair, rounds in self.upper)
        if outcomes <= MAX_OUTCOMES and all(rounds <= 64 for _, rounds in self.upper):
            self.lower, self.upper = ([Part(_all_outcomes(parts), 1)] for parts in (self.lower, self.upper))
        self._left = leftover(self.lower), leftover(self.upper)
        most = sum(rounds * float(pair.loss[-1]) for pair, rounds in self.upper) + rounding(self.upper)
        self._largest_loss = math.inf if self._left[1].infinite else most

    def epsilon(self, delta: float, rtol: float) -> Bracket:
        """The least eps with ``delta(eps) <= delta``."""
        log_delta = math.log(delta)
        if self._left[0].infinite * (1 - self._left[0].noise) > delta:
            return bracket(math.inf, math.inf)
        most = self._largest_loss if self._left[1].missing <= delta else math.inf

        def reached(total: Moments, tilt: float) -> bool:
            return total.log_z - tilt * total.mean <= log_delta

        return self._refine(reached, lambda curve: curve.epsilon(delta), Bracket(0.0, most), rtol)

    def delta(self, eps: float, rtol: float) -> Bracket:
        """``E_P[(1 - e^{eps - L})_+]`` of the summed loss L."""
        left = self._left[1]
        if eps >= self._largest_loss:
            return bracket(0.0, min(1.0, left.missing))
        infinite = left.infinite * (1 + left.noise)
        most = min(1.0, left.missing + infinite - math.expm1(min(eps - self._largest_loss, 0.0)))
        return self._refine(
            lambda total, _: total.mean >= eps, lambda curve: curve.delta(eps), Bracket(0.0, most), rtol
        )

    def _refine(
        self, reached: Callable[[Moments, float], bool], read: Callable[[Curve], float], ends: Bracket, rtol: float
    ) -> Bracket:
        """Read both curves on ever finer grids, until they agree or the grid is the largest that memory should hold."""
        if len(self.upper) == 1 and self.upper[0].rounds == 1:
            low_curve = _single_round(self.lower[0].pair, self._left[0], upper=False)
            high_curve = _single_round(self.upper[0].pair, self._left[1], upper=True)
            return bracket(max(ends.lower, read(low_curve)), min(ends.upper, read(high_curve)))
        if moments(self.upper, 0.0).deviation < LEAST_DEVIATION:
            return bracket(*ends)
        tilt = self._tilt(reached)
        low, high = reach(self.upper, tilt)
        # Neither the window nor the losses of one round may need more points than memory should hold.
        widest = max(high - low, *(float(np.ptp(pair.loss)) for pair, _ in self.upper))
        finest = widest / MAX_GRID
        deviation = moments(self.upper, tilt).deviation / math.sqrt(sum(part.rounds for part in self.upper))
        spacing, gap = self._spacing(deviation), math.inf
        step = max(spacing if spacing < deviation / 3 else 0.0, deviation * math.sqrt(rtol), finest)
        while True:
            # With neighbouring outcomes (nearly) on neighbouring points, few of them are moved.
            step = max(spacing / math.ceil(0.999 * spacing / step), finest)
            least = read(self._composed(self.lower, tilt, step, upper=False))
            most = read(self._composed(self.upper, tilt, step, upper=True))
            ends = Bracket(max(ends.lower, least), min(ends.upper, most))
            gap, before = ends.upper - ends.lower, gap
            near = gap <= max(rtol * ends.upper, sys.float_info.min)
            # What no grid can mend is in the lists.
            if near or step <= finest or gap > 0.8 * before:
                return bracket(*ends)
            # The gap shrinks with the square of the step.
            step /= np.clip(1.2 * math.sqrt(gap / (rtol * ends.upper)), 2, 16)

    def _composed(self, parts: Sequence[Part[Atoms]], tilt: float, step: float, *, upper: bool) -> Curve:
        """On a grid to which each pair is moved by a constant, so that its outcomes lie well."""
        if step > STRETCH:
            return Curve.unknown(upper=upper)
        moved = [Part(pair.shifted(), rounds) for pair, rounds in parts]
        put = split if upper else contract
        grids = [Part(put(pair, step), rounds) for pair, rounds in moved]
        curve = composed(grids, tilt, self._left[upper], upper=upper)
        return curve._replace(eps=curve.eps + sum(rounds * pair.origin for pair, rounds in parts))

    def _spacing(self, deviation: float) -> float:
        """That of the lattice, or of the largest loss from the origin: few coarse atoms then hardly move."""
        known = [pair.spacing for pair, _ in self.upper if pair.spacing > deviation / 64]
        return known[0] if known else max(float(pair.loss[-1] - pair.origin) for pair, _ in self.upper) * (1 - 8 * UNIT)

    def _tilt(self, reached: Callable[[Moments, float], bool]) -> float:
        """About the least tilt at which ``reached(moments, tilt)``: any tilt is valid, a good one is accurate."""
        least = 0.05 * moments(self.upper, 0.0).deviation

        def enough(tilt: float) -> bool:
            # Beyond these limits a single atom, or losses that no grid could hold, would be all that is left.
            total = moments(self.upper, tilt)
            return reached(total, tilt) or total.deviation * tilt > 30 or total.deviation < least

        return first_yes(enough, 1.0, doublings=MOST_DOUBLINGS, halvings=12)


def _all_outcomes(parts: Sequence[Part[Atoms]]) -> Atoms:
    """The rounds' outcomes in all combinations."""
    loss, log_q = np.zeros(1), np.zeros(1)
    for pair, rounds in parts:
        for _ in range(rounds):
            loss = (loss[:, None] + pair.loss).ravel()
            log_q = (log_q[:, None] + pair.log_q).ravel()
    order = np.argsort(loss)
    left = leftover(parts)
    return Atoms(loss[order], log_q[order], left.missing, left.infinite, left.noise)


def _single_round(pair: Atoms, left: Leftover, *, upper: bool) -> Curve:
    """One round needs no grid: delta is linear in ``e^eps`` between the atoms."""
    sign = 1 if upper else -1
    delta = deltas(pair.loss, np.exp(pair.log_q + pair.loss)) * (1 + sign * left.noise)
    unlisted = left.infinite * (1 + sign * left.noise) + (left.missing if upper else 0.0)
    return Curve(pair.loss + sign * rounding([Part(pair, 1)]), delta + unlisted, 0.0, upper=upper)
