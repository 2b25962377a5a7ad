"""The contour integral: against the FFT's certified brackets, in more digits, and by what it must be exactly."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from shufflekit import GaussianShuffle, RandomizedResponseShuffle, Shuffle, ShuffledCheckIn
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution import contour
from shufflekit.papers.koskela2023 import losses
from tests.pairs import delta_of_pair

SHUFFLE = Shuffle(eps0=4.0, n=10_000, reduction="clones")
SAMPLED = Shuffle(eps0=2.0, n=1000, population=10**6, reduction="clones")
RUNS = [
    (SHUFFLE, 10, 1e-6),
    (SHUFFLE, 16, 1e-40),
    (Shuffle(eps0=1.0, n=100, reduction="clones"), 10, 1e-2),
    (Shuffle(eps0=1.0, n=100, reduction="clones"), 30, 1e-60),
    (Shuffle(eps0=2.0, n=200, reduction="clones2021"), 20, 1e-12),
    (SAMPLED, 10**4, 1e-4),
    (SAMPLED, 10**5, 1e-8),
    (SAMPLED, 10**6, 1e-60),
    (ShuffledCheckIn(eps0=2.0, population=10**5, rate=0.01, reduction="clones"), 10**4, 1e-3),
    (RandomizedResponseShuffle(4, gamma=0.25, n=1000, view="strong"), 16, 1e-5),
    (GaussianShuffle(sigma=2.0, n=7), 20, 1e-5),
]


@pytest.mark.parametrize(("protocol", "rounds", "target"), RUNS, ids=str)
def test_it_lies_in_the_brackets_of_the_fft(protocol, rounds, target):
    run = protocol * rounds
    ends, log_cut = run.guarantee(target), math.log(target) - math.log(rounds) - 20
    ways = {id(pair): pair for pair in (protocol.pair, protocol.pair.reversed())}.values()
    lists = [pair.listed(log_cut) for pair in ways]
    low = max(contour.contour_delta(known.upper, rounds, ends.lower) for known in lists)
    high = max(contour.contour_delta(known.lower, rounds, ends.upper) for known in lists)
    assert low >= target * (1 - 1e-8)
    assert high <= target * (1 + 1e-8)
    # And that says something: the two are near each other.
    assert low <= 1.1 * high


def test_it_agrees_with_a_narrow_bracket_of_delta():
    ends = delta_of_pair(SAMPLED * 10**5, eps=0.1457, rtol=1e-4)
    value = contour.contour_delta(SAMPLED.pair.listed(-60.0, 1e-7).upper, 10**5, 0.1457)
    assert ends.lower <= value <= ends.upper


def pair_in_digits(n, E):
    return losses.in_digits(losses.eq31(n, E), 65)


@pytest.mark.parametrize(("rounds", "eps"), [(20, 0), (30, 1), (30, 4), (40, 12)])
def test_more_digits_begin_with_the_fewer(rounds, eps):
    pair = pair_in_digits(30, 3)
    values = [contour.contour_delta_digits(pair, rounds, eps, digits) for digits in (12, 25, 50)]
    for (fewer, more), digits in zip(pairwise(values), (12, 25), strict=True):
        assert abs(fewer / more - 1) < mpmath.mpf(10) ** (1 - digits)
    floats = Atoms(pair.loss.astype(float), pair.log_q.astype(float))
    assert contour.contour_delta(floats, rounds, float(eps)) == pytest.approx(float(values[-1]), rel=1e-11)


def test_a_gaussian_loss_has_a_closed_form():
    # A fine list of N(m, 2m): sums of T are N(Tm, 2Tm), delta = Phi(..) - e^eps Phi(..).
    m, T, eps = 0.02, 40, 3.0
    loss = np.linspace(m - 12 * math.sqrt(2 * m), m + 12 * math.sqrt(2 * m), 4001)
    log_p = -((loss - m) ** 2) / (4 * m)
    log_p -= math.log(np.exp(log_p).sum())
    deviation = math.sqrt(2 * T * m)
    with mpmath.workdps(30):
        truth = mpmath.ncdf((T * m - eps) / deviation) - mpmath.exp(eps) * mpmath.ncdf((-T * m - eps) / deviation)
    assert contour.contour_delta(Atoms(loss, log_p - loss), T, eps) == pytest.approx(float(truth), rel=1e-10)


def test_infinite_losses_count_in_full():
    pair = pair_in_digits(30, 3)
    floats = Atoms(pair.loss.astype(float), pair.log_q.astype(float))
    some = floats._replace(log_q=floats.log_q + math.log1p(-1e-3), infinite=1e-3)
    plain = contour.contour_delta(floats, 30, 1.0)
    proof = -math.expm1(30 * math.log1p(-1e-3))
    assert contour.contour_delta(some, 30, 1.0) == pytest.approx(proof + (1 - proof) * plain, rel=1e-11)
    digits = contour.contour_delta_digits(some, 30, 1, 20)
    assert contour.contour_delta(some, 30, 1.0) == pytest.approx(float(digits), rel=1e-11)


def test_few_losses_on_a_lattice_are_refused():
    coin = Atoms(np.array([-1.0, 1.0]), np.log([0.7, 0.3 * math.exp(-1.0)]))
    with pytest.raises(ValueError, match="many different losses"):
        contour.contour_delta(coin, 10, 2.5)
    with pytest.raises(ValueError, match="many different losses"):
        contour.contour_delta_digits(coin, 10, 2.5, 10)


def test_beyond_the_largest_loss_there_is_nothing():
    floats = Atoms(np.array([-1.0, 1.0]), np.log([0.7, 0.3 * math.exp(-1.0)]))
    assert contour.contour_delta(floats, 10, 10.0) == 0
    assert contour.contour_delta_digits(floats, 10, 10, 20) == 0
    assert contour.contour_delta(floats._replace(infinite=0.5), 1, 10.0) == 0.5


@pytest.mark.parametrize("function", [contour.contour_delta, lambda *args: contour.contour_delta_digits(*args, 20)])
def test_bad_input_is_named(function):
    atoms = SHUFFLE.pair.listed(-40.0).upper
    with pytest.raises(TypeError, match="atoms"):
        function(SHUFFLE.pair, 10, 1.0)
    with pytest.raises(ValueError, match="atoms"):
        function(Atoms(np.array([]), np.array([])), 10, 1.0)
    with pytest.raises(ValueError, match="rounds"):
        function(atoms, 0, 1.0)
    with pytest.raises(ValueError, match="eps"):
        function(atoms, 10, -1.0)
    with pytest.raises(ValueError, match="digits"):
        contour.contour_delta_digits(atoms, 10, 1.0, 0)
