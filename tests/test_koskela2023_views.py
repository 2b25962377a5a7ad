"""The two adversaries of [koskela2023]: every law and every formula against going through all coins and answers."""

import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest

from shufflekit import divergences, exact
from shufflekit.papers.koskela2023 import views

SIZES = [(1, 2), (1, 4), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)]
RATES = [Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)]
ALPHAS = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(7, 5), Fraction(2), Fraction(13, 3)]
LAWS = [views.eqc7, views.eqc7_corrected, views.thm15, views.thm15_corrected]


def laws(seen):
    return np.array(list(seen.values()), dtype=object).T


def hockey_stick(seen, alpha):
    return divergences.hockey_stick(*laws(seen), alpha)


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("gamma", RATES)
def test_what_is_seen_without_coins_is_the_shuffled_histogram(n, k, gamma):
    rows = np.array([[gamma / k + (1 - gamma) * (x == y) for y in range(k)] for x in range(k)], dtype=object)
    for others in product(range(k), repeat=n - 1):
        seen = views.enumerate_views(others, gamma, k, "shuffled")
        for last in (0, 1):
            law = exact.histogram_law(rows[[*others, last]])
            assert all(law[view.histogram[:-1]] == both[last] for view, both in seen.items())
        assert [sum(law) for law in laws(seen)] == [1, 1]


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("gamma", RATES)
def test_the_corrected_laws_are_those_of_the_views(n, k, gamma):
    strong, weak = views.eqc7_corrected(n, gamma, k), views.thm15_corrected(n, gamma, k)
    for others in product(range(k), repeat=n - 1):
        enumerated = [views.enumerate_views(others, gamma, k, adversary) for adversary in views.ADVERSARIES]
        for alpha in ALPHAS:
            by_strong, by_weak, by_messages = (hockey_stick(seen, alpha) for seen in enumerated)
            assert by_strong == views.eq24_corrected(strong, alpha)
            assert by_weak == views.eq24_corrected(weak, alpha)
            assert by_messages <= by_weak <= by_strong
            # A loss counts with a weight of at most 1.
            assert by_strong <= views.eq24(strong, alpha)
            assert by_weak <= views.eq24(weak, alpha)


def test_the_strong_law_by_hand():
    # Nobody else: the last coin settles everything, or the message does.
    law = views.eqc7_corrected(1, Fraction(1, 4), 2)
    assert views.eq24_corrected(law, 2) == views.eq24(law, 2) == Fraction(3, 4)
    assert views.eq24_corrected(law, Fraction(1, 2)) == Fraction(3, 4) + Fraction(1, 4) * Fraction(1, 2)
    assert views.eq24(views.eqc7(1, Fraction(1, 4), 2), 2) == 1


def test_the_weak_law_of_one_user_is_randomized_response():
    law = views.thm15_corrected(1, Fraction(1, 2), 2)
    assert views.eq24_corrected(law, 2) == Fraction(3, 4) - 2 * Fraction(1, 4)
    assert views.eq24(law, 3) == Fraction(3, 4)
    assert views.eq24(law, Fraction(301, 100)) == 0


def test_counts_of_a_view():
    view = views.View(bits=(0, 1, 0), histogram=(2, 1, 1))
    assert view.counts([0, 0, 2]) == (1, 1, 0)
    assert view.counts([0, 0]) == (1, 1, 1)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(("n", "k"), [*SIZES, (9, 2), (7, 5)])
