"""How the paper's bounds behave everywhere: they are numbers, quick, and rise and fall as they must."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import eps0s, sizes

from shufflekit.papers import girgis2021 as paper
from shufflekit.papers.girgis2021.renyi import thm1_at_least

# No warning (an error here), no nan, no overflow, anywhere in eps0 in (0, 20], k to 1e9, order to 1e4.


@given(st.floats(0, 20, exclude_min=True), sizes(), st.lists(st.integers(2, 10_000), min_size=1, max_size=5))
@settings(max_examples=120)
def test_thm1_is_a_number_everywhere(eps0, size, orders):
    n, k = size
    for bound in (paper.thm1(orders, eps0, n, k), paper.thm1_real_order(np.array(orders) - 0.5, eps0, n, k)):
        assert np.isfinite(bound).all()
        assert (bound >= 0).all()
    lower = paper.thm2(orders, eps0, n, k) if k <= 10**6 else 0.0
    assert np.isfinite(lower).all()
    assert (lower <= paper.thm1(orders, eps0, n, k) * (1 + 1e-9)).all()


@given(eps0s, sizes(), st.integers(2, 10_000))
@settings(max_examples=200)
def test_a_quick_look_at_thm1_is_below_it(eps0, size, order):
    n, k = size
    quick, whole = thm1_at_least(order, eps0, n, k), paper.thm1(order, eps0, n, k)
    assert quick <= whole * (1 + 1e-9)
    assert quick >= whole / 20


def test_thm1_takes_a_thousand_orders_for_the_time_of_a_few():
    times = {1: [], 1000: []}
    for _ in range(50):  # in turns, so that what else runs slows both alike
        for count in times:
            start = time.perf_counter()
            paper.thm1(np.arange(1002 - count, 1002), 2.0, 10**6, 1000)
            times[count].append(time.perf_counter() - start)
    assert min(times[1000]) < 12 * min(times[1])  # about 3 times; one by one they would take 400 times


# What the bounds do as their arguments move.


@given(eps0s, st.floats(0, 1), sizes(), st.integers(2, 2000))
@settings(max_examples=200)
def test_thm1_rises_with_eps0(eps0, share, size, order):
    n, k = size
    assert paper.thm1(order, share * eps0 + 1e-9, n, k) <= paper.thm1(order, eps0 + 1e-9, n, k) * (1 + 1e-12)


@given(eps0s, sizes(), st.integers(1, 10**9), st.integers(2, 2000))
@settings(max_examples=200)
def test_thm1_and_thm2_rise_with_the_sampling_rate(eps0, size, more, order):
    n, k = size
    assert paper.thm1(order, eps0, n + more, k) <= paper.thm1(order, eps0, n, k) * (1 + 1e-12)
    if k <= 10**4:
        assert paper.thm2(order, eps0, n + more, k) <= paper.thm2(order, eps0, n, k) * (1 + 1e-9)


@given(eps0s, sizes())
@settings(max_examples=100)
def test_thm1_as_a_log_moment_rises_with_the_order(eps0, size):
    n, k = size
    orders = np.unique(np.round(np.geomspace(2, 10_000, 60)))
    moment = (orders - 1) * paper.thm1(orders, eps0, n, k)
    assert (np.diff(moment) >= -1e-12 * moment[1:]).all()
    real = np.geomspace(1.001, 10_000, 40)
    between = (real - 1) * paper.thm1_real_order(real, eps0, n, k)
    assert (np.diff(between) >= -1e-12 * between[1:]).all()


def test_thm1_itself_need_not_rise_with_the_order():
    """The divergence does, so that a larger order's bound may be the better one at a smaller order."""
    vacuous = paper.thm1([3, 10], 1.0, 1, 1)
    assert vacuous[0] > 1.1 * vacuous[1] > 2
    eps0, n, k = 5.9, 125_000_000, 113_000_000
    orders = np.unique(np.round(np.geomspace(2, 1000, 200)))
    bound = paper.thm1(orders, eps0, n, k)
    falls = np.diff(bound) < -1e-6
    assert falls.any()
    assert bound[:-1][falls].min() < 0.3 * eps0  # also where the bound says something


@given(eps0s, sizes(10**6))
@settings(max_examples=100)
def test_thm2_rises_with_the_order(eps0, size):
    orders = np.concatenate([np.linspace(1.01, 3, 20), np.geomspace(4, 10_000, 20)])
    lower = paper.thm2(orders, eps0, *size)
    assert (np.diff(lower) >= -1e-9 * lower[1:]).all()


@given(st.floats(0.05, 4), sizes(10**7), st.floats(1e-12, 0.1))
@settings(max_examples=30)
def test_privacy_is_spent_by_rounds(eps0, size, delta):
    n, k = size
    spent = [paper.thm3_privacy(eps0, n, k, T, delta).eps for T in (1, 2, 10, 1000)]
    assert all(a <= b * (1 + 1e-12) for a, b in itertools.pairwise(spent))
    assert paper.thm3_privacy(eps0, n, k, 10, delta / 2).eps >= spent[2]


@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("T", [1, 1000])
def test_the_best_whole_order_is_found(eps0, T):
    orders = np.arange(2, 3000)
    for n, k in ((10**6, 1000), (60_000, 10_000), (50, 50)):
        listed = paper.lemma1(T * paper.thm1(orders, eps0, n, k), orders, 1e-8)
        found = paper.thm3_privacy(eps0, n, k, T, 1e-8)
        assert found.eps <= listed.min() * (1 + 1e-12)
        if found.order < 3000:
            assert found.order == orders[listed.argmin()]
            assert found.eps == pytest.approx(listed.min(), rel=1e-12)


def test_an_eps_below_zero_is_zero():
    assert paper.lemma1(1e-3, 2.0, 0.9) < 0
    assert paper.thm3_privacy(0.01, 10**6, 100, 1, 0.9).eps == 0
