"""The game of some hundreds of slots, from above: on a grid, in floating point whose round-off is bounded.

The chooser's value ``F_m`` is convex and rises with what has been scored. So where the sums of scores are held to a
grid, each score divided between its two neighbours with its mean kept, the value found is no less. All that is added is
positive: floating point then errs by a known factor, and weights, which are balls, are rounded up.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit import _validate
from shufflekit.certify import games
from shufflekit.certify.balls import ball, flint
from shufflekit.definitions import Game, Moves, ScoreLaw

if TYPE_CHECKING:
    from flint import arb

MOST = 4 * 10**9  # nodes looked at: minutes
BITS = 256  # of the balls
FARTHEST = 300.0  # eps asked about: beyond it delta is no larger
UNIT = Fraction(1, 2**53)  # the relative error of an operation
LEAST = Fraction(1, 2**1074)  # the error of one near 0
Array = NDArray[np.float64]


def upper(define: Callable[[Callable[[float], Any]], Game], eps: float, *, parts: int = 24) -> float:
    """A bound on the game's bound on delta at ``eps``, from above; the more ``parts`` a score has, the nearer.

    It is an upper end only: how far it is above the game's value is not told.

    Raises:
        ValueError: where there are more nodes than can be looked at.
    """
    eps, parts = min(_validate.nonnegative(eps=eps), FARTHEST), _validate.count(parts=parts)
    rough = games.checked_game(define(float))
    with flint().ctx.workprec(BITS):
        game, alpha, worst = define(ball), ball(eps).exp(), ball(0)
        for moves, floats in zip(game.moves, rough.moves, strict=True):
            worst = worst.max(_profile(game, games.in_balls(moves), alpha, spacing_of(floats, math.exp(eps), parts)))
        return min(1.0, float_above(worst))


class Spacing(NamedTuple):
    """Of the grid: the distance of two nodes, and by how much all are moved with each score."""

    step: float
    shift: float


def spacing_of(moves: Moves, alpha: float, parts: int) -> Spacing:
    """The likeliest score of the law that varies most is on the grid, and so is the largest of all scores.

    The number of parts between them, those asked for or some more, is that with which the laws vary least at most.
    """
    laws = [np.array([(one.chance, one.t0 - alpha * one.t1) for one in law], dtype=float) for law in moves.laws]
    widest = max(laws, key=lambda law: float(law[:, 0] @ (law[:, 1] - (1 - alpha)) ** 2))
    shift, top = float(widest[np.argmax(widest[:, 0]), 1]), max(float(law[:, 1].max()) for law in laws)
    if not top > shift:
        top = shift + 1.0 + abs(shift)
    choices = [Spacing((top - shift) / more, shift) for more in range(parts, 2 * parts)]
    return min(choices, key=lambda spacing: max(variance(law, spacing) for law in laws))


def variance(law: Array, spacing: Spacing) -> float:
    """About that of a law on the grid."""
    share = ((law[:, 1] - spacing.shift) / spacing.step) % 1
    mean = law[:, 0] @ law[:, 1]
    return float(law[:, 0] @ ((law[:, 1] - mean) ** 2 + share * (1 - share) * spacing.step**2))


def _profile(game: Game, moves: Moves, alpha: "arb", spacing: Spacing) -> "arb":
    slots, N, rate = game.slots, game.population, games.as_ball(game.rate)
    starts = [one.t0 - alpha * one.t1 for blanket in moves.spares for one in blanket[:-1]]
    reporting = range(slots, slots + 1) if rate == 1 else range(slots + 1)
    asked: list[list[arb]] = [[] for _ in range(slots + 1)]
    for k in reporting:
        asked[k].append((N - k) * (1 - alpha))
    if not game.replaced and slots == N:
        for m in range(N):
            asked[m] += starts
    found = _Grid(moves, alpha, spacing).values(asked)
    total = ball(0)
    for k in reporting:
        value = _spared(found, moves.spares) if not game.replaced and k == N else found[k][0]  # [beyond] 8, 14
        total += math.comb(slots, k) * rate**k * (1 - rate) ** (slots - k) * value / N  # [beyond] 11
    return total


def _spared(found: list[list["arb"]], spares: Sequence[ScoreLaw]) -> "arb":
    """``W`` of all slots; the values at the blankets' scores are the last ones found. [beyond] 10"""
    total, size = ball(0), sum(len(blanket) - 1 for blanket in spares)
    for row in found[:-1]:
        values, best = iter(row[-size:]), ball(0)
        for *blanket, left in spares:
            best = best.max(sum((one.chance * next(values) for one in blanket), left.chance * total))
        total = best
    return total


