"""Our runs in dp-accounting's hands: the same numbers, never below ours, and where its arithmetic ends."""

import math
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from shufflekit import GaussianShuffle, Shuffle
from shufflekit.protocols import Protocol, Run
from tests.pairs import delta_of_pair

theirs = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
accounting = pytest.importorskip("dp_accounting")

GOLDEN = Path(__file__).parent / "golden" / "composed.toml"
TWO_ROUNDS = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))["two_rounds"]
CROWD = Shuffle(TWO_ROUNDS["eps0"], TWO_ROUNDS["n"], reduction="clones")
PHONES = Shuffle(2.0, 1_000, 1_000_000, reduction="clones")


@pytest.mark.parametrize(
    ("run", "interval"),
    [
        (CROWD * 1, 1e-4),
        (CROWD * 10, 1e-4),
        (PHONES * 100_000, 1e-4),
        (PHONES * 1_000, 1e-5),
        (Shuffle(1.0, 1) * 3, 1e-3),
        (CROWD * 3 + Shuffle(1.0, 50, 100) * 2, 1e-4),
        (GaussianShuffle(2.0, 100) * 1, 1e-4),
    ],
)
def test_their_epsilon_is_ours(run: Run, interval: float) -> None:
    loss = run.to_dp_accounting(interval)
    for delta in (1e-3, 1e-6, 1e-12):
        ours = run.guarantee(delta)
        assert ours.lower <= loss.get_epsilon_for_delta(delta) <= ours.upper * (1 + 1e-4) + interval / 10
    at = run.guarantee(1e-3).lower
    assert delta_of_pair(run, at).lower <= loss.get_delta_for_epsilon(at) * (1 + 1e-9)


def test_several_rounds_that_are_not_symmetric() -> None:
    run = GaussianShuffle(2.0, 100) * 3
    ours = run.guarantee(1e-6)
    assert ours.lower <= run.to_dp_accounting().get_epsilon_for_delta(1e-6) <= ours.upper * (1 + 1e-4)


def test_a_coarser_interval_is_more_pessimistic_and_still_right() -> None:
    ours = CROWD.guarantee(1e-6)
    fine, coarse, coarsest = (CROWD.to_dp_accounting(h).get_epsilon_for_delta(1e-6) for h in (1e-4, 1e-2, 1e-1))
    assert ours.lower <= fine < coarse < coarsest < ours.upper * 1.1


def test_both_directions_are_there_where_they_differ() -> None:
    assert CROWD.to_dp_accounting()._symmetric
    loss = GaussianShuffle(2.0, 10).to_dp_accounting()
    assert not loss._symmetric
    assert loss._pmf_remove.get_epsilon_for_delta(1e-3) != loss._pmf_add.get_epsilon_for_delta(1e-3)


def test_ten_rounds_by_their_fft_and_by_ours() -> None:
    by_theirs = CROWD.to_dp_accounting().self_compose(10).get_epsilon_for_delta(1e-6)
    ours = (CROWD * 10).guarantee(1e-6)
    assert ours.lower <= by_theirs <= ours.upper * (1 + 1e-4)


def test_shuffles_compose_with_their_events() -> None:
    relation = accounting.NeighboringRelation.REPLACE_ONE
    gaussian = theirs.from_gaussian_mechanism(10.0, neighboring_relation=relation)
    run = CROWD * 10
    both = run.to_dp_accounting().compose(gaussian).get_epsilon_for_delta(1e-6)
    # Half of delta each is a valid split, and neither can cost less than it does alone.
    assert both <= run.guarantee(5e-7).upper + gaussian.get_epsilon_for_delta(5e-7)
    assert both >= max(run.guarantee(1e-6).lower, gaussian.get_epsilon_for_delta(1e-6))
    # Two Gaussians, by their composition and by the closed form of one with half the variance.
    shuffled = GaussianShuffle(4.0, 1)  # n = 1: a Gaussian mechanism with sensitivity 1
    alone = theirs.from_gaussian_mechanism(4.0).compose(shuffled.to_dp_accounting()).get_epsilon_for_delta(1e-6)
    merged = theirs.from_gaussian_mechanism(4.0 / math.sqrt(2)).get_epsilon_for_delta(1e-6)
    assert alone == pytest.approx(merged, rel=1e-4)


def test_what_lies_below_1e_15_is_beyond_their_fft() -> None:
    """dp-accounting 0.6.0: by default it cuts 1e-15 off, and then answers inf; told not to, round-off is the answer."""
    golden = tomllib.loads((Path(__file__).parent / "golden" / "composed.toml").read_text(encoding="utf-8"))[
        "two_rounds"
    ]
    truth = next(row["eps"] for row in golden["rows"] if row["delta"] == 1e-20)
    ours = (CROWD * 2).guarantee(1e-20)
    assert ours.lower <= truth <= ours.upper
    assert ours.width <= 1e-4
    for interval in (1e-3, 1e-4):
        loss = CROWD.to_dp_accounting(interval)
        assert loss.self_compose(2).get_epsilon_for_delta(1e-20) == math.inf
        answer = loss.self_compose(2, tail_mass_truncation=0).get_epsilon_for_delta(1e-20)
        assert abs(answer / truth - 1) > 0.05


@pytest.mark.parametrize("interval", [0, -1e-4, math.nan, math.inf, "1e-4", None, True])
def test_bad_intervals(interval: object) -> None:
    for run in (CROWD, CROWD * 2):
        with pytest.raises((ValueError, TypeError), match="interval"):
            run.to_dp_accounting(interval)  # type: ignore[arg-type]


def test_too_fine_an_interval_is_refused_in_words() -> None:
    lonely: Protocol = Shuffle(10.0, 1)
    with pytest.raises(ValueError, match="interval must be at least"):
        lonely.to_dp_accounting(1e-9)


def test_without_dp_accounting_it_says_what_to_install() -> None:
    code = """
import sys
sys.modules["dp_accounting"] = None
from shufflekit import Shuffle
try:
    Shuffle(1.0, 10).to_dp_accounting()
except ImportError as reason:
    print(reason)
"""
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "pip install 'shufflekit[interop]'" in printed
