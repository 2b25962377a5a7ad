import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from shufflekit.papers import feldman2021

NAN, INF = math.nan, math.inf


def clone_pair_delta(e_eps: mp.mpf, E: mp.mpf, n: int) -> mp.mpf:
    """The hockey-stick divergence of the clone pair from its definition, outcome by outcome.

    Works in whatever arithmetic its arguments are of. Clone counts below 1e-60 in probability are left out.
    """
    total = 0 * E
    weight = (1 - 1 / E) ** (n - 1)
    for c in range(n):
        if weight > 1e-60:
            # One of c+1 reports is the person's: a fair coin each for the others, E : 1 for theirs.
            for a in range(c + 2):
                others = Fraction(1, 2**c)
                one_more, same = math.comb(c, a - 1) * others if a else 0, math.comb(c, a) * others
                if not isinstance(E, Fraction):
                    one_more, same = (mp.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (one_more, same))
                p = (E * one_more + same) / (E + 1)
                q = (one_more + E * same) / (E + 1)
                total += weight * max(p - e_eps * q, 0)
        weight = weight * (n - 1 - c) / (c + 1) / (E - 1)
    return total


def test_exact_rational():
    expected = Fraction(239, 1296)
    assert clone_pair_delta(Fraction(3, 2), Fraction(3), 5) == expected
    assert feldman2021.delta(math.log(1.5), math.log(3), 5) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("eps0", [1e-6, 0.1, 1.0, 3.0, 10.0, 20.0])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 60])
def test_delta_is_the_clone_pairs(eps0, n):
    for share in (0, 0.01, 0.3, 0.7, 0.999):
        with mp.workdps(50):
            exact = clone_pair_delta(mp.exp(mp.mpf(share * eps0)), mp.exp(mp.mpf(eps0)), n)
            ratio = feldman2021.delta(share * eps0, eps0, n) / exact
        # Rounding the arguments alone moves delta by about 1e-16 / (1 - share).
        assert -1e-12 < ratio - 1 < 1e-12


@pytest.mark.parametrize("eps", [0.01, 0.2, 0.5, 1.0])
def test_delta_with_many_clones(eps):
    with mp.workdps(50):
        exact = clone_pair_delta(mp.exp(mp.mpf(eps)), mp.exp(mp.mpf(2)), 500)
        ratio = feldman2021.delta(eps, 2.0, 500) / exact
    assert 0 <= ratio - 1 < 1e-12


