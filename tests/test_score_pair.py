"""Pairs by sums of scores: a known channel by its blanket, and as it is run with all others equal, by enumeration."""

import math
import sys

import numpy as np
import pytest

from shufflekit import Shuffle, ShuffledCheckIn, definitions, divergences, exact
from shufflekit.bracket import Ends
from shufflekit.convex_order import profile
from shufflekit.dominating_pairs import ScorePair, score_pair
from shufflekit.randomizers import Channel, DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel
from tests import lists, pairs, truth

# Whatever evaluator is the fastest: these are about this one.


def blanket_pair(channel: Channel, n: int, population: int) -> ScorePair:
    return ScorePair(pairs.known(channel, n, population).define(float))


def others_pair(channel: Channel, n: int, population: int, x0: int, x1: int, x2: int) -> ScorePair:
    return ScorePair(pairs.equal_others(channel, n, population, x0, x1, x2).define(float))


# By the blanket, whatever the others hold.

RNG = np.random.default_rng(4)
CHANNELS = [
    RandomizedResponse(2, 1.0),
    RandomizedResponse(3, 1.0),
    RandomizedResponse(4, 2.0),
    HadamardResponse(3, 2.0),
    DiscretizedLaplace(4, 1.5),
    random_channel(3, 3, 1.0, rng=RNG),
    random_channel(2, 4, 2.0, rng=RNG),
]
SHARES = np.array([0.0, 0.2, 0.45, 0.7, 0.9])


def worst(channel, population, n, eps):
    return np.max(
        [divergences.hockey_stick(x.p, x.q, np.exp(eps)) for x in exact.neighbours(channel, population, n)], axis=0
    )


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), [(1, 1), (2, 2), (3, 3), (2, 3), (1, 3)])
def test_between_the_truth_and_the_clones(channel, n, population):
    pair = blanket_pair(channel, n, population)
    eps = SHARES * pair.largest_loss
    ends, bound = pair.delta(eps), pairs.clones(channel.eps0, n, population).pair.delta(eps)
    assert (worst(channel, population, n, eps) <= ends.upper * (1 + 1e-9)).all()
    assert (ends.lower <= bound.upper).all()
    assert (ends.upper - ends.lower <= 0.01 * ends.upper).all()


@pytest.mark.parametrize("channel", CHANNELS[1:5], ids=lambda channel: channel.name)
def test_tighter_than_the_clones(channel):
    pair = blanket_pair(channel, 3, 3)
    eps = SHARES * pair.largest_loss
    assert (pair.delta(eps).upper < 0.95 * pairs.clones(channel.eps0, 3, 3).pair.delta(eps).lower).all()


def test_binary_randomized_response_is_the_clones():
    for n, population in ((3, 3), (100, 100), (50, 400)):
        pair = blanket_pair(CHANNELS[0], n, population)
        eps = np.array([0.0, 0.3, 0.6]) * pair.largest_loss / math.sqrt(n)
        ends, bound = pair.delta(eps, 1e-5), pairs.clones(1.0, n, population).pair.delta(eps, 1e-5)
        assert (ends.lower <= bound.upper).all() and (bound.lower <= ends.upper).all()


def test_the_weak_adversary_of_four_values():
    """koskela2023:fig4-weak of the ledger: exact at n = 1000, gamma = 1/4, k = 4, where e^eps0 = 13."""
    ends = blanket_pair(RandomizedResponse(4, math.log(13)), 1000, 1000).delta(np.array([0.5, 1.0]), 1e-5)
    noted = np.array([5.401e-6, 5.23e-14])
    assert ends.lower == pytest.approx(noted, rel=2e-3) and ends.upper == pytest.approx(noted, rel=2e-3)


def test_many_users_in_both_directions():
    channel = HadamardResponse(8, 2.0)
    previous = np.ones(2)
    for n in (100, 10_000, 1_000_000):
        pair = blanket_pair(channel, n, n)
        ends = pair.delta(np.array([0.5, 3.0]) / math.sqrt(n))
        assert (ends.lower <= ends.upper).all() and (1 - ends.lower / ends.upper < 0.01).all()
        assert (ends.upper < previous).all() and pair.reversed() is pair
        previous = ends.upper


@pytest.mark.parametrize("channel", [CHANNELS[1], CHANNELS[5]], ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), [(20, 20), (10, 40)])
def test_the_lists_are_on_either_side(channel, n, population):
    pair = blanket_pair(channel, n, population)
    found = pair.listed(-20.0)
    eps = np.linspace(0, 0.6, 13) * pair.largest_loss + 1e-3
    ends = pair.delta(eps)
    assert (profile(found.lower, eps) <= ends.upper).all()
    assert (ends.lower <= profile(found.upper, eps) * (1 + 1e-9)).all()
    # Backwards, too: the pair is symmetric.
    assert (profile(found.lower.reversed(), eps) <= ends.upper).all()
    for atoms in found:
        assert np.exp(atoms.log_q).sum() <= 1 + 1e-9 and np.exp(atoms.log_q + atoms.loss).sum() <= 1 + 1e-9


