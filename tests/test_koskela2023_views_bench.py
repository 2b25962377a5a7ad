"""What notebooks 12 and 12b hold against each other: each row holds, on all of the data sets."""

from fractions import Fraction

import numpy as np
import pytest

from shufflekit import RandomizedResponseShuffle
from shufflekit.papers.koskela2023 import views, views_bench, views_figure
from shufflekit.papers.rows import compared

EQUAL = {
    views_bench.def12_rows: 23_235,
    views_bench.eqc2_rows: 24_654,
    views_bench.eq24_rows: 3_600,
    views_bench.eqc8_rows: 1_656,
    views_bench.thm13_rows: 1_800,
    views_bench.thm15_rows: 5_826,
    views_bench.thm16_rows: 1_800,
    views_bench.index_rows: 216,
}


def test_all_data_sets_of_a_handful_of_users():
    bench = views_bench.bench()
    assert len(bench) == 276
    assert max(one.n for one in bench) == 5
    assert max(one.k for one in bench) == 4
    assert all(sum(p for p, _ in one.weak.values()) == 1 for one in bench)


@pytest.mark.parametrize(("rows", "count"), EQUAL.items(), ids=lambda one: getattr(one, "__name__", str(one)))
def test_sides_that_are_equal(rows, count):
    found = list(rows())
    assert len(found) == count
    assert not [row for row in found if row[0] != row[1]]


def test_who_sees_more():
    rows = compared(views_bench.def14_rows())
    assert all(left <= right for left, right in zip(rows.lhs, rows.rhs, strict=True))
    decides = rows.without("degenerate")
    assert 0 < sum(decides) < len(decides)
    strict = [left < right for left, right, own in zip(rows.lhs, rows.rhs, decides, strict=True) if own]
    assert any(strict)
    assert views_bench.meets_at_one()


def test_the_probability_is_a_bound_for_one_multinomial():
    assert all(left <= right * (1 + 1e-9) for left, right, _ in views_bench.eq42_rows())


def test_independent_counts_are_too_small_from_55_users_on():
    share, gamma, alpha = views_bench.largest_share(55)
    assert (gamma, alpha) == (0.85, 33)
    assert views_bench.largest_share(54)[0] < 1 < share


def test_one_more_ball_is_a_law():
    law = views_bench.one_more_ball(4, Fraction(1, 4), 3)
    assert sum(law.values()) == 1
    assert max(b for b, _, _ in law) == 3


def test_rounds_are_products():
    seen = views.enumerate_views([], Fraction(1, 2), 2, "weak")
    assert views_bench.hockey(seen, 2) == Fraction(1, 4)
    assert views_bench.hockey(seen, 2, 2) == Fraction(7, 16)
    losses = views_bench.losses(seen)
    assert sorted(losses.mass) == [Fraction(1, 4), Fraction(3, 4)]


@pytest.mark.parametrize("rounds", views_figure.REACH)
@pytest.mark.parametrize("view", ["strong", "clones", "weak"])
def test_curves_lie_in_the_calculators_brackets(rounds, view):
    seen = views_figure.curves(rounds)
    run = RandomizedResponseShuffle(views_figure.K, gamma=views_figure.GAMMA, n=views_figure.N, view=view) * rounds
    for eps, drawn in zip(seen.eps[[1, 10]], getattr(seen, view)[[1, 10]], strict=True):
        upper = run.delta(float(eps)).upper
        assert drawn == pytest.approx(upper, rel=3e-4), eps


def test_the_figure():
    assert views_figure.RATIO == 13
    assert all(weak <= clones for weak, clones, _ in views_figure.weak_rows())
    assert all(lower <= upper for lower, upper, _ in views_figure.crossing_rows())
    assert views_figure.crossing() == pytest.approx(views_figure.CROSSING)
    printed, clones, at = views_figure.nearest()
    assert printed > 2 * clones
    assert at["rounds"] in views_figure.REACH
    assert np.isclose(views_figure.clones(np.array([0.0]))[0], views_figure.curves(1).clones[0])
