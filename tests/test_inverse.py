"""The search behind the inverse questions, on runs whose epsilon is made up: what it must not be misled by."""

from typing import NamedTuple

import pytest

from shufflekit import inverse
from shufflekit.bracket import Bracket, WideAnswer
from shufflekit.inverse import COARSE, Search
from shufflekit.protocols import MAX_N
from shufflekit.protocols.answers import RTOL


class MadeUp(NamedTuple):
    """Its epsilon, and by what part the upper end is above it, from afar and from near."""

    epsilon: float
    afar: float = 0.0
    near: float = 0.0

    def guarantee(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        return Bracket(self.epsilon, self.epsilon * (1 + (self.afar if rtol >= COARSE else self.near)))


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked in the place of pairs."""
    monkeypatch.setattr(inverse, "guaranteed_epsilon", lambda run, delta, rtol=RTOL: run.guarantee(delta, rtol=rtol))


def growing(afar: float = 0.0, near: float = 0.0) -> Search:
    return Search(1.0, 1e-6, lambda x: MadeUp(x / 1000, afar, near))


def falling(afar: float = 0.0, near: float = 0.0) -> Search:
    return Search(1.0, 1e-6, lambda x: MadeUp(1000 / x, afar, near))


@pytest.mark.parametrize("afar", [0.0, COARSE / 2, COARSE, 2 * COARSE])
def test_what_is_unsure_from_afar_is_looked_at_again(afar: float) -> None:
    assert growing(afar).largest(1, 10**6, "x = 1") == 1000
    assert falling(afar).smallest(1, "x") == 1000
    # The very first look, too.
    assert growing(afar).largest(1000, 10**6, "x = 1000") == 1000
    assert falling(afar).smallest(1000, "x") == 1000


@pytest.mark.parametrize("lower", [COARSE / 2, COARSE * 0.99])
def test_a_lower_end_that_is_a_little_high_from_afar_decides_nothing(lower: float) -> None:
    """A pair that is rounded up is rounded up less from near."""

    class High(MadeUp):
        def guarantee(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
            eps = self.epsilon * (1 + lower) if rtol >= COARSE else self.epsilon
            return Bracket(eps, eps * (1 + 1e-9))

    search = Search(1.0 + 1e-6, 1e-6, lambda x: High(x / 1000))
    assert search.largest(1000, 10**6, "x = 1000") == 1000
    search = Search(1.0 + 1e-6, 1e-6, lambda x: High(1000 / x))
    assert search.smallest(1000, "x") == 1000


def test_an_answer_whose_ends_are_apart_says_so() -> None:
    with pytest.warns(WideAnswer, match="the ends are 0.002 apart"):
        assert growing(near=2e-3).largest(1, 10**6, "x = 1") == 998


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize("near", [0.0, 2e-3, 1e-2])
def test_the_answer_meets_the_target_by_its_finest_look(near: float) -> None:
    """From afar it says less than from near: the last digit is asked for from near."""
    for search, found in (
        (growing(near=near), growing(near=near).largest(1, 10**6, "x = 1")),
        (growing(near=near), growing(near=near).largest(1.0, 1e6, "x = 1")),
        (falling(near=near), falling(near=near).smallest(1, "x")),
        (falling(near=near), falling(near=near).smallest(1.0, "x", 1e6)),
    ):
        assert search.fine(found).upper <= 1.0
        assert found == pytest.approx(1000, rel=2 * near + 1e-9)


def test_ends_of_the_range() -> None:
    assert growing().largest(1, 700, "x = 1") == 700
    assert growing().largest(1, 1000, "x = 1") == 1000
    assert falling().smallest(1234, "x") == 1234
    assert falling().smallest(1, "x", 1000) == 1000
    with pytest.raises(ValueError, match=r"eps must be at least 1\.001, as x = 1001 has, got 1$"):
        growing().largest(1001, 10**6, "x = 1001")
    with pytest.raises(ValueError, match=r"eps must be at least 1\.00101, as x = 999, the most allowed, has, got 1$"):
        falling().smallest(1, "x", 999)
    slow = Search(1e-12, 1e-6, lambda x: MadeUp(1000 / x))
    with pytest.raises(ValueError, match=f"as x = {MAX_N:,}, the most allowed"):
        slow.smallest(1, "x")


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0, 40.0])
def test_five_digits_on_the_safe_side(power: float) -> None:
    up = Search(1.0, 1e-6, lambda x: MadeUp((x / 12.345678) ** power))
    assert up.largest(1e-3, 1e3, "x") == 12.345
    down = Search(1.0, 1e-6, lambda x: MadeUp((12.345678 / x) ** power))
    assert down.smallest(1e-3, "x", 1e3) == 12.346


def test_nothing_lost_is_as_far_off_as_can_be() -> None:
    """An epsilon of 0 has no logarithm."""
    free = Search(1.0, 1e-6, lambda x: MadeUp(0.0))
    assert free.largest(1, 50, "x") == 50
    assert free.smallest(3, "x") == 3