# As it is run, all others having the same value.

RUN_RNG = np.random.default_rng(7)
RUN_CHANNELS = [
    RandomizedResponse(2, 1.0),
    RandomizedResponse(4, 1.5),
    HadamardResponse(3, 1.0),
    DiscretizedLaplace(3, 2.0),
    random_channel(3, 3, 1.5, rng=RUN_RNG),
]
SIZES = [(1, 1), (1, 4), (3, 3), (4, 6)]


def views(channel, n, population, x0, x1, x2):
    rows = channel.probs
    return [exact.sampled_law([rows[mine], *[rows[x2]] * (population - 1)], n) for mine in (x0, x1)]


@pytest.mark.parametrize("channel", RUN_CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), SIZES)
def test_delta_and_lists_are_the_exact_law(channel, n, population):
    last = channel.inputs - 1
    for triple in {(0, 1, last), (last, 0, 1), (1, 0, 0)}:
        pair, (p, q) = others_pair(channel, n, population, *triple), views(channel, n, population, *triple)
        found = pair.listed(-40.0)
        for share in (0.0, 0.2, 0.6):
            eps = share * pair.largest_loss
            true = float(divergences.hockey_stick(p, q, math.exp(eps)))
            ends = pair.delta(np.array([eps]))
            assert ends.lower[0] <= true * (1 + 1e-9) + 1e-13
            assert true * (1 - 1e-9) <= ends.upper[0] + 1e-13
            assert truth.listed_delta(found.lower, eps, upper=False) <= true * (1 + 1e-9) + 1e-14
            assert true * (1 - 1e-9) - 1e-14 <= truth.listed_delta(found.upper, eps, upper=True)
        # Backwards, too: it is another pair, or the same one where nothing tells the two from each other.
        back = pair.reversed()
        assert back.reversed() == pair
        true = float(divergences.hockey_stick(q, p, math.exp(0.1)))
        ends = back.delta(np.array([0.1]))
        assert ends.lower[0] <= true * (1 + 1e-9) + 1e-13
        assert true * (1 - 1e-9) <= ends.upper[0] + 1e-13


def test_asymmetric_pairs_have_two_directions():
    pair = others_pair(RandomizedResponse(2, 1.0), 5, 5, 1, 0, 0)
    forth, back = (float(way.delta(np.array([0.4])).upper[0]) for way in (pair, pair.reversed()))
    assert abs(forth - back) > 0.01 * forth


def test_a_largest_loss_that_no_message_reaches_is_none():
    """Where x0 never sends what the others send: all the loss there is to x1's side."""
    law = (definitions.kind(0.5, 1, -0.5), definitions.kind(0.5, -1, 0.5))
    pair = ScorePair(definitions.Definition(2, 2, (law,)))
    assert pair.largest_loss == pytest.approx(math.log(4), rel=1e-13)
    assert pair.reversed().largest_loss == math.inf


def test_too_many_slots_are_refused_in_words():
    definition = pairs.known(HadamardResponse(3, 1.0), 10**7, 10**7).define(float)
    ScorePair(definition)
    with pytest.raises(ValueError, match="n must be a whole number of at least 1 and at most 10,000,000"):
        ScorePair(definition._replace(slots=10**7 + 1, population=10**7 + 1))


def test_the_lists_are_close():
    """One by one; of many slots by few knots."""
    lists.closely_listed(blanket_pair(HadamardResponse(5, 1.0), 3, 4), 1e-9)
    lists.closely_listed(blanket_pair(HadamardResponse(5, 1.0), 200, 400), 0.1)


def test_many_points_that_cost_much_are_looked_at_with_more_noise(monkeypatch):
    """Few report, so that no frequency is silent: what all points cost is counted, and the ends stay on their sides."""
    law = definitions.equal_others(random_channel(2, 9, eps0=2.3, rng=np.random.default_rng(4)), 0, 1, 0)
    silent = (*(one._replace(chance=0.01 * one.chance) for one in law), definitions.kind(0.99, 0.0, 0.0))
    pair = ScorePair(definitions.Definition(2_000, 2_000, (silent,)))
    eps = np.linspace(0.0, 0.02, 60)
    close = pair.delta(eps)
    asked = []
    real = score_pair.work
    monkeypatch.setattr(score_pair, "work", lambda *given: asked.append(real(*given)) or asked[-1])
    monkeypatch.setattr(score_pair, "excess_of_few", lambda *given: Ends(0 * given[3], 0 * given[3] + np.inf))
    for most in (1e5, 1e3):
        monkeypatch.setattr(score_pair, "MOST_WORK", most)
        rough = pair.delta(eps)
        assert (rough.lower <= close.upper).all()
        assert (close.lower <= rough.upper).all()
    value = np.array([one.u0 - one.u1 for one in silent])[None]
    chance, x = np.array([[one.chance for one in silent]] * 60), np.linspace(0.0, 30.0, 60)
    sums = np.repeat(value, 60, axis=0), chance, 2_000, x
    monkeypatch.setattr(score_pair, "MOST_WORK", 1e6)
    rtol = score_pair._affordable(*sums, 1e-8)
    assert 1e-8 < rtol <= score_pair.ROUGH
    assert real(*sums, rtol) < real(*sums, 1e-8)
    assert score_pair._affordable(*(part[:9] if isinstance(part, np.ndarray) else part for part in sums), 1e-8) == 1e-8
    assert asked


