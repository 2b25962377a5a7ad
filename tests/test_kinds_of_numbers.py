"""Numbers of any kind: a protocol or a question takes them as the Python number that they are, or refuses in words."""

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from shufflekit import (
    Channel,
    DiscretizedLaplace,
    DistributedCheckIn,
    GaussianShuffle,
    HadamardResponse,
    RandomAllocation,
    RandomCheckIn,
    RandomizedResponse,
    RandomizedResponseShuffle,
    Run,
    Shuffle,
    ShuffledCheckIn,
    SlidingCheckIn,
    calibrate,
    check_in_calibrate,
    shuffled_check_in_calibrate,
)

SHUFFLE = Shuffle(1.0, 10)
NO_NUMBERS = [
    *(True, np.True_, "1", b"1", 1j, np.complex128(1), Decimal("0.5"), Decimal("sNaN"), object(), [1], {}, int),
    *(np.array(1), np.array(0.5), np.array([1]), np.str_("1"), np.timedelta64(1), np.datetime64("2020"), np.ma.masked),
]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float32("inf"), np.longdouble("nan"), mpmath.mpf("nan")]
HUGE = [10**400, -(10**400), 10**5000, Fraction(10**400), mpmath.mpf(10) ** 400]
BELOW = [-1, -1.0, np.int64(-1), Fraction(-1, 3)]
BAD = [*NO_NUMBERS, *NOT_FINITE, *HUGE, *BELOW]

# What takes numbers: a call that is fine. Whole numbers stand for counts, all others for reals.
CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    Shuffle: {"eps0": 1.0, "n": 10, "population": 100},
    ShuffledCheckIn: {"eps0": 1.0, "population": 10, "rate": 0.5},
    RandomCheckIn: {"eps0": 1.0, "slots": 10, "clients": 10, "participation": 0.5},
    SlidingCheckIn: {"eps0": 1.0, "window": 10, "clients": 10},
    GaussianShuffle: {"sigma": 2.0, "n": 10},
    RandomizedResponseShuffle: {"k": 3, "gamma": 0.5, "n": 10},
    DistributedCheckIn: {"sigma": 1.0, "population": 10, "rate": 0.5, "distance": 0.5},
    RandomAllocation: {"sigma": 1.0, "steps": 10},
    RandomizedResponse: {"k": 3, "eps0": 1.0},
    HadamardResponse: {"k": 3, "eps0": 1.0},
    DiscretizedLaplace: {"k": 3, "eps0": 1.0},
    SHUFFLE.epsilon: {"delta": 0.25, "rtol": 0.5},
    SHUFFLE.guarantee: {"delta": 0.25, "rtol": 0.5},
    SHUFFLE.attack_epsilon: {"delta": 0.25, "rtol": 0.5},
    SHUFFLE.delta: {"eps": 0.25, "rtol": 0.5},
    SHUFFLE.attack_delta: {"eps": 0.25, "rtol": 0.5},
    SHUFFLE.compare: {"delta": 0.25},
    SHUFFLE.renyi_curve.epsilon: {"delta": 0.25},
    SHUFFLE.renyi_curve.delta: {"eps": 0.25},
    SHUFFLE.__mul__: {"rounds": 2},
    SHUFFLE.__rmul__: {"rounds": 2},
    calibrate.eps0: {"eps": 1.0, "delta": 0.25, "n": 4, "population": 8, "rounds": 1},
    calibrate.n: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "rounds": 1},
    calibrate.sampled_n: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "population": 8, "rounds": 1},
    calibrate.rounds: {"eps": 1.0, "delta": 0.25, "eps0": 0.5, "n": 4, "population": 8},
    calibrate.population: {"eps": 1.0, "delta": 0.25, "eps0": 1.0, "n": 4, "rounds": 1},
    calibrate.sigma: {"eps": 1.0, "delta": 0.25, "steps": 4, "rounds": 1},
    check_in_calibrate.eps0: {"eps": 1.0, "delta": 0.25, "slots": 4, "clients": 4, "participation": 0.5, "rounds": 1},
    check_in_calibrate.rounds: {"eps": 1.0, "delta": 0.25, "eps0": 0.5, "slots": 4, "clients": 4},
    check_in_calibrate.clients: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "slots": 4, "rounds": 1},
    check_in_calibrate.participation: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "slots": 4, "clients": 4, "rounds": 1},
    check_in_calibrate.most_slots: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "clients": 4, "participation": 0.5},
    check_in_calibrate.fewest_slots: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "clients": 4, "participation": 0.5},
    shuffled_check_in_calibrate.eps0: {"eps": 1.0, "delta": 0.25, "population": 4, "rate": 0.5, "rounds": 1},
    shuffled_check_in_calibrate.rate: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "population": 4, "rounds": 1},
    shuffled_check_in_calibrate.population: {"eps": 0.5, "delta": 0.25, "eps0": 1.0, "rate": 0.5, "rounds": 1},
    shuffled_check_in_calibrate.rounds: {"eps": 1.0, "delta": 0.25, "eps0": 0.5, "population": 4, "rate": 0.5},
}


