"""Slots that clients come to at random: the game with a weight a slot, what it bounds, and what is false."""

import itertools
import math
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import definitions, exact
from shufflekit.beyond import attack_search, game, slots
from shufflekit.beyond.scores import clone_scores, score_pair
from shufflekit.definitions import Game
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import RandomizedResponse

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from tools import check_check_ins, check_game

RATIOS = [Fraction(3, 2), Fraction(2), Fraction(3)]
HALF = Fraction(1, 2)
RR = RandomizedResponse(2, ratio=3)
CLONES = (clone_scores(3),)
CORNERS = definitions.corners(Fraction(2))
rates = st.sampled_from([Fraction(1), HALF, Fraction(7, 10)])


@st.composite
def alphas(draw):
    """E, and an alpha from 1/E to E."""
    E = draw(st.fractions(Fraction(7, 6), 6, max_denominator=6))
    return E, 1 / E + draw(st.fractions(0, 1, max_denominator=20)) * (E - 1 / E)


def hockey(view, x0, x1, alpha):
    return hockey_stick(*exact.aligned(view(x0), view(x1)), alpha)


def worst_fixed_window(channel, n, m, rate, alpha):
    """Over all data sets and dummies."""
    return max(
        hockey_stick(one.p, one.q, alpha)
        for dummy in range(channel.inputs)
        for one in exact.neighbours_of(
            lambda records, dummy=dummy: exact.fixed_window(channel, records, m, rate, dummy),
            channel.inputs,
            n,
            alike=True,
        )
    )


# Who came where, against lists.


def listed(others, m, rate):
    """How many of the others came to each slot, with the chances."""
    for where in itertools.product(range(m + 1), repeat=others):
        chance = math.prod(Fraction(rate) / m if i < m else 1 - Fraction(rate) for i in where)
        if chance:
            yield tuple(where.count(i) for i in range(m)), chance


@pytest.mark.parametrize(("n", "m", "rate"), [(0, 2, 1), (3, 2, 1), (4, 3, HALF), (2, 4, Fraction(1, 3))])
def test_occupancy(n, m, rate):
    law = [0] * (m + 1)
    for loads, chance in listed(n, m, rate):
        law[m - loads.count(0)] += chance
    assert slots.occupancy(n, m, rate) == law
    assert sum(j * chance for j, chance in enumerate(law)) == m * (1 - (1 - Fraction(rate) / m) ** n)
    assert slots.occupancy(n, m, float(rate)) == pytest.approx([float(one) for one in law])


@pytest.mark.parametrize(("others", "m"), [(1, 1), (1, 3), (2, 2), (3, 2), (3, 4), (5, 3)])
def test_the_weight_of_a_shared_slot_by_its_definition(others, m):
    """The mean of 1/(L + 1), given which slots are empty."""
    found = {}
    for loads, chance in listed(others, m, 1):
        if loads[0]:
            mass, total = found.get(sum(map(bool, loads)), (0, 0))
            found[sum(map(bool, loads))] = mass + chance, total + chance / (loads[0] + 1)
    for occupied, (mass, total) in found.items():
        assert slots.shared_weight(others, m, occupied) == total / mass


@pytest.mark.parametrize(("n", "m", "rate"), [(1, 2, 1), (2, 3, 1), (4, 3, 1), (3, 2, HALF), (4, 2, Fraction(1, 3))])
def test_what_is_told_by_its_definition(n, m, rate):
    """The chance of every T, how many came and which slots have somebody, and the weights given it."""
    found = {}
    for loads, chance in listed(n - 1, m, rate):
        T = sum(loads), tuple(map(bool, loads))
        mass, totals = found.get(T, (0, (0,) * m))
        added = (total + chance / (load + 1) for total, load in zip(totals, loads, strict=True))
        found[T] = mass + chance, tuple(added)
    told = {
        T: (mass, tuple(Fraction(rate) / m * total / mass for total in totals)) for T, (mass, totals) in found.items()
    }
    assert {one[1:3]: (one.chance, one.weights) for one in slots.told(n, m, rate)} == told
    assert sum(one.chance for one in slots.told(n, m, rate)) == 1


@given(st.integers(1, 6), st.integers(1, 5), rates)
@settings(max_examples=30)
def test_the_weights_are_those_of_the_attack_on_average(n, m, rate):
    """Client 1 is taken with the chance q = (m/n)(1 - (1 - p0/m)^n), whatever is told."""
    told = list(slots.told(n, m, rate))
    q = Fraction(m, n) * (1 - (1 - rate / m) ** n)
    assert sum(one.chance * sum(one.weights) for one in told) == q
    assert all(max(one.weights) <= rate / m for one in told)
    floats = sum(one.chance * sum(one.weights) for one in slots.told(n, m, float(rate)))
    assert floats == pytest.approx(float(q))