@pytest.mark.parametrize("gamma", RATES)
def test_floats_agree_with_fractions(law, n, k, gamma):
    in_fractions, in_floats = law(n, gamma, k), law(n, float(gamma), k)
    assert in_fractions.mass.sum() == 1
    assert math.isclose(in_floats.mass.sum(), 1, rel_tol=1e-13)
    for alpha in ALPHAS:
        for read in (views.eq24, views.eq24_corrected):
            assert math.isclose(read(in_floats, float(alpha)), read(in_fractions, alpha), rel_tol=1e-12, abs_tol=1e-15)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_printed_weak_pair_has_the_right_marginals_only(k):
    printed, joint = views.thm15(4, Fraction(1, 4), k), views.thm15_corrected(4, Fraction(1, 4), k)
    for side in ("mine", "other"):
        values = set(getattr(joint, side)) | set(getattr(printed, side))
        for value in values:
            a, b = (law.mass[getattr(law, side) == value].sum() for law in (printed, joint))
            assert a == b


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("gamma", RATES)
@pytest.mark.parametrize("alpha", ALPHAS[2:])
def test_the_two_laws_of_theorem_15_are_a_lower_bound(n, k, gamma, alpha):
    # The law of Q_w is that of P_w's statistic under X', so this is data processing.
    joint = views.eq24_corrected(views.thm15_corrected(n, gamma, k), alpha)
    assert views.thm15_readings(alpha, n, gamma, k)["two laws: divergence"] <= joint


def test_the_two_laws_of_theorem_15_can_be_enough():
    # With two values, N2 = B + 1 - N1; and at this gamma P_w tells B and N1.
    gamma = Fraction(1, 4)
    joint = views.eq24_corrected(views.thm15_corrected(4, gamma, 2), 2)
    assert views.thm15_readings(2, 4, gamma, 2)["two laws: divergence"] == joint


def test_readings_of_theorem_15():
    # By enumeration, independently of the code: see the claim in the ledger.
    found = views.thm15_readings(2, 4, Fraction(1, 2), 2)
    assert views.eq24_corrected(views.thm15_corrected(4, Fraction(1, 2), 2), 2) == Fraction(27, 256)
    assert found["two laws: divergence"] == Fraction(7, 256)
    assert [round(float(value), 4) for value in found.values()] == [0.0273, 0.2972, 0.0991, 0.2501, 0.0509]


def strong_by_tails(alpha, n, gamma, k):
    """The same delta, summed over m = N1 - 1 + N2 with binomial tails, in 40 digits."""
    total = mp.mpf(0)
    for m in range(n):
        weight = mp.binomial(n - 1, m) * (2 * gamma / k) ** m * (1 - 2 * gamma / k) ** (n - 1 - m)
        half = [mp.binomial(m, i) / mp.mpf(2) ** m for i in range(m + 1)]
        first = next(i for i in range(m + 1) if i + 1 > alpha * (m - i))
        # P has i of m, Q one less on the first side.
        total += weight * (sum(half[first:]) - alpha * sum(half[first + 1 :]))
    return (1 - gamma) * total


@pytest.mark.parametrize(("n", "k", "gamma"), [(120, 4, 0.25), (80, 2, 0.9), (60, 10, 0.5)])
@pytest.mark.parametrize("eps", [0.0, 0.4, 1.1])
def test_the_strong_profile_in_40_digits(n, k, gamma, eps):
    with mp.workdps(40):
        expected = strong_by_tails(mp.exp(mp.mpf(eps)), n, mp.mpf(gamma), k)
    assert math.isclose(views.thm13_corrected(eps, n, gamma, k), expected, rel_tol=1e-11)


def test_figure_4_for_one_round():
    # The values that an independent check of the paper found, to the digits it gave.
    eps = [0, 0.1, 0.2, 0.3, 0.5, 1]
    table = {
        views.thm13: [0.555, 0.314, 0.144, 5.16e-2, 3.11e-3, 1.04e-7],
        views.thm13_corrected: [5.35e-2, 2.55e-2, 9.94e-3, 3.15e-3, 1.68e-4, 6.2e-9],
        views.thm16_corrected: [5.35e-2, 1.87e-2, 4.50e-3, 7.23e-4, 5.40e-6, 5.23e-14],
    }
    for formula, expected in table.items():
        np.testing.assert_allclose(formula(eps, 1000, 0.25, 4), expected, rtol=5e-3)
    clones = [5.72e-2, 2.17e-2, 5.98e-3, 1.17e-3, 1.59e-5, 2.98e-12]
    np.testing.assert_allclose(views.thm16_corrected(eps, 1000, 2 / 14, 2), clones, rtol=5e-3)
    assert math.isclose(views.thm16(0.5, 1000, 0.25, 4), 1.59e-4, rel_tol=5e-3)


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("E", [2, 5])
def test_the_weak_view_of_two_values_is_the_clone_pair(n, E):
    p = Fraction(1, E + 1)
    pair = np.zeros((2, n + 1, n + 1), dtype=object)
    for a, b in product(range(n), repeat=2):
        if a + b < n:
            ways = math.comb(n - 1, a) * math.comb(n - 1 - a, b)
            mass = ways * p ** (a + b) * (1 - 2 * p) ** (n - 1 - a - b)
            for law, (first, second) in zip(pair, ((E * p, p), (p, E * p)), strict=True):
                law[a + 1, b] += first * mass
                law[a, b + 1] += second * mass
    for alpha in ALPHAS:
        law = views.thm15_corrected(n, 2 * p, 2)
        assert divergences.hockey_stick(*pair, alpha) == views.eq24_corrected(law, alpha)


