"""A known channel plays with its own rows: never below the truth, never above its blanket, and near the attack."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import certify, exact
from shufflekit.beyond import game
from shufflekit.definitions import Game, Kind, blankets, channels, row_game, rows, without_round_off
from shufflekit.definitions.channels import kinds_of_neighbours
from shufflekit.divergences import hockey_stick
from shufflekit.dominating_pairs import contenders, pair_of
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.channel_game import ChannelPair, _by_losses
from shufflekit.dominating_pairs.contenders import LARGER, Field, SideBySide
from shufflekit.dominating_pairs.score_pair import ScorePair
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols import RandomizedResponseShuffle, Shuffle, ShuffledCheckIn
from shufflekit.randomizers import (
    Channel,
    DiscretizedLaplace,
    HadamardResponse,
    RandomizedResponse,
    random_channel,
)

ONE_WAY = Channel([[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]])
SKEWED = Channel(
    [[Fraction(1, 10), Fraction(9, 10)], [Fraction(2, 5), Fraction(3, 5)], [Fraction(1, 4), Fraction(3, 4)]]
)
SMALL = [
    RandomizedResponse(2, ratio=3),
    RandomizedResponse(3, ratio=Fraction(3, 2)),
    HadamardResponse(3, ratio=2),
    ONE_WAY,
    SKEWED,
    random_channel(3, 3, ratio=4, rng=np.random.default_rng(7)),
]
EPS = (0.0, 0.05, 0.3, 0.8)
ROUND_OFF = 1e-12


def bound(channel: Channel, n: int, population: int) -> ChannelPair:
    pair = pair_of(row_game(channel, n, population).mapped(float))
    assert isinstance(pair, ChannelPair)
    return pair


def upper(pair, eps):
    return pair.delta(np.array([eps])).upper[0]


def in_fractions(channel: Channel) -> Channel:
    """The table of floats as it is, but for its last column."""
    table = np.vectorize(Fraction, otypes=[object])(channel.probs)
    table[:, -1] = 1 - table[:, :-1].sum(axis=1)
    return Channel(table)


# Never below the truth.


@pytest.mark.parametrize("channel", SMALL, ids=str)
@pytest.mark.parametrize(("n", "population"), [(1, 1), (2, 2), (3, 3), (1, 3), (2, 4), (3, 4)])
def test_all_data_sets(channel, n, population):
    """In fractions; and never above the blanket pair."""
    pair, blanket = bound(channel, n, population), pair_of(blankets(channel, n, population).mapped(float))
    data = list(exact.neighbours(channel, population, n))
    for eps in EPS:
        alpha = Fraction(math.exp(eps))
        truth = max(float(hockey_stick(one.p, one.q, alpha)) for one in data)
        assert truth * (1 - ROUND_OFF) <= upper(pair, eps) <= upper(blanket, eps) * (1 + ROUND_OFF)


@pytest.mark.parametrize("channel", [RandomizedResponse(2, ratio=3), ONE_WAY], ids=str)
def test_all_data_sets_of_four(channel):
    pair, data = bound(channel, 4, 4), list(exact.neighbours(channel, 4, 4))
    for eps in EPS:
        alpha = Fraction(math.exp(eps))
        assert max(float(hockey_stick(one.p, one.q, alpha)) for one in data) <= upper(pair, eps) * (1 + ROUND_OFF)


@pytest.mark.parametrize("channel", [*SMALL, in_fractions(DiscretizedLaplace(3, 1.0))], ids=str)
@pytest.mark.parametrize(("n", "population"), [(1, 2), (3, 3), (3, 9), (4, 4)])
def test_never_below_the_game_in_fractions(channel, n, population):
    """Nor far above it, unless the blanket is below that."""
    own = row_game(channel, n, population)
    pair, blanket = bound(channel, n, population), pair_of(blankets(channel, n, population).mapped(float))
    for eps in (0.0, 0.1, 0.4):
        exactly = float(game.profile(own, Fraction(math.exp(eps))))
        # The blanket's pair is never below the game, but a float.
        assert exactly * (1 - 1e-11) <= upper(pair, eps) <= min(exactly * 1.01, upper(blanket, eps)) + 1e-13


def test_either_direction():
    """Of one pair of inputs; all of them together are the same from both sides."""
    channel = SKEWED
    one = Game(3, 3, (rows(channel, 0, 1),))
    back = one.reversed()
    pair = pair_of(one.mapped(float))
    assert pair.reversed() != pair == pair.reversed().reversed()
    for eps in (0.1, 0.4):
        alpha = Fraction(math.exp(eps))
        assert upper(pair, eps) >= float(game.profile(one, alpha)) * (1 - 1e-11)
        assert upper(pair.reversed(), eps) >= float(game.profile(back, alpha)) * (1 - 1e-11)
    whole = bound(channel, 3, 3)
    assert whole.reversed() is whole


@pytest.mark.parametrize("rounds", [2, 5])
@pytest.mark.parametrize("channel", [SMALL[0], SMALL[3]], ids=str)
def test_composed(channel, rounds):
    """The same data in all rounds, in interval arithmetic."""
    run = Shuffle(randomizer=channel, n=2) * rounds
    for eps in (0.3, 1.0):
        known = run.delta(eps).upper
        for one in itertools.islice(exact.neighbours(channel, 2, 2), 0, None, 2):
            laws = [(one.p.ravel(), one.q.ravel())] * rounds
            assert certify.composition(laws, eps).lower <= known * (1 + 1e-9)


# Near the attack.


@pytest.mark.parametrize(
    ("channel", "n", "blanket", "most"),
    [
        (RandomizedResponse(2, 4.0), 10_000, 0.4108, 1.012),
        (RandomizedResponse(2, 1.0), 1_000, 0.1486, 1.002),
        (RandomizedResponse(4, 2.0), 1_000, 0.3516, 1.0003),
        (HadamardResponse(16, 2.0), 10_000, 0.0790, 1.0003),
        (DiscretizedLaplace(8, 1.0), 10_000, 0.0381, 1.008),
    ],
    ids=str,
)
def test_near_what_is_reached(channel, n, blanket, most):
    protocol = Shuffle(randomizer=channel, n=n)
    found = protocol.epsilon(1e-6)
    assert found.upper < blanket
    assert found.upper <= found.lower * most


def test_binary_response_of_the_ledger():
    """[beyond] 13: 0.4108 by the blanket, where 0.3146 is reached."""
    found = Shuffle(randomizer=RandomizedResponse(2, 4.0), n=10_000).epsilon(1e-6)
    assert f"{found.lower:.4f}" == "0.3146"
    assert found.upper < 0.3185


@pytest.mark.parametrize("channel", [RandomizedResponse(2, 1.0), HadamardResponse(5, 1.0)], ids=str)
def test_many_rounds_lie_below_the_blanket(channel):
    run = Shuffle(randomizer=channel, n=1_000) * 50
    blanket = Part(pair_of(blankets(channel, 1_000, 1_000).mapped(float)), 50)
    above = max(way.epsilon(1e-6, 1e-3).upper for way in Composition([blanket]).both_ways())
    found = run.epsilon(1e-6, rtol=1e-3)
    assert found.upper < above
    assert found.upper <= found.lower * 1.03


@pytest.mark.parametrize("population", [10**4, 10**6])
def test_sampled(population):
    """[beyond] 8: nobody makes room, and three values leave one law."""
    found = Shuffle(randomizer=RandomizedResponse(3, 1.5), n=1_000, population=population).epsilon(1e-8)
    assert found.upper <= found.lower * 1.001


def test_a_large_crowd():
    """Of votes there may be more than ten million."""
    found = Shuffle(randomizer=RandomizedResponse(3, 1.0), n=10**7 + 1).guarantee(1e-8)
    ternary = RandomizedResponseShuffle(3, 1.0, 10**7 + 1).guarantee(1e-8)
    assert 0 < found.upper <= ternary.upper * (1 + 1e-4)


# What is not looked at.


@pytest.mark.parametrize(
    "channel", [RandomizedResponse(5, 1.0), HadamardResponse(6, ratio=2), DiscretizedLaplace(5, 1.0), SMALL[5]], ids=str
)
def test_pairs_of_inputs_of_one_kind_have_the_same_moves(channel):
    def key(x0, x1):
        return tuple(frozenset(without_round_off(laws)) for laws in rows(channel, x0, x1)[:2])

    kinds = kinds_of_neighbours(channel)
    every = {key(*pair) for pair in itertools.permutations(range(channel.inputs), 2)}
    assert {key(*pair) for pair in kinds} == every
    assert len(row_game(channel, 3, 3).moves) == len(kinds)


def test_kinds_of_pairs():
    """Three values or more of randomized response: any two are like any others; Hadamard's are of two kinds."""
    assert kinds_of_neighbours(RandomizedResponse(7, 1.0)) == [(0, 1)]
    assert len(kinds_of_neighbours(HadamardResponse(16, ratio=3))) == 2
    assert len(kinds_of_neighbours(DiscretizedLaplace(8, 1.0))) == 28  # turned round, a pair is another's reverse


