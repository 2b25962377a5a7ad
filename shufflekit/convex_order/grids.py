"""A pair put on a grid of losses, from above and from below.

With X = P/Q under Q, T rounds have ``delta(eps) = E[(X_1 ... X_T - e^eps)_+]``, which grows with each X in the
(increasing) convex order. So *splitting* X between two grid points without moving its mean gives an upper bound, and
a law on the grid whose potential ``E(X - a)_+`` is nowhere above that of X gives a lower one, composed or not.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import FIRST_PULL
from shufflekit.atoms import Atoms
from shufflekit.convex_order.potentials import exceeds
from shufflekit.convex_order.rounding import put_together

FEW = 8  # atoms; with no more of them, each matters
MOST_PULLS, FARTHER = 100, 1.5  # times as far, where it was not enough
SPARE = 1e-9  # relative: so round-off does not raise the mean


class Grid(NamedTuple):
    """A law of losses on multiples of ``step``: their numbers, rising, and the logarithms of the Q-masses there."""

    step: float
    place: NDArray[np.int64]
    log_q: Array

    @property
    def loss(self) -> Array:
        return np.asarray(self.step * self.place, dtype=np.float64)


def split(atoms: Atoms, step: float) -> Grid:
    """Each atom divided between its two neighbours on the grid, its mean of X kept: larger in the convex order."""
    loss, log_q = atoms.loss, atoms.log_q
    cell = np.floor(loss / step).astype(np.int64)
    up = np.clip(np.expm1(loss - cell * step) / math.expm1(step), 0.0, 1.0)
    # Sums of many small masses must not be lost next to large ones: they are added relative to the largest nearby.
    top = float(log_q.max())
    mass = np.exp(log_q - top)
    start = np.flatnonzero(np.diff(cell, prepend=cell[0] - 1))
    low, high = cell[start], cell[start] + 1
    place = np.union1d(low, high)
    total = np.zeros(len(place))
    total[np.searchsorted(place, low)] = np.add.reduceat(mass * (1 - up), start)
    total[np.searchsorted(place, high)] += np.add.reduceat(mass * up, start)
    kept = total > 0
    return Grid(step, place[kept], np.log(total[kept]) + top)


def contract(atoms: Atoms, step: float) -> Grid:
    """A law on the grid that is smaller than the atoms in the convex order, by a margin that is looked for.

    Atoms nearest to the same grid point are taken for one, which lies near it; then each is drawn a little towards
    the mean of all and split. That is below the original law exactly when its potential is no larger at every atom,
    since between atoms the original's potential is linear. Where it is larger, the atoms are drawn further.
    """
    atoms = put_together(atoms, np.rint(atoms.loss / step).astype(np.int64))
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    mean = float(dot(q, y) / q.sum())
    few = len(y) <= FEW
    with np.errstate(over="ignore"):  # then the first pull is enough, or no grid is
        variance = float(dot(q, (y - mean) ** 2) / q.sum())
    pull = np.full(len(y), FIRST_PULL if few else max(FIRST_PULL, step**2 / (1000 * variance)))
    for _ in range(MOST_PULLS if (y > mean).any() else 0):
        moved = _drawn(y, q, mean, pull)
        if not (moved > -1).all():
            break  # round-off hides how far from 0 the likelihood ratio is
        if not few:
            # The two outermost have nothing beyond them that could make room: down to the grid with them.
            moved[[0, -1]] = np.expm1(step * np.floor(np.log1p(moved[[0, -1]]) / step))
        lost = float(dot(q, y - moved))
        grid = split(atoms._replace(loss=np.log1p(moved)), step)
        above = exceeds(np.expm1(grid.loss), np.exp(grid.log_q), y, q, mean, lost)
        if lost >= 0 and not above.any():
            return grid
        # What lies at such an atom and next to it decides its potential.
        near = above.copy()
        near[1:] |= above[:-1]
        near[:-1] |= above[1:]
        pull[near] *= FARTHER
    return split(atoms._replace(loss=step * np.floor(atoms.loss / step)), step)


def _drawn(y: Array, q: Array, mean: float, pull: Array) -> Array:
    """The places drawn towards the mean, from the right no less than from the left: the mean must not rise."""
    lift = q * np.minimum(pull, 1) * (mean - y)
    pull[y > mean] *= max(1.0, -(1 + SPARE) * float(lift[y < mean].sum() / lift[y > mean].sum()))
    return np.asarray(mean + (1 - np.minimum(pull, 1)) * (y - mean))
