"""Rounds added up, multiplied and shown; what every question refuses; the rows of a comparison that are its own."""

import math
import pickle

import numpy as np
import pytest

from shufflekit import DistributedCheckIn, GaussianShuffle, RandomizedResponseShuffle, Run, Shuffle
from shufflekit.protocols import answers
from shufflekit.protocols import run as module
from shufflekit.protocols.bounds import Reports

ONE, OTHER = Shuffle(1.0, 100), Shuffle(2.0, 50, 5_000)


def test_rounds_of_one_protocol_are_one_part() -> None:
    assert (ONE * 2 + OTHER + ONE).parts == ((ONE, 3), (OTHER, 1))
    assert ((ONE * 2 + OTHER) * 5).parts == ((ONE, 10), (OTHER, 5))
    assert (3 * ONE).parts == (np.int64(3) * ONE).parts == ((ONE, 3),)
    assert ONE.parts == ((ONE, 1),)


def test_runs_are_equal_whatever_the_order() -> None:
    first, second = ONE * 2 + OTHER, OTHER + ONE * 2
    assert first == second
    assert hash(first) == hash(second)
    assert first != ONE * 2 + OTHER * 2
    assert first != "run"
    assert pickle.loads(pickle.dumps(first)) == first
    assert repr(first) == "Shuffle(eps0=1, n=100) * 2 + Shuffle(eps0=2, n=50, population=5_000) * 1"
    assert repr(ONE * 1_000_000) == "Shuffle(eps0=1, n=100) * 1_000_000"


def test_only_questions_are_added() -> None:
    with pytest.raises(TypeError):
        ONE + 3  # type: ignore[operator]
    assert ONE.__add__(3) is NotImplemented  # type: ignore[operator]


def test_a_run_stays_what_it_is() -> None:
    run = ONE * 2
    with pytest.raises(AttributeError, match="a Run cannot be changed: make another, got parts = 3"):
        run.parts = 3  # type: ignore[misc, assignment]


def test_what_is_no_run_is_named() -> None:
    with pytest.raises(ValueError, match="parts must hold at least one protocol, got none"):
        Run([])
    with pytest.raises(TypeError, match="parts must hold pairs of a protocol and a number of rounds, got 'shuffle'"):
        Run([("shuffle", 3)])  # type: ignore[list-item]
    for rounds in (0, -1, 10**12 + 1):
        with pytest.raises(ValueError, match="rounds must be a whole number"):
            Run([(ONE, rounds)])
    with pytest.raises(ValueError, match="rounds must be a whole number"):
        ONE * 0
    assert Run([(ONE, 10**12)]).parts == ((ONE, 10**12),)
    with pytest.raises(ValueError, match=r"rounds must be a whole number .* at most 1,000,000,000,000, got"):
        Run([(ONE, 10**12), (ONE, 1)])


@pytest.mark.parametrize("rtol", [0.9e-8, 1.01, 2.0])
@pytest.mark.parametrize("ask", ["epsilon", "delta", "guarantee", "attack_epsilon", "attack_delta"])
def test_a_tolerance_out_of_range_is_named(ask: str, rtol: float) -> None:
    with pytest.raises(ValueError, match=f"rtol must be between 1e-8 and 1, got {rtol!r}"):
        getattr(ONE, ask)(0.1, rtol=rtol)
    with pytest.raises(ValueError, match="rtol must be positive"):
        getattr(ONE, ask)(0.1, rtol=0.0)


@pytest.mark.parametrize("rtol", [1e-8, 1.0])
def test_a_tolerance_at_either_end_is_taken(rtol: float) -> None:
    assert module._tolerance(rtol) == rtol


@pytest.mark.parametrize("ask", ["epsilon", "guarantee", "attack_epsilon", "compare"])
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan])
def test_a_delta_out_of_range_is_named(ask: str, delta: float) -> None:
    with pytest.raises(ValueError, match="delta must be"):
        getattr(ONE, ask)(delta)


@pytest.mark.parametrize("ask", ["delta", "attack_delta"])
def test_an_eps_out_of_range_is_named(ask: str) -> None:
    for eps in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="eps must be"):
            getattr(ONE, ask)(eps)


def test_what_is_reached_is_no_more_than_what_is_guaranteed() -> None:
    run = ONE * 3
    eps, guarantee, attack = run.epsilon(1e-4), run.guarantee(1e-4), run.attack_epsilon(1e-4)
    assert eps.upper == guarantee.upper
    assert eps.lower == attack.lower
    assert attack.upper <= guarantee.upper
    assert attack.name
    delta, reached = run.delta(0.1), run.attack_delta(0.1)
    assert delta.lower == reached.lower
    assert reached.upper <= delta.upper
    assert answers.RTOL == 1e-4


def test_losses_and_divergences_add_up() -> None:
    both = ONE * 3 + OTHER * 2
    assert both.pure_epsilon == pytest.approx(3 * ONE.largest_loss + 2 * OTHER.largest_loss, rel=1e-15)
    assert both.rdp(4.0) == pytest.approx(3 * ONE.rdp(4.0) + 2 * OTHER.rdp(4.0), rel=1e-9)
    assert ONE.rdp(10**6) <= ONE.pure_epsilon * (1 + 1e-9)
    assert both.rdp([2.0, 8.0]).shape == (2,)


def test_of_two_directions_the_larger_divergence_counts() -> None:
    one = DistributedCheckIn(1.0, 20, 0.5, "remove")
    assert one.rdp(2.0) == math.inf
    assert one.pure_epsilon == math.inf


def pure(run: Run | Shuffle | GaussianShuffle) -> object:
    return next(row for row in run.compare(1e-3).rows if row.name == module.PURE)


def test_the_row_of_pure_privacy() -> None:
    row = pure(OTHER * 3)
    assert (row.kind, row.source, row.remark) == ("upper", "ullman2017", "")  # type: ignore[attr-defined]
    assert row.eps == pytest.approx(3 * OTHER.largest_loss)  # type: ignore[attr-defined]
    assert pure(ONE).eps == 1.0  # type: ignore[attr-defined]
    nothing = pure(GaussianShuffle(1.0, 10))
    assert nothing.eps is None  # type: ignore[attr-defined]
    assert nothing.remark == "does not apply: needs reports that are eps0-LDP"  # type: ignore[attr-defined]


def test_the_row_of_a_pair_of_its_own() -> None:
    run = RandomizedResponseShuffle(3, eps0=1.0, n=20)
    (row,) = (row for row in run.compare(1e-3).rows if row.name == module.OWN_PAIR)
    assert row.eps == run.guarantee(1e-3).upper
    assert row.source == run.origin.source  # type: ignore[union-attr]
    assert module.OWN_PAIR not in {row.name for row in ONE.compare(1e-3).rows}
    lower = {row.name: row.eps for row in run.compare(1e-3).rows if row.kind == "lower"}
    assert max(lower.values()) == pytest.approx(run.attack_epsilon(1e-3).lower, rel=1e-9)  # type: ignore[type-var]
    assert str(run.compare(1e-3)).startswith(f"{run * 1} at delta = 0.001\n")


def test_the_limit_of_reports_that_are_local() -> None:
    assert ONE.local_limit == 1.0
    assert GaussianShuffle(1.0, 10).local_limit == math.inf
    assert isinstance(ONE.reports(), Reports)
    with pytest.raises(ValueError, match="needs reports that are eps0-LDP"):
        GaussianShuffle(1.0, 10).reports()
