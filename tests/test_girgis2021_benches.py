"""What notebooks 00 to 03 hold against each other: which points are asked, that each row holds, what is known."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import divergences, exact
from shufflekit.papers.girgis2021 import binning_bench, crowd_bench, privacy_bench, regimes_bench, report_bench, steps
from shufflekit.papers.rows import compared
from shufflekit.protocols import Shuffle
from shufflekit.randomizers import RandomizedResponse
from shufflekit.vector_randomizers import R1


@functools.cache
def found_by(bench):
    """What a bench finds, once for all tests."""
    return bench()


def shares(rows):
    return [float(left / right) for left, right, _ in rows]


def test_theorem_1_is_above_the_clones_at_all_points_of_the_ledger():
    rows = found_by(regimes_bench.proved_rows)
    assert len(rows) == 906
    assert sum(compared(rows).without("k = 1,")) == 696
    assert max(shares(rows)) <= 1
    assert max(share for share, row in zip(shares(rows), rows, strict=True) if "k = 1," not in row[2]) > 0.85


def test_what_is_reached_is_below_the_clones():
    proved, reached = found_by(regimes_bench.proved_rows), regimes_bench.reached_rows(regimes_bench.SMALL)
    assert [where for *_, where in proved] == [where for *_, where in reached]
    assert all(low[0] <= high[0] for low, high in zip(reached, proved, strict=True))


def test_more_than_half_of_theorem_1_is_reached_by_large_crowds():
    rows = regimes_bench.reached_rows()
    assert len(rows) == 6 * len(regimes_bench.LARGE)
    assert max(shares(rows)) == pytest.approx(0.5438, rel=1e-3)


BELOW = {crowd_bench.convexity_rows: 360, crowd_bench.company_rows: 1512, crowd_bench.reduction_rows: 2400}
EQUAL = {crowd_bench.sequence_rows: 8, crowd_bench.histogram_rows: 5820, crowd_bench.mixture_rows: 11560}
MISPRINTS = {crowd_bench.lemma4_proof: 40, crowd_bench.lemma8: 528}


@pytest.mark.parametrize(("bench", "points"), list(BELOW.items()))
def test_one_side_is_below_the_other(bench, points):
    rows = found_by(bench)
    assert len(rows) == points
    assert all(left <= right for left, right, _ in rows)


@pytest.mark.parametrize(("bench", "points"), list(EQUAL.items()))
def test_both_sides_are_the_same_fraction(bench, points):
    rows = found_by(bench)
    assert len(rows) == points
    assert all(left == right for left, right, _ in rows)


@pytest.mark.parametrize(("bench", "points"), list(MISPRINTS.items()))
def test_a_misprint_fails_at_its_point_and_what_is_meant_holds(bench, points):
    (left, right, _), rows = found_by(bench)
    assert len(rows) == points
    if bench is crowd_bench.lemma4_proof:
        assert left != right
        assert all(a == b for a, b, _ in rows)
    else:
        assert left > right
        assert all(a <= b for a, b, _ in rows)


def test_points_that_decide():
    assert sum(compared(found_by(crowd_bench.convexity_rows)).without("order = 1,")) == 240
    assert sum(compared(found_by(crowd_bench.company_rows)).without("order = 1,")) == 1008
    assert sum(compared(found_by(crowd_bench.reduction_rows)).without("n = 1,", "order = 1,")) == 1512


@pytest.mark.parametrize(("k", "n"), list(itertools.product(range(1, 6), range(1, 8))))
def test_what_the_printed_weights_of_clones_sum_to(k, n):
    q = Fraction(1, 3)
    assert crowd_bench.weights_of_clones(k, n, q) == (1 - q) ** (n - k)


def test_the_worst_crowd_has_one_opinion():
    alone, nobody = crowd_bench.worst_epsilon(RandomizedResponse(2, 1.0), 1, 0.01)
    eps, crowd = crowd_bench.worst_epsilon(RandomizedResponse(2, 1.0), 8, 0.01)
    # One report: delta = (E - e^eps)/(E + 1).
    assert alone == pytest.approx(math.log(math.e - 0.01 * (math.e + 1)), rel=1e-9)
    assert (nobody, crowd) == ((), (1,) * 7)
    assert eps < alone


def test_the_worst_of_both_sides_of_theorem_5():
    channel = RandomizedResponse(3, ratio=3)
    assert crowd_bench.worst_sides(channel, 1, 2) == (Fraction(8, 5), Fraction(8, 5))  # alone, there is no crowd
    truth, bound = crowd_bench.worst_sides(channel, 2, 2)
    crowds = [steps.in_crowd(channel, [other], x, 2) for other, *x in itertools.product(range(3), repeat=4)]
    # One other, who is a clone once in three times: 8/5 alone, 4/5 with a clone.
    assert (truth, bound) == (max(crowds), Fraction(2, 3) * Fraction(8, 5) + Fraction(1, 3) * Fraction(4, 5))


def test_shares_by_size():
    shares_of = crowd_bench.by_size(found_by(crowd_bench.reduction_rows))
    assert sorted(shares_of) == [1, 2, 3, 4]
    assert set(shares_of[1]) == {1.0}  # alone, both sides are the same number
    assert max(shares_of[3]) == pytest.approx(0.988175, rel=1e-5)


def test_definitions_agree_with_all_sets_and_spelled_out_sums():
    assert len(privacy_bench.ratio_rows()) == 7
    assert all(left == right for left, right, _ in privacy_bench.ratio_rows())
    (needed, printed, _), rows = found_by(privacy_bench.def4)
    assert (needed, printed, len(rows)) == (Fraction(1, 2), 0, 320)
    assert all(left == right for left, right, _ in rows)
    rows = found_by(privacy_bench.renyi_rows)
    assert len(rows) == 400
    assert [left for left, *_ in rows] == pytest.approx([right for _, right, _ in rows], rel=1e-10)


def test_lemma_1_holds_and_is_attained():
    rows = found_by(privacy_bench.lemma1_rows)
    assert len(rows) == 8190
    assert 1 - 1e-4 < max(shares(rows)) <= 1 + 1e-10


@pytest.mark.parametrize("eps0", [0.1, 1.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
@pytest.mark.parametrize("rounds", [1, 7, 300])
def test_the_exact_epsilon_lies_in_the_certified_bracket(rounds, eps0, delta):
    found = privacy_bench.response_losses(eps0, rounds).epsilon(delta)
    kit = (Shuffle(eps0, n=1) * rounds).attack_epsilon(delta)
    assert kit.lower * (1 - 1e-9) <= found <= kit.upper * (1 + 1e-9)


def test_epsilon_and_delta_are_each_others_inverse():
    law = privacy_bench.response_losses(0.5, 20)
    assert law.delta(law.epsilon(1e-4)) == pytest.approx(1e-4, rel=1e-9)
    assert law.epsilon(0.999) == 0.0
    assert law.delta(-math.inf) == pytest.approx(1, rel=1e-12)


def test_the_four_conditions():
    finite, sphere = found_by(report_bench.finite_rows), found_by(report_bench.sphere_rows)
    assert (len(finite), len(sphere)) == (144, 324)
    assert all(left <= right for left, right, _ in finite)
    assert all(left <= right * (1 + 1e-10) for left, right, _ in sphere)
    assert sum(compared(finite + sphere).without(", d = 1:")) == 444
    # A corner and its opposite reach the ratio exactly.
    assert all(left == right for left, right, where in finite if where.endswith("privacy"))


@pytest.mark.parametrize("kind", report_bench.SPHERE)
@pytest.mark.parametrize("d", [3, 4, 10, 50])
@pytest.mark.parametrize("eps0", [0.5, 2.0, 5.0])
def test_the_constants_of_the_cap_by_integration(kind, d, eps0):
    kit = kind(d, eps0)
    assert report_bench.by_integration(kit) == pytest.approx(
        (kit.cap_area, kit.cap_probability, kit.alignment), rel=1e-8
    )


def test_remark_1():
    rows = found_by(report_bench.remark1_rows)
    assert len(rows) == 54
    assert sum(compared(rows).without("d = 1,")) == 48
    assert all(left <= right * (1 + 1e-10) for left, right, _ in rows)
    half = [share for share, (*_, where) in zip(shares(rows), rows, strict=True) if "R2, d = 13722" in where]
    assert half == pytest.approx([math.pi / 28] * 3, rel=1e-3)  # pi/2 in the place of 14


def test_measured_errors_are_those_predicted():
    rng = np.random.default_rng(3)
    raw = rng.normal(size=(1000, 8)) + 0.5
    measured, predicted = report_bench.averaging_errors(R1(8, 2.0), raw, [10, 1000], rng)
    assert measured == pytest.approx(predicted, rel=0.4)
    assert predicted[0] / predicted[1] == pytest.approx(10, rel=0.05)


def test_bins_lose_and_finer_bins_lose_less():
    rows = found_by(binning_bench.discrete_rows)
    assert len(rows) == 96
    assert all(left <= right * (1 + 1e-10) for left, right, _ in rows)
    for kind, order in itertools.product(binning_bench.KINDS, binning_bench.ORDERS):
        kept = binning_bench.shares(kind, order)
        assert all(after >= before - 1e-12 for before, after in itertools.pairwise(kept))
        assert kept[-1] > 0.98


def test_binned_reports_are_laws_as_private_as_before():
    for bins in (2, 3, 8, 100):
        p, q = binning_bench.half_sphere(bins, binning_bench.START)
        assert sum(p) == sum(q) == 1
        assert max(*(p / q), *(q / p)) <= binning_bench.RATIO
    start = binning_bench.START
    other = binning_bench.arcs(binning_bench.OTHER, 4, start)
    counted = [exact.histogram_law([other, one]) for one in binning_bench.half_sphere(4, start)]
    shuffled = divergences.renyi(*binning_bench.two_shuffled(4, start), 3)
    assert shuffled == pytest.approx(float(divergences.renyi(*counted, 3)), rel=1e-12)
