"""A pair put on a grid of losses, from above and from below.

With X = P/Q under Q, T rounds have ``delta(eps) = E[(X_1 ... X_T - e^eps)_+]``, which grows with each X in the
(increasing) convex order. So *splitting* X between two grid points without moving its mean gives an upper bound, and
a law on the grid whose potential ``E(X - a)_+`` is nowhere above that of X gives a lower one, composed or not.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.dominating_pairs import Atoms

FEW = 8  # atoms; with no more of them, each matters
MOST_PULLS = 100


class Grid(NamedTuple):
    """A law of losses on multiples of ``step``, from ``first * step`` on: the logarithms of the Q-masses."""

    step: float
    first: int
    log_q: Array

    @property
    def loss(self) -> Array:
        return np.asarray(self.step * (self.first + np.arange(len(self.log_q))), dtype=np.float64)


def shifted(atoms: Atoms) -> Atoms:
    """The atoms told from their origin, their P-masses kept: Q is no longer a probability, which nothing here needs."""
    return atoms._replace(loss=atoms.loss - atoms.origin, log_q=atoms.log_q + atoms.origin)


def split(atoms: Atoms, step: float) -> Grid:
    """Each atom divided between its two neighbours on the grid, its mean of X kept: larger in the convex order."""
    loss, log_q = atoms.loss, atoms.log_q
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

    Atoms nearest to the same grid point are taken for one, which lies near it; then each is drawn a little towards
    the mean of all and split. That is below the original law exactly when its potential is no larger at every atom,
    since between atoms the original's potential is linear. Where it is larger, the atoms are drawn further.
    """
    atoms = _merged(atoms, step)
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    mean = float(q @ y / q.sum())
    few = len(y) <= FEW
    pull = np.full(len(y), 1e-12 if few else max(1e-12, step**2 / (1000 * float(q @ (y - mean) ** 2 / q.sum()))))
    for _ in range(MOST_PULLS if (y > mean).any() else 0):
        lift = q * np.minimum(pull, 1) * (mean - y)
        # Drawn from the left more than from the right, the mean would rise.
        pull[y > mean] *= max(1.0, -(1 + 1e-9) * float(lift[y < mean].sum() / lift[y > mean].sum()))
        moved = mean + (1 - np.minimum(pull, 1)) * (y - mean)
        if not few:
            # The two outermost have nothing beyond them that could make room: down to the grid with them.
            moved[[0, -1]] = np.expm1(step * np.floor(np.log1p(moved[[0, -1]]) / step))
        lost = float(q @ (y - moved))
        grid = split(atoms._replace(loss=np.log1p(moved)), step)
        above = _is_above(np.expm1(grid.loss), np.exp(grid.log_q), y, q, mean, lost)
        if lost >= 0 and not above.any():
            return grid
        # What lies at such an atom and beside it decides its potential.
        near = above.copy()
        near[1:] |= above[:-1]
        near[:-1] |= above[1:]
        pull[near] *= 1.5
    return split(atoms._replace(loss=step * np.floor(atoms.loss / step)), step)


def _merged(atoms: Atoms, step: float) -> Atoms:
    """Atoms with the same nearest grid point put together: whoever cannot tell them apart knows less."""
    cell = np.rint(atoms.loss / step).astype(np.int64)
    first, top = int(cell.min()), float(atoms.log_q.max())
    mass = np.exp(atoms.log_q - top)
    excess = np.bincount(cell - first, mass * np.expm1(atoms.loss - cell * step))
    mass = np.bincount(cell - first, mass)
    kept = np.flatnonzero(mass)
    loss = (first + kept) * step + np.log1p(excess[kept] / mass[kept])
    return atoms._replace(loss=np.asarray(loss, dtype=np.float64), log_q=np.log(mass[kept]) + top)


def _is_above(y_grid: Array, q_grid: Array, y: Array, q: Array, mean: float, lost: float) -> NDArray[np.bool_]:
    """At which atoms a = y ``E(Y_grid - a)_+ > E(Y - a)_+``, the grid's mean being ``lost`` lower.

    Left of the mean the other side's potential ``E(a - Y)_+`` is compared, so that both are sums of small terms.
    """
    place = np.concatenate([y_grid, y])
    order = np.argsort(place, kind="stable")
    nothing = np.zeros(len(place))
    grid_mass, atom_mass = nothing.copy(), nothing.copy()
    grid_mass[: len(y_grid)], atom_mass[len(y_grid) :] = q_grid, q
    is_atom = order >= len(y_grid)
    at, grid_mass, atom_mass = place[order], grid_mass[order], atom_mass[order]
    calls = potential(at, grid_mass) > potential(at, atom_mass)
    puts = potential(-at[::-1], grid_mass[::-1])[::-1] > potential(-at[::-1], atom_mass[::-1])[::-1] + lost
    return np.asarray(np.where(at >= mean, calls, puts)[is_atom])


def potential(y: Array, q: Array) -> Array:
    """``E(Y - a)_+`` at a = each of the rising points y: a sum of positive terms, from the right."""
    beyond = np.cumsum(q[::-1])[::-1]
    pieces = np.diff(y) * beyond[1:]
    return np.append(np.cumsum(pieces[::-1])[::-1], 0.0)
