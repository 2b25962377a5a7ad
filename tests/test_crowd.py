"""When one score of a crowd may stand for another: nowhere worth less."""

import math

import numpy as np
import pytest

from shufflekit.definitions import Game, corners
from shufflekit.dominating_pairs import crowd
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.game_pair import GamePair, scores
from shufflekit.dominating_pairs.long_game import LongGame
from tests import pairs

SKEWED = Scores(np.array([-1.0, 2.0]), np.array([2.0, 1.0]) / 3)
MIRRORED = Scores(np.array([-2.0, 1.0]), np.array([1.0, 2.0]) / 3)
NOTHING = Scores(np.array([0.0]), np.array([1.0]))


@pytest.mark.parametrize(
    ("laws", "below"),
    [
        ([NOTHING, SKEWED, SKEWED.times(0.9)], True),
        ([SKEWED.times(1.1)], False),
        # As spread as it is, and worth more where the other bends: at 1, 4/3 against 1.
        ([MIRRORED], False),
        ([NOTHING, MIRRORED], False),
        ([MIRRORED.times(0.25)], True),
    ],
)
def test_a_law_stands_for_those_that_are_worth_no_more_anywhere(laws: list[Scores], below: bool) -> None:
    assert crowd._all_below(laws, SKEWED) is below
    x = np.linspace(-3.0, 3.0, 601)
    worth = [np.maximum(np.add.outer(x, law.value), 0.0) @ law.chance for law in (SKEWED, *laws)]
    assert all((one <= worth[0] + 1e-12).all() for one in worth[1:]) is below


def of_crowd(n: int, population: int, rate: float = 1.0, *, replaced: bool = False) -> crowd.Crowd:
    game = Game(n, population, (corners(math.expm1(2.0)),), rate if rate < 1 else 1, replaced)
    return crowd.Crowd(game)


EPS = np.array([0.0, 1e-3])


def test_what_is_assumed_of_the_last_places() -> None:
    """A clone's part in each of them that is left: 1 - 1/E; so many that it is e^-10."""
    one = of_crowd(10_000, 10_000)
    E = math.exp(2.0)
    assert one.places == math.ceil(-10 / math.log1p(-1 / E))
    n = 10_000 - one.places
    clones = (1 - 1 / E) ** one.places * pairs.clones(2.0, n, n).pair.delta(EPS, 1e-4, -40.0).lower
    found = one._assumed(EPS, -40.0)
    assert (clones <= found).all()
    assert found == pytest.approx(clones, rel=crowd.ROUGH)


def test_what_is_assumed_if_all_have_checked_in() -> None:
    one = of_crowd(1_000, 1_000, 0.99)
    assert one.places == 0
    clones = 0.99**1_000 * pairs.clones(2.0, 1_000, 1_000).pair.delta(EPS, 1e-4, -40.0).lower
    found = one._assumed(EPS, -40.0)
    assert (clones <= found).all()
    assert found == pytest.approx(clones, rel=crowd.ROUGH)
    assert of_crowd(10_000, 10_000, 0.5)._assumed(EPS, -40.0).tolist() == 2 * [math.exp(-700)]


@pytest.mark.parametrize(
    "one", [of_crowd(1_000, 5_000), of_crowd(1_000, 1_000, 0.99, replaced=True)], ids=["some", "one"]
)
def test_where_nobody_makes_room_nothing_is_assumed(one: crowd.Crowd) -> None:
    assert one.places == 0
    assert one._assumed(EPS, -40.0).tolist() == [0.0, 0.0]


def test_a_game_whose_first_law_does_not_vote_is_named() -> None:
    moves = corners(math.expm1(2.0))
    binary_first = moves._replace(laws=moves.laws[1:])
    with pytest.raises(TypeError, match="the first law must vote, got"):
        crowd.Crowd(Game(1_000, 5_000, (binary_first,)))


