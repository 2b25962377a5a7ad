"""Random check-ins watched at work: their bounds held against the truth for few clients, and the law of many slots.

A row is a left side, a right side and where: what ``claims.verify`` compares. The truth is enumerated, ``exact``; the
bounds are those of ``slots``, [beyond] 14 to 17. Many slots are too many for that: there the truth is the law of
randomized response where all others are alike, and the game is played on a grid.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq

from shufflekit import exact
from shufflekit.beyond import few, slots
from shufflekit.definitions import Definition, clones, corners, response
from shufflekit.divergences import hockey_stick
from shufflekit.dominating_pairs import pair_of
from shufflekit.exact import View
from shufflekit.loss_distribution import Composition, Part
from shufflekit.randomizers import Channel, RandomizedResponse, random_channel

Row = tuple[Any, Any, str]
HALF = Fraction(1, 2)
SIZES = ((2, 2, 1), (2, 3, 1), (3, 2, 1), (3, 3, 1), (3, 2, HALF), (2, 3, HALF))  # clients, slots, participation
WEIGHTS = ((1,), (1, 1), (1, HALF), (1, 1, 1), (HALF, 1, Fraction(1, 3)), (1, HALF, 1, HALF))
STEP = 0.02  # of the grid on which a long game is played, in units of the largest score


def hockey(view: Callable[[int], View], x0: int, x1: int, alpha: Any) -> Any:
    """``H_alpha`` of what is seen with the record x0 and with x1."""
    return hockey_stick(*exact.aligned(view(x0), view(x1)), alpha)


def bench() -> list[Channel]:
    """Randomizers of two or three inputs, in fractions."""
    drawn = random_channel(3, 2, ratio=2, rng=np.random.default_rng(14))
    return [RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=2), drawn]


# One replacement.


def replacement_rows() -> list[Row]:
    """[beyond] 14: the game, and the best play run as A_rep on real data, both ways; then all data of a bench."""
    rows = []
    for E, weights in itertools.product((Fraction(3, 2), Fraction(3)), WEIGHTS):
        where = f"E = {E}, {len(weights)} slots, best play"
        for alpha in few.alphas(E):
            game, reached = best_play(E, weights, alpha)
            rows += [(reached, game, where), (game, reached, where)]
    weights = (1, HALF, 1)
    for channel in bench():
        rows += [row for alpha in few.alphas(channel.ratio) for row in _any_replacement(channel, weights, alpha)]
    return rows


def best_play(ratio: Any, weights: Sequence[Any], alpha: Any) -> tuple[Any, Any]:
    """The game's value, and ``H_alpha`` of A_rep where each slot answers as the chooser plays. [beyond] 14"""
    m, shares = len(weights), tuple(Fraction(weight) / len(weights) for weight in weights)
    choose, others = slots.strategy(few.corner_channels(ratio), shares, alpha), (2,) * (m - 1)

    def view(x: int) -> View:
        return exact.one_replacement(choose, (x, *others), weights, 2)

    return slots.weighted(corners(Fraction(ratio) - 1).laws, shares, alpha), hockey(view, 0, 1, alpha)


def _any_replacement(channel: Channel, weights: Sequence[Any], alpha: Any) -> Iterator[Row]:
    m, where = len(weights), f"{channel.name}, a = {alpha}"
    bound = slots.weighted(corners(channel.ratio - 1).laws, tuple(Fraction(w) / m for w in weights), alpha)
    for other in range(channel.inputs):

        def view(records: Any, other: int = other) -> View:
            return exact.one_replacement(channel, records, weights, other)

        for data in exact.neighbours_of(view, channel.inputs, m):
            yield hockey_stick(data.p, data.q, alpha), bound, where


def response_epsilon(eps0: float, m: int, delta: float, population: int | None = None) -> float:
    """The eps at delta of A_rep that randomized response really has, all others alike; weights m/population.

    The larger of binary and 3-ary, either record being the changed one; rounded down.
    """
    x = math.expm1(eps0)
    return max(_epsilon(Definition(m, population or m, (response(x, k),)), delta)[0] for k in (2, 3))


def clone_epsilon(eps0: float, m: int, delta: float, population: int | None = None) -> float:
    """A guarantee for A_rep, and for A_fix of any number of clients: the clone pair, rounded up. [beyond] 15"""
    return _epsilon(Definition(m, population or m, (clones(math.expm1(eps0)),)), delta)[1]


