"""A game at all alphas from its worth at a few: the worth is convex in alpha and in its start at once.

Let V(a, s) be the worth at alpha = a, all starts moved by s. Each play is worth the mean of ``(sum of scores + s)_+``,
and scores are linear in alpha; a largest of convex functions is convex: so for a between b and c,

    V(a, 0) <= (1 - w) V(b, s) + w V(c, -s (1 - w)/w),    a = (1 - w) b + w c,    for every shift s.

At a fixed number of deviations from the start, this adds ``w (1 - w) (c - b)^2`` times the variance of the sum of the
scores t1 to that of all, and half of it to eps: where losses are small, a few alphas that are many deviations apart do.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array

APART, WIDEST, MOST_NEAR = 1.0, 0.08, 8  # deviations between anchors near 0, and of eps at most; and how many of them
NEAR, GROWTH = 4.0, 1.32  # deviations, from which on anchors are so many times as far out as the one before
CLOSER, GROWTH_OF_FEW = 6, 1.05  # times as close, and the growth, where sums take few values
MOST_SHIFTS = 6_000  # of a start, between two anchors
STRETCH, FEW_IN_STRETCH = 0.025, 2  # of eps: its ends add 6e-4/12 of the variance of t1; of more points that it holds
ADDED = 5e-6  # of the variance, halfway between two anchors, that is nothing


class Anchor(NamedTuple):
    """The worth V(alpha, s) at rising shifts, never too small."""

    alpha: float
    shift: Array
    worth: Array


def alike(part: float) -> float:
    """How far apart two eps may be whose worth is as good as that between, ``part`` being the variance of t1 to all."""
    return 2 * math.sqrt(ADDED / max(part, ADDED))


def anchored(deviation: float, top: float, *, few: bool, apart: float = 0.0) -> Array:
    """Where the worth is looked at, to be known from 0 to ``top``: ``apart`` at least.

    The deviation is that of a round's loss.
    """
    near, closer, growth = min(top, NEAR * deviation), *((CLOSER, GROWTH_OF_FEW) if few else (1, GROWTH))
    widest = max(min(APART * deviation, WIDEST) / closer, apart)
    count = min(max(math.ceil(near / widest), 1), closer * MOST_NEAR)
    eps = list(np.linspace(0.0, near if near > apart else min(apart, top), count + 1))
    while (further := max(eps[-1] * growth, eps[-1] + apart)) < top:
        eps.append(further)
    return np.array([*eps, top] if top > eps[-1] else eps)


def shifts(eps: Array, size: float, spread: Callable[[float], float], per_deviation: int) -> list[Array]:
    """For each anchor, with 0: those that start as many deviations out as alphas between its neighbours do.

    ``-size (alpha - 1)`` is the start at no shift, ``spread`` the deviation of the scores' sum at an alpha.
    """
    spreads = np.array([spread(math.exp(e)) for e in eps])
    start = size * np.expm1(eps)
    out = start / spreads
    found = []
    for i, own in enumerate(spreads):
        neighbours = out[max(i - 1, 0)], out[i], out[min(i + 1, len(eps) - 1)]
        parts = [np.linspace(low, high, _count((high - low) * per_deviation) + 1) for low, high in pairwise(neighbours)]
        found.append(np.unique(np.append(start[i] - own * np.concatenate(parts), 0.0)))
    return found


def _count(about: float) -> int:
    return min(math.ceil(about), MOST_SHIFTS)


def between(eps: Array, anchors: list[Anchor]) -> Array:
    """V(e^eps, 0) at each eps between the first anchor and the last, never too small."""
    alpha, known = np.exp(eps), np.array([one.alpha for one in anchors])
    first = np.clip(np.searchsorted(known, alpha, side="right") - 1, 0, len(anchors) - 2)
    found = np.empty(len(eps))
    for i in np.unique(first):
        own, low, high = first == i, anchors[i], anchors[i + 1]
        weight = np.clip((alpha[own] - low.alpha) / (high.alpha - low.alpha), 0.0, 1.0)[:, None]
        found[own] = np.minimum(_mixed(weight, low, high).min(axis=1), _mixed(1 - weight, high, low).min(axis=1))
    return found


def _mixed(weight: Array, one: Anchor, other: Anchor) -> Array:
    """``(1 - w) V(b, s) + w V(c, -s (1 - w)/w)`` at all shifts s of one; V between shifts by its chord."""
    known = weight[:, 0] > 0
    found = np.full((len(weight), len(one.shift)), float(one.worth[one.shift == 0][0]))
    w = weight[known]
    back = -one.shift * ((1 - w) / w)
    # Before the first shift V is no more than there, and after the last it rises by no more than 1.
    worth = np.interp(back, other.shift, other.worth) + np.maximum(back - other.shift[-1], 0.0)
    found[known] = (1 - w) * one.worth + w * worth
    return found


def in_stretches(
    eps: Array, size: float, spread: Callable[[float], float], worth: Callable[[float, Array], Array]
) -> Array:
    """V(e^eps, 0) at each of many eps, by ``worth(place, starts)`` at the ends of the stretches they are in.

    ``starts`` are where a play's sum of scores has to come: ``size (alpha - 1)`` at no shift. Of each eps both ends are
    asked at as many deviations, so that the shifts make up for each other. Where few share a stretch each is asked
    itself.
    """
    low, high = float(eps.min(initial=0.0)), float(eps.max(initial=0.0))
    parts = max(1, math.ceil((high - low) / STRETCH))
    places = np.linspace(low, high, parts + 1)
    first = np.clip(np.searchsorted(places, eps, side="right") - 1, 0, parts - 1)
    alone = (np.bincount(first, minlength=parts) <= FEW_IN_STRETCH)[first] | (math.exp(high) == math.exp(low))
    ends = [np.where(alone, eps, places[first + side]) for side in (0, 1)]
    (b, c), x = map(np.exp, ends), size * np.expm1(eps)
    weight = np.where(alone, 0.0, (np.exp(eps) - b) / np.where(alone, 1.0, c - b))
    spreads = {place: spread(math.exp(place)) for place in np.unique(ends).tolist()}
    own = np.array([[spreads[place] for place in end.tolist()] for end in ends]).reshape(2, -1)
    mean = (1 - weight) * own[0] + weight * own[1]
    itself = alone | (mean == 0)  # what does not spread at all comes to the start that it has
    starts = np.where(itself, x, own * (x / np.where(itself, 1.0, mean)))
    found = np.zeros((2, len(eps)))
    for place in spreads:
        here = np.array([end == place for end in ends]) & np.array([np.ones(len(eps), dtype=bool), ~alone])
        found[here] = worth(place, starts[here])
    return np.asarray((1 - weight) * found[0] + weight * found[1])