def name(call: Callable[..., Any]) -> str:
    return f"{call.__module__.rpartition('.')[2]}.{call.__qualname__}"


@pytest.mark.parametrize("call", CALLS, ids=name)
def test_what_is_no_such_number_is_refused_on_one_line_that_names_it(call: Callable[..., Any]) -> None:
    for argument, good in CALLS[call].items():
        for bad in [*BAD, *([0.5, 2.0, Fraction(2)] if isinstance(good, int) else [])]:
            with pytest.raises((ValueError, TypeError), match=rf"\b{argument} must be") as refused:
                call(**{**CALLS[call], argument: bad})
            assert "\n" not in str(refused.value) and len(str(refused.value)) < 400


SLOW = (calibrate, check_in_calibrate, shuffled_check_in_calibrate)  # their searches start from checked numbers, too
QUICK = [*(call for call in CALLS if call.__module__ not in [one.__name__ for one in SLOW]), calibrate.population]


@pytest.mark.parametrize("call", QUICK, ids=name)
def test_numbers_of_other_kinds_are_the_same_numbers(call: Callable[..., Any]) -> None:
    """All kinds that hold every number here without rounding it, so that nothing has to be nearly the same."""
    expected = call(**CALLS[call])
    for whole, real in ((np.int16, np.float32), (np.uint64, np.longdouble), (np.int8, Fraction), (int, mpmath.mpf)):
        given = {name: (whole if isinstance(good, int) else real)(good) for name, good in CALLS[call].items()}
        found = call(**given)
        assert type(found) is type(expected) and repr(found) == repr(expected)


@pytest.mark.parametrize("zero", [0, -0.0, np.float64(-0.0), Fraction(0)])
def test_an_epsilon_of_zero_has_no_sign(zero: Any) -> None:
    assert SHUFFLE.delta(zero, rtol=0.1) == SHUFFLE.delta(0.0, rtol=0.1)
    assert str(SHUFFLE.renyi_curve.delta(zero)) == str(SHUFFLE.renyi_curve.delta(0.0))


def test_numpys_numbers_multiply_from_either_side_and_its_arrays_do_not() -> None:
    """An array of two counts once made an array of two runs."""
    for two in (np.int64(2), np.uint8(2)):
        assert type(two * SHUFFLE) is type(SHUFFLE * two) is Run
        assert two * SHUFFLE == SHUFFLE * two == SHUFFLE * 2
    for counts in (np.array(2), np.array([1, 2]), np.float64(2)):
        for product in (lambda one, other: one * other, lambda one, other: other * one):
            with pytest.raises(TypeError, match="rounds must be a whole number of at least 1, got"):
                product(SHUFFLE, counts)


def test_a_table_of_what_are_no_chances_is_refused() -> None:
    for bad in ("1", 1j, Decimal("0.5"), np.timedelta64(1), None, *NOT_FINITE, *HUGE, *BELOW):
        with pytest.raises((ValueError, TypeError), match="probs must be"):
            Channel([[bad, 0.5], [0.5, 0.5]])


def test_a_gamma_that_makes_too_large_an_eps0_is_named() -> None:
    for gamma in (5e-324, 1e-200):
        with pytest.raises(ValueError, match=f"^gamma must make eps0 at most 300, got {gamma}"):
            RandomizedResponseShuffle(3, gamma=gamma, n=10)
    assert RandomizedResponseShuffle(3, gamma=1e-100, n=10).eps0 == pytest.approx(math.log(3) + 100 * math.log(10))


def test_the_least_noise_that_a_discrete_laplace_can_be_told_apart_by() -> None:
    """At the smallest numbers it once divided nothing by nothing."""
    for eps0 in (5e-324, 1e-300):
        table = DiscretizedLaplace(3, eps0).probs
        assert np.allclose(table.sum(axis=1), 1, rtol=1e-15) and np.allclose(table[:, [0, -1]], 0.5, rtol=1e-15)
    with pytest.raises(ValueError, match=re.escape("eps0 must be positive and at most 300, got 0.0")):
        Shuffle(randomizer=DiscretizedLaplace(3, 5e-324), n=10)
