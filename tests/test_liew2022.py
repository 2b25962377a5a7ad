"""Equations 5, 7 and 8 of the check-ins' paper, its counts and its baseline: against slow sums and the exact law."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import binom

from shufflekit._binomial import log_pmf
from shufflekit.papers import liew2022
from shufflekit.papers.girgis2021 import thm1
from shufflekit.papers.liew2022 import counts as counting
from shufflekit.papers.liew2022 import upper
from shufflekit.papers.liew2022.counts import counts

N, GAMMA = st.integers(1, 40), st.floats(0.001, 1)
EPS0, ORDER = st.floats(0.01, 6), st.integers(2, 40)


def slow_eq5(order, eps0, n, gamma):
    """Equation 5 term by term, with 40 digits for the weights and the sum."""
    with mpmath.workdps(40):
        g = mpmath.mpf(gamma)
        total = (1 - g) ** n
        for k in range(1, n + 1):
            moment = mpmath.exp((order - 1) * mpmath.mpf(float(thm1(order, eps0, n, k))))
            total += mpmath.binomial(n, k) * g**k * (1 - g) ** (n - k) * moment
        return float(mpmath.log(total) / (order - 1))


@settings(max_examples=40, deadline=None)
@given(order=ORDER, eps0=EPS0, n=N, gamma=GAMMA)
def test_equation_5_is_its_sum_and_never_below(order, eps0, n, gamma):
    found, slow = float(liew2022.eq5(order, eps0, n, gamma)), slow_eq5(order, eps0, n, gamma)
    # Where the excess is tiny the slow sum's own terms are rounded: 1e-16 each, over order - 1.
    assert slow - 1e-14 <= found <= slow * (1 + 1e-8) + 1e-14


@pytest.mark.parametrize(("n", "gamma"), [(2_000, 0.3), (400, 1.0), (60_000, 0.01)])
def test_blocks_of_counts_bound_single_ones(n, gamma, monkeypatch):
    orders = np.array([2, 3, 8, 30])
    single = liew2022.eq5(orders, 1.0, n, gamma)
    monkeypatch.setattr(counting, "MOST_BLOCKS", 64)
    upper._averaged.cache_clear()
    blocked = liew2022.eq5(orders, 1.0, n, gamma)
    upper._averaged.cache_clear()
    assert (single <= blocked * (1 + 1e-9)).all()
    assert (blocked <= 1.5 * single).all()


@pytest.mark.parametrize("order", [2, 5, 40])
def test_counts_that_are_left_out_are_taken_for_a_single_report(order, monkeypatch):
    """Here all but e^-3 is left out: what remains is randomized response's own moment, at most e^{(order-1) eps0}."""
    monkeypatch.setattr(upper, "_averaged", lambda eps0, n, gamma, most: (np.full(most + 1, -np.inf), -3.0))
    found = float(liew2022.eq5(order, 1.5, 100, 0.5))
    assert found == pytest.approx(math.log1p(math.exp((order - 1) * 1.5 - 3)) / (order - 1), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 10**6), gamma=st.floats(1e-6, 1), log_cut=st.floats(-2000, -1))
def test_counts_leave_out_no_more_than_they_say(n, gamma, log_cut):
    K = counts(n, gamma, log_cut)
    assert (K.low[1:] == K.high[:-1] + 1).all()
    assert (K.low <= K.high).all()
    first, last = int(K.low[0]), int(K.high[-1])
    assert first >= 1
    assert last <= n
    inside = float(np.exp(K.log_chance).sum())
    true = float(binom.cdf(last, n, gamma) - binom.cdf(first - 1, n, gamma)) if gamma < 1 else 1.0
    assert true - 1e-9 <= inside <= true + 1e-6
    if K.log_outside > -600:
        outside = binom.sf(last, n, gamma) + (binom.cdf(first - 1, n, gamma) - binom.pmf(0, n, gamma))
        assert outside <= math.exp(K.log_outside) * (1 + 1e-9) + 1e-15


