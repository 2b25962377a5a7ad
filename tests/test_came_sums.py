"""Sums over numbers that came, at few places, against all numbers one by one: off by no more than is said."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs import came as came_module
from shufflekit.dominating_pairs import came_around, came_sums
from shufflekit.dominating_pairs.came import came, numbers
from shufflekit.dominating_pairs.came_around import around, pays
from shufflekit.dominating_pairs.came_remainder import remainder
from shufflekit.dominating_pairs.came_sums import Summed, summed

LOG_CUT = -60.0


@pytest.fixture(autouse=True)
def forgotten():
    """Places are kept, and tests change how long stretches are."""
    came.cache_clear()
    yield
    came.cache_clear()


def by_length(mean: NoisyMean, backwards: bool, eps: np.ndarray, length: float) -> Summed:
    """With stretches of another length: of hardly any, each number is by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(came_module, "LENGTH", length)
        patch.setattr(came_sums, "pays", lambda *_: False)
        came.cache_clear()
        found = summed(mean, backwards, eps, LOG_CUT)
        came.cache_clear()
    return found


def points(mean: NoisyMean, backwards: bool) -> np.ndarray:
    deviation = math.sqrt(2 * math.pi) * by_length(mean, backwards, np.zeros(1), 2.5).known.delta.upper[0]
    return deviation * np.array([0.0, 0.3, 1.0, 2.0, 4.0, 7.0, 11.0])


def agree(one: Summed, other: Summed) -> None:
    """Both bracket one number, but for those that only one of them looks at."""
    for first, second in zip(one.known, other.known, strict=True):
        assert (first.lower <= second.upper * (1 + 1e-12) + one.missing + other.missing).all()
        assert (second.lower <= first.upper * (1 + 1e-12) + one.missing + other.missing).all()


SETTINGS = [
    *((1.0, 3_000, 0.2, 2.0), (0.3, 20_000, 0.5, 2.0), (5.0, 20_000, 0.9, 2.0)),
    *((0.2, 10**6, 0.002, 2.0), (8.0, 10**5, 0.3, 0.5)),
]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("sizes", SETTINGS)
def test_few_places_are_as_good_as_all_numbers(sizes, replaced, backwards):
    mean = NoisyMean(*sizes, replaced)
    eps = points(mean, backwards)
    truth, found = by_length(mean, backwards, eps, 1e-9), by_length(mean, backwards, eps, came_module.LENGTH)
    agree(truth, found)
    # Of a replaced record delta back ends where y is 0: there the bound is crude.
    least = 1e-12 if replaced and backwards else 1e-40
    for ends in found.known:
        seen = ends.upper > least
        assert ((ends.upper - ends.lower)[seen] <= 1e-8 * ends.upper[seen]).all()


@settings(max_examples=60, deadline=None)
@given(
    st.floats(0.1, 30),
    st.integers(500, 60_000),
    st.floats(0.01, 0.99),
    st.booleans(),
    st.booleans(),
    st.floats(4, 60),
)
@example(1.0, 3_000, 0.2, True, True, 12.0)
@example(5.0, 20_000, 0.5, False, False, 9.0)
def test_what_stretches_that_are_too_long_err_by_is_said(sigma, population, rate, replaced, backwards, length):
    mean = NoisyMean(sigma, population, rate, 2.0, replaced)
    eps = points(mean, backwards)
    agree(by_length(mean, backwards, eps, 1e-9), by_length(mean, backwards, eps, length))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("replaced", [False, True])
def test_the_remainder_is_above_what_is_off_and_not_for_nothing(replaced, backwards):
    """With so few places and long stretches that sums are visibly off: the bound follows, and says no more than it
    must where stretches are short."""
    mean = NoisyMean(1.0, 50_000, 0.3, 2.0, replaced)
    eps = points(mean, backwards)[:5]
    truth, ratios = by_length(mean, backwards, eps, 1e-9), []
    for length in (6.0, 9.0, 14.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(came_module, "LENGTH", length)
            came.cache_clear()
            looked = came(mean, LOG_CUT)
            off = remainder(mean, backwards, eps, looked.stretches)
            found = came_sums._sums(mean, backwards, eps, looked.shown.kept(looked.shown.ratio > 0))
        for ends, exact, bound in zip(found, truth.known, off, strict=True):
            real = np.abs((ends.lower + ends.upper) / 2 - (exact.lower + exact.upper) / 2)
            assert (real <= bound + 2e-11 * exact.upper).all()
            ratios.append(float((real / exact.upper).max()))
    assert max(ratios) > 1e-9  # so it is a test
    came.cache_clear()
    short = remainder(mean, backwards, eps, came(mean, LOG_CUT).stretches)
    assert (short.delta <= 1e-12 * truth.known.delta.upper).all()


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    "sizes",
    [(30.0, 300_000, 0.3, 2.0), (100.0, 10**6, 0.02, 2.0), (30.0, 2_000_000, 0.95, 1.0), (9.0, 10**6, 0.2, 0.2)],
)
def test_close_only_about_the_number_that_says_nothing(sizes, backwards):
    """The same as all over, with a part of the places, however little shift there is."""
    mean = NoisyMean(*sizes, False)
    assert pays(mean, LOG_CUT)
    eps = np.concatenate([points(mean, backwards), 10 * points(mean, backwards)])
    found = summed(mean, backwards, eps, LOG_CUT)
    agree(by_length(mean, backwards, eps, 1e-9), found)
    for ends in found.known:
        seen = ends.upper > 1e-20
        assert ((ends.upper - ends.lower)[seen] <= 1e-7 * ends.upper[seen]).all()
    looked = around(mean, backwards, eps, LOG_CUT)
    first, last = numbers(mean, LOG_CUT)
    assert looked.shown.came.shape[1] < (last - first) / 3


def test_what_is_left_out_beyond_is_added(monkeypatch):
    """Where hardly any numbers are looked at on the side that says nothing, the rest is in the upper end."""
    mean, eps = NoisyMean(30.0, 300_000, 0.3, 2.0, False), np.array([0.0, 1e-4, 1e-3])
    truth = by_length(mean, False, eps, 1e-9)
    monkeypatch.setattr(came_around, "SPARE", 1.2 - math.sqrt(-2 * LOG_CUT))
    came_around._layout.cache_clear()
    found = summed(mean, False, eps, LOG_CUT)
    came_around._layout.cache_clear()
    agree(truth, found)
    assert ((found.known.delta.upper - found.known.delta.lower)[0] > 1e-4 * truth.known.delta.upper[0]).all()


def test_a_cost_that_does_not_grow_with_how_little_a_number_is_shifted():
    """Places, and so evaluations: where all are looked at closely there would be millions."""
    for sigma in (10.0, 1e3, 1e5):
        mean = NoisyMean(sigma, 10**12, 0.5, 2.0, False)
        assert around(mean, False, np.zeros(1), LOG_CUT).shown.came.size < 2_000
    for population in (10**4, 10**6, 10**9, 10**12):
        assert len(came(NoisyMean(1.0, population, 0.3, 2.0, True), LOG_CUT).shown.came) < 500
