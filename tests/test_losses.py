"""The losses of one round on a lattice: each mass by hand in 40 digits, and what is refused."""

import math
from collections import defaultdict
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

from shufflekit import definitions, exact
from shufflekit.certify import losses as module
from shufflekit.certify.balls import ball, flint
from shufflekit.certify.losses import largest_loss, losses, one_law
from shufflekit.definitions import Definition, Game, growth, kind

BITS = 100
CLONES = Definition(2, 2, (definitions.clones(Fraction(2)),))
SAMPLED = Definition(2, 5, (definitions.clones(Fraction(1)),))
TERNARY = Definition(3, 4, (definitions.response(Fraction(3), 3),))
STRONG = Definition(3, 3, (definitions.strong_view(Fraction(2), 2),), Fraction(3, 4))
FOUR = Definition(2, 3, (definitions.told(Fraction(2), Fraction(1, 4)),))


@pytest.fixture(autouse=True)
def _precision():
    with flint().ctx.workprec(200):
        yield


def number(x):
    """The middle of a ball."""
    mantissa, exponent = x.mid().man_exp()
    return mpmath.ldexp(mpf(int(mantissa)), int(exponent))


def by_hand(definition, h):
    """The masses under P of the multiples of h, and of the infinite loss, from the laws in fractions."""
    laws, masses, infinite = exact.pair(definition), defaultdict(mpf), mpf(0)
    for a, b in zip(laws.p, laws.q, strict=True):
        p, q = (mpf(x.numerator) / x.denominator for x in map(Fraction, (a, b)))
        if not p or not q:
            infinite += p
            continue
        place = mpmath.log(p / q) / h
        k = int(mpmath.nint(place))
        if abs(place - k) < 1e-20:
            masses[k] += p
            continue
        k = int(mpmath.floor(place))
        up = (p / q - mpmath.exp(k * h)) / (mpmath.exp((k + 1) * h) - mpmath.exp(k * h))  # of the mass under Q
        masses[k] += q * (1 - up) * mpmath.exp(k * h)
        masses[k + 1] += q * up * mpmath.exp((k + 1) * h)
    return masses, infinite


@pytest.mark.parametrize("h", [0.03, 0.25, 1.0])
@pytest.mark.parametrize("definition", [CLONES, SAMPLED, TERNARY, STRONG, FOUR], ids=str)
def test_each_mass_is_that_of_the_fractions(definition, h):
    with mpmath.workdps(60):
        wanted, infinite = by_hand(definition, mpf(h))
        found = losses(definition, h, BITS, 200.0)
        got = {found.law.first + i: int(mass) for i, mass in enumerate(found.law.masses.coeffs())}
        assert found.divided
        assert (found.law.spacing, found.law.bits) == (h, BITS)
        assert abs(number(found.infinite) - infinite) < mpf(10) ** -40
        assert abs(number(found.total) - 1) < mpf(10) ** -40
        assert {k for k, mass in got.items() if mass} == {k for k, mass in wanted.items() if mass > 1e-20}
        for k, mass in wanted.items():
            assert mass * 2**BITS - 2 <= got[k] <= mass * 2**BITS + 1e-3


def test_losses_on_the_lattice_are_not_divided():
    """A single client: the losses are 0 and plus or minus eps0."""
    eps0 = 1.5
    found = losses(Definition(1, 1, (definitions.clones(growth(ball(eps0))),)), eps0 / 3, BITS, 100.0)
    assert not found.divided
    assert found.infinite == 0
    with mpmath.workdps(40):
        one = mpmath.exp(mpf(eps0)) / (mpmath.exp(mpf(eps0)) + 1)
        got = {found.law.first + i: int(mass) for i, mass in enumerate(found.law.masses.coeffs()) if mass}
        assert got.keys() == {-3, 3}
        assert abs(got[3] - one * 2**BITS) <= 2
        assert abs(got[-3] - (1 - one) * 2**BITS) <= 2


