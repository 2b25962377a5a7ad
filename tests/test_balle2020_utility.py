"""Random check-ins, utility: empty slots and loads by enumeration, and the constants of Theorems 3.5 and 4.2."""

import inspect
import itertools
import math
import re
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.papers import balle2020 as paper

SIZES = [(1, 1), (3, 1), (1, 4), (7, 3), (100, 10), (100, 20), (40, 400)]
GRADIENT = {"p": 5, "sigma": 0.7, "L": 1.5}
SQUARE = 5 * 0.7**2 + 1.5**2


# Empty slots.


def empty_slots(n, slots, windows, p0=Fraction(1)):
    """The chance of each slot to stay empty, by enumeration of all clients' choices."""
    chances = [Fraction(0)] * slots
    for places in itertools.product(*[[None, *window] for window in windows]):
        weight = math.prod(
            1 - p0 if place is None else p0 / len(window) for place, window in zip(places, windows, strict=True)
        )
        chances = [c if slot in places else c + weight for slot, c in enumerate(chances)]
    return chances


@pytest.mark.parametrize(
    ("n", "m", "p0"), [(3, 2, Fraction(1, 2)), (4, 3, Fraction(7, 10)), (3, 3, Fraction(1)), (2, 1, Fraction(1))]
)
def test_proposition_34_by_enumeration(n, m, p0):
    chances = empty_slots(n, m, [range(m)] * n, p0)
    assert paper.empty_chance(n, m, float(p0)) == pytest.approx(float(chances[0]))
    assert paper.prop34(n, m, float(p0)) == pytest.approx(float(sum(chances)))


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.floats(0, 1))
def test_proposition_34_is_below_its_bound(n, m, p0):
    assert paper.prop34(n, m, p0) <= paper.prop34_bound(n, m, p0) * (1 + 1e-12)
    assert paper.empty_chance(n, m, p0) <= paper.empty_chance_printed(n, m, p0) / 2 * (1 + 1e-12)


def test_the_factor_two_of_the_poisson_approximation():
    assert paper.empty_chance(100, 50, 1.0) == pytest.approx(0.1326, abs=5e-5)
    assert paper.empty_chance_printed(100, 50, 1.0) == pytest.approx(0.2707, abs=5e-5)
    c = 3.0
    assert paper.prop34_bound(1000, 20, c * 20 / 1000) == pytest.approx(20 * math.exp(-c))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (6, 1), (4, 2), (6, 3), (5, 4), (4, 4)])
def test_proposition_44_by_enumeration(n, m):
    chances = [float(c) for c in empty_slots(n, n + m - 1, [range(j, j + m) for j in range(n)])]
    slots = np.arange(1, n + m)
    assert paper.prop44_slot(n, m, slots) == pytest.approx(chances)
    assert paper.prop44_corrected(n, m) == pytest.approx(sum(chances[m - 1 : n]))
    assert paper.prop44(n, m) == pytest.approx(sum(chances[m - 1 : n - m + 1]))
    assert paper.prop44(n, m) <= paper.prop44_corrected(n, m) <= paper.prop44_bound(n, m)
    assert max(chances[m - 1 : n]) <= 1 / math.e


def test_the_numbers_of_proposition_44():
    assert paper.prop44_slot(6, 3, 1) == paper.prop44_slot(6, 3, 8) == pytest.approx(0.667, abs=5e-4)
    assert paper.prop44_slot(6, 3, [3, 4, 5, 6]) == pytest.approx(np.full(4, 0.2963), abs=5e-5)
    assert paper.prop44_corrected(6, 3) == pytest.approx(1.185, abs=5e-4)
    assert paper.prop44_bound(6, 3) == pytest.approx(1.472, abs=5e-4)
    assert paper.prop44(6, 3) == pytest.approx(paper.prop44_corrected(6, 3) / 2)  # slots 3 and 4 only
    assert paper.prop44(5, 4) == 0


# The loads of averaged slots.


def mp_inverse_load(n, m):
    """``E[1{S>0}/S]`` as the integral of ``(E z^S - Pr[S = 0]) / z`` over z from 0 to 1."""
    q = 1 - mp.mpf(1) / m
    return mp.quad(lambda z: ((q + z / m) ** n - q**n) / z, [0, 0.5, 1])


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_inverse_load(n, m):
    exact = sum(Fraction(math.comb(n, k) * (m - 1) ** (n - k), m**n * k) for k in range(1, n + 1))
    assert paper.inverse_load(n, m) == pytest.approx(float(exact), rel=1e-12)
    with mp.workdps(30):
        assert paper.inverse_load(n, m) == pytest.approx(float(mp_inverse_load(n, m)), rel=1e-12)
    nonempty = 1 - Fraction(m - 1, m) ** n
    assert exact <= exact / nonempty <= Fraction(2 * m, n + 1)
    assert paper.inverse_load_corrected(n, m) == pytest.approx(2 * m / (n + 1))