@pytest.mark.parametrize("alpha", [1.0, 1.05, 1.7])
@pytest.mark.parametrize(
    "channel", [RandomizedResponse(4, 1.5), HadamardResponse(6, 1.0), DiscretizedLaplace(6, 1.0)], ids=str
)
def test_contenders_are_above_all_others(channel, alpha):
    """Each law of each pair of inputs, and its blanket, lies below one that is kept, at all points of a grid."""
    moves = row_game(channel, 5, 5).mapped(float).moves
    found, _ = Field(moves).contenders(alpha)
    x = np.linspace(-4, 4, 801)

    def potential(law):
        return np.maximum(np.add.outer(x, law.value), 0) @ law.chance

    def centred(law):
        return Scores(np.array([one.u0 - alpha * one.u1 for one in law]), np.array([one.chance for one in law]))

    most = [([potential(law) for law in one.laws], potential(centred(moves[one.number].spares[0]))) for one in found]
    for own in moves:
        needed, blanket = [potential(centred(law)) for law in own.laws], potential(centred(own.spares[0]))
        assert any(
            all(any((one <= law + 1e-12).all() for law in laws) for one in needed) and (blanket <= spare + 1e-12).all()
            for laws, spare in most
        )
    assert len(found) < len(moves) or len(moves) == 1


