"""The grid of the judge's games: places, shares and means by hand, values against the game in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import definitions
from shufflekit.beyond import game as exact
from shufflekit.certify import game_grid, games
from shufflekit.certify.balls import ball, flint
from shufflekit.certify.game_grid import Spacing, between, divided, float_above, spacing_of, variance
from shufflekit.definitions import Game, Moves, growth, kind


@pytest.fixture(autouse=True)
def _precision():
    with flint().ctx.workprec(256):
        yield


@pytest.mark.parametrize(
    ("place", "node", "share"), [(2.25, 2, 0.25), (2.0, 2, 0.0), (-0.75, -1, 0.25), (-3.0, -3, 0.0), (0.0, 0, 0.0)]
)
def test_a_place_is_between_two_nodes(place, node, share):
    found, below, above = between(ball(place))
    assert (found, float(below), float(above)) == (node, 1 - share, share)


def test_a_place_that_may_be_a_node_has_shares_from_above():
    """Neither is below 0; together they are no less than 1."""
    node, below, above = between(flint().arb(3, 1e-20))
    assert node in (2, 3)
    assert 1 - below <= 1e-19
    assert 0 <= float(above) <= 1.1e-20 or node == 2
    node, below, above = between(flint().arb(2.999, 0.01))
    assert node == 3
    assert float(below) == pytest.approx(1.0, abs=1e-6)
    assert float(above) == pytest.approx(0.009, rel=1e-4)


def test_a_float_above_is_the_next():
    assert float_above(ball(0)) == 0
    assert float_above(ball(0.5)) == math.nextafter(0.5, 1)
    assert float_above(1 / ball(3)) >= 1 / 3
    assert float_above(1 / ball(3)) <= math.nextafter(math.nextafter(1 / 3, 1), 1)


SPACING = Spacing(0.5, -1.0)
LAW = (kind(Fraction(1, 2), Fraction(-1, 4), 0), kind(Fraction(1, 4), 0, 0), kind(Fraction(1, 4), Fraction(1, 2), 0))


def in_balls(law):
    return tuple(one._replace(**{name: games.as_ball(getattr(one, name)) for name in one._fields}) for one in law)


def test_scores_are_divided_at_the_nodes():
    """At alpha = 1 they are -1/4, 0 and 1/2: 1.5, 2 and 3 steps from the shift on."""
    found = divided(in_balls(LAW), ball(1), SPACING)
    assert found.keys() == {1, 2, 3}
    assert [found[k] for k in (1, 2, 3)] == [math.nextafter(x, 1) for x in (0.25, 0.5, 0.25)]


def test_a_law_on_the_grid_varies_a_little_more():
    """1/2 of its mass lies halfway between two nodes: a quarter of a step squared more, for that half."""
    law = np.array([(float(one.chance), float(one.u0)) for one in LAW])
    own = 0.5 * 0.25**2 + 0.25 * 0.5**2
    assert variance(law, Spacing(0.25, 0.0)) == pytest.approx(own)
    assert variance(law, SPACING) == pytest.approx(own + 0.5 * 0.25 * 0.25)
    law[:, 1] += 1.0
    assert variance(law, Spacing(0.25, 0.0)) == pytest.approx(own)


def test_the_spacing_has_the_largest_score_and_the_likeliest_of_the_widest_law_on_it():
    moves = definitions.corners(math.expm1(1.5))
    alpha, parts = 1.25, 10
    found = spacing_of(moves, alpha, parts)
    scores = [[(one.chance, one.t0 - alpha * one.t1) for one in law] for law in moves.laws]
    widest = max(scores, key=lambda law: sum(p * (g - 1 + alpha) ** 2 for p, g in law))
    assert found.shift == max(widest)[1]
    top = max(g for law in scores for _, g in law)
    count = (top - found.shift) / found.step
    assert count == pytest.approx(round(count), abs=1e-9)
    assert parts <= round(count) < 2 * parts
    laws = [np.array(law) for law in scores]
    most = [
        max(variance(law, Spacing((top - found.shift) / k, found.shift)) for law in laws)
        for k in range(parts, 2 * parts)
    ]
    assert max(variance(law, found) for law in laws) == min(most)


def test_where_the_likeliest_score_is_the_largest_any_step_does():
    still = (kind(1.0, 0.0, 0.0),)
    found = spacing_of(Moves((still,), (still,)), 3.0, 4)
    assert found.shift == -2.0
    assert found.step in [3.0 / k for k in range(4, 8)]


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize(("slots", "n"), [(1, 1), (3, 3), (2, 5), (4, 6)])
@pytest.mark.parametrize("parts", [8, 48])
def test_the_grid_is_above_the_game_in_fractions_and_near(ratio, slots, n, parts):
    define = lambda number: Game(slots, n, (definitions.corners(ratio - 1),))  # noqa: E731
    for eps in (0.0, 0.1, 0.3):
        truth = float(exact.profile(define(Fraction), Fraction(math.exp(eps))))
        found = game_grid.upper(define, eps, parts=parts)
        assert truth * (1 - 1e-13) <= found <= truth * (1 + 0.5 / parts) + 1e-12


@pytest.mark.parametrize("rate", [Fraction(1, 5), Fraction(3, 4)])
def test_check_ins_are_a_mean(rate):
    define = lambda number: Game(4, 4, (definitions.corners(Fraction(2)),), rate)  # noqa: E731
    truth = float(exact.profile(define(Fraction), Fraction(math.exp(0.2))))
    assert truth <= game_grid.upper(define, 0.2, parts=96) <= truth * 1.003


def test_where_one_is_replaced_nobody_makes_room():
    define = lambda number: Game(3, 3, (definitions.corners(Fraction(2)),), 1, True)  # noqa: E731
    truth = float(exact.profile(define(Fraction), Fraction(math.exp(0.2))))
    other = float(exact.profile(Game(3, 3, (definitions.corners(Fraction(2)),)), Fraction(math.exp(0.2))))
    assert truth <= game_grid.upper(define, 0.2, parts=96) <= truth * 1.003
    assert abs(truth - other) > 0.01 * truth


def test_too_many_nodes_are_refused(monkeypatch):
    define = lambda number: Game(6, 9, (definitions.corners(growth(number(1.0))),))  # noqa: E731
    monkeypatch.setattr(game_grid, "MOST", 100)
    with pytest.raises(ValueError, match=r"define must give a game of fewer slots, of at most 100 nodes, got [\d,]+"):
        game_grid.upper(define, 0.1)


@pytest.mark.parametrize("eps", [300.0, 301.0, 1e300])
def test_far_out_it_is_what_it_is_at_the_farthest(eps):
    define = lambda number: Game(2, 3, (definitions.corners(growth(number(1.0))),))  # noqa: E731
    assert game_grid.upper(define, eps) == game_grid.upper(define, 300.0) < 1e-300


def test_it_is_a_probability():
    define = lambda number: Game(1, 1, (definitions.corners(growth(number(300.0))),))  # noqa: E731
    assert game_grid.upper(define, 0.0, parts=1) <= 1
