"""The game in fractions: never below what any data set shows, never above the clone pair, and sometimes the truth."""

import itertools
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import definitions, exact
from shufflekit.beyond import attack_search, clone_sequences, dominance, game, views
from shufflekit.beyond.scores import clone_scores, common_blanket, score_law, score_pair
from shufflekit.definitions import Game
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import HadamardResponse, RandomizedResponse, random_channel

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import random_channels

from tools import check_game

RATIOS = [Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5)]
HALF = Fraction(1, 2)
RR = RandomizedResponse(2, ratio=3)
ratios = st.fractions(Fraction(9, 8), 10, max_denominator=8)
shares = st.fractions(0, 1, max_denominator=30)


@st.composite
def alphas(draw, beyond=Fraction(0)):
    """E, and an alpha from 1/E to E, or beyond by that share of the way."""
    E, share = draw(ratios), draw(st.fractions(-beyond, 1 + beyond, max_denominator=30))
    return E, max(Fraction(0), 1 / E + share * (E - 1 / E))


def corners(E, slots, n, rate=1):
    return Game(slots, n, (definitions.corners(E - 1),), rate)


def own(channel, slots, n, x0=0, x1=1):
    return Game(slots, n, (definitions.rows(channel, x0, x1),))


def clones(E, slots, n, alpha):
    return hockey_stick(*score_pair(clone_scores(E), slots, n), alpha)


def extreme(E):
    """The five channels of three inputs that the corner laws belong to."""
    return [attack_search.channel_of(E, weights) for weights in attack_search.extreme_weights(E)]


def of_sum(laws, alpha):
    """``E(sum of independent scores)_+``."""
    total = {Fraction(0): Fraction(1)}
    for law in laws:
        steps = [(one.chance, one.t0 - alpha * one.t1) for one in law]
        following = {}
        for (x, mass), (chance, g) in itertools.product(total.items(), steps):
            views.add(following, x + g, mass * chance)
        total = following
    return sum(mass * max(x, 0) for x, mass in total.items())


# The moves.


@pytest.mark.parametrize("E", RATIOS)
def test_the_corners_are_all_extreme_laws_on_the_hexagon(E):
    places = attack_search.vertices(E)
    found = {frozenset((one.chance, one.t0, one.t1) for one in law) for law in definitions.corners(E - 1).laws}
    assert found == {
        frozenset((weight, *place) for weight, place in zip(weights, places, strict=True) if weight > 0)
        for weights in attack_search.extreme_weights(E)
    }


@pytest.mark.parametrize("channel", [RR, HadamardResponse(3, ratio=2), *extreme(Fraction(3))], ids=str)
def test_every_move_has_the_mean_1(channel):
    generic = definitions.corners(channel.ratio - 1)
    for moves in (generic, definitions.rows(channel, 0, 1), definitions.rows(channel, 1, 0).reversed()):
        for law in (*moves.laws, *moves.spares):
            assert [sum(one.chance * w for one, w in zip(law, weights, strict=True)) for weights in columns(law)] == [
                1
            ] * 3
        assert {law[-1][1:] for law in moves.spares} == {(0, 0, -1, -1)}


def columns(law):
    return [1] * len(law), [one.t0 for one in law], [one.t1 for one in law]


@given(alphas(), st.integers(1, 4), st.integers(0, 3))
def test_with_one_move_there_is_nothing_to_choose(point, k, away):
    """Then F is a sum of scores: that of the clones is their pair."""
    E, alpha = point
    played = game.value((clone_scores(E),), k, alpha, away * (1 - alpha))
    assert played / (k + away) == clones(E, k, k + away, alpha)


# Never below the truth.


@pytest.mark.parametrize("kind", check_game.KINDS)
def test_all_data_sets_of_random_randomizers(kind):
    """Vertices, interior channels, told mixtures, responses; places in turn; check-ins. The tool tries many more."""
    tally = check_game.Tally()
    for number in range(16):
        found = check_game.trial(kind, 2024, number)
        assert not [one for one in found if check_game.wrong(one)]
        tally.add(found)
    assert tally.count > 1_000
    assert tally.largest == 1
    assert tally.attained > 0
    assert tally.better > 0


