"""The game's profile from above: knots, chords and masses by hand, rows of values against the game in fractions."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from shufflekit import certify, definitions
from shufflekit.beyond import game
from shufflekit.certify import game_profile, games
from shufflekit.certify.balls import ball, flint
from shufflekit.certify.game_profile import checked_corners, clones
from shufflekit.definitions import Definition, Game, Moves, growth

BITS = 120


@pytest.fixture(autouse=True)
def _precision():
    with flint().ctx.workprec(200):
        yield


def corners(eps0, slots, n):
    return lambda number: Game(slots, n, (definitions.corners(growth(number(eps0))),))


def in_balls(points):
    return [(k, ball(alpha), ball(value)) for k, alpha, value in points]


# What is looked at.


def test_clones_are_the_law_to_fall_back_on():
    own = clones(corners(1.5, 7, 20))(float)
    assert own == Definition(7, 20, (definitions.clones(math.expm1(1.5)),))


MOVES = definitions.corners(1.0)
MIXED = Moves(MOVES.laws, MOVES.spares)


def test_the_game_of_the_corners_comes_back():
    given = Game(3, 3, (MOVES,))
    assert checked_corners(given) is given


@pytest.mark.parametrize(
    "given",
    [
        Game(2, 3, (MOVES, MOVES)),
        Game(2, 3, (MIXED,)),
        Game(3, 3, (MOVES,), 0.5),
        Game(2, 3, (MOVES,), replaced=True),
    ],
    ids=["two moves", "not monotone", "by a coin", "one is replaced"],
)
def test_other_games_are_refused(given):
    with pytest.raises(
        ValueError, match="define must give a Definition, or the game of the corners with a rate of 1, got"
    ):
        checked_corners(given)


def test_what_is_no_game_is_refused():
    with pytest.raises(ValueError, match="slots must be from 1 to the population of 3, got 4"):
        checked_corners(Game(4, 3, (MOVES,)))


def test_knots_are_equally_far_apart_and_then_farther(monkeypatch):
    monkeypatch.setattr(game_profile, "CLOSE", 2)
    monkeypatch.setattr(game_profile, "PER_DEVIATION", 3)
    monkeypatch.setattr(game_profile, "GROWTH", 1.5)
    asked = []

    def matters(k):
        asked.append(k)
        return k < 150

    assert game_profile._knots(5, matters) == [0, 5, 10, 15, 20, 25, 30, 45, 68, 102, 153]
    assert asked == [30, 45, 68, 102, 153]


@pytest.mark.parametrize("k", [0, 1, 7, 1000])
def test_an_eps_is_rounded_down(k):
    found = game_profile._at_most(k, 0.1)
    assert found < k * 0.1 or found == k == 0
    assert found >= k * 0.1 * (1 - 3e-16)


# Chords.


def test_a_hull_leaves_out_what_is_not_below_a_chord():
    points = in_balls([(None, 0, 1), (-1, 0.5, 0.75), (0, 1, 0.25), (1, 2, 0.125), (2, 3, 0.125), (3, 4, 0)])
    assert [k for k, _, _ in game_profile._hull(points)] == [None, 0, 1, 3]
    convex = in_balls([(None, 0, 1), (0, 1, 0.25), (1, 2, 0.125), (2, 4, 0)])
    assert game_profile._hull(convex) == convex


def test_points_that_later_ones_make_needless_are_left_out():
    points = in_balls([(0, 0, 1), (1, 1, 0.5), (2, 2, 0.4), (3, 3, 0.3), (4, 4, -1)])
    assert [k for k, _, _ in game_profile._hull(points)] == [0, 4]


def test_masses_are_what_the_slope_changes_by():
    """Of two atoms: P has 1/2 at 2 : 1 and 1/2 at 2/3 : 1, say; beyond the last knot is an infinite loss."""
    points = in_balls([(None, 0, 1), (-1, 0.5, 0.5), (2, 2, 0.125)])
    found = game_profile._masses(points)
    assert found.keys() == {-1, 2}
    assert found[-1] == 0.5 * (1 - 0.25)
    assert found[2] == 2 * 0.25
    assert sum(found.values(), ball(0)) + 0.125 == 1


# One law, for all alphas.


@pytest.mark.parametrize(("eps0", "slots", "n"), [(1.0, 4, 9), (2.0, 5, 50), (0.7, 1, 3), (2.0, 4, 4)])
def test_the_law_is_nowhere_below_the_game_and_hardly_above(eps0, slots, n):
    """Its masses sum to P's and to Q's, but for what has an infinite loss."""
    h = 0.0103
    found = game_profile.law(corners(eps0, slots, n), h, BITS, 1e-9)
    assert found.spacing == h
    with mpmath.workdps(40):
        masses = {found.first + i: mpf(int(m)) / 2**BITS for i, m in enumerate(found.masses.coeffs())}
        assert abs(1 - sum(masses.values())) < 1e-12
        assert abs(1 - sum(m * mpmath.exp(-k * mpf(h)) for k, m in masses.items())) < 1e-12
        for share in (0.0, 0.03, 0.17, 0.4, 0.7):
            eps = share * math.log1p(math.expm1(eps0) * slots / n)
            delta = sum(m * max(0, 1 - mpmath.exp(eps - k * mpf(h))) for k, m in masses.items())
            truth = certify.delta(corners(eps0, slots, n), eps).upper
            assert truth * (1 - 1e-9) <= delta <= 1.01 * truth + 1e-6


def test_a_law_is_cut_off_where_little_is_left():
    """So much as matters, and no farther than eps0."""
    near, far = (game_profile.law(corners(1.0, 30, 900), 1e-4, BITS, most) for most in (1e-1, 1e-9))
    assert near.first + len(near.masses) < far.first + len(far.masses)
    lost = 1 - mpf(int(near.masses(1))) / 2**BITS
    assert 0 <= lost <= 1e-7


# Rows of values.


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("slots", [1, 2, 4])
def test_a_row_is_the_value_of_the_game(ratio, slots):
    """From every start, those beside the row too: never below the truth, and near it."""
    moves, alpha = definitions.corners(ratio - 1), Fraction(5, 4)
    rough = moves.mapped(float)
    own = game.Table(moves.laws, alpha)
    for start in (Fraction(-3, 2), Fraction(-1, 3), Fraction(0), Fraction(2)):
        centred = start - slots * (1 - alpha)
        truth = float(own.value((1,) * slots, centred))
        (found,) = game_profile._row(games.in_balls(moves), rough, slots, games.as_ball(alpha), [games.as_ball(start)])
        assert truth <= float(found.upper())
        assert float(found.lower()) <= truth + 2e-3 * float(ratio)


def test_a_row_has_several_starts():
    moves = definitions.corners(2.0)
    starts = [ball(-2), ball(-1), ball(-0.5)]
    together = game_profile._row(games.in_balls(moves), moves, 6, ball(1), starts)
    alone = [game_profile._row(games.in_balls(moves), moves, 6, ball(1), [one])[0] for one in starts]
    assert [float(x) for x in together] == pytest.approx([float(x) for x in alone], rel=1e-9)
    assert float(together[0]) < float(together[1]) < float(together[2])


def test_one_score_earlier_is_the_largest_mean():
    row = np.array([0.0, 1.0, 3.0, 6.0])
    # Left of the row it stays what it is at its first node, right of it it rises by a step each.
    one, other = {-2: 0.5, 1: 0.5}, {0: 0.75, 2: 0.25}
    first = [0.5 * 0 + 0.5 * 1, 0.5 * 0 + 0.5 * 3, 0.5 * 0 + 0.5 * 6, 0.5 * 1 + 0.5 * 16]
    second = [0.75 * 0 + 0.25 * 3, 0.75 * 1 + 0.25 * 6, 0.75 * 3 + 0.25 * 16, 0.75 * 6 + 0.25 * 26]
    found = game_profile._played(row, [one, other], 10.0)
    assert found.tolist() == np.maximum(first, second).tolist()
    assert game_profile._played(row, [{1: 1.0}], 10.0).tolist() == [1, 3, 6, 16]
    assert game_profile._played(row, [{-1: 1.0}], 10.0).tolist() == [0, 0, 1, 3]


@pytest.mark.parametrize(("slots", "n"), [(3, 9), (2, 20)])
def test_sampled_one_row_serves_what_is_near(slots, n, monkeypatch):
    asked = []
    row = game_profile._row
    monkeypatch.setattr(game_profile, "_row", lambda *given: asked.append(given[3]) or row(*given))
    eps = [0.0, 2e-5, 4e-5, 5e-5, 0.1, 0.14]
    found = game_profile._sampled(corners(1.0, slots, n), eps)
    assert [round(float(alpha.log()), 9) for alpha in asked] == [0.0, 5e-5, 0.1, 0.14]
    truths = [certify.delta(corners(1.0, slots, n), e).upper for e in eps]
    for own, truth in zip(found, truths, strict=True):
        assert truth <= own <= truth * 1.001


@pytest.mark.parametrize("x", [0.3, 1.0, 1e-300])
def test_a_number_above_a_ball(x):
    found = game_profile._above(ball(x))
    assert found == math.nextafter(x, math.inf)
