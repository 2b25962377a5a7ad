"""The table of bounds on random check-ins: the kit's own one by one, and the paper's, each with a value or a reason."""

import pytest

from shufflekit import RandomCheckIn, Run, Shuffle, ShuffledCheckIn, SlidingCheckIn
from shufflekit.papers import balle2020, dwork2010, kairouz2015
from shufflekit.protocols import Bound, CheckIns, TooSlow, bounds, register
from tests.tables import reasons, values

OWN = "this protocol's own pair, composed numerically"
REPLACED = "replacement, any number of clients, composed numerically"
TOLD = "replacement, empty slots told, composed numerically"
SAMPLED = "clients sampled for the slots, composed numerically"
CLONES = "replacement, clones, composed numerically"
THEOREM, SHORT = "Theorem 3.2 (a window's: 4.3)", "Theorem 3.2 (4.3), short form"
OPTIMAL, ADVANCED = "Theorem 3.2 (4.3); optimal composition", "Theorem 3.2 (4.3); advanced composition"
COROLLARY, ALONE = "Corollary 3.3", "no check-ins; optimal composition"
PURE = "each round eps0-DP, sampled; eps adds up (delta = 0)"
OF_CHECK_INS = {REPLACED, TOLD, SAMPLED, CLONES, THEOREM, SHORT, OPTIMAL, ADVANCED, COROLLARY, ALONE}


@pytest.mark.parametrize(
    "run",
    [
        RandomCheckIn(1.0, 10_000, 10_000) * 1,
        RandomCheckIn(1.0, 1_000, 1_000, empty="skipped") * 1,
        RandomCheckIn(2.0, 1_000, participation=0.5) * 3,
        SlidingCheckIn(1.0, 1_000, 5_000) * 1,
    ],
    ids=str,
)
def test_guarantees_are_sorted_above_every_attack_and_each_is_there_once(run: Run) -> None:
    table = run.compare(1e-6)
    uppers, lowers = values(table), values(table, "lower")
    assert [*uppers.values()] == sorted(uppers.values())
    assert max(lowers.values()) <= min(uppers.values())
    assert max(lowers.values()) == pytest.approx(run.attack_epsilon(1e-6).lower)
    # The own pair is the least of the first three: it has no row of its own, and theirs says what it does.
    assert {*uppers, *reasons(table)} == OF_CHECK_INS | {PURE}
    own = run.guarantee(1e-6).upper
    assert own * (1 - 3e-4) <= min(uppers.values()) <= own
    assert len([eps for eps in uppers.values() if eps <= own * (1 + 3e-4)]) == 1


def test_one_epoch_of_ten_thousand() -> None:
    """[beyond] 15 and 16: eps0 = 1, 10,000 slots and clients, delta = 1e-6; numbers found beforehand."""
    table = RandomCheckIn(1.0, 10_000, 10_000).compare(1e-6)
    rows = values(table)
    assert next(iter(rows)) == TOLD
    assert rows[TOLD] <= 0.0257 and rows[SAMPLED] <= 0.0302
    assert rows[REPLACED] == pytest.approx(0.038, rel=1e-3)
    assert rows[CLONES] == pytest.approx(0.043206, rel=1e-4)
    assert rows[THEOREM] == balle2020.thm32(1.0, 10_000, 1.0, 1e-6) == pytest.approx(0.149317, rel=1e-5)
    assert rows[SHORT] == balle2020.thm32_short(1.0, 10_000, 1.0, 1e-6)
    assert rows[ALONE] == pytest.approx(1.0, rel=1e-5) and rows[PURE] == 1.0
    assert "about several epochs" in reasons(table)[OPTIMAL]
    assert "n must be at least" in reasons(table)[COROLLARY]
    assert "0.149317" in str(table)


