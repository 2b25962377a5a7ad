"""The distributed check-in in one dimension: closed forms and bounds against other integrals; the composition."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit.papers import liew2022
from shufflekit.papers.liew2022 import distributed, hidden_count
from shufflekit.papers.liew2022.gaussians import alone, removed, replaced

SIGMA, GAMMA, ORDER = st.floats(0.5, 4), st.floats(0.02, 0.98), st.integers(2, 5)


def density(y, mean, deviation):
    return mpmath.npdf(y, mean, deviation)


def by_mpmath(order, sigma, n, gamma):
    """``E_q[(p/q)^order]`` and ``E_p[(q/p)^order]`` of Theorem 5's laws by tanh-sinh quadrature with 20 digits."""
    with mpmath.workdps(20):
        sigma, gamma = mpmath.mpf(sigma), mpmath.mpf(gamma)
        chance = [mpmath.binomial(n - 1, k) * gamma**k * (1 - gamma) ** (n - 1 - k) for k in range(n)]

        def p(y):
            return mpmath.fsum(c * density(y, 0, sigma / mpmath.sqrt(max(k, 1))) for k, c in enumerate(chance))

        def q(y):
            own = (c * density(y, mpmath.mpf(1) / (k + 1), sigma / mpmath.sqrt(k + 1)) for k, c in enumerate(chance))
            return (1 - gamma) * p(y) + gamma * mpmath.fsum(own)

        points = [-20 * sigma, -5 * sigma, -sigma, 0, 0.5, 1 + sigma, 1 + 5 * sigma, 1 + 20 * sigma]
        forth = mpmath.quad(lambda y: q(y) * (p(y) / q(y)) ** order, points)
        return float(forth), float(mpmath.quad(lambda y: p(y) * (q(y) / p(y)) ** order, points))


@pytest.mark.parametrize(("order", "sigma", "n", "gamma"), [(2, 1.0, 4, 0.5), (2, 0.5, 2, 0.9), (3, 2.0, 3, 0.1)])
def test_moments_with_the_count_hidden(order, sigma, n, gamma):
    pair = removed(sigma, n, gamma)
    found = pair.moment(order, forth=True), pair.moment(order, forth=False)
    assert found == pytest.approx(by_mpmath(order, sigma, n, gamma), rel=1e-11)


@pytest.mark.parametrize(("sigma", "known"), [(1.0, (1.024262, 1.022572)), (0.5, (1.086889, 1.097672))])
def test_twenty_clients(sigma, known):
    # `by_mpmath` takes ten seconds for these.
    pair = removed(sigma, 20, 0.5)
    assert (pair.moment(2, forth=True), pair.moment(2, forth=False)) == pytest.approx(known, abs=1e-6)
    assert liew2022.thm5_braces(2, sigma, 20, 0.5) < 1 < min(known)


