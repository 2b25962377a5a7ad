"""How many slots stay empty, and what a shared one is worth: by contour, against fractions and lists."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit.beyond import slots as truth
from shufflekit.definitions import empty_slots
from shufflekit.definitions.occupancy import _variance

RATES = [Fraction(1), Fraction(1, 2), Fraction(3, 10)]
SIZES = [(n, m) for n in (0, 1, 2, 3, 5, 8, 13, 21, 29, 40) for m in (1, 2, 3, 5, 9, 16, 30)]


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_the_law_in_fractions(rate):
    """Every chance, to 1e-12."""
    for n, m in SIZES:
        found, real = empty_slots(n, m, float(rate)), truth.occupancy(n, m, rate)
        own = dict(zip(found.number.astype(int), found.chance, strict=True))
        for taken, chance in enumerate(real):
            assert own.get(m - taken, 0.0) == pytest.approx(
                float(chance), rel=1e-12 if chance > 1e-9 else 1e-6, abs=1e-12
            )


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 40])
def test_the_shared_weight_in_fractions(n):
    """Everybody comes: the mean of 1/(L + 1) by the formula of [beyond] 15."""
    for m in (1, 2, 3, 5, 9, 16, 30):
        found = empty_slots(n, m, 1.0)
        for empty, chance, shared in zip(found.number, found.chance, found.shared, strict=True):
            if chance > 1e-12:
                real = float(truth.shared_weight(n, m, m - int(empty)))
                assert shared == pytest.approx(real, rel=1e-11), (n, m, empty)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 3), (2, 2), (4, 2), (3, 3), (5, 3), (4, 4)])
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(3, 10), Fraction(1)], ids=str)
def test_the_shared_weight_by_its_definition(n, m, rate):
    """The mean of 1/(L + 1) over all ways in which clients come, some of whom may stay away."""
    mass, total = {}, {}
    for where in itertools.product(range(m + 1), repeat=n):
        chance = math.prod(rate / m if i < m else 1 - rate for i in where)
        if loads := [where.count(i) for i in range(m) if i in where]:
            mean = Fraction(sum(Fraction(1, load + 1) for load in loads), len(loads))
            empty = m - len(loads)
            mass[empty] = mass.get(empty, 0) + chance
            total[empty] = total.get(empty, 0) + chance * mean
    found = empty_slots(n, m, float(rate))
    for empty, shared in zip(found.number.astype(int), found.shared, strict=True):
        if mass.get(empty, 0):
            assert shared == pytest.approx(float(total[empty] / mass[empty]), rel=1e-11)


LARGE = [
    (10**4, 10**4, 1.0),
    (10**4, 10**4, 0.5),
    (10**5, 10**4, 1.0),
    (300, 10**6, 1.0),
    (5, 10**8, 1.0),
    (10**6, 10**4, 0.01),
    (10**8, 10**7, 0.3),
    (10**5, 10**3, 0.999),
    (1, 1, 0.25),
    (10**4, 10**4, 1 - 1e-12),
    (10**6, 10**6, 1e-6),
]


@pytest.mark.parametrize(("n", "m", "rate"), LARGE)
def test_large_sizes(n, m, rate):
    """The chances sum to 1 and have the known mean and variance, the weights lie from 0 to 1/2 and rise."""
    found = empty_slots(n, m, rate)
    assert np.isfinite(found).all()
    assert math.isclose(found.chance.sum(), 1, rel_tol=1e-12)
    one = math.exp(n * math.log1p(-rate / m)) if rate < m else 0.0
    mean = float(found.number @ found.chance)
    assert mean == pytest.approx(m * one, rel=1e-9)
    if m > 1 and m * one > 1:
        log_share = n * (math.log1p(-2 * rate / m) - 2 * math.log1p(-rate / m))
        variance = m * one * (1 - one) + m * (m - 1) * one**2 * math.expm1(log_share)
        spread = float(found.chance @ (found.number - mean) ** 2)
        assert spread == pytest.approx(variance, rel=1e-4, abs=1e-3 + 1e-15 * m**2)
    assert (found.shared >= 0).all()
    assert (found.shared <= 0.5 + 1e-12).all()
    likely = found.chance > 1e-12 * found.chance.max()
    assert (np.diff(found.shared[likely]) <= 1e-9).all()


@pytest.mark.parametrize(("n", "m", "rate"), [(50, 20, 1.0), (200, 300, 0.7), (10**4, 10**3, 1.0), (10**4, 10**5, 0.5)])
def test_the_shared_weight_on_average(n, m, rate):
    """One more client is taken with the chance (m/(n + 1))(1 - (1 - p0/m)^(n + 1)): empty slots are worth 1 each."""
    found = empty_slots(n, m, rate)
    mean = float(found.chance @ (found.number + (m - found.number) * found.shared))
    taken = -m / rate * m / (n + 1) * math.expm1((n + 1) * math.log1p(-rate / m))
    assert mean == pytest.approx(taken, rel=1e-9)


def test_nobody_and_everybody():
    """No clients leave all slots empty, and one slot to which everybody comes is not."""
    assert empty_slots(0, 5, 1.0).number @ empty_slots(0, 5, 1.0).chance == 5
    assert empty_slots(3, 1, 1.0).number @ empty_slots(3, 1, 1.0).chance == 0
    assert empty_slots(3, 1, 1.0).shared[0] == pytest.approx(1 / 4, rel=1e-12)


@pytest.mark.parametrize(
    ("clients", "slots", "rate"),
    [(0, 5, 1.0), (3, 100_000, 1.0), (50, 40, 1.0), (5, 2, 0.9), (5, 1, 1.0), (9_000, 5_000, 0.3)],
)
def test_the_variance_that_decides_what_is_looked_at(clients: int, slots: int, rate: float) -> None:
    """No less than that of the law, and hardly more but for 1."""
    law = empty_slots(clients, slots, rate)
    mean = float(law.number @ law.chance)
    variance = float((law.number - mean) ** 2 @ law.chance)
    bound = _variance(clients, slots, rate / slots)
    assert variance <= bound
    assert bound <= max(1.02 * variance + 1.001, slots if rate / slots >= 0.5 else 0.0)


@pytest.mark.parametrize(("n", "rate"), [(3, 0.5), (1_000, 0.01), (5, 0.982), (565_800_000, 0.982)])
def test_one_slot_that_hardly_ever_stays_empty(n, rate):
    """It does with the chance (1 - rate)^n; at the far side of the circle nothing is left, whose logarithm is asked."""
    found = empty_slots(n, 1, rate)
    assert found.number.tolist() == [0, 1]
    assert found.chance[1] == pytest.approx(math.exp(n * math.log1p(-rate)), rel=1e-6)
    assert found.chance.sum() == pytest.approx(1.0)
    assert ((found.shared >= 0) & (found.shared <= 0.5)).all()


@pytest.mark.parametrize("slots", [10, 62_249, 10**8])
@pytest.mark.parametrize(
    ("clients", "rate"),
    [(1, 0.3), (1, 1e-12), (5, 1e-8), (5, 1e-13), (1_000, 1e-6), (10**6, 1e-16), (2, 1e-240), (9, 1e-100)],
)
def test_how_often_anybody_comes(slots, clients, rate):
    """Of 1e7 slots and five clients at 1e-8 it was 190 times too much: the saddle was looked for above 1e-12.

    Of rates of 1e-240 it was 1e90 times too much, later.
    """
    found = empty_slots(clients, slots, rate)
    some = float(found.chance[found.number < slots].sum())
    assert some == pytest.approx(-math.expm1(clients * math.log1p(-rate)), rel=1e-11)