def test_one_user_is_randomized_response():
    for eps0 in (1e-3, 1.0, 20.0):
        expected = (math.exp(eps0) - math.exp(eps0 / 2)) / (math.exp(eps0) + 1)
        assert feldman2021.delta(eps0 / 2, eps0, 1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("clones", [999, 10**6, 10**8])
@pytest.mark.parametrize("z", [3.0, 8.0, 16.0])
def test_given_clones_deep_in_the_tail(clones, z):
    """At 40 digits the difference of two binomial tails is harmless, and is another route to the number."""
    eps0, S = 1.0, clones + 1
    eps = 2 * math.atanh(math.tanh(eps0 / 2) * z / math.sqrt(S))
    with mp.workdps(40):
        rho = mp.tanh(mp.mpf(eps) / 2) / mp.tanh(mp.mpf(eps0) / 2)
        M = int(mp.ceil(S * (1 - rho) / 2)) - 1
        pmf = mp.exp(mp.loggamma(S + 1) - mp.loggamma(M + 1) - mp.loggamma(S - M + 1) - S * mp.log(2))
        cdf = term = mp.mpf(1)
        y = M
        while y > 0 and term > 1e-30 * cdf:
            term *= mp.mpf(y) / (S - y + 1)
            cdf += term
            y -= 1
        kappa = (mp.exp(mp.mpf(eps)) + 1) * mp.tanh(mp.mpf(eps0) / 2)
        exact = kappa * pmf * (mp.mpf(S - M) / S - rho * cdf)
        ratio = feldman2021._given_clones(eps, eps0, np.array([float(clones)]))[0] / exact
    assert abs(ratio - 1) < max(1e-12, 1e-14 * math.sqrt(S))  # binom.pmf loses digits as sqrt(S)


def test_delta_never_rises():
    eps = np.linspace(0, 2, 41)
    values = [feldman2021.delta(e, 2.0, 300) for e in eps]
    assert np.all(np.diff(values) <= 0)
    assert values[-1] == 0
    by_n = [feldman2021.delta(0.3, 2.0, n) for n in (1, 2, 5, 20, 100, 1000, 10**4)]
    assert np.all(np.diff(by_n) < 0)


@pytest.mark.parametrize(
    ("eps0", "n", "delta"),
    [(2.0, 1000, 5e-11), (1e-6, 1000, 1e-8), (0.5, 10**6, 1e-60), (10.0, 10**6, 1e-8), (20.0, 10**9, 1e-60)],
)
def test_epsilon_is_the_smallest_safe_one(eps0, n, delta):
    eps = feldman2021.epsilon(delta, eps0, n)
    assert 0 < eps <= eps0
    assert feldman2021.delta(eps, eps0, n) <= delta
    assert feldman2021.delta(eps * (1 - 1e-11), eps0, n) > delta


def test_epsilon_at_a_billion_users():
    """As n grows both eps and delta fall as 1/sqrt(n) at a given number of standard deviations."""
    eps = feldman2021.epsilon(1e-8, 1.0, 10**7)
    assert feldman2021.delta(eps / 10, 1.0, 10**9) == pytest.approx(1e-8 / 10, rel=1e-2)


def test_epsilon_is_zero_where_delta_allows():
    assert feldman2021.epsilon(0.9, 2.0, 1000) == 0
    assert feldman2021.delta(0.0, 2.0, 1000) <= 0.9


def test_huge_eps0_is_not_amplified():
    assert feldman2021.epsilon(1e-8, 300.0, 10**6) == pytest.approx(300 - 1e-8, rel=1e-13)


def test_known_epsilon():
    # Found independently by summing binomial tails clone count by clone count.
    assert feldman2021.epsilon(5e-11, 2.0, 1000) == pytest.approx(0.8257, abs=5e-5)


@pytest.mark.parametrize("eps0", [1e-6, 0.5, 1.0])
@pytest.mark.parametrize(("n", "delta"), [(10**4, 1e-8), (10**9, 1e-60)])
def test_closed_form(eps0, n, delta):
    with mp.workdps(50):
        E, d = mp.exp(mp.mpf(eps0)), mp.mpf(delta)
        exact = mp.log(1 + (E - 1) / (E + 1) * (8 * mp.sqrt(E * mp.log(4 / d) / n) + 8 * E / n))
        assert abs(feldman2021.closed_form(eps0, n, delta) / exact - 1) < 1e-12


def test_closed_form_is_looser():
    for eps0 in (0.1, 1.0, 3.0):
        assert feldman2021.closed_form(eps0, 10**4, 1e-8) > feldman2021.epsilon(1e-8, eps0, 10**4)


def test_condition():
    # [girgis2021] (51) at k = 1000, delta = 1e-8, k = 1e4, and in the setting of its Figure 6.
    assert feldman2021.condition(1000, 1e-8) == pytest.approx(1.184755, abs=5e-7)
    assert feldman2021.condition(10**4, 1e-8) == pytest.approx(3.4873, abs=5e-5)
    assert feldman2021.condition(2000, 1e-5) == pytest.approx(2.3264, abs=5e-5)
    limit = feldman2021.condition_corrected(1000, 1e-8)
    assert feldman2021.closed_form(limit * (1 - 1e-12), 1000, 1e-8) > 0
    with pytest.raises(ValueError, match=rf"eps0 must be at most .* = {limit:.6g}"):
        feldman2021.closed_form(limit * (1 + 1e-9), 1000, 1e-8)
    with pytest.raises(ValueError, match="eps0 must be at most"):
        feldman2021.closed_form(1e-9, 10, 1e-8)


def log_ratio_outside_the_events(clones: mp.mpf, E: mp.mpf, delta: mp.mpf) -> mp.mpf:
    """The largest log-ratio of the clone pair at C clones whose split is off C/2 by what Hoeffding allows."""
    off = mp.sqrt(clones / 2 * mp.log(4 / delta)) + mp.mpf(1) / 2
    first, second = (clones + 1) / 2 + off, (clones + 1) / 2 - off
    return mp.log((E * first + second) / (first + E * second))


def test_the_proof_needs_4_and_not_2_in_the_condition():
    with mp.workdps(40):
        for eps0, delta in ((1, 1e-3), (3, 1e-8), (6, 1e-8), (12, 1e-20)):
            E, delta = mp.exp(eps0), mp.mpf(delta)
            for constant, enough in ((4, True), (2, eps0 < 6)):
                n = 16 * E * mp.log(constant / delta)
                spread = 8 * mp.sqrt(E * mp.log(4 / delta) / n) + 8 * E / n
                closed = mp.log1p((E - 1) / (E + 1) * spread)
                assert (log_ratio_outside_the_events(n / 2 / E, E, delta) <= closed) is enough
            # Without the factor (E-1)/(E+1) in the denominator the two are equal right at 4.
            off, clones = 2 * mp.log(4 / delta) + mp.mpf(1) / 2, 8 * mp.log(4 / delta)
            assert mp.almosteq(2 * off / ((clones + 1) / 2 - off), 2 + 4 / clones, rel_eps=mp.mpf(10) ** -35)


@pytest.mark.parametrize(("eps0", "delta"), [(0.01, 0.1), (1.0, 1e-5), (3.0, 1e-8), (8.0, 1e-20)])
def test_the_corrected_condition_is_the_stricter(eps0, delta):
    n = math.ceil(16 * math.log(4 / delta) * math.exp(eps0))
    assert feldman2021.condition_corrected(n - 1, delta) < eps0 <= feldman2021.condition_corrected(n, delta)
    assert feldman2021.condition_corrected(n, delta) < feldman2021.condition(n, delta)
    assert feldman2021.epsilon(delta, eps0, n) <= feldman2021.closed_form(eps0, n, delta)


@pytest.mark.parametrize("value", [NAN, INF, -INF, -1.0, 0.0])
def test_eps0_out_of_range(value):
    for call in (
        lambda: feldman2021.delta(0.1, value, 10),
        lambda: feldman2021.epsilon(0.1, value, 10),
        lambda: feldman2021.closed_form(value, 1000, 0.1),
    ):
        with pytest.raises(ValueError, match="eps0 must be positive and at most 300"):
            call()


@pytest.mark.parametrize("value", [NAN, INF, -0.1, 0.0, 1.0, 2.0])
def test_delta_out_of_range(value):
    for call in (
        lambda: feldman2021.epsilon(value, 1.0, 10),
        lambda: feldman2021.closed_form(1.0, 10, value),
        lambda: feldman2021.condition(10, value),
        lambda: feldman2021.condition_corrected(10, value),
    ):
        with pytest.raises(ValueError, match="delta must be strictly between 0 and 1"):
            call()


@pytest.mark.parametrize("value", [NAN, INF, -0.1])
def test_eps_out_of_range(value):
    with pytest.raises(ValueError, match="eps must be 0 or positive"):
        feldman2021.delta(value, 1.0, 10)


def test_n_out_of_range():
    for call in (
        lambda n: feldman2021.delta(0.1, 1.0, n),
        lambda n: feldman2021.epsilon(0.1, 1.0, n),
        lambda n: feldman2021.closed_form(1.0, n, 0.1),
        lambda n: feldman2021.condition(n, 0.1),
        lambda n: feldman2021.condition_corrected(n, 0.1),
    ):
        for wrong in (0, -3):
            with pytest.raises(ValueError, match="n must be a whole number"):
                call(wrong)
        for wrong in (10.0, NAN, True, "10", None):
            with pytest.raises(TypeError, match="n must be a whole number"):
                call(wrong)


@pytest.mark.parametrize("value", ["1", None, True, [1.0], 1j])
def test_wrong_type(value):
    for call in (
        lambda: feldman2021.delta(value, 1.0, 10),
        lambda: feldman2021.delta(0.1, value, 10),
        lambda: feldman2021.epsilon(value, 1.0, 10),
        lambda: feldman2021.epsilon(0.1, value, 10),
        lambda: feldman2021.closed_form(value, 10, 0.1),
        lambda: feldman2021.condition(10, value),
        lambda: feldman2021.condition_corrected(10, value),
    ):
        with pytest.raises(TypeError, match="must be"):
            call()
