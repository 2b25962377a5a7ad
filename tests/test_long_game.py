"""The game on a board and beyond it: never below the game in fractions, and near it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit.beyond import game as exact_game
from shufflekit.definitions import Game, corners
from shufflekit.dominating_pairs import certificate, long_game, spare
from shufflekit.dominating_pairs.board import Board, Scores
from shufflekit.dominating_pairs.line import Share, stop_losses
from shufflekit.dominating_pairs.long_game import Few, LongGame
from tests.played import laws, true_worth

RATIOS = [Fraction(3, 2), Fraction(2), Fraction(3), Fraction(8)]
ALPHAS = [Fraction(1), Fraction(5, 4), Fraction(7, 3)]
STARTS = [Fraction(-4), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(3)]


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_board_is_never_below_the_game_and_near_it(ratio, alpha):
    own = laws(ratio, alpha)
    deviation = math.sqrt(max(law.variance for law in own))
    board = Board(own, 4, deviation / 60).play(4)
    for start in STARTS:
        truth, found = float(true_worth(ratio, alpha, 4, start)), float(board.value(np.array([float(start)]))[0])
        assert truth * (1 - 1e-12) <= found <= truth + 2e-3 * deviation


def test_a_step_is_worth_something_and_means_are_kept():
    own = laws(3, Fraction(6, 5))
    board = Board(own, 6, 0.05)
    before = board.play(3).value(np.array([-1.0, 0.0, 1.0]))
    after = board.play(3).value(np.array([-1.0, 0.0, 1.0]))
    assert (after > before).all()
    assert board.played == 6
    law = board.law()
    assert abs(float(law.chance @ law.value)) < 1e-9
    assert math.isclose(law.chance.sum(), 1.0, rel_tol=1e-12)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_law_of_a_board_has_its_worth_as_potential(ratio):
    board = Board(laws(ratio, Fraction(1)), 5, 0.02).play(5)
    law = board.law()
    for start in (-3.0, -0.5, 0.0, 0.7, 2.0):
        potential = float(np.maximum(start + law.value, 0.0) @ law.chance)
        assert potential == pytest.approx(float(board.value(np.array([start]))[0]), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("law", [0, 1, 2])
def test_whatever_law_takes_over_the_certificate_covers_it(ratio, alpha, law):
    own = laws(ratio, alpha)
    long = LongGame(own)
    law = min(law, len(long.laws) - 1)
    for start in STARTS:
        x = np.array([float(start)])
        (found,) = long._by_one_law(Few(Board(long.laws, 2, long.step).play(2), law), [5], [x])
        assert float(found[0]) >= float(true_worth(ratio, alpha, 5, start))


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_blocks_are_never_below_the_game(ratio, alpha):
    long = LongGame(laws(ratio, alpha), block=2)
    x = np.array([float(start) for start in STARTS])
    truth = np.array([float(true_worth(ratio, alpha, 5, start)) for start in STARTS])
    assert (long.worths([5], [x], None)[0] >= truth).all()


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_mean_over_a_random_number_of_steps(ratio):
    long = LongGame(laws(ratio, Fraction(1)), block=2)
    x, numbers, chances = np.array([-1.0, 0.0]), [5, 4, 1], np.array([0.25, 0.5, 0.125])
    truth = [
        sum(c * float(true_worth(ratio, Fraction(1), n, Fraction(s))) for n, c in zip(numbers, chances, strict=True))
        for s in (-1, 0)
    ]
    assert (long.mean_worth(numbers, chances, x, 4.0) >= truth).all()
    assert (LongGame(long.laws, block=9).mean_worth(numbers, chances, x, 4.0) >= truth).all()


def test_laws_that_can_never_be_best_are_left_out():
    """At alpha = 1 one corner tells x0 and x1 from the others only, and one is below a mixture of the binary two."""
    assert len(LongGame(laws(3, 1)).laws) == 3


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_everybody_reports(ratio, alpha, n):
    truth = exact_game.profile(Game(n, n, (corners(ratio - 1),)), alpha)
    moves, long = corners(float(ratio) - 1), LongGame(laws(ratio, alpha))
    found = spare.spared(long, moves, math.log(alpha), n, assumed=None) / n
    assert float(truth) * (1 - 1e-12) <= found <= float(truth) + 1e-3


def test_what_is_assumed_of_the_last_places_is_forgotten(monkeypatch):
    """With few places looked at, W starts from another valid bound: here from the truth, or from twice that."""
    ratio, alpha, n = Fraction(3), Fraction(5, 4), 5
    moves, exact_moves = corners(2.0), corners(ratio - 1)
    monkeypatch.setattr(spare, "_places", lambda blankets, n: 2)
    truth = float(exact_game.profile(Game(n, n, (exact_moves,)), alpha))

    def assumed(m, times):
        return np.array([times * float(exact_game.spared(exact_moves, m, alpha))])

    found = [
        spare.spared(LongGame(laws(ratio, alpha)), moves, math.log(alpha), n, lambda m, t=times: assumed(m, t)) / n
        for times in (1, 2)
    ]
    assert truth <= found[0] <= found[1]


@settings(max_examples=25)
@given(st.floats(1.05, 60), st.floats(0, 1.5), st.integers(30, 120), st.floats(0.2, 6))
def test_one_law_agrees_with_all_steps(ratio, eps, n, far):
    """The two ways share nothing but the first steps; the certificate may not make them cross."""
    long = LongGame(laws(ratio, math.exp(eps)))
    x = np.array([-far * long.deviation * math.sqrt(n)])
    few = long.enough(n, n, x)
    if few is None:
        return
    (one,), (steps,) = long._by_one_law(few, [n], [x]), long._by_steps([n], [x])
    assert one[0] == pytest.approx(steps[0], rel=0.03)


def test_the_certificate_grows_with_what_is_left_to_do():
    own = laws(8, 1)
    board = Board(own, 10, 0.1).play(10)

    def cost(steps):
        return certificate.slack(board, own, 0, np.array([-30.0]), steps, lambda log: math.log(steps) + steps * log)[0]

    assert 0 < cost(100) < cost(400)


def test_all_lengths_share_what_a_step_gains():
    """Each length by itself has tilts of its own, and hardly less slack."""
    own = laws(8, 1.1)
    game, lengths = LongGame(own), [900, 700, 500]
    starts = [np.array([-5.0, -1.0]) * game.deviation * math.sqrt(n) for n in lengths]
    few = Few(game._board(60, game.step), 0)
    for n, x, found in zip(lengths, starts, game.worths(lengths, starts, few), strict=True):
        assert found == pytest.approx(game.worths([n], [x], few)[0], rel=1e-3)


@pytest.mark.parametrize("ratio", [2.0, 8.0, 40.0])
def test_no_point_is_left_out_that_gains_the_most(ratio):
    own = laws(ratio, 1.05)
    board = Board(own, 12, 0.1).play(12)
    tilts = np.geomspace(1e-3, 3.0, 30)
    points, excess = board.excess(own, 0)
    points, excess = points[excess > 0], excess[excess > 0]
    known = (np.log(excess) - np.outer(tilts, points)).max(axis=1) + tilts * board.step
    assert (certificate.log_gain(board, own, 0, tilts) >= known).all()


def test_scores_know_their_moments():
    law = Scores(np.array([-1.0, 2.0, 9.0]), np.array([2 / 3, 1 / 3, 0.0]))
    assert law.variance == pytest.approx(2.0)
    assert law.log_moments(np.array([0.0, 1.0])) == pytest.approx([0, math.log(2 / 3 / math.e + math.e**2 / 3)])
    assert law.tilted(law.tilt_for_mean(1.0))[0] == pytest.approx(1.0, abs=1e-2)


def test_sums_of_which_none_has_a_chance_that_is_a_number():
    """So deep that all listed chances are below the least number: once there was nothing left to be put on a grid."""
    game = LongGame(laws(1.24, 1.08))
    most = max(float(law.value.max()) for law in game.laws)
    x = np.array([-0.95 * most * 2_000])
    board = Board(game.laws, 20, game.step, game._depth(2_000, x, 24.0)).play(20)
    (found,) = game.worths([2_000], [x], Few(board, 0))
    assert 0 < found[0] < 1e-280


@pytest.mark.parametrize(("ratio", "depth"), [(1.5, 4.0), (30, 3.0), (30, 6.0), (400, 4.0)])
def test_the_law_of_a_shallow_board_is_worth_little_more(ratio, depth):
    """Beyond the edge there is Chernoff's bound at its best rate: one for a normal sum was 40 times the worth."""
    own = laws(ratio, Fraction(1))
    deviation = math.sqrt(max(law.variance for law in own))
    shallow, deep = (Board(own, 200, deviation / 8, reach).play(200) for reach in (depth, 40.0))
    law, steps = shallow.law(), np.array([0.0, 0.5, 1.0, 2.0, 2.5])
    starts = -steps * deviation * math.sqrt(200)
    potential = np.maximum(starts[:, None] + law.value, 0.0) @ law.chance
    truth = deep.value(starts)
    assert (potential >= truth * (1 - 1e-9)).all()
    assert (potential <= truth * (1.5 if depth < 4 else 1.1)).all()


