"""Potentials ``E(Y - a)_+``, by which laws are compared in the convex order."""

import numpy as np
from numpy.typing import NDArray

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.atoms import Atoms

AT_ONCE = 2**14  # points times values


def potential(y: Array, q: Array) -> Array:
    """``E(Y - a)_+`` at a = each of the rising points y: a sum of positive terms, from the right."""
    beyond = np.cumsum(q[::-1])[::-1]
    pieces = np.diff(y) * beyond[1:]
    return np.append(np.cumsum(pieces[::-1])[::-1], 0.0)


def rise(value: Array, chance: Array, x: Array) -> Array:
    """``E(x + g)_+ - x_+`` of a law of mean 0: it is E(x + g)_+ on the left, and E(-x - g)_+ on the right."""
    total = np.empty(len(x))
    for i in range(0, len(x), step := max(1, AT_ONCE // len(value))):
        own = x[i : i + step, None]
        total[i : i + step] = dot(np.maximum(np.where(own > 0, -1.0, 1.0) * (own + value), 0.0), chance)
    return total


def profile(atoms: Atoms, eps: Array) -> Array:
    """``H_{e^eps}`` of a listed pair, what is missing counted in full."""
    if not len(atoms.loss):
        return np.full(eps.shape, atoms.missing + atoms.infinite)
    y, q, at = np.expm1(atoms.loss), np.exp(atoms.log_q), np.expm1(eps)
    before = np.maximum(y[0] - at, 0.0) * q.sum()
    return np.asarray(np.interp(at, y, potential(y, q)) + before + atoms.missing + atoms.infinite)


def exceeds(y_grid: Array, q_grid: Array, y: Array, q: Array, mean: float, lost: float) -> NDArray[np.bool_]:
    """At which points a = y ``E(Y_grid - a)_+ > E(Y - a)_+``, the grid's mean being ``lost`` lower.

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
