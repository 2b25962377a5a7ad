"""A profile known at knots, made into two listed pairs: one that dominates it, one that it dominates.

Between knots delta is convex in ``alpha = e^eps``. Its chords are an upper bound ("connect the dots"), and a convex
one, so the profile of a listed pair. From below, all outcomes with losses between two knots are taken for one: what
then is told apart is less.
"""

import math
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.dominating_pairs.pair import Atoms, Pair

KNOTS_PER_DEVIATION = 64


class Tails(NamedTuple):
    """``P - Q`` and Q of the outcomes with a loss above each of some eps."""

    difference: Array
    q: Array


def knots(pair: Pair, log_cut: float, rtol: float = 1e-4) -> Array:
    """Points from 0 to where delta is below ``e^log_cut``, a fixed part of a standard deviation of the loss apart."""
    top = min(pair.largest_loss, 700.0)
    for _ in range(60):
        grid = top * np.arange(1, 9) / 8
        small = np.flatnonzero(pair.delta(grid, 20 * rtol, log_cut).upper < math.exp(log_cut))
        if not len(small):
            break
        top = float(grid[small[0]])
        if small[0] > 0:
            break
    # About where a Gaussian loss would be that has this delta at the top.
    deviation = top / math.sqrt(-2 * log_cut)
    return np.linspace(0.0, top, math.ceil(KNOTS_PER_DEVIATION * top / deviation) + 1)


def connected(eps: Array, forth: Array, back: Array) -> Atoms:
    """The law whose delta connects the dots: ``forth`` is delta of (P, Q) at each eps, ``back`` that of (Q, P)."""
    alpha_step = np.exp(eps[:-1]) * np.expm1(np.diff(eps))
    falls = np.diff(forth) / alpha_step
    # E_Q(alpha - P/Q)_+ at alpha = e^-eps is e^-eps times delta of (Q, P) at eps.
    puts = np.exp(-eps) * back
    rises = -np.diff(puts) / (np.exp(-eps[1:]) * np.expm1(np.diff(eps)))
    # Round-off may dent a slope; from the far end inwards, the steeper one is the safe one.
    falls = np.minimum.accumulate(falls[::-1])[::-1]
    rises = np.maximum.accumulate(rises[::-1])[::-1]
    right = np.append(falls, 0.0) - np.append(0.0, falls)
    left = np.append(0.0, rises) - np.append(rises, puts[-1] / math.exp(-eps[-1]))
    middle = 1 + falls[0] - rises[0]
    q = np.concatenate([left[:0:-1], [middle], right[1:]])
    loss = np.concatenate([-eps[:0:-1], eps])
    return _atoms(loss, q, float(forth[-1]))


def merged(eps: Array, forth: Tails, back: Tails) -> Atoms:
    """The law that does not tell apart outcomes with losses between two knots; ``back`` are the tails of (Q, P)."""
    loss, q = _cells(forth)
    loss_back, p_back = _cells(back)
    q_back = p_back * np.exp(loss_back)
    middle = max(0.0, 1 - float(q.sum()) - float(q_back.sum()))
    return _atoms(np.concatenate([-loss_back, [0.0], loss]), np.concatenate([q_back, [middle], q]), 0.0)


def _cells(tails: Tails) -> tuple[Array, Array]:
    """The loss and the Q-mass of the outcomes between two knots."""
    difference, q = (-np.diff(np.append(tail, 0.0)) for tail in tails)
    kept = (difference > 0) & (q > 0)
    return np.log1p(difference[kept] / q[kept]), q[kept]


def _atoms(loss: Array, q: Array, missing: float) -> Atoms:
    kept = q > 0
    loss, log_q = loss[kept], np.log(q[kept])
    order = np.argsort(loss, kind="stable")
    return Atoms(loss[order], log_q[order], missing)
