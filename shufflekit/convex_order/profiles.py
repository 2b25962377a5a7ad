"""A profile known at knots, made into listed pairs: one that dominates it, and some that it dominates.

Between knots delta is convex in ``alpha = e^eps``. Its chords are an upper bound ("connect the dots"), and a convex
one, so the profile of a listed pair. From below, all outcomes with losses between two knots are taken for one: what
then is told apart is less. Where only the ends of delta are known, the chords extended beyond their knots are below.
"""

import math
from typing import NamedTuple

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT
from shufflekit.atoms import Atoms
from shufflekit.bracket import Ends

SAME = 1e-15  # two numbers that differ by round-off


class Tails(NamedTuple):
    """``P - Q`` and Q of the outcomes with a loss above each of some eps."""

    difference: Array
    q: Array


def connected(eps: Array, forth: Array, back: Array) -> Atoms:
    """The law whose delta connects the dots: ``forth`` is delta of (P, Q) at each eps, ``back`` that of (Q, P)."""
    steps = np.exp(eps[:-1]) * np.expm1(np.diff(eps)), np.exp(-eps[1:]) * np.expm1(np.diff(eps))
    # E_Q(alpha - P/Q)_+ at alpha = e^-eps is e^-eps times delta of (Q, P) at eps.
    puts = np.exp(-eps) * back
    # Round-off may dent a slope; from the far end inwards, the steeper one is the safe one. (An isotonic regression
    # would take means of slopes, which may lie below the profile.)
    falls = np.minimum.accumulate((np.diff(forth) / steps[0])[::-1])[::-1]
    rises = np.maximum.accumulate((-np.diff(puts) / steps[1])[::-1])[::-1]
    gap = float(forth[-1]) - float(dot(falls, steps[0])) - float(puts[-1]) - float(dot(rises, steps[1]))
    falls, rises = _met(falls, rises, steps, gap)
    right = np.append(falls, 0.0) - np.append(0.0, falls)
    left = np.append(0.0, rises) - np.append(rises, puts[-1] / math.exp(-eps[-1]))
    middle = 1 + falls[0] - rises[0]
    q = np.concatenate([left[:0:-1], [middle], right[1:]])
    loss = np.concatenate([-eps[:0:-1], eps])
    return _atoms(loss, q, float(forth[-1]))


def _met(falls: Array, rises: Array, steps: tuple[Array, Array], gap: float) -> tuple[Array, Array]:
    """The slopes from alpha = 1 on, to either side, with one value there: the lower of two upper ends, ``gap`` apart.

    Were they left apart, P's law would have less mass than 1, or more, and all rounds together lose that as often as
    they are; and so it would where each side is convex, but the two are not: no outcome has a negative chance. What is
    convex below the dots of both sides is below their hull: where slopes no longer rise, they are pooled.
    """
    if abs(gap) <= SAME and falls[0] >= rises[0] - 1:
        return falls, rises
    from scipy.optimize import isotonic_regression  # takes long to load, and few pairs need it

    falls[0] += max(gap, 0.0) / steps[0][0]
    rises[0] -= max(-gap, 0.0) / steps[1][0]
    slopes, widths = np.append(rises[::-1] - 1, falls), np.append(steps[1][::-1], steps[0])
    pooled = isotonic_regression(slopes, weights=widths)
    alone = np.repeat(np.diff(pooled.blocks) == 1, np.diff(pooled.blocks))  # those far out keep all their digits
    falls = np.where(alone[len(rises) :], falls, np.minimum(pooled.x[len(rises) :], 0.0))
    rises = np.where(alone[: len(rises)][::-1], rises, np.maximum(1 + pooled.x[: len(rises)][::-1], 0.0))
    return falls, rises


def hull(eps: Array, values: Array) -> Array:
    """The greatest convex function of ``alpha = e^eps`` that is nowhere above the values, at these points.

    A profile is convex: where it is known to be below the values, it is below their hull.
    """
    from scipy.optimize import isotonic_regression  # takes long to load, and few pairs need it

    width = np.exp(eps[:-1]) * np.expm1(np.diff(eps))
    falls = -isotonic_regression(np.diff(values) / width, weights=width).x
    # From the last value on: sums of positive terms, and a rounding each.
    found = np.append(np.cumsum((np.maximum(falls, 0.0) * width)[::-1])[::-1], 0.0) + values[-1]
    return np.asarray(found * (1 + 4 * UNIT * len(eps)))


def untold(forth: Tails, back: Tails, infinite: float = 0.0) -> Atoms:
    """The law that does not tell apart outcomes with losses between two knots; ``back`` are the tails of (Q, P).

    ``infinite`` is the mass of either law where the other has none, which the tails leave out.
    """
    loss, q = _conditional_means(forth)
    loss_back, p_back = _conditional_means(back)
    q_back = p_back * np.exp(loss_back)
    total, room = float(q.sum() + q_back.sum()), 1 - infinite
    # Tails that are each known from below alone may together hold more than there is.
    share, middle = min(1.0, room / total if total else 1.0), max(0.0, room - total)
    mass = np.concatenate([share * q_back, [middle], share * q])
    known = _atoms(np.concatenate([-loss_back, [0.0], loss]), mass, 0.0)
    return known._replace(infinite=infinite)


