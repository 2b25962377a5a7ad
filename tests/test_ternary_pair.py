"""3-ary randomized response with everyone else at the third value, against the exact law of the whole mechanism."""

import math

import numpy as np
import pytest

from shufflekit import Shuffle, divergences, exact
from shufflekit.dominating_pairs import MAX_TERNARY, ternary_randomized_response
from shufflekit.loss_distribution import Composition, Part
from shufflekit.randomizers import RandomizedResponse


@pytest.mark.parametrize(("n", "population"), [(1, 1), (1, 3), (2, 3), (5, 5), (6, 8)])
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
def test_exact_law(eps0, n, population):
    first, second, third = RandomizedResponse(3, eps0).probs
    views = [exact.sampled_law([third] * (population - 1) + [mine], n) for mine in (first, second)]
    atoms = ternary_randomized_response(eps0, n, population)
    for order in (2.0, 7.0):
        found = divergences.log_renyi_moment(atoms.loss, atoms.log_q, order)
        assert found == pytest.approx((order - 1) * divergences.renyi(*views, order), rel=1e-10)
    for eps in (0.0, 0.1 * eps0, 0.5 * eps0):
        weight = np.exp(atoms.log_q + atoms.loss) @ np.maximum(-np.expm1(eps - atoms.loss), 0)
        assert weight == pytest.approx(divergences.hockey_stick(*views, math.exp(eps)), rel=1e-10)


@pytest.mark.parametrize("eps0", [0.01, 1.0, 5.0, 20.0])
def test_lists_all_but_the_missing_mass(eps0):
    atoms = ternary_randomized_response(eps0, 3000, 10**6)
    assert (np.diff(atoms.loss) >= 0).all()
    for log_mass in (atoms.log_q, atoms.log_q + atoms.loss):
        assert np.exp(log_mass).sum() == pytest.approx(1, abs=atoms.missing + 1e-10)
    assert atoms.missing < 1e-15


def test_more_than_two_values_reveal():
    """From an independent computation: 0.1374 at eps0 = 2, where two values reach 0.10837."""
    pair = ternary_randomized_response(2.0, 1000, 10**6)
    found = Composition([Part(pair, 10**5)]).epsilon(1e-8, 1e-3)
    assert found.lower == pytest.approx(0.1374, rel=1e-3)
    assert found.lower > (Shuffle(2.0, 1000, 10**6) * 10**5).attack_epsilon(1e-8, rtol=1e-3).upper


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"eps0": 0.0}, ValueError, "eps0 must be positive"),
        ({"eps0": math.nan}, ValueError, "eps0 must be positive"),
        ({"n": 11}, ValueError, "n must be a whole number of at least 1 and at most 10"),
        ({"n": MAX_TERNARY + 1, "population": 10**6}, ValueError, "n must be a whole number"),
        ({"population": 0}, ValueError, "population must be a whole number"),
        ({"n": 2.0}, TypeError, "n must be a whole number"),
    ],
)
def test_bad_arguments(change, error, words):
    with pytest.raises(error, match=words):
        ternary_randomized_response(**({"eps0": 1.0, "n": 5, "population": 10} | change))