@pytest.mark.parametrize(("n", "m"), [(10**9, 10), (10**9, 10**6), (10**9, 10**9), (10**6, 2)])
def test_inverse_load_of_many_clients(n, m):
    """``1 + (1-1/m) m/n + ...`` times m/n for large means, the Poisson limit for large m."""
    factor = paper.inverse_load(n, m) * n / m
    if n / m >= 10**5:
        assert factor == pytest.approx(1 + (1 - 1 / m) * m / n, abs=10 * (m / n) ** 2 + 1e-12)
    else:
        assert factor == pytest.approx(float(paper.poisson_factor(n / m)), rel=2 / m)
    assert paper.inverse_load(n, m) <= paper.inverse_load_corrected(n, m)


def test_the_printed_mean_of_1_over_S_is_too_small():
    assert paper.inverse_load_printed(100, 10) == 0.1
    assert paper.inverse_load(100, 10) == pytest.approx(0.11152, abs=5e-6)
    assert paper.inverse_load(100, 20) / paper.inverse_load_printed(100, 20) == pytest.approx(1.268, abs=5e-4)
    gradient = {"n": 100, "m": 10, "p": 7, "sigma": 2.0, "L": 1.0}
    truth = paper.inverse_load(100, 10) * 7 * 4 + 1 - (1 - 0.1) ** 100  # noise, and gradients of norm 1
    assert paper.thm42_second_moment(**gradient) < truth < paper.thm42_second_moment_corrected(**gradient)


def test_the_worst_mean():
    mean, factor = paper.worst_poisson_factor()
    with mp.workdps(30):
        exact = mp.findroot(lambda x: mp.diff(mp_poisson_factor, x), 4.2)
        assert mean == pytest.approx(float(exact), abs=1e-6)
        assert factor == pytest.approx(float(mp_poisson_factor(exact)), rel=1e-12)
    assert mean == pytest.approx(4.168, abs=5e-4)
    assert factor == pytest.approx(1.2952, abs=5e-5)
    assert paper.poisson_factor(4.18) == pytest.approx(1.2952, abs=5e-5)
    grid = paper.poisson_factor(np.geomspace(1e-3, 1e3, 2001))
    assert (grid <= factor).all()
    rising = np.diff(grid) > 0
    assert (np.diff(rising.astype(int)) != 0).sum() == 1  # one peak
    for n, m in itertools.product((5, 50, 500), (2, 10, 100)):
        assert paper.inverse_load(n, m) * n / m <= factor


def mp_poisson_factor(x):
    return x * mp.exp(-x) * (mp.ei(x) - mp.euler - mp.log(x))


@pytest.mark.parametrize("mean", [1e-6, 0.1, 1.0, 4.2, 30.0, 500.0])
def test_poisson_factor(mean):
    with mp.workdps(40):
        assert paper.poisson_factor(mean) == pytest.approx(float(mp_poisson_factor(mp.mpf(mean))), rel=1e-11)


# Theorems 3.5 and 4.2.


def test_the_steps_of_theorem_35():
    """At x = 1/2 in units of R G: 3.00 as printed, 2.83 at the best."""
    second = paper.thm35_second_moment(0.5, **GRADIENT)
    assert second == pytest.approx(2 * SQUARE)
    unit = 2.0 * math.sqrt(SQUARE) * 2  # m = 1: 2 + log m = 2
    printed, best = (f(0.5, 2.0, **GRADIENT) for f in (paper.thm35_step, paper.thm35_step_corrected))
    assert paper.last_iterate(1, 2.0, second, printed) / unit == pytest.approx(3)
    assert paper.last_iterate(1, 2.0, second, best) / unit == pytest.approx(2.8284, abs=5e-5)
    around = [float(paper.last_iterate(1, 2.0, second, best * factor)) for factor in (0.99, 1, 1.01)]
    assert around[1] == min(around)


@given(st.integers(1, 10**6), st.floats(0.7, 20), st.floats(0.1, 1))
def test_theorem_35(m, mean, p0):
    n = math.ceil(mean * m / p0)
    x, RG = float(paper.empty_chance_printed(n, m, p0)), 2.0 * math.sqrt(SQUARE)
    rate = (2 + math.log(m)) / math.sqrt(m)
    values = [f(n, m, p0, 2.0, **GRADIENT) for f in (paper.thm35_sharp, paper.thm35_corrected, paper.thm35)]
    assert values[2] == pytest.approx(RG * (2 - x) / (1 - x) * rate)
    assert values[1] == pytest.approx(2 * RG / math.sqrt(1 - x) * rate)
    assert values[0] <= values[1] * (1 + 1e-12) <= values[2] * (1 + 2e-12)


