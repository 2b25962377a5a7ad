"""Random check-ins: m slots, each of which takes one of those clients who came to it. [beyond] 14 to 17

Replacement. An empty slot answers for a dummy, so that nobody sees it. Let all but client 1 come. F_i is whom slot i
then takes (or the dummy), L_i how many came. Client 1 comes to slot i with the chance p0/m, for a rate of p0, and is
taken with the chance 1/(L_i + 1). Tell the adversary a statistic T that fixes F, and let ``c_i = (p0/m) E[1/(L_i + 1)
| T]``. Of all that is seen, prod_i R(F_i)(o_i) is what would be seen without client 1, and

    P - a Q = prod_i R(F_i)(o_i) ((1 - a)(1 - sum_i c_i) + sum_i c_i g_i),        g_i = t0 - a t1

with the scores of ``definitions``, relative to R(F_i): slot after slot a law of mean (1, 1) in the hexagon. That is the
game of [beyond] 9 with a weight a slot. Algorithm A_rep tells F, with the weights w_i/m: its worst case *is* the game.
With the clones' scores as the only law it is a cheaper bound, [beyond] 15.

Sampling. Given the number M of slots that are not empty, shown or not, those taken are a uniformly random ordered set
of M of the n clients: the sampled shuffle in order of [beyond] 8, averaged over M. [beyond] 16
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from shufflekit import _validate, exact
from shufflekit.beyond import game
from shufflekit.beyond.scores import checked_law
from shufflekit.definitions import Definition, Game, Kind, Moves, ScoreLaw
from shufflekit.definitions.scores import SLACK
from shufflekit.divergences import hockey_stick
from shufflekit.exact import Choose, History
from shufflekit.randomizers import Channel, checked_channel

Laws = tuple[ScoreLaw, ...]


# The game with a weight a slot.


def weighted(laws: Laws, weights: Sequence[Any], alpha: Any) -> Any:
    """The chooser's best mean of ``((1 - a)(1 - sum_i c_i) + sum_i c_i g_i)_+``, slots in the given order. [beyond] 14

    Formal guarantee: with the corners' laws the largest H_a of A_rep, whose weights are m c_i, over all data sets and
    all eps0-LDP randomizers, each slot's chosen after seeing the earlier answers.
    """
    weights = checked_weights(weights)
    return _played(game.Table(laws, _validate.real(alpha=alpha)), weights)


def strategy(channels: Sequence[Channel], weights: Sequence[Any], alpha: Any) -> Choose:
    """The channels that the chooser plays, by the outputs so far: inputs 0 and 1 are client 1's, all others have 2.

    With the channels of the corners, A_rep attains ``weighted``.
    """
    weights, alpha = checked_weights(weights), _validate.real(alpha=alpha)
    if not all(checked_channel(channels=one).inputs == 3 for one in channels):
        raise ValueError("channels must have 3 inputs each: x0, x1 and the others' own")
    laws = tuple(tuple(Kind(r, p / r, q / r, p / r - 1, q / r - 1) for p, q, r in one.probs.T) for one in channels)
    table = game.Table(laws, alpha)

    def choose(history: History) -> Channel:
        x = (1 - alpha) * (1 - sum(weights))
        for i, output in enumerate(history):
            x += weights[i] * table.laws[_best(table, weights[i:], x)][output][1]
        return channels[_best(table, weights[len(history) :], x)]

    return choose


def checked_weights(weights: Sequence[Any]) -> tuple[Any, ...]:
    """The chance of each slot to take client 1: together at most 1. Exact if they are given so."""
    found = tuple(_validate.real(weights=weight) for weight in weights)
    if not found or min(found) < 0 or sum(found) > 1 + SLACK:
        raise ValueError(f"weights must be one or more chances that sum to at most 1, got {weights!r}")
    return found


# Who came where.


def occupancy(clients: int, slots: int, rate: Any = 1) -> list[Any]:
    """The law of the number of slots that are not empty, 0 to ``slots``, client after client."""
    n, m = _validate.count(clients=clients, at_least=0), _validate.count(slots=slots)
    p0 = _validate.exact_rate(rate=rate)
    law = [0 * p0 + 1] + [0 * p0] * m
    for _ in range(n):
        # One more finds j of the slots taken: with the chance p0 (m - j)/m she takes another.
        stay = [law[j] * (1 - p0 + p0 * j / m) for j in range(m + 1)]
        law = [stay[0], *(stay[j] + law[j - 1] * p0 * (m - j + 1) / m for j in range(1, m + 1))]
    return law


def shared_weight(others: int, slots: int, occupied: int) -> Any:
    """``E[1/(L_i + 1) | T]`` of a slot to which somebody came, T being which slots those are. Exact. [beyond] 15

    Of N = n - 1 others, s(N, j) = j^N P(all of j slots have somebody) ways leave none of j slots empty. As C(N, l)/(l +
    1) = C(n, l + 1)/n, the mean is ``(s(n, j) - n s(N, j - 1))/(n s(N, j))``, and s(n, j) = j (s(N, j) + s(N, j - 1)).
    """
    N, m = _validate.count(others=others), _validate.count(slots=slots)
    j, n = _validate.count(occupied=occupied, at_most=min(N, m)), N + 1
    law = occupancy(N, m)
    r = (m - j + 1) * law[j - 1] / law[j]
    return j / _validate.real(n=n) - r * (n - j) / (n * j)  # [beyond] 15


class Told(NamedTuple):
    """One value of the statistic T, how many of the others came and which slots have somebody: its chance, and the
    weights c_i of the slots given it.
    """

    chance: Any
    came: int
    occupied: tuple[bool, ...]
    weights: tuple[Any, ...]


def told(n: int, slots: int, rate: Any = 1) -> Iterator[Told]:
    """T says which slots the n - 1 others left empty and, if the rate is below 1, how many of them came. [beyond] 15"""
    n, m, p0 = _validate.count(n=n), _validate.count(slots=slots), _validate.exact_rate(rate=rate)
    for came in range(n):
        chance = math.comb(n - 1, came) * p0**came * (1 - p0) ** (n - 1 - came)
        for j, likely in enumerate(occupancy(came, m)):
            if chance * likely == 0:
                continue
            shared = p0 / m * (shared_weight(came, m, j) if j else 1)
            for places in itertools.combinations(range(m), j):
                occupied = tuple(i in places for i in range(m))
                weights = tuple(shared if full else p0 / m for full in occupied)
                yield Told(chance * likely / math.comb(m, j), came, occupied, weights)


# Bounds on H_a. The laws are the corners' of E, or the clones' alone: a cheaper bound.


def replaced(laws: Laws, slots: int, rate: Any, alpha: Any) -> Any:
    """All weights at most p0/m: no number of clients is needed. [beyond] 15

    Formal guarantee: above A_fix and A_sldw with dummies, a window having that many slots and ``rate`` 1 then, for
    every client, and above A_rep with weights of at most ``rate``.
    """
    m, p0 = _validate.count(slots=slots), _validate.exact_rate(rate=rate)
    return weighted(laws, (p0 / m,) * m, alpha)


def replaced_of(laws: Laws, n: int, slots: int, rate: Any, alpha: Any) -> Any:
    """The adversary is told which slots the others left empty: the mean over that. [beyond] 15

    Formal guarantee: above A_fix of n clients with dummies.
    """
    table = game.Table(laws, _validate.real(alpha=alpha))
    return sum(one.chance * _played(table, one.weights) for one in told(n, slots, rate))


def sampled(moves: Moves, n: int, slots: int, rate: Any, alpha: Any) -> Any:
    """The mean over M, which is told, of the game of M of n; if all n are taken, one makes room. [beyond] 16

    Formal guarantee: above A_fix of n clients, with dummies or without.
    """
    return _over_taken(lambda taken: game.profile(Game(taken, n, (moves,)), alpha), n, slots, rate, alpha)


def sampled_clones(law: ScoreLaw, n: int, slots: int, rate: Any, alpha: Any) -> Any:
    """The same with one law of scores, the clones', relative to a blanket. [beyond] 16 with 3"""
    law = checked_law(law)

    def pair(taken: int) -> Any:
        return hockey_stick(*exact.pair(Definition(taken, n, (law,))), alpha)

    return _over_taken(pair, n, slots, rate, alpha)


