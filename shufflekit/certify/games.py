"""The game of few slots, in balls: every sum of scores that can come up, and the chooser's best from each.

It is evaluated as ``beyond.game`` defines it, from the same definitions. Sums whose balls overlap are taken for one,
whose ball holds both: what is found then holds the truth for either, and with more bits all that differ come apart.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shufflekit import _validate
from shufflekit.certify.balls import Estimate, ball
from shufflekit.definitions import Definition, Game, Moves, ScoreLaw, checked

if TYPE_CHECKING:
    from flint import arb

MOST = 300_000  # sums looked at, each once for every number of slots that are still to come


def estimate(game: Game, alpha: "arb") -> Estimate:
    """The game's bound on delta at ``log(alpha)``: nothing is left out.

    Raises:
        ValueError: where there are more sums of scores than can be looked at.
    """
    worst = ball(0)
    for moves in game.moves:
        worst = worst.max(_profile(game, in_balls(moves), alpha))
    return Estimate(worst, ball(0))


def _profile(game: Game, moves: Moves, alpha: "arb") -> "arb":
    table, slots, N = _Table(moves.laws, alpha), game.slots, game.population
    rate = as_ball(game.rate)
    taken = range(slots, slots + 1) if rate == 1 else range(slots + 1)
    total = ball(0)
    for k in taken:
        chance = math.comb(slots, k) * rate**k * (1 - rate) ** (slots - k)  # [beyond] 11
        total += chance * (_spared(table, moves.spares, N) if not game.replaced and k == N else table.sampled(k, N)) / N
    return total


def _spared(table: "_Table", spares: Sequence[ScoreLaw], m: int) -> "arb":
    """``W_m``: the first message from the blanket makes room. [beyond] 10"""
    starts = [one.t0 - table.alpha * one.t1 for blanket in spares for one in blanket[:-1]]
    total = ball(0)
    for row in table.values(starts, range(m)):
        values, best = iter(row), ball(0)
        for *blanket, left in spares:
            best = best.max(sum((one.chance * next(values) for one in blanket), left.chance * total))
        total = best
    return total


class _Table:
    """``F_m`` for one alpha, and how many sums were looked at for it."""

    def __init__(self, laws: Sequence[ScoreLaw], alpha: "arb") -> None:
        self.alpha, self.seen = alpha, 0
        self.scores, which = _put_together([one.t0 - alpha * one.t1 for law in laws for one in law])
        numbers = iter(which)
        self.laws = [[(one.chance, next(numbers)) for one in law] for law in laws]

    def sampled(self, k: int, population: int) -> "arb":
        """``F_k((N - k)(1 - alpha))``. [beyond] 8"""
        return self.values([(population - k) * (1 - self.alpha)], [k])[0][0]

    def values(self, starts: list["arb"], depths: Sequence[int]) -> list[list["arb"]]:
        """``F_m`` of all starts, for each m of the depths. [beyond] 9"""
        layers, ways = [starts], list[list[int]]()
        self._count(len(starts) * len(depths))
        for layer in range(1, max(depths) + 1):
            sums, where = _put_together([x + g for x in layers[-1] for g in self.scores])
            self._count(len(sums) * sum(m >= layer for m in depths))
            layers.append(sums)
            ways.append(where)
        return [self._played(layers[m], ways[:m]) for m in depths]

    def _played(self, ends: list["arb"], ways: list[list[int]]) -> list["arb"]:
        row, size = [x.nonnegative_part() for x in ends], len(self.scores)
        for where in reversed(ways):
            row = [self._best(row, where[i : i + size]) for i in range(0, len(where), size)]
        return row

    def _best(self, row: list["arb"], following: list[int]) -> "arb":
        """The largest mean of what follows: none is below 0."""
        best = ball(0)
        for law in self.laws:
            best = best.max(sum((chance * row[following[i]] for chance, i in law), ball(0)))
        return best

    def _count(self, sums: int) -> None:
        self.seen += sums
        if self.seen > MOST:
            raise ValueError(f"define must give a game of few slots, of at most {MOST:,} sums of scores, got more")


def _put_together(sums: list["arb"]) -> tuple[list["arb"], list[int]]:
    """The sums in rising order, those that overlap taken for one, and the number of the one that each is in."""
    middles = [x.mid() for x in sums]
    found, where = list["arb"](), [0] * len(sums)
    for i in sorted(range(len(sums)), key=middles.__getitem__):
        if found and found[-1].overlaps(sums[i]):
            found[-1] = found[-1].union(sums[i])
        else:
            found.append(sums[i])
        where[i] = len(found) - 1
    return found, where


def as_ball(number: Any) -> Any:
    """A number as it is, fractions included; balls stay."""
    if isinstance(number, Fraction):
        return ball(number.numerator) / number.denominator
    return ball(number) if isinstance(number, int | float) else number


def in_balls(moves: Moves) -> Moves:
    """The same moves, their numbers taken as they are."""
    return moves.mapped(as_ball)


def checked_game(game: Game) -> Game:
    """The game, in floats or fractions, if all its laws are laws of scores."""
    laws = itertools.chain(*((*moves.laws, *moves.spares) for moves in game.moves))
    checked(Definition(game.slots, game.population, tuple(laws)))
    _validate.rate(rate=float(game.rate))
    return game
