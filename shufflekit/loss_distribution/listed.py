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
from shufflekit.loss_distribution.nodes import LEAST_ROUNDS, Nodes, by_nodes
from shufflekit.loss_distribution.parts import Leftover, Moments, Part, leftover, moments, reach, rounding
from shufflekit.loss_distribution.spectrum import composed
from shufflekit.search import first_yes

MAX_GRID, MAX_GRID_OF_ROUND = 2**22, 2**19
FEW = 8  # atoms: the coarsest lattice may hold them all
MAX_OUTCOMES = 2**21  # of all rounds together, that are listed one by one
MOST_DOUBLINGS = 1100  # of a tilt, from 1: floating point holds no more
HARDLY_NEARER = 0.8  # of the gap before
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
        self,
        reached: Callable[[Moments, float], bool],
        read: Callable[[Curve | Nodes], float],
        ends: Bracket,
        rtol: float,
    ) -> Bracket:
        """Read both curves on ever finer grids, until they agree or the grid is the largest that memory should hold."""
        if len(self.upper) == 1 and self.upper[0].rounds == 1:
            least = read(_single_round(self.lower[0].pair, self._left[0], upper=False))
            most = read(_single_round(self.upper[0].pair, self._left[1], upper=True))
            return bracket(max(ends.lower, least), min(ends.upper, most))
        if moments(self.upper, 0.0).deviation < LEAST_DEVIATION:
            return bracket(*ends)
        tilt = self._tilt(reached)
        finest, gap, rounds = self._finest(tilt), math.inf, sum(part.rounds for part in self.upper)
        deviation, many = moments(self.upper, tilt).deviation / math.sqrt(rounds), rounds >= LEAST_ROUNDS
        spacing = self._spacing(deviation)
        fits = spacing < deviation / 3 or max(len(pair.loss) for pair, _ in self.upper) <= FEW
        step = max(spacing if fits else 0.0, deviation * math.sqrt(rtol))
        while True:
            # With neighbouring outcomes (nearly) on neighbouring points, few of them are moved.
            step = max(step, finest[many])
            step = max(spacing / math.ceil(0.999 * spacing / step), finest[many])
            curves = [self._composed(tilt, step, many, upper=upper) for upper in (False, True)]
            if None in curves:  # too much is heard
                if gap < math.inf and step <= finest[False]:
                    return bracket(*ends)
                many = False
                continue
            least, most = (read(curve) for curve in curves if curve is not None)
            ends = Bracket(max(ends.lower, least), min(ends.upper, most))
            gap, before = ends.upper - ends.lower, gap
            near = gap <= max(rtol * ends.upper, sys.float_info.min)
            # What no grid can mend is in the lists.
            if near or step <= finest[many] or gap > HARDLY_NEARER * before:
                return bracket(*ends)
            # The gap shrinks with the square of the step.
            step /= np.clip(1.2 * math.sqrt(gap / (rtol * ends.upper)), 2, 16)

    def _finest(self, tilt: float) -> dict[bool, float]:
        """Steps at which the losses of one round, or where all frequencies are needed those of all, are many enough."""
        low, high = reach(self.upper, tilt)
        single = max(float(np.ptp(pair.loss)) for pair, _ in self.upper)
        return {True: single / MAX_GRID_OF_ROUND, False: max(single, high - low) / MAX_GRID}

    def _composed(self, tilt: float, step: float, many: bool, *, upper: bool) -> Curve | Nodes | None:
        """On a grid to which each pair is moved by a constant, so that its outcomes lie well."""
        if step > STRETCH:
            return Curve.unknown(upper=upper)
        parts, put = (self.upper, split) if upper else (self.lower, contract)
        grids = [Part(put(pair.shifted(), step), rounds) for pair, rounds in parts]
        found = (by_nodes if many else composed)(grids, tilt, self._left[upper], upper=upper)
        return found and found.shifted(sum(rounds * pair.origin for pair, rounds in parts))

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
    """One round needs no grid: delta is linear in ``e^eps`` between the atoms, and from the first one down."""
    sign, start = 1 if upper else -1, min(0.0, float(pair.loss[0])) - 1
    loss, weight = np.append(start, pair.loss), np.append(0.0, np.exp(pair.log_q + pair.loss))
    delta = deltas(loss, weight) * (1 + sign * left.noise)
    unlisted = left.infinite * (1 + sign * left.noise) + (left.missing if upper else 0.0)
    return Curve(loss + sign * rounding([Part(pair, 1)]), delta + unlisted, 0.0, upper=upper)
