"""Two numbers of signs for many: against all sums of signs, at every k, and with the weights that go along."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shufflekit.dominating_pairs.sign_blocks import Ends, moved_in, moved_out, shape

laws = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def stop_loss(c: int, k: float) -> float:
    """``E(S_c - k)_+``."""
    return math.fsum(math.comb(c, a) / 2**c * max(2 * a - c - k, 0.0) for a in range(c + 1))


def of_two(ends: Ends, k: float) -> float:
    low, high, share = (float(part[0]) for part in ends)
    return (1 - share) * stop_loss(int(low), k) + share * stop_loss(int(high), k)


def numbers(least: int, masses: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mass = np.array(masses)
    return least + 2.0 * np.arange(len(mass)), mass / mass.sum(), np.zeros(1, dtype=np.intp)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 90), laws)
def test_from_above_it_is_no_less_at_any_k(least: int, masses: list[float]) -> None:
    assume(sum(masses) > 1e-3)
    signs, mass, start = numbers(least, masses)
    ends = moved_out(signs, mass, start)
    for k in np.arange(0, signs[-1] + 1, 0.5):
        assert of_two(ends, k) >= mass @ [stop_loss(int(c), k) for c in signs] - 1e-14


@settings(max_examples=60, deadline=None)
@given(st.integers(30, 200), laws, st.floats(0.0, 0.3), st.floats(0.01, 0.2))
def test_from_below_it_is_no_more_with_the_mean_weight(
    least: int, masses: list[float], slope: float, told: float
) -> None:
    """At every alpha: k is in proportion to the weights."""
    assume(sum(masses) > 1e-3)
    signs, mass, start = numbers(least, masses)
    weight = 1.0 + slope * (signs - signs[0]) / least
    mean, reach = float(mass @ weight), told * least
    ends = moved_in(signs, mass, weight, start, 1.0, reach)
    assert signs[0] <= ends.low[0] <= ends.high[0] <= max(signs[-1], signs[0])
    for k in np.arange(0, reach + 2, 0.5):
        true = mass @ [stop_loss(int(c), k * w / mean) for c, w in zip(signs, weight, strict=True)]
        assert of_two(ends, k) <= true + 1e-14


@given(st.integers(0, 200), st.integers(1, 12))
def test_where_weights_fall_the_more_there_are_nothing_is_taken_off(least: int, wide: int) -> None:
    signs, mass, start = numbers(least, [1.0] * wide)
    level = moved_in(signs, mass, np.ones(wide), start, 1.0, 3.0)
    falling = moved_in(signs, mass, 2 - np.arange(wide) / 20, start, 1.0, 3.0)
    assert all((a == b).all() for a, b in zip(level, falling, strict=True))


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("least", [10**4, 10**6])
def test_the_price_falls_with_the_square_of_the_width(least: int, above: bool) -> None:
    off = []
    for wide in (least // 40, least // 80, least // 160):
        signs, mass, start = numbers(least, [1.0] * (wide + 1))
        level = np.ones(len(signs))
        ends = moved_out(signs, mass, start) if above else moved_in(signs, mass, level, start, 1.0, 5 * least**0.5)
        mean = float((ends.low + (ends.high - ends.low) * ends.share)[0])
        off.append((1 if above else -1) * (mean - float(mass @ signs)) / least)
    assert off[0] > 3.5 * off[1] > 12 * off[2] > 0
    assert off[0] < (2 / 40) ** 2 / 12


def test_one_number_stays_as_it_is() -> None:
    signs, mass, start = np.array([7.0, 9.0, 11.0]), np.array([0.1, 0.2, 0.3]), np.arange(3)
    for ends in (moved_out(signs, mass, start), moved_in(signs, mass, np.ones(3), start, 1.0, 0.5)):
        assert (ends.low == signs).all()
        assert (ends.high == signs).all()
    assert (shape(signs, mass, start).mass == mass).all()


def test_where_sums_are_as_large_as_the_numbers_the_least_is_taken() -> None:
    signs, mass, start = numbers(20, [1.0, 1.0, 1.0])
    ends = moved_in(signs, mass, np.ones(3), start, 1.0, 15.0)
    assert float(ends.low[0] + 2 * ends.share[0] * (ends.high > ends.low)[0]) == 20


def test_the_second_difference_is_what_the_proof_says() -> None:
    """In fractions: ``-p/(2 (c + 2))`` at least, and convex from k^2 = c + 2 on."""
    for c in range(2, 40):
        for k in range(c % 2, c + 1, 2):
            before, at, after = (
                sum(Fraction(math.comb(n, a), 2**n) * max(2 * a - n - k, 0) for a in range(n + 1))
                for n in (c, c + 2, c + 4)
            )
            p = Fraction(math.comb(c, (c + k) // 2), 2**c)
            assert at - before == p / 2
            second = after - 2 * at + before
            assert second >= -p / (2 * (c + 2))
            assert second >= 0 or k**2 < c + 2
