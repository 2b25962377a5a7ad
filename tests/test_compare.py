"""The table of bounds: sorted, sound, and every published bound is there with a value or a reason."""

from functools import partial

import pytest

from shufflekit import GaussianShuffle, HadamardResponse, RandomizedResponseShuffle, Shuffle, ShuffledCheckIn
from shufflekit.papers import comparisons, feldman2021, girgis2021
from shufflekit.protocols import Bound, Run, bounds, register
from shufflekit.renyi import RenyiCurve
from tests.tables import reasons, values

OWN = "this protocol's own pair, composed numerically"
CORNERS = "corner pair, composed numerically"
CLONES = "clone pair, composed numerically"
PURE = "each round eps0-DP, sampled; eps adds up (delta = 0)"


@pytest.mark.parametrize(
    "run",
    [
        Shuffle(1.0, 10_000) * 1,
        Shuffle(2.0, 1000, 10**6) * 1000,
        Shuffle(1.0, 50) * 3 + Shuffle(2.0, 20),
        Shuffle(3.0, 200, reduction="clones2021") * 4,
        Shuffle(randomizer=HadamardResponse(k=3, eps0=2.0), n=100) * 1,
        RandomizedResponseShuffle(4, 2.0, 100, view="clones") * 2,
        RandomizedResponseShuffle(4, 2.0, 100) * 1,
        ShuffledCheckIn(1.0, 1000, 0.1) * 2,
        GaussianShuffle(2.0, 10) * 1,
    ],
)
def test_guarantees_are_sorted_and_above_every_attack(run: Run) -> None:
    table = run.compare(1e-6)
    uppers, lowers = list(values(table).values()), list(values(table, "lower").values())
    assert uppers == sorted(uppers)
    assert lowers == sorted(lowers, reverse=True)
    assert len(lowers) >= 1
    assert lowers[0] <= uppers[0]
    assert lowers[0] == pytest.approx(run.attack_epsilon(1e-6).lower)
    kinds = [row.kind for row in table.rows]
    assert kinds == sorted(kinds, reverse=True)
    assert all(row.remark for row in table.rows if row.eps is None)


def test_the_first_row_is_what_epsilon_says() -> None:
    for run in (Shuffle(2.0, 1000, 10**6) * 1000, Shuffle(1.0, 50) * 3 + Shuffle(2.0, 20)):
        rows = values(run.compare(1e-8))
        assert next(iter(rows)) == CORNERS
        assert rows[CORNERS] == run.epsilon(1e-8).upper
    for own in (GaussianShuffle(2.0, 10), RandomizedResponseShuffle(4, 2.0, 100)):
        assert values(own.compare(1e-6))[OWN] == own.epsilon(1e-6).upper
    old = Shuffle(3.0, 200, reduction="clones2021")
    rows = values(old.compare(1e-6))
    assert rows["clones2021 pair, composed numerically"] == old.epsilon(1e-6).upper
    assert rows[CLONES] == Shuffle(3.0, 200, reduction="clones").epsilon(1e-6).upper
    assert rows[CORNERS] == Shuffle(3.0, 200).epsilon(1e-6).upper


def test_the_order_of_the_pairs_and_the_two_attacks() -> None:
    """[beyond] 3 and 8 at eps0 = 2, 1,000 of a million, 100,000 rounds, delta = 1e-8; numbers found beforehand."""
    table = (Shuffle(2.0, 1000, 10**6) * 100_000).compare(1e-8)
    rows, attacks = values(table), values(table, "lower")
    assert rows[CORNERS] == pytest.approx(0.137372, rel=2e-4)
    assert rows[CLONES] == pytest.approx(0.14568, rel=1e-4)
    assert rows["clone pair, sampled by Lemma 7, composed numerically"] == pytest.approx(0.1522, rel=1e-3)
    assert rows["Theorem 1 and Lemma 1, best order"] == pytest.approx(1.040, rel=1e-3)
    assert rows[CLONES] < rows["clone pair by Renyi and Lemma 1, best order"] < 1.1 * rows[CLONES]
    assert attacks["3-ary randomized response, all others at the third value"] == pytest.approx(0.1374, rel=1e-3)
    assert attacks["binary randomized response, all others equal"] == pytest.approx(0.1083725, rel=1e-3)


