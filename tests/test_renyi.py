"""Renyi curves: addition, the best order, the conversion of Lemma 1."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import divergences
from shufflekit.papers import girgis2021
from shufflekit.randomizers import RandomizedResponse
from shufflekit.renyi import RenyiCurve, best_order, epsilon_at_order, log_delta_at_order

gaussian = RenyiCurve(lambda order: order * 0.01)


def test_conversion_against_mpmath() -> None:
    with mpmath.workdps(50):
        for order in (1.01, 2, 33.5, 1e4):
            for rdp, delta in ((0.0, 0.5), (1e-9, 1e-60), (3.0, 1e-8)):
                a = mpmath.mpf(order)
                expected = rdp + (
                    mpmath.log(1 / mpmath.mpf(delta)) + (a - 1) * mpmath.log(1 - 1 / a) - mpmath.log(a)
                ) / (a - 1)
                assert float(epsilon_at_order(rdp, order, delta)) == pytest.approx(
                    float(expected), rel=1e-12, abs=1e-15
                )


@given(st.floats(1.01, 1e4), st.floats(0, 5), st.floats(1e-30, 0.5))
def test_the_two_readings_of_lemma_1_are_inverse(order: float, rdp: float, delta: float) -> None:
    eps = float(epsilon_at_order(rdp, order, delta))
    if eps >= 0:
        assert float(log_delta_at_order(rdp, order, eps)) == pytest.approx(math.log(delta), abs=1e-9 * order)


def test_best_order_beats_every_order_of_a_fine_grid() -> None:
    for rounds in (1, 100, 10_000):
        for delta in (1e-3, 1e-8, 1e-40):
            best = (gaussian * rounds).epsilon(delta)
            orders = 1 + np.geomspace(1e-6, 1e5, 4001)
            grid = epsilon_at_order(rounds * gaussian(orders), orders, delta).min()
            assert best.value <= max(grid, 0) * (1 + 1e-9)
            assert best.value == pytest.approx(max(grid, 0), rel=1e-4)


class Counted:
    """A bound that counts the orders at which it is asked."""

    def __init__(self, function) -> None:
        self.function, self.asked = function, 0

    def __call__(self, orders: np.ndarray) -> np.ndarray:
        self.asked += orders.size
        return self.function(orders)


def two_valleys(orders: np.ndarray) -> np.ndarray:
    """One about order 2, and a deeper one about order 80."""
    return np.minimum((orders - 2) ** 2 + 1, 0.5 + np.log(orders / 80) ** 2)


@pytest.mark.parametrize("best", [1.0001, 1.7, 2.0, 17.3, 3000.0, 1e6])
def test_the_best_real_order(best: float) -> None:
    bound = Counted(lambda orders: np.log((orders - 1) / (best - 1)) ** 2)
    found = best_order(bound)
    assert found.value < 1e-12
    assert found.order == pytest.approx(best, rel=1e-5)
    assert bound.asked <= 60


@pytest.mark.parametrize("best", [2, 3, 17, 1000, 123_456])
def test_the_best_whole_order(best: int) -> None:
    bound = Counted(lambda orders: abs(np.log(orders / best)))
    assert best_order(bound, whole=True) == (0.0, best)
    assert bound.asked <= 150


def test_a_start_near_the_best_order_saves_questions() -> None:
    bound = Counted(lambda orders: np.log((orders - 1) / 1e4) ** 2)
    best_order(bound)
    far, bound.asked = bound.asked, 0
    assert best_order(bound, start=9000.0, patience=1, precision=1e-3).value < 1e-5
    assert bound.asked < far / 2


def test_patience_finds_the_second_valley() -> None:
    assert best_order(two_valleys, whole=True, patience=6).order == 80
    assert best_order(two_valleys, whole=True, patience=1).order == 2
    assert best_order(two_valleys, patience=6).order == pytest.approx(80, rel=1e-6)


def test_a_quick_floor_saves_questions() -> None:
    plain, spared = Counted(two_valleys), Counted(two_valleys)
    assert best_order(plain, whole=True) == best_order(
        spared, whole=True, floor=lambda orders: two_valleys(orders) - 0.1
    )
    assert spared.asked < plain.asked


@pytest.mark.parametrize("whole", [True, False])
def test_no_order_above_the_most_is_tried(whole: bool) -> None:
    tried: list[float] = []

    def falling(orders: np.ndarray) -> np.ndarray:
        tried.extend(orders)
        return -orders

    assert best_order(falling, whole=whole, most=100.0).order == pytest.approx(100, rel=1e-8)
    assert max(tried) <= 100


def test_epsilon_and_delta_are_inverse_at_the_optimum() -> None:
    eps = (gaussian * 50).epsilon(1e-6)
    assert (gaussian * 50).delta(eps.value).value == pytest.approx(1e-6, rel=1e-6)


def test_addition_and_multiplication() -> None:
    other = RenyiCurve(lambda order: np.minimum(order * 0.1, 1.0))
    orders = np.array([1.5, 2.0, 30.0])
    assert (gaussian + other)(orders) == pytest.approx(gaussian(orders) + other(orders))
    assert (other * 7)(orders) == pytest.approx(7 * other(orders))
    assert (gaussian + gaussian).epsilon(1e-6) == pytest.approx((gaussian * 2).epsilon(1e-6))


def test_finds_the_whole_order_of_theorem_1() -> None:
    """Interpolated between whole orders, Theorem 1 has its best real order at a whole one here."""
    curve = RenyiCurve(lambda order: girgis2021.thm1_real_order(order, 2.0, 10**6, 1000)) * 10**5
    assert curve.epsilon(1e-8) == pytest.approx(girgis2021.thm3_privacy(2.0, 10**6, 1000, 10**5, 1e-8), rel=1e-12)


def test_never_below_the_exact_epsilon_of_randomized_response() -> None:
    for eps0 in (0.1, 1.0, 4.0):
        p, q = RandomizedResponse(2, eps0).probs
        curve = RenyiCurve(lambda order, p=p, q=q: np.vectorize(lambda a: divergences.renyi(p, q, a))(order))
        for delta in (0.2, 1e-2, 1e-8):
            eps = curve.epsilon(delta).value
            assert divergences.hockey_stick(p, q, math.exp(eps)) <= delta * (1 + 1e-12)


def test_clipped_at_zero() -> None:
    assert RenyiCurve(lambda order: 0.0 * order).epsilon(0.5).value == 0


@pytest.mark.parametrize("rounds", [0, -1, 1.5, True, "3"])
def test_bad_rounds(rounds: object) -> None:
    with pytest.raises((ValueError, TypeError), match="rounds"):
        gaussian * rounds  # type: ignore[operator]


@pytest.mark.parametrize("delta", [0, 1, -1e-3, math.nan, math.inf, "1e-6", None])
def test_bad_delta(delta: object) -> None:
    with pytest.raises((ValueError, TypeError), match="delta"):
        gaussian.epsilon(delta)  # type: ignore[arg-type]