# In other numbers.


def test_a_game_in_another_kind_of_number():
    own = row_game(SMALL[0], 2, 3)
    assert isinstance(own.moves[0].laws[0][0].chance, Fraction)
    floats = own.mapped(float)
    assert isinstance(floats.moves[0].laws[0][0].chance, float)
    assert floats.mapped(Fraction).moves[0].spares[0][0].t0 == Fraction(3)
    assert (floats.slots, floats.population, floats.rate) == (2, 3, 1)
    halves = own._replace(rate=Fraction(1, 2)).mapped(float)
    assert halves.rate == 0.5


@pytest.mark.parametrize("channel", SMALL[:3], ids=str)
@pytest.mark.parametrize(("n", "population"), [(3, 3), (2, 4)])
def test_the_judge_agrees(channel, n, population):
    protocol = Shuffle(randomizer=channel, n=n, population=population)
    for eps in (0.0, 0.2):
        judged = certify.delta(protocol.define, eps)
        assert judged.lower <= protocol.delta(eps).upper * (1 + 1e-12)


def test_too_many_clients_are_refused_at_once():
    with pytest.raises(ValueError, match="n must be a whole number of at least 1 and at most 10,000,000"):
        Shuffle(randomizer=DiscretizedLaplace(3, 1.0), n=10**8)


