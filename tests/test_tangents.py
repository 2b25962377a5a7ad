"""A law below a profile that is known at knots up to an error, whatever the error is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from shufflekit.bracket import Ends
from shufflekit.convex_order import Known, below
from shufflekit.convex_order.tangents import MOST_OFF
from tests import truth


def gaussian(shift: float, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q = ndtr(-shift / 2 - eps / shift)
    return ndtr(shift / 2 - eps / shift) - np.exp(eps) * q, q


def known(delta: np.ndarray, tail: np.ndarray, off: np.ndarray | float) -> Known:
    return Known(*(Ends(one * (1 - off), one * (1 + off)) for one in (delta, tail)))


def mixed_up(values: np.ndarray, off: np.ndarray | float, seed: int) -> np.ndarray:
    """What is found where each value errs by so much at most, up or down."""
    return values * (1 + off * np.random.default_rng(seed).choice([-1.0, 1.0], len(values)))


@settings(max_examples=60)
@given(
    st.sampled_from([0.02, 0.3, 2.5]),
    st.integers(4, 300),
    st.sampled_from([0.0, 1e-10, 1e-9, 1e-6, 1e-3]),
    st.sampled_from([0.0, 5.0, 30.0]),
    st.integers(0, 10**6),
)
def test_below_a_gaussian_loss_however_its_values_err(shift, number, off, growth, seed):
    """Between knots too, and on both sides; with errors that the ends hold, and that may be larger far out."""
    eps = np.linspace(0, 8 * shift, number)
    off = np.minimum(off * np.exp(growth * eps / eps[-1]), 0.4)
    delta, tail = gaussian(shift, eps)
    sides = [known(mixed_up(delta, off, seed + i), mixed_up(tail, off, seed + i + 2), 2 * off + 1e-14) for i in (0, 1)]
    atoms = below(eps, *sides)
    q = np.exp(atoms.log_q)
    assert math.fsum(q) <= 1 + 1e-14 and math.fsum(q * np.exp(atoms.loss)) <= 1 + 1e-13
    for at in np.linspace(-9, 9, 61) * shift:
        exact = float(gaussian(shift, np.array([at]))[0][0])
        # An exact profile errs by units of 1 itself, of which those left of 0 are made.
        assert truth.listed_delta(atoms, at, upper=False) <= exact * (1 + 1e-13) + 4e-16


def test_without_the_share_the_lines_would_be_above():
    """All values too large by as much as is said: the law is still below, by about as much."""
    shift, off = 0.5, 1e-9
    eps = np.linspace(0, 4.0, 2_000)
    delta, tail = gaussian(shift, eps)
    side = Known(*(Ends(one, one * (1 + 2 * off)) for one in (delta, tail)))
    atoms, at = below(eps, side, side), eps[500]
    found, exact = truth.listed_delta(atoms, at, upper=False), float(gaussian(shift, np.array([at]))[0][0])
    assert (1 - 6 * off) * exact <= found <= exact
    careless = found * (1 + off) / (1 - off)
    assert careless > exact


def test_what_errs_far_out_costs_nothing_nearer():
    """The same but for a far part that errs by a hundredth: what is nearer is as close, and that is still told."""
    eps = np.linspace(0, 4.0, 800)
    delta, tail = gaussian(0.5, eps)
    off = np.where(eps > 2, 1e-2, 1e-12)
    side = Known(*(Ends(one * (1 - off), one * (1 + off)) for one in (delta, tail)))
    atoms = below(eps, side, side)
    near, far = (truth.listed_delta(atoms, at, upper=False) for at in (1.0, 3.0))
    exact = gaussian(0.5, np.array([1.0, 3.0]))[0]
    assert (1 - 2e-4) * exact[0] <= near <= exact[0]
    assert (1 - 0.06) * exact[1] <= far <= (1 - 1e-2) * exact[1]
    assert atoms.loss[-1] > 3.5


def two_laws(p: np.ndarray, q: np.ndarray, eps: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Delta of finite losses, the second law's tail, and the infinite part."""
    sums = [(np.maximum(p - math.exp(e) * q, 0.0)[q > 0].sum(), q[p > math.exp(e) * q].sum()) for e in eps]
    delta, tail = (np.array(column) for column in zip(*sums, strict=True))
    return delta, tail, float(p[q == 0].sum())


@given(
    st.lists(st.floats(0.01, 1), min_size=2, max_size=6),
    st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_few_outcomes_and_nothing_between_them(first, second, infinite, infinite_back):
    """Many knots between which there is nothing, and outcomes that only one of the two laws has."""
    p, q = np.array(first), np.array(second[: len(first)])
    p, q = np.append(p, [0.3 * infinite, 0.0]), np.append(q, [0.0, 0.2 * infinite_back])
    p, q = p / p.sum(), q / q.sum()
    eps = np.linspace(0, 6, 400)
    (delta, tail, lost), (delta_back, tail_back, lost_back) = two_laws(p, q, eps), two_laws(q, p, eps)
    sides = known(delta, tail, 1e-12), known(delta_back, tail_back, 1e-12)
    atoms = below(eps, *sides, lost, lost_back)
    assert lost * (1 - 1e-10) <= atoms.infinite <= lost
    weight = np.exp(atoms.log_q)
    assert math.fsum(weight) <= 1 - lost_back + 1e-8  # of which as much may be given up as lines err
    for at in np.linspace(-5, 5, 41):
        exact = float(np.maximum(p - math.exp(at) * q, 0.0).sum())
        assert truth.listed_delta(atoms, at, upper=False) <= exact + 1e-12
    # Nothing is lost where there is nothing between knots: each outcome has a cell.
    assert truth.listed_delta(atoms, 0.0, upper=False) >= (delta[0] + lost) * (1 - 1e-6) - 1e-9


def test_what_is_not_certain_is_put_together():
    eps = np.linspace(0, 4.0, 100)
    delta, tail = gaussian(0.5, eps)
    off = np.where(eps > 2, 10 * MOST_OFF, 1e-12)
    side = Known(*(Ends(one * (1 - off), one * (1 + off)) for one in (delta, tail)))
    atoms = below(eps, side, side)
    assert 1.9 < atoms.loss[-1] < 2.3 and -2.3 < atoms.loss[0] < -1.9
    assert truth.listed_delta(atoms, 1.0, upper=False) == pytest.approx(gaussian(0.5, np.array([1.0]))[0][0], rel=3e-3)


def test_nothing_is_known_of_what_may_be_nothing():
    eps, nothing = np.linspace(0, 1, 5), np.zeros(5)
    side = Known(Ends(nothing, nothing + 1e-9), Ends(nothing, nothing + 1e-9))
    atoms = below(eps, side, side)
    assert atoms.loss.tolist() == [0.0] and atoms.log_q.tolist() == [0.0]
