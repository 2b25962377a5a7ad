"""Sums of exponentials at many points: near enough by few series, and never farther off than they say."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit.dominating_pairs import exponentials
from shufflekit.dominating_pairs.exponentials import summed

ROUNDING = 1e-13  # of the terms' sizes: exponents here are below 200


def made(seed: int, number: int, spread: float, *, real: bool):
    rng = np.random.default_rng(seed)
    rate = -1.0 - spread * rng.random(number) + (0 if real else 1j * spread * rng.random(number))
    weight = -spread * rng.random(number) * 20 + (0 if real else 1j * rng.uniform(0, 7, number))
    return weight, rate, np.array([np.ones(number), rate])


def told(found, exact, sizes, slack=0.0):
    """What is wrong is within what may be; both relative to the scale."""
    wrong = np.abs(found.value - exact)
    assert (wrong <= found.off + ROUNDING * sizes + slack).all()
    assert (sizes <= found.size * (1 + 1e-10) + found.off).all()


def directly(weight, rate, factors, x, log_scale):
    term = np.exp(weight + np.outer(x, rate) - log_scale[:, None])
    return np.array([(term * f).sum(axis=1) for f in factors]), np.array(
        [np.abs(term * f).sum(axis=1) for f in factors]
    )


@pytest.mark.parametrize("real", [False, True])
@given(
    seed=st.integers(0, 10**6),
    number=st.integers(1, 60),
    spread=st.floats(1e-3, 30.0),
    points=st.integers(1, 400),
    far=st.floats(1e-3, 60.0),
)
@settings(max_examples=60, deadline=None)
def test_sums_are_within_what_they_say(seed, number, spread, points, far, real):
    weight, rate, factors = made(seed, number, spread, real=real)
    x = np.sort(np.random.default_rng(seed + 1).random(points)) ** 3 * far
    found = summed(weight, rate, factors, x)
    told(found, *directly(weight, rate, factors, x, found.log_scale))
    assert (found.off[0] <= 2e-12 * found.size[0]).all()


@pytest.mark.parametrize("degree", [1, 2, 5])
@pytest.mark.parametrize("real", [False, True])
def test_short_series_say_how_far_off_they_are(degree, real, monkeypatch):
    """What is left out is far above round-off here, and a bound on it that were too small by much would not hold."""
    monkeypatch.setattr(exponentials, "DEGREE", degree)
    monkeypatch.setattr(exponentials, "DEGREES", np.arange(1.0, degree + 1)[:, None])
    monkeypatch.setattr(exponentials, "LOG_LAST", math.lgamma(degree + 2))
    monkeypatch.setattr(exponentials, "MOST_OFF", math.inf)
    for seed in range(30):
        weight, rate, factors = made(seed, 40, 3.0, real=real)
        x = np.linspace(0.0, 10.0, 500)
        found = summed(weight, rate, factors, x)
        exact, sizes = directly(weight, rate, factors, x, found.log_scale)
        told(found, exact, sizes)
        wrong = np.abs(found.value - exact)[0]
        assert wrong.max() > 1e3 * ROUNDING
        assert (wrong / found.off[0]).max() > 1e-3


def test_terms_that_are_not_looked_at_are_in_what_may_be_wrong(monkeypatch):
    monkeypatch.setattr(exponentials, "LOG_SILENT", -5.0)
    monkeypatch.setattr(exponentials, "MOST_OFF", math.inf)
    for points in (10, 500):
        weight, rate, factors = made(3, 200, 2.0, real=True)
        x = np.linspace(0.0, 3.0, points)
        found = summed(weight, rate, factors, x)
        exact, sizes = directly(weight, rate, factors, x, found.log_scale)
        told(found, exact, np.minimum(sizes, found.size))
        assert np.abs(found.value - exact).max() > 1e-4


def test_many_points_take_few_series(monkeypatch):
    """Ten thousand points took as many sums over all terms."""
    series, real = [], exponentials._about

    def about(*args):
        series.append(args)
        return real(*args)

    monkeypatch.setattr(exponentials, "_about", about)
    weight, rate, factors = made(5, 200, 10.0, real=False)
    found = summed(weight, rate, factors, np.linspace(0.0, 5.0, 10_000))
    assert len(series) <= 60
    assert found.value.shape == (2, 10_000)


def test_very_fast_terms_overflow_nowhere():
    weight, rate, factors = np.array([0.0, -1e5]), np.array([-1.0, 1e3]), np.ones((1, 2))
    x = np.linspace(0.0, 200.0, 300)
    found = summed(weight, rate, factors, x)
    assert np.isfinite(found.value).all()
    told(found, *directly(weight, rate, factors, x, found.log_scale), slack=1e-10 * found.size.max())


def test_what_has_no_weight_counts_for_nothing():
    weight, rate, factors = np.array([-np.inf, -2.0]), np.array([-1.0, -2.0]), np.ones((1, 2))
    for x in (np.zeros(1), np.linspace(0.0, 3.0, 100)):
        some, none = summed(weight, rate, factors, x), summed(weight[:1], rate[:1], factors[:, :1], x)
        assert some.value[0] * np.exp(some.log_scale) == pytest.approx(np.exp(-2 - 2 * x), rel=1e-12)
        assert (none.value == 0).all() and (none.off == 0).all()
