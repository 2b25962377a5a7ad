"""``E(S - x)_+`` by chords between evenly spaced points: against all outcomes, and the points one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.dominating_pairs import chords, few_sums
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.chords import stop_losses_at_many
from shufflekit.dominating_pairs.line import Share, stop_losses
from tests.test_line import LAWS

ONE = np.zeros(1)


def share(law, number):
    return Share(law, np.full(1, float(number)), np.ones(1))


@pytest.fixture(autouse=True, scope="module")
def however_few():
    """No sum is of so few scores that all its outcomes are looked at instead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few_sums, "MOST_OUTCOMES", 0)
        yield


@given(
    st.sampled_from(sorted(LAWS)),
    st.integers(1, 40),
    st.sampled_from([1e-2, 1e-4, 1e-6]),
    st.floats(0, 3),
    st.floats(0.01, 9),
)
def test_the_ends_hold_the_truth(name, number, rtol, first, width):
    """Also beyond the largest sum, and below 0."""
    crowd = share(LAWS[name], number)
    deviation = math.sqrt(number * LAWS[name].variance)
    x = deviation * np.linspace(first - 0.2, first + width, 150)
    found, truth = stop_losses_at_many(crowd, x, rtol), few_sums.stop_losses([crowd], ONE, x, None)
    assert (found.lower <= truth.upper * (1 + 1e-12)).all()
    assert (found.upper >= truth.lower * (1 - 1e-12)).all()


CROWDS = [share(LAWS["clones"], 3_000), share(LAWS["rare gain"], 400), share(LAWS["corner"], 100_000)]


@pytest.mark.parametrize("crowd", CROWDS, ids=lambda crowd: str(crowd.number[0]))
@pytest.mark.parametrize("rtol", [1e-3, 1e-5])
@pytest.mark.parametrize("out", [0.0, 4.0])
def test_as_near_as_points_by_themselves(crowd, rtol, out):
    deviation = math.sqrt(float(crowd.number[0]) * crowd.law.variance)
    x = deviation * np.linspace(out, out + 2.0, 300)
    found, alone = stop_losses_at_many(crowd, x, rtol), stop_losses([crowd], ONE, x, rtol, finer=False)
    assert (found.lower <= alone.upper).all()
    assert (alone.lower <= found.upper).all()
    # Each end, and the gap, on the average: an outcome may be nearer to one than to the other.
    assert np.mean(found.upper / alone.upper) <= 1
    assert np.mean(found.lower / alone.lower) >= 1 - rtol
    assert np.mean(found.upper - found.lower) <= np.mean(alone.upper - alone.lower)


def test_the_first_point_is_one_of_the_even():
    """At an outcome of many sums, as 0 is where most slots stay silent, the lower end is nearly the truth."""
    law = Scores(np.array([1.0, 0.0, -1.0]), np.array([1e-4, 1 - 2e-4, 1e-4]))
    crowd, x = share(law, 5_000), np.linspace(0.0, 1.5, 100)
    found, truth = stop_losses_at_many(crowd, x, 1e-4), few_sums.stop_losses([share(law, 5_000)], ONE, x, None)
    gap = found.upper[0] - found.lower[0]
    assert gap > 1e-3 * found.upper[0]
    assert truth.lower[0] - found.lower[0] < gap / 50


def test_few_points_and_nodes_that_cost_too_much_are_left_to_the_line(monkeypatch):
    x = np.linspace(0.0, 30.0, 200)
    for points in (x[:20], x):
        alone = stop_losses([CROWDS[0]], ONE, points, 1e-4, finer=False)
        found = stop_losses_at_many(CROWDS[0], points, 1e-4)
        assert (found.lower == alone.lower).all() and (found.upper == alone.upper).all()
        monkeypatch.setattr(chords, "MOST_WORK", 0)
