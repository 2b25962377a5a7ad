"""Laws in the convex order: profiles known at knots, from above and from below; potentials; grids of losses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from shufflekit.atoms import Atoms
from shufflekit.bracket import Ends
from shufflekit.convex_order import Tails, connected, contract, extended, potential, profile, split, untold
from shufflekit.dominating_pairs import randomized_response
from shufflekit.loss_distribution import Composition, Part
from tests import truth

SHIFTS = [0.3, 1.0, 2.5]  # of a unit Gaussian, whose profile has a closed form


def gaussian_delta(shift, eps):
    return ndtr(shift / 2 - eps / shift) - np.exp(eps) * ndtr(-shift / 2 - eps / shift)


def gaussian_tails(shift, eps):
    q = ndtr(-shift / 2 - eps / shift)
    return Tails(ndtr(shift / 2 - eps / shift) - q, q)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("number", [6, 40, 400])
def test_both_sides_of_a_gaussian_loss(shift, number):
    eps = np.linspace(0, 8 * shift, number)
    delta, tails = gaussian_delta(shift, eps), gaussian_tails(shift, eps)
    above, below = connected(eps, delta, delta), untold(tails, tails)
    for at in np.linspace(-4, 6, 41) * shift:
        exact = float(gaussian_delta(shift, at))
        assert truth.listed_delta(below, at, upper=False) <= exact + 1e-15
        assert exact <= truth.listed_delta(above, at, upper=True) + 1e-15
    for atoms in (above, below):
        assert (np.diff(atoms.loss) > 0).all()
        assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=1e-12 + delta[-1])
        # All P-mass there is: beyond the last knot it is missing, or taken for one with it.
        assert np.exp(atoms.log_q + atoms.loss).sum() + atoms.missing == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("shift", SHIFTS)
def test_more_knots_come_nearer(shift):
    gaps = []
    for number in (20, 40, 80):
        eps = np.linspace(0, 8 * shift, number)
        delta, tails = gaussian_delta(shift, eps), gaussian_tails(shift, eps)
        above, below = connected(eps, delta, delta), untold(tails, tails)
        middle = float(eps[:2].mean())
        gaps.append(truth.listed_delta(above, middle, upper=True) - truth.listed_delta(below, middle, upper=False))
    assert gaps[0] > 3 * gaps[1] > 9 * gaps[2] > 0


def test_at_the_knots_the_chords_touch():
    eps = np.array([0.0, 0.1, 0.5, 1.0, 2.0])
    delta = gaussian_delta(1.0, eps)
    above = connected(eps, delta, delta)
    for at, value in zip(eps, delta, strict=True):
        assert truth.listed_delta(above, at, upper=True) == pytest.approx(value, rel=1e-12)


def test_an_asymmetric_pair():
    """P and Q told apart in one direction by all, in the other by some: forth and back are kept apart."""
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.5, 0.4])
    eps = np.linspace(0, 2, 60)

    def profile_of(first, second):
        return np.maximum(first[:, None] - np.exp(eps) * second[:, None], 0).sum(axis=0)

    def tails(first, second):
        beyond = np.log(first / second)[:, None] > eps
        return Tails(((first - second)[:, None] * beyond).sum(axis=0), (second[:, None] * beyond).sum(axis=0))

    above, below = connected(eps, profile_of(p, q), profile_of(q, p)), untold(tails(p, q), tails(q, p))
    for at in np.linspace(-1.5, 1.9, 37):
        exact = float(np.maximum(p - math.exp(at) * q, 0).sum())
        assert truth.listed_delta(below, at, upper=False) <= exact + 1e-14
        assert exact <= truth.listed_delta(above, at, upper=True) + 1e-14
        # The wrong way round it would not be.
    assert truth.listed_delta(connected(eps, profile_of(q, p), profile_of(p, q)), -0.2, upper=True) != pytest.approx(
        float(np.maximum(p - math.exp(-0.2) * q, 0).sum()), rel=1e-2
    )


@pytest.mark.parametrize(("more", "more_back"), [(1e-3, 0.2), (0.2, 1e-3), (0.0, 1e-9)])
def test_upper_ends_that_err_unlike_lose_no_mass(more, more_back):
    """Each direction's upper end is above by another part. All of P's mass is there, and 30 rounds stay above."""
    p, q = np.array([0.4, 0.3, 0.1, 0.2]), np.array([0.3, 0.3, 0.15, 0.25])
    eps = np.linspace(0, 1, 40)

    def profile_of(first, second):
        return np.maximum(first[:, None] - np.exp(eps) * second[:, None], 0).sum(axis=0)

    forth, back = profile_of(p, q) * (1 + more), profile_of(q, p) * (1 + more_back)
    above = connected(eps, forth, back)
    assert np.exp(above.log_q + above.loss).sum() + above.missing >= 1 - 1e-14
    for at in np.linspace(-1, 1, 41):
        assert float(np.maximum(p - math.exp(at) * q, 0).sum()) <= truth.listed_delta(above, at, upper=True) + 1e-14
    exact = Composition([Part(Atoms(np.log(p / q)[np.argsort(p / q)], np.log(q)[np.argsort(p / q)]), 30)])
    for at in (0.0, 1.0, 3.0):
        assert Composition([Part(above, 30)]).delta(at, 1e-6).upper >= exact.delta(at, 1e-6).lower


@pytest.mark.parametrize("more", [1e-9, 1e-3, 0.1])
def test_sides_that_are_convex_alone_but_not_together(more):
    """Only the value at alpha = 1 errs: no outcome's chance is below 0, so that none of the others is too large."""
    p, q = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])
    eps = np.linspace(0, 1.5, 40)
    forth = np.maximum(p[:, None] - np.exp(eps) * q[:, None], 0).sum(axis=0)
    forth[0] *= 1 + more
    above = connected(eps, forth, forth)
    assert np.exp(above.log_q).sum() == pytest.approx(1, abs=1e-14)
    assert np.exp(above.log_q + above.loss).sum() + above.missing == pytest.approx(1, abs=1e-14)
    for at in np.linspace(-1.4, 1.4, 29):
        assert float(np.maximum(p - math.exp(at) * q, 0).sum()) <= truth.listed_delta(above, at, upper=True) + 1e-14


