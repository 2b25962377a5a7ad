"""Divergences of finite laws: exact against float, and the inequalities that make them divergences."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import laws

from shufflekit import divergences

ORDERS = (1, 1.5, 2, 3, 7, math.inf)
ALPHAS = [Fraction(i, 4) for i in range(13)]


def floats(law):
    return np.array(law, dtype=float)


def merged(law):
    """The law once the first two outcomes cannot be told apart."""
    return np.array([law[0] + law[1], *law[2:]], dtype=object)


def near(found, truth, rel=1e-12):
    return found == truth or abs(found - truth) <= rel * abs(truth) + 1e-30


@given(laws(3))
def test_float_and_exact_agree(drawn):
    p, q, r = drawn
    fp, fq, fr = map(floats, drawn)
    for alpha in ALPHAS:
        exact = divergences.hockey_stick(p, q, alpha)
        assert isinstance(exact, Fraction)
        # A difference of probabilities: an absolute error of a few roundings.
        assert abs(divergences.hockey_stick(fp, fq, float(alpha)) - exact) <= 1e-15 * (1 + alpha)
    for order in ORDERS:
        with mp.workdps(40):
            assert near(divergences.renyi(fp, fq, order), divergences.renyi(p, q, order))
    for order in (1, 2, 2.5, 4):
        assert near(divergences.ternary(fp, fq, fr, order), divergences.ternary(p, q, r, order))
    for order in (2, 2.5, 4):
        assert near(divergences.renyi_moment(fp, fq, order), divergences.renyi_moment(p, q, order))


@given(laws(2))
def test_two_precisions_agree(drawn):
    p, q = drawn
    for order in ORDERS:
        with mp.workdps(30):
            few = divergences.renyi(p, q, order)
        with mp.workdps(60):
            many = divergences.renyi(p, q, order)
        assert few == many or abs(few - many) <= mp.mpf(10) ** -27


def test_worked_by_hand():
    p, q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    assert divergences.total_variation(p, q) == Fraction(1, 2)
    assert divergences.hockey_stick(p, q, 2) == Fraction(1, 4)
    assert divergences.hockey_stick(p, q, 3) == 0
    assert divergences.renyi_moment(p, q, 2) == Fraction(9, 4) + Fraction(1, 12)
    assert divergences.ternary(p, q, [Fraction(1, 2)] * 2, 3) == 1
    assert divergences.pearson_vajda(p, q, 2) == Fraction(4, 3)
    assert divergences.renyi([0.75, 0.25], [0.25, 0.75], 1) == pytest.approx(math.log(3) / 2, rel=1e-15)
    assert divergences.renyi([0.75, 0.25], [0.25, 0.75], math.inf) == pytest.approx(math.log(3), rel=1e-15)


@given(laws(2))
def test_hockey_stick_is_convex_and_falls(drawn):
    values = divergences.hockey_stick(*drawn, np.array(ALPHAS, dtype=object))
    assert values[0] == 1
    assert (np.diff(values) <= 0).all()
    assert (np.diff(values, 2) >= 0).all()


@given(laws(2))
def test_hockey_stick_read_from_the_other_side(drawn):
    """(P - aQ)_+ and (aQ - P)_+ differ by P - aQ, which sums to 1 - a."""
    p, q = drawn
    for alpha in ALPHAS[1:]:
        other = alpha * divergences.hockey_stick(q, p, 1 / alpha)
        assert divergences.hockey_stick(p, q, alpha) == other + 1 - alpha


@given(laws(3))
def test_symmetries(drawn):
    p, q, r = drawn
    assert divergences.total_variation(p, q) == divergences.total_variation(q, p)
    for order in (1, 2, 3):
        assert divergences.ternary(p, q, r, order) == divergences.ternary(q, p, r, order)
        assert divergences.pearson_vajda(p, r, order) == divergences.ternary(p, r, r, order)
    shuffled = [law[::-1] for law in drawn]
    assert divergences.ternary(*shuffled, 3) == divergences.ternary(p, q, r, 3)


@given(laws(3, least=1))
def test_one_is_another(drawn):
    """The chi-square divergence is the moment of order 2 less 1; order 1 is twice the total variation."""
    p, q, r = drawn
    assert divergences.pearson_vajda(p, q, 2) == divergences.renyi_moment(p, q, 2) - 1
    assert divergences.ternary(p, q, r, 1) == 2 * divergences.total_variation(p, q)


@given(laws(3))
def test_data_processing(drawn):
    """Merging outcomes never increases a divergence."""
    p, q, r = drawn
    fewer = [merged(law) for law in drawn]
    for alpha in ALPHAS:
        less = divergences.hockey_stick(*fewer[:2], alpha)
        assert less <= divergences.hockey_stick(p, q, alpha)
    for order in (1, 2, 3):
        more = divergences.ternary(p, q, r, order)
        assert more == mp.inf or divergences.ternary(*fewer, order) <= more
    with mp.workdps(40):
        for order in ORDERS:
            less, more = divergences.renyi(*fewer[:2], order), divergences.renyi(p, q, order)
            assert less <= more + mp.mpf(10) ** -35


@given(laws(2, least=1))
def test_renyi_rises_with_the_order_to_its_limits(drawn):
    p, q = drawn
    with mp.workdps(40):
        values = [divergences.renyi(p, q, order) for order in (1, 1 + 1e-9, 1.5, 2, 3, 10, 1000, math.inf)]
        # At order 1 + 1e-9 the logarithm's last digit is divided by 1e-9.
        assert all(low <= high + mp.mpf(10) ** -29 for low, high in itertools.pairwise(values))
        # D_order is at least (order D_inf + log Q(x)) / (order - 1), x the outcome of the largest ratio.
        assert values[-1] - values[-2] <= mp.log(300) / 999
        assert values[1] - values[0] <= 1e-8 * (1 + values[-1]) ** 2
    assert abs(divergences.renyi(floats(p), floats(q), 1 + 1e-9) - values[1]) <= 1e-6 * abs(values[1]) + 1e-20


@given(laws(2))
def test_of_a_law_with_itself(drawn):
    p, _ = drawn
    assert divergences.total_variation(p, p) == 0
    for order in ORDERS:
        # The power of a fraction to an order such as 1.5 is rounded to mpmath's 15 digits.
        assert abs(divergences.renyi(p, p, order)) <= (1e-15 if order == 1.5 else 0)
        assert divergences.renyi(floats(p), floats(p), order) == 0


def test_outside_the_support():
    p, q = [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]
    exact_p, exact_q = [Fraction(x) for x in p], [Fraction(x) for x in q]
    for order in ORDERS:
        assert divergences.renyi(p, q, order) == math.inf
        assert divergences.renyi(exact_p, exact_q, order) == mp.inf
    assert divergences.renyi_moment(p, q, 2) == math.inf
    assert divergences.renyi_moment(exact_p, exact_q, 2) == mp.inf
    assert divergences.ternary(p, [1.0, 0, 0], q, 2) == math.inf
    assert divergences.ternary(exact_p, [Fraction(1), 0, 0], exact_q, 2) == mp.inf
    # Outside R, P and Q agree: nothing is divided by nothing.
    assert divergences.ternary([0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5], 2) == 1
    assert divergences.renyi([1.0, 0.0], [0.5, 0.5], 2) == pytest.approx(math.log(2), rel=1e-15)


@pytest.mark.parametrize("gap", [2.0**-10, 2.0**-27, 2.0**-45])
@pytest.mark.parametrize("order", [1, 1 + 1e-6, 2, 2.5, 100, 10_000])
def test_nearly_equal_laws_keep_their_digits(gap, order):
    """The divergence is about gap^2: the plain sum would be all round-off."""
    p, q = np.array([0.5 + gap, 0.5 - gap]), np.array([0.5, 0.5])
    with mp.workdps(50):
        truth = divergences.renyi(*(np.array([mp.mpf(x) for x in law]) for law in (p, q)), order)
    assert near(divergences.renyi(p, q, order), truth, rel=1e-12)


@pytest.mark.parametrize("order", [2, 20, 799, 801, 900])
def test_a_rare_outcome_that_decides_the_moment(order):
    """An outcome of probability e^-800, below the smallest float, e times as likely under P."""
    with mp.workdps(50):
        rare = mp.exp(-800)
        truth = mp.log(rare * mp.exp(order) + (1 - mp.e * rare) ** order * (1 - rare) ** (1 - order))
    found = divergences.log_renyi_moment([1.0, 0.0], [-800.0, 0.0], order)
    # With losses this far apart the common outcome's own, about e^-799, is lost in its rounding to 0.
    assert found == 0 if truth < 1e-300 else abs(found - truth) <= 1e-12 * truth


def drawn_losses(width, seed):
    """Two laws on 60 outcomes whose losses are about that wide, each summing to 1 as well as floats can."""
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.ones(60))
    p = q * np.exp(width * rng.normal(size=60))
    return np.log(p / p.sum() / q), np.log(q)


@pytest.mark.parametrize("order", [1 + 1e-9, 1.001, 1.5, 2, 7, 300, 1e4, 1e6])
@pytest.mark.parametrize("width", [1e-9, 1e-5, 1e-2, 0.1, 1.0, 6.0])
def test_moments_keep_all_digits_at_any_order(width, order):
    """Of the exact sum with the same floats; what the losses' last digits do to it is not its fault."""
    loss, log_q = drawn_losses(width, seed=int(order))
    with mp.workdps(60):
        x, q = [mp.exp(mp.mpf(t)) for t in loss], [mp.exp(mp.mpf(v)) for v in log_q]
        a = mp.mpf(float(order))
        less_1 = mp.fsum(w * (y**a - 1 - a * (y - 1)) for w, y in zip(q, x, strict=True))
        truth = mp.log1p(less_1)
    assert near(divergences.log_renyi_moment(loss, log_q, order), truth, rel=3e-15)


