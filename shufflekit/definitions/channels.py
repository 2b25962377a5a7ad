"""Definitions read off a known channel, in its own numbers: floats, or fractions."""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflekit.definitions.scores import Definition, Kind, ScoreLaw, kind
from shufflekit.randomizers import Channel

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


def distinct(laws: Iterable[ScoreLaw]) -> tuple[ScoreLaw, ...]:
    """The laws that differ by more than round-off."""
    found: dict[Any, ScoreLaw] = {}
    for law in laws:
        found.setdefault(frozenset(map(tuple, _without_round_off(np.array([one[:3] for one in law])))), law)
    return tuple(found.values())


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
    scale = 10.0 ** np.ceil(np.log10(np.maximum(values, 1e-300)))
    return np.asarray(np.round(values / scale, DIGITS) * scale)
