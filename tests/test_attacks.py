"""Attacks: randomized response, or a known channel, really run on data that exist; no analysis can go below them."""

import itertools
import math
from fractions import Fraction

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
from shufflekit.definitions import Definition, told
from shufflekit.dominating_pairs import Count, GaussianPair, MeanOfScores, RareKinds, ScorePair, Votes
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols.channels import _marks, worst_data
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
    clones = (Shuffle(2.0, 1000, 10**6, reduction="clones") * rounds).epsilon(delta)
    # [beyond] 5: in the limit of many rounds sqrt((E+2)/(E+1)) apart.
    assert clones.upper / found.lower == pytest.approx(math.sqrt((math.exp(2) + 2) / (math.exp(2) + 1)), rel=0.01)
    corners = (Shuffle(2.0, 1000, 10**6) * rounds).epsilon(delta)
    # [beyond] 8: an independent program has 0.137372.
    assert found.lower < corners.upper == pytest.approx(0.137372, rel=2e-4)


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
        (Shuffle(4.0, 1000), [Count, RareKinds, Votes]),
        (ShuffledCheckIn(1.0, 5, 0.5), [Votes]),
        (ShuffledCheckIn(0.5, 5, 0.5), [MeanOfScores, Votes]),
        (ShuffledCheckIn(0.5, 5, 1.0), [Count, Votes]),
        (RandomizedResponseShuffle(2, 1.0, 5), [Votes, Count]),
        (RandomizedResponseShuffle(3, 1.0, 5), [Votes, Votes]),
        (GaussianShuffle(2.0, 5), [GaussianPair]),
        (Shuffle(randomizer=RandomizedResponse(2, 1.0), n=5), [Count, Count]),
        (Shuffle(randomizer=RandomizedResponse(3, 1.0), n=5), [Votes, MeanOfScores]),
        (Shuffle(randomizer=CHANNELS[4], n=5), [ScorePair, ScorePair]),
    ],
    ids=str,
)
def test_protocols_name_their_attacks(protocol, kinds):
    assert [type(attack.pair) for attack in protocol.attacks] == kinds
    assert len({attack.name for attack in protocol.attacks}) == len(kinds)
    assert all(attack.name and attack.source for attack in protocol.attacks)


# Two randomized responses by a coin that is told.


def test_between_few_and_many_a_told_coin_reaches_most():
    """From an independent computation: 2.695 with a fair coin, where 3-ary randomized response alone has 2.6626."""
    told = pairs.told(4.0, 1000, 0.5).pair
    assert Composition([Part(told.reversed(), 1)]).epsilon(1e-8, 1e-4).lower == pytest.approx(2.695, rel=2e-4)
    protocol = Shuffle(4.0, 1000)
    found = protocol.attack_epsilon(1e-8)
    assert 2.695 < found.lower < protocol.guarantee(1e-8).upper
    assert "told" in found.name
    names = [row.name for row in protocol.compare(1e-8).rows if row.kind == "lower"]
    assert ["told" in name for name in names] == [True, False, False]
    # Of several rounds, 3-ary randomized response.
    assert "told" not in (protocol * 2).attack_epsilon(1e-8).name


@pytest.mark.parametrize(("eps0", "n"), [(1.0, 60), (2.0, 100), (2.0, 350), (3.0, 900), (4.0, 1000), (5.0, 4000)])
def test_the_told_coin_is_never_above_the_guarantee(eps0, n):
    protocol = Shuffle(eps0, n)
    (attack,) = [one for one in protocol.attacks if one.once]
    eps = np.array([0.0, 0.1, 0.3, 0.6, 0.9]) * eps0
    for way in (attack.pair, attack.pair.reversed()):
        assert (way.delta(eps).lower <= protocol.pair.delta(eps).upper).all()


