import mpmath as mp
import numpy as np
import pytest

from shufflekit.papers._sums import log_binomial_sum


@pytest.mark.parametrize("log_base", [-30.0, -5.0, 0.0, 3.0])
def test_powers(log_base):
    """With ``a_j = x^j`` the sum is ``(1+x)^order - 1 - order x``."""
    order = np.array([2.0, 3, 50, 1000, 10_000])
    found = log_binomial_sum(order, log_base * np.arange(10_001))
    with mp.workdps(60):
        x = mp.exp(mp.mpf(log_base))
        for value, o in zip(found, order, strict=True):
            exact = mp.log((1 + x) ** int(o) - 1 - int(o) * x)
            assert abs(value - exact) < 1e-12 * max(1, abs(exact))


def test_unsorted_repeated_and_empty():
    log_a = np.full(301, -np.inf)
    assert np.all(log_binomial_sum(np.array([5.0, 300.0]), log_a) == -np.inf)
    log_a[3] = 0.0
    found = log_binomial_sum(np.array([[300.0, 2.0], [5.0, 300.0]]), log_a)
    np.testing.assert_allclose(np.exp(found), [[300 * 299 * 298 / 6, 0], [10, 300 * 299 * 298 / 6]], rtol=1e-12)
