"""The curves of Figures 2, 4 and 5, against the digits of an independent computation."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from shufflekit.papers import comparisons, figures_girgis2021
from shufflekit.papers.figures_girgis2021 import CURVES, DELTA, PANELS, curves
from shufflekit.renyi import epsilon_at_order

GOLDEN = json.loads((Path(__file__).parent / "golden" / "girgis2021_figures.json").read_text(encoding="utf-8"))
SIX_DIGITS = 6e-6


@pytest.mark.parametrize("row", GOLDEN["rows"], ids=lambda row: f"{row[0]}-n{row[1]:g}-T{row[2]:g}")
def test_curves(row):
    expected = dict(zip(GOLDEN["columns"], row, strict=True))
    panel = PANELS[expected["panel"]]
    found = figures_girgis2021.at_point(panel.eps0, expected["n"], panel.k, expected["T"])
    for name in set(CURVES) & set(expected):
        if expected[name] is None:
            assert math.isnan(found[name])
        else:
            # The attack is a lower end, within 3e-3.
            slack = SIX_DIGITS + (3e-3 if name == "attack" else 0)
            assert found[name] == pytest.approx(expected[name], rel=slack), name


def test_golden_rows_are_all_points_of_all_panels():
    points = {(name, int(n), int(T)) for name, p in PANELS.items() for n, T in np.broadcast(p.n, p.T)}
    assert {tuple(row[:3]) for row in GOLDEN["rows"]} == points


def test_lists_of_points():
    found = curves(2.0, 10**4, 100, [1, 10])
    assert list(found) == list(CURVES)
    for i, T in enumerate((1, 10)):
        point = figures_girgis2021.at_point(2.0, 10**4, 100, T)
        assert [values[i] for values in found.values()] == pytest.approx(list(point.values()), nan_ok=True)


def test_every_guarantee_is_above_the_attack():
    found = curves(1.0, [10**4, 10**5], 1000, [10, 10**3])
    upper = [name for name in CURVES if name not in ("attack", "Theorem 2 by Lemma 1")]
    for name in upper:
        assert (np.isnan(found[name]) | (found[name] > found["attack"])).all()


def test_best_order_beyond_the_first_range():
    """At 2c, n = 1e8 the best order is 2353: a scan of all orders to 3000 finds no better."""
    found = comparisons.shuffle_then_sample(2.0, 10**8, 1000, 10**5, DELTA)
    orders = np.arange(2, 3001)
    rdp = comparisons.shuffle_then_sample_rdp(orders, 2.0, 10**8, 1000)
    values = epsilon_at_order(10**5 * rdp, orders, DELTA)
    assert found.order == orders[values.argmin()] == 2353
    assert found.value == pytest.approx(values.min(), rel=1e-12)


def test_simplified_form_of_the_shuffle():
    found = comparisons.shuffle_then_sample(1.0, 10**6, 1000, 10**5, DELTA, simplified=True)
    assert found.value == pytest.approx(0.9122, rel=2e-4)  # from an independent computation in floats, four digits


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"eps0": 0.0}, ValueError, "eps0 must be positive"),
        ({"eps0": "2"}, TypeError, "eps0 must be positive"),
        ({"n": 0}, ValueError, "n must be a whole number"),
        ({"n": 10.5}, TypeError, "n must be a whole number"),
        ({"k": 101}, ValueError, "k must be a whole number of at least 1 and at most 100"),
        ({"T": [1, 0]}, ValueError, "T must be a whole number"),
        ({"T": [1, 2.5]}, TypeError, "must be a whole number"),
        ({"T": [1, 2], "n": [100, 200, 300]}, ValueError, "numbers or lists of one length"),
        ({"delta": 1.0}, ValueError, "delta must be strictly between 0 and 1"),
        ({"delta": math.nan}, ValueError, "delta must be strictly between 0 and 1"),
    ],
)
def test_bad_arguments(change, error, words):
    arguments = {"eps0": 1.0, "n": 100, "k": 10, "T": 5, "delta": 1e-6}
    with pytest.raises(error, match=words):
        curves(**(arguments | change))
