"""The judge of games: against the game in fractions and in 60 digits, and the ends of the grid against it."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

from shufflekit import certify, definitions
from shufflekit.beyond import game
from shufflekit.certify import game_grid
from shufflekit.definitions import Definition, Game, Moves, growth, kind
from shufflekit.divergences import hockey_stick
from shufflekit.exact import pair
from shufflekit.randomizers import HadamardResponse, RandomizedResponse, random_channel
from tests import pairs

SIZES = [(1, 1), (2, 3), (3, 3), (4, 4), (4, 7), (5, 5)]
# Several ways for the changed record, each with rows of its own.
CHANNELS = {
    "binary response": RandomizedResponse(2, ratio=3),
    "Hadamard": HadamardResponse(3, ratio=2),
    "random": random_channel(3, 3, ratio=3, rng=np.random.default_rng(1)),
}


def corners(eps0, slots, n, rate=None):
    """In any kind of number."""

    def define(number):
        moves = (definitions.corners(growth(number(eps0))),)
        return Game(slots, n, moves) if rate is None else Game(slots, n, moves, number(rate))

    return define


def rational(E, slots, n, rate=1):
    """The same in fractions, whatever kind is asked for."""
    played = Game(slots, n, (definitions.corners(Fraction(E) - 1),), rate)
    return lambda number: played


def known(channel, slots, n):
    played = Game(slots, n, tuple(definitions.rows(channel, *ends) for ends in ((0, 1), (1, 0))))
    return lambda number: played


def holds(bracket, low, high):
    """The bracket holds a truth that is known to lie between two fractions, very near to each other."""
    assert Fraction(bracket.lower) <= high
    assert low <= Fraction(bracket.upper)
    assert bracket.upper <= bracket.lower * (1 + 4e-16) or bracket.upper <= 5e-324


def around(eps):
    """Two fractions, ``e^eps`` between them, apart by 1e-40."""
    with mpmath.workdps(60):
        middle = Fraction(int(mpmath.floor(mpmath.exp(mpf(eps)) * 10**40)), 10**40)
    return middle, middle + Fraction(1, 10**40)


def truths(define, eps):
    """The bound falls with alpha."""
    low, high = around(eps)
    return game.profile(define(Fraction), high), game.profile(define(Fraction), low)


# In balls.


@pytest.mark.parametrize("E", [Fraction(3, 2), 2, 3, 7])
@pytest.mark.parametrize(("slots", "n"), SIZES)
def test_the_game_in_fractions(E, slots, n):
    for share in (0, 0.1, 0.5, 0.95):
        eps = share * math.log(E)
        holds(certify.delta(rational(E, slots, n), eps), *truths(rational(E, slots, n), eps))


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(2, 3)])
def test_check_ins(rate):
    define = rational(3, 4, 4, rate)
    for eps in (0.0, 0.2, 0.9):
        holds(certify.delta(define, eps), *truths(define, eps))


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize(("slots", "n"), [(2, 4), (3, 3)])
def test_known_channels(name, slots, n):
    define = known(CHANNELS[name], slots, n)
    for eps in (0.0, 0.3):
        holds(certify.delta(define, eps), *truths(define, eps))


def test_known_channels_in_floats_are_taken_as_they_are():
    """Or nearly: their rows sum to 1 up to round-off, and the fractions that they stand for do not."""
    floats = known(RandomizedResponse(3, eps0=math.log(3)), 3, 5)
    found, exact = certify.delta(floats, 0.2), certify.delta(known(RandomizedResponse(3, ratio=3), 3, 5), 0.2)
    assert found.upper == pytest.approx(exact.upper, rel=1e-13)


@pytest.mark.parametrize("eps0", [1e-4, 0.3, 1.0, 4.0, 12.0])
@pytest.mark.parametrize(("slots", "n"), SIZES)
def test_the_game_in_60_digits(eps0, slots, n):
    with mpmath.workdps(60):
        for eps in (0.0, 0.1 * eps0, 0.6 * eps0):
            played = Game(slots, n, (definitions.corners(mpmath.expm1(mpf(eps0))),))
            truth = game.profile(played, mpmath.exp(mpf(eps)))
            found = certify.delta(corners(eps0, slots, n), eps)
            assert found.lower <= truth * (1 + mpf(10) ** -30)
            assert truth * (1 - mpf(10) ** -30) <= found.upper <= found.lower * (1 + 4e-16)


def test_with_one_law_it_is_the_definition():
    """A chooser without a choice, by another road of the judge."""

    def alone(number):
        law = definitions.clones(growth(number(1.5)))
        return Game(12, 40, (Moves((law,), (law,)),))

    for eps in (0.0, 0.1, 0.3):
        found, votes = certify.delta(alone, eps), pairs.clones(1.5, 12, 40).judged(eps)
        assert found.upper == pytest.approx(votes.upper, rel=1e-15)
        assert found.lower <= votes.upper
        assert votes.lower <= found.upper


def test_between_the_attacks_and_the_clones():
    for slots, n in ((8, 8), (9, 30)):
        for eps in (0.0, 0.2, 0.7):
            found = certify.delta(corners(1.0, slots, n), eps)
            for attack in (pairs.binary(1.0, slots, n), pairs.ternary(1.0, slots, n)):
                assert attack.judged(eps).lower <= found.upper
            assert found.lower <= pairs.clones(1.0, slots, n).judged(eps).upper


def test_from_eps0_on_there_is_nothing():
    assert certify.delta(corners(1.0, 5, 5), 1.0) == (0, 5e-324)
    assert certify.delta(corners(1.0, 3, 9), 1.5) == (0, 0)
    assert certify.delta(corners(1.0, 3, 9), 700.0) == (0, 0)


@pytest.mark.parametrize("reverse", [False, True])
def test_either_way(reverse):
    """Here x0's own message is rare, so the two ways differ."""
    channel = random_channel(2, 3, ratio=4, rng=np.random.default_rng(4))
    moves = definitions.rows(channel, 0, 1)
    way = moves.reversed() if reverse else moves
    low, high = (game.profile(Game(2, 3, (way,)), alpha) for alpha in reversed(around(0.4)))
    holds(certify.delta(lambda number: Game(2, 3, (moves,)), 0.4, reverse=reverse), low, high)
    assert certify.delta(lambda number: Game(2, 3, (moves,)), 0.4).upper != low