@pytest.mark.parametrize("ratio", [1.5, 8, 400])
@pytest.mark.parametrize("out", [4.0, 10.0, 20.0])
def test_blocks_are_known_as_far_as_matters(ratio, out):
    """A deeper board gives the same, and is nowhere below; shallower ones were far above."""
    n = 3 * 400
    game = LongGame(laws(ratio, Fraction(1)), 400)
    x = np.array([-out * game.deviation * math.sqrt(n), 0.0])
    found = game._by_blocks(n, x)
    deep = game._copies(
        [Board(game.laws, 1, game.step)],
        game._board(400, game.block_step, long_game.DEEPEST),
        np.full(1, 3.0),
        np.zeros(1),
        x,
    )
    assert found == pytest.approx(deep, rel=1e-3)


def test_means_over_numbers_of_steps_keep_few_boards(monkeypatch):
    """The mean is that of each number's own worth; what is kept for the next question is no board for each number."""
    game, chances = LongGame(laws(3, Fraction(1)), 100), np.full(60, 1 / 60)
    monkeypatch.setattr(long_game, "ROUNDED", 0.0)
    numbers, x = list(range(330, 270, -1)), np.array([-80.0, -10.0, 0.0])
    found = game.mean_worth(numbers, chances, x, 4.0)
    alone = [game.mean_worth([number], np.ones(1), x, 4.0) for number in numbers]
    assert found == pytest.approx(chances @ np.array(alone), rel=1e-3)
    hashed = tuple(law.key for law in game.laws)
    depth = game._depth(numbers[0], x, 4.0)
    means, block = long_game._left_over(hashed, tuple(numbers), tuple(chances.tolist()), 100, game.block_step, depth)
    assert sorted(means) == [2, 3]
    assert sum(board.weight for board in means.values()) == pytest.approx(1.0)
    assert block.played == 100


