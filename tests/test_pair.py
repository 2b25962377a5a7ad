"""What every pair can do: its Renyi divergence at any real order, lists as pairs, and its two directions."""

import math

import mpmath
import numpy as np
import pytest

from shufflekit import GaussianShuffle, RandomizedResponseShuffle, Shuffle, ShuffledCheckIn, divergences
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.dominating_pairs import ListedPair, both_ways
from shufflekit.papers import girgis2021
from tests import pairs, truth

ORDERS = [1.01, 1.5, 2.0, 7.3, 50.0, 1e4]


@pytest.mark.parametrize(
    "defined",
    [
        pairs.clones(1.5, 6, 6),
        pairs.clones(1.0, 5, 900),
        pairs.clones(1.5, 6, 6, "clones2021"),
        pairs.check_in(2.0, 6, 0.3),
        pairs.view(4, 1.0, 5),
    ],
    ids=lambda defined: str(defined.pair),
)
def test_against_exact_sums(defined):
    pair, laws = defined.pair, defined.laws
    found = pair.divergence(np.array(ORDERS))
    for order, value in zip(ORDERS, found, strict=True):
        exact = truth.renyi(laws, order)
        # Rounded up, but not by much.
        assert exact * (1 - 1e-12) <= value
        assert value == pytest.approx(exact, rel=1e-6)
    assert (np.diff(found) >= 0).all()
    assert (found <= pair.largest_loss).all()


def mixture_renyi(eps0, n, population, order):
    """Of the sampled clone pair, by quadrature-free sums over (c, a) in mpmath: written anew, and slow."""
    with mpmath.workdps(40):
        E, total = mpmath.exp(mpmath.mpf(eps0)), mpmath.mpf(0)
        p, g = 1 / (E + 1), mpmath.mpf(n) / population
        mean = float(2 * p * n)
        for c in range(max(0, int(mean - 12 * mean**0.5)), int(mean + 12 * mean**0.5)):
            weight = mpmath.binomial(n, c) * (2 * p) ** c * (1 - 2 * p) ** (n - c)
            reach = int(13 * c**0.5)
            for a in range(max(0, c // 2 - reach), min(c, c // 2 + reach) + 1):
                mass = weight * mpmath.binomial(c, a) / mpmath.mpf(2) ** c
                first, second = 1 - g + g * (E * a + c - a) / n, 1 - g + g * (a + E * (c - a)) / n
                total += mass * second * (first / second) ** order
        return float(mpmath.log(total) / (order - 1))


def test_a_thousand_of_a_million():
    """Against sums in mpmath, small orders and large, where single precision of moments near 1 would be lost."""
    protocol = Shuffle(2.0, 200, 10**6, reduction="clones")
    for order in (1.5, 40.0):
        exact = mixture_renyi(2.0, 200, 10**6, mpmath.mpf(order))
        value = protocol.rdp(order)
        assert exact * (1 - 1e-12) <= value
        assert value == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("order", [1.01, 2.0, 30.0, 1000.0])
def test_by_its_profile(order):
    """Without atoms: E_Q X^l = 1 + l (l-1) int_1^inf (alpha^{l-2} + alpha^{-l-1}) H_alpha d alpha."""
    pair = Shuffle(2.0, 1000, 10**6, reduction="clones").pair
    s = 2 * math.sqrt(2 * math.expm1(2.0) ** 2 / (math.exp(2.0) + 1) * 1000) / 10**6
    reach = min(pair.largest_loss, 14 * s + 2 * order * s * s)
    eps, weight = np.polynomial.legendre.leggauss(600)
    eps, weight = reach * (eps + 1) / 2, reach * weight / 2
    delta = pair.delta(eps, 1e-4, -120.0).upper
    kernel = np.exp((order - 1) * eps) + np.exp(-order * eps)
    excess = order * (order - 1) * float(weight @ (kernel * delta))
    assert pair.divergence(np.array([order]))[0] == pytest.approx(math.log1p(excess) / (order - 1), rel=3e-4)


@pytest.mark.parametrize(
    ("run", "delta"),
    [
        (Shuffle(1.0, 100) * 1, 1e-6),
        (Shuffle(2.0, 1000, 10**6) * 10**5, 1e-8),
        (ShuffledCheckIn(1.0, 60, 0.2) * 10, 1e-6),
        (RandomizedResponseShuffle(4, 1.0, 50) * 3, 1e-5),
        (GaussianShuffle(3.0, 10) * 2, 1e-6),
        (Shuffle(1.0, 20) * 3 + Shuffle(2.0, 50, 500), 1e-9),
    ],
    ids=str,
)
def test_the_converted_bound_is_above_the_tight_epsilon(run, delta):
    converted, tight = run.renyi_curve.epsilon(delta), run.guarantee(delta)
    assert tight.lower <= converted.value
    # A few tens of per cent, where rounds are many.
    assert converted.value < 3 * tight.upper
    back = run.renyi_curve.delta(tight.upper)
    assert back.value >= delta * (1 - 1e-9)


def test_it_is_below_theorem_1_of_girgis2021():
    for order in (2, 8, 40):
        assert Shuffle(2.0, 1000, 10**6).rdp(order) < girgis2021.thm1(order, 2.0, 10**6, 1000)
    orders = np.array([2.0, 3.5, 10.0])
    assert (Shuffle(1.0, 200).rdp(orders) <= Shuffle(1.0, 200, reduction="clones2021").rdp(orders)).all()


def test_the_larger_of_two_directions_counts():
    pair = pairs.binary(1.0, 5, 5).pair
    one, other = (float(way.divergence(np.array([3.0]))[0]) for way in (pair, pair.reversed()))
    atoms = pair.listed(-60.0).upper
    exact = divergences.log_renyi_moment(atoms.loss, atoms.log_q, 3.0) / 2
    assert one == pytest.approx(float(exact), rel=1e-8)
    assert one != pytest.approx(other, rel=1e-3)
    gaussian = GaussianShuffle(1.0, 4)
    ways = [float(way.divergence(np.array([3.0]))[0]) for way in (gaussian.pair, gaussian.pair.reversed())]
    assert gaussian.rdp(3.0) == max(ways)


def test_infinite_losses_have_no_divergence():
    assert (pairs.view(3, 1.0, 4, "strong").pair.divergence(np.array([1.1, 7.0])) == np.inf).all()


class _Bounded(ListedPair):
    """A list of a pair of which more is known: its largest loss."""

    largest_loss = 2.0


def test_missing_mass_is_taken_to_be_worst():
    atoms = Atoms(np.array([-0.1, 0.1]), np.log([0.5, 0.45]), missing=0.05)
    found = _Bounded(atoms).divergence(np.array([3.0]))
    exact = math.log(0.5 * math.exp(-0.3) + 0.45 * math.exp(0.3) + 0.05 * math.exp(4.0)) / 2
    assert exact <= found[0] <= 2 * exact


@pytest.mark.parametrize("population", [200, 1000, 10**5])
def test_what_is_too_rare_to_list_may_still_rule_a_high_order(population):
    # All 100 messages are ones with the probability e^-1000, which no number holds; at order 1,000 it decides.
    reached = float(girgis2021.thm2(1000, 10.0, population, 100))
    for reduction in ("clones", "corners"):
        assert reached <= Shuffle(10.0, 100, population, reduction=reduction).rdp(1000) < 1.3 * reached


@pytest.mark.parametrize("eps0", [5e-324, 1e-300, 1e-9, 300.0])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (3, 10**12), (10**12, 10**12)])
def test_extremes(eps0, n, population):
    values = Shuffle(eps0, n, population).rdp(np.array([1.0000001, 2.0, 1e7]))
    if 1e-10 < eps0 < 1:
        # order/2 times the variance of a small loss.
        variance = eps0**2 * n / population**2
        assert values[1] == pytest.approx(variance, rel=1e-3)
        assert values[1] >= variance * (1 - 1e-6)
    assert not np.isnan(values).any()
    assert (values >= 0).all() and (np.diff(values) >= -1e-9 * values[1:]).all()
    assert (values <= eps0 * (1 + 1e-9)).all() or eps0 < 1e-300


