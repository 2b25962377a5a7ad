"""Laws moved to other places: divided between two places their mean kept, which is more; put together, which is less.

X is below Y in the convex order where E f(X) <= E f(Y) for every convex f, that is with equal means and
``E(X - a)_+ <= E(Y - a)_+`` for all a. A likelihood ratio X = P/Q that is larger in it, under Q, is told apart more
easily: H_a(P||Q) = E_Q(X - a)_+. By Jensen's inequality, replacing X by one with mean X makes it larger, and replacing
X by its conditional mean makes it smaller.
"""

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.atoms import Atoms

Index = NDArray[np.intp]


def cells(x: Array, nodes: Array) -> tuple[Index, Array]:
    """Between which of the rising nodes each x lies, and the share of its mass that the upper one gets."""
    cell = np.clip(np.searchsorted(nodes, x, side="right") - 1, 0, len(nodes) - 2)
    return cell, np.asarray((x - nodes[cell]) / (nodes[cell + 1] - nodes[cell]))


def divided(cell: Index, share: Array, mass: Array, size: int) -> Array:
    """The masses at ``size`` nodes, each mass divided between the lower end of its cell and the upper."""
    total = np.bincount(cell, mass * (1 - share), size).astype(np.float64)
    total[1:] += np.bincount(cell, mass * share, size - 1)
    return total


def divided_in_order(share: Array, mass: Array) -> Array:
    """The same along the last axis where every cell has one mass."""
    total = np.zeros((*mass.shape[:-1], mass.shape[-1] + 1))
    total[..., :-1] = mass * (1 - share)
    total[..., 1:] += mass * share
    return total


def put_together(atoms: Atoms, cell: NDArray[np.int64]) -> Atoms:
    """The atoms of each cell taken for one, at their mean of P/Q; ``cell`` rises with the loss."""
    start = np.flatnonzero(np.diff(cell, prepend=cell[0] - 1))
    # Relative to the largest mass, and each cell to its first loss: nothing is lost next to something larger.
    top, near = float(atoms.log_q.max()), np.repeat(atoms.loss[start], np.diff(start, append=len(cell)))
    mass = np.exp(atoms.log_q - top)
    total, excess = (np.add.reduceat(part, start) for part in (mass, mass * np.expm1(atoms.loss - near)))
    kept = total > 0
    loss = atoms.loss[start][kept] + np.log1p(excess[kept] / total[kept])
    return atoms._replace(loss=loss, log_q=np.log(total[kept]) + top)