def test_random_numbers_of_very_many_steps_are_whole_blocks(monkeypatch):
    """One sum for all of them: nowhere below what one law reaches in as many steps, and as good as one by one."""
    game, numbers = LongGame(laws(3, Fraction(1)), 50), list(range(1_000_400, 999_600, -10))
    chances, x = np.full(len(numbers), 1 / len(numbers)), -game.deviation * 1_000 * np.array([0.0, 1.0, 4.0, 8.0])
    found = game.mean_worth(numbers, chances, x, 4.0)
    monkeypatch.setattr(long_game, "WHOLE", 0.0)
    exact = game.mean_worth(numbers, chances, x, 4.0)
    assert found == pytest.approx(exact, rel=1e-3)
    crowd = Share(game.laws[0], np.array(numbers, dtype=float), np.ones(len(numbers)))
    assert (found >= stop_losses([crowd], np.log(chances), -x).lower).all()


def test_places_that_are_looked_up_once_are_read_as_ever():
    """On both sides of the kink, at nodes, beyond both edges, and after every step."""
    board = Board(laws(8, 1.1), 12, 0.1)
    x = np.concatenate([np.linspace(-150, 120, 3_001), board.x[::7], np.zeros(1)])
    value = board.reading(x)
    for _ in range(12):
        known = board.play(1).value(x)
        assert (value() >= known * (1 - 1e-15)).all()
        assert value() == pytest.approx(known, rel=1e-9)


def test_a_mean_worth_asked_twice_is_the_same():
    """Boards are kept: the first who asked took one of them away, and the second got too little."""
    game = LongGame(laws(Fraction(7, 5), Fraction(1)), 60)
    numbers, chances, x = [130, 70, 40, 20], np.array([0.1, 0.2, 0.3, 0.4]), np.array([-3.0, -1.0])
    first = game.mean_worth(numbers, chances, x, 4.0)
    assert game.mean_worth(numbers, chances, x, 4.0).tolist() == first.tolist()
    alone = [LongGame(game.laws).worths([number], [x], None)[0] for number in numbers]
    assert (first >= chances @ np.array(alone) * (1 - 1e-3)).all()
