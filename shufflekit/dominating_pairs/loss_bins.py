"""Outcomes of a pair that is its own mirror image put together by their losses as they come, from below and above.

An outcome is a sum S >= 0 of signs with a weight W: P/R = W + slope S, Q/R = W - slope S; that with -S is its image.
From below all losses between two points of a grid are taken for one; from above each is divided between the two points
on either side, its mass of P and that of Q kept. What the image of S has is the same with P and Q exchanged. All that
is left is put in the middle, at no loss: it says nothing, and from above that is no less than nobody asks of it, for P
and Q have as much mass in all.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.atoms import Atoms

Places = NDArray[np.intp]


class LossBins:
    """Sums of masses by losses: multiples of ``step``."""

    def __init__(self, step: float, slope: float) -> None:
        self.step, self.slope = step, slope
        self.difference, self.q = np.zeros(1), np.zeros(1)  # P - Q, and Q
        self.on_grid = False

    def put_below(self, s: Array, mass: Array, weight: Array) -> None:
        """Outcomes of R-mass ``mass``, and of ``weight`` on the average, times that."""
        against = weight - self.slope * s * mass
        kept = (mass > 0) & (s > 0) & (against > 0)
        difference, q = np.broadcast_to(2 * self.slope * s * mass, kept.shape)[kept], against[kept]
        place = np.floor(np.log1p(difference / q) / self.step).astype(np.intp)
        self.difference, self.q = _added(self.difference, place, difference), _added(self.q, place, q)

    def put_above(self, s: Array, mass: Array, weight: Array) -> None:
        """Outcomes of R-mass ``mass`` and of that weight."""
        self.on_grid = True
        against = weight - self.slope * s
        kept = (mass > 0) & (s > 0)
        loss, q = np.log1p(2 * self.slope * s / against)[kept], (mass * against)[kept]
        place = np.floor(loss / self.step).astype(np.intp)
        share = np.clip(np.expm1(loss - place * self.step) / math.expm1(self.step), 0.0, 1.0)
        self.q = _added(_added(self.q, place, q * (1 - share)), place + 1, q * share)

    def atoms(self, log_scale: float, missing: float, error: float) -> Atoms:
        """The list, of masses that were multiplied by ``e^log_scale``."""
        number = np.flatnonzero(self.q)
        if self.on_grid:
            number = number[number > 0]
            loss = self.step * number
        else:
            loss = np.log1p(self.difference[number] / self.q[number])
        log_q = np.log(self.q[number]) - log_scale
        listed, room = float(np.exp(log_q).sum() + np.exp(log_q + loss).sum()), 1 - missing * self.on_grid
        if listed > room and not self.on_grid:  # by round-off
            log_q, listed = log_q - math.log(listed), 1.0
        losses, logs = [-loss[::-1], loss], [(log_q + loss)[::-1], log_q]
        if listed < room:
            losses.insert(1, np.zeros(1))
            logs.insert(1, np.full(1, math.log(room - listed)))
        return Atoms(np.concatenate(losses), np.concatenate(logs), missing, error=error, spacing=self.step)


def _added(total: Array, place: Places, mass: Array) -> Array:
    """The sums with more masses at some places."""
    more = np.bincount(place, mass, len(total)).astype(np.float64)
    more[: len(total)] += total
    return more