def test_what_does_not_apply_says_why() -> None:
    sampled = reasons((Shuffle(3.0, 1000, 10**6) * 100).compare(1e-8))
    assert "about one round" in sampled["clones, numerical"]
    assert "eps0 must be at most" in sampled["clones, closed form; optimal composition"]
    whole = reasons(Shuffle(3.0, 1000).compare(1e-8))
    assert "nothing is sampled" in whole["clone pair, sampled by Lemma 7, composed numerically"]
    mixed = reasons((Shuffle(1.0, 10) + Shuffle(2.0, 10)).compare(1e-6))
    assert "equal rounds" in mixed["blanket, Bennett"]
    gaussian = reasons(GaussianShuffle(2.0, 10).compare(1e-6))
    assert "eps0-LDP" in gaussian[CLONES]
    assert "eps0-LDP" in gaussian[PURE]
    assert "adversary sees more" in reasons(RandomizedResponseShuffle(3, 1.0, 10, view="strong").compare(1e-6))[CLONES]


def test_values_are_the_papers_own() -> None:
    rows = values(Shuffle(1.0, 10_000).compare(1e-6))
    assert rows["clones, numerical"] == feldman2021.epsilon(1e-6, 1.0, 10_000)
    assert rows["clones2021 pair, composed numerically"] == pytest.approx(rows["clones, numerical"], rel=1e-4)
    assert rows["clones, closed form"] == feldman2021.closed_form(1.0, 10_000, 1e-6)
    assert rows[PURE] == 1.0
    rows = values((Shuffle(2.0, 100, 10**6) * 50).compare(1e-6))
    thm1 = RenyiCurve(lambda order: 50 * girgis2021.thm1_real_order(order, 2.0, 10**6, 100), rows[PURE])
    assert rows["Theorem 1 and Lemma 1, best order"] == pytest.approx(thm1.epsilon(1e-6).value)


def test_the_renyi_row_is_the_best_order() -> None:
    clones = partial(Shuffle, reduction="clones")
    for run in (clones(2.0, 1000, 10**6) * 1000, clones(1.0, 100) * 1, clones(4.0, 20) * 5):
        best = run.renyi_curve.epsilon(1e-6).value
        row = values(run.compare(1e-6))["clone pair by Renyi and Lemma 1, best order"]
        assert best * (1 - 1e-6) <= row <= best * (1 + 1e-3)


def test_slow_bounds_are_left_out_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not even started: what they would call says so."""

    started = []
    monkeypatch.setattr(feldman2021, "epsilon", lambda *arguments: started.append(arguments))
    with monkeypatch.context() as composing:
        composing.setattr(comparisons, "clones_strong_composition", lambda *arguments: started.append(arguments))
        table = (Shuffle(1.0, 10, 10**6) * 20_000_000).compare(1e-6)
    assert "left out: takes long beyond 10,000,000 rounds" in reasons(table)["no shuffling; optimal composition"]
    table = Shuffle(1.0, 10**9).compare(1e-6)
    assert "left out: takes long beyond n" in reasons(table)["clones, numerical"]
    assert not started


def test_a_bound_of_ones_own_registers_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds.registered()
    monkeypatch.setattr(bounds, "_bounds", list(bounds._bounds))

    def local(rounds, delta):
        if len(rounds) > 1:
            raise ValueError("is stated for equal rounds only")
        return rounds[0].rounds * rounds[0].eps0

    register(Bound("no amplification at all", "warner1965", local))
    assert values((Shuffle(1.0, 50) * 3).compare(1e-6))["no amplification at all"] == 3.0
    mixed = reasons((Shuffle(1.0, 50) + Shuffle(2.0, 50)).compare(1e-6))
    assert mixed["no amplification at all"] == "does not apply: is stated for equal rounds only"
    check_ins = ShuffledCheckIn(1.0, 50, 0.1).compare(1e-6)
    assert "no amplification at all" not in {row.name for row in check_ins.rows}


def test_both_renderings_show_every_row_rounded_to_its_side() -> None:
    table = Shuffle(1.0, 100).compare(1e-6)
    lines = str(table).splitlines()[1:]
    for row, line in zip(table.rows, lines, strict=True):
        assert row.name in line
        assert row.name in table._repr_html_()
        if row.eps is not None:
            shown = float(line.split()[1])
            assert shown == pytest.approx(row.eps, rel=2e-5)
            assert shown >= row.eps if row.kind == "upper" else shown <= row.eps
