"""The inverse questions of random check-ins: what is found meets the target, the next does not; limits in words."""

import math
from collections.abc import Callable

import pytest

from shufflekit import Bracket, RandomCheckIn, calibrate, check_in_calibrate
from shufflekit.protocols import MAX_N, MAX_ROUNDS, MAX_SLOTS, Protocol, Run
from shufflekit.protocols.answers import RTOL

DELTA = 1e-6


def upper(*setting: object, rounds: int = 1) -> float:
    return (RandomCheckIn(*setting) * rounds).guarantee(DELTA).upper


def next_whole(found: int, way: int) -> int:
    return found + way * 10 ** max(0, len(str(found)) - calibrate.DIGITS)


def test_the_answer_meets_the_target_and_the_next_one_does_not() -> None:
    """With the guarantee itself, where it costs little: nothing is assumed of how many clients there are."""
    found = check_in_calibrate.eps0(0.5, DELTA, 60, rounds=2)
    assert upper(found, 60, rounds=2) <= 0.5 < upper(found * 1.0002, 60, rounds=2)
    most = check_in_calibrate.participation(0.3, DELTA, 1.0, 60)
    assert upper(1.0, 60, None, most) <= 0.3 < upper(1.0, 60, None, most * 1.0002)
    longest = check_in_calibrate.rounds(1.5, DELTA, 0.5, 60)
    assert upper(0.5, 60, rounds=longest) <= 1.5 < upper(0.5, 60, rounds=longest + 1)
    fewest = check_in_calibrate.fewest_slots(0.4, DELTA, 1.0)
    assert upper(1.0, fewest) <= 0.4 < upper(1.0, next_whole(fewest, -1))


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> Callable[[RandomCheckIn], float]:
    """In the place of the guarantee, a formula that goes where the attack's goes; everything else is as it is."""

    def eps(one: RandomCheckIn) -> float:
        m, n, rate = one.slots, one.clients, one.participation
        hers = (
            rate / m if n is None else -math.expm1(n * math.log1p(-rate / m)) / n if m > 1 else rate / max(1, n * rate)
        )
        crowd = 1.0 if one.empty == "dummy" or n is None else 1 / math.sqrt(max(1e-9, -math.expm1(-n * rate / m)))
        return 6 * math.sqrt(m) * hers * crowd * math.expm1(one.eps0)

    def guaranteed(run: Run | Protocol, delta: float, rtol: float = RTOL) -> Bracket:
        ((one, rounds),) = run.parts
        value = eps(one) * math.sqrt(rounds)
        return Bracket(value, value)

    monkeypatch.setattr("shufflekit.inverse.guaranteed_epsilon", guaranteed)
    return eps


def test_clients_are_the_fewest(cheap: Callable[[RandomCheckIn], float]) -> None:
    for target, slots, rate, empty in (
        (0.02, 1_000, 1.0, "dummy"),
        (0.3, 100, 0.5, "skipped"),
        (1e-4, 50, 1.0, "dummy"),
    ):
        found = check_in_calibrate.clients(target, DELTA, 1.0, slots, rate, empty=empty)
        assert cheap(RandomCheckIn(1.0, slots, found, rate, empty)) <= target
        assert target < cheap(RandomCheckIn(1.0, slots, next_whole(found, -1), rate, empty))
    assert check_in_calibrate.clients(9.0, DELTA, 1.0, 1_000) == 1


def test_slots_are_asked_for_on_either_side_of_the_turn(cheap: Callable[[RandomCheckIn], float]) -> None:
    most = check_in_calibrate.most_slots(0.15, DELTA, 1.0, 1_000)
    fewest = check_in_calibrate.fewest_slots(0.15, DELTA, 1.0, 1_000)
    assert most < check_in_calibrate.TURN * 1_000 < fewest
    for found, way in ((most, 1), (fewest, -1)):
        assert cheap(RandomCheckIn(1.0, found, 1_000)) <= 0.15 < cheap(RandomCheckIn(1.0, found + way, 1_000))
    # Where the turn itself meets the target, either stretch ends or starts there.
    assert check_in_calibrate.most_slots(0.5, DELTA, 1.0, 1_000) == 750
    assert check_in_calibrate.fewest_slots(0.5, DELTA, 1.0, 1_000) == 750
    assert check_in_calibrate.most_slots(0.5, DELTA, 1.0, 1_000, 0.2) == 150
    # Skipped slots hide nobody: there is no turn.
    skipped = check_in_calibrate.most_slots(0.29, DELTA, 1.0, 1_000, empty="skipped")
    assert skipped > 750
    assert cheap(RandomCheckIn(1.0, skipped, 1_000, 1.0, "skipped")) <= 0.29
    assert cheap(RandomCheckIn(1.0, next_whole(skipped, 1), 1_000, 1.0, "skipped")) > 0.29


