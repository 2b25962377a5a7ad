"""The shuffled Gaussian: its law against closed forms, quadrature, random numbers and the paper's sizes."""

import itertools
import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp, ndtr
from scipy.stats import norm

from shufflekit.convex_order import profile
from shufflekit.dominating_pairs import GaussianPair, lognormal_sums
from shufflekit.dominating_pairs.gaussian_moments import log_moments
from shufflekit.dominating_pairs.lognormal import log_laplace
from shufflekit.dominating_pairs.lognormal_sums import LognormalSum
from shufflekit.papers.koskela2023 import gaussian
from tests import lists

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
def test_one_user_listed(backwards):
    pair = GaussianPair(2.0, 1, backwards)
    lower, upper = (profile(atoms, EPS) for atoms in pair.listed(-40.0, 5e-5))
    truth = closed_form(EPS, 2.0)
    assert (lower <= truth).all() and (truth <= upper).all()
    assert (upper - lower <= 1e-4 * truth).all()


@pytest.mark.parametrize("sigma", [0.2, 0.4, 0.7, 1.0, 2.0, 5.0])
@pytest.mark.parametrize("backwards", [False, True])
def test_two_users_by_quadrature(sigma, backwards):
    eps = np.array([0.0, 0.3, 0.9, 2.5]) / sigma
    holds(
        GaussianPair(sigma, 2, backwards).delta(eps),
        np.array([two_users_finely(e, sigma, backwards) for e in eps]),
        1e-4 if sigma < 0.4 else 1e-9,
    )
    for e in eps[:3]:
        assert two_users_finely(e, sigma, backwards) == pytest.approx(two_users(e, sigma, backwards), rel=1e-8)


def two_users_finely(eps, sigma, backwards=False):
    """The same integral by panels that shrink towards where the inner one is not analytic: right far out, too."""
    x = 2 * math.exp(-eps if backwards else eps)
    bend = sigma * math.log(x) + 0.5 / sigma
    near = np.concatenate([[0.0], 0.25 * 0.5 ** np.arange(50.0, 0.0, -1), np.arange(0.25, 80, 0.25)])
    edges = bend - near[::-1] if backwards else np.concatenate([bend - near[::-1], bend + near[1:]])
    nodes, weights = np.polynomial.legendre.leggauss(20)
    z = (edges[:-1, None] + np.diff(edges)[:, None] * (1 + nodes) / 2).ravel()
    weight = (np.diff(edges)[:, None] * weights / 2).ravel() * norm.pdf(z)
    rest = x - np.exp(z / sigma - 0.5 / sigma**2)
    log_rest = np.log(np.maximum(rest, 1e-300))
    if backwards:
        far, less = log_rest + norm.logcdf(sigma * log_rest + 0.5 / sigma), norm.logcdf(sigma * log_rest - 0.5 / sigma)
    else:
        far, less = norm.logcdf(0.5 / sigma - sigma * log_rest), log_rest + norm.logcdf(-0.5 / sigma - sigma * log_rest)
    inner = np.exp(far) * -np.expm1(np.minimum(less - far, 0.0))
    value = np.where(rest > 0, inner, 0.0 if backwards else 1 - rest)
    return float(weight @ value) / 2 * (math.exp(eps) if backwards else 1)


@given(
    sigma=st.floats(0.3, 12.0),
    far=st.floats(0.0, 12.0),
    backwards=st.booleans(),
)
@example(sigma=5.75, far=10.0, backwards=False)
@settings(max_examples=40, deadline=None)
def test_two_users_at_any_depth(sigma, far, backwards):
    """The ends hold and say something, down to 1e-60."""
    eps = far / sigma
    ends, truth = GaussianPair(sigma, 2, backwards).delta(np.array([eps])), two_users_finely(eps, sigma, backwards)
    assert ends.lower[0] <= truth * (1 + 1e-11) and truth * (1 - 1e-11) <= ends.upper[0]
    # Forth, beyond eps = 1, the two saddle points of one score have met on the cut.
    if backwards or eps < 0.85 or sigma < 5:
        assert ends.upper[0] - ends.lower[0] <= 1e-4 * ends.upper[0]