def _epsilon(definition: Definition, delta: float) -> tuple[float, float]:
    """Both ends, of the worse direction."""
    pair = pair_of(definition)
    ends = [Composition([Part(one, 1)]).epsilon(delta, 1e-4) for one in (pair, pair.reversed())]
    return max(end.lower for end in ends), max(end.upper for end in ends)


def game_epsilon(eps0: float, m: int, delta: float) -> float:
    """The eps at delta of A_rep with all weights 1, by the game, played on a grid that rounds up. [beyond] 14"""
    x = math.expm1(eps0)

    def excess(eps: float) -> float:
        start = m * (1 - math.exp(eps))
        board = few.played(corners(x).laws, m, STEP * x, 1.5 * abs(start) + 10, math.exp(eps))
        return math.log(float(np.interp(start, board.x, board.value[-1])) / m / delta)

    about = response_epsilon(eps0, m, delta)
    return float(brentq(excess, 0.99 * about, 1.02 * clone_epsilon(eps0, m, delta), rtol=1e-6))


# Randomizers that are not quite private.


def leaky(channel: Channel, delta0: Any) -> Channel:
    """With the chance delta0 the record itself is shown: (eps0, delta0)-DP, and delta0 from an eps0-DP channel."""
    k = channel.inputs
    shown = [[delta0 * (i == j) for j in range(k)] for i in range(k)]
    return Channel(np.column_stack([(1 - delta0) * channel.probs, shown]), f"{channel.name}, leaky")


def leaky_rows() -> list[Row]:
    """What a surrogate costs: ``H_a`` of A_rep with a leaky channel, and with its surrogate ``+ m (a + 1) delta1``."""
    channel, delta0, rows = RandomizedResponse(2, ratio=3), Fraction(1, 50), []
    for m, alpha in itertools.product((1, 2, 3), few.alphas(3)):
        bound = slots.replaced(corners(Fraction(2)).laws, m, 1, alpha) + m * (alpha + 1) * delta0
        for others in itertools.product((0, 1), repeat=m - 1):

            def view(x: int, others: Any = others) -> View:
                return exact.one_replacement(leaky(channel, delta0), (x, *others), (1,) * (len(others) + 1), 1)

            rows.append((hockey(view, 0, 1, alpha), bound, f"m = {m}, a = {alpha}"))
    return rows


# Check-ins.


def check_in_rows(dummies: bool = True) -> Iterator[tuple[Any, Any, Channel, Any, str]]:
    """The worst data and dummy of each channel of the bench, at some alphas: truth, alpha, channel, sizes, where."""
    for channel, (n, m, rate) in itertools.product(bench(), SIZES):
        laws = list(_neighbours(channel, n, m, rate, dummies))
        for alpha in few.alphas(channel.ratio):
            where = f"{channel.name}, n = {n}, m = {m}, p0 = {rate}, a = {alpha}"
            yield max(hockey_stick(one.p, one.q, alpha) for one in laws), alpha, channel, (n, m, rate), where


def _neighbours(channel: Channel, n: int, m: int, rate: Any, dummies: bool) -> Iterator[Any]:
    for dummy in range(channel.inputs) if dummies else [None]:

        def view(records: Any, dummy: int | None = dummy) -> View:
            return exact.fixed_window(channel, records, m, rate, dummy)

        yield from exact.neighbours_of(view, channel.inputs, n, alike=True)


def replaced_rows() -> list[Row]:
    """[beyond] 15: truth, below what is told of empty slots, below the largest weight, below its clones."""
    rows = []
    for truth, alpha, channel, (n, m, rate), where in check_in_rows():
        laws, law = corners(channel.ratio - 1).laws, clones(channel.ratio - 1)
        told = slots.replaced_of(laws, n, m, rate, alpha)
        most, cheap = (slots.replaced(moves, m, rate, alpha) for moves in (laws, (law,)))
        rows += [(truth, told, where), (told, most, f"told, {where}"), (most, cheap, f"clones, {where}")]
    told = slots.replaced_of(corners(Fraction(2)).laws, 2, 3, 1, Fraction(5, 2))
    worst = _neighbours(RandomizedResponse(2, ratio=3), 2, 3, 1, True)
    truth = max(hockey_stick(one.p, one.q, Fraction(5, 2)) for one in worst)
    return [*rows, (truth, told, "E = 3, n = 2, m = 3, a = 5/2"), (told, truth, "the same, attained")]


