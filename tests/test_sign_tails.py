"""Tails of random signs from a table are those of the binomial law."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit._binomial import pmf, tail
from shufflekit.accuracy import tail_error
from shufflekit.dominating_pairs.sign_tails import SignTails
from shufflekit.dominating_pairs.votes import MOST_REACH


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(0, 40), st.floats(0, 40))
@settings(max_examples=60, deadline=None)
def test_small_tails_against_fractions(numbers: list[int], reach: int, below: float) -> None:
    table = SignTails(np.array(numbers, dtype=float), reach, below)
    for n in numbers:
        for m in range(max((n + 1) // 2 - int(below), 0), min(n + 1, (n + 1) // 2 + reach) + 1):
            last, beyond = table.at(np.array([float(n)]), np.array([float(m)]))
            exact = Fraction(sum(comb(n, a) for a in range(m, n + 1)), 2**n)
            chance = Fraction(comb(n, m - 1), 2**n) if m >= 1 else Fraction(0)
            assert last[0] == pytest.approx(float(chance), rel=1e-12)
            assert beyond[0] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("n", [1_000, 12_345, 1_000_000])
def test_large_tails_are_within_the_error_that_is_allowed_for(n: int) -> None:
    reach = 10 * n**0.5
    table = SignTails(np.array([float(n), n + 7.0]), reach, 0.0)
    m = np.arange(n // 2 + 1, min(n, n // 2 + int(reach)), 97, dtype=float)
    last, beyond = table.at(np.full(len(m), float(n)), m)
    assert last == pytest.approx(pmf(m - 1, np.full(len(m), float(n)), 0.5), rel=1e-11)
    wanted = tail(m, np.full(len(m), float(n)), 0.5, 0.5)
    assert np.abs(beyond / wanted - 1).max() < float(tail_error(n))


@pytest.mark.parametrize(("n", "reach"), [(10**6, 8_000), (10**9, 40_000), (9_000_000, None), (10**9, None)])
def test_products_go_far_out_with_all_their_digits(n: int, reach: int | None) -> None:
    """Each entry from the one before it: after as many as there may be still as good as a tail is said to be."""
    reach = int(MOST_REACH * tail_error(n)) if reach is None else reach
    table = SignTails(np.array([float(n)]), reach, 0.0)
    far = min(reach, 15 * n**0.5)
    m = np.array([n // 2 + 1, n // 2 + 1_000, n // 2 + int(far)], dtype=float)
    mass, beyond = table.at(np.full(3, float(n)), m)
    for own, after, place in zip(mass, beyond, m, strict=True):
        with mpmath.workdps(40):
            log_half = n * mpmath.log(2)
            exact = mpmath.exp(
                mpmath.loggamma(n + 1) - mpmath.loggamma(place) - mpmath.loggamma(n - place + 2) - log_half
            )
        assert own == pytest.approx(float(exact), rel=float(tail_error(n)))
        assert after == pytest.approx(float(tail(place, n, 0.5, 0.5)), rel=2 * float(tail_error(n)) + 1e-11)
