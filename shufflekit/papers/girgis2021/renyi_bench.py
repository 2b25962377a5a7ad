"""[girgis2021] The way to Theorem 1 held against the truth, step by step, in fractions.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import functools
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from shufflekit import divergences, exact
from shufflekit.papers.girgis2021 import steps
from shufflekit.papers.girgis2021.renyi import lemma2, thm1, thm1_terms
from shufflekit.papers.girgis2021.ternary import kbar, thm4
from shufflekit.papers.rows import Row
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

ORDERS = (2, 3, 4)


@functools.cache
def channels() -> tuple[Channel, ...]:
    """Small randomizers whose probabilities are fractions: what the bounds are tried on."""
    rng, low = np.random.default_rng(0), Fraction(3, 2)
    found: list[Channel] = [RandomizedResponse(2, ratio=ratio) for ratio in (low, 3, 7, 20)]
    found += [RandomizedResponse(3, ratio=ratio) for ratio in (low, 3, 7)]
    found.append(HadamardResponse(2, ratio=3))
    return (*found, *(random_channel(3, 3, ratio=ratio, rng=rng) for ratio in (2, 5)))


@functools.cache
def zeta(channel: Channel, k: int, order: int) -> Any:
    """``zeta(order)^order``, the largest ternary divergence of k shuffled clients, over all data."""
    return steps.zeta_power(channel, k, order)


def crowds() -> Iterator[tuple[Channel, int, int]]:
    """Channels, numbers of clients and orders at which all triples of data sets can be enumerated."""
    for channel, clients, order in itertools.product(channels(), (1, 2, 3, 4), ORDERS):
        if clients < 4 or channel.inputs == 2:
            yield channel, clients, order


def split_rows() -> list[Row]:
    """[girgis2021] eq (40), corrected: "in" and "out" put together, and the law of the view; all data sets."""
    rows: list[Row] = []
    for channel, n in itertools.product(channels(), (1, 2, 3)):
        for x, k in itertools.product(itertools.product(range(channel.inputs), repeat=n), range(1, n + 1)):
            gamma = Fraction(k, n)
            inside, outside = steps.in_and_out(channel.probs[list(x)], k)
            together = (gamma * inside + (1 - gamma) * outside).ravel()
            law = exact.sampled_law(channel.probs[list(x)], k).ravel()
            where = f"n = {n}, k = {k}, data {x}, {channel.name}"
            rows += [(*sides, where) for sides in zip(together, law, strict=True)]
    return rows


def eq44_rows() -> list[Row]:
    """[girgis2021] eq (44): the moment, and 1 and its terms; the last client's record changed to the next."""
    rows: list[Row] = []
    for channel, n, order in itertools.product(channels(), (2, 3), (2, 3, 5)):
        for x in itertools.product(range(channel.inputs), repeat=n):
            here, there = channel.probs[list(x)], channel.probs[[*x[:-1], (x[-1] + 1) % channel.inputs]]
            for k in range(1, n + 1):
                moment = divergences.renyi_moment(exact.sampled_law(here, k), exact.sampled_law(there, k), order)
                where = f"n = {n}, k = {k}, order {order}, data {x}, {channel.name}"
                rows.append((moment, 1 + sum(steps.eq44(here, there, k, order)), where))
    return rows


def lemma2_rows() -> list[Row]:
    """[girgis2021] Lemma 2: the moment less 1 of all neighbouring data sets, and the sum with the exact zeta."""
    rows: list[Row] = []
    for channel, n, order in crowds():
        for k in range(1, n + 1):
            gamma, total = Fraction(k, n), Fraction(0)
            for j in range(2, order + 1):
                total += math.comb(order, j) * gamma**j * zeta(channel, k, j)
            where = f"n = {n}, k = {k}, order {order}, E = {channel.ratio}, {channel.name}"
            for pair in exact.neighbours(channel, n, k):
                rows.append((divergences.renyi_moment(pair.p, pair.q, order) - 1, total, where))
    return rows


def thm4_rows() -> list[Row]:
    """[girgis2021] Theorem 4: the exact ``zeta(order)^order``, and the bound."""
    rows: list[Row] = []
    for channel, k, order in crowds():
        where = f"k = {k}, order {order}, E = {channel.ratio}, {channel.name}"
        rows.append((zeta(channel, k, order), float(thm4(order, channel.eps0, k)), where))
    return rows


def E0_rows() -> list[Row]:
    """[girgis2021] eq (36), corrected: one client's ternary divergence, and ``(E-1)^order``; all triples."""
    rows: list[Row] = []
    for channel, order in itertools.product(channels(), range(1, 9)):
        bound = (channel.ratio - 1) ** order
        for x in itertools.product(range(channel.inputs), repeat=3):
            where = f"order {order}, E = {channel.ratio}, records {x}, {channel.name}"
            p, q, r = channel.probs[list(x)]
            rows.append((divergences.ternary(p, q, r, order), bound, where))
    return rows


def eq47_rows() -> list[Row]:
    """[girgis2021] eq (47): the sum in fractions, the kit's own value, and Theorem 4 put into Lemma 2."""
    rows: list[Row] = []
    sizes = itertools.product((2, 20), (1, 1000), (10**3, 10**6, 10**12), (2, 3, 10, 60))
    for E, k, n, order in sizes:
        eps0, x = math.log(E), Fraction(k, n) * (E - Fraction(1, E))
        closed = (1 + x) ** order - 1 - order * x
        summed = sum(math.comb(order, a) * x**a for a in range(2, order + 1))
        kit = math.exp(thm1_terms(order, eps0, n, k)["upsilon"] + (k - 1) / (8 * E))
        through = lemma2(order, functools.partial(_log_thm4, eps0=eps0, k=k), k / n)
        where = f"E = {E}, k = {k}, n = {n}, order {order}"
        rows += [(summed, closed, where), (kit, closed, where)]
        rows.append((float(through), float(thm1(order, eps0, n, k)), where))
    return rows


def _log_thm4(order: Any, eps0: float, k: int) -> Any:
    return np.log(thm4(order, eps0, k))


def thm1_rows() -> list[Row]:
    """[girgis2021] Theorem 1: the Renyi divergences of all neighbouring data sets, both ways, and the bound."""
    rows: list[Row] = []
    orders = (2, 3, 5, 8)
    for channel, n in itertools.product(channels(), (1, 2, 3, 4, 5)):
        if n == 5 and channel.outputs > 2:
            continue
        for k in range(1, n + 1):
            bounds = thm1(orders, channel.eps0, n, k)
            for pair, (order, bound) in itertools.product(
                exact.neighbours(channel, n, k), zip(orders, bounds.tolist(), strict=True)
            ):
                truth = math.log(divergences.renyi_moment(pair.p, pair.q, order)) / (order - 1)
                rows.append((truth, bound, f"n = {n}, k = {k}, order {order}, E = {channel.ratio}"))
    return rows


def staircase(eps0: float, k: int) -> dict[str, float]:
    """What each step of the proof costs at order 2: factors from randomized response up to Theorem 1, few sampled."""
    E, people = math.exp(eps0), kbar(eps0, k)
    # The mean of 1/(m+1) over m ~ Bin(k-1, 1/E) clones.
    share = -math.expm1(k * math.log1p(-1 / E)) * E / k
    third = max(1.0, 2 * E / (E + 2))
    tail = (E + 1) ** 2 / (4 * E) * people * math.exp(-(k - 1) / (8 * E))
    return {
        "three records": third,
        "clones 1/E": k * share,
        "Corollary 1": 4 / third,
        "half the mean": 1 / (people * share),
        "tail": 1 + tail,
    }