def attack(law: ScoreLaw, n: int, slots: int, rate: Any, alpha: Any) -> Any:
    """H_a of A_fix where all others and the dummy have one value. [beyond] 16

    Then F says nothing, and the weights may be averaged: client 1 is taken with the chance q = (m/n)(1 - (1 - p0/m)^n).
    ``law`` is that of the scores relative to the others' answers.
    """
    return averaged((checked_law(law),), n, slots, rate, alpha)


def averaged(laws: Laws, n: int, slots: int, rate: Any, alpha: Any) -> Any:
    """The game of m slots with population m/q, the weights averaged. *Not* a bound of A_fix for other data. [beyond] 17

    It forgets that whoever sees the answers learns from them which slots are crowded.
    """
    n, m, p0 = _validate.count(n=n), _validate.count(slots=slots), _validate.exact_rate(rate=rate)
    return weighted(laws, ((1 - (1 - p0 / m) ** n) / n,) * m, alpha)


def _played(table: game.Table, weights: tuple[Any, ...]) -> Any:
    return table.value(weights, (1 - table.alpha) * (1 - sum(weights)))  # [beyond] 14


def _best(table: game.Table, weights: tuple[Any, ...], x: Any) -> int:
    means = table.means(weights, x)
    return means.index(max(means))


def _over_taken(bound: Callable[[int], Any], n: int, slots: int, rate: Any, alpha: Any) -> Any:
    """The mean of the bound over the number of clients that are taken, from 1 to n; for nobody it is known."""
    law = occupancy(_validate.count(n=n), slots, rate)
    nobody = max(1 - _validate.real(alpha=alpha), 0)
    return law[0] * nobody + sum(law[k] * bound(k) for k in range(1, min(n, slots) + 1))  # [beyond] 16