@pytest.mark.parametrize(
    "channel", [*(RandomizedResponse(k, ratio=E) for E in RATIOS for k in (2, 3)), *extreme(3)], ids=str
)
@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (3, 3), (4, 2), (4, 3), (4, 4)])
def test_every_data_set_of_known_channels(channel, n, k):
    """By the corners and by the channel's own rows, at some of the truth's own kinks, where it is largest."""
    pairs = check_game.neighbours(channel, n, k)
    kinks = sorted({a for one in pairs for a in dominance.kinks(one.laws)})
    bound = check_game.generic(Fraction(channel.ratio), k, n)
    rows = bound._replace(game=lambda x0, x1: own(channel, k, n, x0, x1))
    generic = list(check_game.compared(bound, pairs, kinks[:: len(kinks) // 4 + 1]))
    known = list(check_game.compared(rows, pairs, kinks[:: len(kinks) // 4 + 1]))
    for one, other in zip(generic, known, strict=True):
        assert one.truth <= other.bound <= one.bound <= one.clones


@settings(max_examples=40)
@given(alphas(), st.integers(0, 1000), st.integers(2, 4), st.data())
def test_told_mixtures(point, seed, n, data):
    """A coin that all see decides between two randomizers, user by user."""
    (E, alpha), rng = point, np.random.default_rng(seed)
    first, second = (random_channels.vertex_channel(2, E, rng) for _ in range(2))
    channel = random_channels.told(
        first, second, data.draw(st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9))
    )
    k = data.draw(st.integers(1, n))
    bound = game.profile(corners(E, k, n), alpha)
    for one in exact.neighbours(channel, n, k):
        assert hockey_stick(one.p, one.q, alpha) <= bound


def test_a_bound_that_is_too_low_is_found(capsys, monkeypatch):
    """The tool, with a bound for E = 2 and a randomizer of E = 3."""
    bound = check_game.generic(Fraction(2), 3, 3)
    found = list(check_game.compared(bound, check_game.neighbours(RR, 3, 3), [Fraction(1), Fraction(5)]))
    tally = check_game.Tally()
    tally.add(found)
    assert 0 < tally.below < tally.count == len(found)
    assert sum(map(check_game.wrong, found)) == tally.below
    monkeypatch.setattr("sys.argv", ["check_game.py", "--seconds", "0.001"])
    assert check_game.main() == 0
    assert "0 violations, 0 above clones" in capsys.readouterr().out
    monkeypatch.setattr(check_game, "trial", lambda kind, seed, number: found)
    assert check_game.main() == 1
    assert capsys.readouterr().out.count("trial 0, everybody: Comparison") == tally.below


# Places that answer in turn.

POOL = [
    *(random_channel(3, outputs, ratio=3, rng=np.random.default_rng(outputs)) for outputs in (2, 3)),
    random_channels.vertex_channel(3, Fraction(3), np.random.default_rng(0)),
    RandomizedResponse(3, ratio=3),
]


def adaptive(history):
    return POOL[(2 * len(history) + 3 * sum(history)) % len(POOL)]


@pytest.mark.parametrize("others", [(0,), (0, 1), (1, 2, 2)])
def test_in_turn_as_defined(others):
    """Against the list of all permutations."""
    for x in range(3):
        assert check_game.in_turn(adaptive, (x, *others), len(others) + 1) == clone_sequences.in_order_view(
            adaptive, others, x
        )


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (3, 3), (4, 2)])
def test_in_turn_with_one_channel_is_the_shuffle(n, k):
    channel = POOL[1]
    in_turn = check_game.in_turn_neighbours(lambda history: channel, 3, n, k)
    for one, other in zip(in_turn, check_game.neighbours(channel, n, k), strict=True):
        assert one[:3] == other[:3]
        points = dominance.kinks(other.laws)
        assert (hockey_stick(*one.laws, points) == hockey_stick(*other.laws, points)).all()


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 1), (3, 2), (3, 3), (4, 3)])
def test_in_turn(n, k):
    bound = check_game.generic(Fraction(3), k, n)
    points = [Fraction(i, 6) for i in (2, 4, 6, 8, 11, 16)]
    found = list(check_game.compared(bound, check_game.in_turn_neighbours(adaptive, 3, n, k), points))
    assert not [one for one in found if check_game.wrong(one)]


