"""What notebook 18 holds against each other: each row holds, on grids that are not empty."""

from fractions import Fraction

import pytest

from shufflekit.beyond import few, few_bench
from shufflekit.definitions import corners
from shufflekit.papers import figures_girgis2021

BELOW = {
    few_bench.moment_rows: 140,
    few_bench.sampled_rows: 6_136,
    few_bench.check_in_rows: 2_832,
    few_bench.known_rows: 5_448,
    few_bench.everybody_rows: 3_432,
    few_bench.normal_rows: 40,
}


@pytest.mark.parametrize(("rows", "count"), BELOW.items(), ids=lambda one: getattr(one, "__name__", str(one)))
def test_every_row_holds(rows, count):
    found = list(rows())
    assert len(found) == count
    assert not [row for row in found if row[0] > row[1]]


def test_few_users_are_solved():
    found = list(few_bench.few_user_rows())
    assert len(found) == 120
    assert all(left == right for left, right, _ in found)


def test_a_mixture_reaches_more_than_either_corner():
    E = Fraction(546, 10)
    binary, half, ternary = (few_bench.mixed_epsilon(E, Fraction(i, 2), 1000, 1e-8) for i in (2, 1, 0))
    assert half > max(binary, ternary)


def test_what_the_best_move_wins_falls():
    board = few.played(corners(6.0).laws, 20, 6 / 7, 150)
    gain = few_bench.gain_over_3rr(board, ratio=7, shift=7)
    assert gain[15] < 1e-5 < 1e-3 < gain[1]


def test_the_centres_order():
    clones, best, alone = few_bench.at_centres(3.0).values()
    assert all(a > b >= c for a, b, c in zip(clones, best, alone, strict=True))
    assert len(clones) == len(few_bench.SIZES)


def test_three_bounds_and_the_open_rows():
    panel = figures_girgis2021.PANELS["2a"]._replace(T=(100,))
    thm1, upper, reached = values = figures_girgis2021.panel_bounds(panel)
    assert reached[0] < upper[0] < thm1[0]
    assert figures_girgis2021.open_rows({"2a": values}) == [(upper[0], 1.001 * reached[0], "2a, point 1")]
    assert panel.varied == ("rounds T", (100,))
    assert figures_girgis2021.PANELS["2c"].varied[0] == "clients n"
    assert (figures_girgis2021.single_round_gap(2.0, [10, 300]) >= 0).all()
