"""The game watched at work: its grid against fractions, its normal bound, and the truth beside it."""

from fractions import Fraction

import numpy as np
import pytest

from shufflekit.beyond import few, game
from shufflekit.definitions import corners
from shufflekit.randomizers import RandomizedResponse


@pytest.mark.parametrize("ratio", [2, 3, 8])
def test_the_grid_is_never_below_the_game_and_shows_a_law(ratio):
    laws = corners(Fraction(ratio - 1)).laws
    board = few.played(corners(float(ratio) - 1).laws, 4, (ratio - 1) / 24, 20.0 * ratio)
    for start in (-2, 0, 1):
        truth = float(game.value(laws, 4, Fraction(1), Fraction(start)))
        found = float(np.interp(start, board.x, board.value[4]))
        assert truth * (1 - 1e-12) <= found <= truth + 0.05 * ratio
    assert set(np.unique(board.move[1:])) <= set(range(5))


@pytest.mark.parametrize("ratio", [1.5, 3.0, 20.0])
def test_the_normal_bound_is_above_the_game(ratio):
    for m in (1, 5, 40):
        assert few.at_centre(corners(ratio - 1).laws, m) <= few.normal_bound(ratio, m)


def test_truth_and_bound_of_every_kind():
    rows = [
        *few.compared(RandomizedResponse(3, ratio=3), 2, 3),
        *few.compared(RandomizedResponse(2, ratio=3), 3, 3, Fraction(1, 2)),
        *few.compared(RandomizedResponse(3, ratio=3), 2, 3, known=True),
        *few.turns(2, 3, 0),
        *few.against_corners(RandomizedResponse(3, ratio=2)),
    ]
    assert len(rows) > 100
    assert all(truth <= bound for truth, bound, _ in rows)


def test_few_users_and_second_moments_are_known_exactly():
    assert all(found == formula for found, formula, _ in few.few_users(3, 4))
    assert all(low <= high for low, high, _ in few.second_moments(3, 4))


def test_against_the_clones_the_naive_form_falls_below_the_truth():
    curves = few.against_clones(Fraction(3), 3, [Fraction(1), Fraction(3, 2)])
    assert (curves["the bound"] <= 1 + 1e-12).all()
    assert (curves["worst data found"] <= curves["the bound"] + 1e-12).all()
    assert curves["$F_n(0)/n$: false"][0] < curves["worst data found"][0]


def test_a_profile_at_some_eps_composes():
    eps = np.linspace(0, 1, 400)
    one = few.composed_epsilon(eps, np.maximum(0.0, 0.2 - 0.5 * eps), 1, 0.1)
    assert one == pytest.approx(0.2, abs=2e-2)
