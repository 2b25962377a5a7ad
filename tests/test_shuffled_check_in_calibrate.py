"""The inverse questions of shuffled check-ins: what is found meets the target, the next does not; limits in words."""

import math
from collections.abc import Callable

import pytest

from shufflekit import Bracket, ShuffledCheckIn, calibrate
from shufflekit import shuffled_check_in_calibrate as inverse
from shufflekit.protocols import MAX_N, MAX_ROUNDS, Protocol, Run
from shufflekit.protocols.answers import RTOL

DELTA = 1e-6
CLONES = {"reduction": "clones"}


def upper(*setting: float, rounds: int = 1) -> float:
    return (ShuffledCheckIn(*setting, reduction="clones") * rounds).guarantee(DELTA).upper


def next_whole(found: int, way: int) -> int:
    return found + way * 10 ** max(0, len(str(found)) - calibrate.DIGITS)


def test_the_answer_meets_the_target_and_the_next_one_does_not() -> None:
    """With the guarantee itself, by the pair that costs least."""
    eps0 = inverse.eps0(0.3, DELTA, 2_000, 0.1, rounds=3, **CLONES)
    assert upper(eps0, 2_000, 0.1, rounds=3) <= 0.3 < upper(eps0 * 1.0002, 2_000, 0.1, rounds=3)
    rate = inverse.rate(0.1, DELTA, 2.0, 2_000, rounds=2, **CLONES)
    assert upper(2.0, 2_000, rate, rounds=2) <= 0.1 < upper(2.0, 2_000, rate * 1.0002, rounds=2)
    fewest = inverse.population(0.1, DELTA, 1.0, 0.1, rounds=2, **CLONES)
    assert upper(1.0, fewest, 0.1, rounds=2) <= 0.1 < upper(1.0, fewest - 1, 0.1, rounds=2)
    longest = inverse.rounds(0.5, DELTA, 1.0, 2_000, 0.1, **CLONES)
    assert upper(1.0, 2_000, 0.1, rounds=longest) <= 0.5 < upper(1.0, 2_000, 0.1, rounds=longest + 1)


def test_the_corners_allow_at_least_as_much_as_the_clones() -> None:
    """They are what is meant where nothing is said."""
    more, less = inverse.rounds(0.5, 1e-5, 2.0, 60_000, 0.1), inverse.rounds(0.5, 1e-5, 2.0, 60_000, 0.1, **CLONES)
    assert more > less
    assert (ShuffledCheckIn(2.0, 60_000, 0.1) * more).guarantee(1e-5).upper <= 0.5


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> Callable[[ShuffledCheckIn], float]:
    """In the place of the guarantee, a formula that goes where it goes; everything else is as it is."""

    def eps(one: ShuffledCheckIn) -> float:
        # She comes with no more than delta: all is as it would be without her.
        return 6 * math.sqrt(one.rate / one.population) * math.expm1(one.eps0) if one.rate > DELTA else 0.0

    def guaranteed(run: Run | Protocol, delta: float, rtol: float = RTOL) -> Bracket:
        ((one, rounds),) = run.parts
        value = min(eps(one) * math.sqrt(rounds), one.eps0 * rounds)
        return Bracket(value, value)

    monkeypatch.setattr("shufflekit.inverse.guaranteed_epsilon", guaranteed)
    return eps


def test_any_size_has_an_answer(cheap: Callable[[ShuffledCheckIn], float]) -> None:
    for target, eps0, rate in ((0.02, 1.0, 0.1), (1e-4, 2.0, 1e-3), (0.5, 4.0, 1.0)):
        found = inverse.population(target, DELTA, eps0, rate)
        assert cheap(ShuffledCheckIn(eps0, found, rate)) <= target
        assert target < cheap(ShuffledCheckIn(eps0, next_whole(found, -1), rate))
    for population in (10, 10**6, MAX_N):
        found = inverse.rate(1e-7, DELTA, 2.0, population)
        assert cheap(ShuffledCheckIn(2.0, population, found)) <= 1e-7
        assert cheap(ShuffledCheckIn(2.0, population, found * 1.0002)) > 1e-7


def test_limits_are_returned_and_what_is_out_of_reach_is_told(cheap: Callable[[ShuffledCheckIn], float]) -> None:
    assert inverse.rate(100.0, DELTA, 1.0, 100) == 1.0
    assert inverse.population(100.0, DELTA, 1.0, 0.5) == 1
    assert inverse.rounds(1e9, DELTA, 1e-9, 10**8, 0.1) == MAX_ROUNDS
    assert inverse.eps0(1e9, DELTA, 100, 0.1) == calibrate.MAX_EPS0
    for call, words in [
        (lambda: inverse.population(1e-12, DELTA, 1.0, 0.1), f"as population = {MAX_N:,}, the most allowed, has"),
        (lambda: inverse.rounds(1e-6, DELTA, 1.0, 100, 0.1), "as rounds = 1 has, got 1e-06"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


BAD = [0, -1, math.nan, math.inf, "1", None, True]
GOOD = {"eps": 0.5, "delta": DELTA, "eps0": 1.0, "population": 400, "rate": 0.5, "rounds": 2}


@pytest.mark.parametrize("question", ["eps0", "population", "rate", "rounds"])
def test_bad_input(question: str, cheap: object) -> None:
    ask = getattr(inverse, question)
    good = {name: value for name, value in GOOD.items() if name != question}
    assert ask(**good) > 0
    for name in good:
        for value in BAD:
            with pytest.raises((ValueError, TypeError), match=rf"^{name} must be|got {name}="):
                ask(**good | {name: value})
    with pytest.raises(ValueError, match=r"^reduction must be one of 'corners'"):
        ask(**good, reduction="clone")
