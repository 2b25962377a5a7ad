"""A curve of delta at points, linear in e^eps between them: read by hand, from either side."""

import math
import sys

import numpy as np
import pytest

from shufflekit.loss_distribution.curve import Curve, deltas

# At e^eps = 1, 2, 4: delta = 0.5, 0.25, 0.125; twice as large as that, scaled.
EPS, SCALED = np.log([1.0, 2.0, 4.0]), np.array([1.0, 0.5, 0.25])


def curve(upper: bool, scale: float = math.log(2)) -> Curve:
    return Curve(EPS, SCALED, scale, upper)


@pytest.mark.parametrize("upper", [False, True])
def test_between_points_it_is_linear_in_alpha(upper: bool) -> None:
    one = curve(upper)
    for alpha, delta in ((1.0, 0.5), (1.5, 0.375), (2.0, 0.25), (3.0, 0.1875), (4.0, 0.125)):
        assert one.delta(math.log(alpha)) == pytest.approx(delta, rel=1e-14)
        if alpha < 4:
            assert one.epsilon(delta) == pytest.approx(math.log(alpha), abs=1e-14)


def test_outside_the_points_it_is_what_is_certain() -> None:
    for upper in (False, True):
        assert curve(upper).delta(9.0) == pytest.approx(0.125)
        assert curve(upper).shifted(1.0).delta(0.5) == (1.0 if upper else pytest.approx(0.5))
    # Above the first point; and below the last.
    assert curve(True).shifted(0.25).epsilon(0.75) == 0.25
    assert curve(False).shifted(0.25).epsilon(0.75) == 0
    assert curve(True).shifted(-0.25).epsilon(0.75) == 0
    assert curve(True).epsilon(0.1) == math.inf
    assert curve(False).epsilon(0.1) == pytest.approx(math.log(4))
    assert curve(False).shifted(-5.0).epsilon(0.1) == 0


def test_the_last_point_above() -> None:
    assert [curve(True).last_above(delta) for delta in (0.6, 0.5 * (1 - 1e-12), 0.3, 0.2, 0.01)] == [-1, 0, 0, 1, 2]
    empty = Curve(EPS, np.array([0.5, 0.0, -1e-20]), 0.0, upper=True)
    assert empty.last_above(0.1) == 0


def test_what_is_certain_without_any_work() -> None:
    for eps in (0.0, 0.5, 3.0):
        assert Curve.unknown(upper=True).delta(eps) == 1.0
        assert Curve.unknown(upper=False).delta(eps) == 0.0
    assert Curve.unknown(upper=True).epsilon(0.1) == math.inf
    assert Curve.unknown(upper=False).epsilon(0.1) == 0.0


def test_losses_that_are_larger() -> None:
    one = curve(True).shifted(0.75)
    assert one.eps.tolist() == (EPS + 0.75).tolist()
    assert one.delta(0.75 + math.log(2)) == pytest.approx(0.25)


def test_what_no_list_holds_is_added() -> None:
    """Missing mass only from above; noise to the safe side."""
    above, below = (curve(upper).with_unlisted(0.0625, 0.03125, 0.01) for upper in (True, False))
    assert above.delta(math.log(2)) == pytest.approx(0.25 + 0.0625 * 1.01 + 0.03125)
    assert below.delta(math.log(2)) == pytest.approx(0.25 + 0.0625 * 0.99)
    one = curve(False)
    assert one.with_unlisted(0.0, 0.5, 0.0) is one
    assert curve(True).with_unlisted(0.0, 0.0, 0.1).scaled is SCALED


def test_infinite_losses_may_outweigh_all_the_rest() -> None:
    """By more than floating point can tell: e^900 times."""
    one = Curve(EPS, SCALED, 900.0, True).with_unlisted(0.5, 0.0, 0.0)
    assert one.delta(0.1) == pytest.approx(0.5)
    assert np.isfinite(one.scaled).all()
    assert one.log_scale == pytest.approx(600 + math.log(2))
    few = Curve(EPS, SCALED, 500.0, True).with_unlisted(0.5, 0.0, 0.0)
    assert few.log_scale == 500.0


def test_a_delta_too_small_for_floating_point_is_not_0() -> None:
    tiny = Curve(EPS, SCALED, 900.0, True)
    assert tiny.delta(0.1) == sys.float_info.min
    assert tiny._replace(upper=False).delta(0.1) == 0.0
    assert Curve(EPS, np.zeros(3), 0.0, True).delta(0.1) == sys.float_info.min
    assert Curve(EPS, np.zeros(3), 0.0, False).delta(0.1) == 0.0
    assert Curve(EPS, 4 * SCALED, 0.0, True).delta(0.0) == 1.0


@pytest.mark.parametrize(("upper", "wanted"), [(True, 1.0), (False, 0.5)])
def test_points_that_do_not_differ_are_taken_for_the_safe_one(upper: bool, wanted: float) -> None:
    same = Curve(np.array([1e17, 1e17]), np.array([1.0, 0.5]), 0.0, upper)
    assert same.delta(1e17) == wanted


def test_one_point_is_a_curve() -> None:
    one = Curve(np.array([0.5]), np.array([0.25]), 0.0, True)
    assert one.delta(0.7) == 0.25
    assert one.delta(0.3) == 1.0


@pytest.mark.parametrize("step", [None, 0.5])
@pytest.mark.parametrize("count", [1, 2, 9, 3_000])
def test_deltas_are_sums_of_what_is_beyond(step: float | None, count: int) -> None:
    """The last stretch of them is more than floating point could hold in one."""
    loss = -3.0 + 0.5 * np.arange(count)
    weight = np.abs(np.sin(np.arange(1.0, count + 1)))
    found = deltas(loss, weight, step)
    for i in {0, count // 2, count - 2, count - 1} & set(range(count)):
        wanted = math.fsum(weight[i + 1 :] * -np.expm1(loss[i] - loss[i + 1 :]))
        assert found[i] == pytest.approx(wanted, rel=1e-11)
    assert found[-1] == 0


def test_deltas_of_losses_that_are_far_apart() -> None:
    loss, weight = np.array([-900.0, 0.0, math.log(2), 700.0]), np.array([0.5, 0.25, 0.125, 0.0625])
    found = deltas(loss, weight)
    assert found == pytest.approx([0.4375, 0.125 * 0.5 + 0.0625, 0.0625, 0.0], rel=1e-12)


def test_what_is_not_known_from_above_stays_unknown() -> None:
    """Points so far to the left that they are no numbers, next to infinite losses that outweigh all: not 0 times them.

    An upper end was read off where the curve was no number, as if it were below any delta.
    """
    one = Curve(EPS, np.append(np.inf, SCALED[1:]), 3000.0, True).with_unlisted(0.25, 0.0, 0.0)
    assert one.scaled[0] == np.inf
    assert np.isfinite(one.scaled[1:]).all()
    assert one.last_above(0.9) == 0
    assert one.delta(float(EPS[-1])) == pytest.approx(0.25)