# The game with a weight a slot.


@given(alphas(), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=20)
def test_equal_weights_are_a_sample(point, k, away):
    E, alpha = point
    moves, weights = definitions.corners(E - 1), (Fraction(1, k + away),) * k
    assert slots.weighted(moves.laws, weights, alpha) == game.profile(Game(k, k + away, (moves,)), alpha)
    clones = hockey_stick(*score_pair(clone_scores(E), k, k + away), alpha)
    assert slots.weighted((clone_scores(E),), weights, alpha) == clones
    # An unknown population: m slots of m/p0 clients.
    assert slots.replaced((clone_scores(E),), k, Fraction(k, k + away), alpha) == clones


WEIGHTS = [(1,), (1, 1), (1, HALF), (1, 1, 1), (HALF, 1, Fraction(1, 3)), (0, Fraction(3, 4), 1), (1, HALF, 1, HALF)]


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("E", RATIOS)
def test_the_game_is_the_worst_case_of_one_replacement(E, weights):
    """[beyond] 14: the best play, run as A_rep on real data, reaches the bound: the bound is the truth."""
    channels = [attack_search.channel_of(E, one) for one in attack_search.extreme_weights(E)]
    m, laws = len(weights), definitions.corners(E - 1).laws
    shares = tuple(Fraction(w) / m for w in weights)
    for alpha in (Fraction(1), (E + 2) / 3, 3 / (E + 2)):
        choose = slots.strategy(channels, shares, alpha)
        real = hockey(lambda x, c=choose: exact.one_replacement(c, (x, *(2,) * (m - 1)), weights, 2), 0, 1, alpha)
        assert real == slots.weighted(laws, shares, alpha)
        assert real > max(0, 1 - alpha)


def test_to_adapt_is_worth_something():
    """The strategy that looks at the answers reaches more than any that does not."""
    E, alpha, m = Fraction(3), Fraction(1), 3
    channels = [attack_search.channel_of(E, one) for one in attack_search.extreme_weights(E)]
    weights = (1, 1, 1)

    def reached(choose):
        return hockey(lambda x: exact.one_replacement(choose, (x, 2, 2), weights, 2), 0, 1, alpha)

    plans = itertools.product(channels, repeat=m)
    best = max(reached(lambda history, plan=plan: plan[len(history)]) for plan in plans)
    assert best < slots.weighted(CORNERS.laws, (Fraction(1, m),) * m, alpha)


def test_the_order_of_the_weights_matters():
    """What is seen first decides what is played later: better where there is more to decide."""
    up = Fraction(1, 9), Fraction(1, 6), Fraction(1, 3)
    assert slots.weighted(CORNERS.laws, up[::-1], 1) < slots.weighted(CORNERS.laws, up, 1)
    # One law leaves nothing to choose.
    assert slots.weighted(CLONES, up[::-1], 1) == slots.weighted(CLONES, up, 1)


def test_the_swap_is_a_game_with_the_weights_of_its_first_answer():
    """A_swap: given the first answer o, slot i has the weight R(x_i)(o)/n. [beyond] 17"""
    others, alpha = (0, 1, 1), Fraction(6, 5)
    n, probs = len(others) + 1, RR.probs
    total = Fraction(0)
    for first, *rest in itertools.product((0, 1), repeat=n):
        base = math.prod(probs[x, o] for x, o in zip(others, rest, strict=True))
        scores = [(probs[0, o] - alpha * probs[1, o]) / probs[x, o] for x, o in zip(others, rest, strict=True)]
        own = probs[0, first] - alpha * probs[1, first]
        total += base * max(0, own + sum(probs[x, first] * g for x, g in zip(others, scores, strict=True))) / n
    assert hockey(lambda x: exact.one_swap(RR, (x, *others)), 0, 1, alpha) == total


# Never below the truth.


@pytest.mark.parametrize("kind", check_check_ins.KINDS)
def test_all_data_sets_of_random_randomizers(kind):
    """Each slot's randomizer drawn for what was seen before it. The tool tries many more."""
    found = [one for number in range(12) for one in check_check_ins.trial(kind, 2028, number)]
    assert len(found) > 400
    assert not [one for one in found if check_game.wrong(one)]
    assert [one for one in found if one.truth == one.bound > max(0, 1 - one.alpha)]


