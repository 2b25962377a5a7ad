"""The lottery with dummies at alpha = 1: about a normal law's call where it serves, and nothing beyond."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from shufflekit.definitions import Lottery, corners
from shufflekit.dominating_pairs.tied_lottery import TiedLottery


def tied(slots: int) -> TiedLottery:
    return TiedLottery(Lottery(slots, slots, 1, corners(math.expm1(0.5)), True))


def worth(lottery: TiedLottery, x: float) -> float:
    return float(lottery.worth(np.array([x]))[0])


def call(z: float) -> float:
    """``E(Z - z)_+`` of a standard normal Z."""
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) - z * float(ndtr(-z))


def test_its_worth_is_a_little_above_a_normal_laws() -> None:
    lottery = tied(3_000)
    assert lottery.serves
    deviation = math.sqrt(lottery.variance)
    for z in (0.0, 0.5, 1.0, 2.0):
        assert call(z) <= worth(lottery, z * deviation) / deviation <= 1.05 * call(z), z


def test_from_where_nothing_is_enough_on_it_is_infinite_and_below_it_is_not() -> None:
    lottery = tied(3_000)
    deviation = math.sqrt(lottery.variance)
    near, edge = worth(lottery, 2 * deviation), 8 * deviation
    assert lottery.beyond == math.inf
    assert worth(lottery, edge) == math.inf and lottery.beyond == edge
    assert worth(lottery, edge) == worth(lottery, edge + deviation) == math.inf and lottery.beyond == edge
    # All at once: the same, but for the lines that points share.
    found = lottery.worth(np.array([edge, 2 * deviation, 3 * deviation, edge + deviation]))
    assert math.isclose(found[1], near, rel_tol=1e-3) and 0 < found[2] < near
    assert found[0] == found[3] == math.inf


@pytest.mark.parametrize("slots", [200, 2_999])
def test_it_does_not_serve_where_few_slots_come_before_the_last(slots: int) -> None:
    assert not tied(slots).serves
