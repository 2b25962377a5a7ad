"""Each bound on random check-ins by itself, without a table: what it is asked with, and up to where it holds."""

import math

import pytest

from shufflekit import RandomCheckIn, Shuffle, SlidingCheckIn, check_in_bounds
from shufflekit.check_in_bounds import SLOW_ROUNDS
from shufflekit.papers import balle2020, dwork2010, kairouz2015
from shufflekit.protocols import CheckIns, TooSlow, bounds

CLONES = "replacement, clones, composed numerically"
THEOREM, SHORT = "Theorem 3.2 (a window's: 4.3)", "Theorem 3.2 (4.3), short form"
OPTIMAL, ADVANCED = "Theorem 3.2 (4.3); optimal composition", "Theorem 3.2 (4.3); advanced composition"
COROLLARY, ALONE = "Corollary 3.3", "no check-ins; optimal composition"
REPLACED = "replacement, any number of clients, composed numerically"
TOLD = "replacement, empty slots told, composed numerically"
SAMPLED = "clients sampled for the slots, composed numerically"
OWN = (REPLACED, TOLD, SAMPLED)
ONE = RandomCheckIn(1.0, 1_000, 1_000)
WINDOW = SlidingCheckIn(1.0, 1_000, 5_000)


def asked(name: str, *epochs: CheckIns, delta: float = 1e-6) -> float:
    return next(one for one in bounds.registered() if one.name == name and one.about is CheckIns).epsilon(epochs, delta)


def test_every_bound_names_what_it_rests_on() -> None:
    found = {one.name: one.source for one in bounds.registered() if one.about is CheckIns}
    assert {name for name, source in found.items() if source == "beyond"} == {*OWN, CLONES}
    assert {name for name, source in found.items() if "balle2020" in source} == {
        THEOREM,
        SHORT,
        OPTIMAL,
        ADVANCED,
        COROLLARY,
    }
    assert found[ALONE] == "kairouz2015"


