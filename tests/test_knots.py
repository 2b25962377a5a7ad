"""Where a profile is looked at: as far out as it must be known, and not much farther."""

import math

import numpy as np
import pytest

from shufflekit.atoms import Atoms
from shufflekit.convex_order import profile
from shufflekit.dominating_pairs import Aim, GaussianPair
from shufflekit.dominating_pairs.knots import LEAST_GROWTH, MOST_FOCUSED, MUCH, focused, knots, left_out, outwards
from tests import pairs


@pytest.mark.parametrize("log_cut", [-20.0, -60.0, -300.0, -745.0])
@pytest.mark.parametrize(
    "pair",
    [pairs.clones(2.0, 10**5, 10**5).pair, pairs.clones(1.0, 10**3, 10**6).pair, pairs.binary(1.0, 5000, 5000).pair],
)
def test_knots_reach_as_far_as_they_should(pair, log_cut):
    eps = knots(pair, log_cut)
    assert eps[0] == 0
    assert (np.diff(eps) > 0).all()
    assert len(eps) < 3000
    last = pair.delta(eps[-1:], log_cut=log_cut - 5)
    assert last.lower[0] <= left_out(log_cut)
    # And not much farther.
    assert pair.delta(eps[-1:] / 9, log_cut=log_cut - 5).upper[0] > left_out(log_cut)


def test_knots_are_closest_where_a_tilt_makes_losses_typical():
    """A normal loss, tilted: most knots are near its new mean, and they err by no more than as many would anywhere."""
    loss = np.linspace(-6, 6, 241)
    atoms = Atoms(loss, -(loss**2) / 2 - np.log(np.sqrt(2 * np.pi)) + np.log(loss[1] - loss[0]) - loss)
    coarse = np.linspace(0.0, 12.0, 49)
    eps = focused(coarse, atoms, Aim(tilt=2.0, apart=0.01))
    assert eps[0] == 0 and eps[-1] == 12.0
    assert (np.diff(eps) > 0).all()
    assert np.isin(np.round(coarse, 9), np.round(eps, 9)).all()
    apart = np.diff(eps)
    density = np.exp(-((eps[:-1] - 2) ** 2) / 2) / math.sqrt(2 * math.pi)
    assert apart[np.argmax(density)] < 0.02
    assert math.sqrt(float((density * apart**3).sum())) < 0.012  # so far apart on average
    assert len(eps) < 600  # of 1,200


def test_there_are_never_too_many_knots():
    atoms = Atoms(np.array([-1.0, 1.0]), np.log([0.7, 0.3]))
    assert len(focused(np.linspace(0, 2, 11), atoms, Aim(1.0, 1e-9))) <= MOST_FOCUSED + 12


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("tilt", "apart"), [(1.0, 0.1), (5.0, 0.003), (60.0, 1e-3)])
def test_a_list_made_for_a_tilt_is_around_the_pair(backwards, tilt, apart):
    pair = GaussianPair(0.8, 50, backwards)
    lower, upper = pair.listed_for(Aim(tilt, apart), -60.0, 1e-4)
    eps = np.linspace(0, 5, 41)
    truth = pair.delta(eps)
    assert (profile(lower, eps) <= truth.upper * (1 + 1e-9)).all()
    assert (profile(upper, eps) >= truth.lower * (1 - 1e-9)).all()


def gaussian_left(eps):
    return GaussianPair(2.0, 1).delta(eps).upper


@pytest.mark.parametrize("log_cut", [-20.0, -60.0, -300.0])
@pytest.mark.parametrize("rtol", [0.1, 1e-3, 1e-5])
def test_knots_go_outwards_ever_farther_apart(log_cut, rtol):
    eps = outwards(gaussian_left, log_cut, rtol, 600.0)
    apart = np.diff(eps)
    assert eps[0] == 0 and (apart > 0).all()
    assert (apart[1:-1] >= apart[:-2] * (1 - 1e-6)).all()
    assert gaussian_left(eps[-1:])[0] <= MUCH * math.exp(log_cut) < gaussian_left(eps[-1:] / 1.5)[0]
    # A deviation of the loss is 1/2 here.
    assert apart[0] == pytest.approx(0.5 * 1.5 * math.sqrt(rtol), rel=0.02)
    assert (apart / eps[1:])[-2] <= max(0.3 * math.sqrt(rtol), LEAST_GROWTH) * 1.01 or len(eps) < 20


def test_knots_end_where_no_number_is_larger():
    eps = outwards(lambda eps: np.full(len(eps), 0.5), -60.0, 1e-3, 600.0)
    assert eps[-1] == 600.0 and (np.diff(eps) > 0).all()


def test_only_knots_farther_out_are_nearer_each_other():
    eps = outwards(gaussian_left, -300.0, 0.1, 600.0, 1e-3)
    usual = outwards(gaussian_left, -300.0, 0.1, 600.0)
    assert eps[1] == usual[1] and eps[-1] == usual[-1]
    assert len(eps) > 2 * len(usual)
