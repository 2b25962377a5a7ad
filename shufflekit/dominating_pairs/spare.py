"""Everybody reports: the first message from the blanket makes room. [beyond] 10

    W_m = max over blankets B of    int F_{m-1}(t0 - a t1) dB + (1 - |B|) W_{m-1},        H_a <= W_n/n.

A blanket has a mass of at least b, so what is assumed of W_{n-D}, that it is no more than another valid bound, weighs
(1 - b)^D at most: some places at the end are enough.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from shufflekit._validate import Array
from shufflekit.definitions import Moves, ScoreLaw
from shufflekit.dominating_pairs.long_game import Few, LongGame
from shufflekit.dominating_pairs.told import Told

LOG_FORGOTTEN = -16.0  # of what is assumed
MOST_PLACES = 20_000
WIDEST = 3e-5  # of all places, that are taken for as long as the first of them
TOLD_APART = 96  # places, at most, where each costs
FEW = 1_000  # of which most are looked at anyway
POINTS = 9  # of a convex function, between which its chords are taken, and as many more as there are shifts
MOST_CELLS = 2**19  # kinds, places and alphas, that are worked on at once
NO_SHIFT = np.zeros(1)


Assumed = Callable[[int], Array]  # m -> another valid bound on W_m


def spared(
    game: LongGame | Told, moves: Moves, eps: float, n: int, assumed: Assumed, shifts: Array = NO_SHIFT
) -> Array:
    """``W_n``, never too small, all starts moved by each of the shifts."""
    blankets = _blankets(moves)
    # Of n - 1 - before others, whose scores have a mean of 1 - alpha each.
    drift = -math.expm1(eps)
    scores, places = _scores(blankets, np.exp(np.array([eps]))), _places(blankets, n)
    first = (scores + shifts).ravel() + (n - 1) * drift
    few = game.enough(n - 1, n - places, first) if n > 1 else None
    if few is None and n <= game.block:
        groups = [slice(place, place + 1) for place in range(places)]
    else:
        groups = _groups(places, max(1, math.floor(WIDEST * n)))
    left = [(n - 1 - np.arange(group.start, group.stop)) * drift for group in groups]
    starts = [scores[:, :, None] + own[:, None] + shifts for own in left]
    worth = np.concatenate(_worths(game, [n - 1 - group.start for group in groups], starts, few), axis=1)
    return _recursion(blankets, worth, _last(n, places, worth.shape[2], assumed))


def spared_at_one(worth: Callable[[Array], Array], moves: Moves, eps: Array, n: int, assumed: Assumed) -> Array:
    """The same at many alphas, by what n - 1 slots are worth at alpha = 1, and fewer no more: see ``GamePair``."""
    blankets, alpha = _blankets(moves), np.exp(eps)
    places, scores = _places(blankets, n), _scores(blankets, alpha)[:, None, :]
    total, step = _last(n, places, len(eps), assumed), max(1, MOST_CELLS // scores.size)
    for first in range(0, places, step)[::-1]:
        before = np.arange(first, min(first + step, places))[:, None]
        starts = scores - (n - 1 - before) * np.expm1(eps)
        total = _recursion(blankets, alpha * worth(starts / alpha), total)
    return total


def _last(n: int, places: int, alphas: int, assumed: Assumed) -> Array:
    """What is assumed beyond the last place."""
    return assumed(n - places) if places < n else np.zeros(alphas)


def _recursion(blankets: Sequence[ScoreLaw], worth: Array, total: Array) -> Array:
    """W from the worth of each score and place, at some alphas; the last place first, after which it is the total."""
    ends = np.cumsum([0, *(len(blanket) - 1 for blanket in blankets)])
    left = np.array([[float(blanket[-1].chance)] for blanket in blankets])
    chances = np.zeros((len(blankets), ends[-1]))
    for i, blanket in enumerate(blankets):
        chances[i, ends[i] : ends[i + 1]] = _chances(blanket)
    for place in range(worth.shape[1])[::-1]:
        total = (chances @ worth[:, place] + left * total).max(axis=0)  # [beyond] 10
    return np.asarray(total)


def _places(blankets: Sequence[ScoreLaw], n: int) -> int:
    """How many places are looked at one by one."""
    left = max(float(blanket[-1].chance) for blanket in blankets)
    places = min(n, MOST_PLACES, math.ceil(LOG_FORGOTTEN / math.log(left)) if left > 0 else 1)
    return n if places > n / 2 and n <= FEW else places


def _blankets(moves: Moves) -> list[ScoreLaw]:
    return [blanket for blanket in moves.spares if len(blanket) > 1]


def _chances(blanket: ScoreLaw) -> Array:
    return np.array([float(one.chance) for one in blanket[:-1]])


def _scores(blankets: Sequence[ScoreLaw], alpha: Array) -> Array:
    """``t0 - alpha t1`` of all blankets' kinds, one after the other, at each alpha."""
    kinds = [one for blanket in blankets for one in blanket[:-1]]
    return np.array([[float(one.t0)] for one in kinds]) - np.array([[float(one.t1)] for one in kinds]) * alpha


def _groups(places: int, widest: int) -> list[slice]:
    """Places that are taken for as long as the first of them, which is worth more."""
    groups, first = [], 0
    while first < places:
        last = min(places, first + max(widest, first // 4, 1)) if first < TOLD_APART else places
        groups.append(slice(first, last))
        first = last
    return groups


def _worths(game: LongGame | Told, lengths: list[int], starts: list[Array], few: Few | None) -> list[Array]:
    """The worth at each start; where there are many of them, by chords between some, above a convex function."""
    most = POINTS + starts[0].shape[2] - 1
    points = [x.ravel() if x.size <= most else np.linspace(x.min(), x.max(), most) for x in starts]
    played = [i for i, length in enumerate(lengths) if length > 0]
    values = game.worths([lengths[i] for i in played], [points[i] for i in played], few) if played else []
    found = [np.maximum(x, 0.0) for x in starts]
    for i, value in zip(played, values, strict=True):
        order = np.argsort(points[i])
        found[i] = np.interp(starts[i], points[i][order], value[order])
    return found
