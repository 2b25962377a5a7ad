"""The judge's games of few slots: sums put together, layers, and what is refused."""

from fractions import Fraction

import pytest

from shufflekit import certify, definitions
from shufflekit.beyond import game as exact
from shufflekit.certify import games
from shufflekit.certify.balls import ball, flint
from shufflekit.definitions import Game, Moves, kind

MOVES = definitions.corners(Fraction(2))


@pytest.fixture(autouse=True)
def _precision():
    with flint().ctx.workprec(200):
        yield


def test_sums_that_overlap_are_one():
    arb = flint().arb
    found, where = games._put_together([ball(3), arb(1, 0.25), ball(2), arb(1.25, 0.125), ball(3)])
    assert where == [2, 0, 1, 0, 2]
    assert [float(x.mid()) for x in found[1:]] == [2.0, 3.0]
    assert found[0].contains(arb(1, 0.2499)) and found[0].contains(arb(1.25, 0.1249))
    assert not found[0].overlaps(ball(1.5))


def test_numbers_become_balls_as_they_are():
    assert games.as_ball(3) == 3
    assert games.as_ball(0.1) == ball(0.1)
    third = games.as_ball(Fraction(1, 3))
    assert (3 * third).contains(1) and third.rad() < 1e-50
    own = ball(7)
    assert games.as_ball(own) is own


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(5, 4)])
def test_values_of_all_starts_and_depths(alpha):
    table = games._Table(games.in_balls(MOVES).laws, games.as_ball(alpha))
    starts = [Fraction(-2), Fraction(0), Fraction(1, 3)]
    found = table.values([games.as_ball(x) for x in starts], [0, 2, 3])
    for row, m in zip(found, (0, 2, 3), strict=True):
        for value, start in zip(row, starts, strict=True):
            truth = exact.value(MOVES.laws, m, alpha, start) if m else max(start, Fraction(0))
            assert value.contains(flint().fmpq(truth.numerator, truth.denominator))
            assert value.rad() < 1e-40
    assert table.seen > 9


@pytest.mark.parametrize(("slots", "n"), [(3, 3), (2, 5)])
@pytest.mark.parametrize("rate", [1, Fraction(2, 5)])
@pytest.mark.parametrize("replaced", [False, True])
def test_the_bound_of_the_game_in_fractions(slots, n, rate, replaced):
    own = Game(slots, n if rate == 1 else slots, (MOVES,), rate, replaced)  # by coins, all of a population come
    alpha = Fraction(6, 5)
    found = games.estimate(own.mapped(games.as_ball), games.as_ball(alpha))
    truth = exact.profile(own, alpha)
    assert found.taken.contains(flint().fmpq(truth.numerator, truth.denominator))
    assert found.taken.rad() < 1e-40
    assert found.left == 0


def test_of_several_moves_the_worst_counts():
    still = (kind(Fraction(1), 0, 0),)
    nothing = Moves((still,), ((*still, kind(Fraction(0), -1, -1)),))
    for moves in ((MOVES, nothing), (nothing, MOVES)):
        found = games.estimate(Game(2, 3, moves).mapped(games.as_ball), ball(1))
        truth = exact.profile(Game(2, 3, (MOVES,)), Fraction(1))
        assert found.taken.contains(flint().fmpq(truth.numerator, truth.denominator))


def test_too_many_sums_are_refused(monkeypatch):
    define = lambda number: Game(4, 9, (MOVES,))  # noqa: E731
    monkeypatch.setattr(games, "MOST", 30)
    with pytest.raises(
        ValueError, match="define must give a game of few slots, of at most 30 sums of scores, got more"
    ):
        certify.delta(define, 0.1)
    table = games._Table(games.in_balls(MOVES).laws, ball(1))
    table._count(30)
    with pytest.raises(ValueError, match="of at most 30 sums"):
        table._count(1)


def test_a_game_is_checked():
    given = Game(2, 3, (MOVES,))
    assert games.checked_game(given) is given
    law = MOVES.laws[0]
    for wrong, words in (
        (Game(4, 3, (MOVES,)), "slots must be from 1"),
        (Game(2, 3, (MOVES,), 0.0), "rate must be above 0"),
        (Game(2, 3, (Moves((law[:2],), (law,)),)), "laws must have chances that sum to 1"),
        (Game(2, 3, (Moves((law,), (law[:2],)),)), "laws must have chances that sum to 1"),
    ):
        with pytest.raises(ValueError, match=words):
            games.checked_game(wrong)
