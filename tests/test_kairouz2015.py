import math

import mpmath as mp
import pytest

from shufflekit.papers import kairouz2015


def composed_delta(total: float, eps: float, delta: float, T: int) -> mp.mpf:
    """delta of T randomized responses with failure probability delta, at any eps, flip by flip."""
    e = mp.mpf(eps)
    stay, result = 1 / (1 + mp.exp(-e)), mp.mpf(0)
    weight = stay**T
    for flips in range(T // 2 + 1):
        loss = (T - 2 * flips) * e
        if loss > total:
            result += weight * -mp.expm1(total - loss)
        weight = weight * (T - flips) / (flips + 1) * mp.exp(-e)
    return 1 - (1 - mp.mpf(delta)) ** T * (1 - result)


def theorem_delta(i: int, eps: float, T: int) -> mp.mpf:
    """delta_i as Theorem 3.3 prints it."""
    e = mp.mpf(eps)
    terms = (mp.binomial(T, j) * (mp.exp((T - j) * e) - mp.exp((T - 2 * i + j) * e)) for j in range(i))
    return mp.fsum(terms) / (1 + mp.exp(e)) ** T


@pytest.mark.parametrize("eps", [1e-6, 0.01, 1.0, 10.0])
@pytest.mark.parametrize("T", [1, 2, 7, 200])
@pytest.mark.parametrize(("delta", "delta_total"), [(0.0, 1e-8), (0.0, 1e-60), (1e-12, 1e-8), (1e-4, 0.1)])
def test_optimal_is_the_smallest(eps, T, delta, delta_total):
    total = kairouz2015.optimal(eps, delta, T, delta_total)
    assert 0 <= total <= T * eps
    with mp.workdps(80):
        assert composed_delta(total, eps, delta, T) <= delta_total
        if total > 0:
            assert composed_delta(total * (1 - 1e-11), eps, delta, T) > delta_total


@pytest.mark.parametrize("eps", [0.01, 0.5, 3.0])
def test_optimal_agrees_with_the_theorem_where_that_speaks(eps):
    T = 40
    for i in range(1, 20):
        with mp.workdps(50):
            delta_i = theorem_delta(i, eps, T)
        if not 1e-250 < delta_i < 0.5:  # towards 1 delta hardly depends on eps
            continue
        assert kairouz2015.optimal(eps, 0.0, T, float(delta_i)) == pytest.approx((T - 2 * i) * eps, rel=1e-11)


def test_optimal_between_the_theorems_values_is_better():
    eps, T, target = 0.5, 40, 1e-6
    with mp.workdps(50):
        printed = min((T - 2 * i) * eps for i in range(T // 2 + 1) if theorem_delta(i, eps, T) <= target)
    assert printed - 2 * eps < kairouz2015.optimal(eps, 0.0, T, target) < printed


def test_optimal_with_a_million_rounds():
    eps, T = 1e-3, 10**6
    total = kairouz2015.optimal(eps, 1e-15, T, 1e-8)
    # Randomized responses with small eps compose to a Gaussian of variance T eps^2 = 1.
    mu = math.sqrt(T) * eps
    with mp.workdps(30):
        gaussian = mp.ncdf(-total / mu + mu / 2) - mp.exp(total) * mp.ncdf(-total / mu - mu / 2)
    assert float(gaussian) == pytest.approx(1e-8 - T * 1e-15, rel=1e-3)
    assert total < kairouz2015.simplified(eps, T, 1e-8)


def test_optimal_is_basic_composition_for_a_tiny_delta():
    assert kairouz2015.optimal(1.0, 0.0, 3, 1e-300) == pytest.approx(3.0, rel=1e-12)


def test_optimal_without_leak():
    assert kairouz2015.optimal(0.0, 0.0, 10, 1e-8) == 0
    assert kairouz2015.optimal(0.0, 1e-10, 10, 1e-8) == 0


def test_optimal_with_a_huge_eps():
    assert kairouz2015.optimal(1000.0, 0.0, 5, 1e-8) == pytest.approx(5000 - 1e-8, rel=1e-14)


def test_optimal_with_too_little_delta():
    with pytest.raises(ValueError, match=r"delta_total must be above 1 - \(1-delta\)\^T = 9\.99.*got 1e-08"):
        kairouz2015.optimal(0.1, 1e-8, 1000, 1e-8)


@pytest.mark.parametrize("eps", [1e-9, 1e-3, 1.0, 10.0])
@pytest.mark.parametrize("T", [1, 100, 10**6])
@pytest.mark.parametrize("slack", [1e-60, 1e-8, 0.5])
def test_simplified(eps, T, slack):
    with mp.workdps(50):
        e, d = mp.mpf(eps), mp.mpf(slack)
        drift = T * e * (mp.exp(e) - 1) / (mp.exp(e) + 1)
        first = drift + e * mp.sqrt(2 * T * mp.log(mp.e + mp.sqrt(T * e**2) / d))
        second = drift + e * mp.sqrt(2 * T * mp.log(1 / d))
        exact = min(T * e, first, second)
        assert abs(kairouz2015.simplified(eps, T, slack) / exact - 1) < 1e-12
    assert kairouz2015.simplified(eps, T, slack) >= kairouz2015.optimal(eps, 0.0, T, slack) * (1 - 1e-12)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1])
def test_eps_out_of_range(value):
    with pytest.raises(ValueError, match="eps must be 0 or positive"):
        kairouz2015.optimal(value, 0.0, 5, 0.1)
    with pytest.raises(ValueError, match="eps must be 0 or positive"):
        kairouz2015.simplified(value, 5, 0.1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.0, 1.5])
def test_delta_out_of_range(value):
    with pytest.raises(ValueError, match="delta must be"):
        kairouz2015.optimal(0.1, value, 5, 0.1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 0.0, 1.0])
def test_totals_out_of_range(value):
    with pytest.raises(ValueError, match="delta_total must be strictly between 0 and 1"):
        kairouz2015.optimal(0.1, 0.0, 5, value)
    with pytest.raises(ValueError, match="delta_slack must be strictly between 0 and 1"):
        kairouz2015.simplified(0.1, 5, value)


@pytest.mark.parametrize("value", [0, -5])
def test_rounds_out_of_range(value):
    with pytest.raises(ValueError, match="T must be a whole number"):
        kairouz2015.optimal(0.1, 0.0, value, 0.1)
    with pytest.raises(ValueError, match="T must be a whole number"):
        kairouz2015.simplified(0.1, value, 0.1)


@pytest.mark.parametrize("value", ["1", None, True, [1]])
def test_wrong_type(value):
    for arguments in (
        (value, 0.0, 5, 0.1),
        (0.1, value, 5, 0.1),
        (0.1, 0.0, value, 0.1),
        (0.1, 0.0, 5, value),
    ):
        with pytest.raises(TypeError, match="must be"):
            kairouz2015.optimal(*arguments)
    for arguments in ((value, 5, 0.1), (0.1, value, 0.1), (0.1, 5, value)):
        with pytest.raises(TypeError, match="must be"):
            kairouz2015.simplified(*arguments)
