"""Where a profile is looked at: as far out as it must be known, and not much farther."""

import math

import numpy as np
import pytest

from shufflekit.dominating_pairs.knots import knots
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
