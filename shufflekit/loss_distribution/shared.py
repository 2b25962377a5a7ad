"""Integrals that are looked for term by term: what several terms ask for is worked out once, and all take so much work.

Rounds that are told in full leave the same others, whatever they show; and one law asked at two points, with the same
tilt and tolerance, is one integral.
"""

import math
from collections.abc import Sequence

from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.parts import Leftover, Part
from shufflekit.loss_distribution.smoothed import Smoothed, integral

PART_OF_SLACK = 32.0  # of what delta may be off by, to be used up by one of several errors
STEP = 4.0  # from a tolerance to the next coarser one: terms that are asked for at like ones share an integral
MOST_WORK = 2**23  # nodes of one pair's transform, of all integrals together; beyond it there is none
MOST_READ = 2**25  # nodes of what they are read off at, each time that one is asked for; beyond it there is none
MOST_KEPT = 2**21  # nodes that are held at once


def coarse(slack: float, times: float, most: float) -> float:
    """The tolerance of a term that may be known so many times less closely than all, and as closely as ``most``."""
    times = min(times, most / slack)
    return slack * STEP ** math.floor(math.log(times, STEP)) if times > 1 else slack


class Shared:
    """The integrals of one side's terms."""

    def __init__(self, noise: float) -> None:
        self._quiet = Leftover(0.0, 0.0, noise)
        self._work, self._unread, self._kept = MOST_WORK, MOST_READ, 0
        self._known = dict[tuple[int, float, float], tuple[Smoothed, Smoothed] | None]()

    def ends(self, parts: Sequence[Part[Atoms]], tilt: float, slack: float) -> tuple[Smoothed, Smoothed] | None:
        """From below and from above; None where there is none, or none is to be had for the work that is left.

        The parts are told by who they are: their owner keeps them.
        """
        asked = id(parts), tilt, slack
        if asked not in self._known:
            found = self._found(parts, tilt, slack)
            size = sum(len(end.turn) for end in found or ())
            if self._kept + size > MOST_KEPT:
                return found
            self._known[asked], self._kept = found, self._kept + size
        known = self._known[asked]
        self._unread -= sum(len(end.turn) for end in known or ())
        return known if self._unread >= 0 else None

    def _found(self, parts: Sequence[Part[Atoms]], tilt: float, slack: float) -> tuple[Smoothed, Smoothed] | None:
        """The integral, worked out."""
        first = integral(parts, tilt, slack / PART_OF_SLACK, at_most=self._work // len(parts), alike=True)
        if first is None:
            return None
        self._work -= (len(first.turn) + first.silent) * len(parts)
        below, above = (first.end(self._quiet, 1.0, upper=upper) for upper in (False, True))
        return (below, above) if below and above else None
