"""Sums of scores at many alphas by few of them: against all outcomes in fractions, and lists of outcomes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import definitions
from shufflekit.accuracy import score_error
from shufflekit.dominating_pairs import ScorePair, score_pair, slanted
from shufflekit.dominating_pairs.halves import Parts, excess_of_few
from shufflekit.dominating_pairs.slanted import excess_at_many
from shufflekit.protocols import Shuffle, ShuffledCheckIn
from shufflekit.randomizers import DiscretizedLaplace, random_channel
from tests.test_halves import laws, truth

LAWS = laws(4)


def centred(chance, u0, u1):
    """With means of 0, as scores have them."""
    total = sum(chance)
    chances = [Fraction(one, total) for one in chance]
    columns = []
    for u in (u0, u1):
        mean = sum(c * Fraction(one, 8) for c, one in zip(chances, u, strict=True))
        columns.append([Fraction(one, 8) - mean for one in u])
    return list(zip(chances, *columns, strict=True))


@given(LAWS, st.integers(2, 6), st.fractions(0, 4, max_denominator=16), st.fractions(0, 3, max_denominator=16))
def test_the_ends_hold_the_truth(law, number, first, slope):
    exactly = centred(*law)
    scores = Parts(*(np.array(column, dtype=float) for column in zip(*exactly, strict=True)))
    alphas = [1 + Fraction(i, 64) for i in range(65)]
    points = [first + slope * (alpha - 1) for alpha in alphas]
    found = excess_at_many(scores, number, np.array(alphas, float), np.array(points, float), 1e-3, 1e-12)
    if found is None or (scores.u0 - np.outer([1.0, 2.0], scores.u1)).var() == 0:
        return
    for i in (0, 20, 41, 64):
        true = float(truth(exactly, number, alphas[i], points[i]))
        assert found.lower[i] <= true * (1 + 1e-9) + 1e-12
        assert true <= found.upper[i] * (1 + 1e-9) + 1e-12


RNG = np.random.default_rng(8)
RUNS = [
    Shuffle(n=12, randomizer=DiscretizedLaplace(4, 0.5)),
    Shuffle(n=20, population=300, randomizer=random_channel(3, 4, 2.0, rng=RNG)),
    Shuffle(n=9, randomizer=random_channel(3, 5, 5.5, rng=RNG)),  # x0 = x2: the scores are all of one column
    ShuffledCheckIn(population=400, rate=0.01, randomizer=DiscretizedLaplace(5, 1.0)),
    ShuffledCheckIn(population=60, rate=0.02, randomizer=random_channel(2, 6, 2.5, rng=RNG)),
]


@pytest.mark.parametrize("run", RUNS, ids=str)
@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
def test_near_what_lists_of_outcomes_say(run, rtol):
    """Both ends hold those of each point alone, and are hardly farther apart than the noise."""
    for attack in run.attacks:
        pair = ScorePair(attack.pair.definition)
        (law,), N = pair._laws, float(pair.definition.population)
        slots, scores = pair.definition.slots, Parts(law.chance, law.u0, law.u1)
        deviation = np.sqrt(slots * law.chance @ (law.u0 - law.u1) ** 2) / N
        eps = np.linspace(0.0, min(5 * deviation, 0.7 * pair.largest_loss), 400)
        alpha, x = np.exp(eps), N * np.expm1(eps)
        found = excess_at_many(scores, slots, alpha, x, rtol, score_error(slots, pair._local_eps))
        alone = excess_of_few(scores, slots, alpha[::7], x[::7])
        assert (found.lower[::7] <= alone.upper * (1 + 1e-9)).all()
        assert (found.upper[::7] >= alone.lower * (1 - 1e-9)).all()
        # The noise alone moves sums of few scores by its deviation, where they have outcomes.
        noise = 2 * np.sqrt(rtol * alone.upper[0] * deviation * N)
        assert (found.upper - found.lower)[::7].max() <= noise


def test_few_alphas_are_looked_at(monkeypatch):
    pair = ScorePair(definitions.Definition(60, 400, (definitions.blanket(random_channel(3, 4, 2.0, rng=RNG), 0, 1),)))
    eps = np.linspace(0.0, 0.01, 500)
    looked, real = [], slanted.stop_losses_at_many
    monkeypatch.setattr(slanted, "stop_losses_at_many", lambda *own: looked.append(len(own[1])) or real(*own))
    found = pair.delta(eps)
    assert 0 < len(looked) < 20 and sum(looked) == 3 * len(eps)
    # In any order, and by each alone.
    backwards = pair.delta(eps[::-1])
    assert (backwards.lower[::-1] == found.lower).all() and (backwards.upper[::-1] == found.upper).all()
    monkeypatch.setattr(score_pair, "MANY", 10**6)
    alone = pair.delta(eps)
    assert (found.lower <= alone.upper).all() and (alone.lower <= found.upper).all()


def test_alphas_that_need_a_look_each_are_left_to_others():
    scores = Parts(np.array([0.5, 0.5]), np.array([1.0, -1.0]), np.array([-1.0, 1.0]) * 0.9)
    assert excess_at_many(scores, 10, np.linspace(1, 2, 9), np.linspace(0, 1, 9), 1e-3, 0.0) is None


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rtol", [1e-3, 1e-6])
def test_one_law_is_looked_at_once(monkeypatch, rtol, turned):
    """Scores without u0, or without u1: one look tells of all alphas, and is as near as lists of outcomes are."""
    looked, real = [], slanted.stop_losses_at_many
    monkeypatch.setattr(slanted, "stop_losses_at_many", lambda *own: looked.append(own) or real(*own))
    chance, u = np.array([0.1, 0.5, 0.2, 0.2]), np.array([2.0, -0.5, -0.25, 0.5])
    u -= chance @ u
    scores = Parts(chance, 0 * u, u) if turned else Parts(chance, u, 0 * u)
    alpha = np.exp(np.linspace(0.0, 0.8, 300))
    x = 12 * (alpha - 1)
    found, alone = excess_at_many(scores, 12, alpha, x, rtol, 1e-12), excess_of_few(scores, 12, alpha, x)
    assert len(looked) == 1
    assert (found.lower <= alone.upper * (1 + 1e-9)).all()
    assert (found.upper >= alone.lower * (1 - 1e-9)).all()
    assert (found.upper - found.lower).max() <= 2 * np.sqrt(rtol) * alone.upper[0]
