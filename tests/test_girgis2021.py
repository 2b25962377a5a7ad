"""The paper's formulas against mpmath at 50 digits, over grids that include the corners."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from shufflekit.papers import girgis2021 as paper

LEVELS = [1e-6, 0.01, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
# All clients and those sampled: a single one, nearly no sampling, no sampling, both at their largest.
SIZES = [(1, 1), (10**9, 1), (1000, 7), (10**6, 1000), (60_000, 10_000), (10**9, 10**6), (10**9, 10**9)]
ORDERS = [2, 3, 4, 31, 1000]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50):
        yield


def near(found, truth, rel=1e-12):
    return abs(found - truth) <= rel * abs(truth)


# The formulas, as the paper prints them, in mpmath.


def big_e(eps0):
    return mp.exp(mp.mpf(eps0))


def mp_kbar(eps0, k):
    return int(mp.floor((k - 1) / (2 * big_e(eps0)))) + 1


def mp_a(m, order, eps0):
    """A_order(m) of Theorem 6."""
    E = big_e(eps0)
    if order == 2:
        return 4 * (E - 1) ** 2 / (m * E)
    return order * mp.gamma(mp.mpf(order) / 2) * (2 * (E**2 - 1) ** 2 / (m * E**2)) ** (mp.mpf(order) / 2)


def mp_thm4(order, eps0, k):
    E = big_e(eps0)
    return mp_a(mp_kbar(eps0, k), order, eps0) + (E - 1 / E) ** order * mp.exp(-(k - 1) / (8 * E))


def mp_lemma2(order, zetas, gamma):
    """``zetas[j]`` is zeta(j)^j."""
    binomial, total = mp.mpf(order), mp.mpf(0)
    for j in range(2, order + 1):
        binomial = binomial * (order - j + 1) / j
        total += binomial * mp.mpf(gamma) ** j * zetas[j]
    return mp.log1p(total) / (order - 1)


def mp_thm1(order, eps0, n, k):
    E, kbar, gamma = big_e(eps0), mp_kbar(eps0, k), mp.mpf(k) / n
    total = 2 * order * (order - 1) * gamma**2 * (E - 1) ** 2 / (kbar * E)
    base = gamma * mp.sqrt(2 * (E**2 - 1) ** 2 / (kbar * E**2))
    binomial, power, halves = mp.mpf(order) * (order - 1) / 2, base**2, [mp.sqrt(mp.pi), mp.mpf(1)]
    for j in range(3, order + 1):
        binomial, power = binomial * (order - j + 1) / j, power * base
        halves = [halves[1], halves[0] * (mp.mpf(j) / 2 - 1)]  # Gamma((j-1)/2), Gamma(j/2)
        term = binomial * j * halves[1] * power
        total += term
        # The terms rise, then fall: below this they cannot reach the 40th digit of the sum together.
        if term < total * mp.mpf(10) ** -55 and (order - j) * base < mp.sqrt(2 * j):
            break
    x = gamma * (E - 1 / E)
    with mp.workdps(120):
        tail = (1 + x) ** order - 1 - order * x
    return mp.log1p(total + mp.exp(-(k - 1) / (8 * E)) * tail) / (order - 1)


def mp_thm2(order, eps0, n, k):
    E = big_e(eps0)
    p, step, total = 1 / (1 + E), mp.mpf(1) / n * (E**2 - 1) / E, mp.mpf(0)
    mass = (1 - p) ** k
    for m in range(k + 1):
        total += mass * (1 + step * (m - k * p)) ** order
        mass *= mp.mpf(k - m) / (m + 1) * p / (1 - p)
    return mp.log(total) / (order - 1)


# Against mpmath.


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_thm1(n, k):
    for eps0 in LEVELS:
        for order, found in zip(ORDERS, paper.thm1(ORDERS, eps0, n, k), strict=True):
            assert near(found, mp_thm1(order, eps0, n, k))


@pytest.mark.parametrize(("eps0", "n", "k"), [(1e-6, 1, 1), (0.5, 10**9, 1), (10.0, 10**6, 1000), (20.0, 10**9, 10**9)])
def test_thm1_at_order_10_000(eps0, n, k):
    assert near(paper.thm1(10_000, eps0, n, k), mp_thm1(10_000, eps0, n, k))


def test_thm1_is_the_sum_of_its_terms():
    terms = paper.thm1_terms(ORDERS, 2.0, 10**6, 1000)
    assert list(terms) == ["second", "higher", "upsilon"]
    assert terms["higher"][0] == -math.inf  # order 2 has no higher term
    total = sum(np.exp(value) for value in terms.values())
    np.testing.assert_allclose(np.log1p(total) / (np.array(ORDERS) - 1), paper.thm1(ORDERS, 2.0, 10**6, 1000))


def test_thm1_keeps_the_shape_of_the_orders():
    square = paper.thm1([[2, 3], [1000, 4]], 1.0, 1000, 7)
    assert square.shape == (2, 2)
    np.testing.assert_array_equal(square.ravel(), paper.thm1([2, 3, 1000, 4], 1.0, 1000, 7))
    assert paper.thm1(3, 1.0, 1000, 7) == square[0, 1]


def test_thm1_rounds_the_clones_down_where_the_quotient_is_whole():
    """At e^eps0 = 2 to the last digit, (k-1)/4 is whole up to round-off only: one clone fewer is safe."""
    for k in (5, 401, 10**6 + 1):
        assert paper.kbar(math.log(2), k) in (mp_kbar(math.log(2), k), mp_kbar(math.log(2), k) - 1)
        assert paper.thm1(2, math.log(2), k, k) >= mp_thm1(2, math.log(2), k, k) * (1 - 1e-14)
    for eps0, k in itertools.product(LEVELS, [1, 2, 3, 1000, 10**9]):
        assert paper.kbar(eps0, k) == mp_kbar(eps0, k)


@pytest.mark.parametrize(("eps0", "n", "k"), [(1e-6, 1, 1), (1.0, 10**6, 1000), (10.0, 1000, 1000), (20.0, 10**9, 1)])
def test_thm1_at_real_orders(eps0, n, k):
    """Exact at whole orders; in between, on the chord of the log-moment."""
    found = paper.thm1_real_order([1.25, 2, 2.25, 999.5, 1000], eps0, n, k)
    low, high, below, above = (float(mp_thm1(o, eps0, n, k)) for o in (2, 3, 999, 1000))
    chord = [low, low, (0.75 * low + 0.25 * 2 * high) / 1.25, (998 * below + 999 * above) / 2 / 998.5, above]
    np.testing.assert_allclose(found, chord, rtol=1e-12)
    capped = paper.thm1_real_order([1.25, 2, 2.25, 999.5, 1000], eps0, n, k, cap=low)
    np.testing.assert_allclose(capped, np.minimum(chord, low), rtol=1e-12)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (10**9, 1), (50, 7), (10**6, 100), (100, 100)])
def test_thm2(n, k):
    orders = [1.25, 2, 2.5, 3, 31, 1000, 10_000]
    for eps0 in LEVELS:
        for order, found in zip(orders, paper.thm2(orders, eps0, n, k), strict=True):
            assert near(found, mp_thm2(order, eps0, n, k))


@pytest.mark.parametrize("eps0", [1e-6, 1.0, 5.0, 20.0])
@pytest.mark.parametrize(("n", "k"), [(10**5, 10**5), (10**9, 10**7), (10**9, 10**9)])
def test_thm2_with_many_clients(eps0, n, k):
    """Orders 2 to 4 from the central moments of the binomial, in closed form."""
    E = big_e(eps0)
    p, step = 1 / (1 + E), (E**2 - 1) / (n * E)
    variance = k * p * (1 - p)
    second, third = step**2 * variance, step**3 * variance * (1 - 2 * p)
    fourth = step**4 * (3 * variance**2 + variance * (1 - 6 * p * (1 - p)))
    truth = [second, 3 * second + third, 6 * second + 4 * third + fourth]
    for order, found in zip((2, 3, 4), paper.thm2([2, 3, 4], eps0, n, k), strict=True):
        assert near(found, mp.log1p(truth[order - 2]) / (order - 1), rel=1e-11)


@pytest.mark.parametrize("order", [1 + 1e-9, 1.5, 2, 31, 10_000])
def test_lemma1(order):
    o = mp.mpf(order)
    for eps, delta in itertools.product((0, 1e-6, 1.0, 50.0), (1e-300, 1e-8, 0.5)):
        spare = (-mp.log(delta) + (o - 1) * mp.log(1 - 1 / o) - mp.log(o)) / (o - 1)
        assert abs(paper.lemma1(eps, order, delta) - (eps + spare)) <= 1e-12 * (abs(spare) + eps)
        for target in (0, 0.1, 3.0):
            truth = mp.exp((o - 1) * (eps - target)) * (1 - 1 / o) ** o / (o - 1)
            found = paper.lemma1_delta(eps, order, target)
            assert near(found, min(truth, 1), 1e-9) if truth > 1e-290 else truth <= found <= 1e-290


def test_lemma1_both_ways():
    order = np.array([1.5, 2, 40.0])
    eps = paper.lemma1([0.1, 0.2, 0.3], order, 1e-6)
    for i in range(3):
        assert paper.lemma1_delta([0.1, 0.2, 0.3][i], order[i], float(eps[i])) == pytest.approx(1e-6, rel=1e-9)


@pytest.mark.parametrize("gamma", [1e-9, 0.001, 1.0])
@pytest.mark.parametrize(("eps0", "k"), [(1e-6, 1), (1.0, 1000), (10.0, 1), (20.0, 10**9)])
def test_lemma2(gamma, eps0, k):
    zetas = {j: mp_thm4(j, eps0, k) for j in range(2, 201)}
    found = paper.lemma2([2, 3, 200], lambda j: np.array([float(mp.log(zetas[int(i)])) for i in j]), gamma)
    for order, value in zip((2, 3, 200), found, strict=True):
        assert near(value, mp_lemma2(order, zetas, gamma))


def test_lemma2_at_order_10_000():
    zetas = {j: mp.mpf(1) for j in range(2, 10_001)}
    assert near(paper.lemma2(10_000, lambda j: 0 * j, 1e-6), mp_lemma2(10_000, zetas, 1e-6))


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, 32])
def test_ternary_bounds(order):
    for eps0, m in itertools.product(LEVELS, (1, 7, 10**9)):
        E = big_e(eps0)
        if mp_a(m, order, eps0) < 1e-280:  # beyond, a float has fewer digits
            continue
        assert near(paper.thm6(m, order, eps0), mp_a(m, order, eps0))
        # Lemma 7 has (E^2-1)^2 / (2 m E^2), and no 4 at order 2.
        assert near(paper.lemma7(m, order, eps0), mp_a(m, order, eps0) / 2**order)
        assert near(paper.thm4(order, eps0, m), mp_thm4(order, eps0, m))
        assert near(paper.eq36_tail(order, eps0), E**order)
        assert near(paper.eq36_tail_middle(order, eps0), (E - 1 / E) ** order)
        assert near(paper.eq36_tail_corrected(order, eps0), (E - 1) ** order)


@pytest.mark.parametrize("k", [1, 2, 30, 400])
def test_thm4_averaged(k):
    for eps0, order in itertools.product(LEVELS, (2, 3, 32)):
        E = big_e(eps0)
        q, cap, total = 1 / E, (big_e(eps0) - 1) ** order, mp.mpf(0)
        for m in range(k):
            weight = mp.binomial(k - 1, m) * q**m * (1 - q) ** (k - 1 - m)
            total += weight * min(mp_a(m + 1, order, eps0), cap)
        found = paper.thm4_averaged(order, eps0, k)
        # Beyond 12 standard deviations every term counts at its cap: about e^-72 of it.
        assert total * (1 - mp.mpf(10) ** -12) <= found <= total * (1 + mp.mpf(10) ** -12) + cap * mp.exp(-60)
        assert found <= paper.thm4(order, eps0, k) * (1 + 1e-12)


def test_orders_of_10_000_overflow_honestly_or_not_at_all():
    for eps0, k in itertools.product((10.0, 20.0), (1, 1000, 10**6)):
        for bound in (paper.thm4([2, 10_000], eps0, k), paper.thm4_averaged([2, 10_000], eps0, k)):
            assert math.isfinite(bound[0])
            assert bound[1] == math.inf
    assert paper.thm6([1, 10**9], 10_000, 10.0)[0] == math.inf
    assert math.isfinite(paper.thm1(10_000, 20.0, 1, 1))


# What CLDP-SGD learns.

NORMS = [1, 1.5, 2, 3, math.inf]


@pytest.mark.parametrize("eps0", LEVELS)
@pytest.mark.parametrize(("d", "k"), [(1, 1), (13_722, 10_000)])
def test_second_moments(eps0, d, k):
    L, E = 0.01, big_e(eps0)
    s2 = ((E + 1) / (E - 1)) ** 2
    factor = {1: d, 2: 14 * d, math.inf: d**2}
    for p in NORMS:
        ball = max(mp.mpf(d) ** (1 - 2 / mp.mpf(p)), 1) * mp.mpf(L) ** 2
        printed, right = (4, 1) if p in (1, math.inf) else (14, 14)
        # The print divides by "q n", with q = e^-eps0.
        assert near(paper.eq48(p, d, L, eps0, k), ball * (1 + printed * d * s2 * E / k))
        assert near(paper.eq48_corrected(p, d, L, eps0, k), ball * (1 + right * d * s2 / k))
        if p in factor:
            variance = mp.mpf(L) ** 2 * factor[p] * s2
            assert near(paper.remark1_second_moment(p, d, L, eps0), variance)
            assert near(paper.lemma9_step_b(p, d, L, eps0, k), variance / k)
            bound = paper.thm3_gradient_bound(p, d, L, eps0, k)
            assert near(bound.ball, ball)
            assert near(bound.noise, variance / k)
            # Theorem 3's G^2 is eq (48) with the constants that Remark 1 gives.
            assert pytest.approx(paper.eq48_corrected(p, d, L, eps0, k), rel=1e-12) == bound.G**2
        else:
            with pytest.raises(ValueError, match="p must be 1, 2 or inf"):
                paper.remark1_second_moment(p, d, L, eps0)


def test_last_iterate():
    T = np.array([1, 10, 10**6])
    for t, found in zip(T, paper.eq49(T, 2.0, 5.0), strict=True):
        assert near(found, 2 * 2 * 5 * (2 + mp.log(int(t))) / mp.sqrt(int(t)))
    G = paper.thm3_gradient_bound(2, 10, 1.0, 1.5, 100).G
    np.testing.assert_array_equal(paper.thm3_convergence(T, 2.0, 2, 10, 1.0, 1.5, 100), paper.eq49(T, 2.0, G))


def test_eq48_holds_where_its_proof_does_not():
    """Two clients with gradients +1 and -1, one of them sampled, sent by R_1 on [-1, 1]: +s or -s, unbiased.

    The mean is 0, the second moment s^2: the noise's own variance, s^2 - 1, and the 1 that the sampling adds.
    """
    for E in (Fraction(3), Fraction(20)):
        s = (E + 1) / (E - 1)
        second = Fraction(0)
        for gradient, sign in itertools.product((1, -1), repeat=2):
            probability = Fraction(1, 2) * (Fraction(1, 2) + Fraction(gradient * sign, 2) / s)
            second += probability * (sign * s) ** 2
        assert second == s**2
        noise_alone = s**2 - 1
        assert second > noise_alone
        assert second <= 1 + noise_alone <= paper.eq48_corrected(1, 1, 1.0, math.log(E), 1)
