"""The game watched at work: its grid against fractions, its normal bound, and the truth beside it."""

from fractions import Fraction

import numpy as np
import pytest

from shufflekit.beyond import few, game
from shufflekit.definitions import corners, equal_others
from shufflekit.randomizers import RandomizedResponse


@pytest.mark.parametrize("ratio", [2, 3, 8])
def test_the_grid_is_never_below_the_game_and_shows_a_law(ratio):
    laws = corners(Fraction(ratio - 1)).laws
    board = few.played(corners(float(ratio) - 1).laws, 4, (ratio - 1) / 24, 20.0 * ratio)
    for start in (-2, 0, 1):
        truth = float(game.value(laws, 4, Fraction(1), Fraction(start)))
        found = float(np.interp(start, board.x, board.value[4]))
        assert truth * (1 - 1e-12) <= found <= truth + 0.05 * ratio
    assert board.move.shape == board.value.shape == (5, len(board.x))
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
    # Of E = 3 the square of E - 1 is also twice as much.
    for ratio in (3, Fraction(5, 2)):
        assert all(found == formula for found, formula, _ in few.few_users(ratio, 4))
        assert all(low <= high for low, high, _ in few.second_moments(ratio, 4))


def test_against_the_clones_the_naive_form_falls_below_the_truth():
    curves = few.against_clones(Fraction(3), 3, [Fraction(1), Fraction(3, 2)])
    assert (curves["the bound"] <= 1 + 1e-12).all()
    assert (curves["worst data found"] <= curves["the bound"] + 1e-12).all()
    assert curves["$F_n(0)/n$: false"][0] < curves["worst data found"][0]


def test_a_profile_at_some_eps_composes():
    eps = np.linspace(0, 1, 400)
    one = few.composed_epsilon(eps, np.maximum(0.0, 0.2 - 0.5 * eps), 1, 0.1)
    assert one == pytest.approx(0.2, abs=2e-2)


@pytest.mark.parametrize("x", [-2.0, 0.0, 0.7])
def test_a_call_on_a_normal_by_quadrature(x):
    z = np.linspace(-12, 12, 240_001)
    mean = np.trapezoid(np.maximum(x + 1.5 * z, 0) * np.exp(-z * z / 2), z) / np.sqrt(2 * np.pi)
    assert few.normal_call(x, 1.5) == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize(("alpha", "x"), [(1.0, 0.0), (2.0, -1.0), (0.5, 0.25)])
def test_the_normal_bound_term_by_term(alpha, x):
    """Its moments from the corner channels' own scores; per message R phi(1)/(6 V m) and sqrt(V) phi(0)/(8 m^1.5)."""
    laws = [equal_others(channel, 0, 1, 2) for channel in few.corner_channels(Fraction(3))]
    scores = [[(one.chance, abs(one.t0 - 1 - alpha * (one.t1 - 1))) for one in law] for law in laws]
    V, R = (max(float(sum(chance * size**r for chance, size in law)) for law in scores) for r in (2, 3))
    phi0, phi1 = 1 / np.sqrt(2 * np.pi), np.exp(-0.5) / np.sqrt(2 * np.pi)
    for m in (1, 7):
        wanted = few.normal_call(x, np.sqrt(V * (m + 1))) + R * phi1 / (6 * V) * (1 + np.log(m))
        wanted += np.sqrt(V) * phi0 / 8 * 2.612375348685488  # zeta(3/2)
        assert few.normal_bound(3.0, m, alpha, x) == pytest.approx(wanted, rel=1e-12)


def test_a_board_is_wide_enough():
    """Steps of 1/2 up to 1.2: from -1.5 to 1.5."""
    board = few.played(corners(2.0).laws, 0, 0.5, 1.2)
    assert board.x.tolist() == [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5]
    assert board.value.tolist() == [[0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.5]]


def test_a_bench_is_what_it_says():
    channels = few.bench()
    assert [(one.inputs, one.outputs) for one in channels[:5]] == [(2, 2), (2, 2), (3, 3), (3, 3), (3, 4)]
    assert [one.inputs for one in channels[5:7]] == [3, 3]
    assert [one.ratio for one in channels[:5]] == [Fraction(3, 2), 3, Fraction(3, 2), 3, 3]
    assert channels[5].ratio == 2 > channels[-1].ratio
    assert channels[7].ratio == 3


def test_places_that_answer_in_turn_are_asked_at_the_alphas_of_their_ratio():
    rows = few.turns(1, 2, 0)
    assert {where for _, _, where in rows} == {f"in turn, 1 of 2, a = {a}" for a in few.alphas(3)}
    assert all(truth <= bound for truth, bound, _ in rows)