def test_slack_takes_few_steps_and_few_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little next to the votes; and few steps are played where few are enough, at few of many alphas."""
    one, played, real = crowd.Crowd(Game(10_000, 100_000, (corners(math.expm1(4.0)),))), list[int](), crowd.Board.play

    def play(board: crowd.Board, steps: int) -> crowd.Board:
        played.append(steps)
        return real(board, steps)

    monkeypatch.setattr(crowd.Board, "play", play)
    eps, least = np.linspace(0.0, 0.02, 200), 1e-12
    known, little = one._known(eps[::20], [np.zeros(1)] * 10, 1e-4, -60.0, np.ones(10))
    alone = np.array([float(anchor.worth[0]) for anchor in known]) / 100_000
    votes = one.votes.upper(eps[::20], 1e-4, -60.0)
    assert all(little)
    assert (alone <= votes * (1 + crowd.LITTLE))[votes > least].all()
    assert sum(played) < one.steps * 10
    played.clear()
    found, sure = one.profile(eps, 1e-4, -60.0, np.ones(len(eps)))
    assert max(played) <= one.steps
    assert len(played) < len(eps) / 4
    assert sure[:100].all()
    assert found[::20] == pytest.approx(alone, rel=5e-3)


@pytest.mark.parametrize(("slots", "population"), [(400, 4_000), (3_000, 3_000)])
def test_moved_starts_are_a_bound(slots: int, population: int) -> None:
    """Votes and slack are no less than the game from there, and not much more."""
    game, eps = Game(slots, population, (corners(math.expm1(1.5)),)), 0.03
    one = crowd.Crowd(game)
    moved = [np.array([-60.0, -10.0, 0.0, 20.0, population * math.expm1(eps)])]
    known, _ = one._known(np.array([eps]), moved, 1e-4, -60.0, np.ones(1))
    laws = [scores(law, math.exp(eps)) for law in game.moves[0].laws]
    # All but one of the slots, as where somebody makes room, are worth less than votes of all, and some more.
    truth = LongGame(laws).worth(slots - one.everybody, moved[0] - population * math.expm1(eps))
    assert (known[0].worth >= truth * (1 - 2e-5)).all()
    assert (known[0].worth <= truth * 2).all()


@pytest.mark.parametrize(("slots", "population"), [(10_000, 100_000), (20_000, 20_000)])
def test_between_anchors_it_is_no_less_than_one_alpha_at_a_time(slots: int, population: int) -> None:
    game = Game(slots, population, (corners(math.expm1(2.0)),))
    one = crowd.Crowd(game)
    eps = np.linspace(0.0, 12 * one._spread(1.0) / population, 300)
    assert len(one._anchors(eps)) < 100
    found, _ = one.profile(eps, 1e-4, -120.0, np.ones(len(eps)))
    for i in (0, 7, 53, 120, 200):
        alpha = math.exp(float(eps[i]))
        long = LongGame([scores(law, alpha) for law in game.moves[0].laws])
        truth = float(long.worth(slots - one.everybody, np.array([-population * (alpha - 1)]))[0]) / population
        assert found[i] >= truth * (1 - 2e-5)
        assert found[i] <= one.profile(eps[[i]], 1e-4, -120.0, np.ones(1))[0][0] * (1 + 6e-3)


def test_boards_after_any_number_of_steps_are_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes and slack are no less than the game, whatever the number of steps that the slack is content with."""
    game = Game(400, 4_000, (corners(math.expm1(1.5)),))
    eps = np.array([0.0, 0.02, 0.05, 0.09])
    truth = np.array([GamePair(game).at(float(e)) for e in eps])
    one = crowd.Crowd(game)
    assert one.serves
    for little in (1e-9, 1e-6, 1e-2, 1.0):
        monkeypatch.setattr(crowd, "LITTLE", little)
        upper, _ = one.profile(eps, 1e-4, -60.0, np.ones(len(eps)))
        assert (upper >= truth * (1 - 2e-5)).all()


def test_what_is_worth_nothing_is_not_looked_at_farther_out() -> None:
    """Of few slots one law takes over late: where that costs more than another bound, all the rest does."""
    one = crowd.Crowd(Game(1_000, 1_000, (corners(math.expm1(2.0)),)))
    eps = np.linspace(0.0, 2.0, 30)
    votes = one.votes.upper(eps, 1e-4, -200.0)
    for points in (eps, np.linspace(0.0, 2.0, 600)):
        upper, sure = one.profile(points, 1e-4, -200.0, np.interp(points, eps, votes))
        out = int(np.isinf(upper).argmax())
        assert 0 < out < len(points)
        assert np.isinf(upper[out:]).all()
        assert not sure[out:].any()
        assert np.isfinite(upper[:out]).all()
