"""Check-ins where a first version gave way: few clients, crowded slots, extreme eps0, losses near the largest."""

import math

import numpy as np
import pytest

from shufflekit import RandomCheckIn
from shufflekit.definitions import Lottery, corners, empty_slots
from shufflekit.dominating_pairs import pair_of
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.line import Share, stop_losses
from shufflekit.dominating_pairs.lottery_pair import LotteryPair

ONE = np.ones(1)
FAIR = Scores(np.array([1.0, -1.0]), np.array([0.5, 0.5]))
SKIPPED = {"empty": "skipped"}


@pytest.mark.parametrize(
    ("protocol", "eps"),
    [
        pytest.param(RandomCheckIn(1, 10, 1, 0.5, **SKIPPED), 0.7, id="she comes half the time, which is seen"),
        pytest.param(RandomCheckIn(1, 1000, 2, 0.3, **SKIPPED), 0.5, id="one or two come"),
        pytest.param(RandomCheckIn(1, 1000, 2, 0.3, **SKIPPED), 0.0, id="most likely nobody comes, skipped"),
        pytest.param(RandomCheckIn(1, 100, 10, 0.05), 0.0, id="most likely nobody comes"),
        pytest.param(RandomCheckIn(1, 1000, 1), 0.0, id="she is alone"),
        pytest.param(RandomCheckIn(0.5, 20_000, 1), 0.0, id="she is alone, below E = 2"),
        pytest.param(RandomCheckIn(1, 1000, 3), 0.0, id="two others: nearly all slots are empty"),
        pytest.param(RandomCheckIn(1, 1000, 10), 0.0, id="nine others"),
        pytest.param(RandomCheckIn(2, 20_000, 3), 0.0, id="two others of many slots"),
        pytest.param(RandomCheckIn(0.5, 5000, 10), 0.0, id="nine others, below E = 2"),
    ],
)
def test_never_below_an_attack(protocol: RandomCheckIn, eps: float) -> None:
    at = np.array([eps])
    upper = protocol.pair.delta(at).upper
    for attack in protocol.attacks:
        pair = pair_of(attack.define(float))
        for way in (pair, pair.reversed()):
            assert upper >= way.delta(at).lower * (1 - 1e-9)


def test_a_sum_whose_likeliest_number_is_zero() -> None:
    """With a chance of 0.4 there is one score of 1 or -1: E(S)_+ = 0.2."""
    shares = [Share(FAIR, np.array([0.0, 1.0]), np.ones(2))]
    assert 0.2 <= stop_losses(shares, np.log([0.6, 0.4]), np.zeros(1)).upper[0] <= 0.21


@pytest.mark.parametrize("number", [3, 10, 30])
def test_at_the_largest_sum_next_to_nothing_is_left(number: int) -> None:
    found = stop_losses([Share(FAIR, number * ONE, ONE)], np.zeros(1), float(number) * ONE)
    assert found.upper[0] <= 0.01 * math.sqrt(number)


@pytest.mark.parametrize(
    ("clients", "slots", "rate"),
    [(400, 1, 1.0), (1000, 2, 1.0), (13_742, 39, 1.0), (40_000, 100, 1.0), (10**12, 10**8, 1.0), (10**12, 1, 0.5)],
)
def test_crowded_slots_have_chances(clients: int, slots: int, rate: float) -> None:
    found = empty_slots(clients, slots, rate)
    assert np.isfinite(found).all()
    assert found.chance.sum() == pytest.approx(1)


def test_many_clients_who_hardly_ever_come() -> None:
    found = empty_slots(10**12, 1, 1e-12)
    assert float(found.number @ found.chance) == pytest.approx(math.exp(-1), rel=1e-7)


@pytest.mark.parametrize(
    ("protocol", "eps"),
    [
        (RandomCheckIn(0.26432285479585405, 17, 11, **SKIPPED), 0.22736),
        (RandomCheckIn(0.12298, 5, 7, 0.337, **SKIPPED), 0.03245),
        (RandomCheckIn(1.19145, 40, 40, **SKIPPED), 1.10269),
    ],
)
def test_delta_falls_to_the_end(protocol: RandomCheckIn, eps: float) -> None:
    assert (np.diff(protocol.pair.delta(np.linspace(0, eps, 12)).upper) <= 0).all()


def test_a_lottery_near_its_largest_loss() -> None:
    pair = LotteryPair(Lottery(99, 99, 0.5, corners(math.expm1(0.75)), True))
    assert 0 <= pair.delta(np.array([0.388])).upper[0] < 1e-6


@pytest.mark.parametrize(
    ("protocol", "delta"),
    [
        (RandomCheckIn(20, 168_390, 16_839_000, 0.5), 0.01),
        (RandomCheckIn(0.29265, 19_263, 534_413), 1e-6),
        (RandomCheckIn(0.25, 10_000, 10**6), 1e-6),
        (RandomCheckIn(300, 99, 9900), 1e-6),
        (RandomCheckIn(300, 614, 1, 0.05, **SKIPPED), 1e-6),
    ],
)
@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
def test_it_answers(protocol: RandomCheckIn, delta: float) -> None:
    found = protocol.epsilon(delta)
    assert 0 <= found.lower <= found.upper <= protocol.eps0 * (1 + 1e-9)
