"""Games in which most slots stay silent: never below the game slot by slot, in fractions, and near it."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from shufflekit.dominating_pairs import few_sums, told
from shufflekit.dominating_pairs.board import Board, Scores
from shufflekit.dominating_pairs.long_game import LongGame
from shufflekit.dominating_pairs.told import Told, serves
from shufflekit.protocols import ShuffledCheckIn
from shufflekit.randomizers import DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel

# Chances and scores of those who report, of mean 0.
REPORTING = [
    [(Fraction(1, 4), Fraction(3)), (Fraction(3, 4), Fraction(-1))],
    [(Fraction(1, 2), Fraction(1)), (Fraction(1, 2), Fraction(-1))],
    [(Fraction(3, 4), Fraction(1)), (Fraction(1, 4), Fraction(-3))],
]


def quiet(rate):
    """The laws of slots, the last of which reports less often, and makes up for that by a score of 0."""
    rates = [rate, rate, rate * Fraction(3, 4)]
    return [
        [*((own * chance, score) for chance, score in law), (1 - own, Fraction(0))]
        for own, law in zip(rates, REPORTING, strict=True)
    ]


def slot_by_slot(laws, n, x):
    @cache
    def worth(m, at):
        if m == 0:
            return max(at, Fraction(0))
        return max(sum(chance * worth(m - 1, at + score) for chance, score in law) for law in laws)

    return worth(n, x)


def told_of(laws, n, block=1_000):
    def make(floats):
        long = LongGame(floats)
        long.block = block
        return long

    floats = [Scores(*(np.array(column, dtype=float) for column in list(zip(*law, strict=True))[::-1])) for law in laws]
    assert serves(floats, n, 0)
    return Told(floats, n, make, 1)


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 16), Fraction(1, 1000)])
@pytest.mark.parametrize("n", [1, 5, 9])
def test_never_below_the_game_slot_by_slot(rate, n):
    laws, x = quiet(rate), [Fraction(0), Fraction(-1, 2), Fraction(-2), Fraction(-7), Fraction(3, 2)]
    found = told_of(laws, n).worth(n, np.array(x, dtype=float))
    for at, worth in zip(x, found, strict=True):
        true = slot_by_slot(laws, n, at)
        assert true * (1 - Fraction(1, 10**12)) <= worth <= float(true) * 1.02 + 1e-15


@pytest.mark.parametrize("block", [1, 2, 4])
def test_blocks_are_never_below_it(monkeypatch, block):
    """More reports than a block's board is played for are counted, too."""
    monkeypatch.setattr(told, "LOG_PART", -3.0)
    laws, n = quiet(Fraction(1, 4)), 12
    x = [Fraction(0), Fraction(-1, 2), Fraction(-2), Fraction(-5)]
    game = told_of(laws, n, block)
    assert game._most(n, np.array(x, dtype=float)) > block
    for at, worth in zip(x, game.worth(n, np.array(x, dtype=float)), strict=True):
        assert float(slot_by_slot(laws, n, at)) <= worth * (1 + 1e-9)


def test_what_is_beyond_a_board_is_counted(monkeypatch):
    """A board that is played for too few reports says so."""
    laws, n, x = quiet(Fraction(1, 3)), 8, [Fraction(0), Fraction(-3)]
    whole = told_of(laws, n).worth(n, np.array(x, dtype=float))
    monkeypatch.setattr(Told, "_most", lambda *_: 3)
    for at, worth, least in zip(x, told_of(laws, n).worth(n, np.array(x, dtype=float)), whole, strict=True):
        assert slot_by_slot(laws, n, at) <= worth * (1 + 1e-12)
        assert worth > least


def test_a_board_takes_as_many_steps_as_there_may_be_reports(monkeypatch):
    """Not as many as there are slots: some hundred of a million."""
    played, play = [], Board.play
    monkeypatch.setattr(Board, "play", lambda self, steps: played.append(steps) or play(self, steps))
    n = 10**6
    told_of(quiet(Fraction(1, 10**4)), n).worths([n, n - 1], [np.zeros(2), np.array([-1.0])])
    assert 100 < sum(played) < 300


def test_far_out_nothing_is_played():
    found = told_of(quiet(Fraction(1, 10)), 100).worth(100, np.array([-1e4]))
    assert np.isinf(found).all()


def test_many_kinds_are_not_listed_one_by_one():
    """The outcomes of two blocks are few, but how often each score comes is a wide table."""
    law = Scores(np.linspace(-1, 1, 301), np.full(301, 1 / 301))
    assert not few_sums.are_few([few_sums.Share(law, np.full(1, 2.0), np.ones(1))])


@pytest.mark.parametrize(
    ("channel", "population", "rate"),
    [
        (RandomizedResponse(4, 1.5), 3_000, 0.01),
        (HadamardResponse(6, 3.0), 20_000, 0.002),
        (DiscretizedLaplace(5, 0.7), 50_000, 0.001),
        (random_channel(6, 5, 1.0, rng=np.random.default_rng(8)), 800, 0.1),
        (random_channel(3, 4, 4.0, rng=np.random.default_rng(9)), 10**6, 0.0003),
    ],
    ids=str,
)
@pytest.mark.parametrize("rounds", [1])
def test_between_the_attack_and_little_more(channel, population, rate, rounds):
    run = ShuffledCheckIn(population=population, rate=rate, randomizer=channel) * rounds
    found = run.epsilon(1e-9)
    assert found.lower <= found.upper <= found.lower * 1.12


def test_a_score_that_is_a_thousand_times_the_others():
    """What is worth e^800 is more than floating point holds; told in blocks, it once was an error."""
    protocol = ShuffledCheckIn(population=19, rate=0.0003989, randomizer=DiscretizedLaplace(22, eps0=7.225))
    found = protocol.pair.delta(np.linspace(0.0, 7.0, 4)).upper
    assert (np.diff(found[found > 1e-40]) <= 0).all()
    assert 0 < found[0] < 19 * 0.0003989
