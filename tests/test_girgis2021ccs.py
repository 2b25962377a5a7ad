import math

import mpmath as mp
import numpy as np
import pytest

from shufflekit.papers import girgis2021ccs

EPS0 = [1e-6, 0.1, 1.0, 3.0, 10.0]
N = [1, 2, 1000, 10**6]


def reference(order: int, eps0: float, n: int, simplified: bool) -> mp.mpf:
    E = mp.exp(mp.mpf(eps0))
    kbar = mp.floor((n - 1) / (2 * E)) + 1
    tail = mp.exp(order * mp.mpf(eps0) - (n - 1) / (8 * E))
    if simplified:
        return mp.log(mp.exp(order**2 * (E - 1) ** 2 / kbar) + tail) / (order - 1)
    binomial = mp.mpf(order * (order - 1)) / 2
    total = 1 + binomial * (E - 1) ** 2 / (kbar * E) + tail
    scale = (E**2 - 1) ** 2 / (2 * E**2 * kbar)
    gammas = {0: mp.gamma(1), 1: mp.gamma(mp.mpf(1) / 2)}
    for i in range(2, order + 1):
        gammas[i] = gammas[i - 2] * (mp.mpf(i) / 2 - 1) if i > 2 else mp.mpf(1)
        if i > 2:
            binomial = binomial * (order - i + 1) / i
            total += binomial * i * gammas[i] * mp.sqrt(scale) ** i
    return mp.log(total) / (order - 1)


@pytest.mark.parametrize("eps0", EPS0)
@pytest.mark.parametrize("n", N)
def test_general(eps0, n):
    order = np.array([2, 3, 4, 31, 500])
    found = girgis2021ccs.general(order, eps0, n)
    with mp.workdps(50):
        for value, o in zip(found, order, strict=True):
            assert abs(value / reference(int(o), eps0, n, False) - 1) < 1e-12


@pytest.mark.parametrize(("eps0", "n"), [(1e-6, 1000), (1.0, 10**6), (10.0, 1)])
def test_general_at_order_10_000(eps0, n):
    # log Gamma(5000) is 4e4, so its rounding alone is 7e-12 of a term.
    with mp.workdps(50):
        ratio = girgis2021ccs.general(10_000, eps0, n) / reference(10_000, eps0, n, False)
    assert abs(ratio - 1) < 1e-11


@pytest.mark.parametrize("eps0", EPS0)
@pytest.mark.parametrize("n", N)
def test_simplified(eps0, n):
    order = np.array([2, 3, 100, 10_000])
    found = girgis2021ccs.simplified(order, eps0, n)
    with mp.workdps(50):
        for value, o in zip(found, order, strict=True):
            assert abs(value / reference(int(o), eps0, n, True) - 1) < 1e-12


def test_known_values():
    # Found independently in float64, at k = 1000 without sampling, for orders 2, 8, 32.
    known = {
        1.0: (0.0058857, 0.059225, 0.17630),
        2.0: (0.078112, 0.70929, 1.5194),
        3.0: (0.92830, 2.5424, 2.8962),
    }
    for eps0, expected in known.items():
        found = girgis2021ccs.general(np.array([2, 8, 32]), eps0, 1000)
        np.testing.assert_allclose(found, expected, rtol=5e-5)


def test_huge_eps0():
    assert girgis2021ccs.simplified(10_000, 300.0, 10) > 1e260
    assert 300 < girgis2021ccs.general(10, 300.0, 10) < 1000


def test_shape_and_order_of_orders():
    mixed = np.array([[500, 2], [7, 500]])
    found = girgis2021ccs.general(mixed, 1.0, 100)
    assert found.shape == (2, 2)
    for index, o in np.ndenumerate(mixed):
        assert found[index] == pytest.approx(float(girgis2021ccs.general(int(o), 1.0, 100)), rel=1e-14)
    assert found[0, 0] == found[1, 1]


def test_simplified_is_looser():
    order = np.arange(2, 200)
    assert np.all(girgis2021ccs.simplified(order, 1.0, 1000) > girgis2021ccs.general(order, 1.0, 1000))


@pytest.mark.parametrize("bound", [girgis2021ccs.general, girgis2021ccs.simplified])
class TestBadInput:
    @pytest.mark.parametrize("value", [1, 0, -2, 2.5, math.nan, math.inf, 10**6, [2, 1]])
    def test_order_out_of_range(self, bound, value):
        with pytest.raises(ValueError, match="order must be a whole number"):
            bound(value, 1.0, 10)

    @pytest.mark.parametrize("value", ["2", None, True, []])
    def test_order_of_wrong_type(self, bound, value):
        with pytest.raises(TypeError, match="order must be"):
            bound(value, 1.0, 10)

    @pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
    def test_eps0_out_of_range(self, bound, value):
        with pytest.raises(ValueError, match="eps0 must be positive and at most 300"):
            bound(2, value, 10)

    @pytest.mark.parametrize("value", ["1", None, True])
    def test_eps0_of_wrong_type(self, bound, value):
        with pytest.raises(TypeError, match="eps0 must be"):
            bound(2, value, 10)

    @pytest.mark.parametrize("value", [0, -1])
    def test_n_out_of_range(self, bound, value):
        with pytest.raises(ValueError, match="n must be a whole number"):
            bound(2, 1.0, value)

    @pytest.mark.parametrize("value", [10.0, math.nan, "1", None, True])
    def test_n_of_wrong_type(self, bound, value):
        with pytest.raises(TypeError, match="n must be a whole number"):
            bound(2, 1.0, value)
