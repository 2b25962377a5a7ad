"""What a known channel shows: its definition, and the data that are worst for it."""

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from shufflekit._validate import Array
from shufflekit.definitions import Definition, Game, equal_others, row_game
from shufflekit.protocols.attacks import Attack
from shufflekit.randomizers import Channel

WORST_DATA = "this randomizer, all others equal, worst values"
MOST_ATTACKS = 2  # kinds of triples of inputs that are tried
SAME_DIGITS = 10  # of two variances that differ by round-off


@lru_cache(maxsize=20)  # a run asks again and again, and a channel has many pairs of inputs
def channel_definition(channel: Channel, n: int, population: int) -> Game:
    """Of n reports from a population through a channel, whatever the data: the game of its own rows, in floats."""
    return row_game(channel, n, population).mapped(float)


def worst_data(channel: Channel, n: int, population: int) -> Sequence[Attack]:
    """The attacks with the largest variance of the likelihood ratio, one for each kind of triple of inputs."""
    return tuple(
        Attack(_numbered(i), "beyond", "exact law", partial(_in, known=known))
        for i, known in enumerate(_worst_definitions(channel, n, population))
    )


def _numbered(i: int) -> str:
    return WORST_DATA if i == 0 else f"{WORST_DATA}, next"


def _in(number: Callable[[float], Any], known: Definition) -> Definition:
    return known if number is float else known.mapped(number)


@lru_cache(maxsize=20)
def _worst_definitions(channel: Channel, n: int, population: int) -> tuple[Definition, ...]:
    """For the changed record's two values, which may be exchanged, and the one that all others have."""
    table = channel.probs.astype(np.float64)
    inputs = range(channel.inputs)
    triples = [(x0, x1, x2) for x0, x1 in itertools.combinations(inputs, 2) for x2 in inputs]
    variance = _variances(table)[tuple(np.array(triples).T)]
    found: dict[bytes, tuple[int, int, int]] = {}
    for i in np.argsort(-np.round(variance / variance.max(), SAME_DIGITS), kind="stable"):
        columns = np.round(table[list(triples[i])], 12)
        found.setdefault(columns[:, np.lexsort(columns)].tobytes(), triples[i])
        if len(found) == MOST_ATTACKS:
            break
    laws = [equal_others(channel, *triple) for triple in found.values()]
    return tuple(Definition(n, population, (law,)).mapped(float) for law in laws)


def _variances(table: Array) -> Array:
    """``sum (R(x0) - R(x1))^2 / R(x2)``, for all x0, x1 and x2."""
    found = np.empty((len(table),) * 3)
    # Differences first: expanded squares would cancel where the rows are near each other.
    for x0, first in enumerate(table):
        squares = (table - first) ** 2
        for x2, others in enumerate(table):
            found[x0, :, x2] = (squares / others).sum(axis=1)
    return found