def test_independent_counts_are_no_bound():
    n, gamma, alpha = 55, Fraction(17, 20), Fraction(33001, 1000)
    assert views.eq24(views.eqc7(n, gamma, 2), alpha) < views.eq24_corrected(views.eqc7_corrected(n, gamma, 2), alpha)
    for users, eps, factor in ((62, 1.8, 1.015), (100, 1.3, 5.5), (300, 0.8, 620)):
        assert views.thm13_corrected(eps, users, 0.9, 2) > factor * views.thm13(eps, users, 0.9, 2)
        joint = views.eq24(views.eqc7_corrected(users, 0.9, 2), math.exp(eps))
        assert views.thm13_corrected(eps, users, 0.9, 2) <= joint


@pytest.mark.parametrize("adversary", ["strong", "weak"])
def test_two_rounds_are_a_product_of_views(adversary):
    gamma, formula = Fraction(1, 3), {"strong": views.eqc7_corrected, "weak": views.thm15_corrected}[adversary]
    p, q = laws(views.enumerate_views([1, 0], gamma, 2, adversary))
    law = formula(3, gamma, 2).composed(2)
    for alpha in ALPHAS:
        product_law = divergences.hockey_stick(np.multiply.outer(p, p), np.multiply.outer(q, q), alpha)
        assert product_law == views.eq24_corrected(law, alpha)
    assert formula(3, gamma, 2).composed(1).mass.sum() == law.mass.sum() == 1


@pytest.mark.parametrize(
    ("printed", "corrected", "laws"),
    [
        (views.thm13, views.thm13_corrected, (views.eqc7, views.eqc7_corrected)),
        (views.thm16, views.thm16_corrected, (views.thm15_corrected, views.thm15_corrected)),
    ],
)
def test_rounds_on_the_grid(printed, corrected, laws):
    n, gamma, k = 24, 0.6, 3
    eps = np.array([0.2, 0.7, 1.5, 3.0]) + 1e-3  # between the steps
    two = []
    for law in laws:
        outcomes = law(n, gamma, k)
        heavy = outcomes.mass > 1e-9
        two.append(views.Counts(*(part[heavy] for part in outcomes)).composed(2))
    near = [views.eq24(two[0], np.exp(eps + shift)) for shift in (3e-4, -3e-4)]
    found = printed(eps, n, gamma, k, n_c=2)
    assert (near[0] - 1e-6 <= found).all()
    assert (found <= near[1] + 1e-6).all()
    np.testing.assert_allclose(corrected(eps, n, gamma, k, n_c=2), views.eq24_corrected(two[1], np.exp(eps)), atol=1e-6)


@pytest.mark.parametrize("eps", [0.0, 0.3])
def test_a_round_without_news(eps):
    # Two rounds of one user: the strong adversary knows all as soon as one of the two coins is 0.
    assert math.isclose(views.thm13_corrected(eps, 1, 0.25, 2, n_c=2), 1 - 0.25**2, rel_tol=1e-12)
    assert views.thm13(eps, 1, 0.25, 2, n_c=2) == 1
    # Ratios 3 and 1/3, so 9, 1 and 1/9.
    assert math.isclose(views.thm16(eps + 1e-3, 1, 0.5, 2, n_c=2), 9 / 16, rel_tol=1e-12)
    expected = 9 / 16 - math.exp(eps) / 16  # at eps = 0 a step is blurred
    assert math.isclose(views.thm16_corrected(eps, 1, 0.5, 2, n_c=2), expected, rel_tol=1e-5)


