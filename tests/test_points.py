"""The points that the notebooks' benches ask about; those of [liew2022] are in ``tests/test_liew2022_bench.py``."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from shufflekit.beyond import few
from shufflekit.papers.balle2020 import check_in_bench, hiding_bench, learning_bench, misprints, replacement_bench
from shufflekit.randomizers import RandomizedResponse
from tests.points import assert_same
from tests.test_few_slots import ROWS as FEW_SLOTS

BINARY, TERNARY = RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=3)
PLAIN = (
    replacement_bench.biased_rows,
    replacement_bench.posterior_rows,
    replacement_bench.steps_rows,
    check_in_bench.averaged_weights,
    check_in_bench.known_places,
    misprints.short_form,
    misprints.condition,
    misprints.argument,
    misprints.doubled,
    misprints.half,
    misprints.display,
    misprints.surrogates,
    hiding_bench.averages,
    hiding_bench.edges,
    hiding_bench.shuffles,
    hiding_bench.averaged_slots,
    hiding_bench.bins,
    hiding_bench.swaps,
    hiding_bench.norms,
    hiding_bench.posteriors,
    hiding_bench.exchanged,
    hiding_bench.crowd_rows,
    hiding_bench.replacements,
    hiding_bench.telling_windows,
    learning_bench.prop34_points,
    learning_bench.prop44_points,
    learning_bench.second_moments,
    learning_bench.smooth_points,
    learning_bench.inverse_loads,
    learning_bench.steps,
    *FEW_SLOTS,
)
ASKED: dict[str, Callable[[], Any]] = {
    "epochs": partial(misprints.epochs, 1e-6),
    "proved_epochs": partial(misprints.proved_epochs, 1e-6),
    "theorem_32": partial(check_in_bench.theorem_32, 1e-6),
    "outside_root": partial(check_in_bench.outside_root, 1e-6),
    "exchanged, one a bin": partial(hiding_bench.exchanged, one_a_bin=True),
    "compared": partial(few.compared, TERNARY, 2, 3),
    "compared, check-ins": partial(few.compared, BINARY, 3, 3, Fraction(1, 2)),
    "compared, known": partial(few.compared, TERNARY, 2, 3, known=True),
    "turns": partial(few.turns, 2, 3, 0),
    "against_corners": partial(few.against_corners, RandomizedResponse(3, ratio=2)),
    "few_users": partial(few.few_users, 3, 4),
    "second_moments, corners": partial(few.second_moments, 3, 4),
    "game_rows": partial(few.game_rows, few.bench()[:3], [(1, 2), (2, 3)]),
    "displays, swap": hiding_bench.displays,
}
BENCHES = {bench.__name__: bench for bench in PLAIN} | ASKED


@pytest.mark.parametrize("bench", BENCHES)
def test_a_bench_asks_about_these_points(bench: str) -> None:
    assert_same(bench, BENCHES[bench]())
