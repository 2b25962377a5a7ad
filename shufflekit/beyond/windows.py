"""Sliding windows and averages: who is worse off at the edge, and what slots do not hide. [beyond] 18

A window. Client j of n comes to one of the slots j, ..., j + m - 1. So slot i may have ``min(i, n) - max(i - m, 0)``
clients; a client at either edge has fewer neighbours there. With c - 1 others she is taken with the chance
``(1/m) E[1/(L + 1)] = (1 - (1 - 1/m)^c)/c``, L ~ Bin(c - 1, 1/m). If all others and the dummy are alike, whom the slots
take says nothing, and [beyond] 14 is an equality with these weights:

    H_a = E ((1 - a)(1 - sum_i c_i) + sum_i c_i g_i)_+,      g_i = t0 - a t1 independent, of one law.

Averages. Of A_avg all answers of a slot are seen as a multiset. With one randomizer for all slots the cut into slots is
random, and says nothing: any number of slots reveals what one slot reveals, a shuffle.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from shufflekit import _validate, exact
from shufflekit._validate import Array
from shufflekit.beyond import game, slots
from shufflekit.beyond.scores import checked_law
from shufflekit.definitions import Game, ScoreLaw, corners
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import Channel

NODES, STEPS_A_WIDTH = 400, 8  # of the contour: from the middle to 50 standard deviations
BLOCKS = 400  # of slots with nearly the same share, each taken at its mean
TILT = 60.0  # standard deviations: no tail of interest is further away


class Row(NamedTuple):
    """Two numbers that are compared, and where."""

    lhs: Any
    rhs: Any
    where: str


def window_shares(n: int, m: int, client: int) -> tuple[Fraction, ...]:
    """The chances with which the m slots of a client, 1 to n, take her. [beyond] 18"""
    n, m = _validate.count(n=n), _validate.count(m=m)
    client = _validate.count(client=client, at_most=n)
    return tuple(Fraction(m**c - (m - 1) ** c, c * m**c) for c in crowds(n, m, client))


def float_shares(n: int, m: int, client: int) -> Array:
    """The same in floating point, where m is large."""
    c = np.array(crowds(n, m, client))
    return np.asarray(-np.expm1(c * np.log1p(-1 / m)) / c) if m > 1 else np.ones(1)


def crowds(n: int, m: int, client: int) -> list[int]:
    """How many clients may come to each of a client's slots, she among them. [balle2020] eq (9)"""
    return [min(i, n) - max(i - m, 0) for i in range(client, client + m)]


# The exact law where all others are alike.


def alike_delta(law: ScoreLaw, shares: Sequence[float] | Array, alpha: float) -> float:
    """``H_a`` of A_sldw for one client's shares, all others and the dummy alike: about six digits.

    ``E X_+ = (1/pi) int_0^inf Re[M(s + it)/(s + it)^2] dt`` for every s > 0, by the trapezoid rule at the saddle point.
    """
    shares = np.asarray(_validate.array(low=0, high=1, shares=shares), dtype=float)
    blocks = np.array_split(np.sort(shares), min(BLOCKS, len(shares)))
    c, many = (np.array([f(block) for block in blocks]) for f in (np.mean, len))
    chances = np.array([float(one.chance) for one in checked_law(law)])
    g = np.array([float(one.t0 - alpha * one.t1) for one in law])
    base = (1 - alpha) * (1 - float(shares.sum()))

    def log_moment(z: Any) -> Any:
        powers = np.multiply.outer(np.multiply.outer(z, c), g)
        top = powers.real.max(axis=-1, keepdims=True)
        inner = np.log((chances * np.exp(powers - top)).sum(axis=-1)) + top[..., 0]
        return z * base + (inner * many).sum(axis=-1)

    spread = float(np.sqrt((c**2 * many).sum() * (chances * (g - chances @ g) ** 2).sum()))
    found = minimize_scalar(
        lambda log_s: float(log_moment(np.float64(np.exp(log_s)))) - 2 * log_s,
        bounds=(np.log(1e-3 / spread), np.log(TILT / spread)),
        method="bounded",
    )
    s = float(np.exp(found.x))
    width = 1 / np.sqrt(spread**2 + 2 / s**2)
    t = width / STEPS_A_WIDTH * np.arange(NODES)
    z = s + 1j * t
    values = np.exp(log_moment(z)) / z**2
    values[0] /= 2
    return float(values.real.sum() * width / STEPS_A_WIDTH / np.pi)


def alike_epsilon(law: ScoreLaw, shares: Sequence[float] | Array, delta: float, most: float) -> float:
    """The eps at which ``alike_delta`` is delta; ``most`` is the local randomizer's own eps0."""
    delta = _validate.open_unit(delta=delta)

    def excess(eps: float) -> float:
        return float(np.log(max(alike_delta(law, shares, float(np.exp(eps))), 1e-300) / delta))

    return float(brentq(excess, 0.0, 0.9 * _validate.positive(most=most), xtol=1e-7, rtol=1e-7))


# The truth for a few clients, in fractions.


def worst_client(channel: Channel, n: int, m: int, client: int, alpha: Any) -> Any:
    """The largest H_a of A_sldw for this client, 1 to n, over all data; a slot without a client answers for input 0."""
    data = exact.neighbours_of(
        lambda records: exact.sliding_window(channel, records, m, 0), channel.inputs, n, client - 1
    )
    return max(hockey_stick(one.p, one.q, alpha) for one in data)


