import math

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom, multinomial

from shufflekit.papers import balle2019

BOUNDS = [balle2019.hoeffding, balle2019.bennett]


def exact_rr(eps, eps0, n, width=14):
    """The hockey-stick divergence of n shuffled ternary randomized responses.

    One user holds 0 or 1, the others hold 2. Histograms beyond `width` standard deviations are left out.
    """
    E, N = math.exp(eps0), n - 1
    r = 1 / (E + 2)
    reach = width * math.sqrt(N * r)
    counts = np.arange(max(0, math.floor(N * r - reach)), min(N, math.ceil(N * r + reach)) + 1)
    x, y = counts[:, None], counts[None, :]

    def others(x, y):
        triples = np.stack(np.broadcast_arrays(x, y, N - x - y), axis=-1)
        inside = (triples >= 0).all(axis=-1)
        mass = multinomial.pmf(np.where(inside[..., None], triples, [0, 0, N]), N, [r, r, E * r])
        return np.where(inside, mass, 0.0)

    one_x, one_y, one_z = others(x - 1, y), others(x, y - 1), others(x, y)
    p = r * (E * one_x + one_y + one_z)
    q = r * (one_x + E * one_y + one_z)
    return np.maximum(p - math.exp(eps) * q, 0).sum()


def exact_2rr(eps, eps0, n):
    """The same for binary randomized response, the others holding 1."""
    E = math.exp(eps0)
    ones = np.arange(n + 1)
    same, more = binom.pmf(ones, n - 1, E / (E + 1)), binom.pmf(ones - 1, n - 1, E / (E + 1))
    p, q = (E * same + more) / (E + 1), (same + E * more) / (E + 1)
    return max(np.maximum(p - math.exp(eps) * q, 0).sum(), np.maximum(q - math.exp(eps) * p, 0).sum())


def expected_positive_part(eps, eps0, K, m):
    """Exact ``E (L_1 + ... + L_m)_+`` for K-ary randomized response: a uniform blanket."""
    E = math.exp(eps0)
    mass = K / (E + K - 1)
    values = mass * np.array([E - math.exp(eps), 1 - math.exp(eps) * E, 1 - math.exp(eps)])
    first, second = np.meshgrid(np.arange(m + 1), np.arange(m + 1), indexing="ij")
    rest = m - first - second
    chance = [1 / K, 1 / K, (K - 2) / K]
    inside = rest >= 0
    counts = np.stack([first, second, rest], axis=-1)[inside]
    return multinomial.pmf(counts, m, chance) @ np.maximum(counts @ values, 0)


