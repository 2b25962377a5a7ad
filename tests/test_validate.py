import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from shufflekit import _validate

NOT_NUMBERS = ["3", None, True, np.True_, 1j, [1.0], {}]


@pytest.mark.parametrize(
    ("check", "good", "bad", "allowed"),
    [
        (_validate.positive, [1e-300, 1, 1e300], [0, -1, math.nan, math.inf], "positive and finite"),
        (_validate.nonnegative, [0, 1e300], [-1e-300, math.nan, math.inf], "0 or positive, and finite"),
        (_validate.local_eps, [1e-300, 300], [0, 300.1, math.nan, math.inf], "positive and at most 300"),
        (_validate.open_unit, [1e-300, 0.999], [0, 1, -0.1, math.nan], "strictly between 0 and 1"),
        (_validate.rate, [1e-300, 1], [0, 1.1, math.nan, math.inf], "above 0 and at most 1"),
    ],
)
def test_one_number(check, good, bad, allowed):
    for value in good:
        for same in (value, Fraction(value), np.float64(value), mpmath.mpf(value)):
            result = check(level=same)
            assert type(result) is float
            assert result == value
    for value in bad:
        with pytest.raises(ValueError, match=f"^level must be {allowed}, got "):
            check(level=value)
    for value in NOT_NUMBERS:
        with pytest.raises(TypeError, match=f"^level must be {allowed}, got "):
            check(level=value)


def test_shares_of_a_rate_are_numbers():
    for value in (9e-301, 5e-324):
        with pytest.raises(ValueError, match=r"^level must be at least 1e-300, got "):
            _validate.rate(level=value)


def test_a_number_beyond_floating_point():
    with pytest.raises(ValueError, match="level must be positive and finite, got a number beyond floating point"):
        _validate.positive(level=10**400)


def test_count():
    for value in (3, np.int64(3), np.uint8(3)):
        assert type(_validate.count(k=value)) is int
        assert _validate.count(k=value) == 3
    assert _validate.count(k=10**30) == 10**30
    with pytest.raises(ValueError, match="k must be a whole number of at least 2 and at most 1,000, got 1001"):
        _validate.count(at_least=2, at_most=1000, k=1001)
    for value in (0, -1):
        with pytest.raises(ValueError, match="k must be a whole number of at least 1, got"):
            _validate.count(k=value)
    for value in [*NOT_NUMBERS, 3.0, math.nan, math.inf, Fraction(3)]:
        with pytest.raises(TypeError, match="k must be a whole number of at least 1, got"):
            _validate.count(k=value)


def test_orders():
    assert _validate.orders(order=2).shape == ()
    np.testing.assert_array_equal(_validate.orders(order=[1.5, 2]), [1.5, 2.0])
    assert _validate.orders(order=np.array([[2, 3]]), integer=True).dtype == np.float64
    for value in (1, 0.5, -2, math.nan, math.inf, [2, 1], [2, math.nan]):
        with pytest.raises(ValueError, match="order must be above 1 and finite, got"):
            _validate.orders(order=value)
    with pytest.raises(ValueError, match=r"order must be a whole number of at least 2 and at most 100, got 2\.5"):
        _validate.orders(integer=True, at_most=100, order=2.5)
    with pytest.raises(ValueError, match="at most 100, got 101"):
        _validate.orders(integer=True, at_most=100, order=[3, 101])
    for value in ("3", None, True, 1j, [], ["3"], [None], [True]):
        with pytest.raises(TypeError, match="order must be above 1 and finite"):
            _validate.orders(order=value)
    with pytest.raises(ValueError, match="order must be above 1"):
        _validate.orders(order=[[2], [3, 4]])


def test_array():
    np.testing.assert_array_equal(_validate.array(x=[1, 2]), [1.0, 2.0])
    for value in (-0.1, 1.1, math.nan, math.inf, [0.5, 2]):
        with pytest.raises(ValueError, match="x must be numbers from 0 to 1, got"):
            _validate.array(low=0, high=1, x=value)
    for value in ("3", None, True, 1j, [], [None]):
        with pytest.raises(TypeError, match="x must be numbers from -inf to inf, got"):
            _validate.array(x=value)
    with pytest.raises(ValueError, match="x must be numbers"):
        _validate.array(x=[[2], [3, 4]])


def test_probabilities_keep_their_kind():
    assert _validate.probabilities(p=[1, 0]).dtype == np.float64
    thirds = _validate.probabilities(p=[Fraction(1, 3)] * 3)
    assert thirds.dtype == object
    assert set(thirds) == {Fraction(1, 3)}
    digits = _validate.probabilities(p=[mpmath.mpf(1) / 3] * 3)
    assert all(isinstance(value, mpmath.mpf) for value in digits)


def test_probabilities_along_an_axis():
    assert _validate.probabilities(axis=-1, p=np.full((3, 2), 0.5)).shape == (3, 2)
    with pytest.raises(ValueError, match=r"p must be an array of probabilities.*a sum of 3$"):
        _validate.probabilities(p=np.full((3, 2), 0.5))