def test_the_rest_of_a_round_that_shows_nothing_has_no_loss():
    whole, half = (losses(CLONES._replace(shown=shown), 0.5, BITS, 100.0) for shown in (1, Fraction(1, 2)))
    for i, mass in enumerate(half.law.masses.coeffs()):
        more = 2**BITS // 2 if half.law.first + i == 0 else 0
        assert abs(int(mass) - int(whole.law.masses[i]) // 2 - more) <= 2
    assert half.law.first == whole.law.first


def test_the_mass_of_laws_that_do_not_sum_to_1_is_told():
    """As they are: here the mean of t0 is 5/4, and x0 is there with a chance of 2/5."""
    law = (kind(Fraction(1, 2), Fraction(3, 4), 0), kind(Fraction(1, 2), Fraction(-1, 4), 0))
    with mpmath.workdps(40):
        for shown in (Fraction(1), Fraction(1, 3)):
            found = number(module._total(Definition(2, 5, (law,), shown).mapped(module.as_ball)))
            assert abs(found - 1 - mpf(shown.numerator) / shown.denominator / 10) < 1e-30


@pytest.mark.parametrize(
    ("definition", "ratio"),
    [
        (Definition(1, 1, (definitions.clones(2.0),)), 3.0),
        # One slot silent, or with the same message: 3 : 1; all others are nearer to each other, or infinite.
        (Definition(2, 2, (definitions.clones(2.0),)), 3.0),
        (Definition(2, 6, (definitions.clones(2.0),)), (4 / 6 + 3 * 2 / 6) / (4 / 6 + 2 / 6)),
        (Definition(1, 1, (definitions.response(1.5, 2),)), 2.5),
    ],
)
def test_the_largest_loss_by_hand(definition, ratio):
    assert largest_loss(definition) == pytest.approx(math.log(ratio), rel=1e-12)


def test_where_nothing_is_finite_the_largest_loss_is_0():
    only = (kind(0.5, 1.0, -1.0), kind(0.5, -1.0, 1.0))
    assert largest_loss(Definition(1, 1, (only,))) == 0


def test_infinite_losses_are_set_aside():
    """x0 and x1 send messages of their own: seen for certain where nobody is left out."""
    only = (kind(Fraction(1, 2), 1, -1), kind(Fraction(1, 2), -1, 1))
    found = losses(Definition(1, 2, (only,)), 0.5, BITS, 100.0)
    assert found.infinite == 0
    alone = losses(Definition(1, 1, (only,)), 0.5, BITS, 100.0)
    assert alone.infinite.contains(1)
    assert alone.infinite.rad() < 1e-50
    assert not alone.divided
    assert alone.law.masses.coeffs() == []


# Places.


@pytest.mark.parametrize(
    ("share", "found"),
    [
        (0.0, (3, False)),
        (2.0**-31, (3, False)),
        (-(2.0**-31), (3, False)),
        (2.0**-29.5, (3, True)),
        (0.5, (3, True)),
        (1 - 2.0**-29.5, (3, True)),
        (1 - 2.0**-31, (4, False)),
    ],
)
@pytest.mark.parametrize("k", [3, -5])
def test_places(share, found, k):
    assert module._place(ball(k) + share) == (found[0] - 3 + k, found[1])


@pytest.mark.parametrize("blur", [1e-8, 0.3, math.inf, math.nan])
def test_a_place_that_is_not_known_is_refused(blur):
    with pytest.raises(ArithmeticError, match=r"a loss is known too coarsely: .*; a bug, please report it"):
        module._place(flint().arb(3, blur))


# What can be looked at.


def test_one_law_comes_back_as_it_is():
    given = Definition(3, 3, (definitions.clones(2.0),))
    assert one_law(given) is given


def test_other_things_are_named():
    with pytest.raises(TypeError, match="define must give a Definition with finite laws, or a Game, got 3"):
        one_law(3)
    with pytest.raises(TypeError, match="or a Game, got Game"):
        one_law(Game(2, 3, (definitions.corners(1.0),)))
    with pytest.raises(ValueError, match="define must give a Definition of one law, got 2"):
        one_law(Definition(3, 3, 2 * (definitions.clones(2.0),)))
    with pytest.raises(ValueError, match="define must give a Definition of one law, got 0"):
        one_law(Definition(3, 3, ()))


def test_too_many_outcomes_are_named(monkeypatch):
    """Three kinds of messages of 3 slots each way: 4 counts of either of the rarer ones."""
    given = Definition(3, 3, (definitions.response(1.0, 3),))
    monkeypatch.setattr(module, "MOST", 16)
    assert one_law(given) is given
    monkeypatch.setattr(module, "MOST", 15)
    with pytest.raises(ValueError, match="define must have at most about 15 outcomes, got 16"):
        one_law(given)
