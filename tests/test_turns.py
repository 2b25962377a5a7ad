"""Sums of turning numbers by rows and columns: against the plain sum, wherever the nodes lie."""

import math

import mpmath
import numpy as np
import pytest

from shufflekit import _turns
from shufflekit._even_turns import evenly_turned, places
from shufflekit._turns import by_products, summed_error, turned, turned_back

NUMBERS = {
    "all": np.arange(3_000),
    "one": np.array([0]),
    "clusters": np.concatenate([np.arange(k, k + 40) for k in range(0, 200_000, 9_973)]),
    "few of many": np.unique(np.geomspace(1, 10**7, 300).astype(int)),
    "first and last": np.array([0, 1, 65_535]),
}


def plainly(weight, phase):
    return np.array([complex(math.fsum(row.real), math.fsum(row.imag)) for row in weight * np.exp(1j * phase)])


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("count", [1, 15, 70])
def test_both_ways_are_plain_sums(kind, count):
    rng, number, apart = np.random.default_rng(4), NUMBERS[kind], 1e-5
    value, weight = rng.normal(size=count), rng.random(count)
    off = 1e-13 + summed_error(max(count, len(number)))
    found, real = by_products(weight, value, apart, number), plainly(weight, apart * np.outer(number, value))
    assert np.abs(found - real).max() <= off * weight.sum()
    own, room = turned(weight, value, apart, number)
    assert (np.abs(own - real) <= room + 1e-13 * weight.sum()).all()
    back = rng.normal(size=len(number)) + 1j * rng.normal(size=len(number))
    found = turned_back(back, number, apart, value)
    assert np.abs(found - plainly(back, -apart * np.outer(value, number))).max() <= off * np.abs(back).sum()


def test_rows_without_a_node_cost_nothing(monkeypatch):
    """A cluster far out takes the rows that it lies in; nodes that lie alone are worked out by themselves."""
    looked = []
    usual = np.outer
    monkeypatch.setattr(_turns.np, "outer", lambda a, b: looked.append(np.size(a) * np.size(b)) or usual(a, b))
    turned_back(np.ones(500), 10**7 + np.arange(500), 1e-9, np.linspace(0, 1, 16))
    assert sum(looked) <= 16 * (256 + 16)
    looked.clear()
    few = NUMBERS["few of many"]
    turned_back(np.ones(len(few)), few, 1e-9, np.linspace(0, 1, 16))
    assert sum(looked) <= 16 * len(few)


EVEN = [  # values, the step, the first, nodes, and how far all of them turn the values around
    (1_500, 0.01234567, -3.21, 900, 1.0),
    (700, 1e-9, 0.0, 3_000, 0.3),
    (400, 3.7, 1e4, 2_500, 0.9),
    (2_000, 1e5, -2e8, 600, 1e-3),
]


@pytest.mark.parametrize(("count", "step", "first", "numbers", "around"), EVEN)
def test_values_that_lie_evenly(count, step, first, numbers, around):
    """In 40 digits: within what is said of them, which is little; and some places may be empty."""
    rng, number = np.random.default_rng(count), np.arange(numbers)
    place = np.unique(np.append(np.arange(count // 2), rng.integers(0, count, count // 4)))
    value, weight = first + step * place, np.exp(-(((place - count / 4) / (count / 12)) ** 2) / 2)
    apart = 2 * math.pi * around / (step * count)
    at = places(value, number)
    assert at is not None and np.abs(value - (at.first + at.step * at.number)).max() <= at.off
    found, off = evenly_turned(weight, at, apart, number)
    with mpmath.workdps(40):
        for k in [0, 1, numbers // 3, numbers - 1]:
            terms = (mpmath.mpf(w) * mpmath.expj(mpmath.mpf(apart) * k * v) for w, v in zip(weight, value, strict=True))
            assert abs(complex(mpmath.fsum(terms)) - found[k]) <= off[k]
    assert off.max() <= 1e-9 * weight.sum() * max(1.0, abs(first) / (step * count))


def test_transforms_serve_where_they_cost_less():
    """Values at random do not lie evenly, far ones lie on too long a grid, and of few products none is a gain."""
    even, rng, many = 0.1 * np.arange(2_000), np.random.default_rng(1), np.arange(2_000)
    assert places(even, many) is not None
    assert places(even + 1e-9 * rng.random(2_000), many) is None
    assert places(np.append(even, 1e7), many) is None
    assert places(even, np.array([0, 1])) is None
    assert places(np.full(2_000, 0.5), many) is None
