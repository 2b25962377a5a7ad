"""Random check-ins at work: rows that a notebook verifies, their extremes, and the law of many slots."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit.beyond import few_slots, slots
from shufflekit.beyond.scores import clone_scores
from shufflekit.definitions import corners
from shufflekit.papers import balle2020
from shufflekit.randomizers import RandomizedResponse

ROWS = (
    few_slots.replacement_rows,
    few_slots.leaky_rows,
    few_slots.replaced_rows,
    few_slots.sampled_rows,
    few_slots.corrected_rows,
    few_slots.swap_rows,
    few_slots.dropout_rows,
)


@pytest.mark.parametrize("rows", ROWS, ids=lambda rows: rows.__name__)
def test_rows_hold_in_fractions_and_come_close(rows):
    found = rows()
    assert all(truth <= bound for truth, bound, _ in found)
    assert all(isinstance(side, Fraction | int) for truth, bound, _ in found for side in (truth, bound))
    assert max(truth / bound for truth, bound, _ in found if bound) > 0.95


def test_the_best_play_is_the_game():
    game, reached = few_slots.best_play(3, (1, 1), Fraction(5, 4))
    assert game == reached == Fraction(21, 64)


def test_a_bench_inside_its_local_privacy():
    for channel in few_slots.bench():
        ratios = channel.probs.max(axis=0) / channel.probs.min(axis=0)
        assert max(ratios) <= channel.ratio


# Many slots.


def test_binary_response_by_hand():
    """One client, 60 slots, the others at x1: each answer of x0's kind is as likely as E^-1, and P/Q a mean."""
    eps0, m, E = 0.5, 60, math.exp(0.5)
    yes = np.arange(m + 1)
    q = binom.pmf(yes, m, 1 / (E + 1))
    ratio = (yes * E + (m - yes) / E) / m
    found = few_slots.response_epsilon(eps0, m, 1e-6)
    forth = q @ np.maximum(ratio - math.exp(found), 0)
    back = q @ np.maximum(1 - math.exp(found) * ratio, 0)
    assert max(forth, back) == pytest.approx(1e-6, rel=5e-3)


@pytest.mark.parametrize(("eps0", "m"), [(0.25, 200), (1.0, 200), (2.0, 100)])
def test_the_game_lies_between_attack_and_clones(eps0, m):
    found = few_slots.game_epsilon(eps0, m, 1e-6)
    assert few_slots.response_epsilon(eps0, m, 1e-6) <= found <= 1.02 * few_slots.response_epsilon(eps0, m, 1e-6)
    assert found < few_slots.clone_epsilon(eps0, m, 1e-6) < balle2020.thm_a4(eps0, m, 1.0, 1e-6)


def test_the_game_on_a_grid_is_that_in_fractions():
    """At a delta that is reached with six slots."""
    m, E = 6, Fraction(3)
    delta = slots.weighted(corners(E - 1).laws, (Fraction(1, m),) * m, Fraction(3, 2))
    assert few_slots.game_epsilon(math.log(3), m, float(delta)) == pytest.approx(math.log(1.5), rel=1e-3)


def test_a_population():
    """Half the participation is twice the population."""
    half = few_slots.clone_epsilon(1.0, 200, 1e-6, 400)
    assert half < 0.55 * few_slots.clone_epsilon(1.0, 200, 1e-6)
    exactly = slots.replaced((clone_scores(3),), 4, Fraction(1, 2), Fraction(6, 5))
    assert few_slots.clone_epsilon(math.log(3), 4, float(exactly), 8) == pytest.approx(math.log(1.2), rel=1e-3)


def test_averaged_weights():
    assert few_slots.averaged(2, 4, 3, Fraction(3, 2)) == Fraction(23, 5832)


def test_a_leaky_channel():
    channel = few_slots.leaky(RandomizedResponse(2, ratio=3), Fraction(1, 10))
    assert (channel.probs.sum(axis=1) == 1).all()
    assert channel.probs[0].tolist() == [Fraction(27, 40), Fraction(9, 40), Fraction(1, 10), 0]
