"""The table of bounds on shuffled check-ins: sorted, sound, and the paper's own numbers where they are its own."""

import numpy as np
import pytest

from shufflekit import RandomizedResponse, Run, Shuffle, ShuffledCheckIn, shuffled_check_in_bounds
from shufflekit.papers import kairouz2015, liew2022
from shufflekit.protocols import ShuffledCheckIns, TooSlow, bounds
from shufflekit.renyi import epsilon_at_order
from tests.tables import reasons, values

OWN = "this protocol's own pair, composed numerically"
CORNERS, CLONES, CLONES2021 = (
    f"{name} pair of check-ins, composed numerically" for name in ("corner", "clone", "clones2021")
)
EQ5 = "Theorem 1 (Eq 5), K/n summed exactly; Lemma 1, best order"
EQ7 = "Theorem 2 (Eq 7), corrected, best Delta; Lemma 1, best order"
RENYI, OPTIMAL = "no shuffling, App. D; Renyi and Lemma 1, best order", "no shuffling, App. D; optimal composition"
PURE = "each round eps0-DP, sampled; eps adds up (delta = 0)"
OF_CHECK_INS = {CORNERS, CLONES, CLONES2021, EQ5, EQ7, RENYI, OPTIMAL}
PAPER = ShuffledCheckIn(2.0, 60_000, 0.1)  # [liew2022] App D: LDP-SGD, 6,800 rounds


@pytest.mark.parametrize(
    "run",
    [
        PAPER * 6_800,
        PAPER * 1,
        ShuffledCheckIn(1.0, 30, 0.1) * 3,
        ShuffledCheckIn(2.0, 1_000, 0.5, reduction="clones") * 1,
        ShuffledCheckIn(2.0, 1_000, 0.5, reduction="clones2021") * 1,
        ShuffledCheckIn(0.3, 50, 1.0) * 1,
    ],
    ids=str,
)
def test_guarantees_are_sorted_above_every_attack_and_each_is_there_once(run: Run) -> None:
    table = run.compare(1e-5)
    uppers, lowers = values(table), values(table, "lower")
    assert [*uppers.values()] == sorted(uppers.values())
    assert max(lowers.values()) <= min(uppers.values())
    assert max(lowers.values()) == pytest.approx(run.attack_epsilon(1e-5).lower)
    # The own pair is one of the first three: it has no row of its own. Nothing about a fixed number of reports is here.
    assert {*uppers, *reasons(table)} == OF_CHECK_INS | {PURE}
    ((one, _),) = run.parts
    own = {"corners": CORNERS, "clones": CLONES, "clones2021": CLONES2021}[one.reduction]
    assert uppers[own] == pytest.approx(run.guarantee(1e-5).upper, rel=3e-4)
    assert len(uppers) >= 5


def test_the_papers_setting() -> None:
    """60,000 clients, rate 0.1, eps0 = 2, 6,800 rounds: the clones' numbers were found beforehand."""
    for delta, clones, corners in ((1e-5, 1.26589, 1.20), (1e-6, 1.44216, 1.37)):
        run = PAPER * 6_800
        rows = values(run.compare(delta))
        assert rows[CLONES] == pytest.approx(clones, rel=1e-4)
        assert rows[CORNERS] <= corners
        assert rows[CORNERS] <= 1.002 * run.attack_epsilon(delta).lower
        assert rows[CORNERS] < rows[CLONES] < rows[CLONES2021] < rows[EQ5] < rows[EQ7] < rows[OPTIMAL] < rows[RENYI]


