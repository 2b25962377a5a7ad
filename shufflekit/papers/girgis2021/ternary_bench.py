"""[girgis2021] The ternary divergence among clones held against its bounds, in fractions.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from shufflekit import divergences, exact
from shufflekit.papers.girgis2021.ternary import lemma7, thm6
from shufflekit.papers.rows import Row
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

ORDERS = (2, 3, 4)
LARGEST_CROWD = 7  # clones


def channels(seed: int = 0) -> list[Channel]:
    """Small randomizers whose probabilities are fractions: what the bounds are tried on."""
    rng = np.random.default_rng(seed)
    found: list[Channel] = [RandomizedResponse(k, ratio=ratio) for k in (2, 3) for ratio in (2, 3, 7)]
    found.append(HadamardResponse(3, ratio=3))
    return found + [random_channel(3, 3, ratio=ratio, rng=rng) for ratio in (2, 5) for _ in range(3)]


def multinomial(p: Sequence[Any], h: Sequence[int]) -> Any:
    """[girgis2021] eq (32): the chance of the histogram h, if every message has the law p."""
    ways = math.factorial(sum(h)) // math.prod(math.factorial(count) for count in h)
    return ways * math.prod((chance**count for chance, count in zip(p, h, strict=True)), start=Fraction(1))


def eq33(p: Sequence[Any], p_changed: Sequence[Any], h: Sequence[int]) -> Any:
    """[girgis2021] eq (33): likewise if one message has the law p_changed, by what that message was."""
    total: Any = Fraction(0)
    for j, chance in enumerate(p_changed):
        if h[j]:
            fewer = [count - (i == j) for i, count in enumerate(h)]
            total += chance * multinomial(p, fewer)
    return total


def histogram_rows(clients: int = 4) -> list[Row]:
    """[girgis2021] eq (32)-(33): the law of what is seen, client by client, and as printed."""
    rows: list[Row] = []
    for channel in channels():
        if channel.outputs != 3:
            continue
        p, changed = channel.probs[:2]
        law = exact.histogram_law([p] * (clients - 1) + [changed])
        for h in itertools.product(range(clients + 1), repeat=2):
            if sum(h) <= clients:
                whole = (*h, clients - sum(h))
                rows.append((law[h], eq33(p, changed, whole), f"{channel.name}, histogram {whole}"))
    return rows


def cor1_rows(order: int) -> list[Row]:
    """[girgis2021] Corollary 1: any three data sets that differ in one client; ternary side, binary side."""
    rows: list[Row] = []
    for channel, n in itertools.product(channels(), (2, 3)):
        for one in exact.triples(channel, n):
            two = divergences.pearson_vajda(one.p, one.r, order) + divergences.pearson_vajda(one.q, one.r, order)
            three = divergences.ternary(one.p, one.q, one.r, order)
            rows.append((three, 2 ** (order - 1) * two, f"order {order}, n = {n}, E = {channel.ratio}, {channel.name}"))
    return rows


def lemma7_rows() -> list[Row]:
    """[girgis2021] Lemma 7: all pairs of inputs, up to six clones; divergence, bound."""
    rows: list[Row] = []
    for channel, m in itertools.product(channels(), range(1, LARGEST_CROWD)):
        for d, changed in itertools.product(range(channel.inputs), repeat=2):
            p, other = channel.probs[d], channel.probs[changed]
            laws = exact.histogram_law([p] * (m - 1) + [other]), exact.histogram_law([p] * m)
            for order in ORDERS:
                bound = float(lemma7(m, order, channel.eps0))
                where = f"m = {m}, order {order}, E = {channel.ratio}, {channel.name}"
                rows.append((divergences.pearson_vajda(*laws, order), bound, where))
    return rows


def thm6_rows() -> list[Row]:
    """[girgis2021] Theorem 6: the worst three inputs, up to seven clones; divergence, bound."""
    rows: list[Row] = []
    for channel, m, order in itertools.product(channels(), range(1, LARGEST_CROWD + 1), ORDERS):
        bound = float(thm6(m, order, channel.eps0))
        where = f"m = {m}, order {order}, E = {channel.ratio}, {channel.name}"
        rows.append((exact.ternary(channel, clones=m, order=order), bound, where))
    return rows