def test_the_other_questions_with_clients(cheap: Callable[[RandomCheckIn], float]) -> None:
    rate = check_in_calibrate.participation(0.1, DELTA, 1.0, 1_000, 1_000, rounds=2)
    assert cheap(RandomCheckIn(1.0, 1_000, 1_000, rate)) * math.sqrt(2) <= 0.1
    assert cheap(RandomCheckIn(1.0, 1_000, 1_000, rate * 1.0002)) * math.sqrt(2) > 0.1
    found = check_in_calibrate.eps0(0.1, DELTA, 1_000, 1_000, 0.5, empty="skipped")
    assert cheap(RandomCheckIn(found, 1_000, 1_000, 0.5, "skipped")) <= 0.1
    longest = check_in_calibrate.rounds(1.0, DELTA, 1.0, 1_000, 1_000)
    assert cheap(RandomCheckIn(1.0, 1_000, 1_000)) * math.sqrt(longest) <= 1.0
    assert cheap(RandomCheckIn(1.0, 1_000, 1_000)) * math.sqrt(next_whole(longest, 1)) > 1.0


def test_limits_are_returned_and_what_is_out_of_reach_is_told(cheap: Callable[[RandomCheckIn], float]) -> None:
    assert check_in_calibrate.participation(100.0, DELTA, 1.0, 100) == 1.0
    assert check_in_calibrate.rounds(1e9, DELTA, 1e-9, 10**8) == MAX_ROUNDS
    assert check_in_calibrate.most_slots(1e5, DELTA, 1.0, 10, empty="skipped") == MAX_SLOTS
    for call, words in [
        (lambda: check_in_calibrate.clients(1e-12, DELTA, 1.0, 100), f"as clients = {MAX_N:,}, the most allowed, has"),
        (lambda: check_in_calibrate.fewest_slots(1e-6, DELTA, 1.0), f"as slots = {MAX_SLOTS:,}, the most allowed, has"),
        (lambda: check_in_calibrate.most_slots(1e-6, DELTA, 1.0, 100), "as slots = 1 has, got 1e-06"),
        (lambda: check_in_calibrate.rounds(1e-6, DELTA, 1.0, 100), "as rounds = 1 has, got 1e-06"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


def test_no_attack_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("an attack was asked, which a search need not pay for")

    monkeypatch.setattr(Run, "attack_epsilon", never)
    assert check_in_calibrate.eps0(0.5, 1e-3, 10) > 0


BAD = [0, -1, math.nan, math.inf, "1", None, True]
GOOD = {"eps": 0.5, "delta": DELTA, "eps0": 1.0, "slots": 400, "clients": 1_000, "participation": 0.5, "rounds": 2}
QUESTIONS: dict[str, str] = {
    "eps0": "eps0",
    "rounds": "rounds",
    "clients": "clients",
    "participation": "participation",
    "most_slots": "slots",
    "fewest_slots": "slots",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_bad_input(question: str, cheap: object) -> None:
    ask = getattr(check_in_calibrate, question)
    good = {name: value for name, value in GOOD.items() if name != QUESTIONS[question]}
    assert ask(**good) > 0
    for name in good:
        for value in BAD:
            if name == "clients" and value is None and question != "most_slots":
                continue  # nothing is assumed of how many there are
            with pytest.raises((ValueError, TypeError), match=rf"^{name} must be"):
                ask(**good | {name: value})
    if question != "fewest_slots":
        with pytest.raises(ValueError, match=r"^empty must be one of 'dummy', 'skipped'"):
            ask(**good, empty="hidden")
