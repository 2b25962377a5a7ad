"""Definitions read off a known channel, in its own numbers: floats, or fractions."""

import itertools
from collections.abc import Iterable, Sequence
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
    (law,) = _laws(channel.probs[[x0, x1]], channel.probs[[x2]])
    return law


def blanket(channel: Channel, x0: int, x1: int) -> ScoreLaw:
    """A channel on any data, those who left its blanket ``B(o) = min_x R(x)(o)`` revealed: the scores are R(x_j)/B.

    Who left the blanket says nothing more about the changed record: scores (0, 0). [beyond] 1, 3
    """
    (law,) = _laws(channel.probs[[x0, x1]], channel.probs.min(axis=0)[None])
    left = 1 - sum(one.chance for one in law)
    none = 0 * left
    return *law, kind(max(left, none), none - 1, none - 1)


def blankets(channel: Channel, slots: int, population: int) -> Definition:
    """A channel on any data: the worst pair of inputs, whichever alpha is asked for; equal laws are one."""
    pairs = itertools.permutations(range(channel.inputs), 2)
    return Definition(slots, population, distinct(blanket(channel, x0, x1) for x0, x1 in pairs))


def rows(channel: Channel, x0: int, x1: int) -> Moves:
    """A channel on any data, nobody decomposed: a law for each value that another client may have. [beyond] 13"""
    laws = distinct(_laws(channel.probs[[x0, x1]], channel.probs))
    return Moves(laws, (blanket(channel, x0, x1),))


def row_game(channel: Channel, slots: int, population: int) -> Game:
    """A channel on any data: the worst pair of inputs, whichever alpha is asked for; equal ones are one. [beyond] 13"""
    moves = tuple(rows(channel, x0, x1) for x0, x1 in kinds_of_neighbours(channel))
    return Game(slots, population, moves, symmetric=True)


def kinds_of_neighbours(channel: Channel) -> list[tuple[int, int]]:
    """One pair of inputs (x0, x1) of each kind: pairs of a kind have the same laws and the same blanket.

    A law counts how often there is each triple of likelihoods, those of x0, x1 and x2; the blanket is the least
    likelihood of all x2: so pairs with the same counts for the same number of x2 each are of one kind.
    """
    values, codes = np.unique(_without_round_off(channel.probs), return_inverse=True)
    size, codes = len(values), codes.reshape(channel.probs.shape)
    own = np.eye(channel.inputs, dtype=bool)
    if np.array_equal(codes, np.where(own, codes[0, 0], codes[0, 1])):
        return [(0, 1)]  # randomized response: any two inputs may be renamed
    least = codes.min(axis=0)
    found: dict[Any, tuple[int, int]] = {}
    for x0, x1 in itertools.permutations(range(channel.inputs), 2):
        places, place = np.unique((codes[x0] * size + codes[x1]) * size + least, return_inverse=True)
        triples = sorted(own.tobytes() for own in np.sort(place * size + codes, axis=1))
        found.setdefault((places.tobytes(), *triples), (x0, x1))
    return list(found.values())


def distinct(laws: Iterable[ScoreLaw]) -> tuple[ScoreLaw, ...]:
    """The laws that differ by more than round-off."""
    laws = list(laws)
    found: dict[Any, ScoreLaw] = {}
    for key, law in zip(without_round_off(laws), laws, strict=True):
        found.setdefault(key, law)
    return tuple(found.values())


def without_round_off(laws: Sequence[ScoreLaw]) -> list[Any]:
    """A key for each, which laws share that differ by round-off only, or in the order of their kinds."""
    kinds = np.array([one[:3] for law in laws for one in law])
    number = np.repeat(np.arange(len(laws)), list(map(len, laws)))
    last = np.cumsum(list(map(len, laws)))[:-1]
    if kinds.dtype == object:
        return [frozenset(map(tuple, own.tolist())) for own in np.split(kinds, last)]
    kinds = _without_round_off(kinds) + 0.0  # -0 has other bytes
    return [own.tobytes() for own in np.split(kinds[np.lexsort((*kinds.T, number))], last)]


def _laws(own: Table, others: Table) -> list[ScoreLaw]:
    """A law for each row of the others' chances, ``own`` being those of x0 and x1.

    Messages of the same scores are one kind, with their mean: that errs by the square of a round-off. The kind with the
    smallest scores is the last.
    """
    p, q = own
    sent = others > 0
    r = np.where(sent, others, 1)
    columns = np.array([np.where(sent, column / r, 0) for column in (p, q, p - r, q - r)])
    values, codes = np.unique(_without_round_off(columns[:2]), return_inverse=True)
    code = (codes.reshape(columns[:2].shape) * np.array([len(values), 1])[:, None, None]).sum(axis=0)
    order = np.argsort(code, axis=1, kind="stable")
    row = np.arange(len(others))[:, None]
    chance, code, columns = others[row, order], code[row, order], columns[:, row, order]
    first = np.flatnonzero(np.append(np.ones_like(row, dtype=bool), np.diff(code, axis=1) != 0, axis=1))
    total = np.add.reduceat(chance.ravel(), first)
    sums = np.add.reduceat((chance * columns).reshape(len(columns), -1), first, axis=1)
    known = total > 0
    total, scores, first = total[known], sums[:, known] / total[known], first[known]
    number, place = first // others.shape[1], order.ravel()[first]
    ordered = np.lexsort((place, -(scores[0] + scores[1]).astype(np.float64), number))
    kinds = map(Kind, *(column[ordered].tolist() for column in (total, *scores)))
    return [tuple(itertools.islice(kinds, int(count))) for count in np.bincount(number, minlength=len(others))]


def _without_round_off(values: Table) -> Table:
    """Numbers of ``DIGITS`` digits; fractions as they are."""
    if values.dtype == object:
        return values
    scale = 10.0 ** np.ceil(np.log10(np.maximum(values, TINY)))
    return np.asarray(np.round(values / scale, DIGITS) * scale)
