"""What notebook 14 holds against each other: what is proved, what is reached, and what is not so."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit.papers import balle2020
from shufflekit.papers.balle2020 import check_in_bench, replacement_bench

DELTA = 1e-6


def test_theorem_32_is_above_what_is_proved_and_that_above_what_is_reached():
    rows = check_in_bench.theorem_32(DELTA)
    reached, proved = rows[::2], rows[1::2]
    assert len(rows) == 48
    for (low, printed, at), (high, again, where) in zip(reached, proved, strict=True):
        assert at.removeprefix("reached, ") == where.removeprefix("proved, ")
        assert low < high < printed == again


def test_the_games_and_theorem_a4(monkeypatch):
    monkeypatch.setattr(check_in_bench, "PLAYED", ((1.0, 20),))
    monkeypatch.setattr(check_in_bench, "MANY", ((0.5, 300),))
    (one,) = check_in_bench.games(0.01)
    assert (one.eps0, one.slots) == (1.0, 20)
    assert one.plain <= one.game < 1.05 * one.plain
    rows = check_in_bench.theorem_a4([one], 0.01)
    assert [row[0] for row in rows[:2]] == [one.plain, one.game]
    assert [row[2] for row in rows[1:3]] == ["proved, eps0, m = (1.0, 20)", "reached, eps0, m = (0.5, 300)"]
    printed = [balle2020.thm_a4(eps0, m, 1.0, 0.01) for eps0, m in ((1.0, 20), (0.5, 300))]
    assert [row[1] for row in rows[::2]] == printed
    assert rows[2][0] < rows[3][0] < rows[3][1]


def test_dummies_hide_more_than_empty_slots_that_show():
    loads = [0.5, 2]
    eps = check_in_bench.empty_slots(loads, 200, 1e-4)
    ratio = eps["dummy"] / eps["skipped"]
    assert ratio == pytest.approx(np.sqrt(-np.expm1(-np.array(loads))), rel=0.08)


def test_what_is_not_so():
    false = check_in_bench.outside_root(DELTA)
    assert false.printed[0] > 6 * false.printed[1]
    assert false.printed[1] < balle2020.thm32(1.0, 1000, 1.0, DELTA) / 7
    assert check_in_bench.averaged_weights().printed[:2] == (Fraction(71, 17496), Fraction(23, 5832))
    assert check_in_bench.known_places().printed[:2] == (Fraction(1, 3), Fraction(5, 16))
    for bench in (check_in_bench.averaged_weights(), check_in_bench.known_places(), false):
        assert all(left <= right for left, right, _ in bench.rows)


def test_few_steps_are_the_enumerated_ones():
    few, rows = replacement_bench.few_steps(), replacement_bench.steps_rows()
    assert rows[: len(few)] == few
    assert len(few) == 54
    assert math.isclose(max(left / right for left, right, _ in few), 0.659, rel_tol=1e-3)
