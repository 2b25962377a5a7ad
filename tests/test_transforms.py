"""Transforms of losses anywhere, by one FFT: as the sum over all atoms says, up to the error that is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.atoms import Atoms
from shufflekit.loss_distribution import transforms
from shufflekit.loss_distribution.transforms import evenly, transform


def directly(weight, place, turn):
    return np.exp(1j * np.outer(turn, place)) @ weight


def silenced(error):
    """By the noise that ends the integrand."""
    return error * np.exp(-transforms.ENDED * (np.arange(len(error)) / len(error)) ** 2)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-50, 50)), min_size=1, max_size=8),
    st.floats(1e-4, 3.0),
    st.integers(1, 500),
)
def test_any_atoms_at_any_turns(drawn, apart, number):
    """Also of more than one period, and with weights of either sign."""
    weight, place = np.array(drawn).T
    found, error = evenly(weight, place, apart, number)
    true = directly(weight, place, apart * np.arange(number))
    turns = 4e-16 * np.abs(weight).sum() * np.abs(place).max() * apart * number  # of the judge itself
    assert found.shape == error.shape == (number,)
    assert (np.abs(found - true) <= error + turns + 1e-300).all()  # what is less has no digits
    assert (silenced(error)).max() <= 1e-11 * np.abs(weight).sum()


def test_the_transform_is_the_sum_over_all_atoms():
    """Of more atoms than are spread together."""
    rng = np.random.default_rng(1)
    pair = Atoms(np.sort(rng.normal(size=3_000)), np.log(rng.uniform(0.1, 1, 3_000)))
    c, apart, number = 0.7, 0.013, 700
    found = transform(pair, 1, c, apart, number)
    weight = np.exp(pair.log_q + (1 + c) * pair.loss)
    weight /= weight.sum()
    turn = apart * np.arange(number)
    true = directly(weight, pair.loss - weight @ pair.loss, turn)
    assert np.abs(found.value - true)[:100].max() < 1e-14
    assert (np.abs(found.value - true) <= found.error).all()
    assert found.error[: number // 2].max() < 1e-9
    assert silenced(found.error).max() < 1e-11


@pytest.mark.parametrize(("name", "value"), [("TAU", 1.0), ("WIDE", 12)])
def test_what_the_spread_errs_by_is_counted(name, value, monkeypatch):
    """A narrower spread has louder aliases, a shorter one is cut off earlier: errors grow, and are told."""
    weight, place = np.full(7, 1 / 7), np.linspace(-3, 5, 7)
    true = directly(weight, place, 0.01 * np.arange(400))
    before = np.abs(evenly(weight, place, 0.01, 400)[0] - true)[:200].max()
    assert before < 1e-13
    monkeypatch.setattr(transforms, name, value)
    found, error = evenly(weight, place, 0.01, 400)
    assert np.abs(found - true)[:200].max() > 1e3 * before
    assert (np.abs(found - true) <= error).all()


def test_nothing_lies_beyond_the_unit_circle():
    """Of 1e12 rounds an excess of 1e-3, which aliases have at the last angles, would be no number."""
    pair = Atoms(np.array([0.0, 2e-3]), np.log([1.0, 1e-9]))
    assert np.abs(evenly(np.ones(1), np.zeros(1), 400.0, 64)[0]).max() > 1 + 1e-4
    found = transform(pair, 10**12, 1.0, 400.0, 64)
    assert np.abs(found.value).max() <= 1 + 4e-16
    assert (found.error[1:] > 0).all()
    weight = np.exp(pair.log_q + 2 * pair.loss)
    weight /= weight.sum()
    true = directly(weight, pair.loss - weight @ pair.loss, 400.0 * np.arange(64))
    assert (np.abs(found.value - true) <= found.error).all()
    value, error = transforms.product([found])
    assert np.isfinite(value).all()
    assert np.isfinite(error).all()
