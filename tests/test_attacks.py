"""Attacks: randomized response, or a known channel, really run on data that exist; no analysis can go below them."""

import math

import numpy as np
import pytest

from shufflekit import (
    Channel,
    DiscretizedLaplace,
    GaussianShuffle,
    HadamardResponse,
    RandomizedResponse,
    RandomizedResponseShuffle,
    Shuffle,
    ShuffledCheckIn,
    divergences,
    exact,
)
from shufflekit.dominating_pairs import Count, GaussianPair, ScorePair, Votes
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols.channels import worst_data
from shufflekit.randomizers import random_channel
from tests import pairs

RNG = np.random.default_rng(7)
CHANNELS = [
    RandomizedResponse(2, 1.0),
    RandomizedResponse(4, 1.5),
    HadamardResponse(3, 1.0),
    DiscretizedLaplace(3, 2.0),
    random_channel(3, 3, 1.5, rng=RNG),
]


def test_more_than_two_values_reveal():
    """From an independent computation: 0.1374 at eps0 = 2, where two values reach 0.10837."""
    rounds, delta = 10**5, 1e-8
    ternary = Composition([Part(pairs.ternary(2.0, 1000, 10**6).pair, rounds)]).epsilon(delta, 1e-4)
    assert ternary.lower == pytest.approx(0.1374, rel=1e-3)
    binary = Composition([Part(pairs.binary(2.0, 1000, 10**6).pair, rounds)]).epsilon(delta, 1e-4)
    assert binary.lower == pytest.approx(0.10837, rel=1e-4)
    found = (Shuffle(2.0, 1000, 10**6) * rounds).attack_epsilon(delta)
    assert found.lower == ternary.lower
    bound = (Shuffle(2.0, 1000, 10**6) * rounds).epsilon(delta)
    # [beyond] 5: in the limit of many rounds sqrt((E+2)/(E+1)) apart.
    assert bound.upper / found.lower == pytest.approx(math.sqrt((math.exp(2) + 2) / (math.exp(2) + 1)), rel=0.01)


@pytest.mark.parametrize(("n", "population"), [(1, 1), (4, 4), (50, 50), (10**6, 10**6), (1000, 10**6), (7, 10**12)])
@pytest.mark.parametrize("eps0", [0.1, 0.6931, 2.0, 8.0])
def test_attacks_are_below_the_clone_pair(eps0, n, population):
    bound = pairs.clones(eps0, n, population).pair
    deviation = math.expm1(eps0) * math.sqrt(2 * n / (math.exp(eps0) + 1)) / population
    eps = np.minimum(np.array([0.0, 0.5, 2.0, 6.0]) * deviation, 0.9 * bound.largest_loss)
    above = bound.delta(eps).upper
    binary = pairs.binary(eps0, n, population).pair
    attacks = [pairs.ternary(eps0, n, population).pair, pairs.response(eps0, n, population, k=6).pair]
    attacks += [binary, binary.reversed()]
    for attack in attacks if n <= 1000 else (attacks[0], *attacks[2:]):
        assert attack.largest_loss <= bound.largest_loss * (1 + 1e-12)
        assert (attack.delta(eps).lower <= above).all()


@pytest.mark.parametrize(
    ("protocol", "kinds"),
    [
        (Shuffle(1.0, 5), [Count, Votes]),
        (ShuffledCheckIn(1.0, 5, 0.5), [Votes]),
        (RandomizedResponseShuffle(2, 1.0, 5), [Count]),
        (RandomizedResponseShuffle(3, 1.0, 5), [Votes]),
        (GaussianShuffle(2.0, 5), [GaussianPair]),
        (Shuffle(randomizer=RandomizedResponse(2, 1.0), n=5), [Count, Count]),
        (Shuffle(randomizer=RandomizedResponse(3, 1.0), n=5), [Votes, ScorePair]),
        (Shuffle(randomizer=CHANNELS[4], n=5), [ScorePair, ScorePair]),
    ],
    ids=str,
)
def test_protocols_name_their_attacks(protocol, kinds):
    assert [type(attack.pair) for attack in protocol.attacks] == kinds
    assert len({attack.name for attack in protocol.attacks}) == len(kinds)
    assert all(attack.name and attack.source for attack in protocol.attacks)


# Known channels, all others having the same value.


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
def test_the_worst_data_are_the_worst_of_all_triples(channel):
    """By variance; and at most two kinds of triples are tried."""
    attacks = worst_data(channel, 4, 4)
    assert 1 <= len(attacks) <= 2
    rows = channel.probs.astype(float)
    most = max(
        float(((rows[x0] - rows[x1]) ** 2 / rows[x2]).sum())
        for x0 in range(channel.inputs)
        for x1 in range(channel.inputs)
        for x2 in range(channel.inputs)
    )
    (law,) = attacks[0].define(float).laws
    assert sum(one.chance * (one.t0 - one.t1) ** 2 for one in law) == pytest.approx(most, rel=1e-9)


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
        for way in (attack.pair, attack.pair.reversed()):
            assert way.delta(np.array([eps])).lower[0] <= worst * (1 + 1e-9)
    assert worst <= protocol.delta(eps).upper * (1 + 1e-9)


@pytest.mark.parametrize("rounds", [2, 3])
def test_composed_lists(rounds):
    """A few rounds of a few clients, against every combination of outcomes."""
    channel = HadamardResponse(3, ratio=3)
    rows = channel.probs
    p, q = (exact.sampled_law([rows[mine], *[rows[2]] * 2], 2) for mine in (0, 1))
    outcomes = list(zip(p.ravel(), q.ravel(), strict=True))
    joint = [(1, 1)]
    for _ in range(rounds):
        joint = [(a * x, b * y) for a, b in joint for x, y in outcomes if x or y]
    eps = 0.3
    true = math.fsum(float(max(a - math.exp(eps) * b, 0)) for a, b in joint)
    protocol = Shuffle(randomizer=channel, n=2, population=3) * rounds
    attack = protocol.attack_epsilon(true)
    assert attack.upper >= eps * (1 - 1e-9)
    assert protocol.epsilon(true).upper >= eps * (1 - 1e-9)


@pytest.mark.parametrize("table", [[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]])
def test_zero_probabilities_are_refused_in_words(table):
    with pytest.raises(ValueError, match="eps0 must be positive and at most 300, got inf"):
        Shuffle(randomizer=Channel(table), n=3)


def test_a_table_is_no_channel():
    with pytest.raises(TypeError, match=r"randomizer must be a shufflekit\.randomizers\.Channel"):
        Shuffle(randomizer=np.eye(2), n=3, population=3)
    with pytest.raises(ValueError, match="n must be"):
        Shuffle(randomizer=CHANNELS[0], n=4, population=3)
