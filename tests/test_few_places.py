"""Sums over many whole numbers by a few places: exact for polynomials, and off by no more than is said for others."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.dominating_pairs.few_places import ACROSS, ALONG, LOG_REMAINDER, PLACES, Stretch, fitting, places, rule

LENGTHS = [PLACES + 1, 2 * PLACES, 40, 1_001, 10**6]


@pytest.mark.parametrize("length", [1, 5, PLACES])
def test_a_few_numbers_are_their_own_places(length: int) -> None:
    place, weight = rule(length)
    assert (place == np.arange(length)).all() and (weight == 1).all()
    assert Stretch(3.0, length).exact and not Stretch(3.0, PLACES + 1).exact


@pytest.mark.parametrize("length", LENGTHS)
def test_places_lie_among_the_numbers_and_weigh_as_much(length: int) -> None:
    place, weight = rule(length)
    assert len(place) == PLACES and place[0] > 0 and place[-1] < length - 1 and (np.diff(place) > 0).all()
    assert (weight > 0).all() and weight.sum() == pytest.approx(length, rel=1e-13)


@pytest.mark.parametrize("length", [17, 40, 101])
@pytest.mark.parametrize("degree", [1, 7, 20, 2 * PLACES - 1])
def test_polynomials_are_summed_exactly(length: int, degree: int) -> None:
    """Against sums in fractions, of powers of what runs from -1 to 1; of the next degree they are not."""
    place, weight = rule(length)

    def both(power: int) -> tuple[float, float]:
        truth = float(sum(Fraction(2 * k - length + 1, length - 1) ** power for k in range(length)))
        return truth, float(weight @ (2 * place / (length - 1) - 1) ** power)

    truth, found = both(degree)
    assert found == pytest.approx(truth, abs=1e-13 * length)
    if length > 40:
        truth, found = both(2 * PLACES)
        assert abs(found - truth) > 1e-11 * length


@pytest.mark.parametrize("length", [33, 200, 5_000])
@pytest.mark.parametrize("beyond", [1.0001, 1.02, 1.3])
def test_a_function_with_a_pole_next_to_the_ellipse_errs_by_no_more(length: int, beyond: float) -> None:
    """``1/(k - pole)^2``: on the ellipse it is largest at the end of the axis, where the pole is next to it."""
    half = (length - 1) / 2
    place, weight = rule(length)
    for pole in (beyond * ALONG * half, beyond * ACROSS * half * 1j):
        angle = np.linspace(0, 2 * math.pi, 20_001)
        ellipse = half * (ALONG * np.cos(angle) + 1j * ACROSS * np.sin(angle))

        def term(x: np.ndarray, pole: complex = pole) -> np.ndarray:
            return 1 / (x - pole) ** 2

        most = float(np.abs(term(ellipse)).max())
        numbers = np.arange(length) - half
        off = abs(term(numbers).sum() - weight @ term(place - half))
        assert off <= length * most * math.exp(LOG_REMAINDER) + 1e-13 * np.abs(term(numbers)).sum()


def test_the_remainder_is_what_bernstein_says() -> None:
    """With an ellipse so near that what sum and rule differ by is seen: at R = 1.2 it is a part of the bound."""
    R, length = 1.2, 400
    half, degree = (length - 1) / 2, 2 * PLACES - 1
    place, weight = rule(length)
    pole = half * (R + 1 / R) / 2 * 1.001
    ellipse = half * ((R + 1 / R) / 2)
    off = abs((1 / (pole - (np.arange(length) - half))).sum() - weight @ (1 / (pole - (place - half))))
    bound = length * 4 / (pole - ellipse) * R**-degree / (R - 1)
    assert 1e-7 * bound < off <= bound
    assert pytest.approx(math.log(4 / 3) - 31 * math.log(4)) == LOG_REMAINDER
    assert pytest.approx(1) == ALONG**2 - ACROSS**2  # the stretch lies between the ellipse's foci


@given(st.floats(1.0, 1e9))
def test_lengths_in_use_are_few_and_no_longer_than_asked(length: float) -> None:
    found = fitting(length)
    assert found == PLACES if length < 2 * PLACES else 0.79 * length - 1 <= found <= length
    assert fitting(found) in (found, PLACES, fitting(found * 0.999))


def test_stretches_one_after_another() -> None:
    where, weight = places([Stretch(5.0, 3), Stretch(8.0, 40), Stretch(48.0, 1)])
    assert len(where) == 3 + PLACES + 1 and (np.diff(where) > 0).all()
    assert where[:3].tolist() == [5.0, 6.0, 7.0] and where[-1] == 48.0
    assert weight.sum() == pytest.approx(44)
    assert weight @ where == pytest.approx(sum(range(5, 49)))
