"""Definitions read off a known channel, in its own numbers: floats, or fractions."""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflekit.definitions.scores import Definition, Game, Kind, Moves, ScoreLaw, kind
from shufflekit.randomizers import Channel

TINY = 1e-300  # what is less has no digits
DIGITS = 12  # scores that agree to so many differ by round-off: floating-point tables give equal ones so

Table = NDArray[Any]


def equal_others(channel: Channel, x0: int, x1: int, x2: int) -> ScoreLaw:
    """A channel that is really run, all others having the same value x2: the scores are R(x0)/R(x2) and R(x1)/R(x2)."""
    return _law(*channel.probs[[x0, x1, x2]])


def blanket(channel: Channel, x0: int, x1: int) -> ScoreLaw:
    """A channel on any data, those who left its blanket ``B(o) = min_x R(x)(o)`` revealed: the scores are R(x_j)/B.

    Who left the blanket says nothing more about the changed record: scores (0, 0). [beyond] 1, 3
    """
    law = _law(channel.probs[x0], channel.probs[x1], channel.probs.min(axis=0))
    left = 1 - sum(one.chance for one in law)
    return *law, kind(max(left, 0 * left), -1, -1)


def blankets(channel: Channel, slots: int, population: int) -> Definition:
    """A channel on any data: the worst pair of inputs, whichever alpha is asked for; equal laws are one."""
    pairs = itertools.permutations(range(channel.inputs), 2)
    return Definition(slots, population, distinct(blanket(channel, x0, x1) for x0, x1 in pairs))


def rows(channel: Channel, x0: int, x1: int) -> Moves:
    """A channel on any data, nobody decomposed: a law for each value that another client may have. [beyond] 13"""
    laws = distinct(equal_others(channel, x0, x1, x2) for x2 in range(channel.inputs))
    return Moves(laws, (blanket(channel, x0, x1),))


def row_game(channel: Channel, slots: int, population: int) -> Game:
    """A channel on any data: the worst pair of inputs, whichever alpha is asked for; equal ones are one. [beyond] 13"""
    return Game(slots, population, tuple(rows(channel, x0, x1) for x0, x1 in kinds_of_neighbours(channel)))


def kinds_of_neighbours(channel: Channel) -> list[tuple[int, int]]:
    """One pair of inputs (x0, x1) of each kind: pairs of a kind have the same laws and the same blanket.

    A law counts how often there is each triple of likelihoods, those of x0, x1 and x2; the blanket is the least
    likelihood of all x2: so pairs with the same counts for the same number of x2 each are of one kind.
    """
    values, codes = np.unique(_without_round_off(channel.probs), return_inverse=True)
    size, codes = len(values), codes.reshape(channel.probs.shape)
    least = codes.min(axis=0)
    found: dict[Any, tuple[int, int]] = {}
    for x0, x1 in itertools.permutations(range(channel.inputs), 2):
        places, place = np.unique((codes[x0] * size + codes[x1]) * size + least, return_inverse=True)
        triples = np.sort(place * size + codes, axis=1)
        found.setdefault((places.tobytes(), triples[np.lexsort(triples.T)].tobytes()), (x0, x1))
    return list(found.values())


def distinct(laws: Iterable[ScoreLaw]) -> tuple[ScoreLaw, ...]:
    """The laws that differ by more than round-off."""
    found: dict[Any, ScoreLaw] = {}
    for law in laws:
        found.setdefault(without_round_off(law), law)
    return tuple(found.values())


def without_round_off(law: ScoreLaw) -> Any:
    """A key that laws share which differ by round-off only, or in the order of their kinds."""
    return frozenset(map(tuple, _without_round_off(np.array([one[:3] for one in law])).tolist()))


def _law(p: Table, q: Table, r: Table) -> ScoreLaw:
    """Messages of the same scores are one kind, with their mean: that errs by the square of a round-off.

    The kind with the smallest scores is the last.
    """
    sent = r > 0
    p, q, r = p[sent], q[sent], r[sent]
    columns = np.array([p / r, q / r, (p - r) / r, (q - r) / r])
    numbers: dict[tuple[Any, ...], int] = {}
    group = [numbers.setdefault(tuple(key), len(numbers)) for key in _without_round_off(columns[:2].T)]
    chance = _sums(r, group)
    scores = [_sums(r * column, group) / chance for column in columns]
    kinds = [Kind(*values) for values in zip(chance, *scores, strict=True)]
    return tuple(sorted(kinds, key=lambda one: -(one.t0 + one.t1)))


def _sums(values: Table, group: list[int]) -> Table:
    total = np.zeros(max(group) + 1, dtype=values.dtype)
    np.add.at(total, group, values)
    return total


def _without_round_off(values: Table) -> Table:
    """Numbers of ``DIGITS`` digits; fractions as they are."""
    if values.dtype == object:
        return values
    scale = 10.0 ** np.ceil(np.log10(np.maximum(values, TINY)))
    return np.asarray(np.round(values / scale, DIGITS) * scale)
