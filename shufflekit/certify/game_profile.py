"""The game's profile from above at many alphas, and the law of losses that connects the dots.

Sampled, one row of the grid's values serves all alphas from its own up to ``NEAR`` beyond: with centred scores,
``F_m(x; a) <= (a/b) F_m(b x/a; b)`` for ``a >= b`` of the corners [beyond] 9, and ``H_a <= F_k(-N (a - 1); a)/N``.
Where all report each alpha is looked at by itself. Nothing is above what the clones show [beyond] 2, and any chord
between two points is above a convex profile.

The corners are their own mirror image, so ``H_a = 1 - a + a H_{1/a}``; beyond the last knot H counts as flat, which
makes it an infinite loss.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shufflekit.certify import games
from shufflekit.certify.balls import ball
from shufflekit.certify.game_grid import LEAST, UNIT, between, divided, spacing_of, upper, variance
from shufflekit.certify.judge import delta
from shufflekit.certify.lattice import Law, law_of
from shufflekit.definitions import Definition, Game, Moves

if TYPE_CHECKING:
    from flint import arb

Define = Callable[[Callable[[float], Any]], Any]
Array = NDArray[np.float64]
PARTS = 24  # of the likeliest scores' distance
NEAR = 4e-5  # alphas apart that are served by one row: half of that is what eps may lose
BELOW, ABOVE = 6.0, 8.0  # deviations about where the sums of scores start, and about 0, that a row has
PER_DEVIATION, CLOSE, GROWTH = 64, 4, 1.02  # knots, so far out; then so many times as far
LEFT = 1e-6  # of the mass that matters may be beyond the last knot


def clones(define: Define) -> Define:
    """The one law that is never below the game: everybody's largest blanket. [beyond] 2"""

    def own(number: Callable[[float], Any]) -> Definition:
        game = define(number)
        return Definition(game.slots, game.population, (game.moves[0].spares[0],))

    return own


def checked_corners(game: Game) -> Game:
    """The game, if it is that of the corners, played once."""
    games.checked_game(game)
    if len(game.moves) != 1 or not game.moves[0].monotone or game.rate != 1 or game.replaced:
        raise ValueError(f"define must give a Definition, or the game of the corners with a rate of 1, got {game!r}")
    return game


def law(define: Define, h: float, bits: int, most_lost: float) -> Law:
    """The losses of a game from above, on multiples of h."""

    @cache
    def back(k: int) -> float:
        return delta(clones(define), _at_most(k, h)).upper

    stride = max(1, math.floor(math.sqrt(2 * math.pi) * back(0) / PER_DEVIATION / h))
    knots = _knots(stride, lambda k: back(k) > LEFT * most_lost)
    eps = [_at_most(k, h) for k in knots]
    game = define(float)
    worth = [upper(define, e) for e in eps] if game.slots == game.population else _sampled(define, eps)
    points: list[tuple[int | None, arb, arb]] = [(None, ball(0), ball(1))]
    values = {k: ball(min(found, back(k))) for k, found in zip(knots, worth, strict=True)}
    for k in sorted({*knots, *(-k for k in knots)}):
        alpha = (k * ball(h)).exp()
        points.append((k, alpha, values[k] if k >= 0 else 1 - alpha * (1 - values[-k])))
    return law_of(_masses(_hull(points)), h, bits)


def _at_most(k: int, h: float) -> float:
    """``k h``, rounded down: the profile is no smaller there."""
    return math.nextafter(k * h, 0.0)


def _knots(stride: int, matters: Callable[[int], bool]) -> list[int]:
    knots = list(range(0, CLOSE * PER_DEVIATION * stride + 1, stride))
    while matters(knots[-1]):
        knots.append(math.ceil(GROWTH * knots[-1]))
    return knots


