"""The slow truth: the exact law of what the shuffler shows, for any finite channel and any data set.

The shuffler shows the histogram of the messages. Its law is built client by client (dynamic programming):
after i clients, entry ``law[h_1, ..., h_{B-1}]`` is the probability that output j was sent h_j times; the
last output's count is what is left. A channel with ``Fraction`` entries gives laws of ``Fraction``, one with
``mpmath.mpf`` entries laws of mpf, and a float one float laws, by the same few lines.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit._divisions import divisions
from shufflekit.definitions import Definition
from shufflekit.divergences import Law
from shufflekit.divergences import ternary as ternary_divergence
from shufflekit.randomizers import Channel, checked_channel


def histogram_law(rows: ArrayLike | Sequence[Any]) -> Law:
    """The law of the histogram of n messages, message i drawn from the distribution ``rows[i]``."""
    table, scale = _whole_numbers(rows)
    return _unscale(_add_messages(_empty(table), table), scale ** len(table))


def sampled_law(rows: ArrayLike | Sequence[Any], k: int) -> Law:
    """The same when a uniformly random k of the n clients take part (fixed size, without replacement)."""
    table, scale = _whole_numbers(rows)
    k = _validate.count(k=k, at_most=len(table))
    sums = _sums_over_samples(table, k)
    return _unscale(sums[k], scale**k * math.comb(len(table), k))


class Neighbours(NamedTuple):
    """Two data sets that differ in one client (``x0`` against ``x1``) and the two laws of the view."""

    others: tuple[int, ...]
    x0: int
    x1: int
    p: Law
    q: Law


def neighbours(channel: Channel, n: int, k: int | None = None) -> Iterator[Neighbours]:
    """All ordered pairs of neighbouring data sets of n clients, k of them sampled (all, when k is not given).

    The view does not depend on the order of the clients, so one data set stands for all its rearrangements.
    """
    views = _views(channel, n, k)
    pairs = list(itertools.permutations(range(channel.inputs), 2))
    return (Neighbours(others, a, b, laws[a], laws[b]) for others, laws in views for a, b in pairs)


class Triple(NamedTuple):
    """Three data sets that differ in the same client, and the three laws of the view."""

    others: tuple[int, ...]
    x: tuple[int, int, int]
    p: Law
    q: Law
    r: Law


def triples(channel: Channel, n: int, k: int | None = None) -> Iterator[Triple]:
    """All triples of mutually neighbouring data sets (repeats among the three inputs included)."""
    views, inputs = _views(channel, n, k), range(channel.inputs)
    return (
        Triple(others, (a, b, c), laws[a], laws[b], laws[c])
        for others, laws in views
        for a, b, c in itertools.product(inputs, repeat=3)
    )


class TwoLaws(NamedTuple):
    """Two laws of what is seen: entry i of both belongs to the same outcome."""

    p: Law
    q: Law


def pair(definition: Definition) -> TwoLaws:
    """The two laws of a definition, outcome by outcome: how many of the slots' messages are of each kind.

    Exact where the definition's numbers are fractions. Nothing is left out, so it suits some dozens of slots.
    """
    if not isinstance(definition, Definition):
        raise TypeError(f"definition must be a shufflekit.definitions.Definition, got {definition!r}")
    if len(definition.laws) != 1:
        raise ValueError(f"definition must have one law of scores, got {len(definition.laws)}")
    population = _validate.count(population=definition.population)
    (kinds,), slots = definition.laws, _validate.count(slots=definition.slots, at_most=population)
    nothing = [] if definition.shown == 1 else [1 - definition.shown]
    p, q = list(nothing), list(nothing)
    for counts in divisions(slots, len(kinds)):
        ways = math.prod(math.comb(sum(counts[: i + 1]), counts[i]) for i in range(len(counts)))
        mass = definition.shown * ways * math.prod(one.chance**c for one, c in zip(kinds, counts, strict=True))
        for side, column in ((p, "u0"), (q, "u1")):
            votes = sum(c * getattr(one, column) for one, c in zip(kinds, counts, strict=True))
            side.append(mass * (1 + votes / population))
    return TwoLaws(law(p), law(q))


def law(numbers: Iterable[Any]) -> Law:
    """An array of numbers, exact if they are: whole ones become fractions, so that no quotient of two is rounded."""
    exact = [Fraction(x) if isinstance(x, int) else x for x in numbers]
    return np.array(exact, dtype=None if all(isinstance(x, float) for x in exact) else object)


def ternary(channel: Channel, clones: int, order: float) -> Any:
    """``sup E |(M(D') - M(D''))/M(D)|^order``, D = (d,...,d), D' = (d,...,d,d'), D'' = (d,...,d,d'').

    Each has m = clones records. The left side of [girgis2021] Thm 6, the worst over the channel's inputs.
    """
    m, channel = _validate.count(clones=clones), checked_channel(channel=channel)
    worst = 0
    for d in range(channel.inputs):
        table, scale = _whole_numbers(channel.probs)
        base = _add_messages(_empty(table), np.repeat(table[d : d + 1], m - 1, axis=0))
        laws = [_unscale(_add_messages(base, row[None]), scale**m) for row in table]
        # The divergence is symmetric in D' and D''.
        for p, q in itertools.combinations(laws, 2):
            worst = max(worst, ternary_divergence(p, q, laws[d], order))
    return worst


def _views(channel: Channel, n: int, k: int | None) -> Iterator[tuple[tuple[int, ...], list[Law]]]:
    """For every multiset of the others' inputs: the laws of the view for each input of the changed client."""
    n = _validate.count(n=n)
    size = n if k is None else _validate.count(k=k, at_most=n)
    table, scale = _whole_numbers(checked_channel(channel=channel).probs)

    def laws(others: tuple[int, ...]) -> list[Law]:
        sums = _sums_over_samples(table[list(others)], size)
        totals = [_add_messages(sums[size - 1], row[None]) for row in table]
        without = sums[size] if size < n else 0
        return [_unscale(total + without, scale**size * math.comb(n, size)) for total in totals]

    multisets = itertools.combinations_with_replacement(range(channel.inputs), n - 1)
    return ((others, laws(others)) for others in multisets)


def _sums_over_samples(table: Law, k: int) -> list[Law]:
    """Entry s: the sum, over all sets of s clients, of the laws of their messages (s = 0..min(k, n))."""
    sums = [_empty(table)]
    for row in table:
        joined = [_add_messages(law, row[None]) for law in sums]
        # A set of s clients either leaves this client out or has s - 1 of the earlier ones with it.
        without = sums[1:]
        sums = [sums[0], *(a + b for a, b in zip(without, joined, strict=False)), *joined[len(without) :]][: k + 1]
    return sums


def _empty(table: Law) -> Law:
    """The law of the histogram of no messages at all: a single 1."""
    one = np.zeros((1,) * (table.shape[1] - 1), dtype=table.dtype)
    one[...] = 1
    return one


def _add_messages(law: Law, rows: Law) -> Law:
    for row in rows:
        size, axes = law.shape[0], law.ndim
        grown = np.zeros((size + 1,) * axes, dtype=law.dtype)
        everything = (slice(0, size),) * axes
        grown[everything] += law * row[-1]
        for j in range(axes):
            shifted = tuple(slice(1, size + 1) if axis == j else slice(0, size) for axis in range(axes))
            grown[shifted] += law * row[j]
        law = grown
    return law


def _whole_numbers(rows: ArrayLike | Sequence[Any]) -> tuple[Law, int]:
    """Rational rows as whole numbers over one common denominator, which keeps the sums free of gcds."""
    table = _validate.probabilities(axis=-1, rows=rows)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"rows must be a table, one distribution over 2 or more outputs a row, got {rows!r}")
    if table.dtype != object:
        return table, 1
    if not all(isinstance(value, (int, Fraction)) for value in table.flat):
        return table, 1
    scale = math.lcm(*(Fraction(value).denominator for value in table.flat))
    return np.vectorize(lambda value: int(value * scale), otypes=[object])(table), scale


def _unscale(law: Law, scale: int) -> Law:
    if law.dtype == object and all(isinstance(value, int) for value in law.flat):
        return np.asarray(np.vectorize(lambda value: Fraction(value, scale), otypes=[object])(law))
    return np.asarray(law / scale)
