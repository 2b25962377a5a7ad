"""When one score of a crowd may stand for another: nowhere worth less."""

import math

import numpy as np
import pytest

from shufflekit.definitions import Game, corners
from shufflekit.dominating_pairs import crowd
from shufflekit.dominating_pairs.board import Scores
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
    clones = pairs.clones(2.0, n, n).pair.delta(EPS, 1e-4, -40.0).upper
    assert one._assumed(EPS, 1e-4, -40.0) == pytest.approx((1 - 1 / E) ** one.places * clones, rel=1e-9)


def test_what_is_assumed_if_all_have_checked_in() -> None:
    one = of_crowd(1_000, 1_000, 0.99)
    assert one.places == 0
    clones = pairs.clones(2.0, 1_000, 1_000).pair.delta(EPS, 1e-4, -40.0).upper
    assert one._assumed(EPS, 1e-4, -40.0) == pytest.approx(0.99**1_000 * clones, rel=1e-9)
    assert of_crowd(10_000, 10_000, 0.5)._assumed(EPS, 1e-4, -40.0).tolist() == 2 * [math.exp(-700)]


@pytest.mark.parametrize(
    "one", [of_crowd(1_000, 5_000), of_crowd(1_000, 1_000, 0.99, replaced=True)], ids=["some", "one"]
)
def test_where_nobody_makes_room_nothing_is_assumed(one: crowd.Crowd) -> None:
    assert one.places == 0
    assert one._assumed(EPS, 1e-4, -40.0).tolist() == [0.0, 0.0]


def test_a_game_whose_first_law_does_not_vote_is_named() -> None:
    moves = corners(math.expm1(2.0))
    binary_first = moves._replace(laws=moves.laws[1:])
    with pytest.raises(TypeError, match="the first law must vote, got"):
        crowd.Crowd(Game(1_000, 5_000, (binary_first,)))