def edge_rows(channel: Channel, n: int, m: int, alpha: Any) -> Iterator[Row]:
    """Nobody is worse off than the first client, and she not more than one replacement in m slots."""
    E = Fraction(channel.ratio)
    worst = [worst_client(channel, n, m, client, alpha) for client in range(1, n + 1)]
    size = f"n = {n}, m = {m}, {channel.inputs} values, a = {alpha}"
    for client, found in enumerate(worst[1:-1], start=2):
        yield Row(found, worst[0], f"client {client} against the first, {size}")
    yield Row(worst[-1], worst[0], f"the last client against the first, {size}")
    yield Row(worst[0], slots.replaced(corners(E - 1).laws, m, 1, alpha), f"the first against the game, {size}")


def averaged_rows(channel: Channel, n: int, m: int, rate: Any, alpha: Any) -> Iterator[Row]:
    """A_avg of m slots against that of one slot, which is the shuffle; and against the game, which is its bound."""
    moves = corners(Fraction(channel.ratio) - 1)
    bound = game.profile(Game(n, n, (moves,), rate), alpha)
    size = f"n = {n}, m = {m}, p0 = {rate}, {channel.inputs} values, a = {alpha}"
    for p, q in zip(_averaged(channel, channel, n, m, rate), _averaged(channel, channel, n, 1, rate), strict=True):
        many, one = (hockey_stick(laws.p, laws.q, alpha) for laws in (p, q))
        yield Row(many, one, f"{m} slots against one, others {p.others}, {size}")
        yield Row(many, bound, f"{m} slots against the game, others {p.others}, {size}")


def adaptive_rows(channel: Channel, n: int, m: int, rate: Any, alpha: Any) -> Iterator[Row]:
    """A_avg of m slots whose randomizer is chosen by what was seen, against the game."""
    moves = corners(Fraction(channel.ratio) - 1)
    bound = game.profile(Game(n, n, (moves,), rate), alpha)
    flipped = Channel(channel.probs[:, ::-1])

    def choose(history: exact.History) -> Channel:
        return flipped if history and sum(map(sum, history)) % 2 else channel

    for one in _averaged(choose, channel, n, m, rate):
        where = f"an adaptive average against the game, others {one.others}, n = {n}, m = {m}, p0 = {rate}, a = {alpha}"
        yield Row(hockey_stick(one.p, one.q, alpha), bound, where)


# What the proofs of the papers speak of: one swap, and a randomizer that may tell.


def worst_swap(channel: Channel, n: int, alpha: Any) -> Any:
    """The largest H_a of A_swap over all data. [balle2020] Alg 6"""
    data = exact.neighbours_of(lambda records: exact.one_swap(channel, records), channel.inputs, n)
    return max(hockey_stick(one.p, one.q, alpha) for one in data)


def worst_bins(channel: Channel, sizes: Sequence[int], alpha: Any) -> Any:
    """The largest H_a of A_bin after one swap, over all data. [balle2020] Alg 4"""
    data = exact.neighbours_of(lambda records: exact.bins(channel, records, sizes), channel.inputs, sum(sizes))
    return max(hockey_stick(one.p, one.q, alpha) for one in data)


def distance_in_bins(first: Channel, second: Channel, records: Sequence[int], sizes: Sequence[int]) -> Any:
    """The total variation between what two randomizers show of the same data in A_bin."""
    laws = exact.aligned(exact.bins(first, records, sizes), exact.bins(second, records, sizes))
    return hockey_stick(*laws, 1)


def telling(channel: Channel, chance: Any) -> Channel:
    """The channel that, with this chance, tells its input instead: (eps0, chance)-DP. [cheu2019]"""
    k, rest = channel.inputs, 1 - Fraction(chance)
    rows = [[*(rest * p for p in row), *(chance * (i == j) for j in range(k))] for i, row in enumerate(channel.probs)]
    return Channel(rows)


class Prefix(NamedTuple):
    """The first answers of A_swap, and how likely they are if the record is at place 1, ..., n."""

    place: int
    shown: tuple[int, ...]
    likelihoods: tuple[Fraction, ...]


def swap_prefixes(channel: Channel, records: Sequence[int]) -> Iterator[Prefix]:
    """All that may be seen of A_swap before the answer of each place. [balle2020] Thm A.7"""
    data, n = tuple(records), len(records)
    swapped = [(data[j], *data[1:j], data[0], *data[j + 1 :]) if j else data for j in range(n)]
    for before in range(n):
        for shown in product(range(channel.outputs), repeat=before):
            chances = [[channel.probs[x, o] for x, o in zip(one, shown, strict=False)] for one in swapped]
            yield Prefix(before + 1, shown, tuple(math.prod(row, start=Fraction(1)) for row in chances))


def _averaged(choose: Any, channel: Channel, n: int, m: int, rate: Any) -> Iterator[exact.Neighbours]:
    def view(records: Any) -> exact.View:
        return exact.averaged_updates(choose, records, m, rate)

    return exact.neighbours_of(view, channel.inputs, n, alike=True)
