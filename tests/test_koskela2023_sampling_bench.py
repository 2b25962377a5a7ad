"""What notebooks 11 and 11b hold against each other: each row holds, and the points that decide are there."""

from fractions import Fraction

import numpy as np
import pytest

from shufflekit.papers.koskela2023 import Lemma7Pair, sampling_bench, sampling_figures
from shufflekit.papers.rows import compared
from shufflekit.randomizers import RandomizedResponse

RR = RandomizedResponse(2, ratio=3)
ROWS = (
    sampling_bench.lemma7_rows,
    sampling_bench.eq23_rows,
    sampling_bench.letter_rows,
    sampling_bench.against_lemma7_rows,
    sampling_bench.real_rows,
    sampling_bench.check_in_rows,
    sampling_figures.order_rows,
)


@pytest.mark.parametrize("bench", ROWS, ids=lambda bench: bench.__name__)
def test_every_row_holds(bench):
    rows = list(bench())
    # Rows in fractions hold exactly.
    assert len(rows) > 100
    assert not [row for row in rows if row[0] > row[1]]


def test_the_rows_are_in_fractions():
    for bench in ROWS[:-1]:
        left, right, _ = next(iter(bench()))
        assert {type(left), type(right)} <= {int, Fraction}


def test_eleven_channels():
    channels = sampling_bench.bench()
    assert len(channels) == 11
    assert channels[-1].ratio < channels[-2].ratio == 3


def test_lemma7_is_exact_for_one_user_and_not_for_more():
    assert sampling_bench.lemma7_share(RR, 4, 1) == 1
    assert all(sampling_bench.lemma7_share(RR, n, k) <= 0.9 for n, k in sampling_bench.SIZES if k > 1)
    bound, truth, alpha = sampling_bench.lemma7_sides(RR, 5, 2)
    assert len(bound) == len(alpha)
    assert all(len(one) == len(alpha) for one in truth)
    assert (np.diff(alpha) > 0).all()


def test_what_is_degenerate_is_said():
    rows = compared(sampling_bench.lemma7_rows())
    for where, own in zip(rows.over["where"], rows.without("degenerate"), strict=True):
        assert own == ("degenerate" not in where)
        assert not (own and ", 1 of " in where)
        assert not own or Fraction(where.rpartition("= ")[2]) > 1


def test_brute_force_and_the_scores_agree():
    rows = list(sampling_bench.told_rows())
    assert all(left == right for left, right, _ in rows)
    assert not any(compared(rows).without("degenerate"))


def test_real_shuffles_attain_the_sampled_clones():
    """At every size from 2 of 3 to 4 of 5, at some alpha above 1."""
    attained = {
        size
        for left, right, where in sampling_bench.real_rows()
        for size in ("2 of 3", "2 of 4", "3 of 4", "2 of 5", "3 of 5", "4 of 5")
        if left == right and f", {size}," in where and "degenerate" not in where
    }
    assert len(attained) == 6


def test_the_two_forms_of_check_ins_are_equal():
    rows = [row for row in sampling_bench.check_in_rows() if row[2].startswith("two forms")]
    assert rows
    assert all(left == right for left, right, _ in rows)


def test_dots_on_a_grid_lie_above():
    pair, eps = Lemma7Pair(3.0, n=10_000, k=100), np.array([0.01, 0.1])
    h = pair.delta(eps).upper
    dots = {points: sampling_figures.gridded_delta(pair, points, eps) for points in (11, 41)}
    assert (dots[11] > h).all()
    assert dots[11][0] > dots[41][0]
    assert sampling_figures.gridded(pair, 11, 2).delta(0.1, 1e-4).upper > dots[11][1]
    rows = compared(sampling_figures.figure2_rows(eps, h, dots))
    assert [a <= b for a, b in zip(rows.lhs, rows.rhs, strict=True)] == [True] * 5
    assert rows.without("coarser", "gap") == [False, False, True, True, False]


def test_four_bounds_in_their_order():
    four = sampling_figures.four_bounds(2.0, 10_000, 100, 10, 1e-6)
    assert four.attack < four.clones < four.lemma7 < four.renyi
    assert four.lemma7 == sampling_figures.lemma7_epsilon(2.0, 10_000, 100, 10, 1e-6, 1e-4)


def test_the_reference_as_printed_is_below_an_attack():
    (printed,) = sampling_figures.reference_as_printed(2.0, 10**6, 1000, [1000], 1e-8)
    assert 0 < printed < sampling_figures.four_bounds(2.0, 10**6, 1000, 1000, 1e-8).attack


def test_figure_3_is_lower_by_half_at_least():
    rows = list(sampling_figures.figure3_rows())
    assert len(rows) == 48
    assert all(1.5 * ours <= theirs for ours, theirs, _ in rows)
