"""How fine the next grid is, by hand."""

import math

import pytest

from shufflekit.loss_distribution.steps import Steps


def test_the_first_gap_decides_by_itself():
    """A gap of four times what is wanted is halved in its square root, and a bit more."""
    assert Steps(exact=False).finer(1.0, 4e-4, 1.0, 1e-4) == pytest.approx(1 / 2.4)
    assert Steps(exact=False).finer(1.0, 1.1e-4, 1.0, 1e-4) == 1 / 2
    assert Steps(exact=False).finer(1.0, 0.9, 1.0, 1e-4) == 1 / 16


def test_what_lasts_is_in_the_lists():
    """Steps of 1 and 1/2 with gaps of 3 and 2.9 leave 2.8: no grid is worth its price."""
    steps = Steps(exact=False)
    assert steps.finer(1.0, 3e-3, 1.0, 1e-4) is not None
    assert steps.finer(0.5, 2.9e-3, 1.0, 1e-4) is None


def test_of_exact_lists_nothing_lasts():
    steps = Steps(exact=True)
    steps.finer(1.0, 3e-3, 1.0, 1e-4)
    assert steps.finer(0.5, 2.9e-3, 1.0, 1e-4) == pytest.approx(0.5 / (1.2 * math.sqrt(29)))


def test_with_a_part_that_lasts_a_grid_need_come_near_to_that_only():
    """Gaps of 5 and 3 at steps of 1 and 1/2 leave 1: then 2 more than that is to become a tenth of it."""
    steps = Steps(exact=False)
    steps.finer(1.0, 5e-3, 1.0, 1e-4)
    assert steps.finer(0.5, 3e-3, 1.0, 1e-4) == pytest.approx(0.5 / (1.2 * math.sqrt(20)))


def test_from_ends_that_are_far_apart_nothing_follows_but_that_they_come_no_nearer():
    steps = Steps(exact=False)
    assert steps.finer(1.0, 0.9, 1.0, 1e-4) is not None
    assert steps.finer(0.5, 0.7, 1.0, 1e-4) is not None
    assert steps.finer(0.25, 0.69, 1.0, 1e-4) is None


def test_steps_that_are_no_finer_say_nothing():
    steps = Steps(exact=False)
    steps.finer(1.0, 3e-3, 1.0, 1e-4)
    assert steps.finer(1.0, 3e-3, 1.0, 1e-4) == pytest.approx(1 / (1.2 * math.sqrt(30)))


def test_of_ends_that_come_no_nearer_at_all_no_finer_grid_is_looked_at():
    """Other errors than a grid's keep them apart: five more were, each costing four times as much."""
    for exact in (False, True):
        steps = Steps(exact=exact)
        assert steps.finer(1.0, 0.37, 1.0, 1e-4) is not None
        assert steps.finer(0.25, 0.37, 1.0, 1e-4) is None