@pytest.mark.parametrize("channel", [RR, RandomizedResponse(3, ratio=2)], ids=str)
@pytest.mark.parametrize(("n", "m", "rate"), [(2, 2, 1), (3, 2, 1), (2, 3, HALF), (3, 3, 1), (3, 2, HALF)])
def test_every_data_set_of_known_channels(channel, n, m, rate):
    E, law = Fraction(channel.ratio), clone_scores(channel.ratio)
    moves = definitions.corners(E - 1)
    for alpha in (Fraction(1), (E + 2) / 3, (E + 1) / 2, 3 / (E + 2)):
        truth = worst_fixed_window(channel, n, m, rate, alpha)
        unknown, known = (slots.replaced(moves.laws, m, rate, alpha), slots.replaced_of(moves.laws, n, m, rate, alpha))
        sample = slots.sampled(moves, n, m, rate, alpha)
        assert truth <= known <= unknown <= slots.replaced((law,), m, rate, alpha)
        assert known <= slots.replaced_of((law,), n, m, rate, alpha)
        assert truth <= sample <= slots.sampled_clones(law, n, m, rate, alpha)


@given(alphas(), st.integers(1, 4), st.integers(1, 4), rates)
@settings(max_examples=25)
def test_bounds_are_profiles_of_symmetric_pairs(point, n, m, rate):
    E, alpha = point
    moves, law = definitions.corners(E - 1), clone_scores(E)
    for bound in (
        lambda a: slots.replaced_of(moves.laws, n, m, rate, a),
        lambda a: slots.replaced_of((law,), n, m, rate, a),
        lambda a: slots.sampled(moves, n, m, rate, a),
        lambda a: slots.sampled_clones(law, n, m, rate, a),
    ):
        assert bound(alpha) == 1 - alpha + alpha * bound(1 / alpha)


def test_no_bound_wins_everywhere():
    """Clients who are fewer than the slots hide by replacement, crowds by sampling."""
    few, crowd = (4, 4, HALF, Fraction(1)), (4, 2, 1, Fraction(1))
    assert slots.replaced(CORNERS.laws, *few[1:]) < slots.sampled(CORNERS, *few)
    assert slots.replaced_of(CORNERS.laws, *few) < slots.replaced(CORNERS.laws, *few[1:])
    assert slots.sampled(CORNERS, *crowd) < slots.replaced_of(CORNERS.laws, *crowd)


def test_attained():
    """[beyond] 15: told which slots are empty, at n = 2, m = 3, E = 3, a = 5/2; by the corners and by the clones."""
    alpha = Fraction(5, 2)
    for laws in (CORNERS.laws, CLONES):
        assert slots.replaced_of(laws, 2, 3, 1, alpha) == Fraction(1, 192)
    assert worst_fixed_window(RR, 2, 3, 1, alpha) == Fraction(1, 192)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("n", "m", "rate"), [(1, 3, 1), (3, 2, 1), (2, 3, HALF), (4, 3, Fraction(1, 3))])
def test_the_attack(k, n, m, rate):
    """All others and the dummy have one value: then the averaged weights are right."""
    channel, law, last = RandomizedResponse(k, ratio=3), definitions.response(Fraction(2), k), k - 1
    for alpha in (Fraction(1), Fraction(5, 4), Fraction(2, 3)):
        data = (last,) * (n - 1)
        real = hockey(lambda x, d=data: exact.fixed_window(channel, (x, *d), m, rate, last), 0, 1, alpha)
        assert real == slots.attack(law, n, m, rate, alpha)
        shown = hockey(lambda x, d=data: exact.fixed_window(channel, (x, *d), m, rate), 0, 1, alpha)
        assert real <= shown <= slots.sampled(CORNERS, n, m, rate, alpha)


# What is false.


def test_averaged_weights_are_not_a_bound():
    """[beyond] 17: of one other who has x1 the answers tell the crowded slots."""
    E, alpha, others = 2, Fraction(3, 2), (0, 0, 1)
    channel = RandomizedResponse(2, ratio=E)
    truth = max(
        hockey(lambda x: exact.fixed_window(channel, (x, *others), 3, 1, 0), *pair, alpha) for pair in ((0, 1), (1, 0))
    )
    assert truth == Fraction(71, 17496)
    averaged = slots.averaged((clone_scores(E),), 4, 3, 1, alpha)
    assert averaged == Fraction(23, 5832) < truth
    corners = definitions.corners(Fraction(E - 1))
    assert slots.averaged(corners.laws, 4, 3, 1, alpha) < averaged
    assert truth <= min(slots.sampled(corners, 4, 3, 1, alpha), slots.replaced_of(corners.laws, 4, 3, 1, alpha))


