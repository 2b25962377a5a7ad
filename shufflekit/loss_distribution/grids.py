"""Rounds between two lists of atoms, composed on ever finer grids from below and from above."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shufflekit.accuracy import UNIT
from shufflekit.atoms import Atoms
from shufflekit.bracket import Bracket
from shufflekit.convex_order import contract, split
from shufflekit.loss_distribution.curve import STRETCH, Curve
from shufflekit.loss_distribution.nodes import LEAST_ROUNDS, MOST_PLACES, Nodes, by_nodes
from shufflekit.loss_distribution.parts import Leftover, Part, moments, reach
from shufflekit.loss_distribution.spectrum import composed
from shufflekit.loss_distribution.steps import Steps

MAX_GRID, MAX_GRID_OF_ROUND = 2**20, 2**24  # points; of one round only those that have mass are looked at
FEW = 8  # atoms: the coarsest lattice may hold them all
NEAR_LATTICE = 4.0  # steps that are larger than a lattice's by no more than that are made as small
NEARLY = 1.01  # times the finest step: it is the finest


@dataclass(frozen=True)
class Grids:
    """Both lists, with what they leave out; whether they are one."""

    lower: Sequence[Part[Atoms]]
    upper: Sequence[Part[Atoms]]
    left: tuple[Leftover, Leftover]
    exact: bool

    def read(
        self, tilt: float, read: Callable[[Curve | Nodes], float], ends: Bracket, rtol: float
    ) -> tuple[Bracket, bool]:
        """The ends, with what is read from both sides; and whether it is the lists that keep them apart."""
        many, finest, lattice = self._rounds >= LEAST_ROUNDS, self._finest(tilt), self._lattice()
        step, steps = self._first_step(tilt, lattice, rtol), Steps(self.exact)
        while True:
            step = max(self._aligned(max(step, finest[many]), lattice), finest[many])
            curves = self._both(tilt, step, many)
            if curves is None:  # too much is heard
                if steps.gap < math.inf and step <= finest[False]:
                    return ends, False
                many = False
                continue
            least, most = (read(curve) for curve in curves)
            ends = Bracket(max(ends.lower, least), min(ends.upper, most))
            gap = ends.upper - ends.lower
            if gap <= max(rtol * ends.upper, sys.float_info.min) or step <= NEARLY * finest[many]:
                return ends, False
            finer = steps.finer(step, gap, ends.upper, rtol)
            if finer is None:
                return ends, True
            step = finer

    @cached_property
    def _rounds(self) -> int:
        return sum(part.rounds for part in self.upper)

    def _first_step(self, tilt: float, lattice: float, rtol: float) -> float:
        deviation = moments(self.upper, tilt).deviation / math.sqrt(self._rounds)
        whole = lattice or self._largest_of_round()
        fits = whole < deviation / 3 or max(len(pair.loss) for pair, _ in self.upper) <= FEW
        return max(whole if fits else 0.0, deviation * math.sqrt(rtol))

    def _finest(self, tilt: float) -> dict[bool, float]:
        """Steps at which the losses of one round, or where all frequencies are needed those of all, are many enough."""
        low, high = reach(self.upper, tilt)
        single = max(float(np.ptp(pair.loss)) for pair, _ in self.upper)
        points = min(MAX_GRID_OF_ROUND, MOST_PLACES // (2 * self._rounds))
        return {True: single / points, False: max(single, high - low) / MAX_GRID}

    def _both(self, tilt: float, step: float, many: bool) -> list[Curve | Nodes] | None:
        """From below and from above."""
        above = self._composed(tilt, step, many, upper=True)  # costs less
        below = above and self._composed(tilt, step, many, upper=False)
        return [below, above] if above and below else None

    def _composed(self, tilt: float, step: float, many: bool, *, upper: bool) -> Curve | Nodes | None:
        """On a grid to which each pair is moved by a constant, so that its outcomes lie well."""
        if step > STRETCH:
            return Curve.unknown(upper=upper)
        parts, put = (self.upper, split) if upper else (self.lower, contract)
        grids = [Part(put(pair.shifted(), step), rounds) for pair, rounds in parts]
        found = (by_nodes if many else composed)(grids, tilt, self.left[upper], upper=upper)
        return found and found.shifted(sum(rounds * pair.origin for pair, rounds in parts))

    def _lattice(self) -> float:
        """The distance of the points on which outcomes nearly lie, of the pair to which that matters most, or 0."""
        known = [
            (rounds * pair.spacing, pair.spacing) for pair, rounds in self.upper if pair.spacing <= np.ptp(pair.loss)
        ]
        return max(known, default=(0.0, 0.0))[1]

    def _aligned(self, step: float, lattice: float) -> float:
        """About that step, with outcomes (nearly) on points of the grid: then few of them are moved.

        Outcomes with several points between them are drawn in the more for a lower end the less they lie on points.
        """
        whole = lattice if step <= NEAR_LATTICE * lattice else self._largest_of_round()
        return whole / math.ceil(0.999 * whole / step) if whole else step

    def _largest_of_round(self) -> float:
        """From the origin."""
        return max(float(pair.loss[-1] - pair.origin) for pair, _ in self.upper) * (1 - 8 * UNIT)