# Pairs that are lists, and both directions.


def test_both_directions_where_they_differ():
    symmetric, one_way = pairs.clones(1.0, 5, 5).pair, pairs.binary(1.0, 5, 5).pair
    assert both_ways([symmetric, symmetric]) == [[symmetric, symmetric]]
    assert both_ways([symmetric, one_way]) == [[symmetric, one_way], [symmetric, one_way.reversed()]]


def test_a_list_is_a_pair():
    defined = pairs.ternary(1.5, 5, 9)
    atoms, laws = defined.pair.listed(-80.0).upper, defined.laws
    listed = ListedPair(atoms._replace(missing=1e-3))
    eps = np.array([0.0, 0.05, 0.3, 0.9])
    ends = listed.delta(eps)
    exact = np.array([truth.delta(laws, at) for at in eps])
    assert ends.lower == pytest.approx(exact, rel=1e-9, abs=1e-15)
    assert ends.upper == pytest.approx(exact + 1e-3, rel=1e-9)
    assert listed.largest_loss == math.inf
    back = listed.reversed().delta(eps)
    assert back.lower == pytest.approx(exact, rel=1e-9, abs=1e-15)
    wide = ListedPair(Enclosure(atoms._replace(error=0.1), atoms._replace(error=0.2))).delta(eps)
    assert wide.lower == pytest.approx(0.9 * exact, rel=1e-9, abs=1e-15)
    assert wide.upper == pytest.approx(1.2 * exact, rel=1e-9, abs=1e-15)
    assert (ListedPair(atoms._replace(missing=1.0)).delta(eps).upper == 1).all()


def test_a_list_with_infinite_losses_has_no_reverse():
    with pytest.raises(ValueError, match="infinite losses has no listed reverse"):
        ListedPair(pairs.view(3, 1.0, 4, "strong").pair.listed(-60.0)).reversed()
