"""Convolutions by FFT: within their stated error of exact ones, in whole numbers, and that error is not far off."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit.fourier import Spectrum, entries, power, product, transformed

BITS = 30  # weights are whole numbers over 2^30 and sum to 1: floating point has them exactly
SEEDS = range(4)
FAR_OFF = 2e3  # times the largest real error


def weights(length: int, steep: int, seed: int) -> list[int]:
    """Whole numbers that sum to 2^30; some far larger than others where they are steep."""
    drawn = [int(x) ** steep for x in np.random.default_rng([length, steep, seed]).integers(1, 1000, length)]
    scaled = [x * 2**BITS // sum(drawn) for x in drawn]
    scaled[length // 2] += 2**BITS - sum(scaled)
    return scaled


def convolved(first: list[int], second: list[int]) -> list[int]:
    return [int(x) for x in np.convolve(np.array(first, dtype=object), np.array(second, dtype=object))]


def exact_power(law: list[int], n: int) -> list[int]:
    total, square = [1], law
    while n:
        total = convolved(total, square) if n % 2 else total
        n //= 2
        square = convolved(square, square) if n else square
    return total


def in_floats(law: list[int]) -> np.ndarray:
    return np.array(law) / 2.0**BITS


def at(first: int, law: np.ndarray, size: int, error: float = 0.0) -> Spectrum:
    """The transform of weights at the places from the first on."""
    return transformed(law, first + np.arange(len(law)), size, error)


def largest_error(found: np.ndarray, exact: list[int], n: int) -> float:
    """Of all entries, against whole numbers over 2^(30 n)."""
    padded = exact + [0] * (len(found) - len(exact))
    errors = (abs(Fraction(float(x)) - Fraction(y, 2 ** (BITS * n))) for x, y in zip(found, padded, strict=True))
    return float(max(errors))


@pytest.mark.parametrize("steep", [1, 4])
@pytest.mark.parametrize(("length", "n"), [(2, 1), (2, 10), (2, 300), (5, 3), (5, 100), (20, 50), (50, 20), (300, 5)])
def test_powers_are_within_their_error_and_it_is_not_far_off(length, n, steep):
    real, stated = [], []
    for seed in SEEDS:
        law = weights(length, steep, seed)
        exact = exact_power(law, n)
        found = entries(power(at(0, in_floats(law), len(exact) + 3), n), 0)
        real.append(largest_error(found.value, exact, n))
        stated.append(found.error)
        assert real[-1] <= stated[-1]
    assert max(stated) <= FAR_OFF * max(real)


@pytest.mark.parametrize(("first", "second"), [((2, 50), (7, 9)), ((20, 3), (20, 8)), ((100, 1), (3, 30))])
def test_products_are_within_their_error_and_it_is_not_far_off(first, second):
    real, stated = [], []
    for seed in SEEDS:
        laws = [weights(length, 2, seed) for length, _ in (first, second)]
        exact = convolved(exact_power(laws[0], first[1]), exact_power(laws[1], second[1]))
        parts = [power(at(0, in_floats(law), len(exact)), n) for law, (_, n) in zip(laws, (first, second), strict=True)]
        found = entries(product(*parts), 0)
        real.append(largest_error(found.value, exact, first[1] + second[1]))
        stated.append(found.error)
        assert real[-1] <= stated[-1]
    assert max(stated) <= FAR_OFF * max(real)


@pytest.mark.parametrize("size", [64, 77, 128])
@pytest.mark.parametrize("first", [-40, 0, 1000])
def test_places_wrap_around(size, first):
    """What lies outside the window comes in at the other end, and nothing is lost."""
    law, n, start = weights(9, 1, 0), 12, -3
    wrapped = [0] * size
    for i, value in enumerate(exact_power(law, n)):
        wrapped[(n * start + i - first) % size] += value
    found = entries(power(at(start, in_floats(law), size), n), first)
    assert largest_error(found.value, wrapped, n) <= found.error < 1e-13


def test_weights_that_are_known_to_an_error_only():
    law, n = weights(6, 1, 0), 40
    exact = exact_power(law, n)
    wrong = in_floats(law) * (1 + 1e-9 * np.array([1, -1, 1, 1, -1, 1]))
    given = float(np.abs(wrong - in_floats(law)).sum())
    found = entries(power(at(0, wrong, len(exact), given), n), 0)
    real = largest_error(found.value, exact, n)
    assert 1e-11 < real <= found.error <= FAR_OFF * real
    # Had it not been said, the error would be larger than what is stated.
    assert entries(power(at(0, wrong, len(exact)), n), 0).error < real


def test_signed_weights():
    """Moments have both signs."""
    law = weights(8, 1, 1)
    signed = [x * (i - 4) for i, x in enumerate(law)]
    exact = convolved(exact_power(law, 30), signed)
    parts = power(at(0, in_floats(law), len(exact)), 30), at(0, in_floats(signed), len(exact))
    found = entries(product(*parts), 0)
    assert 0 < largest_error(found.value, exact, 31) <= found.error < 1e-13


def test_frequencies_that_keep_nothing_are_part_of_the_error():
    """A million coins: all but a few frequencies are silent."""
    n = 10**6
    spectrum = power(at(0, np.array([0.5, 0.5]), n + 1), n)
    silent = spectrum.value == 0
    assert silent.mean() > 0.9 and (spectrum.error[silent] == 1).all()
    found = entries(spectrum, 0)
    for m in (0, n // 2 - 3000, n // 2, n // 2 + 100):
        exact = math.exp(math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1) - n * math.log(2))
        # lgamma is good to 1e-16 of 1e7.
        assert abs(found.value[m] - exact) <= found.error + 1e-8 * exact
    assert found.error < 1e-10
