"""The table of bounds: sorted, sound, and every published bound is there with a value or a reason."""

from shufflekit import Shuffle
from shufflekit.papers import feldman2021


def test_upper_rows_are_sorted_and_above_the_attack() -> None:
    for run in (Shuffle(1.0, 10_000) * 1, Shuffle(2.0, 1000, 10**6) * 1000, Shuffle(1.0, 50) * 3 + Shuffle(2.0, 20)):
        table = run.compare(1e-6)
        uppers = [row.eps for row in table.rows if row.kind == "upper" and row.eps is not None]
        (lower,) = [row.eps for row in table.rows if row.kind == "lower"]
        assert uppers == sorted(uppers)
        assert lower is not None
        assert lower <= uppers[0]


def test_what_does_not_apply_says_why() -> None:
    table = (Shuffle(3.0, 1000, 10**6) * 100).compare(1e-8)
    reasons = {row.name: row.remark for row in table.rows if row.eps is None}
    assert "about one round" in reasons["clones, numerical"]
    assert "eps0 must be at most" in reasons["clones, closed form; optimal composition"]
    mixed = (Shuffle(1.0, 10) + Shuffle(2.0, 10)).compare(1e-6)
    assert all("equal rounds" in row.remark for row in mixed.rows if row.eps is None)


def test_values_are_the_papers_own() -> None:
    rows = {row.name: row.eps for row in Shuffle(1.0, 10_000).compare(1e-6).rows}
    assert rows["clones, numerical"] == feldman2021.epsilon(1e-6, 1.0, 10_000)
    assert rows["clones, closed form"] == feldman2021.closed_form(1.0, 10_000, 1e-6)


def test_both_renderings_show_every_row() -> None:
    table = Shuffle(1.0, 100).compare(1e-6)
    for row in table.rows:
        assert row.name in str(table)
        assert row.name in table._repr_html_()