def test_infinite_losses_stay_infinite():
    n, gamma, k = 3, 0.5, 2
    none = (1 - gamma / k) ** (n - 1)
    assert math.isclose(views.thm13(50.0, n, gamma, k), none, rel_tol=1e-12)
    assert math.isclose(views.thm13(50.0, n, gamma, k, n_c=3), 1 - (1 - none) ** 3, rel_tol=1e-12)
    assert views.thm16(50.0, n, gamma, k, n_c=3) == 0


def test_several_alphas_at_once():
    law = views.eqc7_corrected(3, 0.5, 2)
    alphas = np.array([[1.0, 2.0], [0.5, 3.0]])
    for read in (views.eq24, views.eq24_corrected):
        assert read(law, alphas).shape == (2, 2)
        assert read(law, alphas)[1, 1] == read(law, 3.0) == read(law, 3)
    assert isinstance(views.eq24_corrected(views.eqc7_corrected(3, Fraction(1, 2), 2), 2), Fraction)


FORMULAS = [views.thm13, views.thm13_corrected, views.thm16, views.thm16_corrected]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.__name__)
@pytest.mark.parametrize(
    ("changed", "name"),
    [
        *[({"eps": bad}, "eps") for bad in (-1, math.nan, math.inf, 301, "1", None, True, [])],
        *[({"n": bad}, "n") for bad in (0, -3, 1.5, 2001, True, "2")],
        *[({"gamma": bad}, "gamma") for bad in (0, 1, 1.5, math.nan, "0.5", None, True)],
        *[({"k": bad}, "k") for bad in (1, 2.0, None)],
    ],
)
def test_bad_input_of_the_theorems(formula, changed, name):
    with pytest.raises((TypeError, ValueError), match=rf"\b{name} must be"):
        formula(**{"eps": 0.5, "n": 5, "gamma": 0.5, "k": 3, **changed})


@pytest.mark.parametrize("bad", [0, 1.5, True, "2"])
def test_bad_number_of_rounds(bad):
    for formula in (views.thm13, views.thm16):
        with pytest.raises((TypeError, ValueError), match="n_c must be a whole number"):
            formula(0.5, 5, 0.5, 3, n_c=bad)
    with pytest.raises((TypeError, ValueError), match="n_c must be a whole number"):
        views.eqc7(3, 0.5, 2).composed(bad)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_bad_input_of_the_laws(law):
    for arguments, name in (((0, 0.5, 2), "n"), ((3, Fraction(3, 2), 2), "gamma"), ((3, 0.5, 1), "k")):
        with pytest.raises(ValueError, match=rf"{name} must be"):
            law(*arguments)


@pytest.mark.parametrize("read", [views.eq24, views.eq24_corrected])
def test_bad_input_of_the_readings(read):
    law = views.eqc7(3, Fraction(1, 2), 2)
    for bad in (-1, math.nan, "1", None, Fraction(-1, 2), True):
        with pytest.raises((TypeError, ValueError), match="alpha must be"):
            read(law, bad)
    with pytest.raises(TypeError, match="counts must be a law of two counts, got"):
        read([1, 2, 3], 1.0)


@pytest.mark.parametrize(
    ("others", "adversary", "message"),
    [
        (3, "weak", "others must be"),
        ([2], "weak", "others must be"),
        ([-1], "weak", "others must be"),
        ([0.5], "weak", "others must be"),
        ([0], "none", "adversary must be"),
    ],
)
def test_bad_input_of_the_enumeration(others, adversary, message):
    with pytest.raises((TypeError, ValueError), match=message):
        views.enumerate_views(others, Fraction(1, 2), 2, adversary)
