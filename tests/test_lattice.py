"""Laws of losses in whole numbers: each mass by hand, rounded to the side that it is said to be."""

import math
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

from shufflekit.certify import lattice
from shufflekit.certify.balls import ball, flint
from shufflekit.certify.lattice import Law, Noise, coarser, law_of, power, times

BITS = 40
UNIT = 2**BITS


@pytest.fixture(autouse=True)
def _precision():
    with flint().ctx.workprec(160):
        yield


def law(first, masses, spacing=0.25, bits=BITS):
    return Law(first, flint().fmpz_poly([int(mass * 2**bits) for mass in masses]), spacing, bits)


def masses(found):
    """By the number of the loss."""
    return {found.first + i: int(mass) for i, mass in enumerate(found.masses.coeffs()) if mass}


def in_fractions(found):
    return {k: Fraction(mass, 2**found.bits) for k, mass in masses(found).items()}


def test_masses_are_rounded_down_and_put_in_their_places():
    found = law_of({-2: ball(1) / 3, 1: ball(2) / 3, 3: ball(-1) / 9}, 0.5, BITS)
    assert (found.first, found.spacing, found.bits) == (-2, 0.5, BITS)
    assert masses(found) == {-2: UNIT // 3, 1: 2 * UNIT // 3}
    assert found.masses.coeffs()[1] == 0


def test_a_mass_that_is_not_known_is_taken_for_its_least():
    found = masses(law_of({0: flint().arb(0.5, 0.25), 1: ball(1)}, 1.0, BITS))
    assert UNIT // 4 * (1 - 2**-20) <= found[0] <= UNIT // 4
    assert found[1] == UNIT


def test_noise_adds_up():
    found = Noise(ball(1), ball(2)).more(3, 0.5)
    assert found.reach == 2.5
    assert found.variance == 2.75


def test_a_product_is_the_law_of_the_sum():
    one, other = law(-1, [0.5, 0.25, 0.25]), law(2, [0.125, 0, 0.875])
    found = times(one, other, 1, ball(0))
    assert (found.spacing, found.bits) == (0.25, BITS)
    assert in_fractions(found) == {
        1: Fraction(1, 16),
        2: Fraction(1, 32),
        3: Fraction(1, 32) + Fraction(7, 16),
        4: Fraction(7, 32),
        5: Fraction(7, 32),
    }


def test_products_are_rounded_down():
    one = Law(0, flint().fmpz_poly([3]), 0.25, 3)  # 3/8, and 9/64 is 1.125 eighths
    assert masses(times(one, one, 1, ball(0))) == {0: 1}


@pytest.mark.parametrize(("uses", "kept"), [(1, range(1, 6)), (2, range(1, 8)), (4, range(8))])
def test_ends_that_are_rare_are_cut_off(uses, kept, monkeypatch):
    """Each end may lose 2^-3 of ``most_lost`` = 1/2, divided by the uses: 4, 2 and 1 of these 64ths."""
    monkeypatch.setattr(lattice, "CUT_BITS", 3)
    one = law(0, [Fraction(mass, 64) for mass in (2, 3, 20, 15, 14, 6, 1, 3)], bits=10)
    found = times(one, law(0, [1], bits=10), uses, ball(1) / 2)
    assert masses(found).keys() == set(kept)


def test_the_last_mass_is_never_cut_off():
    found = times(law(5, [0.25, 0.5]), law(0, [1]), 1, ball(2) ** 60)
    assert masses(found) == {6: UNIT // 2}


@pytest.mark.parametrize("first", [-3, -2, 0, 1])
def test_on_every_other_loss_both_masses_are_kept(first):
    """Those of P, and of Q, but for what is rounded down."""
    fine = law(first, [0.25, 0.125, 0.5, 0.125])
    found = coarser(fine)
    assert (found.spacing, found.bits) == (0.5, BITS)
    with mpmath.workdps(40):
        for weight in (0, 1):  # P, and Q
            before = sum(m * mpmath.exp(-weight * mpf(k) / 4) for k, m in masses(fine).items())
            after = sum(m * mpmath.exp(-weight * mpf(k) / 2) for k, m in masses(found).items())
            assert before * (1 - mpf(10) ** -11) <= after <= before
    for k, mass in masses(found).items():
        assert mass >= masses(fine).get(2 * k, 0)


def test_a_loss_in_between_is_divided_by_the_two_likelihood_ratios():
    found = masses(coarser(law(1, [1.0], spacing=1.0)))
    with mpmath.workdps(40):
        assert found == {0: int(UNIT / (1 + mpmath.e)), 1: int(UNIT * mpmath.e / (1 + mpmath.e))}


@pytest.mark.parametrize("rounds", [1, 2, 3, 6, 7, 13])
def test_powers_are_binomial_laws(rounds):
    noise = Noise(ball(3), ball(5))
    found, after = power(law(-1, [0.75, 0, 0.25]), rounds, noise, ball(0))
    assert after == noise
    wanted = {2 * j - rounds: Fraction(math.comb(rounds, j) * 3 ** (rounds - j), 4**rounds) for j in range(rounds + 1)}
    got = in_fractions(found)
    assert got.keys() == wanted.keys()
    assert all(mass - Fraction(2 * rounds, UNIT) <= got[k] <= mass for k, mass in wanted.items())


@pytest.mark.parametrize(("rounds", "steps"), [(4, 1), (5, 2), (7, 2), (16, 1)])
def test_a_power_with_too_many_losses_is_made_coarser_and_says_so(rounds, steps, monkeypatch):
    """Four losses have a square of 7 and a fourth power of 13, which is too many: it is made to have 7."""
    monkeypatch.setattr(lattice, "MOST", 7)
    fine, least = law(0, [0.25, 0.25, 0.25, 0.25], spacing=0.01), ball(0)
    found, noise = power(fine, rounds, Noise(ball(0), ball(0)), least)
    assert found.spacing > 0.01
    total = sum(masses(found).values())
    assert UNIT - 100 <= total <= UNIT
    with mpmath.workdps(40):
        under_q = sum(m * mpmath.exp(-mpf(found.spacing) * k) for k, m in masses(found).items()) / UNIT
        one = sum(mpmath.exp(-mpf(0.01) * k) for k in range(4)) / 4
        assert abs(under_q / one**rounds - 1) < 1e-8
    if rounds < 8:
        # The fourth power is used once; so is what was there before it.
        assert noise.reach == ball(0.01) * steps
        assert noise.variance == ball(0.01) ** 2 * steps
