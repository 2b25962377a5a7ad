"""What notebook 17 looks at, by other routes."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from shufflekit import DistributedCheckIn
from shufflekit.papers import liew2022
from shufflekit.papers.liew2022 import noise, removal_bench

SETTING = (0.65, 60_000, 1e-3)


def test_the_mean_that_is_shown():
    x = np.linspace(-30, 30, 6001)
    laws = noise.shown(x, 4, 0.65)
    means = [float(np.trapezoid(x * law, x)) for law in laws.values()]
    assert means == pytest.approx([-1.0, -0.5])


def test_noise_in_many_dimensions_tells_how_many_came():
    one, many = (noise.after(d, *SETTING) for d in (1, 1_000_000))
    assert one.sum() == pytest.approx(1)
    assert one[60] < 0.06
    assert many[60] > 0.99
    wide, narrow = noise.spread([1, 10_000], *SETTING)
    assert wide == pytest.approx(math.sqrt(60), rel=0.05)
    assert narrow == pytest.approx(60 * math.sqrt(2 / 10_000), rel=0.1)


def test_which_counts_make_the_moment():
    usual, needle = (noise.share_by_count(order, *SETTING) for order in (2, 6))
    assert usual.sum() == pytest.approx(1)
    assert usual[:10].sum() < 1e-10
    assert needle[0] > 0.99


def test_one_client_on_the_line():
    """If one comes for sure the law is one Gaussian; H of two of them is known in closed form."""
    law = np.exp(noise.log_law((1.0,), 1, 0.8))
    assert law == pytest.approx(norm.pdf(noise.LINE, 1.0, 0.8))
    shift = 2 / noise.SMALL_SIGMA
    gaussian = norm.cdf(shift / 2) - norm.cdf(-shift / 2)
    assert noise.hockey((1.0,), (-1.0,), 1.0) == pytest.approx(noise.SMALL_RATE * gaussian, rel=1e-4)


def test_data_at_the_other_end_reach_the_bound_and_no_others_are_above():
    for way, two in (("replace", (-1, -1, -1, -1)), ("remove", (-1, -1, -1))):
        bound = DistributedCheckIn(0.8, 4, 0.4, way).delta(0.2).upper
        assert noise.hockey((-1, -1, -1, 1), two, math.exp(0.2)) == pytest.approx(bound, rel=1e-4)
        used = noise.attempts(way)
        assert len(used) == 120
        assert 0.8 < max(used) <= 1 + 1e-5


def test_four_clients_are_not_above_theorem_4():
    used = noise.shares_of_theorem_4(2, 0.8, 0.2)
    assert len(used) == 40
    assert max(used) == pytest.approx(1, abs=1e-6)
    assert min(used) > 0


def test_to_choose_after_the_first_round_pays():
    forth, back, adaptive, bound = noise.two_rounds(0.3, 1.5).values()
    assert forth == pytest.approx(back)
    assert adaptive / forth == pytest.approx(1.053, abs=1e-3)
    assert bound / forth == pytest.approx(1.106, abs=1e-3)


def test_curves_by_rounds():
    curves = noise.by_rounds([10, 50], 1.0, 1000, 0.02, 1e-4)
    assert list(curves) == ["replaced: guaranteed", "replaced: reached", "removed, D = 2", "removed, D = 1"]
    assert all(few < many for few, many in curves.values())
    wide, near = curves["removed, D = 2"], curves["removed, D = 1"]
    assert all(a > b for a, b in zip(wide, near, strict=True))
    run = DistributedCheckIn(1.0, 1000, 0.02, "remove", 1.0) * 10
    assert near[0] == pytest.approx(run.epsilon(1e-4).upper, rel=3e-3)


def test_moments_of_theorem_5():
    forms = removal_bench.third_moments([1, 2, 3, 10])
    assert np.isnan(forms["of p'/q'"]).tolist() == [True, True, False, False]
    assert forms["of q'/p'"][2] == pytest.approx(math.exp(liew2022.log_back(3, 3, 1.0)))
    sides = removal_bench.second_moments([1.0, 2.0], 20, 0.5)
    assert sides["printed"][0] == pytest.approx(0.93664, abs=1e-5)
    assert max(sides["printed"]) < 1 < min(sides["truth"])
    assert all(a <= b for a, b in zip(sides["truth"], sides["corrected"], strict=True))