def extended(eps: Array, forth: Ends, back: Ends) -> Atoms:
    """A law whose delta is nowhere above the one known at knots from 0 on: ``forth`` of (P, Q), ``back`` of (Q, P)."""
    right, left = _valleys(eps, forth, back), _valleys(eps, back, forth)
    loss, q = _half(right, left)
    loss_back, p_back = _half(left, right)
    # What P has more on the right, it has less on the left: neither side may claim more than the other.
    excess, excess_back = float(dot(q, np.expm1(loss))), float(dot(p_back, np.expm1(loss_back)))
    q = q * min(1.0, excess_back / excess if excess else 1.0)
    q_back = p_back * np.exp(loss_back)
    total = float(q.sum() + q_back.sum())
    share, middle = min(1.0, 1 / total if total else 1.0), max(0.0, 1 - total)
    mass = np.concatenate([share * q_back[::-1], [middle], share * q])
    loss = np.concatenate([-loss_back[::-1], [0.0], loss])
    return _atoms(loss, mass, 0.0)


class Valleys(NamedTuple):
    """Points of a function of ``alpha = e^eps`` that is nowhere above delta: one in each cell, the knots, in order."""

    alpha: Array
    value: Array
    first: tuple[float, float]  # the one in the first cell


def _valleys(eps: Array, forth: Ends, back: Ends) -> Valleys:
    """Where the chords of the neighbouring cells, extended, meet."""
    # At 1/alpha delta is 1 - 1/alpha + back/alpha.
    alpha = np.append(np.exp(-eps[1]), np.exp(eps))
    low = np.append(np.nan, forth.lower)
    high = np.append(-math.expm1(-eps[1]) + math.exp(-eps[1]) * back.upper[1], forth.upper)
    # Between two knots, the chord before them and the one after, both with the ends that make them lower.
    step = np.diff(alpha)
    before = (low[1:] - high[:-1]) / step
    after = np.append((high[2:] - low[1:-1]) / step[1:], [0.0, 0.0])[1:]
    a, b = low[1:], np.append(low[2:], 0.0)
    width = np.append(step[1:], -a[-1] / before[-1] if before[-1] < 0 else 1.0)
    # a + before x = b - after (width - x)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.clip(np.nan_to_num((b - after * width - a) / (before - after), nan=0.0), 0.0, width)
    value = np.maximum(np.maximum(a + before * x, b - after * (width - x)), 0.0)
    place = alpha[1:] + x
    return Valleys(np.concatenate([alpha[1:], place]), np.concatenate([a, value]), (float(place[0]), float(value[0])))


def _half(own: Valleys, other: Valleys) -> tuple[Array, Array]:
    """Losses above 0 and their Q-masses. The valley before 1 is one more point: else 1 would be a bend.

    At ``1/alpha`` delta is ``1 - (1 - value)/alpha``, if the other direction's is ``value`` at alpha.
    """
    alpha, value = other.first
    place, height = 1 / alpha, -math.expm1(-math.log(alpha)) + value / alpha
    places, slopes = _hull_slopes(np.append(place, own.alpha), np.append(height, own.value))
    q = np.diff(np.append(slopes, 0.0))
    kept = (q > 0) & (places[1:] > 1)
    return np.log(places[1:][kept]), q[kept]


def _hull_slopes(x: Array, y: Array) -> tuple[Array, Array]:
    """The places, in order, and the slopes between them, of the greatest convex function below some points."""
    from scipy.optimize import isotonic_regression  # takes long to load, and few pairs need it

    order = np.lexsort([y, x])  # of two points at one place, the lower comes first, and counts
    x, y = x[order], y[order]
    first = np.append(True, np.diff(x) > 0)
    x, y = x[first], y[first]
    width = np.diff(x)
    # Slopes that fall are pooled to their mean: what is left rises, and no function below the points rises more. The
    # last one is at most 0, where all that a profile can do is end.
    slopes = isotonic_regression(np.diff(y) / width, weights=width).x
    return x, np.minimum(slopes, 0.0)


def _conditional_means(tails: Tails) -> tuple[Array, Array]:
    """The loss and the Q-mass of the outcomes between two knots."""
    difference, q = (-np.diff(np.append(tail, 0.0)) for tail in tails)
    kept = (difference > 0) & (q > 0)
    return np.log1p(difference[kept] / q[kept]), q[kept]


def _atoms(loss: Array, q: Array, missing: float) -> Atoms:
    kept = q > 0
    loss, log_q = loss[kept], np.log(q[kept])
    order = np.argsort(loss, kind="stable")
    return Atoms(loss[order], log_q[order], missing)