# Never above the clones.


@settings(max_examples=60)
@given(alphas(beyond=Fraction(1, 4)), st.integers(1, 5), st.integers(0, 4))
def test_never_above_the_clones(point, k, away):
    E, alpha = point
    assert game.profile(corners(E, k, k + away), alpha) <= clones(E, k, k + away, alpha)


@pytest.mark.parametrize("E", RATIOS)
def test_strictly_below_the_clones_where_there_are_some_users(E):
    for slots, n in ((4, 9), (5, 6), (5, 5), (6, 6)):
        assert game.profile(corners(E, slots, n), Fraction(1)) < clones(E, slots, n, 1)


# Attained.


@settings(max_examples=30)
@given(alphas(), st.integers(2, 4))
def test_one_of_n_is_the_truth(point, n):
    """By the extreme channels, all others equal."""
    E, alpha = point
    best = max(hockey_stick(one.p, one.q, alpha) for channel in extreme(E) for one in exact.neighbours(channel, n, 1))
    assert game.profile(corners(E, 1, n), alpha) == best


@settings(max_examples=30)
@given(alphas(), st.integers(1, 2))
def test_one_and_two_users_are_the_truth(point, n):
    """By binary randomized response."""
    (E, alpha) = point
    data = exact.neighbours(RandomizedResponse(2, ratio=E), n)
    assert game.profile(corners(E, n, n), alpha) == max(hockey_stick(one.p, one.q, alpha) for one in data)


@pytest.mark.parametrize("E", RATIOS)
def test_three_users_at_alpha_1_are_the_truth(E):
    """The others have one record's value each."""
    real = views.shuffled_view(RandomizedResponse(2, ratio=E), (0, 1), 0, 1)
    assert hockey_stick(*real, 1) == game.profile(corners(E, 3, 3), Fraction(1))