@pytest.mark.parametrize(
    "value",
    [[0.5, 0.6], [-1, 2], [math.nan, 1], [math.inf, 0], [-math.inf, math.inf], [[1], [0.5, 0.5]], 0.5],
)
def test_not_probabilities(value):
    with pytest.raises(ValueError, match="p must be an array of probabilities"):
        _validate.probabilities(p=value)


def test_fractions_must_sum_to_exactly_one():
    almost = [Fraction(1, 3), Fraction(2, 3) + Fraction(1, 10**12)]
    assert _validate.probabilities(p=[float(value) for value in almost]).sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="p must be an array of probabilities"):
        _validate.probabilities(p=almost)


@pytest.mark.parametrize("value", [None, "3", True, 1j, [], [None, 1], ["a", "b"], [True, False], [1j, 0]])
def test_probabilities_of_the_wrong_type(value):
    with pytest.raises(TypeError, match="p must be an array of probabilities"):
        _validate.probabilities(p=value)


def test_choice():
    assert _validate.choice(("a", "b"), word="b") == "b"
    for value in ("c", None, 3, math.nan):
        with pytest.raises(ValueError, match="word must be one of 'a', 'b', got"):
            _validate.choice(("a", "b"), word=value)


def test_exactly_one_name():
    with pytest.raises(ValueError, match="unpack"):
        _validate.positive(a=1, b=2)


def test_real_numbers_stay_exact():
    for value in (3, np.int64(3), Fraction(3, 7), 0.1, np.float64(0.1), mpmath.mpf("0.1"), 10**400):
        assert _validate.real(x=value) == value
    assert type(_validate.real(x=3)) is type(_validate.real(x=np.int64(3))) is Fraction
    assert type(_validate.real(x=np.int64(3)).numerator) is int  # numpy's own would overflow
    for value in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match=r"^x must be a finite number, got"):
            _validate.real(x=value)
    for value in NOT_NUMBERS:
        with pytest.raises(TypeError, match=r"^x must be a finite number, got"):
            _validate.real(x=value)


def test_ratio():
    for value in (3, Fraction(3, 2), 1.5, math.exp(300)):
        assert _validate.ratio(ratio=value) == value
    for value in (1, 0, -3, 1 - 1e-16, 10**200):
        with pytest.raises(ValueError, match=r"^ratio must be above 1 and at most e\^300, got"):
            _validate.ratio(ratio=value)
    with pytest.raises(TypeError, match=r"^ratio must be a finite number"):
        _validate.ratio(ratio="3")


def test_odds():
    assert _validate.odds(eps0=None, ratio=3) == Fraction(3)
    assert type(_validate.odds(eps0=None, ratio=3)) is Fraction
    assert _validate.odds(eps0=1.0, ratio=None) == math.e
    for eps0, ratio in ((None, None), (1.0, 3)):
        with pytest.raises(ValueError, match=r"^give exactly one of eps0 and ratio, got"):
            _validate.odds(eps0=eps0, ratio=ratio)
    with pytest.raises(TypeError, match=r"^ratio must be a whole number or a Fraction above 1"):
        _validate.odds(eps0=None, ratio=2.5)
    for ratio in (1, Fraction(1, 2), 10**131):
        with pytest.raises(ValueError, match=r"^ratio must be a whole number or a Fraction above 1 and at most e\^300"):
            _validate.odds(eps0=None, ratio=ratio)
    assert _validate.odds(eps0=None, ratio=10**130) == 10**130


@pytest.mark.parametrize(("most", "said"), [(2.5, "2.5"), (Fraction(9, 4), "2.25"), (10**400, "a number beyond float")])
def test_a_probability_far_above_1_is_told_and_not_the_sum(most, said):
    with pytest.raises(ValueError, match=rf"p must be an array of probabilities, .* that sum to 1, got {said}"):
        _validate.probabilities(p=np.array([most, 0], dtype=object))
    with pytest.raises(ValueError, match=r"sum to 1, got a sum of 2$"):
        _validate.probabilities(p=[2, 0])


@pytest.mark.parametrize(
    ("check", "allowed"),
    [(_validate.exact_rate, "above 0 and at most 1"), (_validate.exact_open_unit, "strictly between 0 and 1")],
)
def test_exact_shares(check, allowed):
    assert type(check(gamma=Fraction(1, 3))) is Fraction
    assert type(check(gamma=np.float64(0.5))) is float
    for bad in (0, Fraction(-1, 2), 1.5, math.nan):
        with pytest.raises(ValueError, match=f"^gamma must be {allowed}, got"):
            check(gamma=bad)
    for bad in NOT_NUMBERS:
        with pytest.raises(TypeError, match=f"^gamma must be {allowed}, got"):
            check(gamma=bad)


def test_generator():
    rng = np.random.default_rng(0)
    assert _validate.generator(rng=rng) is rng
    for bad in (None, 3, np.random, np.random.RandomState(0)):
        with pytest.raises(TypeError, match=r"^rng must be a numpy\.random\.Generator, got"):
            _validate.generator(rng=bad)


def test_a_word_in_an_array_is_no_word():
    with pytest.raises(ValueError, match="word must be one of 'a', 'b', got"):
        _validate.choice(("a", "b"), word=np.array(["b"]))