def test_several_epochs_compose_the_theorem() -> None:
    """Half of delta for the epochs, half for their composition; Corollary 3.3 where it is about as many epochs."""
    table = (RandomCheckIn(1.0, 1_000, 100_000, 0.01) * 100).compare(1e-6)
    rows = values(table)
    each = float(balle2020.thm32(1.0, 1_000, 0.01, 5e-9))
    assert rows[OPTIMAL] == kairouz2015.optimal(each, 5e-9, 100, 1e-6)
    assert rows[ADVANCED] == dwork2010.advanced(each, 100, 5e-7)
    corollary = balle2020.cor33(1.0, 100_000, 1_000, 5e-9, 5e-7)
    assert corollary.delta == pytest.approx(1e-6) and rows[COROLLARY] == corollary.eps
    assert rows[TOLD] < rows[SAMPLED] < rows[REPLACED] < rows[CLONES] < rows[OPTIMAL] < rows[ADVANCED] < rows[COROLLARY]
    assert "about one epoch" in reasons(table)[THEOREM] and "about one epoch" in reasons(table)[SHORT]
    more = reasons(RandomCheckIn(1.0, 1_000).compare(1e-6))
    assert "needs at least as many clients as slots" in more[COROLLARY]
    assert "needs the number of clients" in more[TOLD] and "needs the number of clients" in more[SAMPLED]


def test_conditions_are_told() -> None:
    skipped = reasons(RandomCheckIn(1.0, 1_000, 1_000, empty="skipped").compare(1e-6))
    assert set(skipped) == {REPLACED, TOLD, CLONES, THEOREM, SHORT, OPTIMAL, ADVANCED, COROLLARY}
    assert all("needs a dummy's answer in every empty slot" in words for words in skipped.values())
    large = RandomCheckIn(2.0, 1_000)
    assert "eps0 must be at most 1 for the short form" in reasons(large.compare(1e-6))[SHORT]
    assert "delta must be at most 1/100" in reasons(RandomCheckIn(1.0, 1_000).compare(0.1))[SHORT]
    window = SlidingCheckIn(1.0, 1_000, 5_000).compare(1e-6)
    assert values(window)[THEOREM] == balle2020.thm43(1.0, 1_000, 1e-6)
    assert "first and the last clients" in reasons(window)[TOLD]
    assert "not about a sliding window" in reasons(window)[COROLLARY]
    mixed = reasons((RandomCheckIn(1.0, 100) + RandomCheckIn(0.5, 100)).compare(1e-6))
    assert "equal epochs" in mixed[OPTIMAL] and "equal epochs" in mixed[ALONE]


def test_slow_compositions_are_left_out_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not even started."""
    monkeypatch.setattr(kairouz2015, "optimal", None)
    many = [CheckIns(RandomCheckIn(1.0, 1_000), 20_000_000)]
    for bound in bounds.registered():
        if bound.name in (OPTIMAL, ALONE):
            with pytest.raises(TooSlow, match="takes long beyond 10,000,000 epochs"):
                bound.epsilon(many, 1e-6)


def test_tables_of_shuffles_are_as_they_were() -> None:
    for run in (Shuffle(1.0, 100) * 1, ShuffledCheckIn(1.0, 1_000, 0.1) * 2):
        names = {row.name for row in run.compare(1e-6).rows}
        assert not names & OF_CHECK_INS
        assert OWN not in names


def test_both_kinds_together_have_their_own_pair() -> None:
    run = Shuffle(1.0, 100) + RandomCheckIn(1.0, 1_000)
    table = run.compare(1e-6)
    assert set(values(table)) == {OWN, PURE}
    assert values(table)[OWN] == run.guarantee(1e-6).upper
    assert all("not about all of these rounds" in words for words in reasons(table).values())


def test_a_bound_of_ones_own_on_check_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds.registered()
    monkeypatch.setattr(bounds, "_bounds", list(bounds._bounds))
    register(
        Bound("who comes", "warner1965", lambda epochs, delta: epochs[0].protocol.eps0 * epochs[0].rounds, CheckIns)
    )
    assert values((RandomCheckIn(0.5, 1_000) * 3).compare(1e-6))["who comes"] == 1.5
    assert "who comes" not in {row.name for row in Shuffle(1.0, 50).compare(1e-6).rows}
