"""A likelihood ratio that is a mean of n iid scores, known on a grid of sums: made into atoms, from below and above."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import SUM_ERROR
from shufflekit.atoms import Atoms
from shufflekit.dominating_pairs.score_sums import Sums

ONE_LOSS = 1e-9  # relative: where the deviation is less, a single loss has all the mass


def both_ends(found: Sums, n: int, backwards: bool) -> tuple[Atoms, Atoms]:
    """The two ends as atoms: the means of what is taken for one, with the least mass; the grid, with the largest."""
    last = float(found.value[-1])
    x = (found.mean.upper if backwards else found.mean.lower) / n
    known = (found.mass.lower > 0) & (x > 0)
    # Where no mass is certain, the laws may be the same for all that is known.
    nothing = Atoms(np.zeros(1), np.zeros(1))
    lower = _pair(x[known], found.mass.lower[known], backwards, 0.0) if known.any() else nothing
    heavy = found.mass.upper > 0
    unlisted = found.before + (found.after / last if backwards else found.after / n)
    return lower, _pair(found.value[heavy] / n, found.mass.upper[heavy], backwards, unlisted)


def _pair(x: Array, q: Array, backwards: bool, missing: float) -> Atoms:
    """The likelihood ratio x with Q-mass q as atoms; where x is 0, all of Q's mass is at infinite loss backwards."""
    if backwards:
        missing += float(q[x <= 0].sum())
    x, q = x[x > 0], q[x > 0]
    order = np.argsort(x, kind="stable")
    atoms = Atoms(np.log(x[order]), np.log(q[order]), error=SUM_ERROR)
    return (atoms.reversed() if backwards else atoms)._replace(missing=missing)


def cells_of_loss(atoms: Atoms, per_deviation: int) -> NDArray[np.int64]:
    """The cell of each atom on a grid of losses, so many to a standard deviation."""
    log_p = atoms.log_q + atoms.loss
    p = np.exp(log_p - logsumexp(log_p))
    deviation = math.sqrt(float(dot(p, (atoms.loss - dot(p, atoms.loss)) ** 2)))
    # Where a single loss has all the mass, its deviation is round-off.
    width = max(deviation, ONE_LOSS * float(np.abs(atoms.loss).max())) / per_deviation
    return np.floor(atoms.loss / (width or 1.0)).astype(np.int64)