def sampled_rows() -> list[Row]:
    """[beyond] 16: truth with dummies, or with empty slots shown, below sampling, below its clones; the attack."""
    rows = []
    for dummies in (True, False):
        for truth, alpha, channel, (n, m, rate), where in check_in_rows(dummies):
            bound = slots.sampled(corners(channel.ratio - 1), n, m, rate, alpha)
            cheap = slots.sampled_clones(clones(channel.ratio - 1), n, m, rate, alpha)
            rows += [(truth, bound, where), (bound, cheap, f"clones, {where}")]
    return rows + [row for k in (2, 3) for size in SIZES for row in attack_rows(k, *size)]


def attack_rows(k: int, n: int, m: int, rate: Any) -> list[Row]:
    """All others and the dummy alike: the truth is the attack's formula, both ways."""
    channel, law, rows = RandomizedResponse(k, ratio=3), response(Fraction(2), k), []

    def view(x: int) -> View:
        return exact.fixed_window(channel, (x, *(k - 1,) * (n - 1)), m, rate, k - 1)

    for alpha in few.alphas(3):
        truth, formula = hockey(view, 0, 1, alpha), slots.attack(law, n, m, rate, alpha)
        where = f"attack, {channel.name}, n = {n}, m = {m}, p0 = {rate}, a = {alpha}"
        rows += [(truth, formula, where), (formula, truth, where)]
    return rows


def corrected_rows() -> list[Row]:
    """[beyond] 17: what is true where the averaged weights are not: the least of replacement and sampling."""
    channel, moves, rows = RandomizedResponse(2, ratio=2), corners(Fraction(1)), []
    for n, m in ((3, 2), (3, 3), (4, 3)):
        data = list(_neighbours(channel, n, m, 1, True))
        for alpha in (Fraction(1), Fraction(3, 2), Fraction(2, 3)):
            truth = max(hockey_stick(one.p, one.q, alpha) for one in data)
            bound = min(slots.sampled(moves, n, m, 1, alpha), slots.replaced_of(moves.laws, n, m, 1, alpha))
            rows.append((truth, bound, f"n = {n}, m = {m}, a = {alpha}"))
    return rows


def averaged(ratio: Any, n: int, m: int, alpha: Any) -> Any:
    """What the clone pair says with averaged weights: no bound. [beyond] 17"""
    return slots.averaged((clones(Fraction(ratio) - 1),), n, m, 1, alpha)


def swap_rows() -> list[Row]:
    """A_swap is, given its first answer, A_rep with a weight a slot; both ways. [beyond] 17"""
    channel, rows = RandomizedResponse(2, ratio=3), []
    for others, alpha in itertools.product(itertools.product((0, 1), repeat=2), few.alphas(3)):

        def view(x: int, others: Any = others) -> View:
            return exact.one_swap(channel, (x, *others))

        truth, formula = hockey(view, 0, 1, alpha), _swap_by_first_answer(channel, others, alpha)
        where = f"others = {others}, a = {alpha}"
        rows += [(truth, formula, where), (formula, truth, where)]
    return rows


def _swap_by_first_answer(channel: Channel, others: Sequence[int], alpha: Any) -> Any:
    """Slot i then has the weight R(x_i)(o_1)/n, and client 1 answered first with the weight R(x)(o_1)/n."""
    probs, n, total = channel.probs, len(others) + 1, Fraction(0)
    for first, *rest in itertools.product(range(channel.outputs), repeat=n):
        base, score = Fraction(1), probs[0, first] - alpha * probs[1, first]
        for x, o in zip(others, rest, strict=True):
            base *= probs[x, o]
            score += probs[x, first] * (probs[0, o] - alpha * probs[1, o]) / probs[x, o]
        total += base * max(score, 0) / n
    return total


# Who drops out.


def dropout_rows() -> list[Row]:
    """A client whose record decides whether she comes, with dummies: truth, and the bound for who always comes."""
    channel, laws, rows = RandomizedResponse(2, ratio=3), corners(Fraction(2)).laws, []
    for (n, m), dummy in itertools.product(((2, 2), (3, 2), (2, 3), (3, 3)), (0, 1)):
        for alpha, others in itertools.product(few.alphas(3), itertools.product((0, 1), repeat=n - 1)):
            away, bound = exact.fixed_window(channel, others, m, 1, dummy), slots.replaced_of(laws, n, m, 1, alpha)
            for x in (0, 1):
                laws_ = exact.aligned(exact.fixed_window(channel, (x, *others), m, 1, dummy), away)
                truth = max(hockey_stick(*laws_, alpha), hockey_stick(*laws_[::-1], alpha))
                rows.append((truth, bound, f"n = {n}, m = {m}, a = {alpha}"))
    return rows
