"""The shuffled Gaussian: tails as slopes of its profile, cells by hand, what is refused, and its two protocols."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from shufflekit import GaussianShuffle, RandomAllocation
from shufflekit.definitions import Lognormal
from shufflekit.dominating_pairs import GaussianPair


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("sigma", "n"), [(1.0, 1), (1.0, 2), (0.7, 5), (2.0, 300)])
def test_a_tail_is_the_slope_of_the_profile(sigma: float, n: int, backwards: bool) -> None:
    """``Pr_Q[P/Q > a] = -dH/da``, by central differences."""
    pair = GaussianPair(sigma, n, backwards)
    deviation = math.sqrt(2 * math.pi) * float(pair.delta(np.zeros(1)).upper[0])
    eps = np.array([0.1, 0.5, 1.5]) * deviation
    alpha, step = np.exp(eps), 1e-3 * deviation
    here = pair.delta_and_tail(eps)[1]
    before, after = (pair.delta(np.log(alpha + side * step)).upper for side in (-1, 1))
    slope = (before - after) / (2 * step)
    assert (here.lower <= here.upper).all()
    assert here.lower == pytest.approx(slope, rel=1e-3)
    assert here.upper == pytest.approx(slope, rel=1e-3)


def test_the_tail_of_one_user_is_normal() -> None:
    """Y > a where the noise is above sigma log a + 1/(2 sigma)."""
    eps = np.array([0.0, 0.5, 2.0])
    found, wanted = GaussianPair(2.0, 1).delta_and_tail(eps)[1], ndtr(-0.25 - 2 * eps)
    assert (found.lower < wanted).all() and (wanted < found.upper).all()
    assert found.upper == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("sigma", [0.0499, 1.01e4])
def test_a_sigma_out_of_range_is_named(sigma: float) -> None:
    with pytest.raises(ValueError, match=f"sigma must be between 0.05 and 10,000, got {sigma!r}"):
        GaussianPair(sigma, 5)


def test_other_numbers_out_of_range_are_named() -> None:
    assert GaussianPair(0.05, 1).sigma == 0.05
    assert GaussianPair(1e4, 10**7).n == 10**7
    with pytest.raises(ValueError, match="sigma must be positive"):
        GaussianPair(0.0, 5)
    for n in (0, 10**7 + 1):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1 and at most 10,000,000"):
            GaussianPair(1.0, n)
        with pytest.raises(ValueError, match="steps must be a whole number of at least 1 and at most 10,000,000"):
            RandomAllocation(1.0, n)
    with pytest.raises(ValueError, match="eps must be"):
        GaussianPair(1.0, 5).delta(np.array([-0.1]))


def test_an_order_that_costs_too_much_is_named() -> None:
    pair = GaussianPair(50.0, 2)
    with pytest.raises(ValueError, match=r"order must be at most 2,000 for a shuffled Gaussian, got 2000\.5"):
        pair.divergence(np.array([2.0, 2000.5]))
    assert pair.divergence(np.array([3.0])).shape == (1,)


def test_of_one_user_the_divergence_is_that_of_the_gaussian() -> None:
    """Either way ``order/(2 sigma^2)``; between whole orders moments are taken for no less."""
    for backwards in (False, True):
        found = GaussianPair(2.0, 1, backwards).divergence(np.array([2.0, 2.5, 5.0]))
        wanted = np.array([2.0, 2.5, 5.0]) / 8
        assert (wanted <= found).all()
        assert found == pytest.approx(wanted, rel=0.08 if not backwards else 1e-2)
        assert found[[0, 2]] == pytest.approx(wanted[[0, 2]], rel=1e-2)


def test_the_way_back_is_the_other_one() -> None:
    assert GaussianPair(1.0, 5).reversed() == GaussianPair(1.0, 5, True)
    assert GaussianPair(1.0, 5, True).reversed() == GaussianPair(1.0, 5)
    assert GaussianPair(1.0, 5).largest_loss == math.inf


@pytest.mark.parametrize(
    ("protocol", "text", "source"),
    [
        (GaussianShuffle(2.0, 5_000), "GaussianShuffle(sigma=2, n=5_000)", "koskela2023"),
        (RandomAllocation(0.1 + 0.2, 5_000), "RandomAllocation(sigma=0.30000000000000004, steps=5_000)", "chua2025"),
    ],
)
def test_its_protocols(protocol: GaussianShuffle | RandomAllocation, text: str, source: str) -> None:
    assert repr(protocol) == text
    assert protocol.define() == Lognormal(protocol.sigma, 5_000)
    (attack,) = protocol.attacks
    assert (attack.source, attack.remark) == (source, "exact law")
    assert attack.define(float) == protocol.define()
    assert protocol.origin.source == source
    assert protocol.origin.remark
