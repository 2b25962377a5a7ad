"""What notebooks 4 to 8 hold against each other: each row holds, and the benches are what they say."""

import math
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import binom

from shufflekit.papers import figures_girgis2021, girgis2021
from shufflekit.papers.girgis2021 import lower_bench, renyi_bench, steps, ternary_bench
from shufflekit.papers.rows import compared
from shufflekit.randomizers import RandomizedResponse


def below(rows):
    return all(left <= right * (1 + 1e-10) for left, right, _ in rows)


def used(rows):
    """The largest share of a bound that is reached."""
    return max(float(left / right) for left, right, _ in rows if right)


def exact(*sides):
    return all(isinstance(side, Fraction | int) for one in sides for side in one)


def test_the_channels_are_exact_and_as_private_as_they_say():
    for channel in ternary_bench.channels():
        assert all(isinstance(chance, Fraction) for chance in channel.probs.ravel())
        ratios = [a / b for column in channel.probs.T for a, b in product(column, repeat=2)]
        assert max(ratios) <= channel.ratio


def test_histograms_sum_to_1_and_are_as_printed():
    rows = ternary_bench.histogram_rows()
    assert all(left == right for left, right, _ in rows)
    p, changed = RandomizedResponse(3, ratio=2).probs[:2]
    every = [(*h, 3 - sum(h)) for h in product(range(4), repeat=2) if sum(h) <= 3]
    assert sum(ternary_bench.multinomial(p, h) for h in every) == 1
    assert sum(ternary_bench.eq33(p, changed, h) for h in every) == 1
    assert ternary_bench.eq33(p, changed, (1, 0, 0)) == changed[0]


def test_among_clones_the_bounds_hold():
    for order in ternary_bench.ORDERS:
        rows = ternary_bench.cor1_rows(order)
        assert exact(*(row[:2] for row in rows))
        assert below(rows)
    rows = ternary_bench.lemma7_rows()
    crowds = [row for row in rows if "m = 1," not in row[2]]
    assert below(rows)
    assert used(crowds) == pytest.approx(1, rel=1e-12)  # by binary randomized response, at order 2
    assert used([row for row in crowds if "order 2" not in row[2]]) < 0.9
    rows = ternary_bench.thm6_rows()
    assert below(rows)
    assert used(rows) < 0.9
    assert sum(compared(rows).without("m = 1,")) == len(rows) * 6 // 7


def test_the_way_to_theorem_1():
    for bench in (renyi_bench.split_rows, renyi_bench.eq44_rows):
        rows = bench()
        assert all(left == right for left, right, _ in rows)
        assert exact(*(row[:2] for row in rows))
    rows = renyi_bench.eq47_rows()
    assert all(float(left) == pytest.approx(float(right), rel=1e-10) for left, right, _ in rows)
    rows = renyi_bench.lemma2_rows()
    assert below(rows)
    assert max(left / right for left, right, where in rows if "k = 1," not in where) == 1  # at order 2
    rows = renyi_bench.E0_rows()
    assert below(rows)
    assert used(rows) == pytest.approx(0.8)  # two clients' values of three, E = 3/2, at order 1
    for bench, most in ((renyi_bench.thm4_rows, 1 / 7), (renyi_bench.thm1_rows, 0.9)):
        rows = [row for row in bench() if "k = 1," not in row[2]]
        assert below(rows)
        assert used(rows) < most


def test_the_staircase_leads_to_theorem_1():
    for eps0, k in ((1.0, 1000), (2.0, 1000), (3.0, 1000), (0.5, 400)):
        n = 10**9
        top = girgis2021.thm1(2, eps0, n, k) / girgis2021.thm2(2, eps0, n, k)
        stairs = renyi_bench.staircase(eps0, k)
        assert math.prod(stairs.values()) == pytest.approx(top, rel=1e-6)
        assert all(step >= 1 for step in stairs.values())
        share = sum(binom.pmf(m, k - 1, math.exp(-eps0)) / (m + 1) for m in range(k))
        assert stairs["clones 1/E"] == pytest.approx(k * share, rel=1e-9)


def test_the_better_sums_are_bounds():
    """Averaged over the clones, and with exact moments too: above the truth, below Theorem 4 each."""
    for channel, k, order in renyi_bench.crowds():
        truth = renyi_bench.zeta(channel, k, order)
        exact_moments = steps.thm4_exact_moments(order, channel.eps0, k)
        averaged = girgis2021.thm4_averaged(order, channel.eps0, k)
        assert truth <= exact_moments * (1 + 1e-12)
        assert exact_moments <= averaged * (1 + 1e-12)
        assert averaged <= girgis2021.thm4(order, channel.eps0, k)


def test_ones_are_counted():
    for bench in (lower_bench.eq37_rows, lower_bench.mixture_rows, lower_bench.eq38_rows, lower_bench.data_rows):
        rows = bench()
        assert all(left == right for left, right, _ in rows)
        assert exact(*(row[:2] for row in rows))
    for mine in (0, 1):
        assert sum(lower_bench.eq37(m, 3, 6)[mine] for m in range(7)) == 1
    rows = lower_bench.thm2_rows()
    assert all(float(left) == pytest.approx(float(right), rel=1e-10) for left, right, _ in rows)
    rows = lower_bench.every_rows()
    assert below(rows)
    assert used(rows) == 1
    assert lower_bench.thm2_printed(2, 3, 5, 2) == Fraction(83, 75)


def test_how_not_to_compute_it():
    found = lower_bench.errors([2, 48], 7, 1000, 1000)
    assert found["raw moments"][1] > 1
    assert max(found["central moments"] + found["positive sum (kit)"]) < 1e-11
    found = lower_bench.errors([2], 7, 10**6, 1000)
    assert found["central moments"][0] > 1e-9
    assert found["positive sum (kit)"][0] < 1e-11
    assert lower_bench.worst_over_thm2(7, 4, 1) == pytest.approx(1)
    assert lower_bench.worst_over_thm2(7, 4, 4) > 1.7


def test_both_directions():
    """Without sampling the reverse direction reveals more, at every order and in epsilon; with it, not."""
    assert (lower_bench.reversed_over_printed(2.0, 1000, 1000, [2.0, 8.0]) > 1).all()
    few = lower_bench.reversed_over_printed(2.0, 100_000, 1000, [2.0, 8.0])
    assert ((few > 0.99) & (few < 1)).all()
    there, back = lower_bench.both_directions(2.0, 1000, 1000)
    assert 1.2 * there < back
    reached = figures_girgis2021.randomized_response(2.0, 1000, 1000, 1)
    assert back == pytest.approx(reached.lower, rel=2e-3)