@pytest.mark.parametrize(("sigma", "n"), [(0.3, 1), (1.0, 1), (3.0, 1), (0.4, 3), (0.4, 1000), (0.8, 391), (10.0, 2)])
def test_contours_that_start_elsewhere_say_the_same(sigma, n, monkeypatch):
    """Of calls, the part of the cut and the contour from its end change places; of puts, the contour moves."""
    total = LognormalSum(sigma, n)
    deviation = math.sqrt(2 * math.pi) * float(total.calls(np.zeros(1), -math.log(n))[0].upper[0])
    eps, zero = deviation * np.array([0.5, 2.0, 4.0]), np.zeros(3)
    monkeypatch.setattr(lognormal_sums, "STEP", 0.3)
    again = LognormalSum(sigma, n)
    calls, other = (one.calls(n * np.expm1(eps), 0.0) for one in (total, again))
    puts, others = (one.puts(eps, zero) for one in (total, again))
    for ends, found in zip((*calls, *puts), (*other, *others), strict=True):
        assert (ends.lower <= found.upper).all() and (found.lower <= ends.upper).all()
        assert (ends.upper - ends.lower <= 1e-8 * ends.upper).all()


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("sigma", "n"), [(0.25, 800), (0.7, 3), (2.0, 100_000)])
def test_many_points_at_once_are_as_good_as_one_alone(sigma, n, backwards):
    """Many are found by series, which a few are not."""
    pair = GaussianPair(sigma, n, backwards)
    eps = np.linspace(0.0, 8 * 2.5 * float(pair.delta(np.zeros(1)).upper[0]), 3_000)
    few = np.arange(3, 3_000, 271)
    many, alone = pair.delta_and_tail(eps), pair.delta_and_tail(eps[few])
    for all_of_them, ends in zip(many, alone, strict=True):
        lower, upper = all_of_them.lower[few], all_of_them.upper[few]
        assert (ends.lower <= upper).all() and (lower <= ends.upper).all()
        assert (upper - lower <= 1.6 * (ends.upper - ends.lower) + 1e-11 * upper).all()


@pytest.mark.parametrize("sigma", [0.1, 0.4, 1.0, 3.0])
def test_one_score_by_the_way_of_many(sigma):
    """A sum of one, for which there are closed forms of calls, puts and chances."""
    total, eps = LognormalSum(sigma, 1), np.array([0.0, 0.3, 1.0, 3.0, 8.0]) / sigma
    calls, above = total.calls(np.expm1(eps), 0.0)
    holds(calls, closed_form(eps, sigma), 1e-9)
    holds(above, ndtr(-0.5 / sigma - eps * sigma), 1e-9)
    eps = eps[eps < 8]
    puts, below = total.puts(eps, eps)
    holds(puts, closed_form(eps, sigma), 1e-7)
    holds(below, ndtr(0.5 / sigma - eps * sigma), 1e-7)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("s", [0.01, 2.0, 0.3j, 1 + 5j, -0.2 + 1j, -2 + 4j, -0.003, -0.05, -0.4])
def test_the_laplace_transform_in_more_digits(sigma, s):
    """By a path that turns at another place, in 30 digits; on the cut the imaginary part has its digits, too."""
    with mpmath.workdps(30):
        m, turn, start = -1 / (2 * mpmath.mpf(sigma) ** 2), mpmath.arg(s), 1 - mpmath.log(abs(s))

        def integrand(y):
            return (
                mpmath.exp(-s * (mpmath.exp(y) - 1) - (sigma * (y - m)) ** 2 / 2) * sigma / mpmath.sqrt(2 * mpmath.pi)
            )

        low, high = m - 14 / mpmath.mpf(sigma) - 4, start + 8
        step = min(1, 1 / sigma)
        real = [low + step * k for k in range(int((start - low) / step) + 1)] + [start]
        down = [start, start - 0.5j * turn, start - 1j * turn]
        total = mpmath.quad(integrand, real) + mpmath.quad(integrand, down)
        total += mpmath.quad(integrand, [start - 1j * turn, start + 2 - 1j * turn, high - 1j * turn])
        truth = mpmath.log(total)
    found = complex(log_laplace(np.array([s], dtype=complex), sigma)[0])
    assert abs(found - complex(truth)) <= 1e-12 * abs(complex(truth)) + 1e-15
    if complex(s).imag == 0 > complex(s).real and abs(truth.imag) > 1e-20 * abs(truth.real):
        assert found.imag == pytest.approx(float(truth.imag), rel=1e-8)


