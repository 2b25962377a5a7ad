"""Sums of unlike pairs: each is looked at as closely as it matters, and what is hopelessly small is seen at once."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import (
    GaussianShuffle,
    HadamardResponse,
    RandomAllocation,
    RandomCheckIn,
    RandomizedResponse,
    RandomizedResponseShuffle,
    Shuffle,
    ShuffledCheckIn,
)
from shufflekit.accuracy import KNOWN
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import LEAST_DELTA
from shufflekit.certify.composition import compose
from shufflekit.dominating_pairs import ListedPair, ScorePair, stand_in
from shufflekit.dominating_pairs.channel_game import ChannelPair
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.dominating_pairs.least import LeastPair
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.loss_distribution import Composition, Part, shares
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.shares import NEAR, Slight, added, coarser, slight
from shufflekit.protocols import answers
from shufflekit.randomizers import random_channel

RTOL = 1e-4
MUCH = Shuffle(2.0, 100, reduction="clones")
# Games and channels of which hardly anything depends beside 30 rounds of MUCH.
LITTLE = [
    Shuffle(0.1, 100_000, population=10**8) * 3,
    ShuffledCheckIn(0.1, 10**7, 1e-3) * 2,
    Shuffle(n=50_000, population=10**7, randomizer=RandomizedResponse(5, 0.2)) * 2,
    RandomCheckIn(0.1, slots=10**6, clients=10**6) * 2,
]


def plainly(way):
    """The same rounds, none eased."""
    way._eased = lambda log_cut, tilt_of, eps, rtol, ask: ask(way)
    return way


def ways(run):
    return answers.composition(run).both_ways()


@pytest.mark.parametrize("little", LITTLE, ids=repr)
def test_what_hardly_matters_is_stood_in_for(little, monkeypatch):
    """Never listed itself, and the answer is as near, and on the same side."""
    run = MUCH * 30 + little
    asks = [lambda way: way.epsilon(1e-8, RTOL), lambda way: way.epsilon(1e-30, RTOL), lambda way: way.delta(6.0, 1e-2)]
    plain = [ask(plainly(way)) for way in ways(run) for ask in asks]
    listed = list[str]()
    for kind in (GamePair, ChannelPair):
        monkeypatch.setattr(kind, "listed", lambda self, *_: listed.append(type(self).__name__))
    eased = [ask(way) for way in ways(run) for ask in asks]
    assert not listed
    for found, other in zip(eased, plain, strict=True):
        assert found.width <= 1e-2
        assert other.lower * (1 - 3e-5) <= found.upper
        assert found.lower <= other.upper <= found.upper * (1 + RTOL)
    assert all(one.width <= RTOL for one in eased[:2])


@pytest.mark.parametrize("share", [1, 30])
def test_what_matters_is_not_stood_in_for(share):
    """A game of which something depends is listed as ever; both ends agree with those of the plain road."""
    run = Shuffle(2.0, 400) * share + MUCH * 30
    for way in ways(run):
        found, other = way.epsilon(1e-8, RTOL), plainly(Composition(way.parts)).epsilon(1e-8, RTOL)
        assert found.upper == pytest.approx(other.upper, rel=1e-9)


@given(eps=st.floats(0.0, 1.2), first=st.integers(55, 95), second=st.integers(501, 550))
def test_sums_are_safe_against_all_outcomes(eps, first, second):
    """In fractions, of three rounds that matter and two that are stood in for."""
    (laws, much), (other, little) = response(Fraction(first, 100)), response(Fraction(second, 1000))
    exact = float(compose([laws] * 3 + [other] * 2).delta(Fraction(math.exp(eps))))
    found = Composition([Part(much, 3), Part(Slight(ListedPair(little)), 2)]).delta(eps, RTOL)
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= 2 * math.expm1(float(little.loss[-1])) + 1e-12


def test_a_list_is_as_close_as_it_matters(monkeypatch):
    """The tolerance that an attack's scores are listed at, alone and where they add little."""
    asked, usual = list[float](), ScorePair.listed

    def listed(self, log_cut, rtol=1e-4):
        asked.append(rtol)
        return usual(self, log_cut, rtol)

    monkeypatch.setattr(ScorePair, "listed", listed)
    known = Shuffle(n=300, randomizer=random_channel(4, 6, 1.0, rng=np.random.default_rng(1)))
    alone = known.attacks[0].pair
    assert isinstance(alone, ScorePair)
    Composition([Part(alone, 2)]).epsilon(1e-8, RTOL)
    assert min(asked) <= RTOL
    asked.clear()
    found = Composition([Part(alone, 2), Part(MUCH.pair, 300)]).epsilon(1e-8, RTOL)
    assert min(asked) > 5 * RTOL
    assert found.width <= RTOL


