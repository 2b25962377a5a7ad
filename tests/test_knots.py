"""Where a profile is looked at: as far out as it must be known, and not much farther."""

import math

import numpy as np
import pytest

from shufflekit.atoms import Atoms
from shufflekit.convex_order import profile
from shufflekit.dominating_pairs import Aim, GaussianPair
from shufflekit.dominating_pairs.knots import MOST_FOCUSED, focused, knots
from tests import pairs


@pytest.mark.parametrize("log_cut", [-20.0, -60.0, -300.0])
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
    assert last.lower[0] <= math.exp(log_cut)
    # And not much farther.
    assert pair.delta(eps[-1:] / 9, log_cut=log_cut - 5).upper[0] > math.exp(log_cut)


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
