"""Numbers of heavy and light slots: against all ways to come, in small; and what is assumed of the last ones."""

import itertools
import math

import numpy as np
import pytest

from shufflekit import definitions
from shufflekit.accuracy import TINY
from shufflekit.definitions import Lottery, empty_slots, stretches
from shufflekit.dominating_pairs import lottery_pair, lottery_terms
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.dominating_pairs.lottery_terms import _likely, _most_heavy, terms, worst
from tests import pairs

AT = np.array([0.1])
MOVES = definitions.corners(math.expm1(1.0))


def lottery(slots: int, clients: int, rate: float = 1.0, dummies: bool = True) -> Lottery:
    return Lottery(slots, clients, rate, MOVES, dummies)


def ways(slots: int, others: int, rate: float) -> list[tuple[list[int], float]]:
    """How many of the others came to each slot, and how likely that is."""
    found = []
    for picks in itertools.product(range(slots + 1), repeat=others):
        chance = math.prod(rate / slots if pick < slots else 1 - rate for pick in picks)
        found.append(([picks.count(slot) for slot in range(slots)], chance))
    return found


@pytest.mark.parametrize(("slots", "clients", "rate"), [(2, 3, 1.0), (3, 4, 0.5), (4, 3, 0.9)])
def test_with_none_set_apart_heavy_slots_are_empty_ones(slots: int, clients: int, rate: float) -> None:
    found = terms(lottery(slots, clients, rate), 0)
    assert found is not None
    wanted: dict[int, float] = {}
    for counts, chance in ways(slots, clients - 1, rate):
        empty = counts.count(0)
        wanted[empty] = wanted.get(empty, 0.0) + chance
    got = dict(zip(found.heavy.tolist(), np.exp(found.log_chance).tolist(), strict=True))
    assert {k: got[k] for k in got if got[k] > 1e-12} == {
        k: pytest.approx(chance, rel=1e-6) for k, chance in wanted.items() if chance > 1e-12
    }
    assert (found.heavy + found.light == slots).all()
    assert found.coin == 1.0
    assert 0 <= found.unlikely < 1e-10
    shared = dict(zip(*empty_slots(clients - 1, slots, rate)[::2], strict=True))
    for heavy, size in zip(found.heavy.tolist(), found.size.tolist(), strict=True):
        assert size == pytest.approx(shared[heavy])


@pytest.mark.parametrize(("slots", "clients", "rate"), [(3, 3, 0.5), (2, 4, 1.0), (4, 2, 0.7)])
def test_without_dummies_slots_that_count_are_heavy(slots: int, clients: int, rate: float) -> None:
    found = terms(lottery(slots, clients, rate, dummies=False), 0)
    assert found is not None
    wanted: dict[int, float] = {}
    for counts, chance in ways(slots, clients, rate):
        taken = slots - counts.count(0)
        wanted[taken] = wanted.get(taken, 0.0) + chance
    got = dict(zip(found.heavy.tolist(), np.exp(found.log_chance).tolist(), strict=True))
    assert {k: got[k] for k in got if got[k] > 1e-12} == {
        k: pytest.approx(chance, rel=1e-6) for k, chance in wanted.items() if chance > 1e-12
    }
    assert (found.light == 0).all()
    assert found.coin == 1.0


def test_some_of_the_last_are_set_apart() -> None:
    """Of 2,000 slots 100: the early ones have that many less, and the coin is the chance of an empty slot, and more."""
    found, all_ = terms(lottery(2_000, 3_000, 0.9), 100), terms(lottery(2_000, 3_000, 0.9), 0)
    assert found is not None and all_ is not None
    assert (found.heavy + found.light == 1_900).all()
    mean = float(np.exp(found.log_chance) @ found.heavy) / 1_900
    empty = (1 - 0.9 / 2_000) ** 2_999
    assert mean == pytest.approx(empty, rel=0.03)
    assert empty < found.coin < 1.25 * empty
    assert np.exp(found.log_chance).sum() == pytest.approx(1, abs=1e-6)
    assert 1e-13 < found.unlikely < 1e-9
    assert (found.size < 0.5).all() and found.size.min() > 0.9 * all_.size.min()
    assert len(found.heavy) <= lottery_terms.TERMS


def test_where_there_may_be_fewer_nothing_is_said() -> None:
    assert terms(lottery(20, 30), 20) is None
    assert terms(lottery(20, 30), 19) is not None
    assert terms(lottery(20, 3, dummies=False), 4) is None
    taken = terms(lottery(20, 3, dummies=False), 1)
    assert taken is not None
    assert set(taken.heavy.tolist()) <= {0.0, 1.0, 2.0}