def test_pairs_that_add_less_are_listed_less_closely():
    assert coarser([1.0]) == [1.0]
    much, some, little, nothing = coarser([1.0, 0.5, 1e-4, 0.0])
    assert (much, some, nothing) == (1.0, 1.0, math.inf)
    assert 500 < little < 1500


def test_those_that_add_least_are_stood_in_for_until_it_is_enough():
    """Of equal ones, as many as together add no more than a quarter of the slack."""
    one = Part(Shuffle(0.5, 10_000).pair, 1)
    (own,) = added([Part(one.pair.fallback.listed(-60.0, NEAR).upper, 1)], 10.0)
    for number in (0, 1, 3):
        found = slight([one] * 5, [own / 2] * 5, 10.0, -60.0, 4 * own * (number + 0.5))
        assert len(found) == number
    assert not slight([one] * 5, [own * 1e6] * 5, 10.0, -60.0, 40 * own)


# Hopelessly small deltas.


def response(bias):
    """Randomized response of one client: in fractions, and as atoms."""
    p, q = [bias, 1 - bias], [1 - bias, bias]
    return (p, q), Atoms(
        np.log([float((1 - bias) / bias), float(bias / (1 - bias))]), np.log([float(bias), float(1 - bias)])
    )


@given(rounds=st.integers(2, 24), part=st.floats(0.0, 0.999), bias=st.integers(51, 99))
def test_chernoffs_bound_is_one(rounds, part, bias):
    laws, atoms = response(Fraction(bias, 100))
    known, truth = Listed([Part(Enclosure(atoms, atoms), 100), Part(Enclosure(atoms, atoms), rounds)]), [laws] * rounds
    eps = part * rounds * float(atoms.loss[-1])
    exact = float(compose(truth).delta(Fraction(math.exp(eps))))
    alone = Listed([Part(Enclosure(atoms, atoms), rounds + 64)])
    for one in (known, alone):  # more rounds have a larger delta
        assert one.log_most(eps) >= math.log(max(exact, 1e-300)) - 1e-9
    assert alone.log_most(eps) <= 0.0 or alone.tilt_at(eps) > 0


def test_what_is_hopelessly_small_is_not_composed(monkeypatch):
    """A billion rounds of losses of 4e-6, a thousand deviations out."""
    _, rare = response(Fraction(1, 2) + Fraction(1, 10**6))
    eps = 3e7 * float(rare.loss[-1])
    for name in ("_smoothly", "_on_grids", "_apart"):
        monkeypatch.setattr(Listed, name, lambda *_: pytest.fail("composed"))
    found = Listed([Part(Enclosure(rare, rare), 10**9)]).delta(eps, RTOL)
    assert found.lower == 0 < found.upper <= KNOWN
    found = Composition([Part(rare, 10**9), Part(rare._replace(spacing=0.0), 10**8)]).delta(eps, RTOL)
    assert found.lower == 0 < found.upper <= LEAST_DELTA


def test_a_far_tail_of_one_pair_is_known_as_ever():
    """Only sums of unlike pairs are looked at less closely there."""
    found = Composition([Part(MUCH.pair, 50)]).delta(45.0, RTOL)
    assert found.upper < LEAST_DELTA
    assert found.width <= RTOL


def test_far_out_sums_are_bounded_without_their_games(monkeypatch):
    """A question far out asks no game or channel for its list; what it says holds."""
    run = (
        Shuffle(1.6, 300_000) * 4
        + Shuffle(n=1_000, randomizer=HadamardResponse(4, 2.0)) * 60
        + Shuffle(0.1, 4_000, reduction="clones") * 3_000
    )
    for kind in (GamePair, ChannelPair):
        monkeypatch.setattr(kind, "listed", lambda *_: pytest.fail("listed"))
    found = run.delta(60.0)
    assert 0 <= found.lower <= found.upper <= LEAST_DELTA


