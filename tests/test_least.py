"""The least of several bounds: which are looked at, and that nothing else is less."""

import math

import numpy as np
import pytest

from shufflekit import RandomCheckIn, definitions
from shufflekit.definitions import Least
from shufflekit.dominating_pairs import least, pair_of
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.dominating_pairs.least import LeastPair
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from tests import lists, pairs

BOUNDS = RandomCheckIn(1.5, 50, 40).define()


def test_the_bounds_are_a_game_and_two_lotteries() -> None:
    assert isinstance(BOUNDS, Least)
    pair = pair_of(BOUNDS)
    assert isinstance(pair, LeastPair)
    assert [type(one) for one in pair.pairs].count(LotteryPair) == 2
    lotteries = [one for one in pair.pairs if isinstance(one, LotteryPair)]
    told = min((one.guide for one in lotteries), key=lambda one: one.delta(np.zeros(1)).upper[0])
    assert pair.guide == told
    assert pair.reversed() is pair
    assert (
        pair.largest_loss == min(one.largest_loss for one in pair.pairs) < max(one.largest_loss for one in pair.pairs)
    )


def test_it_is_whichever_is_least() -> None:
    pair = pair_of(BOUNDS)
    assert isinstance(pair, LeastPair)
    eps = np.array([0.0, 0.02, 0.1, 0.3])
    found = pair.delta(eps)
    assert np.array_equal(found.lower, found.upper)
    each = np.min([one.delta(eps).upper for one in pair.pairs], axis=0)
    assert found.upper == pytest.approx(np.where(eps < pair.largest_loss, each, 0.0), rel=1e-12)
    assert (found.upper[:2] > 0).all()
    assert (pair.delta(np.array([pair.largest_loss, 2.0])).upper == 0).all()


def test_without_a_lottery_there_is_no_guide() -> None:
    one, other = pairs.clones(1.0, 10, 20).pair, pairs.clones(1.0, 9, 20).pair
    pair = LeastPair((one, other))
    assert pair.guide is None
    eps = np.array([0.0, 0.1])
    assert np.array_equal(pair.delta(eps).upper, np.minimum(one.delta(eps).upper, other.delta(eps).upper))


def test_one_pair_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(least, "_of_clones", lambda pair, eps: pytest.fail("was looked at"))
    one = pairs.clones(1.0, 10, 20).pair
    assert LeastPair((one,))._needed(np.zeros(3)) == [one]


def test_only_those_near_the_least_are_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """At one of the alphas at least."""
    worth = {"a": [1.0, 1.0], "b": [1.2, 9.0], "c": [1.21, 1.21], "d": [2.0, 0.5]}
    monkeypatch.setattr(least, "_of_clones", lambda pair, eps: np.array(worth[pair]))
    found = LeastPair(("a", "b", "c", "d"))._needed(np.zeros(2))  # type: ignore[arg-type]
    assert found == ["a", "b", "d"]


def test_some_alphas_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of many, from the first to the last; all of few."""
    looked: list[list[float]] = []
    monkeypatch.setattr(least, "_of_clones", lambda pair, eps: looked.append(eps.tolist()) or np.ones(len(eps)))
    pair = LeastPair(("a", "b"))  # type: ignore[arg-type]
    pair._needed(np.arange(61.0))
    pair._needed(np.arange(3.0))
    assert looked == 2 * [[0.0, 20.0, 40.0, 60.0]] + 2 * [[0.0, 1.0, 2.0]]


def test_what_clones_would_be_is_told_by_each_kind() -> None:
    pair, eps = pair_of(BOUNDS), np.array([0.0, 0.05])
    assert isinstance(pair, LeastPair)
    game, lottery, _ = pair.pairs
    assert isinstance(lottery, LotteryPair)
    assert least._of_clones(lottery, eps).tolist() == lottery.of_clones(eps).tolist()
    assert isinstance(game, GamePair)
    assert np.array_equal(least._of_clones(game, eps), game.fallback.delta(eps, least.ROUGH).upper)
    votes = pairs.clones(1.0, 10, 20).pair
    assert np.array_equal(least._of_clones(votes, eps), votes.delta(eps, least.ROUGH).upper)


def test_its_list_connects_dots() -> None:
    pair = LeastPair((pairs.clones(1.0, 100, 200).pair, pairs.clones(1.0, 120, 200).pair))
    lists.closely_listed(pair, 5e-3)
    lists.on_a_lattice(pair)


def test_a_corner_is_never_more_than_its_clones() -> None:
    moves = definitions.corners(math.expm1(1.0))
    assert moves.monotone
    pair = pair_of(RandomCheckIn(1.0, 30, 25).define())
    alone = pair_of(RandomCheckIn(1.0, 30).define())
    eps = np.array([0.0, 0.05])
    assert (pair.delta(eps).upper <= alone.delta(eps).upper * (1 + 1e-12)).all()
