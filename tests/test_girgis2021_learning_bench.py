"""What notebook 7 holds against each other: each row holds, and the survey is what it says."""

import math

import numpy as np
import pytest

from shufflekit.papers import girgis2021
from shufflekit.papers.girgis2021 import learning_bench, thm3_bench
from shufflekit.papers.girgis2021.survey import LIPSCHITZ, read_survey
from shufflekit.vector_randomizers import RInf
from tests.test_house import ROOT


@pytest.fixture(scope="module")
def survey():
    return read_survey(ROOT / "data" / "rand_health.csv")


def below(rows):
    return all(left <= right * (1 + 1e-10) for left, right, _ in rows)


def test_the_survey(survey):
    assert (survey.n, survey.d) == (5638, 9)
    assert set(survey.label) == {0, 1}
    for p, L in LIPSCHITZ.items():
        assert np.linalg.norm(survey.features, ord=p, axis=1).max() <= L
    # At the optimum the gradient points straight into the ball, and it is that of the loss.
    slope = survey.gradients(survey.best, np.arange(survey.n)).mean(axis=0)
    assert slope == pytest.approx(-survey.best * np.linalg.norm(slope) / survey.radius, abs=1e-5)
    step = 1e-6 * np.eye(9)[3]
    rise = (survey.loss(survey.best + step) - survey.loss(survey.best - step)) / 2e-6
    assert rise == pytest.approx(slope[3], rel=1e-5)
    path = survey.learn(RInf(9, 4.0), 1000, [1, 100], 2)
    assert path.shape == (2, 2)
    assert (path[:, 1] < path[:, 0]).all()


def test_lengths_and_moments():
    assert below(learning_bench.clip_rows())
    rows = learning_bench.split_rows()
    assert all(left == right for left, right, _ in rows)
    assert below(learning_bench.eq48_rows())


def test_the_counterexample_is_unbiased_and_its_variance_depends_on_the_gradient():
    one = learning_bench.rounding()
    assert one.channel.ratio == 9
    assert list(one.mean) == [-1, 0, 1]
    top = (one.square[2] - one.square[1]) / 2
    assert one.variance(top) > max(one.variance(0), one.variance(1))
    assert one.variance(top) < (one.square[0] + one.square[2]) / 2


def test_what_is_learnt(survey):
    assert below(learning_bench.lemma10_rows(learning_bench.last_iterates(survey)))
    assert below(learning_bench.overshoot_rows())
    # One round of the worst problem uses a quarter of the bound, the most there can be.
    bound = girgis2021.thm3_convergence(1, 2.0, math.inf, 1, 1.0, 6.0, 1000)
    assert learning_bench.overshoot(1).mean() == pytest.approx(bound / 4, rel=1e-2)


def test_the_printed_orders_are_those_of_theorem_1():
    listed = thm3_bench.every_order(2.0, 10**6, 1000)
    assert listed[[0, 6, 98]] == pytest.approx(girgis2021.thm1([2, 8, 100], 2.0, 10**6, 1000), rel=1e-10)


def test_every_objective_is_found_least(monkeypatch):
    monkeypatch.setattr(thm3_bench, "SIZES", ((100, 100), (10**6, 1000)))
    found = thm3_bench.objectives()
    assert found[-1].turns == 2  # up, down and up: two valleys, of which the second is deeper
    assert found[-1].listed[0] > found[-1].listed.min()
    for left, right, where in thm3_bench.minimum_rows(found):
        assert left == pytest.approx(right, rel=1e-10), where
    assert all(one.kit.eps < one.listed.min() for one in found if one.kit.order > thm3_bench.HIGHEST)


def test_prices(monkeypatch):
    monkeypatch.setattr(thm3_bench, "SIZES", ((1, 1), (10**6, 1000)))
    found = thm3_bench.prices()
    assert all(one.attack <= one.clones * (1 + 1e-12) for one in found)
    assert below(thm3_bench.privacy_rows(found))