@pytest.mark.parametrize(
    ("name", "epochs", "told"),
    [
        (SAMPLED, [CheckIns(WINDOW)], "does not cover the first and the last clients of a sliding window"),
        (SAMPLED, [CheckIns(RandomCheckIn(1.0, 100))], "needs the number of clients"),
        (TOLD, [CheckIns(RandomCheckIn(1.0, 9, 9, empty="skipped"))], "needs a dummy's answer in every empty slot"),
        (CLONES, [CheckIns(RandomCheckIn(1.0, 9, 9, empty="skipped"))], "needs a dummy's answer in every empty slot"),
        (THEOREM, [CheckIns(ONE), CheckIns(WINDOW)], "is stated for equal epochs only"),
        (THEOREM, [CheckIns(ONE, 2)], "is about one epoch"),
        (SHORT, [CheckIns(ONE, 2)], "is about one epoch"),
        (OPTIMAL, [CheckIns(ONE, 1)], "is about several epochs"),
        (ADVANCED, [CheckIns(ONE, 1)], "is about several epochs"),
        (ADVANCED, [CheckIns(ONE, 2), CheckIns(WINDOW, 2)], "is stated for equal epochs only"),
        (COROLLARY, [CheckIns(WINDOW)], "is not about a sliding window"),
        (COROLLARY, [CheckIns(ONE), CheckIns(WINDOW)], "is stated for equal epochs only"),
        (COROLLARY, [CheckIns(RandomCheckIn(1.0, 9))], "needs at least as many clients as slots"),
        (COROLLARY, [CheckIns(RandomCheckIn(1.0, 9, 8))], "needs at least as many clients as slots"),
        (COROLLARY, [CheckIns(RandomCheckIn(1.0, 10, 30), 3)], "is about clients/slots epochs at most"),
        (COROLLARY, [CheckIns(RandomCheckIn(1.0, 10, 30, 1 / 3), 4)], "is about clients/slots epochs at most"),
        (ALONE, [CheckIns(ONE), CheckIns(WINDOW)], "is stated for equal epochs only"),
    ],
)
def test_what_a_bound_is_not_about_it_says(name: str, epochs: list[CheckIns], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        asked(name, *epochs)


def test_the_least_of_its_own_is_one_of_its_own() -> None:
    """Of each the least that certainly covers it, composed with itself; both ways are asked."""
    small = RandomCheckIn(1.0, 5, 5)
    found = [asked(name, CheckIns(small, 2)) for name in OWN]
    assert min(found) == pytest.approx((2 * small).guarantee(1e-6).upper, rel=2e-4)
    assert asked(REPLACED, CheckIns(WINDOW)) == pytest.approx(WINDOW.guarantee(1e-6).upper, rel=2e-4)


def test_the_clones_of_slots() -> None:
    """With every client in, m slots that answer for one record are m clones at once; half of them is twice as many."""
    full = asked(CLONES, CheckIns(RandomCheckIn(1.0, 500), 2))
    assert full == pytest.approx((Shuffle(1.0, 500, reduction="clones") * 2).guarantee(1e-6).upper, rel=2e-4)
    half = asked(CLONES, CheckIns(RandomCheckIn(1.0, 500, participation=0.5), 2))
    sampled = Shuffle(1.0, 500, 1_000, reduction="clones") * 2
    assert half == pytest.approx(sampled.guarantee(1e-6).upper, rel=2e-4)


def test_the_worse_way_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Way:
        def __init__(self, upper: float) -> None:
            self.upper = upper

        def epsilon(self, delta: float, rtol: float) -> "Way":
            return self

    class Both:
        def __init__(self, parts: object) -> None: ...

        def both_ways(self) -> tuple[Way, Way]:
            return Way(1.0), Way(2.0)

    monkeypatch.setattr(check_in_bounds, "Composition", Both)
    assert asked(CLONES, CheckIns(ONE)) == 2.0


def test_a_theorem_is_asked_with_the_protocols_own_numbers() -> None:
    part = RandomCheckIn(0.5, 2_000, participation=0.25)
    assert asked(THEOREM, CheckIns(part)) == balle2020.thm32(0.5, 2_000, 0.25, 1e-6)
    assert asked(SHORT, CheckIns(part)) == balle2020.thm32_short(0.5, 2_000, 0.25, 1e-6)
    assert asked(THEOREM, CheckIns(WINDOW)) == balle2020.thm32(1.0, 1_000, 1.0, 1e-6)
    each = float(balle2020.thm32(0.5, 2_000, 0.25, 1e-6 / 4))
    assert asked(OPTIMAL, CheckIns(part, 2)) == kairouz2015.optimal(each, 1e-6 / 4, 2, 1e-6)
    assert asked(ADVANCED, CheckIns(part, 2)) == dwork2010.advanced(each, 2, 5e-7)
    assert asked(ALONE, CheckIns(part, 3)) == kairouz2015.optimal(0.5, 0.0, 3, 1e-6)


def test_the_corollary_up_to_where_it_holds() -> None:
    """As many clients as slots and one epoch; three times as many, each in with a third, and three epochs."""
    one = asked(COROLLARY, CheckIns(RandomCheckIn(0.1, 1_000, 1_000)), delta=1e-4)
    assert one == balle2020.cor33(0.1, 1_000, 1_000, 5e-5, 5e-5).eps
    three = RandomCheckIn(0.1, 1_000, 4_000, participation=0.25)
    assert asked(COROLLARY, CheckIns(three, 4)) == balle2020.cor33(0.1, 4_000, 1_000, 1e-6 / 8, 5e-7).eps


@pytest.mark.parametrize("name", [OPTIMAL, ALONE])
def test_the_slowest_composition_that_is_begun(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kairouz2015, "optimal", lambda *arguments: 7.0)
    assert asked(name, CheckIns(ONE, SLOW_ROUNDS)) == 7.0
    with pytest.raises(TooSlow, match="takes long beyond 10,000,000 epochs"):
        asked(name, CheckIns(ONE, SLOW_ROUNDS + 1))


def test_the_advanced_composition_is_never_slow() -> None:
    assert math.isfinite(asked(ADVANCED, CheckIns(ONE, SLOW_ROUNDS + 1)))
