"""The shuffled Gaussian: its law against closed forms, quadrature, random numbers and the paper's sizes."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

from shufflekit.convex_order import profile
from shufflekit.dominating_pairs import GaussianPair
from shufflekit.dominating_pairs.gaussian_moments import log_moments
from shufflekit.papers.koskela2023 import gaussian

# The true values behind koskela2023:fig5 of the ledger, sigma = 2, found beforehand by an independent program.
NOTED = {2: (0.144028, 0.104853, 0.059803, 0.018327), 7: (0.079195, 0.041294, 0.011562, 0.000594)}
EPS = np.array([0.0, 0.1, 0.25, 0.5])


def closed_form(eps, sigma):
    return ndtr(0.5 / sigma - eps * sigma) - np.exp(eps) * ndtr(-0.5 / sigma - eps * sigma)


def two_users(eps, sigma, backwards=False):
    """One integral over the first score; over the second the closed form."""

    def inner(z):
        y, c = math.exp(z / sigma - 0.5 / sigma**2), 2 * math.exp(-eps if backwards else eps)
        c -= y
        if c <= 0:
            call = 1 - c
        else:
            at = sigma * math.log(c)
            call = ndtr(0.5 / sigma - at) - c * ndtr(-0.5 / sigma - at)
        # A put is a call less the forward, and (1 - aX)_+ is a times a put at 1/a.
        value = math.exp(eps) * (call - (1 - c)) if backwards else call
        return value / 2 * norm.pdf(z)

    bend = sigma * math.log(2 * math.exp(-eps if backwards else eps)) + 0.5 / sigma
    return quad(inner, -9, 13, points=[bend], epsabs=1e-14, epsrel=1e-10, limit=200)[0]


def holds(ends, truth, width):
    assert (ends.lower <= truth * (1 + 1e-9)).all() and (truth <= ends.upper * (1 + 1e-9)).all()
    assert (ends.upper - ends.lower <= width * ends.upper).all()


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("backwards", [False, True])
def test_one_user_is_the_gaussian_mechanism(sigma, backwards):
    eps = np.array([0.0, 0.5, 1.0, 2.0]) / sigma
    holds(GaussianPair(sigma, 1, backwards).delta(eps), closed_form(eps, sigma), 1e-9)


@pytest.mark.parametrize("backwards", [False, True])
def test_one_user_by_the_law_of_the_sum(backwards):
    """The same by the route that is taken for more users."""
    pair = GaussianPair(2.0, 1, backwards)
    lower, upper = (profile(atoms, EPS) for atoms in pair.listed(-40.0))
    truth = closed_form(EPS, 2.0)
    assert (lower <= truth).all() and (truth <= upper).all()
    assert (upper - lower <= 1e-4 * truth).all()


@pytest.mark.parametrize("sigma", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("backwards", [False, True])
def test_two_users_by_quadrature(sigma, backwards):
    eps = np.array([0.0, 0.3, 0.9]) / sigma
    truth = np.array([two_users(e, sigma, backwards) for e in eps])
    ends = GaussianPair(sigma, 2, backwards).delta(eps)
    assert (ends.lower <= truth * (1 + 1e-8)).all() and (truth <= ends.upper * (1 + 1e-8)).all()
    assert (ends.upper - ends.lower <= 1e-3 * truth).all()


@pytest.mark.parametrize("n", NOTED)
def test_the_noted_values(n):
    ends = GaussianPair(2.0, n).delta(EPS, 1e-8)
    assert np.round(ends.lower, 6) == pytest.approx(NOTED[n], abs=1e-12)
    assert np.round(ends.upper, 6) == pytest.approx(NOTED[n], abs=1e-12)
    if n == 7:
        reverse = GaussianPair(2.0, n).reversed().delta(np.array([0.25]))
        assert np.round(reverse.upper, 6) == pytest.approx(0.010924, abs=1e-12)


def test_random_numbers_agree():
    rng = np.random.default_rng(3)
    for n, eps in ((3, 0.2), (20, 0.1)):
        drawn = gaussian.section5_sampling(eps, 1.5, n, 400_000, rng)
        assert abs(drawn.value - GaussianPair(1.5, n).delta(np.array([eps])).upper[0]) < 4 * drawn.error
    cube = gaussian.section5_hypercube(0.2, 2.0, 3, 12.0, 400_000, rng)
    assert abs(cube.value - GaussianPair(2.0, 3).delta(np.array([0.2])).upper[0]) < 4 * cube.error


def test_more_users_hide_better_and_the_forward_direction_is_worse():
    sizes = [1, 2, 5, 40, 1000, 100_000]
    eps = np.array([0.002, 0.01])
    forth = [GaussianPair(2.0, n).delta(eps) for n in sizes]
    back = [GaussianPair(2.0, n, True).delta(eps) for n in sizes]
    for few, many in itertools.pairwise(forth):
        assert (many.upper <= few.lower).all()
    for f, b in zip(forth, back, strict=True):
        assert (b.lower <= f.upper).all()
    total_variation = [GaussianPair(2.0, 5, side).delta(np.zeros(1)) for side in (False, True)]
    assert total_variation[0].upper[0] == pytest.approx(total_variation[1].upper[0], rel=1e-5)


@pytest.mark.parametrize("n", [10**4, 10**6])
def test_a_million_users(n):
    mu = math.sqrt(math.expm1(0.25) / n)
    eps = mu * np.array([0.0, 1.0, 3.0, 5.0])
    ends = GaussianPair(2.0, n).delta(eps)
    # delta moves 1 + (eps/mu)^2 times as much as eps, near the central limit.
    assert (1 - ends.lower / ends.upper <= 4e-4 * (1 + (eps / mu) ** 2)).all()
    assert ends.upper[1] == pytest.approx(closed_form(eps[1], 1 / mu), rel=0.01)


@pytest.mark.parametrize(("sigma", "n"), [(2.0, 1), (2.0, 7), (2.0, 300), (1.0, 50), (20.0, 10)])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_lists_are_on_either_side(sigma, n, backwards):
    pair = GaussianPair(sigma, n, backwards)
    eps = np.linspace(0, 4, 9) * math.sqrt(math.expm1(1 / sigma**2) / n)
    found, ends = pair.listed(-40.0), pair.delta(eps)
    assert (profile(found.lower, eps) <= ends.upper).all()
    assert (ends.lower <= profile(found.upper, eps)).all()
    assert (profile(found.upper, eps) <= profile(found.lower, eps) * (1.05 if sigma < 2 else 1.01)).all()
    for atoms in found:
        assert (np.diff(atoms.loss) > 0).all() and np.isfinite(atoms.log_q).all()
        p, q = np.exp(atoms.log_q + atoms.loss).sum(), np.exp(atoms.log_q).sum()
        assert p == pytest.approx(1, abs=1e-6) and q == pytest.approx(1, abs=1e-6)
    assert found.upper.missing < 1e-15 and pair.reversed().reversed() == pair


def test_a_coarser_tolerance_is_wider_and_still_holds():
    fine, coarse = (GaussianPair(2.0, 1000).delta(np.array([0.05]), rtol) for rtol in (1e-5, 1e-1))
    assert coarse.lower <= fine.lower * (1 + 1e-9) and fine.upper <= coarse.upper * (1 + 1e-9)
    assert coarse.upper - coarse.lower > 2 * (fine.upper - fine.lower)


def test_moments_by_all_terms_and_by_the_law():
    for sigma, n, order in itertools.product((0.8, 2.0), (1, 2, 4), (2, 3, 5)):
        powers = [np.bincount(who, minlength=n) for who in itertools.product(range(n), repeat=order)]
        exact = np.mean([math.exp((j * (j - 1)).sum() / (2 * sigma**2)) for j in powers])
        assert log_moments(order, sigma, n)[order] == pytest.approx(math.log(exact), rel=1e-12, abs=1e-13)
    found = GaussianPair(2.0, 50).listed(-60.0)
    lower, upper = (float(np.exp(atoms.log_q) @ np.exp(4 * atoms.loss)) for atoms in found)
    assert lower <= math.exp(log_moments(4, 2.0, 50)[4]) <= upper <= lower * (1 + 1e-4)


def test_grid_points():
    for m, n in ((10, 7), (4, 3), (1, 5)):
        counted = sum(1 for _ in itertools.combinations_with_replacement(range(m), n))
        assert gaussian.section5_grid_corrected(m, n) == counted
    assert gaussian.section5_grid(10, 7) == pytest.approx(10**7 / 5040, rel=1e-12)


@pytest.mark.parametrize("sigma", [0, -1.0, math.nan, math.inf, 0.01, 1e9])
def test_bad_sigma(sigma):
    with pytest.raises(ValueError, match=re.escape(repr(sigma))):
        GaussianPair(sigma, 3)


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (10**9, ValueError), (2.0, TypeError), (True, TypeError)])
def test_bad_n(n, error):
    with pytest.raises(error, match="n must be"):
        GaussianPair(2.0, n)