def test_many_rounds_of_a_channel_are_known_as_near_as_delta_needs() -> None:
    """Where delta is 5e-11 it moves 50 times as much as eps does: knots all alike left ends 1.6e-4 apart."""
    channel = random_channel(2, 5, eps0=0.06213, rng=np.random.default_rng(697))
    rounds = Shuffle(n=296_800, population=372_780_800, randomizer=channel) * 10
    assert rounds.attack_delta(4.09127e-07).width < 1e-4


def test_what_is_hardly_a_number_is_not_known() -> None:
    """Far out an attack's ends were 6e-309, of round-off, and 5e-312, a number that had been divided."""
    channel = DiscretizedLaplace(3, eps0=5.107)
    found = Shuffle(n=3835, population=4702, randomizer=channel).delta(2.99287)
    assert 0 <= found.lower <= found.upper < 1e-70
    for attack in Shuffle(n=3835, population=4702, randomizer=channel).attacks:
        for way in (attack.pair, attack.pair.reversed()):
            lower, upper = way.delta(np.array([2.8, 2.95, 3.0]))
            reached = np.array([2.8, 2.95, 3.0]) < way.largest_loss
            assert (lower == 0).all()
            assert (upper[reached] >= sys.float_info.min).all()


@pytest.mark.parametrize(("slots", "population"), [(600, 600), (40_000, 40_000), (300, 5_000)])
def test_what_may_be_left_out_is_not_looked_at(monkeypatch, slots, population):
    """Where Chernoff's bound is no more than that; elsewhere the ends are as near as before."""
    channel = random_channel(4, 5, 3.0, rng=np.random.default_rng(3))
    pair = ScorePair(definitions.Definition(slots, population, (definitions.blanket(channel, 0, 1),)))
    eps, least = np.linspace(0.0, pair.largest_loss, 200, endpoint=False), math.exp(-40.0)
    whole, looked, excess_at = pair.delta(eps), [], ScorePair._excess_at
    seen = lambda self, law, at, *rest: looked.append(len(at)) or excess_at(self, law, at, *rest)  # noqa: E731
    monkeypatch.setattr(ScorePair, "_excess_at", seen)
    ends = pair.delta(eps, 1e-4, -40.0)
    assert (ends.upper >= whole.lower).all()
    assert (ends.lower <= whole.upper).all()
    assert (ends.upper <= np.maximum(whole.upper * (1 + 3e-4), least * (1 + 1e-6))).all()
    assert (ends.lower >= whole.lower * (1 - 3e-4) - least).all()
    assert sum(looked) < len(eps)


def test_where_shared_lines_say_nothing_lists_do():
    """Of few rare scores chords from alpha to alpha were 50 times the truth, which lists of outcomes know."""
    run = ShuffledCheckIn(population=19, rate=0.0003989, randomizer=DiscretizedLaplace(22, 7.225))
    pair = ScorePair(definitions.Definition(19, 19, (run.pair.fallback.definition.laws[20],)))
    eps = np.linspace(0.0, 7.0, 300)
    assert (pair.delta(eps).upper[:30] <= pair.delta(eps[:30]).upper * 1.01).all()


@pytest.mark.parametrize("x2", [0, 1])
def test_one_law_of_rare_reports_is_listed_first(monkeypatch, x2) -> None:
    """All others have the value of one of the two: the scores are one law, times alpha or not. Few lines are needed."""
    channel = random_channel(2, 5, eps0=3.0, rng=np.random.default_rng(12))
    law = definitions.equal_others(channel, 0, 1, x2)
    rare = (*(one._replace(chance=0.002 * one.chance) for one in law), definitions.kind(0.998, 0.0, 0.0))
    pair = ScorePair(definitions.Definition(90, 90, (rare,)))
    eps = np.linspace(0.0, 0.15 * pair.largest_loss, 200)
    asked, real = [], ScorePair._shared
    monkeypatch.setattr(
        ScorePair, "_shared", lambda self, law, own, rtol: asked.append(len(own)) or real(self, law, own, rtol)
    )
    listed = pair.delta(eps, 1e-6)
    assert sum(asked) < len(eps) / 4
    monkeypatch.setattr(score_pair, "MOST_LOOKED_UP", 0.0)
    lines = pair.delta(eps, 1e-6)
    assert sum(asked) >= len(eps)
    for one, other in ((listed, lines), (lines, listed)):
        assert (one.lower <= other.upper * (1 + 1e-9)).all()
    assert ((listed.upper - listed.lower) <= 1e-4 * listed.upper).mean() > 0.9