@pytest.mark.parametrize(("E", "n", "m"), [(2, 2, 2), (3, 2, 2), (2, 3, 2), (3, 3, 2), (3, 3, 3), (2, 4, 3)])
def test_a_careless_test_of_averaged_weights_passes(E, n, m):
    """At a = 1, for binary randomized response; in two slots they are even attained."""
    averaged = slots.averaged((clone_scores(E),), n, m, 1, 1)
    truth = worst_fixed_window(RandomizedResponse(2, ratio=E), n, m, 1, 1)
    assert truth == averaged if m == 2 else truth < averaged


def test_the_clones_do_not_bound_a_known_arrangement():
    """[beyond] 17: who knows the order of the data is stronger than who sees shuffled data."""
    (clones,) = {hockey_stick(*score_pair(clone_scores(3), 3), 1)}
    assert clones == Fraction(5, 16)
    assert hockey(lambda x: exact.one_swap(RR, (x, 0, 1)), 0, 1, 1) == Fraction(1, 3)
    assert hockey(lambda x: exact.bins(RR, (x, 0, 1), (1, 1, 1)), 0, 1, 1) == Fraction(1, 3)
    # Even where two of the three answers are in one bin.
    assert hockey(lambda x: exact.bins(RR, (x, 0, 1), (2, 1)), 0, 1, 1) == Fraction(31, 96)
    assert hockey(lambda x: exact.bins(RR, (x, 0, 1), (3,)), 0, 1, 1) <= clones
    assert hockey(lambda x: exact.shuffled_data(RR, (x, 0, 1)), 0, 1, 1) <= clones


def test_a_bound_that_is_too_low_is_found(capsys, monkeypatch):
    """The tool, with bounds for E = 2 and a randomizer of E = 3."""
    moves = definitions.corners(Fraction(1))
    data = check_check_ins.exchangeable(lambda records: exact.fixed_window(RR, records, 2, 1, 0), 2, 3)
    bound = (lambda alpha: slots.sampled(moves, 3, 2, 1, alpha),)
    found = list(check_check_ins.compared(check_check_ins.Case(data, bound, bound), [Fraction(1), Fraction(5)]))
    below = sum(map(check_game.wrong, found))
    assert 0 < below < len(found)
    monkeypatch.setattr("sys.argv", ["check_check_ins.py", "--seconds", "0.001"])
    assert check_check_ins.main() == 0
    assert "0 violations, 0 above clones" in capsys.readouterr().out
    monkeypatch.setattr(check_check_ins, "trial", lambda kind, seed, number: found)
    assert check_check_ins.main() == 1
    assert capsys.readouterr().out.count("trial 0, A_fix, dummies: Comparison") == below


# Numbers.


def test_floats_are_close():
    point = 4, 3, 0.5, 1.25
    exactly = 4, 3, HALF, Fraction(5, 4)
    laws = definitions.corners(2.0)
    assert slots.replaced_of(laws.laws, *point) == pytest.approx(float(slots.replaced_of(CORNERS.laws, *exactly)))
    assert slots.sampled(laws, *point) == pytest.approx(float(slots.sampled(CORNERS, *exactly)))
    assert isinstance(slots.sampled(CORNERS, 4, 3, 1, 1), Fraction)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: slots.weighted(CLONES, (), 1), "weights must"),
        (lambda: slots.weighted(CLONES, (HALF, Fraction(2, 3)), 1), "weights must"),
        (lambda: slots.weighted(CLONES, (HALF, -HALF), 1), "weights must"),
        (lambda: slots.weighted(CLONES, (HALF,), None), "alpha must"),
        (lambda: slots.strategy([RR], (HALF,), 1), "channels must"),
        (lambda: slots.occupancy(-1, 2), "clients must"),
        (lambda: slots.occupancy(1, 0), "slots must"),
        (lambda: slots.shared_weight(2, 3, 3), "occupied must"),
        (lambda: slots.replaced(CLONES, 2, 1.5, 1), "rate must"),
        (lambda: slots.replaced_of(CLONES, 0, 2, 1, 1), "n must"),
        (lambda: slots.sampled(CORNERS, 0, 2, 1, 1), "n must"),
        (lambda: slots.sampled_clones(None, 2, 2, 1, 1), "law must"),
        (lambda: slots.averaged(CLONES, 2, 0, 1, 1), "slots must"),
        (lambda: slots.attack(None, 2, 2, 1, 1), "law must"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()
