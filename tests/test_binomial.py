"""Binomial probabilities against mpmath and against interval arithmetic, to the corners."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from shufflekit._binomial import log_choose, log_pmf, masses, pmf, tail
from shufflekit.accuracy import stretch_error, tail_error

RATES = [1e-9, 0.0474, 0.119203, 0.5, 0.9]


def numbers(n: int, p: float) -> np.ndarray:
    """Some m from 0 to n: the ends, and what lies some standard deviations from the mean."""
    sd = (n * p * (1 - p)) ** 0.5
    picks = {0, 1, n // 3, n - 1, n, *(round(n * p + z * sd) for z in (-30, -8, -1, 0, 1, 8, 30))}
    return np.array(sorted(x for x in picks if 0 <= x <= n))


@pytest.mark.parametrize("n", [1, 2, 5, 17, 1000, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("p", RATES)
def test_against_mpmath(n: int, p: float) -> None:
    m = numbers(n, p)
    with mpmath.workdps(50):
        exact = [
            mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            + k * mpmath.log(mpmath.mpf(p)) + (n - k) * mpmath.log1p(-mpmath.mpf(p))
            for k in map(int, m)
        ]  # fmt: skip
        for got, truth in zip(log_pmf(m, n, p), exact, strict=True):
            # n p is rounded once, which moves the deviance by the same relative amount.
            assert abs(got - truth) <= 1e-14 * (1 + abs(truth)) + 1e-15 * n**0.5
    assert (pmf(m, n, p) == np.exp(log_pmf(m, n, p))).all()


@pytest.mark.parametrize("n", [1, 2, 40, 1000, 10**7, 10**9])
def test_log_choose_against_mpmath(n: int) -> None:
    m = np.array(sorted({0, 1, min(2, n), n // 3, n // 2, n - 1, n}))
    with mpmath.workdps(50):
        for got, k in zip(log_choose(n, m), map(int, m), strict=True):
            truth = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
            assert abs(got - truth) <= 2e-15 * (1 + abs(truth))


def true_tail(m: int, n: int, p: float) -> float:
    """``Pr[Bin(n, p) >= m]`` to all digits of a float, as a regularised incomplete beta function in arb."""
    if m <= 0 or m > n:
        return float(m <= 0)
    for bits in (128, 512, 2048, 8192):
        with ctx.workprec(bits):
            ball = arb(p).beta_lower(m, n - m + 1, regularized=True)
            if ball.rel_accuracy_bits() > 60 or ball.upper() < 1e-320:
                return float(ball)
    raise ArithmeticError("too few bits")


@pytest.mark.parametrize("n", [1, 2, 17, 1000, 10**5])
@pytest.mark.parametrize("p", RATES)
def test_tails_against_interval_arithmetic(n: int, p: float) -> None:
    m = np.array([0, *numbers(n, p), n + 1])
    truth = np.array([true_tail(int(k), n, p) for k in m])
    found = tail(m, n, p, 1 - p)
    shown = truth > 1e-290
    # 1e-11 is what the accountant takes these to err by.
    assert found[shown] == pytest.approx(truth[shown], rel=1e-11, abs=0)
    assert (found[~shown] < 1e-280).all()


@pytest.mark.parametrize(("n", "most"), [(10**6, 9e-12), (10**9, 1e-10), (10**12, 2e-9)])
def test_tails_of_huge_numbers(n: int, most: float) -> None:
    """The error grows with n: that is what ``accuracy.tail_error`` allows for."""
    m = np.round(n / 2 + np.array([0.5, 3, 8, 16, 30]) * n**0.5 / 2)
    truth = np.array([true_tail(int(k), n, 0.5) for k in m])
    assert tail(m, n, 0.5, 0.5) == pytest.approx(truth, rel=most, abs=0)
    assert most < tail_error(np.array(float(n)))
    assert tail(m, n, 0.5, 0.5) + tail(n - m + 1, n, 0.5, 0.5) == pytest.approx(1, abs=1e-11)


@pytest.mark.parametrize(("m", "n", "p"), [(1040, 1076, 0.5), (311, 344, 0.0949), (94, 125, 3e-4)])
def test_tails_where_a_power_of_the_chance_is_no_number(m: int, n: int, p: float) -> None:
    """Once 0, or right to two digits: betainc starts from p^m there, which is below 1e-308."""
    assert tail(m, n, p, 1 - p) == pytest.approx(true_tail(m, n, p), rel=1e-11, abs=0)
    assert tail(np.array([1, m]), n, p, 1 - p)[1] == tail(m, n, p, 1 - p)


def test_a_tiny_complement_keeps_its_digits() -> None:
    """1 - p is given apart: where p rounds to 1, the tails still know it."""
    rest = 1e-25
    assert tail(3, 3, 1.0, rest) == 1
    # Pr[Bin(3, rest) >= 1], told from its other side.
    assert float(1 - tail(3, 3, 1.0, rest)) == 0
    assert float(tail(1, 3, rest, 1.0)) == pytest.approx(3e-25, rel=1e-12, abs=0)
    assert float(masses(np.array([0, 3, 4]), 3, 1.0, rest)[0]) == pytest.approx(3e-25, rel=1e-11, abs=0)


@pytest.mark.parametrize("n", [3, 1000, 10**5])
@pytest.mark.parametrize("p", [0.0474, 0.5, 0.9])
def test_masses_are_differences_of_tails_without_their_cancellation(n: int, p: float) -> None:
    sd = (n * p * (1 - p)) ** 0.5
    edges = np.unique(np.clip(np.round(n * p + sd * np.array([-9, -5, -1, -0.2, 0.3, 2, 6, 9])), 0, n + 1))
    found = masses(edges, n, p, 1 - p)
    for i, (low, high) in enumerate(zip(edges[:-1].astype(int), edges[1:].astype(int), strict=True)):
        if high - low < 5000:
            truth = float(np.sum(pmf(np.arange(low, high), n, p)))
            assert found[i] == pytest.approx(truth, rel=1e-9, abs=0)


def test_masses_along_the_last_axis() -> None:
    edges, n = np.array([[0, 2, 5], [0, 1, 8]]), np.array([[4], [7]])
    found = masses(edges, n, 0.3, 0.7)
    assert found.shape == (2, 2)
    assert found.sum(axis=1) == pytest.approx(1, rel=1e-14)
    assert found[0, 0] == pytest.approx(0.7**4 + 4 * 0.3 * 0.7**3)
    assert found[1, 0] == pytest.approx(0.7**7, rel=1e-13)


@pytest.mark.parametrize(
    ("n", "p", "first", "end"),
    [
        (1622295096, 0.0049111235933804115, 7980210, 7980212),  # two numbers: as a difference of tails off by 1e-9
        (404685524692, 3.704561984795479e-05, 15021940, 15021945),
        (181880290897, 0.00502126471327793, 913697849, 913697965),
        (27, 0.4, 11, 12),
        (10**6, 0.3, 299_990, 300_010),  # around the mean
        (10**6, 0.7, 699_000, 699_300),  # more terms than are added up one by one
        (10**9, 0.3, 300_050_000, 300_051_000),
        (10**9, 1 - 1e-7, 10**9 - 120, 10**9 - 118),
    ],
)
def test_narrow_stretches_keep_their_digits(n: int, p: float, first: int, end: int) -> None:
    with ctx.workprec(600):
        one, other = (arb(p).beta_lower(m, n - m + 1, regularized=True) for m in (first, end))
        ball = one - other
        assert ball.rel_accuracy_bits() > 60
    found = masses(np.array([0, first, end, n + 1.0]), n, p, 1 - p)
    assert found[1] == pytest.approx(float(ball), rel=0.5 * stretch_error(n, p), abs=0)
    assert stretch_error(n, p) < 2e-8


def test_stretches_of_all_widths() -> None:
    """Against interval arithmetic, from one number to thousands, next to each other and apart."""
    rng, n, p = np.random.default_rng(5), 10**7, 0.02
    edges = np.unique(np.append(0, np.round(n * p + 443 * rng.uniform(-9, 12, 60))).astype(int))
    with ctx.workprec(600):
        tails = [arb(1), *(arb(p).beta_lower(int(m), n - int(m) + 1, regularized=True) for m in edges[1:])]
        truth = [float(one - other) for one, other in pairwise(tails)]
    assert masses(edges, n, p, 1 - p) == pytest.approx(truth, rel=0.5 * stretch_error(n, p), abs=0)
    # The other kind's stretches, in the other order.
    assert masses((n + 1 - edges)[::-1], n, 1 - p, p)[::-1] == pytest.approx(
        truth, rel=0.5 * stretch_error(n, p), abs=0
    )
