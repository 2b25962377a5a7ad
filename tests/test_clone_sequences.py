"""The clone pair where places answer in order, and in rounds that see the earlier ones: brute force, in fractions."""

from fractions import Fraction

import numpy as np
import pytest

from shufflekit import exact
from shufflekit.beyond import clone_sequences, dominance, views
from shufflekit.beyond.scores import two_input_blanket
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023 import eq31
from shufflekit.randomizers import RandomizedResponse, random_channel

HALF = Fraction(1, 2)
RR = RandomizedResponse(2, ratio=3)


def below(lower, upper):
    lhs, rhs, _ = dominance.profiles(lower, upper)
    return bool((lhs <= rhs).all())


# Places in order, each with a channel of its own choice [feldman2022].

POOL = [
    *(random_channel(3, outputs, ratio=3, rng=np.random.default_rng(outputs)) for outputs in (2, 3)),
    random_channel(3, 2, ratio=2, rng=np.random.default_rng(5)),
    RandomizedResponse(3, ratio=Fraction(5, 2)),
]


def adaptive(history):
    return POOL[(2 * len(history) + 3 * sum(history)) % len(POOL)]


@pytest.mark.parametrize("others", [(0,), (2,), (0, 1), (1, 2)])
def test_in_order(others):
    n, E = len(others) + 1, 3
    pair = eq31(n, E)
    revealed = clone_sequences.in_order_revealed(adaptive, others, 0, 1, E)
    real = views.aligned(*(clone_sequences.in_order_view(adaptive, others, x) for x in (0, 1)))
    assert sum(revealed.p) == sum(revealed.q) == sum(real.p) == 1
    assert below(real, revealed)
    assert below(revealed, pair)


@pytest.mark.parametrize("others", [(0,), (1, 2), (2, 2)])
def test_in_order_the_revealed_view_is_a_sum_of_scores(others):
    """One place after the other: in the blanket with its mass, else a leaver, drawn from those not yet used."""
    n, E, alphas = len(others) + 1, Fraction(3), [HALF, 1, Fraction(3, 2), Fraction(5, 2)]
    states = [((), frozenset(range(n - 1)), 0, 0, Fraction(1))]
    for _ in range(n):
        following = []
        for history, unused, t0, t1, weight in states:
            channel = adaptive(history)
            B = two_input_blanket(channel, 0, 1, E)
            for o in range(channel.outputs):
                s0, s1 = channel.probs[0, o] / B[o], channel.probs[1, o] / B[o]
                following.append(((*history, o), unused, t0 + s0, t1 + s1, weight * B[o]))
                for user in unused:
                    rest = (channel.probs[others[user], o] - B[o]) / len(unused)
                    following.append(((*history, o), unused - {user}, t0, t1, weight * rest))
        states = following
    revealed = clone_sequences.in_order_revealed(adaptive, others, 0, 1, E)
    for alpha in alphas:
        by_scores = sum(weight * max(t0 - alpha * t1, 0) for _, _, t0, t1, weight in states) / n
        assert hockey_stick(*revealed, alpha) == by_scores


def test_in_order_with_one_channel_is_the_shuffle():
    channel, others = POOL[1], (0, 2)
    in_order = views.aligned(*(clone_sequences.in_order_view(lambda history: channel, others, x) for x in (0, 1)))
    assert below(in_order, views.shuffled_view(channel, others, 0, 1))
    assert below(views.shuffled_view(channel, others, 0, 1), in_order)


# Two rounds.


@pytest.mark.parametrize("n", [2, 3])
def test_rounds_that_choose_the_next_channel(n):
    second = [random_channel(2, 2, ratio=4, rng=np.random.default_rng(seed)) for seed in range(4)]
    product = clone_sequences.product_pair(eq31(n, 3), eq31(n, 4))
    for data in exact.neighbours(RR, n):
        first = TwoLaws(data.p, data.q)
        later = [views.shuffled_view(channel, data.others, data.x0, data.x1) for channel in second]
        both = clone_sequences.compose(first, lambda outcome, later=later: later[outcome % 4])
        assert sum(both.p) == sum(both.q) == 1
        assert below(both, product)
