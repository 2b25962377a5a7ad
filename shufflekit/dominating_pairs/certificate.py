"""When one law is enough: the certificate of [beyond] 12, Lemma 4.

A chooser among laws has played m steps: F_m on a board. Let e(y) be what the chooser gains in one step over always
taking one law, K the largest e(y) e^{-c y}, and Lam the largest E e^{c g} of the laws, for a tilt c >= 0. Then

    F_{m+s}(x) <= E F_m(x + s scores of the one law) + s K Lam^{s-1} e^{c x}:

replace the chooser's steps by the law's, the last ones first. Each replacement costs e at most, after which the chooser
plays on, and e^{c x} grows by Lam at most a step.
"""

from collections.abc import Callable, Sequence

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import TINY
from shufflekit.dominating_pairs.board import Board, Scores

TILTS = np.geomspace(0.4, 2.5, 15)  # relative to that of a normal sum
STARTS = 5  # from the nearest to the farthest, for which there are tilts of their own
EDGE_RATES = np.geomspace(0.3, 2.0, 9)
LOG_HUGE = 700.0


def slack(
    board: Board,
    laws: Sequence[Scores],
    pure: int,
    x: Array,
    steps: float,
    times: Callable[[Array], Array],
    larger: Sequence[Scores] = (),
) -> Array:
    """``s K Lam^{s-1} e^{c x}`` with the best of some tilts, at each start x, for the steps after those on the board.

    ``steps`` is about how many there are in all; ``times`` gives ``log(s Lam^{s-1})`` from ``log Lam``, or its mean
    where s is random, or a row for each start. The board may have been played by a chooser of more laws, and some of
    the later steps may be by ``larger`` ones, which are chosen by nobody.
    """
    variance = max(law.variance for law in laws)
    tilts = tilts_for(x, variance) / steps
    log_slack = log_gain(board, laws, pure, tilts) + times(log_most([*laws, *larger], tilts)) + np.outer(x, tilts)
    return np.asarray(np.exp(np.minimum(log_slack.min(axis=1), LOG_HUGE)))


def tilts_for(x: Array, variance: float) -> Array:
    """Those of a normal sum, for the nearest start, the farthest, and some between; and others about them."""
    near, far = (max(float(end), variance**0.5) for end in (np.abs(x).min(), np.abs(x).max()))
    return np.unique(np.outer(np.geomspace(near, far, STARTS if far > near else 1), TILTS)) / variance


def log_gain(board: Board, laws: Sequence[Scores], pure: int, tilts: Array) -> Array:
    """``log K`` at some tilts: what one step by any of the laws is worth more than one by ``laws[pure]``."""
    points, excess = board.excess(laws, pure)
    order = np.argsort(points)
    points, excess = points[order], excess[order]
    # As tilts are 0 or more, no point matters that is right of one that gains as much.
    first = np.append(0.0, np.maximum.accumulate(excess)[:-1])
    points, excess = points[excess > first], excess[excess > first]
    inside = (np.log(excess) - np.outer(tilts, points)).max(axis=1, initial=-np.inf) + tilts * board.step
    return np.asarray(np.maximum(inside, _beyond(board, tilts)))


def log_most(laws: Sequence[Scores], tilts: Array) -> Array:
    """``log Lam`` at some tilts."""
    return np.asarray(np.max([law.log_moments(tilts) for law in laws], axis=0))


def _beyond(board: Board, tilts: Array) -> Array:
    """A bound on ``log e(y) - tilt y`` beyond the board, where one step more is worth what it is worth in all.

    On the left by Chernoff, ``F(y) <= Lam(r)^{m+1} e^{r y}/(e r)``; on the right ``F(y) - y`` falls.
    """
    edge, right = (float(abs(end)) - board.margin * board.step for end in board.x[[0, -1]])
    steps = board.played + 1
    rates = EDGE_RATES * edge / (board.variance * steps)
    bounds = steps * log_most(board.laws, rates) - rates * edge - 1 - np.log(rates)
    left = np.where(rates > tilts[:, None], bounds + tilts[:, None] * edge, np.inf).min(axis=1)
    last = np.log(max(float(board.rise[-1 - board.margin]), TINY)) - tilts * right
    return np.asarray(np.maximum(left, last))
