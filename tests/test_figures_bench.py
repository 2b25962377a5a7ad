"""What notebook 8 holds against each other: each row holds, and each misprint fails at its point."""

import pytest

from shufflekit.papers import figures_bench, girgis2021
from shufflekit.papers.figures_girgis2021 import DELTA


def below(rows):
    return all(left <= right * (1 + 1e-10) for left, right, _ in rows)


def test_when_the_older_bounds_apply():
    rows = figures_bench.eq52_rows()
    assert all(left == right for left, right, _ in rows)
    assert below(figures_bench.eq51_rows())
    found = figures_bench.constant()
    left, right, _ = found.printed
    assert right < left < 1.01 * right  # by a hair
    assert below(found.rows)
    assert len(found.rows) == 180


def test_the_headlines():
    found = figures_bench.chains(2.0)
    ours = girgis2021.thm3_privacy(2.0, 10**6, 1000, 10**5, DELTA).eps
    assert below(figures_bench.within(found["(eps0,0), simplified"], 14 * ours))
    assert below(figures_bench.within(found["[29]+[43], weak"], 2.5 * ours))
    assert found["[29]+[43]"] < ours < found["[24], optimal"] < found["[24], simplified"]
    assert not below(figures_bench.within(found["[24], simplified"], 14 * ours))
    assert found["[29]+[43]"] <= found["[29]+[43], [29] closed"]


@pytest.mark.parametrize(("figure", "said", "ours"), [("Figure 3", 4.82, 2.91), ("Figure 6", 18.3, 5.8)])
def test_what_the_older_bound_costs(figure, said, ours):
    found = figures_bench.baseline(figure, said, ours)
    assert found.printed[0] > found.printed[1]
    assert below(found.rows)
    T = found.printed[2]["steps"]
    assert figures_bench.cost(figure, T) <= ours < figures_bench.cost(figure, T + 1)


def test_the_network_of_table_1():
    assert figures_bench.parameters(2) == 13_722
    assert figures_bench.last_side(["same"] * 4, (2, 2)) == 2
    assert 2 in figures_bench.sides()
    assert 13_170 not in figures_bench.counts()
    assert len(figures_bench.counts()) == 336
    assert min(abs(d - 13_170) for d in figures_bench.counts()) == 462