def test_a_dented_slope_is_mended_to_the_safe_side():
    eps = np.linspace(0, 3, 30)
    delta = gaussian_delta(1.0, eps)
    dented = delta * (1 + 1e-3 * np.random.default_rng(5).random(30))
    above = connected(eps, dented, dented)
    assert np.isfinite(above.log_q).all()
    assert np.exp(above.log_q + above.loss).sum() + above.missing >= 1 - 1e-14
    for at in np.linspace(-2, 2.9, 50):
        assert gaussian_delta(1.0, at) <= truth.listed_delta(above, at, upper=True) + 1e-12


def test_extended_chords_are_below_a_known_curve():
    """The Gaussian mechanism's curve, known exactly or to a percent at knots."""
    knots, fine = np.linspace(0, 5, 80), np.linspace(0, 5, 1001)
    curve = gaussian_delta(1.0, fine)
    for slack, loss in ((0.0, 0.035), (0.01, 0.5)):
        ends = Ends(gaussian_delta(1.0, knots) * (1 - slack), gaussian_delta(1.0, knots))
        law = extended(knots, ends, ends)
        assert (profile(law, fine) <= curve * (1 + 1e-9)).all()
        near = fine < 2
        assert (profile(law, fine)[near] >= curve[near] * (1 - loss)).all()


@given(st.floats(0.1, 4), st.integers(1, 40), st.floats(0.001, 1), st.floats(0.001, 0.3))
def test_both_grids_are_on_their_side_in_the_convex_order(eps0: float, n: int, rate: float, step: float) -> None:
    """Checked on potentials computed anew, at the atoms and at the points of the grid."""
    atoms = randomized_response(eps0, n, math.ceil(n / rate))
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    for grid, side in ((split(atoms, step), 1), (contract(atoms, step), -1)):
        g, w = np.expm1(grid.loss), np.exp(grid.log_q)
        for a in np.concatenate([y, g]):
            difference = w @ np.maximum(g - a, 0) - q @ np.maximum(y - a, 0)
            assert side * difference >= -1e-14


def test_potential_is_the_expected_excess() -> None:
    y, q = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([0.1, 0.4, 0.3, 0.2])
    assert potential(y, q) == pytest.approx([q @ np.maximum(y - a, 0) for a in y])