def test_values_are_the_papers_own() -> None:
    delta, rounds = 1e-5, 40
    rows = values((PAPER * rounds).compare(delta))
    orders = np.arange(2, shuffled_check_in_bounds.MOST_ORDER + 1)
    for name, curve in ((EQ5, liew2022.eq5), (EQ7, liew2022.eq7_best)):
        every = epsilon_at_order(rounds * curve(orders, 2.0, 60_000, 0.1), orders, delta)
        # How closely K is summed over depends on which orders are asked for together.
        assert rows[name] == pytest.approx(every.min(), rel=1e-3)
    one = liew2022.appendix_d(2.0, 60_000, 0.1, delta / (2 * rounds))
    assert rows[OPTIMAL] == kairouz2015.optimal(one.eps1, delta / (2 * rounds), rounds, delta)
    assert rows[OPTIMAL] <= rows[RENYI] <= rounds * one.eps1
    assert rows[PURE] == rounds * 2.0


def test_different_rounds_are_added_where_they_can_be() -> None:
    run = ShuffledCheckIn(2.0, 10_000, 0.1) * 3 + ShuffledCheckIn(1.0, 20_000, 0.2)
    table = run.compare(1e-5)
    rows = values(table)
    orders = np.arange(2, shuffled_check_in_bounds.MOST_ORDER + 1)
    both = 3 * liew2022.eq5(orders, 2.0, 10_000, 0.1) + liew2022.eq5(orders, 1.0, 20_000, 0.2)
    assert rows[EQ5] == pytest.approx(epsilon_at_order(both, orders, 1e-5).min(), rel=1e-3)
    assert "equal rounds" in reasons(table)[OPTIMAL] and "equal rounds" in reasons(table)[RENYI]
    assert rows[CORNERS] == pytest.approx(run.guarantee(1e-5).upper, rel=3e-4)


@pytest.mark.parametrize(("n", "rate", "eps0"), [(1, 0.2, 2.0), (10, 0.01, 4.0), (20, 0.01, 4.0)])
def test_theorem_2_does_not_apply_where_few_are_expected(n: int, rate: float, eps0: float) -> None:
    """There, at some orders, it is below what binary randomized response has: see the ledger, liew2022:thm2."""
    table = ShuffledCheckIn(eps0, n, rate).compare(1e-6)
    assert "takes the rate for K/n" in reasons(table)[EQ7]
    assert EQ5 in values(table)


def test_theorem_2_says_no_less_than_theorem_1_wherever_it_applies() -> None:
    for eps0, n, rate in ((0.5, 200, 0.05), (2.0, 1_000, 0.1), (4.0, 10_000, 0.02), (1.0, 50, 1.0)):
        rows = values(ShuffledCheckIn(eps0, n, rate).compare(1e-6))
        assert EQ5 in rows
        assert rows.get(EQ7, rows[EQ5]) >= rows[EQ5] * (1 - 1e-9)


def test_a_known_channel_has_its_own_row() -> None:
    run = ShuffledCheckIn(randomizer=RandomizedResponse(4, 2.0), population=1_000, rate=0.1) * 2
    rows = values(run.compare(1e-6))
    assert next(iter(rows)) == OWN and rows[OWN] == run.guarantee(1e-6).upper
    assert rows[CORNERS] == pytest.approx((ShuffledCheckIn(2.0, 1_000, 0.1) * 2).guarantee(1e-6).upper)


def test_both_kinds_of_rounds_together_have_their_own_pair() -> None:
    run = Shuffle(1.0, 100) + ShuffledCheckIn(1.0, 200, 0.5)
    table = run.compare(1e-6)
    assert set(values(table)) == {OWN, PURE}
    assert values(table)[OWN] == run.guarantee(1e-6).upper
    assert all("not about all of these rounds" in words for words in reasons(table).values())


def test_a_slow_composition_is_left_out_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not even started."""
    monkeypatch.setattr(kairouz2015, "optimal", None)
    (bound,) = [one for one in bounds.registered() if one.name == OPTIMAL]
    with pytest.raises(TooSlow, match="takes long beyond 10,000,000 rounds"):
        bound.epsilon([ShuffledCheckIns(1.0, 1_000, 0.1, 20_000_000)], 1e-6)
