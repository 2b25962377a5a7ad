"""What a known channel shows: its definition, and the data that are worst for it."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflekit._dot import product
from shufflekit._validate import Array
from shufflekit.definitions import Definition, Game, equal_others, kinds_of_neighbours, row_game
from shufflekit.protocols.attacks import Attack
from shufflekit.randomizers import Channel

Places = NDArray[np.intp]

WORST_DATA = "this randomizer, all others equal, worst values"
MOST_ATTACKS = 2  # kinds of triples of inputs that are tried
SAME_DIGITS = 10  # of two variances that differ by round-off


@lru_cache(maxsize=20)  # a run asks again and again, and a channel has many pairs of inputs
def channel_definition(channel: Channel, n: int, population: int) -> Game:
    """Of n reports from a population through a channel, whatever the data: the game of its own rows, in floats."""
    known = row_game(channel, n, population)
    return known.mapped(float) if channel.probs.dtype == object else known


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
    x0, x1 = np.array(sorted({(min(pair), max(pair)) for pair in kinds_of_neighbours(channel)}), dtype=int).T
    variance, marks = _variances(table, x0, x1).ravel(), _marks(table, x0, x1).ravel()
    found: list[tuple[int, int, int]] = []
    left = np.argsort(-np.round(variance / variance.max(), SAME_DIGITS), kind="stable")
    while len(left) and len(found) < MOST_ATTACKS:
        pair, x2 = divmod(int(left[0]), channel.inputs)
        found.append((int(x0[pair]), int(x1[pair]), x2))
        left = left[marks[left] != marks[left[0]]]
    laws = [equal_others(channel, *triple) for triple in found]
    return tuple(Definition(n, population, (law,)).mapped(float) for law in laws)


def _variances(table: Array, x0: Places, x1: Places) -> Array:
    """``sum (R(x0) - R(x1))^2 / R(x2)``, for pairs of x0 and x1, and all x2."""
    # Differences first: expanded squares would cancel where the rows are near each other.
    return product((table[x0] - table[x1]) ** 2, (1 / table).T)


def _marks(table: Array, x0: Places, x1: Places) -> NDArray[np.uint64]:
    """A number for pairs of x0 and x1, and all x2, the same for triples of one kind.

    Those have the same likelihoods, each as often.
    It is a sum over the messages of products of whole numbers drawn for each likelihood, in which the order of messages
    does not matter, and no round-off is. Two kinds with one number would be tried as one.
    """
    values, codes = np.unique(np.round(table, 12), return_inverse=True)
    drawn = np.random.default_rng(0).integers(2**64, size=(3, len(values)), dtype=np.uint64)
    first, second, third = drawn[:, codes.reshape(table.shape)]
    return np.asarray(first[x0] * second[x1] @ third.T, dtype=np.uint64)