@pytest.mark.parametrize(
    ("sigma", "s"),
    [(0.2, 5.0), (0.2, 1e4), (0.2, 1e12), (0.2, 1e20), (1.0, 5.0), (1.0, 1e4), (1.0, 1e12), (4.0, 1e4), (10.0, 1e3)],
)
def test_scores_next_to_0_keep_their_digits(sigma, s):
    """Of ``E e^{-sY}`` for large s: by the trapezoid rule, with points enough for its round-off to be all."""
    m = -1 / (2 * sigma**2)
    y, step = np.linspace(m - 60 / sigma - 1.5 * math.log(s) - 5, 18 - math.log(s), 1_000_001, retstep=True)
    log_density = -((sigma * (y - m)) ** 2) / 2 + math.log(step * sigma / math.sqrt(2 * math.pi))
    truth = float(logsumexp(log_density - s * np.exp(y)))
    found = complex(log_laplace(np.array([s], dtype=complex), sigma, 0.0)[0])
    assert found.real == pytest.approx(truth, abs=2e-9)
    about_1 = complex(log_laplace(np.array([s], dtype=complex), sigma)[0])
    assert about_1.real == pytest.approx(truth + s, abs=2e-9 + 4e-15 * s)


def two_users_in_digits(eps, sigma):
    """delta backwards: the same integral in 40 digits, over log(y/(x - y)), by the trapezoid rule: it has no kink."""
    with mpmath.workdps(40):
        sigma, x, step = mpmath.mpf(sigma), 2 * mpmath.exp(-mpmath.mpf(eps)), mpmath.mpf(1) / 16
        total = mpmath.mpf(0)
        for t in (k * step for k in range(-960, 961)):
            y, rest, stretch = x / (1 + mpmath.exp(-t)), x / (1 + mpmath.exp(t)), 1 / (1 + mpmath.exp(t))
            z, far = (sigma * mpmath.log(v) + 1 / (2 * sigma) for v in (y, rest))
            put = rest * mpmath.ncdf(far) - mpmath.ncdf(far - 1 / sigma)
            total += put * mpmath.npdf(z) * sigma * stretch
        return float(total * step * mpmath.exp(eps) / 2)


@pytest.mark.parametrize(
    ("sigma", "eps"),
    [(0.152, 170.0), (0.219, 20.0), (0.219, 110.0), (0.44, 60.0), (0.9, 22.0), (1.0, 1.0), (2.3, 9.5), (12.0, 2.0)],
)
def test_two_users_backwards_in_digits(sigma, eps):
    """Only scores next to 0 count there: nothing was known from 1e-4 on, with little noise."""
    pair = GaussianPair(sigma, 2, True)
    (delta, tail), truth = pair.delta_and_tail(np.array([eps])), two_users_in_digits(eps, sigma)
    assert delta.lower[0] <= truth <= delta.upper[0]
    assert delta.upper[0] - delta.lower[0] <= 1e-8 * delta.upper[0]
    assert tail.upper[0] - tail.lower[0] <= 1e-6 * tail.upper[0]


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
    cube = gaussian.section5_hypercube(EPS, 2.0, 3, 12.0, 400_000, rng)
    assert (abs(cube.value - GaussianPair(2.0, 3).delta(EPS).upper) < 4 * cube.error).all()


def test_what_a_cube_leaves_out_of_one_coordinate():
    """In closed form: M(X') - e^eps M(X) beyond L, and before -L, where it is never positive."""
    L, sigma, rng = 2.0, 1.5, np.random.default_rng(8)
    found = gaussian.section5_left_out(EPS, sigma, 1, L, 200_000, rng)
    start = np.maximum(L, 0.5 + sigma**2 * EPS)
    truth = ndtr((1 - start) / sigma) - np.exp(EPS) * ndtr(-start / sigma)
    assert (abs(found.value - truth) < 4 * found.error).all() and (found.error < 0.01 * truth).all()


def test_a_cube_and_what_it_leaves_out_are_the_whole():
    """A cube so small that often two coordinates are outside, each of which is drawn."""
    rng, whole = np.random.default_rng(9), GaussianPair(2.0, 3).delta(EPS).upper
    inside = gaussian.section5_hypercube(EPS, 2.0, 3, 3.0, 400_000, rng)
    outside = gaussian.section5_left_out(EPS, 2.0, 3, 3.0, 400_000, rng)
    error = np.hypot(inside.error, outside.error)
    assert (abs(inside.value + outside.value - whole) < 4 * error).all() and (error < 0.01 * whole).all()
    assert (outside.value > 0.3 * whole).all()