def test_blocks_of_counts_far_out_are_rounded_up():
    K = counts(10**9, 0.5, -3000.0)
    assert len(K.low) <= counting.MOST_BLOCKS
    for i in (0, 1, len(K.low) - 1, len(K.low) // 2, len(K.low) // 4):
        each = log_pmf(np.arange(K.low[i], K.high[i] + 1), 10**9, 0.5)
        assert logsumexp(each) <= K.log_chance[i] <= max(each) + math.log(len(each)) + 1e-7


@settings(max_examples=60, deadline=None)
@given(order=st.integers(2, 60), eps0=st.floats(1e-6, 8), n=st.integers(1, 10**12), gamma=st.floats(1e-9, 1))
def test_the_lower_bound_is_below_the_exact_law_and_that_below_equation_5(order, eps0, n, gamma):
    exact = float(liew2022.divergence(order, eps0, n, gamma))
    assert float(liew2022.thm3_free(order, eps0, n, gamma)) <= exact * (1 + 1e-9)
    assert exact <= float(liew2022.eq5(order, eps0, n, gamma)) * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(order=ORDER, eps0=EPS0, n=st.integers(1, 10**9), gamma=GAMMA, Delta=st.floats(0, 20))
def test_no_delta_makes_theorem_3_better_than_none(order, eps0, n, gamma, Delta):
    assert liew2022.thm3(order, eps0, n, gamma, Delta) <= liew2022.thm3_free(order, eps0, n, gamma) * (1 + 1e-12)


@pytest.mark.parametrize("gamma", [0.001, 0.1, 0.9])
@pytest.mark.parametrize("eps0", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_equation_7_is_not_below_equation_5_where_many_come(gamma, eps0):
    orders = np.array([2, 3, 5, 8, 16, 32, 64])
    for factor in (10, 40, 1000):
        n = math.ceil(factor * math.exp(eps0) / gamma)
        assert (liew2022.eq5(orders, eps0, n, gamma) <= liew2022.eq7_best(orders, eps0, n, gamma)).all()


@pytest.mark.parametrize(("n", "gamma", "order", "eps0"), [(1, 0.2, 8, 2.0), (20, 0.01, 12, 4.0), (10, 0.01, 12, 4.0)])
def test_equation_7_is_no_bound_where_few_come(n, gamma, order, eps0):
    exact, bound = (float(f(order, eps0, n, gamma)) for f in (liew2022.divergence, liew2022.eq7_best))
    assert bound < exact < float(liew2022.eq5(order, eps0, n, gamma))


@settings(max_examples=60, deadline=None)
@given(order=ORDER, eps0=EPS0, n=st.integers(1, 10**6), gamma=GAMMA, share=st.floats(0, 1))
def test_equation_7_as_printed_is_above_the_corrected_one_and_both_above_the_least(order, eps0, n, gamma, share):
    Delta = 1 - math.floor(share * n * gamma) / (n * gamma)
    printed, corrected = (float(f(order, eps0, n, gamma, Delta)) for f in (liew2022.eq7, liew2022.eq7_corrected))
    assert float(liew2022.eq7_at_least(order, eps0, n, gamma)) <= corrected * (1 + 1e-9)
    assert corrected <= printed * (1 + 1e-9)


def test_equation_7_as_printed_does_not_vanish():
    printed, corrected = (
        [float(f(5, 1.0, n, 0.1, 0.5)) for n in (1000, 10_000, 100_000)] for f in (liew2022.eq7, liew2022.eq7_corrected)
    )
    assert min(printed) > 0.99 * max(printed)
    assert corrected[2] < 0.005 * corrected[0]


def test_equation_7_best_is_about_the_best_of_all_deltas():
    every = min(float(liew2022.eq7_corrected(3, 2.0, 600, 0.5, 1 - m / 300)) for m in range(301))
    found = float(liew2022.eq7_best(3, 2.0, 600, 0.5))
    assert every <= found <= 1.05 * every


@pytest.mark.parametrize("n", [1, 7, 1000, 10**12])
@pytest.mark.parametrize("eps0", [1e-6, 1.0, 300.0])
@pytest.mark.parametrize("gamma", [1e-12, 0.5, 1.0])
def test_extremes(n, eps0, gamma):
    orders = np.array([2, 64])
    for f in (liew2022.eq5, liew2022.eq7_best, liew2022.eq7_at_least, liew2022.thm3_free, liew2022.divergence):
        found = f(orders, eps0, n, gamma)
        assert np.isfinite(found).all(), f
        assert (found >= 0).all(), f


def test_one_order_or_many():
    many = liew2022.eq5([[2, 3], [5, 9]], 1.0, 100, 0.3)
    assert many.shape == (2, 2)
    assert many[1, 0] == pytest.approx(float(liew2022.eq5(5, 1.0, 100, 0.3)), rel=1e-9)
    assert liew2022.eq7_best([2, 9], 1.0, 100, 0.3)[1] <= liew2022.eq7_corrected(9, 1.0, 100, 0.3, 0.5)


# Appendix D's baseline


@settings(max_examples=60, deadline=None)
@given(eps0=EPS0, n=st.integers(1, 10**7), gamma=st.floats(1e-6, 1), delta_prime=st.floats(1e-15, 0.9))
def test_the_baseline_takes_the_least_number_that_is_enough(eps0, n, gamma, delta_prime):
    one = liew2022.appendix_d(eps0, n, gamma, delta_prime)
    assert binom.sf(one.l, n, gamma) <= delta_prime
    assert one.l == 0 or binom.sf(one.l - 1, n, gamma) > delta_prime * (1 - 1e-6)
    assert one.eps1 == pytest.approx(math.log1p(one.gamma_prime * math.expm1(eps0)), rel=1e-12)


def test_the_baseline_of_the_experiment():
    one = liew2022.appendix_d(2.0, 60_000, 0.1, 1e-10)
    assert (one.l, one.gamma_prime) == (6473, 6473 / 60_000)
    assert one.eps1 < 2.0


# Bad input

GOOD = {"order": 3, "eps0": 1.0, "n": 100, "gamma": 0.3, "Delta": 0.5, "delta_prime": 0.1}
BAD = {
    "order": (1, 2.5, math.nan, "3", 10**9),
    "eps0": (0, -1, 301, math.nan, "1"),
    "n": (0, 1.5, 10**13, True),
    "gamma": (0, 1.1, math.nan, None),
    "Delta": (-0.1, math.inf, math.nan, "x"),
    "delta_prime": (0, 1, math.nan, None),
}
TAKES = {
    liew2022.eq5: ("order", "eps0", "n", "gamma"),
    liew2022.eq7: ("order", "eps0", "n", "gamma", "Delta"),
    liew2022.eq7_corrected: ("order", "eps0", "n", "gamma", "Delta"),
    liew2022.eq7_best: ("order", "eps0", "n", "gamma"),
    liew2022.eq7_at_least: ("order", "eps0", "n", "gamma"),
    liew2022.thm3: ("order", "eps0", "n", "gamma", "Delta"),
    liew2022.thm3_free: ("order", "eps0", "n", "gamma"),
    liew2022.divergence: ("order", "eps0", "n", "gamma"),
    liew2022.appendix_d: ("eps0", "n", "gamma", "delta_prime"),
}
CASES = [(f, name, bad) for f, names in TAKES.items() for name in names for bad in BAD[name]]


@pytest.mark.parametrize(("f", "name", "bad"), CASES, ids=lambda x: getattr(x, "__name__", f"{x!r:.12}"))
def test_bad_input_is_named(f, name, bad):
    values = {one: GOOD[one] for one in TAKES[f]}
    f(**values)
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        f(**values | {name: bad})


@pytest.mark.parametrize("Delta", [0.51, 1.01, 2.0])
def test_delta_must_fit_the_mean(Delta):
    with pytest.raises(ValueError, match="Delta must"):
        liew2022.eq7(2, 1.0, 100, 0.3, Delta)
