"""A draw that is seen, then one of several pairs: means of their deltas, and lists of both."""

import math

import numpy as np
import pytest

from shufflekit.atoms import Atoms
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs import ListedPair
from shufflekit.dominating_pairs.mixture import ROUND_OFF, MixturePair, _together
from tests import lists, pairs

FIRST, SECOND = pairs.clones(1.0, 10, 20).pair, pairs.binary(2.0, 30, 30).pair
PAIR = MixturePair((FIRST, SECOND), (0.25, 0.625))  # with the rest of 1/8 nothing is shown


def test_delta_is_the_mean() -> None:
    eps = np.array([0.0, 0.1, 0.9])
    found, (one, other) = PAIR.delta(eps), (pair.delta(eps) for pair in (FIRST, SECOND))
    assert found.lower == pytest.approx(0.25 * one.lower + 0.625 * other.lower, rel=1e-12)
    assert found.upper == pytest.approx(0.25 * one.upper + 0.625 * other.upper, rel=1e-12)
    assert (found.lower < 0.25 * one.lower + 0.625 * other.lower).all()
    assert (found.upper > 0.25 * one.upper + 0.625 * other.upper).all()


def test_the_largest_loss_is_that_of_the_worst() -> None:
    assert (
        PAIR.largest_loss == max(FIRST.largest_loss, SECOND.largest_loss) > min(FIRST.largest_loss, SECOND.largest_loss)
    )


def test_reversed_each_is() -> None:
    assert PAIR.reversed() == MixturePair((FIRST, SECOND.reversed()), (0.25, 0.625))
    symmetric = MixturePair((FIRST, FIRST), (0.5, 0.5))
    assert symmetric.reversed() is symmetric


def test_what_is_asked_of_it_is_asked_of_each() -> None:
    asked = []

    class Asked(ListedPair):
        def delta(self, eps, rtol=1e-4, log_cut=None):  # type: ignore[no-untyped-def]
            asked.append((rtol, log_cut))
            return Ends(np.zeros(eps.shape), np.ones(eps.shape))

    one = Asked(Atoms(np.zeros(1), np.zeros(1)))
    MixturePair((one, one), (0.5, 0.5)).delta(np.zeros(2), 0.1, -9.0)
    assert asked == [(0.1, -9.0)] * 2


def test_lists_are_put_together() -> None:
    one = Atoms(np.log([0.5, 2.0]), np.log([0.5, 0.25]), 0.125, 0.0625, error=1e-6)
    other = Atoms(np.log([0.25, 1.0]), np.log([0.375, 0.625]), 0.25, 0.5, error=1e-5)
    found = _together([one, other], (0.25, 0.75))
    assert np.exp(found.loss) == pytest.approx([0.25, 0.5, 1.0, 2.0])
    assert np.exp(found.log_q) == pytest.approx([0.28125, 0.125, 0.46875, 0.0625])
    assert found.missing == 0.25 * 0.125 + 0.75 * 0.25
    assert found.infinite == 0.25 * 0.0625 + 0.75 * 0.5
    assert found.error == 1e-5 + ROUND_OFF


def test_the_lists_are_close() -> None:
    whole = MixturePair((FIRST, SECOND), (0.375, 0.625))
    lists.closely_listed(whole, 1e-9)
    assert math.fsum(np.exp(whole.listed(-40.0).upper.log_q)) == pytest.approx(1, rel=1e-12)
