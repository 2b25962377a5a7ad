"""A known channel that is really run, all others having the same value: exactly what enumeration finds."""

import math

import numpy as np
import pytest

from shufflekit import Channel, DiscretizedLaplace, HadamardResponse, RandomizedResponse, Shuffle, divergences, exact
from shufflekit.dominating_pairs import EqualOthers, Votes, worst_data
from shufflekit.randomizers import random_channel
from tests import truth

RNG = np.random.default_rng(7)
CHANNELS = [
    RandomizedResponse(2, 1.0),
    RandomizedResponse(4, 1.5),
    HadamardResponse(3, 1.0),
    DiscretizedLaplace(3, 2.0),
    random_channel(3, 3, 1.5, rng=RNG),
]
SIZES = [(1, 1), (1, 4), (3, 3), (4, 6)]


def views(channel, n, population, x0, x1, x2):
    rows = channel.probs
    return [exact.sampled_law([rows[mine], *[rows[x2]] * (population - 1)], n) for mine in (x0, x1)]


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), SIZES)
def test_delta_and_lists_are_the_exact_law(channel, n, population):
    last = channel.inputs - 1
    for triple in {(0, 1, last), (last, 0, 1), (1, 0, 0)}:
        pair, (p, q) = EqualOthers(channel, n, population, *triple), views(channel, n, population, *triple)
        laws = pair.laws(-40.0)
        for share in (0.0, 0.2, 0.6):
            eps = share * pair.largest_loss
            true = float(divergences.hockey_stick(p, q, math.exp(eps)))
            ends = pair.delta(np.array([eps]))
            assert ends.lower[0] <= true * (1 + 1e-9) + 1e-13
            assert true * (1 - 1e-9) <= ends.upper[0] + 1e-13
            assert truth.listed_delta(laws.lower, eps, upper=False) <= true * (1 + 1e-9) + 1e-14
            assert true * (1 - 1e-9) - 1e-14 <= truth.listed_delta(laws.upper, eps, upper=True)
        # Backwards, too: it is another pair.
        back = pair.reversed()
        assert back.reversed() == pair
        true = float(divergences.hockey_stick(q, p, math.exp(0.1)))
        ends = back.delta(np.array([0.1]))
        assert ends.lower[0] <= true * (1 + 1e-9) + 1e-13
        assert true * (1 - 1e-9) <= ends.upper[0] + 1e-13


def test_asymmetric_pairs_have_two_directions():
    pair = EqualOthers(RandomizedResponse(2, 1.0), 5, 5, 1, 0, 0)
    forth, back = (float(way.delta(np.array([0.4])).upper[0]) for way in (pair, pair.reversed()))
    assert abs(forth - back) > 0.01 * forth


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
def test_the_worst_data_are_the_worst_of_all_triples(channel):
    """By variance; and at most two kinds of triples are tried."""
    attacks = worst_data(channel, 4, 4)
    assert 1 <= len(attacks) <= 2
    size = range(channel.inputs)
    most = max(EqualOthers(channel, 4, 4, x0, x1, x2).variance for x0 in size for x1 in size if x0 != x1 for x2 in size)
    first = attacks[0]
    if isinstance(first, EqualOthers):
        assert first.variance == pytest.approx(most, rel=1e-9)
    else:
        # Three-ary response and the like are told as votes: with the same delta.
        assert isinstance(first, Votes)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), [(3, 3), (2, 4)])
def test_an_attack_is_a_real_data_set(channel, n, population):
    """Some pair of neighbouring data sets shows at least as much: the attack is never more than the truth."""
    protocol = Shuffle(randomizer=channel, n=n, population=population)
    eps = 0.15 * protocol.eps0 * n / population
    worst = max(
        float(divergences.hockey_stick(x.p, x.q, math.exp(eps))) for x in exact.neighbours(channel, population, n)
    )
    for attack in protocol.attacks:
        for way in (attack, attack.reversed()):
            assert way.delta(np.array([eps])).lower[0] <= worst * (1 + 1e-9)
    assert worst <= protocol.delta(eps).upper * (1 + 1e-9)


@pytest.mark.parametrize("rounds", [2, 3])
def test_composed_lists(rounds):
    """A few rounds of a few clients, against every combination of outcomes."""
    channel = HadamardResponse(3, ratio=3)
    p, q = views(channel, 2, 3, 0, 1, 2)
    pairs = list(zip(p.ravel(), q.ravel(), strict=True))
    joint = [(1, 1)]
    for _ in range(rounds):
        joint = [(a * x, b * y) for a, b in joint for x, y in pairs if x or y]
    eps = 0.3
    true = math.fsum(float(max(a - math.exp(eps) * b, 0)) for a, b in joint)
    protocol = Shuffle(randomizer=channel, n=2, population=3) * rounds
    attack = protocol.attack_epsilon(true)
    assert attack.upper >= eps * (1 - 1e-9)
    assert protocol.epsilon(true).upper >= eps * (1 - 1e-9)


def test_zero_probabilities():
    with pytest.raises(ValueError, match="positive"):
        Shuffle(randomizer=Channel([[1.0, 0.0], [0.5, 0.5]]), n=3)
