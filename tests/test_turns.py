"""Sums of turning numbers by rows and columns: against the plain sum, wherever the nodes lie."""

import math

import numpy as np
import pytest

from shufflekit import _turns
from shufflekit._turns import summed_error, turned, turned_back

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
    found = turned(weight, value, apart, number)
    assert np.abs(found - plainly(weight, apart * np.outer(number, value))).max() <= off * weight.sum()
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