def test_a_long_list_is_summed_block_by_block():
    loss, log_q = drawn_losses(0.01, seed=1)
    parts = 3 * divergences.BLOCK // len(loss)
    many = np.tile(loss, parts), np.tile(log_q - math.log(parts), parts)
    orders = np.array([1.5, 30.0, 1e4, 1e7])
    moments = divergences.log_renyi_moment(*many, orders)
    np.testing.assert_allclose(moments, divergences.log_renyi_moment(loss, log_q, orders), rtol=1e-13)
    for order, moment in zip(orders, moments, strict=True):
        assert moment == divergences.log_renyi_moment(*many, order)


def test_outcomes_that_p_does_not_have():
    """P/Q is 0 on half of Q: the moment is 2^(order - 1)."""
    loss, log_q = np.array([math.log(2), -math.inf]), np.full(2, math.log(0.5))
    for order in (1 + 1e-6, 2, 3.5, 1000, 1e300):
        assert divergences.log_renyi_moment(loss, log_q, order) == pytest.approx((order - 1) * math.log(2), rel=1e-14)


def test_extreme_laws_do_not_overflow():
    tiny = [1e-320, 1.0]
    assert divergences.renyi([0.5, 0.5], tiny, math.inf) == pytest.approx(736.1341, abs=1e-4)
    assert divergences.renyi([0.5, 0.5], tiny, 10_000) == pytest.approx(736.1341, rel=1e-3)
    assert divergences.renyi_moment([0.5, 0.5], tiny, 10) == math.inf  # 10^3190
    assert divergences.ternary([1e-200, 1.0], [0.0, 1.0], [1e-300, 1.0], 3) == pytest.approx(1)
    assert divergences.ternary([0.5, 0.5], [0, 1.0], [1e-300, 1.0], 1.5) == pytest.approx(2**-1.5 * 1e150)