@pytest.mark.parametrize(
    ("n", "m", "rtol"), [(1, 1, 1e-12), (2, 64, 1e-4), (3, 64, 1e-4), (4, 40, 1e-3), (7, 15, 1e-3)]
)
def test_a_grid_by_orbits(n, m, rtol):
    """In n dimensions, on as many points as an orbit has members, against the one-dimensional law."""
    assert gaussian.section5_orbits(EPS, 2.0, n, m) == pytest.approx(GaussianPair(2.0, n).delta(EPS).upper, rel=rtol)


def test_orbits_are_the_whole_grid():
    z, weight = np.polynomial.hermite_e.hermegauss(4)
    score, total = np.exp(z / 2 - 1 / 8), 0.0
    for place in itertools.product(range(4), repeat=3):  # of the fourth coordinate the mean is known
        rest = 4 * math.exp(0.1) - score[list(place)].sum()
        mean = 1 - rest if rest < 0 else closed_form(math.log(rest), 2.0)
        total += np.prod(weight[list(place)] / weight.sum()) * mean / 4
    assert gaussian.section5_orbits(0.1, 2.0, 4, 4) == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda rng: gaussian.section5_left_out(0.1, 2.0, 3, 0.0, 10, rng), "L must"),
        (lambda rng: gaussian.section5_left_out(0.1, 2.0, 3, 5.0, 1, rng), "samples must"),
        (lambda rng: gaussian.section5_left_out(-0.1, 2.0, 3, 5.0, 10, rng), "eps must"),
        (lambda rng: gaussian.section5_hypercube(0.1, 0.0, 3, 5.0, 10, rng), "sigma must"),
        (lambda rng: gaussian.section5_hypercube(0.1, 2.0, 3, 5.0, 1, rng), "samples must"),
        (lambda rng: gaussian.section5_sampling([0.1, math.nan], 2.0, 3, 10, rng), "eps must"),
        (lambda rng: gaussian.section5_orbits(0.1, 2.0, 3, 65), "m must"),
        (lambda rng: gaussian.section5_orbits(0.1, 2.0, 0, 5), "n must"),
        (lambda rng: gaussian.section5_orbits(301.0, 2.0, 2, 5), "eps must"),
    ],
)
def test_bad_input_of_the_random_points_is_named(call, named):
    with pytest.raises(ValueError, match=named):
        call(np.random.default_rng(0))


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


@pytest.mark.parametrize("backwards", [False, True])
def test_lists_of_a_coarser_tolerance_are_wider_and_still_hold(backwards):
    pair, eps = GaussianPair(0.5, 100, backwards), np.array([0.0, 0.05, 0.3, 1.0, 3.0])
    ends, fine, coarse = pair.delta(eps), *(pair.listed(-40.0, rtol) for rtol in (1e-5, 1e-2))
    for found in (fine, coarse):
        assert (profile(found.lower, eps) <= ends.upper).all() and (ends.lower <= profile(found.upper, eps)).all()
    gaps = [profile(found.upper, eps) - profile(found.lower, eps) for found in (fine, coarse)]
    assert (gaps[0][1:] < gaps[1][1:]).all()


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 10**6, 10**12])
@pytest.mark.parametrize("sigma", [0.3, 0.5, 1.0, 2.0, 5.0])
def test_moments_to_12_digits(sigma, n):
    """Against the recurrence for the powers of a polynomial, which cancels, in 80 digits."""
    most = 64
    with mpmath.workdps(80):
        f = [
            mpmath.exp(mpmath.mpf(j * (j - 1)) / (2 * mpmath.mpf(sigma) ** 2)) / mpmath.factorial(j)
            for j in range(most + 1)
        ]
        power = [mpmath.mpf(1)]
        for m in range(1, most + 1):
            power.append(sum((n * j - (m - j)) * f[j] * power[m - j] for j in range(1, m + 1)) / m)
        truth = [float(mpmath.log(mpmath.factorial(m) * power[m] / mpmath.mpf(n) ** m)) for m in range(2, most + 1)]
    found = log_moments(most, sigma, n)
    assert (found[:2] == 0).all()
    assert found[2:] == pytest.approx(truth, rel=1e-12, abs=0)


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


@pytest.mark.parametrize(("sigma", "n"), [(2.0, 50), (2.0, 1), (0.7, 300)])
def test_the_lists_are_close(sigma, n):
    lists.closely_listed(GaussianPair(sigma, n), 3e-5)