# Sums that are equal are found to be: many more slots at alpha = 1, where few differ.


def test_equal_sums_are_one():
    assert certify.delta(corners(2.0, 60, 120), 0.0).upper == pytest.approx(0.07564320964757214, rel=1e-14)


def test_too_many_slots_are_refused():
    with pytest.raises(ValueError, match="define must give a game of few slots, of at most 300,000 sums of scores"):
        certify.delta(corners(2.0, 200, 400), 0.1)


# On a grid.


@settings(max_examples=40)
@given(
    st.floats(0.05, 3),
    st.integers(1, 6),
    st.integers(0, 8),
    st.floats(0, 1.1),
    st.sampled_from([None, 0.3]),
    st.integers(1, 9),
)
def test_the_grid_is_above(eps0, slots, away, share, rate, parts):
    """However coarse it is."""
    define, eps = corners(eps0, slots, slots + away, rate), share * eps0
    assert certify.delta(define, eps).lower <= game_grid.upper(define, eps, parts=parts)


@pytest.mark.parametrize(("eps0", "slots", "n", "eps"), [(2.0, 10, 20, 0.5), (1.0, 12, 12, 0.3), (0.3, 12, 12, 0.05)])
def test_finer_grids_are_nearer(eps0, slots, n, eps):
    truth = certify.delta(corners(eps0, slots, n), eps).upper
    errors = [game_grid.upper(corners(eps0, slots, n), eps, parts=parts) / truth - 1 for parts in (6, 24, 96)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[0] < 3e-3
    assert errors[2] < 3e-5


def test_the_grid_of_a_known_channel():
    define = known(CHANNELS["random"], 4, 4)
    found = certify.delta(define, 0.2)
    assert found.lower <= game_grid.upper(define, 0.2, parts=96) <= found.upper * (1 + 1e-4)


@pytest.mark.parametrize(("eps0", "n", "eps"), [(2.0, 300, 0.92104), (4.0, 1_000, 2.73978), (2.0, 1_000, 0.46517)])
def test_the_epsilons_that_are_told(eps0, n, eps):
    """Everybody reports, delta = 1e-8: certified from above, and nothing given away."""
    assert 0.995e-8 < game_grid.upper(corners(eps0, n, n), eps) <= 1e-8


def test_a_thousand_of_a_million():
    """Between the best attack and 0.03 % above it."""
    found = game_grid.upper(corners(2.0, 1_000, 10**6), 0.0)
    attack = pairs.ternary(2.0, 1_000, 10**6).judged(0.0)
    assert attack.upper <= found <= attack.upper * 1.0003


def test_the_grid_where_there_is_nothing_to_see():
    for eps in (2.0, 50.0, 1e4):
        assert game_grid.upper(corners(1.0, 5, 9), eps) < 1e-300
    one = (kind(Fraction(1), 0, 0),)
    still = Game(3, 4, (Moves((one,), ((*one, kind(Fraction(0), -1, -1)),)),))
    assert certify.delta(lambda number: still, 0.0) == (0, 0)
    assert game_grid.upper(lambda number: still, 0.0) < 1e-12


def test_a_blanket_may_have_the_largest_scores():
    """Not in the game of a randomizer, but nothing forbids it; the grid then reaches as far."""
    rows, blanket = definitions.response(Fraction(1), 3), definitions.clones(Fraction(4))
    played = Game(4, 4, (Moves((rows,), (blanket,)),))
    found = certify.delta(lambda number: played, 0.5)
    assert found.upper > 0
    assert found.lower <= game_grid.upper(lambda number: played, 0.5) <= found.upper * 1.01


def test_few_users_on_the_grid():
    """[beyond] 19, where scores of -1,339 stand beside some of 30."""
    E, alpha, n, eps = math.exp(4.0), math.exp(3.2), 40, 3.2
    assert alpha > ((n - 1) * E + 1) / (n - 1 + E)
    formula = (E / (E + 1)) ** (n - 1) * (E - alpha) / (E + 1)
    found = game_grid.upper(corners(4.0, n, n), eps)
    assert found == pytest.approx(formula, rel=1e-12)
    assert found >= pairs.clones(4.0, n, n).judged(eps).lower


# Bad input.

LAW = (kind(Fraction(1, 2), 1, 0), kind(Fraction(1, 2), -1, 0))
UNEVEN = (kind(Fraction(1, 2), 1, 0), kind(Fraction(1, 2), -1, 1))


@pytest.mark.parametrize("judge", [certify.delta, game_grid.upper])
@pytest.mark.parametrize(
    ("played", "message"),
    [
        (Game(4, 3, (Moves((LAW,), (LAW,)),)), "slots must be from 1 to the population of 3, got 4"),
        (Game(0, 3, (Moves((LAW,), (LAW,)),)), "slots must be"),
        (Game(2, 3, ()), "laws must hold at least one law"),
        (Game(2, 3, (Moves((LAW, UNEVEN), (LAW,)),)), "laws must have chances times t1 that sum to 1"),
        (Game(2, 3, (Moves((LAW,), (UNEVEN,)),)), "laws must have chances times t1"),
        (Game(3, 3, (Moves((LAW,), (LAW,)),), 0), "rate must be above 0"),
        (Game(3, 3, (Moves((LAW,), (LAW,)),), 1.5), "rate must be above 0 and at most 1"),
    ],
)
def test_bad_games_are_named(judge, played, message):
    with pytest.raises(ValueError, match=message):
        judge(lambda number: played, 0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: game_grid.upper(corners(1.0, 2, 3), -1.0), "eps must be"),
        (lambda: game_grid.upper(corners(1.0, 2, 3), 0.1, parts=0), "parts must be"),
        (lambda: game_grid.upper(corners(1.0, 10**5, 10**5), 0.1), "define must give a game of fewer slots"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_definition_in_fractions_is_judged_too():
    define = Definition(3, 3, (definitions.clones(Fraction(2)),))
    truth = hockey_stick(*pair(define), 1)
    holds(certify.delta(lambda number: define, 0.0), truth, truth)