@pytest.mark.parametrize(("clients", "dummies", "wanted"), [(3, True, 7), (3, False, 3), (9, False, 7)])
def test_at_worst_all_are_heavy(clients: int, dummies: bool, wanted: int) -> None:
    found = worst(lottery(7, clients, dummies=dummies))
    assert [part.tolist() if isinstance(part, np.ndarray) else part for part in found] == [
        [float(wanted)],
        [0.0],
        [0.0],
        [0.0],
        1.0,
        0.0,
    ]


def test_numbers_that_are_too_rare_are_not_looked_at() -> None:
    number, chance = np.arange(4.0), np.array([0.5, 0.5 * math.exp(-31), math.exp(-33.5), math.exp(-90)])
    for last, kept in ((1, 2), (0, 3)):
        some, likely, missing = _likely(number, chance, last)
        assert some.tolist() == number[:kept].tolist()
        assert (chance[:kept] < likely).all() and (likely < chance[:kept] * (1 + 1e-6)).all()
        assert missing == pytest.approx(chance[kept:].sum() + math.exp(-80.0), rel=1e-12)


def test_stretches_of_numbers() -> None:
    """All numbers, in order; shortest where the chances are; fewer stretches where numbers are nearly the same."""
    number = np.arange(1_000.0)[::-1]
    parts = stretches(number, np.exp(-(((number - 300) / 40) ** 2) / 2), 24)
    assert len(parts) == 24
    assert np.concatenate(parts).tolist() == np.argsort(number).tolist()
    lengths = {int(number[part].mean()): len(part) for part in parts}
    near = [length for middle, length in lengths.items() if abs(middle - 300) < 60]
    far = [length for middle, length in lengths.items() if abs(middle - 300) > 200]
    assert max(near) < min(far)
    assert [len(part) for part in stretches(np.arange(3.0), np.ones(3), 24)] == [1, 1, 1]
    assert len(stretches(1e6 + np.arange(1_000.0), np.ones(1_000), 24)) == 4


def test_the_most_likely_a_slot_is_empty() -> None:
    """Of two patterns with k and k + 1 empty slots, 1 : 3 is the steepest from 2 on."""
    number, pattern = np.arange(5.0), np.log([1.0, 9.0, 1.0, 3.0, 2.0])
    assert _most_heavy(number, pattern, 2.0, -1) == pytest.approx(0.75, rel=2e-6)
    assert _most_heavy(number, pattern, 2.0, -1) > 0.75
    assert _most_heavy(number, pattern, 0.0, -1) == pytest.approx(0.9, rel=2e-6)
    # Fewer than can be are known: all others have to be empty.
    assert _most_heavy(number, pattern, -1.0, 0) == 1.0
    assert _most_heavy(number, pattern, 0.0, 0) < 1
    assert _most_heavy(number, pattern, 4.0, -1) < 1e-20


@pytest.mark.parametrize(("name", "words"), [("_all", "were counted"), ("_early", "come before the last")])
def test_slots_that_were_not_counted_are_a_bug_and_named(
    monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.setattr(lottery_pair, "terms", lambda of, last: None)
    with pytest.raises(ArithmeticError, match=f"no slots of Lottery.* {words}"):
        getattr(LotteryPair(lottery(7, 3)), name)


def test_few_clients_may_all_be_taken() -> None:
    """Each comes, to a slot of her own: 1/8 times 4/5 times 3/5; then somebody makes room, as all clones do."""
    clones = pairs.clones(1.0, 3, 3).pair.delta(np.array([0.1])).upper[0]
    found = LotteryPair(lottery(5, 3, 0.5, dummies=False))._crowded(AT)
    assert found == pytest.approx(0.125 * 0.8 * 0.6 * clones, rel=1e-12)
    assert LotteryPair(lottery(3, 3, dummies=False))._crowded(AT) == pytest.approx(6 / 27 * clones, rel=1e-12)
    assert LotteryPair(lottery(3, 4, dummies=False))._crowded(AT) == 0
    assert LotteryPair(lottery(5, 3, 0.5))._crowded(AT) == 0
    # Too unlikely to be a number.
    assert LotteryPair(lottery(5_000, 5_000, dummies=False))._crowded(AT) == TINY
    assert LotteryPair(lottery(10**6, 10**6, 0.5, dummies=False))._crowded(AT) == TINY
    assert LotteryPair(lottery(10**7, 10**6 + 1, 0.5, dummies=False))._crowded(AT) == 0
