"""Sums of iid scores: both ends against exact laws, however rare what is asked for."""

import math

import mpmath
import numpy as np
import pytest

from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.lines import excess_of_sums
from shufflekit.dominating_pairs.score_grid import LogMoments, finite_score
from shufflekit.dominating_pairs.score_sums import sums

VALUES, MASSES = np.array([-1.3, 0.0, 0.4, 2.0]), np.array([0.3, 0.45, 0.2, 0.05])


def stop_loss_of(values, masses, n, c, rtol):
    """Of any scores at any point: the mean is taken off, and below it the other side is looked at."""
    mean = float(masses @ values)
    x, side = c - n * mean, 1 if c >= n * mean else -1
    ends = excess_of_sums(side * (values - mean)[None], masses[None], n, np.array([abs(x)]), rtol)
    return Ends(float(ends.lower[0]) + max(-x, 0.0), float(ends.upper[0]) + max(-x, 0.0))


def exact_stop_loss(values, masses, n, c):
    """By adding one score after the other, in mpmath."""
    law = {mpmath.mpf(0): mpmath.mpf(1)}
    for _ in range(n):
        grown = {}
        for total, weight in law.items():
            for value, mass in zip(values, masses, strict=True):
                place = mpmath.mpf(round((total + mpmath.mpf(float(value))) * 10)) / 10
                grown[place] = grown.get(place, 0) + weight * mpmath.mpf(float(mass))
        law = grown
    return sum(weight * (total - c) for total, weight in law.items() if total > c)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
@pytest.mark.parametrize("share", [-0.2, 0.0, 0.3, 0.6, 0.95])
def test_both_ends_hold_the_exact_value(n, share):
    c = share * 2 * n
    exact = float(exact_stop_loss(VALUES, MASSES, n, c))
    ends = stop_loss_of(VALUES, MASSES, n, c, 1e-4)
    assert ends.lower <= exact * (1 + 1e-12) and exact <= ends.upper * (1 + 1e-12)
    assert ends.upper - ends.lower <= 0.01 * exact


def test_binomial_tails_keep_their_digits_far_out():
    n, p = 10_000, 0.01
    for c in (100, 200, 400, 500):
        k = np.arange(c + 1, n + 1)
        with mpmath.workdps(30):
            head = [
                mpmath.binomial(n, int(i)) * mpmath.mpf(p) ** int(i) * (1 - mpmath.mpf(p)) ** (n - int(i))
                for i in k[:400]
            ]
            exact = float(sum((int(i) - c) * m for i, m in zip(k, head, strict=False)))
        ends = stop_loss_of(np.array([0.0, 1.0]), np.array([1 - p, p]), n, float(c), 1e-4)
        assert ends.lower <= exact * (1 + 1e-9) and exact <= ends.upper * (1 + 1e-9)
        # Moving c by a part of 1e-4 of what it is above the mean moves the logarithm by about the tilt times that.
        assert math.log(ends.upper / ends.lower) <= 1e-4 * max(1.0, (c - n * p) * math.log(2 * c / (n * p)))
    assert exact < 1e-130


def test_the_ends_close_in_as_the_grid_is_refined():
    widths = []
    for rtol in (1e-2, 1e-3, 1e-4):
        ends = stop_loss_of(VALUES, MASSES, 3000, 300.0, rtol)
        widths.append(float(1 - ends.lower / ends.upper))
    assert widths[2] < widths[1] < widths[0] and widths[2] < 0.02


def test_nothing_lies_above_the_largest_sum():
    assert stop_loss_of(VALUES, MASSES, 7, 14.0 + 1e-6, 1e-4) == (0.0, 0.0)
    assert stop_loss_of(VALUES, MASSES, 7, 14.0, 1e-4).upper < 1e-12


def test_a_score_of_one_value_is_no_chance():
    ends = stop_loss_of(np.array([0.25, 3.0]), np.array([1.0, 0.0]), 8, 1.5, 1e-4)
    assert ends.lower == ends.upper == 0.5


@pytest.mark.parametrize("step", [0.01, 0.07])
def test_rounding_keeps_mass_and_mean(step):
    score = finite_score(VALUES, MASSES, step)
    k = np.arange(len(score.mass))
    assert score.mass.sum() == pytest.approx(1, rel=1e-14)
    assert score.low + step * float(score.mass @ k) == pytest.approx(VALUES @ MASSES, rel=1e-12)
    assert score.low + step * score.mean == pytest.approx(VALUES @ MASSES, rel=1e-12)
    assert (np.abs(score.place - k) <= 1).all()


def test_every_tilt_certifies_the_same_masses():
    """Masses of one sum, from three tilts: the ends of each hold those of all."""
    score, n = finite_score(VALUES, MASSES, 0.1), 400
    k = np.arange(len(score.mass))
    each = [sums(score, n, [tilt]) for tilt in (-0.02, 0.0, 0.02)]
    together = sums(score, n, [-0.02, 0.0, 0.02])
    assert together.mass.lower.sum() == pytest.approx(1, rel=1e-9)
    for one in each:
        places = np.round((one.value - together.value[0]) / 0.1).astype(int)
        shared = (places >= 0) & (places < len(together.value))
        slack = 1 + 1e-12
        assert (one.mass.lower[shared] <= together.mass.upper[places[shared]] * slack).all()
        assert (together.mass.lower[places[shared]] <= one.mass.upper[shared] * slack).all()
    assert k[-1] * 0.1 + score.low >= 2.0


@pytest.mark.parametrize("tilt", [-0.05, 0.0, 0.03])
@pytest.mark.parametrize("n", [1, 30, 3000])
def test_reach_is_as_far_as_it_must_be(n, tilt):
    """Against the tilted law of the sum itself, added up score by score."""
    score, log_tail = finite_score(VALUES, MASSES, 0.1), -20.0
    law = LogMoments(score)
    weight = score.mass * np.exp(tilt * np.arange(len(score.mass)))
    total, square, left = np.ones(1), weight / weight.sum(), n
    while left:
        total = np.convolve(total, square) if left % 2 else total
        left //= 2
        square = np.convolve(square, square) if left else square
    first, last = law.reach(n, tilt, log_tail)
    assert 0 <= first <= last <= len(total) - 1
    for outside in (total[:first].sum(), total[last + 1 :].sum()):
        assert outside <= math.exp(log_tail) + 1e-15
    mean, deviation = law.tilted(tilt)
    assert n * mean == pytest.approx(float(total @ np.arange(len(total))), rel=1e-9)
    # And not much farther.
    assert last - first <= 15 * deviation * math.sqrt(n) + 60
