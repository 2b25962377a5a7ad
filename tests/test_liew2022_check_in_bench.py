"""What notebook 16 draws, by other routes."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import ShuffledCheckIn, exact
from shufflekit.divergences import hockey_stick
from shufflekit.papers import liew2022
from shufflekit.papers.liew2022 import check_in_bench as bench
from shufflekit.papers.liew2022 import experiments
from shufflekit.randomizers import RandomizedResponse


def test_the_truth_is_above_equation_7_only_where_few_are_expected():
    ratio = bench.truth_by_equation_7(100, [0.01, 0.02, 1.0, 30.0])
    assert ratio[:2].min() > 1 > ratio[2:].max()
    truth = float(liew2022.divergence(2, 1.0, 100, 0.0002))
    assert ratio[1] == pytest.approx(truth / float(liew2022.eq7_best(2, 1.0, 100, 0.0002)))


def test_all_bounds_are_in_order():
    found = bench.all_bounds(np.array([2, 5]), 60_000)
    names = ["Theorem 3", "randomized response, exact", "Equation 5", "Equation 7, corrected", "Equation 7, printed"]
    assert sorted(found) == sorted(names)
    for below, above in itertools.pairwise(names):
        assert (found[below] < found[above]).all(), (below, above)


def test_what_is_left_when_the_count_is_hidden():
    left = bench.left_when_hidden()
    assert left["all messages"] > left["mean"] > Fraction(9, 10) * left["all messages"]
    assert left["mean"] > left["only the ones"]
    # Dummies: the plain shuffle of a channel with E' = 5/3.
    plain = exact.neighbours(RandomizedResponse(2, ratio=Fraction(5, 3)), 4)
    assert left["dummies"] == max(hockey_stick(one.p, one.q, Fraction(5, 4)) for one in plain)


def test_the_steps_go_up_and_one_of_them_far():
    steps = bench.steps(1e-5)
    values = list(steps.values())
    factors = [after / before for before, after in itertools.pairwise(values)]
    assert min(factors) > 1.04
    assert sorted(factors)[-2] < 1.2 < 7 < max(factors) == factors[2]
    told = experiments.ldp_sgd(1e-5)
    assert steps["Equation 5"] == pytest.approx(told["equation 5, summed"].value, rel=1e-6)


def test_the_leading_term_is_that_of_the_clones():
    E = np.exp(2.0)
    clones = 2 * (E - 1) ** 2 / (E + 1)
    one = ShuffledCheckIn(2.0, 60_000, 0.1, reduction="clones")
    assert np.expm1(one.rdp(2)) * 60_000 / 0.1 == pytest.approx(clones, rel=1e-3)
    # For few rounds by the root, about.
    assert bench.leading(4 * clones, 10, 1e-5) == pytest.approx(2 * bench.leading(clones, 10, 1e-5), rel=0.1)
    assert bench.leading(clones, 6_800, 1e-5) == pytest.approx(1.3801, rel=1e-4)


def test_the_bills_of_one_run_are_in_order():
    found = bench.bill(1e-5)
    assert found["reached"] < found["tight"] < found["clones' pair"] < found["equation 5, summed"]
    assert found["equation 7, best Delta"] < found["equation 7, coarse Delta"] < found["strong composition"]
    rounds = bench.bills_by_rounds([6_800], 1e-5)
    assert rounds["tight"] == [pytest.approx(found["tight"])]
    assert rounds["strong composition"] == [found["strong composition"]]
    assert rounds["equation (7)"] == [found["equation 7, best Delta"]]


def test_the_bill_of_figure_4():
    found = bench.figure_4_bill(0.86, 100, 1e-5)
    assert found == sorted(found, reverse=True)
    assert found[1] < found[0] / 2


def test_ten_times_the_rate():
    (loose, tight), (more, higher) = (bench.cost(rate, 100, 1e-5) for rate in (0.01, 0.1))
    assert tight < loose
    assert 3 < higher / tight < 4
    assert more == bench.by_equation_5(2.0, 0.1, 100, 1e-5)