def _hull(points: "list[tuple[int | None, arb, arb]]") -> "list[tuple[int | None, arb, arb]]":
    """Those that are surely below the chord of their neighbours."""
    kept: list[tuple[int | None, arb, arb]] = []
    for point in points:
        while len(kept) > 1 and not _rise(kept[-2], kept[-1]) < _rise(kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _rise(one: "tuple[int | None, arb, arb]", other: "tuple[int | None, arb, arb]") -> "arb":
    return (other[2] - one[2]) / (other[1] - one[1])


def _masses(points: "list[tuple[int | None, arb, arb]]") -> "dict[int, arb]":
    """Under P, of the finite losses: those under Q are what the slope changes by."""
    slopes = [_rise(one, other) for one, other in itertools.pairwise(points)] + [ball(0)]
    turns = zip(points[1:], slopes, slopes[1:], strict=False)
    return {k: alpha * (after - before) for (k, alpha, _), before, after in turns if k is not None}


def _sampled(define: Define, eps: Sequence[float]) -> list[float]:
    game, rough = define(ball), define(float).moves[0]
    moves, N = games.in_balls(game.moves[0]), ball(game.population)
    found: list[float] = []
    while len(found) < len(eps):
        first = eps[len(found)]
        near = [e for e in eps[len(found) :] if e <= first + NEAR]
        own = ball(first).exp()
        ratios = [(ball(e) - first).exp() for e in near]
        # The row's own alpha is b; with a = b ratio, b x/a = -N (b - 1/ratio).
        worth = _row(moves, rough, game.slots, own, [-N * (own - 1 / ratio) for ratio in ratios])
        found += [_above(ratio * one / N) for ratio, one in zip(ratios, worth, strict=True)]
    return found


def _row(moves: Moves, rough: Moves, slots: int, alpha: "arb", starts: "list[arb]") -> "list[arb]":
    """``F_m`` of all slots at these points, scores centred, from above.

    Left of the row's nodes F counts as what it is at the first, since it rises; right of them it rises by 1, at most.
    """
    grid = spacing_of(rough, float(alpha), PARTS)
    laws = [divided(law, alpha, grid) for law in moves.laws]
    # Uncentred scores have means of 1 - alpha. The nodes are moved with each of them.
    points = [start + slots * (grid.shift - (1 - alpha)) for start in starts]
    floats = [
        np.array([(one.chance, one.t0 - float(alpha) * one.t1) for one in law], dtype=float) for law in rough.laws
    ]
    spread = math.sqrt(slots * max(variance(law, grid) for law in floats))
    drift = slots * (1 - float(alpha) - grid.shift)
    ends = [float(points[0]), float(points[-1]), float(points[0]) + drift, float(points[-1]) + drift]
    low = math.floor((min(ends) - BELOW * spread) / grid.step) - 2
    high = math.ceil((max(*ends, 0.0) + ABOVE * spread) / grid.step) + 2
    row = np.maximum(np.arange(low, high) * grid.step * (1 + 2.0**-50), 0)
    for _ in range(slots):
        row = _played(row, laws, grid.step)
    terms = max(map(len, laws)) + 3
    lost = games.as_ball(1 - UNIT) ** (slots * terms)
    values = []
    for point in points:
        node, below, above = between(point / grid.step - low)
        value = below * ball(float(row[node])) + above * ball(float(row[node + 1]))
        values.append(value / lost + games.as_ball(slots * terms * 2 * LEAST))
    return values


def _played(row: Array, laws: Sequence[dict[int, float]], step: float) -> Array:
    """One score earlier: the largest mean."""
    left, right = max(0, -min(map(min, laws))), max(0, max(map(max, laws)))
    wide = np.concatenate([np.full(left, row[0]), row, row[-1] + step * np.arange(1, right + 1)])
    best = np.zeros(len(row))
    for law in laws:
        mean = np.zeros(len(row))
        for offset, chance in law.items():
            mean += chance * wide[left + offset : left + offset + len(row)]
        best = np.maximum(best, mean)
    return best


def _above(x: "arb") -> float:
    return math.nextafter(float(x.upper()), math.inf)