def test_where_one_message_may_outweigh_all_others_the_blanket_answers() -> None:
    """Quick sums say nothing there: of a 9 x 7 channel, composed, 46 came out where the blanket has .283."""
    one = ShuffledCheckIn(
        population=16, rate=0.001985, randomizer=random_channel(4, 3, eps0=0.4011, rng=np.random.default_rng(434))
    )
    pair = one.pair
    assert isinstance(pair, ChannelPair) and pair._worth.is_lonely
    blanket = max(way.epsilon(1e-9, 1e-4).upper for way in Composition([Part(pair.fallback, 193)]).both_ways())
    assert (one * 193).guarantee(1e-9).upper <= blanket * (1 + 1e-3)


@pytest.mark.parametrize("delta", [5.9e-5, 1e-100])
def test_many_rounds_of_a_channel_that_bends_at_no_loss(delta) -> None:
    """What the game loses at alpha = 1 made a list's mass 1.014: of 16,750 rounds 1.5 came out, above what is reached
    by a factor of 25; and its tail of 1e-315 was all that a tilt of 500 saw, so that ends were .28 and .54."""
    channel = random_channel(2, 9, eps0=4.849, rng=np.random.default_rng(175))
    rounds = ShuffledCheckIn(population=2_240_000, rate=0.003603, randomizer=channel) * 16_750
    found, reached = rounds.guarantee(delta), rounds.attack_epsilon(delta)
    assert found.upper <= min(found.lower * (1 + 1e-4), reached.lower * 1.05)


def test_no_profile_is_above_what_its_losses_allow() -> None:
    """Both laws have the mass 1: at alpha = 1 they differ by no more than randomized response does."""
    eps = np.array([0.0, 0.3, 0.7, 1.0, 2.0])
    found = _by_losses(eps, 1.0)
    response = np.array([math.e, 1.0]) / (1 + math.e)
    assert found[:3] == pytest.approx([hockey_stick(response, response[::-1], math.exp(e)) for e in eps[:3]], rel=1e-12)
    assert (found[3:] == 0).all()


# What is left out.


def test_the_game_answers_however_small_delta_is():
    """[beyond] 13: at 1e-20, too, where .9 would be the blanket's."""
    found = Shuffle(randomizer=RandomizedResponse(2, 4.0), n=10_000).epsilon(1e-20)
    assert found.upper <= found.lower * 1.012


@pytest.mark.parametrize("alpha", [1.0, 1.3])
def test_laws_that_are_below_another_are_below_it_in_fractions(alpha):
    """At all kinks of both, of scores of which no part is rounded."""
    moves = row_game(random_channel(4, 4, ratio=4, rng=np.random.default_rng(3)), 5, 5).moves
    laws = [law for own in moves for law in (*own.laws, own.spares[0])]
    centred = SideBySide([tuple(Kind(*map(float, one)) for one in law) for law in laws]).at(alpha)

    def rise(law, x):
        return sum(chance * max(x + value, 0) for chance, value in law)

    exactly = [[(one.chance, one.u0 - Fraction(alpha) * one.u1) for one in law] for law in laws]
    for i in range(0, len(laws), 3):
        below = centred.below(i, np.ones(len(laws), dtype=bool))
        most = [(chance, value * (1 + Fraction(LARGER))) for chance, value in exactly[i]]
        for other in np.flatnonzero(below):
            for x in (-value for _, value in [*most, *exactly[other]]):
                assert rise(exactly[other], x) <= rise(most, x) + Fraction(1, 10**15) * (x > 0)
        assert below[i]
        assert not below.all()