@given(laws(2, least=1), st.integers(2, 60))
@example([np.array([Fraction(1, 50), Fraction(49, 50)], dtype=object)] * 2, 60)
def test_numpy_orders_are_as_exact_as_python_ones(drawn, order):
    """A power of numpy's own integers would wrap around in silence."""
    p, q = drawn
    truth = sum(b * (a / b) ** order for a, b in zip(p, q, strict=True))
    assert divergences.renyi_moment(p, q, np.int64(order)) == truth
    assert divergences.ternary(p, q, q, np.int64(order)) == divergences.ternary(p, q, q, order)


def test_arrays_of_alphas_and_orders():
    p, q = [0.75, 0.25], [0.25, 0.75]
    np.testing.assert_allclose(divergences.hockey_stick(p, q, [[0, 1], [2, 3]]), [[1, 0.5], [0.25, 0]])
    loss = np.log(np.array(p) / q)
    orders = np.array([[1.5, 2], [3, 40]])
    moments = divergences.log_renyi_moment(loss, np.log(q), orders)
    assert moments.shape == (2, 2)
    for order, moment in zip(orders.flat, moments.flat, strict=True):
        assert moment == divergences.log_renyi_moment(loss, np.log(q), order)
        assert moment == pytest.approx(math.log(0.25 * 3**order + 0.75 * 3**-order), rel=1e-13)


def test_laws_of_any_shape():
    p, q = np.full((2, 3), 1 / 6), np.array([[0.5, 0.1, 0.1], [0.1, 0.1, 0.1]])
    assert divergences.total_variation(p, q) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="same number of outcomes, got p has 6, q has 2"):
        divergences.total_variation(p, [0.5, 0.5])


@pytest.mark.parametrize("alpha", [Fraction(-1, 2), mp.mpf(-1), mp.inf, mp.nan, [Fraction(1), Fraction(-1)]])
def test_an_exact_alpha_out_of_range_is_named(alpha):
    with pytest.raises(ValueError, match="alpha must be 0 or positive, and finite, got"):
        divergences.hockey_stick([1, 0], [0, 1], alpha)


@pytest.mark.parametrize("alpha", [None, [Fraction(1), True], [Fraction(1), "2"]])
def test_an_exact_alpha_that_is_no_number_is_named(alpha):
    with pytest.raises(TypeError, match="alpha must be 0 or positive, and finite, got"):
        divergences.hockey_stick([1, 0], [0, 1], np.array(alpha, dtype=object))


def test_logarithms_that_are_none_are_named():
    with pytest.raises(TypeError, match=r"\w+ must be an array of logarithms, got"):
        divergences._log_values(log_p=["1"])
    with pytest.raises(TypeError, match="log_p must be an array of logarithms, got"):
        divergences._log_values(log_p=[])
    with pytest.raises(ValueError, match="log_p must be an array of logarithms, got nan"):
        divergences._log_values(log_p=[0.0, math.nan])
    assert divergences._log_values(log_p=[0, -math.inf]).tolist() == [0.0, -math.inf]


@pytest.mark.parametrize(
    ("order", "error"),
    [(True, TypeError), ("2", TypeError), (0.999, ValueError), (10.5, ValueError), (math.nan, ValueError)],
)
def test_orders_out_of_range_are_named(order, error):
    with pytest.raises(error, match="order must be a number from 1 to 10, got"):
        divergences._order(order, 10)
    assert divergences._order(1, 10) == 1
    assert divergences._order(10, 10) == 10
    assert type(divergences._order(3.0, 10)) is int
