"""E(S - x)_+ of a sum of few scores: exactly, but for round-off, which is on the safe side."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit.dominating_pairs import few_sums, line
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.score_transform import Share
from tests.test_line import LAWS


def exact(parts, chances, x, of):
    """In fractions: of all numbers, or of one of them with its chance."""
    total = Fraction(0)
    for i, chance in enumerate(chances):
        if of is not None and i != of:
            continue
        sums = {Fraction(0): Fraction(float(chance))}
        for law, number, size in parts:
            outcomes = [
                (Fraction(float(v)) * Fraction(float(size[i])), Fraction(float(c)))
                for v, c in zip(law.value, law.chance, strict=True)
            ]
            for _ in range(int(number[i])):
                longer = {}
                for value, mass in sums.items():
                    for v, c in outcomes:
                        longer[value + v] = longer.get(value + v, 0) + mass * c
                sums = longer
        total += sum(mass * max(value - Fraction(float(x)), 0) for value, mass in sums.items())
    return total


NAMES = st.sampled_from(sorted(LAWS))


@settings(deadline=None, max_examples=40)
@given(
    first=NAMES,
    second=NAMES,
    counts=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=3),
    size=st.floats(0.05, 1.0),
    points=st.lists(st.floats(-20, 20), min_size=1, max_size=4),
    apart=st.booleans(),
)
def test_both_ends_against_fractions(first, second, counts, size, points, apart):
    """Mixtures of sums of two laws, and each number for itself."""
    few, others = (np.array(column, dtype=float) for column in zip(*counts, strict=True))
    chances = np.arange(1.0, len(counts) + 1) / 10
    parts = [(LAWS[first], few, np.ones(len(counts))), (LAWS[second], others, np.full(len(counts), size))]
    row = np.arange(len(points)) % len(counts) if apart else None
    shares = [Share(*part) for part in parts]
    assert few_sums.are_few(shares)
    ends = few_sums.stop_losses(shares, np.log(chances), np.array(points), row)
    for i, x in enumerate(points):
        # exp(log c) may be a unit off c, which is nothing next to the margins.
        real = exact(parts, np.exp(np.log(chances)), x, None if row is None else int(row[i]))
        assert Fraction(ends.lower[i]) <= real <= Fraction(ends.upper[i])
        assert ends.upper[i] - ends.lower[i] <= 1e-11 * (1 + abs(x))


def test_no_digits_are_lost_far_out():
    """Near the largest sum, where 1e-40 is left."""
    law = Scores(np.array([1.0, -1e-4]), np.array([1e-4, 1 - 1e-4]))
    real = 1e-40 * 0.5
    ends = few_sums.stop_losses([Share(law, np.full(1, 10.0), np.ones(1))], np.zeros(1), np.array([9.5]), None)
    assert real * (1 - 1e-11) < ends.lower[0] < real < ends.upper[0] < real * (1 + 1e-11)


def test_what_cannot_be_is_no_outcome():
    law = Scores(np.array([1.0, -1.0, 50.0]), np.array([0.5, 0.5, 0.0]))
    ends = few_sums.stop_losses([Share(law, np.full(1, 6.0), np.ones(1))], np.zeros(1), np.array([5.0]), None)
    assert ends.upper[0] == pytest.approx(2**-6, rel=1e-12)


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_line_says_the_same(name, monkeypatch):
    """For as many scores as are just looked at one by one."""
    shares = [Share(LAWS[name], np.full(1, 300.0), np.ones(1))]
    x = np.array([0.0, 1.0, 3.0]) * math.sqrt(300 * LAWS[name].variance)
    assert few_sums.are_few(shares)
    own = line.stop_losses(shares, np.zeros(1), x)
    monkeypatch.setattr(few_sums, "MOST_OUTCOMES", 0)
    other = line.stop_losses(shares, np.zeros(1), x)
    assert (other.lower <= own.upper).all() and (own.lower <= other.upper).all()
    assert (own.upper - own.lower <= 1e-9 * own.upper + 1e-12).all()


def test_many_are_not_few():
    """Nor are numbers for which the ways cannot be counted in floating point."""
    for number in (400.0, 1e6, 1e15):
        assert not few_sums.are_few([Share(LAWS["clones"], np.full(1, number), np.ones(1))])
