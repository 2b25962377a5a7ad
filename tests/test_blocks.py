"""A binomial law cut off and taken in blocks: nothing is lost, and every moment is what fractions say."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from shufflekit.dominating_pairs.blocks import blocks, cells, means, outside, window


def exact_law(n: int, p: Fraction) -> list[Fraction]:
    return [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


rates = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)


@given(st.integers(1, 60), rates, st.floats(0, 1), st.floats(-40, -1))
def test_blocks_and_what_is_outside_are_the_whole_law(n: int, p: Fraction, width: float, log_cut: float) -> None:
    law, rate = exact_law(n, p), float(p)
    parts = blocks(n, rate, float(1 - p), width=width, log_cut=log_cut)
    assert (parts.low[1:] == parts.high[:-1] + 1).all()
    assert (parts.low <= parts.high).all()
    for low, high, mass in zip(parts.low.astype(int), parts.high.astype(int), parts.mass, strict=True):
        assert mass == pytest.approx(float(sum(law[low : high + 1])), rel=1e-9)
        assert high - low <= max(0, width * low)
    first, last = int(parts.low[0]), int(parts.high[-1])
    beyond = [c for c in range(n + 1) if not first <= c <= last]
    out = outside(n, rate, float(1 - p), first, last)
    assert out.probability == pytest.approx(float(sum(law[c] for c in beyond)), rel=1e-9, abs=1e-300)
    assert out.labelled == pytest.approx(float(sum(c * law[c] for c in beyond)), rel=1e-9, abs=1e-300)
    assert out.others == pytest.approx(float(sum((n - c) * law[c] for c in beyond)), rel=1e-9, abs=1e-300)
    # On either side e^log_cut at most.
    assert out.probability <= 2 * math.exp(log_cut)


@given(st.integers(2, 60), rates, st.floats(0.05, 1))
def test_means_of_blocks(n: int, p: Fraction, width: float) -> None:
    law, rate, rest = exact_law(n, p), float(p), float(1 - p)
    parts = blocks(n, rate, rest, width=width, log_cut=-30.0)
    found = means(parts, n, rate, rest)
    for low, high, mean in zip(parts.low.astype(int), parts.high.astype(int), found, strict=True):
        inside = range(low, high + 1)
        assert mean == pytest.approx(float(sum(c * law[c] for c in inside) / sum(law[c] for c in inside)), rel=1e-7)
        assert low <= mean <= high


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
@pytest.mark.parametrize("rate", [0.001, 0.2])
def test_the_cost_does_not_depend_on_n(n: int, rate: float) -> None:
    parts = blocks(n, rate, 1 - rate, width=1e-3, log_cut=-60.0)
    assert len(parts.low) < 2000
    assert parts.mass.sum() == pytest.approx(1, abs=1e-9)
    mean = means(parts, n, rate, 1 - rate)
    assert (mean >= parts.low).all() and (mean <= parts.high).all()
    assert parts.mass @ mean == pytest.approx(n * rate, rel=1e-9)


@given(st.integers(1, 10**12), st.floats(1e-12, 1 - 1e-12), st.floats(-700, -0.1))
def test_windows_are_within_the_law(n: int, rate: float, log_cut: float) -> None:
    first, last = window(n, rate, 1 - rate, log_cut)
    assert 0 <= first <= n * rate <= last * (1 + 1e-9)
    assert last <= n


@pytest.mark.parametrize("log_cut", [-1.0, -20.0, -64.0, -300.0])
@pytest.mark.parametrize(("n", "rate"), [(100, 5e-14), (100, 1e-200), (10**9, 1e-12), (10**6, 5e-7), (40, 0.02)])
def test_of_few_that_come_seldom_few_are_counted(n: int, rate: float, log_cut: float) -> None:
    """One more than the second number is rarer than ``e^log_cut``; a few less are not. (By Bernstein 44 of 5e-12.)"""
    last = window(n, rate, 1 - rate, log_cut)[1]
    log_rare = binom.logsf(last, n, rate)
    assert last == n or log_rare <= log_cut
    assert last <= 4 or binom.logsf(last - 7, n, rate) > log_cut


@given(st.integers(0, 25), rates, st.sets(st.integers(1, 30), max_size=6))
def test_cells_are_around_the_law_in_the_convex_order(n: int, p: Fraction, inner: set[int]) -> None:
    """Means of cells below, masses moved to the nodes above: at every kink, in fractions."""
    law, nodes = exact_law(n, p), np.array([0.0, *sorted(inner)])
    found = cells(np.array([float(n)]), float(p), nodes)
    assert found.mass.sum() == pytest.approx(1, abs=1e-12)
    assert found.moved.sum() == pytest.approx(1, abs=1e-12)
    for a in range(-1, 32):
        truth = float(sum(law[c] * max(c - a, 0) for c in range(n + 1)))
        low = float((found.mass * np.maximum(found.mean - a, 0)).sum())
        high = float((found.moved * np.maximum(found.nodes - a, 0)).sum())
        assert low <= truth + 1e-11
        assert truth <= high + 1e-11
    assert float((found.mass * found.mean).sum()) == pytest.approx(float(n * p), abs=1e-11)


@pytest.mark.parametrize(("n", "rate"), [(10**7, 0.3), (10**9, 0.001), (10**12, 0.2)])
@pytest.mark.parametrize("log_cut", [-40.0, -300.0])
def test_blocks_that_grow_are_fine_where_it_matters(n: int, rate: float, log_cut: float) -> None:
    """Between blocks no number is left out; near the mean they are as wide as others; there are far fewer."""
    width = 2e-5
    even = blocks(n, rate, 1 - rate, width=width, log_cut=log_cut)
    parts = blocks(n, rate, 1 - rate, width=width, log_cut=log_cut, growing=True)
    assert (parts.low[0], parts.high[-1]) == (even.low[0], even.high[-1])
    assert (parts.low[1:] == parts.high[:-1] + 1).all() and (parts.low <= parts.high).all()
    assert parts.mass.sum() == pytest.approx(even.mass.sum(), rel=1e-8)
    wide, mean = parts.high - parts.low > width * even.low[0], n * rate
    deviation = math.sqrt(mean * (1 - rate))
    away = np.minimum(np.abs(parts.low - mean), np.abs(parts.high - mean)) / deviation
    assert (away[wide] > 6).all() and parts.mass[wide].sum() < 1e-8
    assert len(parts.low) < (0.6 if log_cut < -200 else 1) * len(even.low) + 4
    # A mean that grows with c is not less, and hardly more: by what a block near the mean is wide.
    found = float(parts.mass @ np.exp((parts.high - mean) / deviation))
    step = (width * even.low[0] + 1) / deviation
    assert math.exp(0.5) * (1 - 1e-3) <= found <= math.exp(0.5 + step) * (1 + 1e-3)


@pytest.mark.parametrize("growing", [False, True])
def test_blocks_of_any_width_are_numbers(growing: bool) -> None:
    """A width of more than 64 bits made objects of them."""
    parts = blocks(6_865_000, 0.6, 0.4, width=1e15, log_cut=-40.0, growing=growing)
    assert parts.low.dtype == parts.high.dtype == float
    assert parts.mass.sum() == pytest.approx(1.0)
