"""[girgis2021] The reduction to clones, step by step, held against enumeration in fractions.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq

from shufflekit import divergences, exact
from shufflekit.papers.girgis2021 import steps
from shufflekit.papers.rows import Misprint, Row
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

ORDERS = (1, 2, 3)
SEED = 0


def channels() -> list[Channel]:
    """Eight small randomizers whose probabilities are fractions."""
    return _bench(np.random.default_rng(SEED))


def _bench(rng: np.random.Generator) -> list[Channel]:
    levels: tuple[tuple[int, Any], ...] = ((2, Fraction(11, 10)), (2, 3), (3, 2), (3, 7))
    named = [RandomizedResponse(k, ratio=ratio) for k, ratio in levels]
    sizes = ((3, 3, 2), (3, 3, 5), (2, 3, 20))
    drawn = [random_channel(inputs, outputs, ratio=ratio, rng=rng) for inputs, outputs, ratio in sizes]
    return [*named, HadamardResponse(2, ratio=3), *drawn]


def loner() -> Channel:
    """Record 2 always causes message 2, which nobody else sends: no LDP, and nobody to hide among."""
    return Channel(np.array([[2, 2, 0], [1, 3, 0], [0, 0, 4]]) * Fraction(1, 4), "loner")


def sequence_law(rows: Any) -> dict[tuple[int, ...], Any]:
    """What is seen of shuffled messages, order and all: the mean over all orders of the clients."""
    law = dict.fromkeys(itertools.product(range(len(rows[0])), repeat=len(rows)), Fraction(0))
    for order in itertools.permutations(rows):
        for seen in law:
            law[seen] += math.prod(row[j] for row, j in zip(order, seen, strict=True)) / math.factorial(len(rows))
    return law


def listed_law(rows: Any) -> dict[tuple[int, ...], Any]:
    """Eq (16), spelled out: the law of the histogram, from the list of who may say what."""
    law: dict[tuple[int, ...], Any] = {}
    for said in itertools.product(range(len(rows[0])), repeat=len(rows)):
        histogram = tuple(said.count(j) for j in range(len(rows[0]) - 1))  # the kit leaves out the last count
        chance = math.prod(row[j] for row, j in zip(rows, said, strict=True))
        law[histogram] = law.get(histogram, 0) + chance
    return law


def sequence_rows() -> list[Row]:
    """How far apart two data sets of three clients are, by what is seen in order, and by its histogram."""
    rows = []
    for channel in channels():
        data, other = channel.probs[[0, 1, 0]], channel.probs[[0, 1, 1]]
        sequences = [list(sequence_law(rows_).values()) for rows_ in (data, other)]
        histograms = [exact.histogram_law(rows_) for rows_ in (data, other)]
        sides = (divergences.total_variation(*sequences), divergences.total_variation(*histograms))
        rows.append((*sides, channel.name))
    return rows


def histogram_rows() -> list[Row]:
    """Eq (16): the law built client by client, and from the list of all assignments, four clients."""
    rows = []
    for channel in channels():
        for data in itertools.product(range(channel.inputs), repeat=4):
            built, table = exact.histogram_law(channel.probs[list(data)]), channel.probs[list(data)]
            rows += [(built[h], p, f"{channel.name}, {data}, {h}") for h, p in listed_law(table).items()]
    return rows


def convexity_rows() -> list[Row]:
    """Lemma 3: the ternary divergence of a mixture, and the mean of both divergences, 60 pairs of triples."""
    rng = np.random.default_rng(SEED)
    _bench(rng)  # the laws are drawn after the bench
    rows = []
    for number in range(60):
        first, second = random_channel(6, 3, ratio=20, rng=rng).probs.reshape(2, 3, 3)
        for a, order in itertools.product((Fraction(1, 4), Fraction(1, 2)), ORDERS):
            p, q, r = a * first + (1 - a) * second
            both = [divergences.ternary(one[0], one[1], one[2], order) for one in (first, second)]
            where = f"order = {order}, a = {a}, pair {number}"
            rows.append((divergences.ternary(p, q, r, order), a * both[0] + (1 - a) * both[1], where))
    return rows


def mixture_rows() -> list[Row]:
    """Lemma 4: the law itself, and the mixture over all sets of clones, four clients, clones of every record."""
    rows = []
    for channel in channels():
        probs, q = channel.probs, 1 / Fraction(channel.ratio)
        for *others, last, clone in itertools.product(range(channel.inputs), repeat=5):
            if others == sorted(others):  # the others' order does not matter
                direct = exact.histogram_law(probs[[*others, last]]).ravel()
                mixed = steps.lemma4(probs[others], probs[last], probs[clone], q).ravel()
                where = f"{channel.name}, {others}, {last}, clones of {clone}"
                rows += [(a, b, where) for a, b in zip(direct, mixed, strict=True)]
    return rows


def weights_of_clones(k: int, size: int, q: Any) -> Any:
    """The sum over all sets C of k - 1 others of ``q^|C| (1-q)^(size-|C|-1)``."""
    return sum(math.comb(k - 1, m) * q**m * (1 - q) ** (size - m - 1) for m in range(k))


def lemma4_proof() -> Misprint:
    """The weights of the sets of clones sum to 1: with k in the exponent, and not with n, as printed."""
    ratios = (Fraction(3, 2), Fraction(2), Fraction(3), Fraction(7), Fraction(20))
    grid = itertools.product(range(1, 9), ratios)
    rows: list[Row] = [(weights_of_clones(k, k, 1 / E), 1, f"k = {k}, E = {E}") for k, E in grid]
    return Misprint((weights_of_clones(1, 2, Fraction(1, 2)), 1, {"E": 2, "k": 1, "n": 2}), rows)


def company_rows() -> list[Row]:
    """Lemma 5: the divergence with all others, and without the first of them, two and three clients."""
    rows = []
    for channel, n, order in itertools.product([*channels(), loner()], (2, 3), ORDERS):
        for *others, d, d1, d2 in itertools.product(range(channel.inputs), repeat=n + 2):
            if d < d1:  # the divergence does not change if d and d1 are exchanged
                without = steps.in_crowd(channel, others[1:], (d, d1, d2), order)
                if without < math.inf:  # the loner's records can be told apart for certain, which bounds nothing
                    with_her = steps.in_crowd(channel, others, (d, d1, d2), order)
                    rows.append((with_her, without, f"n = {n}, order = {order}, {channel.name}"))
    return rows


def lemma8() -> Misprint:
    """E_m falls with the number of clones, if it is M(D) against M(D'); as printed, it is too small for eq (36)."""
    channel = RandomizedResponse(3, ratio=3)
    truth, printed = steps.in_crowd(channel, [], (0, 1, 2), 2), steps.thm5(channel, 1, (0, 2, 2), 2)
    rows: list[Row] = []
    for one, order in itertools.product(channels(), ORDERS):
        for d, d1, d2 in itertools.product(range(one.inputs), repeat=3):
            if d < d1:
                falling = [steps.in_crowd(one, [d2] * m, (d, d1, d2), order) for m in range(5)]
                where = [f"m = {m}, order = {order}, {one.name}" for m in range(1, 5)]
                rows += zip(falling[1:], falling[:-1], where, strict=True)
    return Misprint((truth, printed, {"k": 1, "order": 2, "channel": "3-ary RR with E = 3"}), rows)


def reduction_rows() -> list[Row]:
    """Theorem 5: all data sets of up to four clients, and the mean over the number of clones."""
    rows = []
    for channel, n, order in itertools.product(channels(), range(1, 5), ORDERS):
        triples = [one for one in exact.triples(channel, n) if one.x[0] < one.x[1]]
        bound = {x: steps.thm5(channel, n, x, order) for x in {one.x for one in triples}}
        where = f"n = {n}, order = {order}, {channel.name}"
        rows += [(divergences.ternary(one.p, one.q, one.r, order), bound[one.x], where) for one in triples]
    return rows


def worst_sides(channel: Channel, n: int, order: int) -> tuple[Any, Any]:
    """Theorem 5's sides, each at its largest: the divergence of any data sets of n clients, the mean over clones."""
    triples = list(exact.triples(channel, n))
    bounds = [steps.thm5(channel, n, x, order) for x in {one.x for one in triples}]
    return max(divergences.ternary(one.p, one.q, one.r, order) for one in triples), max(bounds)


def worst_epsilon(channel: Channel, n: int, delta: float) -> tuple[float, tuple[int, ...]]:
    """The least eps at which all neighbouring data sets of n clients are within delta; the others' records there."""
    pairs = list(exact.neighbours(channel, n))

    def worst(eps: float) -> tuple[float, tuple[int, ...]]:
        # Rounded, so that of crowds that are equally bad it is always the same that is named.
        return max((round(divergences.hockey_stick(x.p, x.q, math.exp(eps)), 14), x.others) for x in pairs)

    eps = float(brentq(lambda eps: worst(eps)[0] - delta, 0, 60))
    return eps, worst(eps)[1]


def by_size(rows: Iterable[Row]) -> dict[int, list[float]]:
    """What share of the bound is used, at all points of each n."""
    found: dict[int, list[float]] = {}
    for left, right, where in rows:
        n = int(where.split(",")[0].removeprefix("n = "))
        found.setdefault(n, []).append(float(left / right))
    return found
