"""Binomial probabilities against mpmath, to the corners."""

import mpmath
import numpy as np
import pytest

from shufflekit._binomial import log_choose, log_pmf


@pytest.mark.parametrize("n", [1, 2, 5, 17, 1000, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("p", [1e-9, 0.0474, 0.119203, 0.5, 0.9])
def test_against_mpmath(n: int, p: float) -> None:
    sd = (n * p * (1 - p)) ** 0.5
    picks = {0, 1, n // 3, n - 1, n, *(round(n * p + z * sd) for z in (-30, -8, -1, 0, 1, 8, 30))}
    m = np.array(sorted(x for x in picks if 0 <= x <= n))
    with mpmath.workdps(50):
        exact = [
            mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            + k * mpmath.log(mpmath.mpf(p)) + (n - k) * mpmath.log1p(-mpmath.mpf(p))
            for k in map(int, m)
        ]  # fmt: skip
        for got, truth in zip(log_pmf(m, n, p), exact, strict=True):
            # n p is rounded once, which moves the deviance by the same relative amount.
            assert abs(got - truth) <= 1e-14 * (1 + abs(truth)) + 1e-15 * n**0.5


@pytest.mark.parametrize("n", [1, 2, 40, 1000, 10**7, 10**9])
def test_log_choose_against_mpmath(n: int) -> None:
    m = np.array(sorted({0, 1, min(2, n), n // 3, n // 2, n - 1, n}))
    with mpmath.workdps(50):
        for got, k in zip(log_choose(n, m), map(int, m), strict=True):
            truth = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            assert abs(got - truth) <= 2e-15 * (1 + abs(truth))
