"""What notebook 13 holds against each other: each row holds, and its two sides come by two roads."""

import math

import numpy as np
import pytest

from shufflekit.papers.koskela2023 import gaussian_bench as bench


def test_the_integrals_lie_between_the_ends():
    rows = list(bench.section5_rows())
    assert len(rows) == 32
    assert all(left <= right * (1 + 1e-9) for left, right, _ in rows)
    assert bench.integral(2).error.tolist() == [0.0] * 4
    assert (bench.integral(7).error > 0).all()


def test_one_user_in_closed_form_is_a_gaussian_mechanism():
    found = [bench.quadrature(1, alpha) for alpha in np.exp(bench.EPS)]
    assert found == pytest.approx(bench.gaussian_delta(1 / bench.SIGMA, bench.EPS), rel=1e-12)


def test_a_sum_of_all_reports_tells_less():
    linear = bench.gaussian_delta(1 / (bench.SIGMA * math.sqrt(7)), bench.EPS)
    assert (linear < bench.ends(7).lower).all()


def test_fifty_million_points():
    seen = bench.cubes()
    assert seen.off.shape == (bench.RUNS, 4)
    assert (abs(seen.seen - 1) < 0.3).all()
    chances = {side: one.chance.min() for side, one in seen.sides.items()}
    assert max(chances.values()) < 0.95
    assert chances[8.5] < 0.01
    assert (np.diff([one.bias for one in seen.sides.values()], axis=0) < 0).all()
    assert (np.diff([one.scatter for one in seen.sides.values()], axis=0) > 0).all()
    assert all(left <= right for left, right, _ in bench.fig5_rows())


def test_orbits_are_counted():
    rows = list(bench.grid_rows())
    assert all(counted == formula for counted, formula, _ in rows)
    assert len(rows) == 42


def test_moments_by_two_roads():
    rows = list(bench.moment_rows())
    assert len(rows) == 47
    for ours, theirs, where in rows:
        assert ours == pytest.approx(theirs, rel=1e-9), where
    assert bench.recurrence(3, 1.0, 2)[3] == pytest.approx((math.exp(3) + 3 * math.e) / 4)


def test_the_plane_and_the_line():
    rows = list(bench.plane_rows())
    assert len(rows) == 36
    assert all(left <= right for left, right, _ in rows)
    added, removed = bench.in_the_plane(1.0, 1.0)
    assert added == pytest.approx(removed)