@pytest.mark.parametrize("k", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("sigma", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("order", [0, 1, 2, 4])
def test_closed_forms(k, sigma, order):
    pair = alone(k, sigma)
    if order >= 1:
        back = pair.moment(order, forth=False)
        assert math.exp(liew2022.log_back(order, k, sigma)) == pytest.approx(back, rel=1e-10)
        if order < k + 1:
            forth = pair.moment(order, forth=True)
            assert math.exp(liew2022.log_forth(order, k, sigma)) == pytest.approx(forth, rel=1e-10)
    assert order != 1 or k < 1 or liew2022.log_forth(1, k, sigma) == pytest.approx(0, abs=1e-12)
    assert k == 0 or order < k + 1 or liew2022.log_forth(order, k, sigma) == math.inf


@settings(max_examples=15, deadline=None)
@given(order=ORDER, sigma=SIGMA, n=st.integers(1, 12), gamma=GAMMA)
def test_theorem_5_restated_bounds_both_directions(order, sigma, n, gamma):
    pair = removed(sigma, n, gamma)
    assert pair.moment(order, forth=False) <= liew2022.thm5_added(order, sigma, n, gamma) * (1 + 1e-9)
    bound = liew2022.thm5_removed(order, sigma, n, gamma)
    assert pair.moment(order, forth=True) <= bound * (1 + 1e-9)
    assert bound <= (1 - gamma) ** (1 - order) * (1 + 1e-9)


def test_theorem_5_for_one_client_is_exact():
    # Nobody else comes: both bounds are the moments themselves.
    pair = removed(1.0, 1, 0.3)
    assert liew2022.thm5_added(3, 1.0, 1, 0.3) == pytest.approx(pair.moment(3, forth=False), rel=1e-10)
    assert liew2022.thm5_removed(3, 1.0, 1, 0.3) == pytest.approx(pair.moment(3, forth=True), rel=1e-10)


def test_the_added_bound_is_not_one_for_removal():
    added, pair = liew2022.thm5_added(2, 1.0, 20, 0.5), removed(1.0, 20, 0.5)
    assert pair.moment(2, forth=False) < added < pair.moment(2, forth=True)


def test_theorem_5_as_printed_term_by_term():
    # Two clients, order 3: the sums of lines (12) and (13) written out.
    g, s = 0.2, 1.5
    e1, e2 = (math.sqrt(2**j / (1 + j)) * math.exp(-(j + 1) / (2 * s**2)) for j in (2, 3))
    total = (1 - g) ** 2 * (3 * g - g + 1) + 3 * g**3 * (1 - g) * e1 + 3 * (1 - g) ** 2 * g**2 * math.exp(1 / s**2)
    total += 3 * (1 - g) ** 4 * math.exp(3 / s**2) + 3 * g * (1 - g) ** 3 * e2
    assert liew2022.thm5_braces(3, s, 2, g) == pytest.approx(total, rel=1e-12)
    assert liew2022.thm5(3, s, 2, g) == pytest.approx(-math.log(total) / 2, rel=1e-12)


# Theorem 4


@settings(max_examples=15, deadline=None)
@given(order=ORDER, sigma=SIGMA, n=st.integers(1, 12), gamma=GAMMA, distance=st.floats(0.1, 2))
def test_theorem_4_bounds_both_directions(order, sigma, n, gamma, distance):
    pair, bound = replaced(sigma, n, gamma, distance), float(liew2022.thm4(order, sigma, n, gamma, distance))
    for way in (True, False):
        assert math.log(pair.moment(order, forth=way)) / (order - 1) <= bound * (1 + 1e-9) + 1e-12


def test_theorem_4_is_its_sum():
    order, sigma, n, gamma, distance = 4, 1.3, 9, 0.4, 2.0
    total = (1 - gamma) ** n
    for k in range(1, n + 1):
        each = (
            math.comb(order, j) * (k / n) ** j * (1 - k / n) ** (order - j)
            * math.exp(j * (j - 1) * distance**2 / (2 * k * sigma**2))
            for j in range(order + 1)
        )  # fmt: skip
        total += math.comb(n, k) * gamma**k * (1 - gamma) ** (n - k) * math.fsum(each)
    found = float(liew2022.thm4(order, sigma, n, gamma, distance))
    assert found == pytest.approx(math.log(total) / (order - 1), rel=1e-9)


def test_equation_11_and_lemma_5_bound_the_sum_with_a_fixed_chance():
    order, sigma, n, gamma, distance = 4, 1.0, 400, 0.1, 2.0
    k = np.arange(1, n + 1)
    chances = [math.comb(n, int(i)) * gamma**i * (1 - gamma) ** (n - i) for i in k]
    excess = sum(
        c * (liew2022.falling_moment(order, sigma, int(i), gamma, distance) - 1)
        for c, i in zip(chances, k, strict=True)
    )
    exact = math.log1p(excess) / (order - 1)
    eleven = float(liew2022.eq11(order, sigma, n, gamma, distance, 0.5))
    five = float(liew2022.thm4_lemma5(order, sigma, n, gamma, distance, 1.0))
    assert exact <= five * (1 + 1e-9) <= eleven
    assert exact == pytest.approx(five, rel=0.01)


@pytest.mark.parametrize("n", [1, 10**12])
@pytest.mark.parametrize("sigma", [0.05, 1e4])
@pytest.mark.parametrize("gamma", [1e-9, 1.0])
def test_extremes(n, sigma, gamma):
    found = liew2022.thm4([2, 512], sigma, n, gamma, 2.0)
    assert np.isfinite(found).all()
    assert (found >= 0).all()


# The hidden count, composed


@pytest.mark.parametrize(("rounds", "eps"), [(1_000, 0.017313), (20_000, 0.089336)])
def test_the_judge_of_theorem_5(rounds, eps):
    n = 60_000
    found = hidden_count.epsilon(0.65, n, 1e-3, rounds, n**-1.1)
    assert found.lower <= found.upper <= found.lower * (1 + 1e-4)
    assert eps == pytest.approx(found.upper, abs=1e-6)


def test_finer_cells_bring_the_ends_together():
    ends = [hidden_count.epsilon(1.0, 50, 0.2, 30, 1e-4, cells) for cells in (64, 256, 1024, 8192)]
    lower, upper = [end.lower for end in ends], [end.upper for end in ends]
    # Each finer bracket lies in the coarser ones, but for the composition's own tolerance.
    assert all(a <= b * (1 + 1e-4) for a, b in itertools.pairwise(lower))
    assert all(b <= a * (1 + 1e-4) for a, b in itertools.pairwise(upper))
    assert upper[0] > 1.001 * upper[-1]
    assert upper[-1] <= lower[-1] * (1 + 2e-4)


@pytest.mark.parametrize(("sigma", "n", "gamma"), [(0.5, 1, 0.5), (1.0, 20, 0.5), (2.0, 100, 0.05), (0.65, 7, 0.9)])
def test_one_round_of_the_hidden_count(sigma, n, gamma):
    pair = removed(sigma, n, gamma)
    y = np.linspace(-12 * sigma - 1, 12 * sigma + 2, 40_001)
    p, q = (np.exp(law.log_density(y)) for law in pair)
    known = hidden_count.listed(sigma, n, gamma)
    for alpha in (1.0, 1.05, 1.3):
        for way, (one, other) in enumerate(((q, p), (p, q))):
            exact = float(np.maximum(one - alpha * other, 0).sum() * (y[1] - y[0]))
            lower, upper = (atoms.reversed() if way else atoms for atoms in known)
            least, most = (float(np.exp(a.log_q) @ np.maximum(np.exp(a.loss) - alpha, 0)) for a in (lower, upper))
            assert least <= exact * (1 + 1e-7) + 1e-12
            assert exact <= (most + upper.missing) * (1 + 1e-7) + 1e-12
            assert most == pytest.approx(least, rel=1e-3, abs=1e-9)


def test_the_means_of_the_lists_are_1():
    for atoms in hidden_count.listed(0.65, 500, 0.1):
        assert float(np.exp(atoms.log_q).sum()) == pytest.approx(1, abs=1e-12)
        assert float(np.exp(atoms.log_q + atoms.loss).sum()) == pytest.approx(1, abs=1e-12)


# Bad input


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: liew2022.thm4(1, 1.0, 9, 0.1, 1.0), "order"),
        (lambda: liew2022.thm4(2, 0.0, 9, 0.1, 1.0), "sigma"),
        (lambda: liew2022.thm4(2, 1.0, 0, 0.1, 1.0), "n"),
        (lambda: liew2022.thm4(2, 1.0, 9, 1.1, 1.0), "gamma"),
        (lambda: liew2022.thm4(2, 1.0, 9, 0.1, math.inf), "distance"),
        (lambda: liew2022.eq11(2, 1.0, 9, 0.1, 1.0, 0.5), "Delta"),
        (lambda: liew2022.thm4_lemma5(2, 1.0, 10, 0.1, 1.0, -1.0), "Delta"),
        (lambda: distributed.falling_moment(2, 1.0, 0, 0.1, 1.0), "k"),
        (lambda: liew2022.thm5(1, 1.0, 9, 0.1), "order"),
        (lambda: liew2022.thm5(2, 1.0, 2000, 0.1), "n"),
        (lambda: liew2022.thm5(2, 1.0, 9, 1.0), "gamma"),
        (lambda: liew2022.log_back(2, -1, 1.0), "k"),
        (lambda: liew2022.log_forth(2, 1, math.nan), "sigma"),
        (lambda: removed(1.0, 0, 0.1), "n"),
        (lambda: replaced(1.0, 5, 0.1, -1.0), "distance"),
        (lambda: hidden_count.epsilon(1.0, 10**7, 0.1, 1, 0.1), "n"),
        (lambda: hidden_count.epsilon(1.0, 10, 1.0, 1, 0.1), "gamma"),
        (lambda: hidden_count.epsilon(1.0, 10, 0.1, 0, 0.1), "rounds"),
        (lambda: hidden_count.epsilon(1.0, 10, 0.1, 1, 1.0), "delta"),
        (lambda: hidden_count.epsilon(1.0, 10, 0.1, 1, 0.1, 7), "cells"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        call()