def test_round_off_is_not_looked_at_more_closely():
    """Of 1e9 rounds with masses that err by 2e-14 each: closer lists would not bring the ends together."""
    _, atoms = response(Fraction(1, 2) + Fraction(1, 10**5))
    below, above = (atoms._replace(error=error) for error in (2e-14, 2e-14))
    calls = list[float]()

    class Known(ListedPair):
        closest = 1e-8

        def listed(self, log_cut, rtol=1e-4):
            calls.append(rtol)
            return Enclosure(below, above._replace(loss=above.loss * (1 + 1e-13)))

    run = Composition([Part(Known(atoms), 2 * 10**9)])
    found = run.delta(7.0, RTOL)
    assert found.lower < found.upper
    assert min(calls) > 1e-8
    assert sum(rtol < 1e-6 for rtol in calls) <= 1


def test_large_losses_are_told_apart_at_the_size_that_fits():
    """The first size tried leaves 8e-3 between the ends, another one none that lists do not explain."""
    found = (RandomAllocation(0.767, 425_600) * 5518).guarantee(2.494e-26)
    assert found.width <= RTOL


def test_what_a_sum_adds_is_told():
    lists = [
        Part(pair.listed(-40.0, 1e-3).upper, rounds)
        for pair, rounds in ((MUCH.pair, 3), (GaussianShuffle(5.0, 1_000).pair, 2))
    ]
    first, second = added(lists, 2.0)
    twice = added([lists[0]._replace(rounds=6), lists[1]], 2.0)
    assert twice == [pytest.approx(2 * first), pytest.approx(second)]
    assert first > second > 0


# Renyi divergences.

ORDERS = np.array([1.5, 4.0, 32.0])


@pytest.mark.parametrize("little", LITTLE, ids=repr)
def test_of_a_divergence_what_hardly_matters_is_stood_in_for(little, monkeypatch):
    """At all orders at once, or one by one, in whatever order the sum is written; and never below the rounds' own."""
    run = MUCH * 30 + Shuffle(1e-3, 10**9, reduction="clones") * 2 + little
    own = np.max(
        [np.sum([rounds * pair.divergence(ORDERS) for pair, rounds in way.parts], axis=0) for way in ways(run)], 0
    )
    for kind in (GamePair, ChannelPair, LotteryPair, LeastPair):
        monkeypatch.setattr(kind, "divergence", lambda *_: pytest.fail("worked out"))
    found = run.rdp(ORDERS)
    assert ((found >= own * (1 - 1e-9)) & (found <= own * (1 + 2.6e-5))).all()
    assert [run.rdp(order) for order in ORDERS] == pytest.approx(found, rel=1e-12)
    assert (little + MUCH * 30).rdp(4.0) == pytest.approx((MUCH * 30 + little).rdp(4.0), rel=1e-12)


def test_of_a_divergence_what_matters_is_worked_out():
    run = MUCH * 3 + Shuffle(2.0, 400) * 3
    (way,) = ways(run)
    own = np.sum([rounds * pair.divergence(ORDERS) for pair, rounds in way.parts], axis=0)
    assert run.rdp(ORDERS) == pytest.approx(own, rel=1e-12)


def test_all_that_are_stood_in_for_add_hardly_anything(monkeypatch):
    """Ten games each of which is just below what may be added: only some are stood in for."""
    other = Shuffle(0.5, 10_000)
    budget = 10 * stand_in(other.pair).divergence(np.array([4.0]))[0] / shares.SLIGHT_OF_MOMENTS
    much = round(budget / 2.5 / MUCH.rdp(4.0))
    worked_out, usual = list[object](), GamePair.divergence
    monkeypatch.setattr(GamePair, "divergence", lambda self, orders: worked_out.append(self) or usual(self, orders))
    parts = [Part(MUCH.pair, much), *(Part(Shuffle(0.5, 10_000 + i).pair, 1) for i in range(10))]
    shares.divergence(parts, np.array([4.0]))
    assert 4 <= len(worked_out) <= 7


def test_beside_an_infinite_divergence_nothing_else_is_worked_out(monkeypatch):
    monkeypatch.setattr(GamePair, "divergence", lambda *_: pytest.fail("worked out"))
    run = RandomizedResponseShuffle(2, 0.1, n=3, view="strong") * 3 + Shuffle(2.0, 400)
    assert run.rdp(4.0) == math.inf
