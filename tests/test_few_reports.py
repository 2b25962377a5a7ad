"""The game of a few reports, term by term: the game in fractions, and lists that are nowhere below it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.beyond import game
from shufflekit.convex_order import profile
from shufflekit.definitions import kind, row_game
from shufflekit.dominating_pairs import few_reports, pair_of
from shufflekit.dominating_pairs.channel_worth import CLOSELY, ChannelWorth
from shufflekit.randomizers import DiscretizedLaplace, HadamardResponse, RandomizedResponse, random_channel

EPS = np.array([0.0, 1e-6, 0.03, 0.2, 0.7])


def random_game(seed: int, reports: int, population: int):
    rng = np.random.default_rng(seed)
    channel = random_channel(*(int(k) for k in rng.integers(2, 4, 2)), ratio=int(rng.integers(2, 9)), rng=rng)
    return row_game(channel, reports, population)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 3))
def test_it_is_the_game_in_fractions(seed, reports, others):
    """Sampled or not; never below, and above by round-off alone."""
    own = random_game(seed, reports, reports + others)
    found = few_reports.few_worths(own.mapped(float), EPS)
    exactly = np.array([float(game.profile(own, Fraction(math.exp(eps)))) for eps in EPS])
    assert (exactly * (1 - 1e-13) <= found).all()
    assert (found <= exactly * (1 + 1e-9) + 1e-13).all()


@pytest.mark.parametrize("population", [4, 9])
@pytest.mark.parametrize(
    "channel", [RandomizedResponse(2, 1.0), RandomizedResponse(3, 2.0), DiscretizedLaplace(3, 1.0)]
)
def test_it_lies_below_the_game_on_a_grid(channel, population):
    """And near it."""
    own = row_game(channel, 4, population).mapped(float)
    assert few_reports.serves(own)
    eps, worth = np.array([0.05, 0.2]), ChannelWorth(own)
    found = few_reports.few_worths(own, eps)
    grid = [
        max(worth.of(one, e, CLOSELY)[0] for one in worth.field.contenders(math.exp(e))[0]) / population for e in eps
    ]
    assert (found <= np.array(grid) * (1 + 1e-9)).all()
    assert found == pytest.approx(grid, rel=0.01)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 3))
def test_a_list_is_nowhere_below_it_and_near_it(seed, reports, others):
    """Also between its knots; the whole of it, whatever may be left out."""
    pair = pair_of(random_game(seed, reports, reports + others).mapped(float))
    listed = pair.listed(-30.0).upper
    assert listed.missing == 0
    eps = np.linspace(0.0, pair.largest_loss, 37)[:-1]
    known, truth = profile(listed, eps), pair.delta(eps).upper
    assert (truth <= known * (1 + 1e-9)).all()
    assert (known <= truth * (1 + 2e-3) + 1e-6 * truth[0]).all()


def test_how_many_terms_there_may_be():
    """Of two reports as many as there are; of more, fewer."""
    assert few_reports.serves(row_game(HadamardResponse(40, 1.0), 2, 2).mapped(float))
    assert not few_reports.serves(row_game(DiscretizedLaplace(20, 1.0), 5, 5).mapped(float))
    assert not few_reports.serves(row_game(RandomizedResponse(2, 1.0), 9, 9).mapped(float))


def test_of_no_alphas_there_is_nothing():
    assert not len(few_reports.few_worths(random_game(1, 2, 2).mapped(float), np.zeros(0)))


def in_order(laws, m, alpha, x):
    """``F_m`` with its scores one after the other."""
    if m == 0:
        return max(x, 0.0)
    after = [[one.chance * in_order(laws, m - 1, alpha, x + one.u0 - alpha * one.u1) for one in law] for law in laws]
    return max(map(sum, after))


@given(st.integers(0, 10**6), st.integers(0, 4))
def test_the_order_of_scores_does_not_matter(seed, reports):
    """Never below what they are worth one by one, in any order; above by round-off alone."""
    (moves, *_), alpha, x = random_game(seed, 3, 3).mapped(float).moves, 1.2, np.array([[-0.7, 0.0, 0.9]])
    found = few_reports._worth(few_reports._side_by_side(moves.laws), reports, np.full(1, alpha), x)[0]
    exactly = np.array([in_order(moves.laws, reports, alpha, float(start)) for start in x[0]])
    assert (exactly * (1 - 1e-13) <= found).all()
    assert (found <= exactly * (1 + 1e-9) + 1e-12).all()


def test_scores_that_differ_by_round_off_are_one():
    """The larger one, at any alpha."""
    near = kind(0.25, 0.5, -0.25), kind(0.25, 0.5 + 1e-16, -0.25 - 1e-17), kind(0.5, -0.5, 0.25)
    terms = few_reports._side_by_side([near, near[:1]])
    assert sorted(terms.u0) == [-0.5, max(0.5, 0.5 + 1e-16)]
    assert sorted(terms.u1) == [min(-0.25, -0.25 - 1e-17), 0.25]
    assert terms.rows == 4


@pytest.mark.parametrize("population", [4, 40])
def test_how_many_alphas_are_looked_at_together_does_not_matter(population, monkeypatch):
    """One by one each expectation is a sum over a law's kinds: 5 s for 591 alphas of one channel."""
    own = row_game(DiscretizedLaplace(4, 0.7), 4, population).mapped(float)
    eps = np.linspace(0.0, 0.3, 50)
    together = few_reports.few_worths(own, eps)
    monkeypatch.setattr(few_reports, "AT_ONCE", 1)
    assert np.array_equal(few_reports.few_worths(own, eps), together)


def test_each_expectation_is_by_the_best_law():
    rng = np.random.default_rng(0)
    terms = few_reports.Terms(
        np.ones(4), np.ones(4), [(np.array([0, 2]), np.array([0.3, 0.7])), (np.arange(4), np.full(4, 0.25))]
    )
    after, left = few_reports._steps(4, 3)[-1], rng.random((20, 6))
    best = few_reports._best(few_reports._expected(terms, after), left)
    each = [sum(c * left[after[:, k]] for k, c in zip(columns, chance, strict=True)) for columns, chance in terms.laws]
    assert best == pytest.approx(np.maximum(*each), rel=1e-15)