def reference(bound, eps, eps0, n, mass, term_only=None):
    """Either bound as the paper states it, the sum over m ~ Bin(n, mass) carried out, or one term."""
    e, E, g = mp.mpf(eps), mp.exp(mp.mpf(eps0)), mp.mpf(mass)
    a = mp.expm1(e)
    if bound is balle2019.hoeffding:
        b = g * (1 + mp.exp(e)) * (E - 1 / E)

        def term(m):
            return b**2 / (4 * a) * mp.exp(-2 * m * a**2 / b**2)
    else:
        b = g * (E - mp.exp(e) / E)
        c = g * (E * (mp.exp(2 * e) + 1) - 2 * g * mp.exp(e) / E**2)
        u = a * b / c

        def term(m):
            return b / mp.log(1 + u) * mp.exp(-m * c / b**2 * ((1 + u) * mp.log(1 + u) - u))

    if term_only is not None:
        return term(term_only)
    weights = (mp.binomial(n, m) * g**m * (1 - g) ** (n - m) for m in range(n + 1))
    return mp.fsum(w * term(m) for m, w in enumerate(weights)) / (g * n)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("eps0", [0.01, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("share", [1e-3, 0.3, 0.99])
def test_formula(bound, eps0, share):
    for n in (1, 7, 80):
        for mass in (math.exp(-eps0), 2 / (math.exp(eps0) + 1), 0.999, 1.0):
            with mp.workdps(50):
                exact = reference(bound, share * eps0, eps0, n, mass)
                found = bound(share * eps0, eps0, n, mass)
                # For eps0 = 0.01 the second moment itself is a difference of numbers near 1.
                assert found == 1 if exact >= 1 else abs(found / exact - 1) < 1e-11


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("K", [2, 3, 10])
@pytest.mark.parametrize("eps0", [0.5, 2.0, 4.0])
def test_expectation_is_bounded(bound, K, eps0):
    mass = K / (math.exp(eps0) + K - 1)
    for share in (0.01, 0.1, 0.5, 0.9):
        for m in (1, 2, 10, 60):
            exact = expected_positive_part(share * eps0, eps0, K, m)
            assert exact <= float(reference(bound, share * eps0, eps0, 1, mass, term_only=m))


def test_hoeffding_must_not_be_divided_by_m():
    """``b^2/(4 m a)`` in front, as for a mean instead of a sum, is not a bound."""
    eps, eps0, m = 0.05, 0.5, 60
    right = float(reference(balle2019.hoeffding, eps, eps0, 1, 2 / (math.exp(eps0) + 1), term_only=m))
    assert right / m < expected_positive_part(eps, eps0, 2, m) < right


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("eps0", [0.5, 2.0, 4.0])
def test_bounds_randomized_response(bound, eps0):
    for n in (1, 10, 300):
        for share in (0.02, 0.1, 0.4, 0.9):
            eps = share * eps0
            for K, exact in ((2, exact_2rr(eps, eps0, n)), (3, exact_rr(eps, eps0, n))):
                mass = K / (math.exp(eps0) + K - 1)
                assert exact <= bound(eps, eps0, n, mass) <= bound(eps, eps0, n)


def test_smallest_mass_is_not_the_worst_case():
    """Taking the smallest mass, 1/E, for every randomizer promises more than ternary response keeps."""
    eps0, n, delta = 3.0, 5000, 1e-6
    promised = balle2019.epsilon(delta, eps0, n, mass=math.exp(-eps0), inequality="hoeffding")
    assert exact_rr(promised, eps0, n) > 2 * delta
    for inequality in ("hoeffding", "bennett"):
        generic = balle2019.epsilon(delta, eps0, n, inequality=inequality)
        assert exact_rr(generic, eps0, n) < delta
        own = balle2019.epsilon(delta, eps0, n, mass=3 / (math.exp(eps0) + 2), inequality=inequality)
        assert exact_rr(own, eps0, n) < delta


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(
    ("eps", "eps0", "n"), [(0.9, 2.0, 1000), (1e-4, 1e-3, 10**6), (7.0, 8.0, 10**5), (2e-4, 1.0, 10**9)]
)
def test_generic_is_the_supremum(bound, eps, eps0, n):
    masses = np.exp(np.linspace(-eps0, 0, 400))
    worst = max(bound(eps, eps0, n, float(mass)) for mass in masses)
    assert worst <= bound(eps, eps0, n) <= worst * (1 + 1e-3)


@pytest.mark.parametrize("eps0", [0.01, 1.0, 4.0, 10.0])
def test_bennett_falls_with_the_mass(eps0):
    for share in (0.01, 0.5, 0.99):
        values = [balle2019.bennett(share * eps0, eps0, 1000, float(g)) for g in np.exp(np.linspace(-eps0, 0, 50))]
        assert np.all(np.diff(values) <= 1e-11 * np.array(values[1:]))


def test_ends():
    for bound in BOUNDS:
        assert bound(0.0, 1.0, 100) == 1
        assert bound(1.0, 1.0, 100) == 0
        assert bound(0.9, 1.0, 10**9, 1.0) > 0  # far below what a float can hold, and yet not 0


@pytest.mark.parametrize("inequality", ["hoeffding", "bennett"])
@pytest.mark.parametrize(("eps0", "n", "delta"), [(1.0, 1000, 1e-8), (1e-3, 10**6, 1e-60), (20.0, 10**9, 1e-5)])
def test_epsilon_is_safe(inequality, eps0, n, delta):
    bound = getattr(balle2019, inequality)
    for mass in (None, 2 / (math.exp(eps0) + 1)):
        eps = balle2019.epsilon(delta, eps0, n, mass, inequality)
        assert 0 < eps <= eps0
        assert bound(eps, eps0, n, mass) <= delta
        if eps < eps0:
            assert bound(eps * (1 - 1e-5), eps0, n, mass) > delta


def test_a_huge_eps0_is_void():
    for bound in BOUNDS:
        assert bound(1e-3, 300.0, 10**9) == bound(299.0, 300.0, 10**9) == 1
    assert balle2019.epsilon(1e-8, 300.0, 10**9) == 300


def test_few_users_hide_nothing():
    assert balle2019.epsilon(0.1, 5.0, 10) == 5.0


def test_condition():
    # [girgis2021] (52) at k = 1000 and 1e4, delta = 1e-8, and in the settings of its Figures 3 and 6.
    known = {(1000, 1e-8): 1.997141, (10**4, 1e-8): 3.1484, (10**4, 1e-5): 3.3834, (2000, 1e-5): 2.5787}
    for (n, delta), expected in known.items():
        assert balle2019.condition(n, delta) == pytest.approx(expected, abs=5e-5)


class TestBadInput:
    @pytest.mark.parametrize("value", [math.nan, math.inf, -0.1])
    def test_eps(self, value):
        for bound in BOUNDS:
            with pytest.raises(ValueError, match="eps must be 0 or positive"):
                bound(value, 1.0, 10)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 0.0])
    def test_eps0(self, value):
        for call in (*BOUNDS, balle2019.epsilon):
            with pytest.raises(ValueError, match="eps0 must be positive and at most 300"):
                call(0.1, value, 10)

    @pytest.mark.parametrize("value", [0, -1])
    def test_n(self, value):
        for call in (*BOUNDS, balle2019.epsilon):
            with pytest.raises(ValueError, match="n must be a whole number"):
                call(0.1, 1.0, value)
        with pytest.raises(ValueError, match="n must be a whole number"):
            balle2019.condition(value, 0.1)

    @pytest.mark.parametrize("value", [0.0, -0.5, 0.36, 1.01, math.nan, math.inf])
    def test_mass(self, value):
        for call in (*BOUNDS, balle2019.epsilon):
            with pytest.raises(ValueError, match="mass must be"):
                call(0.1, 1.0, 10, value)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 0.0, 1.0])
    def test_delta(self, value):
        with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
            balle2019.epsilon(value, 1.0, 10)
        with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
            balle2019.condition(10, value)

    def test_inequality(self):
        with pytest.raises(ValueError, match="inequality must be one of 'bennett', 'hoeffding'"):
            balle2019.epsilon(0.1, 1.0, 10, inequality="chernoff")

    @pytest.mark.parametrize("value", ["1", True, [0.5]])
    def test_wrong_type(self, value):
        for call in (*BOUNDS, balle2019.epsilon):
            for arguments in ((value, 1.0, 10), (0.1, value, 10), (0.1, 1.0, value), (0.1, 1.0, 10, value)):
                with pytest.raises(TypeError, match="must be"):
                    call(*arguments)
        for arguments in ((value, 0.1), (10, value)):
            with pytest.raises(TypeError, match="must be"):
                balle2019.condition(*arguments)
