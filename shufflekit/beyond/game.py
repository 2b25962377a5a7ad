"""The game: the worst case of the shuffle, one message after the other, nobody's randomizer decomposed. [beyond] 8-11

R is any eps0-LDP randomizer. For a message o of another user j put t0 = R(x0)/R(x_j), t1 = R(x1)/R(x_j) at o, of mean
(1, 1) when o is drawn from R(x_j), and g = t0 - a t1. For convex f the mean of f(g) is at most the largest of five:
that of the corner laws, ``definitions.corners``. So with

    F_0(x) = x_+,        F_m(x) = max over the corner laws of E F_{m-1}(x + g)

the sum of m scores, each of any such law given the earlier ones, has ``E(x + g_1 + ... + g_m)_+ <= F_m(x)``: a chooser
who picks the law of each message in turn does at least as well. [beyond] 9

k < N sampled: H_a <= F_k((N - k)(1 - a))/N. Draw k distinct *other* users and their messages; with the chance k/N one
of the messages, at a random place, is the changed user's instead. That is the protocol, and who made room is never
shown. [beyond] 8

Everybody reports: somebody has to make room, the first whose message came from the blanket. H_a <= W_n/n, W_0 = 0 and

    W_m = max over blankets B of    int F_{m-1}(g) dB + (1 - |B|) W_{m-1}.                                  [beyond] 10

A known channel's laws and blanket are ``definitions.rows``: the same proofs. [beyond] 13
"""

import math
from functools import lru_cache
from typing import Any

from shufflekit import _validate
from shufflekit.definitions import Game, Moves, ScoreLaw


def value(laws: tuple[ScoreLaw, ...], m: int, alpha: Any, start: Any = 0) -> Any:
    """``F_m(start)``: the chooser's best mean of ``(start + g_1 + ... + g_m)_+``. Exact in fractions."""
    return Table(laws, _validate.real(alpha=alpha)).value((1,) * _validate.count(m=m, at_least=0), start)


def spared(moves: Moves, m: int, alpha: Any) -> Any:
    """``W_m``: the same when everybody reports, and the first message from the blanket makes room. [beyond] 10"""
    table, total = Table(moves.laws, _validate.real(alpha=alpha)), 0 * alpha
    for others in range(_validate.count(m=m, at_least=0)):
        total = max(table.from_blanket(blanket, others) + blanket[-1].chance * total for blanket in moves.spares)
    return total


def profile(game: Game, alpha: Any) -> Any:
    """The bound on H_a that the game proves: for the worst of its moves, and, of check-ins, for each number of them.

    Formal guarantee: an upper bound for every data set and every randomizer that the moves stand for, common to all
    users; also where the places answer in turn, each seeing the earlier messages.
    """
    alpha = _validate.real(alpha=alpha)
    if not game.replaced:
        _validate.count(slots=game.slots, at_most=_validate.count(population=game.population))
    return max(_profile(game, moves, alpha) for moves in game.moves)


def _profile(game: Game, moves: Moves, alpha: Any) -> Any:
    table, N = Table(moves.laws, alpha), game.population

    def of(k: int) -> Any:
        if not game.replaced and k == N:
            return spared(moves, N, alpha) / N
        return table.value((1,) * k, (N - k) * (1 - alpha)) / N  # [beyond] 8

    if game.rate == 1:
        return of(game.slots)
    chances = ((k, math.comb(game.slots, k) * game.rate**k * (1 - game.rate) ** (game.slots - k)) for k in range(N + 1))
    return sum(chance * of(k) for k, chance in chances)  # [beyond] 11


class Table:
    """``F_m(x)`` for one alpha, each looked up once; with a weight a message, which its score is multiplied by."""

    def __init__(self, laws: tuple[ScoreLaw, ...], alpha: Any) -> None:
        self.alpha = alpha
        self.laws = [[(one.chance, one.t0 - alpha * one.t1) for one in law] for law in laws]
        self.value = lru_cache(maxsize=None)(self._value)

    def _value(self, weights: tuple[Any, ...], x: Any) -> Any:
        if not weights:
            return max(x, 0 * x)
        return max(self.means(weights, x))  # [beyond] 9

    def means(self, weights: tuple[Any, ...], x: Any) -> list[Any]:
        """What each law is worth, if the first message is of it and the chooser goes on as is best."""
        first, rest = weights[0], weights[1:]
        return [sum(chance * self.value(rest, x + first * g) for chance, g in law) for law in self.laws]

    def from_blanket(self, blanket: ScoreLaw, others: int) -> Any:
        """``int F_others(g) dB``; who left the blanket is the last kind."""
        scores = [(one.chance, one.t0 - self.alpha * one.t1) for one in blanket[:-1]]
        return sum(chance * self.value((1,) * others, g) for chance, g in scores)
