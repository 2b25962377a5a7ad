import math

import mpmath as mp
import numpy as np
import pytest

from shufflekit.papers import wang2019


def gaussian(j):
    """The curve of a Gaussian mechanism, capped at pure eps 1 so that it can be one."""
    return np.minimum(0.01 * j, 1.0)


def steep(j):
    return np.minimum(2.0 * j, 10.0)


def tiny(j):
    return 1e-9 * j / (1 + j)


def zero(j):
    return 0.0 * j


def reference(order: int, curve, eps_inf: float | None, gamma: float) -> mp.mpf:
    """Theorem 9 with its minima; with 2 for each of them where eps_inf is None."""
    g = mp.mpf(gamma)
    eps = [mp.mpf(float(curve(np.array([max(j, 2)]))[0])) for j in range(order + 1)]
    binomial, total = mp.mpf(order), mp.mpf(1)
    for j in range(2, order + 1):
        binomial = binomial * (order - j + 1) / j
        if eps_inf is None:
            a = 2 * mp.exp((j - 1) * eps[j])
        else:
            a = mp.exp((j - 1) * eps[j]) * min(2, (mp.exp(mp.mpf(eps_inf)) - 1) ** j)
            if j == 2:
                a = min(4 * (mp.exp(eps[2]) - 1), a)
        total += g**j * binomial * a
    return mp.log(total) / (order - 1)


@pytest.mark.parametrize("gamma", [1e-6, 1e-3, 0.3, 1.0])
@pytest.mark.parametrize(("curve", "eps_inf"), [(gaussian, 1.0), (steep, 10.0), (tiny, 1e-6), (tiny, 0.5), (zero, 0.1)])
def test_thm9(curve, eps_inf, gamma):
    order = np.array([2, 3, 10, 400])
    found = wang2019.thm9(order, curve, eps_inf, gamma)
    weak = wang2019.thm9_weak(order, curve, gamma)
    with mp.workdps(50):
        for i, o in enumerate(order):
            exact, exact_weak = (reference(int(o), curve, e, gamma) for e in (eps_inf, None))
            assert abs(found[i] - exact) <= 1e-12 * exact
            assert abs(weak[i] - exact_weak) <= 1e-12 * exact_weak


@pytest.mark.parametrize("gamma", [1e-3, 1.0])
def test_order_10_000(gamma):
    with mp.workdps(50):
        ratio = wang2019.thm9(10_000, gaussian, 1.0, gamma) / reference(10_000, gaussian, 1.0, gamma)
    assert abs(ratio - 1) < 1e-12


def test_weak_is_weaker():
    order = np.arange(2, 300)
    strong = wang2019.thm9(order, gaussian, 1.0, 0.01)
    assert np.all(wang2019.thm9_weak(order, gaussian, 0.01) >= strong)
    # It does not see that a mechanism hardly leaks.
    assert wang2019.thm9(2, tiny, 1e-6, 0.1) < 1e-9 < 0.01 < wang2019.thm9_weak(2, tiny, 0.1)


def test_bounds_sampled_randomized_response():
    """One of five randomized bits, drawn at random: the exact divergence must not exceed the bound."""
    eps0, gamma = 1.5, 0.2
    p = np.array([math.exp(eps0), 1.0]) / (1 + math.exp(eps0))
    q = p[::-1]
    order = np.arange(2, 40)

    def divergence(p, q):
        return np.log([(p**o * q ** (1.0 - o)).sum() for o in order]) / (order - 1)

    def curve(j):
        return np.log([(p**o * q ** (1.0 - o)).sum() for o in j]) / (j - 1)

    # Swapping one record moves the sampled mechanism from one of these mixtures to the other.
    base = np.array([0.5, 0.5])
    first, second = gamma * p + (1 - gamma) * base, gamma * q + (1 - gamma) * base
    assert np.all(divergence(first, second) <= wang2019.thm9(order, curve, eps0, gamma))


def test_curve_is_called_once_with_whole_orders():
    asked = []

    def curve(j):
        asked.append(j)
        return 0.0 * j

    wang2019.thm9(np.array([5, 3]), curve, 1.0, 0.5)
    assert len(asked) == 1
    np.testing.assert_array_equal(asked[0], [2, 3, 4, 5])


class TestBadInput:
    @pytest.mark.parametrize("value", [1, 0, -2, 2.5, math.nan, math.inf, 10**6])
    def test_order(self, value):
        for call in (
            lambda: wang2019.thm9(value, gaussian, 1.0, 0.1),
            lambda: wang2019.thm9_weak(value, gaussian, 0.1),
        ):
            with pytest.raises(ValueError, match="order must be a whole number"):
                call()

    @pytest.mark.parametrize("value", [0.0, -0.1, 1.1, math.nan, math.inf])
    def test_gamma(self, value):
        for call in (
            lambda: wang2019.thm9(2, gaussian, 1.0, value),
            lambda: wang2019.thm9_weak(2, gaussian, value),
        ):
            with pytest.raises(ValueError, match="gamma must be above 0 and at most 1"):
                call()

    @pytest.mark.parametrize("value", [0.0, -0.1, math.nan, math.inf])
    def test_eps_inf(self, value):
        with pytest.raises(ValueError, match="eps_inf must be positive and finite"):
            wang2019.thm9(2, gaussian, value, 0.1)

    @pytest.mark.parametrize("value", ["2", None, True])
    def test_wrong_type(self, value):
        for call in (
            lambda: wang2019.thm9(value, gaussian, 1.0, 0.1),
            lambda: wang2019.thm9(2, gaussian, value, 0.1),
            lambda: wang2019.thm9(2, gaussian, 1.0, value),
            lambda: wang2019.thm9(2, value, 1.0, 0.1),
            lambda: wang2019.thm9_weak(2, value, 0.1),
        ):
            with pytest.raises(TypeError, match="must be"):
                call()

    @pytest.mark.parametrize(
        "curve",
        [lambda j: j * math.nan, lambda j: j * math.inf, lambda j: -j, lambda j: 1.0, lambda j: j[1:]],
    )
    def test_curve(self, curve):
        with pytest.raises(ValueError, match="eps_of_order must return"):
            wang2019.thm9(5, curve, 1.0, 0.1)
        with pytest.raises(ValueError, match="eps_of_order must return"):
            wang2019.thm9_weak(5, curve, 0.1)