@pytest.mark.parametrize(("n", "chance"), [(2, Fraction(1, 2)), (3, Fraction(5, 16)), (4, Fraction(1, 3))])
def test_the_told_coin_is_a_channel_on_data_that_exist(n, chance):
    """In fractions: the channel shows the coin and the answer; all others are at a third value, x1's own for binary."""
    E = Fraction(3)
    ternary = [[E if i == j else 1 for j in range(3)] for i in range(3)]
    binary = [[E, 1], [1, E], [1, E]]
    table = [
        [chance * v / (E + 2) for v in three] + [(1 - chance) * v / (E + 1) for v in two]
        for three, two in zip(ternary, binary, strict=True)
    ]
    p, q = (exact.histogram_law([table[mine], *[table[2]] * (n - 1)]).ravel() for mine in (0, 1))
    laws = exact.pair(Definition(n, n, (told(E - 1, chance),)))
    for alpha in (Fraction(1, 3), Fraction(2, 3), Fraction(1), Fraction(4, 3), Fraction(2), Fraction(5, 2)):
        assert divergences.hockey_stick(*laws, alpha) == divergences.hockey_stick(p, q, alpha)


@pytest.mark.parametrize(("eps0", "n"), [(1.0, 12), (2.0, 9), (4.0, 14)])
def test_rare_kinds_are_as_enumerated(eps0, n):
    """Against all outcomes, in fractions; both ways, and with more clients who are not sampled."""
    for population in (n, 2 * n):
        definition = Definition(n, population, (told(math.expm1(eps0), 0.3125),))
        pair = RareKinds(definition)
        laws = exact.pair(definition.mapped(Fraction))
        for way, (p, q) in ((pair, laws), (pair.reversed(), laws[::-1])):
            for eps in (0.0, 0.05 * eps0, 0.4 * eps0, 0.8 * eps0):
                alpha = Fraction(math.exp(eps))
                true = float(sum(max(a - alpha * b, 0) for a, b in zip(p, q, strict=True)))
                ends = way.delta(np.array([eps]))
                assert ends.lower[0] <= true * (1 + 1e-12)
                assert true * (1 - 1e-12) <= ends.upper[0]
                assert ends.upper[0] - ends.lower[0] <= 1e-6 * true + 1e-300


@pytest.mark.parametrize(("eps0", "n"), [(2.0, 300), (4.0, 1000)])
def test_rare_kinds_are_as_summed(eps0, n):
    pair = pairs.told(eps0, n, 0.3125).pair
    eps = np.array([0.0, 0.15, 0.5, 0.8]) * eps0
    for way, summed in ((pair, ScorePair(pair.definition)), (pair.reversed(), ScorePair(pair.reversed().definition))):
        ends, others = way.delta(eps), summed.delta(eps, 1e-6)
        assert (ends.lower <= others.upper).all()
        assert (others.lower <= ends.upper).all()
        cut = way.delta(eps, log_cut=-30.0)
        assert (cut.lower <= ends.upper).all()
        assert (ends.lower <= cut.upper).all()


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


@pytest.mark.parametrize("channel", [*CHANNELS, DiscretizedLaplace(6, 1.0), HadamardResponse(9, 1.0)], ids=str)
def test_marks_tell_kinds_of_triples_apart(channel):
    """Triples have one mark if and only if their likelihoods are the same ones, in whatever order of messages."""
    table = channel.probs.astype(float)
    k = channel.inputs
    x0, x1 = np.indices((k, k)).reshape(2, -1)
    marks, kinds = _marks(table, x0, x1).reshape(k, k, k), {}
    for x0, x1, x2 in itertools.product(range(k), repeat=3):
        columns = np.round(table[[x0, x1, x2]], 12)
        kinds.setdefault(columns[:, np.lexsort(columns)].tobytes(), set()).add(int(marks[x0, x1, x2]))
    assert all(len(own) == 1 for own in kinds.values())
    assert len(set.union(*kinds.values())) == len(kinds)


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


def test_a_known_channels_attacks_are_in_the_numbers_that_are_asked_for() -> None:
    """Fractions make fractions, as the judge needs them, and floats stay floats."""
    channel = RandomizedResponse(3, ratio=2)
    for attack in worst_data(channel, 4, 9):
        for number, kind in ((Fraction, Fraction), (float, float)):
            found = attack.define(number)
            values = [value for law in found.laws for one in law for value in (one.chance, one.t0, one.t1)]
            assert values
            assert all(isinstance(value, kind) for value in values)