@given(st.floats(0, 0.499), st.floats(0, 10))
def test_the_second_moment_of_theorem_35_bears_noise_in_empty_slots(q, sigma):
    """For x of at least 2q; with x = q itself it would not."""
    sharp = paper.thm35_second_moment_sharp(q, 3, sigma, 1.0)
    assert sharp == pytest.approx(((1 - q) * (3 * sigma**2 + 1) + q * 3 * sigma**2) / (1 - q) ** 2)
    assert sharp <= paper.thm35_second_moment(2 * q, 3, sigma, 1.0) * (1 + 1e-12)
    assert sharp >= paper.thm35_second_moment(q, 3, sigma, 1.0) * (1 - 1e-12)


def test_theorem_35_may_be_void():
    with pytest.raises(ValueError, match=r"n p0/m must be above log 2"):
        paper.thm35(10, 20, 1.0, 1.0, **GRADIENT)
    with pytest.raises(ValueError, match=r"n p0/m must be above log 2"):
        paper.thm35_corrected(69, 100, 1.0, 1.0, **GRADIENT)
    assert paper.thm35(70, 100, 1.0, 1.0, **GRADIENT) > 0
    assert 0 < paper.thm35_sharp(10, 20, 1.0, 1.0, **GRADIENT) < math.inf


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_theorem_42(n, m):
    """The best step of each; the corrected bound is at most sqrt(2) times as large."""
    G = math.sqrt(m * 5 * 0.7**2 / n + 1.5**2)
    assert paper.thm42(n, m, 2.0, **GRADIENT) == pytest.approx(4 * G * (2 + math.log(m)) / math.sqrt(m))
    ratio = paper.thm42_corrected(n, m, 2.0, **GRADIENT) / paper.thm42(n, m, 2.0, **GRADIENT)
    assert 1 <= ratio <= math.sqrt(2)
    second = paper.thm42_second_moment(n, m, **GRADIENT)
    assert paper.best_step(2.0, second) == pytest.approx(2 * math.sqrt(n) / math.sqrt(m * 5 * 0.7**2 + n * 1.5**2))


def test_the_smooth_case():
    kappa = math.sqrt(paper.thm42_variance(100, 10, **GRADIENT))
    assert kappa**2 == pytest.approx(SQUARE * 0.11152, rel=1e-4)
    assert paper.thm42_smooth(8, 3.0, 2.0, 4.0) == pytest.approx(3 * 2 / 2 + 4 * 9 / 8)
    assert paper.thm42_smooth_step([2, 8], 3.0, 2.0, 4.0) == pytest.approx([1 / (4 + 2 / 3), 1 / (4 + 4 / 3)])
    # A quadratic loss without noise, f(x) = beta x^2/2 from R: the mean iterate keeps the bound.
    R, beta, m = 3.0, 4.0, 10
    x = R * np.cumprod(np.full(m, 1 - beta * float(paper.thm42_smooth_step(m, R, 1e-9, beta))))
    assert beta * x.mean() ** 2 / 2 <= paper.thm42_smooth(m, R, 0.0, beta)


# Bad input.

GOOD = {
    "eps0": 0.5, "eps1": 0.5, "eps": 0.5, "m": 10, "n": 10_000, "p0": 0.5, "w_max": 0.5, "q": 0.5, "i": 3, "k": 4,
    "a": 1.0, "b": 0.5, "T": 5, "delta": 0.01, "delta0": 1e-9, "delta1": 0.01, "delta2": 0.01, "beta": 0.5, "calls": 3,
    "bin_sizes": [3, 0, 4], "x": 0.5, "R": 1.0, "p": 3, "sigma": 1.0, "L": 1.0, "c": 1.0, "second_moment": 2.0,
    "kappa": 1.0, "mean": 2.0,
}  # fmt: skip
BAD = {name: [math.nan, -1, "3", None, True, 1j] for name in GOOD}
BAD["bin_sizes"] += [[0, 0], [1.5], [[1, 2]], 3, []]
for some in ("eps0", "m", "n", "k", "i", "a", "T", "R", "p", "L", "c", "calls", "second_moment", "delta", "delta1"):
    BAD[some].append(0)
for some in ("p0", "w_max", "q", "b", "delta", "delta1", "delta2", "x"):
    BAD[some].append(1.5)
CLASSES = {"Guarantee", "WorstMean"}
FUNCTIONS = [getattr(paper, name) for name in paper.__all__ if name not in CLASSES]
CASES = [(f, name) for f in FUNCTIONS for name in inspect.signature(f).parameters]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_good_call_gives_finite_numbers(function):
    result = function(**{name: GOOD[name] for name in inspect.signature(function).parameters})
    assert np.isfinite(np.asarray(result)).all()


@pytest.mark.parametrize(("function", "name"), CASES, ids=lambda case: getattr(case, "__name__", case))
def test_bad_input_is_named(function, name):
    good = {other: GOOD[other] for other in inspect.signature(function).parameters}
    for bad in BAD[name]:
        with pytest.raises((ValueError, TypeError)) as error:
            function(**{**good, name: bad})
        assert re.search(rf"\b{name}\b", str(error.value)), (bad, str(error.value))