class _Grid:
    """``F_m`` from above, at the nodes ``first - m shift + i step``."""

    def __init__(self, moves: Moves, alpha: "arb", spacing: Spacing) -> None:
        self.spacing = spacing
        self.laws = [divided(law, alpha, spacing) for law in moves.laws]
        # From the lowest score to the highest, the blankets' and 0 among them: so far do the sums asked about reach.
        offsets = [i for law in (*self.laws, *(divided(law, alpha, spacing) for law in moves.spares)) for i in law]
        self.low, self.high = min(offsets), max(*offsets, math.ceil(-spacing.shift / spacing.step))
        self.terms = max(map(len, self.laws))

    def values(self, asked: list[list["arb"]]) -> list[list["arb"]]:
        """``F_m`` at the points ``asked[m]``; those of the last m reach as far as the others. [beyond] 9"""
        most, (step, shift) = len(asked) - 1, self.spacing
        first, last = (float(end(asked[most], key=float)) + most * shift for end in (min, max))
        spans = self._spans(most, first, 2 + int((last - first) / step))
        nodes = np.arange(spans[0].start, spans[0].stop)
        doubt = 2.0**-50 * (abs(first) + np.abs(nodes) * step)
        row, found = np.maximum(first + nodes * step + doubt, 0), []
        for m, points in enumerate(asked):
            row = self._played(row, spans[m - 1], spans[m]) if m else row
            places = [(point - first + m * ball(shift)) / step - spans[m].start for point in points]
            found.append([self._at(row, place, m) for place in places])
        return found

    def _spans(self, most: int, first: float, width: int) -> list[range]:
        """The nodes that count, for each m: those that can be reached, without those from which 0 is out of reach."""
        out_of_reach = math.floor(-first / self.spacing.step) - 2
        spans = []
        for m in range(most + 1):
            start, stop = (most - m) * self.low - 1, (most - m) * self.high + width
            spans.append(range(min(max(start, out_of_reach - m * self.high), stop - 2), stop))
        total = sum(map(len, spans))
        if total > MOST:
            raise ValueError(f"define must give a game of fewer slots, of at most {MOST:,} nodes, got {total:,}")
        return spans

    def _played(self, row: Array, old: range, new: range) -> Array:
        """One score earlier: the largest mean. Below the old nodes there is nothing."""
        missing = max(0, old.start - new.start - self.low)
        row = np.pad(row, (missing, 0))
        begin = new.start - old.start + missing
        best = np.zeros(len(new))
        for law in self.laws:
            mean = np.zeros(len(new))
            for offset, chance in law.items():
                mean += chance * row[begin + offset : begin + offset + len(new)]
            best = np.maximum(best, mean)
        return best

    def _at(self, row: Array, place: "arb", m: int) -> "arb":
        """Between two nodes; raised by what rounding may have lost in m steps."""
        node, below, above = between(place)
        if node < 0:  # 0 is out of reach from the first node on, which has nothing, and so has what is below it
            node, below, above = 0, ball(1), ball(0)
        lost = games.as_ball(1 - UNIT) ** (m * (self.terms + 1))
        value = below * ball(float(row[node])) + above * ball(float(row[node + 1]))
        return value / lost + games.as_ball(m * self.terms * 2 * LEAST)


def divided(law: ScoreLaw, alpha: "arb", spacing: Spacing) -> dict[int, float]:
    """The chances of a law's scores at the nodes, in steps, rounded up."""
    chances: dict[int, arb] = {}
    for one in law:
        node, below, above = between((one.t0 - alpha * one.t1 - spacing.shift) / spacing.step)
        chances[node] = chances.get(node, ball(0)) + one.chance * below
        chances[node + 1] = chances.get(node + 1, ball(0)) + one.chance * above
    return {node: float_above(chance) for node, chance in chances.items() if not chance.is_zero()}


def between(place: "arb") -> tuple[int, "arb", "arb"]:
    """The node below, and its share and that of the next one, both from above: what is divided rises."""
    node = int(place.mid().floor().fmpz())
    if not place - node < 1:
        node += 1
    share = (place - node).nonnegative_part()
    return node, (1 - share).upper(), share.upper()


def float_above(x: "arb") -> float:
    return 0.0 if x.is_zero() else math.nextafter(float(x.upper()), math.inf)