@pytest.mark.parametrize("E", RATIOS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_few_users(E, n):
    """[beyond] 19: from a_n on the clone pair is the worst case, attained by binary randomized response."""
    start = ((n - 1) * E + 1) / (n - 1 + E)
    real = views.shuffled_view(RandomizedResponse(2, ratio=E), (0,) * (n - 1), 0, 1)
    for alpha in (start, (start + E) / 2, (start + 3 * E) / 4, E):
        formula = (E / (E + 1)) ** (n - 1) * (E - alpha) / (E + 1)
        assert hockey_stick(*real, alpha) == game.profile(corners(E, n, n), alpha) == formula
        assert clones(E, n, n, alpha) == formula
    if n > 2:
        below = start - (start - 1) / 1000
        assert hockey_stick(*real, below) < clones(E, n, n, below)


def test_adapting_is_worth_more_than_any_composition():
    """As many 3-ary responses as there are users is not the best plan, either: a lattice is broken by one or two."""
    for E, k, others in ((3, 5, 1), (7, 7, 2)):
        laws = definitions.corners(Fraction(E - 1)).laws
        ternary, binary, opposite = laws[:3]
        plans = itertools.combinations_with_replacement(laws, k)
        best = max((of_sum(plan, 1), plan) for plan in plans)[0]
        assert best == of_sum([ternary] * (k - others) + [binary] * others, 1)
        assert best == of_sum([ternary] * (k - others) + [opposite] * others, 1)
        assert of_sum([ternary] * k, 1) < best < game.value(laws, k, 1)


# What is false.


def test_without_somebody_who_makes_room_it_is_false():
    """F_n(0)/n when everybody reports: 5/16 is more than 29/96."""
    real = views.shuffled_view(RR, (0, 1), 0, 1)
    assert hockey_stick(*real, 1) == Fraction(5, 16)
    assert game.value(definitions.corners(Fraction(2)).laws, 3, 1) / 3 == Fraction(29, 96)
    E = Fraction(3, 2)
    real = views.shuffled_view(RandomizedResponse(2, ratio=E), (0, 0, 1, 1), 0, 1)
    truth, naive = hockey_stick(*real, 1), game.value(definitions.corners(E - 1).laws, 5, Fraction(1)) / 5
    assert naive < truth < game.profile(corners(E, 5, 5), Fraction(1))
    assert (f"{float(truth):.5f}", f"{float(naive):.5f}") == ("0.07712", "0.07639")


# A profile of a symmetric pair.

GAMES = {
    "all of 3": lambda E: corners(E, 3, 3),
    "all of 4": lambda E: corners(E, 4, 4),
    "2 of 5": lambda E: corners(E, 2, 5),
    "3 of 4": lambda E: corners(E, 3, 4),
    "check-ins": lambda E: corners(E, 4, 4, Fraction(1, 3)),
}


@pytest.mark.parametrize("name", GAMES)
@given(alphas(beyond=Fraction(1, 5)), shares, shares)
@settings(max_examples=15)
def test_a_profile(name, point, share, part):
    E, alpha = point
    played = GAMES[name](E)
    other = share * (E + 1)
    between = part * alpha + (1 - part) * other
    h = {a: game.profile(played, a) for a in (Fraction(0), alpha, other, between)}
    assert h[0] == 1
    assert h[between] <= part * h[alpha] + (1 - part) * h[other]
    assert h[max(alpha, other)] <= h[min(alpha, other)]
    assert h[alpha] >= max(0, 1 - alpha)
    if alpha > 0:
        assert h[alpha] == 1 - alpha + alpha * game.profile(played, 1 / alpha)
        assert h[alpha] == game.profile(played.reversed(), alpha)


# Check-ins.


@given(alphas(), st.integers(1, 4))
@settings(max_examples=20)
def test_check_ins_by_hand(point, n):
    """[beyond] 11: the number of messages is seen, and with n of them everybody reports."""
    (E, alpha), rate = point, Fraction(1, 4)
    each = [max(Fraction(0), 1 - alpha), *(game.profile(corners(E, k, n), alpha) for k in range(1, n + 1))]
    coins = [
        np.prod([rate if come else 1 - rate for come in who]) for who in itertools.product((False, True), repeat=n)
    ]
    sizes = [sum(who) for who in itertools.product((False, True), repeat=n)]
    mean = sum(coin * each[size] for coin, size in zip(coins, sizes, strict=True))
    assert game.profile(corners(E, n, n, rate), alpha) == mean


def test_a_whole_alpha_stays_exact():
    played = corners(Fraction(3), 3, 3, Fraction(1, 3))
    assert isinstance(game.profile(played, 1), Fraction)
    assert game.profile(played, 1) == game.profile(played, Fraction(1))


# A known channel.


@given(alphas(), st.integers(2, 4), st.integers(0, 2))
@settings(max_examples=30)
def test_own_rows_lie_below_the_corners_and_the_blanket(point, k, away):
    E, alpha = point
    channel = RandomizedResponse(3, ratio=E)
    known = game.profile(own(channel, k, k + away), alpha)
    assert known <= game.profile(corners(E, k, k + away), alpha)
    blanket = score_pair(score_law(channel, 0, 1, common_blanket(channel)), k, k + away)
    assert known <= hockey_stick(*blanket, alpha)


def test_the_worst_of_several_moves():
    """Whichever two values the changed record has."""
    channel = random_channel(3, 3, ratio=3, rng=np.random.default_rng(3))
    moves = [definitions.rows(channel, x0, x1) for x0, x1 in itertools.permutations(range(3), 2)]
    alpha = Fraction(6, 5)
    each = [game.profile(Game(2, 3, (one,)), alpha) for one in moves]
    assert game.profile(Game(2, 3, tuple(moves)), alpha) == max(each) > min(each)
    truth = max(hockey_stick(one.p, one.q, alpha) for one in exact.neighbours(channel, 3, 2))
    assert truth <= max(each)


# Bad input.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: game.value(definitions.corners(2).laws, -1, 1), "m must be"),
        (lambda: game.value(definitions.corners(2).laws, 2, float("inf")), "alpha must be"),
        (lambda: game.spared(definitions.corners(2), 1.5, 1), "m must be"),
        (lambda: game.profile(corners(3, 2, 3), None), "alpha must be"),
        (lambda: game.profile(corners(3, 4, 3), 1), "slots must be .* at most 3"),
        (lambda: game.profile(corners(3, 0, 3), 1), "slots must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