@pytest.mark.parametrize(
    "channel", [DiscretizedLaplace(6, 1.0), random_channel(5, 4, 2.0, rng=np.random.default_rng(4))]
)
def test_few_blankets_are_looked_at(monkeypatch, channel):
    """Those that another dominates are not; the worst is the same."""
    pair, eps = bound(channel, 40, 40), np.linspace(0.0, 0.3, 12)
    assert isinstance(pair.fallback, ScorePair)
    whole, asked = pair.fallback.delta(eps), []
    delta = ScorePair.delta
    monkeypatch.setattr(ScorePair, "delta", lambda self, at, *args: asked.append(len(at)) or delta(self, at, *args))
    worst = pair._worst_blanket(eps)
    assert (whole.lower <= worst * (1 + 1e-9)).all()
    assert worst == pytest.approx(whole.upper, rel=1e-4)
    assert sum(asked) < len(pair.fallback_laws) * len(eps) / 2


def test_a_channels_game_is_the_same_from_both_sides():
    """However many laws it has: one direction is listed, not two."""
    pair = bound(DiscretizedLaplace(20, 1.0), 50, 50)
    assert pair.reversed() is pair
    assert row_game(SMALL[0], 2, 3).mapped(float).reversed().symmetric


def test_of_very_many_moves_some_are_looked_at_by_their_blankets(monkeypatch):
    """Not below what all of them say, and not above the worst blanket; fewer laws are held against each other."""
    channel, eps = DiscretizedLaplace(7, 1.5), np.array([0.0, 0.1, 0.3])
    pair = ChannelPair(row_game(channel, 40, 40))
    close, blankets = pair.delta(eps).upper, pair.fallback.delta(eps).upper
    held, real = list[int](), contenders.Centred.below
    monkeypatch.setattr(contenders.Centred, "below", lambda laws, i, asked: held.append(i) or real(laws, i, asked))
    monkeypatch.setattr(contenders, "MOST_SORTED", 21)
    found = ChannelPair(row_game(channel, 40, 40))
    upper = found.delta(eps).upper
    few = len(held)
    assert (upper >= close * (1 - 1e-9)).all()
    assert (upper <= blankets * (1 + 1e-3)).all()
    field = found._worth.field
    _, alone = field.contenders(1.1)
    assert len(alone) == len(found.game.moves) - 3
    held.clear()
    monkeypatch.setattr(contenders, "MOST_SORTED", 500)
    ChannelPair(row_game(channel, 40, 40)).delta(eps)
    assert few < len(held)
    assert (found.profile(np.linspace(0.0, 0.3, 20))[[0, 19]] >= close[[0, 2]] * (1 - 1e-9)).all()


@pytest.mark.parametrize("eps0", [0.3, 2.0])
def test_any_two_inputs_of_randomized_response_may_be_renamed(eps0, monkeypatch):
    """One kind is found at once, and it is the one that all pairs are compared for: of 1,000 inputs a million were."""
    assert kinds_of_neighbours(RandomizedResponse(7, eps0)) == [(0, 1)]
    swapped = Channel(RandomizedResponse(7, eps0).probs[:, ::-1])  # the same, whose pairs are compared
    assert kinds_of_neighbours(swapped) == [(0, 1)]
    more = Channel(np.append(RandomizedResponse(2, eps0).probs, [[0.5, 0.5]], axis=0))
    assert kinds_of_neighbours(more) == [(0, 1), (0, 2), (2, 0)]
    looked = []
    usual = channels.itertools.permutations
    monkeypatch.setattr(channels.itertools, "permutations", lambda *of: looked.append(of) or usual(*of))
    kinds_of_neighbours(RandomizedResponse(1_000, eps0))
    assert not looked


def test_variances_for_little():
    """They are those of the scores themselves, but for round-off; what is never sent has none."""
    game = row_game(random_channel(4, 5, 2.0, rng=np.random.default_rng(6)), 30, 30)
    never = Kind(0.0, 9.0, 1.0, 8.0, 0.0)
    laws = SideBySide([(*law, never) for moves in game.moves for law in moves.laws])
    for alpha in (1.0, 1.3):
        assert laws.variances(alpha) == pytest.approx(laws.at(alpha).variance, rel=1e-9, abs=1e-15)
        assert laws.at(alpha).value.max() < 8
