"""Sums of products in pieces that BLAS does without threads, against numpy's."""

import numpy as np
import pytest

from shufflekit._dot import PIECE, add_shifted


@pytest.mark.parametrize("length", [1, 100, PIECE, 2 * PIECE + 7])
def test_shifted_numbers_are_added_in_place(length):
    rng = np.random.default_rng(length)
    x, places, weights = rng.normal(size=length + 50), [0, 3, 50, 3], [0.5, -2.0, 1e-3, 7.0]
    total = rng.normal(size=length)
    expected = total + sum(w * x[i : i + length] for i, w in zip(places, weights, strict=True))
    add_shifted(total, x, places, weights)
    assert total == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_nothing_is_added_beyond_the_end():
    with pytest.raises(Exception, match="offx"):
        add_shifted(np.zeros(10), np.zeros(12), [3], [1.0])
