"""Randomized response on few clients, message by message in fractions."""

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Law = dict[tuple[int, ...], Fraction]


def chances(E: int, values: int, own: int) -> list[Fraction]:
    """Of each message, from a client with one value: E times likelier the own one."""
    return [Fraction(E if value == own else 1, E + values - 1) for value in range(values)]


def sampled(E: int, data: Sequence[int], k: int) -> Law:
    """The law of the shuffled messages of k of the clients, drawn uniformly; both values are 0 or 1."""
    law: Law = Counter()
    groups = list(itertools.combinations(data, k))
    for group in groups:
        for messages in itertools.product((0, 1), repeat=k):
            chance = Fraction(1, len(groups))
            for own, message in zip(group, messages, strict=True):
                chance *= chances(E, 2, own)[message]
            law[tuple(sorted(messages))] += chance
    return law


def moment(E: int, order: int, n: int, k: int) -> Fraction:
    """``sum P^order / Q^(order - 1)``: all clients at 0 but the last, who is at 1 under P and at 0 under Q."""
    p, q = (sampled(E, [0] * (n - 1) + [last], k) for last in (1, 0))
    return sum((p[x] ** order / q[x] ** (order - 1) for x in q), Fraction(0))


def pearson_vajda(E: int, order: int) -> Fraction:
    """``sum q |p/q - 1|^order`` of one report by binary randomized response."""
    p, q = chances(E, 2, 1), chances(E, 2, 0)
    return sum((b * abs(a / b - 1) ** order for a, b in zip(p, q, strict=True)), Fraction(0))


def ternary(E: int, order: int) -> Fraction:
    """``sum r |(p - q)/r|^order`` of one report by 3-ary randomized response, three different values."""
    rows = (chances(E, 3, value) for value in (0, 1, 2))
    return sum((r * abs((p - q) / r) ** order for p, q, r in zip(*rows, strict=True)), Fraction(0))
