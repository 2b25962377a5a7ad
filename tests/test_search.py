"""Where a question changes its answer from no to yes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.search import first_yes, narrowed


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e3))
def test_the_answer_is_from_above_and_near(threshold, start):
    asked = []

    def enough(x):
        asked.append(x)
        return x >= threshold

    found = first_yes(enough, start, doublings=60, halvings=30)
    assert threshold <= found
    # Halved in on from an interval that is as long as the start, or as what lies before it.
    assert found - threshold <= max(start, threshold) * 2.0**-29
    assert len(asked) <= 1 + max(1, math.ceil(math.log2(threshold / start)) + 1) + 30


def test_the_ends():
    assert first_yes(lambda x: True, 1.0, doublings=5, halvings=5) == 0
    # Where no is all there is, the doublings end the search.
    assert first_yes(lambda x: False, 1.0, doublings=5, halvings=50) == pytest.approx(32, rel=1e-9)


@given(st.floats(0.01, 0.99), st.floats(0.1, 40.0))
def test_a_zero_is_between_two_near_points(zero, steep):
    asked = []

    def over(x):
        asked.append(x)
        return math.expm1(steep * (zero - x)) if x < 0.995 else -math.inf

    low, high = narrowed(over, 0.0, 1.0, lambda low, high: 1e-9 * high)
    assert low <= zero <= high <= low + 1e-9 * high
    assert len(asked) <= 45
