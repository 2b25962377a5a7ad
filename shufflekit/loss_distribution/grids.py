"""A pair put on a grid of losses, from above and from below.

With X = P/Q under Q, T rounds have ``delta(eps) = E[(X_1 ... X_T - e^eps)_+]``, which grows with each X in the
(increasing) convex order. So *splitting* X between two grid points without moving its mean gives an upper bound, and
a law on the grid whose potential ``E(X - a)_+`` is nowhere above that of X gives a lower one, composed or not.
"""

import math
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.dominating_pairs import Atoms

FEW = 8  # atoms; with no more of them, each matters


class Grid(NamedTuple):
    """A law of losses on multiples of ``step``, from ``first * step`` on: the logarithms of the Q-masses."""

    step: float
    first: int
    log_q: Array

    @property
    def loss(self) -> Array:
        return np.asarray(self.step * (self.first + np.arange(len(self.log_q))), dtype=np.float64)


def split(loss: Array, log_q: Array, step: float) -> Grid:
    """Each atom divided between its two neighbours on the grid, its mean of X kept: larger in the convex order."""
    cell = np.floor(loss / step).astype(np.int64)
    up = np.clip(np.expm1(loss - cell * step) / math.expm1(step), 0.0, 1.0)
    first = int(cell.min())
    # Sums of many small masses must not be lost beside large ones: they are added relative to the largest nearby.
    top = float(log_q.max())
    mass = np.exp(log_q - top)
    total = np.bincount(cell - first, mass * (1 - up), int(cell.max()) - first + 2)
    total[1:] += np.bincount(cell - first, mass * up, len(total) - 1)
    with np.errstate(divide="ignore"):
        return Grid(step, first, np.log(total) + top)


def contract(atoms: Atoms, step: float) -> Grid:
    """A law on the grid that is smaller than the atoms in the convex order, by a margin that is looked for.

    The atoms are drawn a little towards their mean and then split. That is below the original law exactly when
    its potential is no larger at every atom, since between atoms the original's potential is linear.
    """
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    mean = float(q @ y / q.sum())
    few = len(y) <= FEW
    # Few atoms may lie on the grid already, up to round-off; many never do, and it is known where to start.
    pull = 1e-12 if few else 0.02 * step / math.sqrt(float(q @ (y - mean) ** 2 / q.sum()))
    while pull < 1:
        moved = mean + (1 - pull) * (y - mean)
        lost = 0.0
        if not few:
            # The two outermost have nothing beyond them that could make room: down to the grid with them.
            outer = np.array([0, -1])
            down = np.expm1(step * np.floor(np.log1p(moved[outer]) / step))
            lost = float(q[outer] @ (moved[outer] - down))
            moved[outer] = down
        grid = split(np.log1p(moved), atoms.log_q, step)
        if _is_below(np.expm1(grid.loss), np.exp(grid.log_q), y, q, mean, lost):
            return grid
        pull *= 1.5
    return split(step * np.floor(atoms.loss / step), atoms.log_q, step)


def _is_below(y_grid: Array, q_grid: Array, y: Array, q: Array, mean: float, lost: float) -> bool:
    """Whether ``E(Y_grid - a)_+ <= E(Y - a)_+`` at every atom a = y, the grid's mean being ``lost`` lower.

    Left of the mean the other side's potential ``E(a - Y)_+`` is compared, so that both are sums of small terms.
    """
    place = np.concatenate([y_grid, y])
    order = np.argsort(place, kind="stable")
    nothing = np.zeros(len(place))
    grid_mass, atom_mass = nothing.copy(), nothing.copy()
    grid_mass[: len(y_grid)], atom_mass[len(y_grid) :] = q_grid, q
    is_atom = order >= len(y_grid)
    at, grid_mass, atom_mass = place[order], grid_mass[order], atom_mass[order]
    right, left = is_atom & (at >= mean), is_atom & (at < mean)
    calls = potential(at, grid_mass)[right] <= potential(at, atom_mass)[right]
    puts = potential(-at[::-1], grid_mass[::-1])[::-1][left] <= potential(-at[::-1], atom_mass[::-1])[::-1][left] + lost
    return bool(calls.all() and puts.all())


def potential(y: Array, q: Array) -> Array:
    """``E(Y - a)_+`` at a = each of the rising points y: a sum of positive terms, from the right."""
    beyond = np.cumsum(q[::-1])[::-1]
    pieces = np.diff(y) * beyond[1:]
    return np.append(np.cumsum(pieces[::-1])[::-1], 0.0)
