"""One score on a grid, and what its moments say of sums: by hand, by binomial laws and by the normal law."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit.dominating_pairs.score_grid import LogMoments, finite_score, log_sum, on_grid

COIN = finite_score(np.array([-1.0, 1.0]), np.array([0.5, 0.5]), 2.0)  # K is 0 or 1


def test_masses_are_divided_with_their_means_kept() -> None:
    """Places 0, 1.25 and 3.5 from the least value on; the last cell ends at 4."""
    found = finite_score(np.array([2.0, 2.625, 3.75]), np.array([0.5, 0.25, 0.25]), 0.5)
    assert (found.low, found.step) == (2.0, 0.5)
    assert found.mass == pytest.approx([0.5, 0.1875, 0.0625, 0.125, 0.125])
    assert found.mean == pytest.approx(0.25 * 1.25 + 0.25 * 3.5)
    # Given K, the mean of the unrounded place; where no mass is, the place itself.
    assert found.place == pytest.approx([0.0, 1.25, 1.25, 3.5, 3.5])


def test_two_masses_of_one_cell_have_one_mean() -> None:
    found = on_grid(0.0, 1.0, np.array([1, 1]), np.array([0.5, 0.25]), np.array([0.0, 0.5]))
    assert found.mass == pytest.approx([0.0, 0.625, 0.125])
    assert found.place == pytest.approx([0.0, (0.5 + 0.125 * 1.5) / 0.625, 1.5])
    assert found.mean == pytest.approx((0.5 + 0.25 * 1.5) / 0.75)


def test_the_log_of_a_sum() -> None:
    assert log_sum(np.log([1.0, 2.0, 5.0])) == pytest.approx(math.log(8))
    assert log_sum(np.array([1_000.0, 1_000.0])) == pytest.approx(1_000 + math.log(2))
    assert log_sum(np.array([-np.inf, 3.0])) == 3.0


@pytest.mark.parametrize("tilt", [-3.0, 0.0, 0.7])
def test_the_moments_of_a_coin(tilt: float) -> None:
    moments, share = LogMoments(COIN), 1 / (1 + math.exp(-tilt))
    assert moments(tilt) == moments.exactly(tilt) == pytest.approx(math.log((1 + math.exp(tilt)) / 2), abs=1e-15)
    assert moments.tilted(tilt) == pytest.approx((share, math.sqrt(share * (1 - share))))


def test_lumps_far_from_the_mean_are_no_less() -> None:
    """Of 20,000 cells some thousand are kept, all near the mean."""
    size = 20_000
    score = on_grid(0.0, 1.0, np.arange(size), np.full(size, 1 / size), np.zeros(size))
    moments = LogMoments(score)
    near = np.abs(moments.place - size / 2) < 250
    assert np.array_equal(np.diff(moments.place[near]), np.ones(near.sum() - 1))
    assert 499 <= near.sum() <= 501
    assert len(moments.place) < 2_500
    assert math.fsum(np.exp(moments.log_mass)) == pytest.approx(1, rel=1e-12)
    for tilt in (-1e-2, 1e-4, 1e-3):
        assert moments.exactly(tilt) <= moments(tilt) <= moments.exactly(tilt) + 0.05
    assert moments.tilted(0.0)[0] == pytest.approx(score.mean, rel=1e-12)


@pytest.mark.parametrize("n", [100, 10**4])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("log_mass", [-10.0, -20.0])
def test_a_tilt_for_what_is_rare(n: int, side: int, log_mass: float) -> None:
    """Of a nearly normal sum of deviation s, ``sqrt(-2 log_mass)/s``; found from above, and nearly."""
    moments = LogMoments(COIN)
    found = moments.tilt_for_rarity(n, log_mass, side)
    assert found * side > 0
    mean, _ = moments.tilted(found)
    assert log_mass * 1.01 <= n * (moments(found) - found * mean) <= log_mass * (1 - 1e-12)
    assert found == pytest.approx(side * math.sqrt(-2 * log_mass) / (math.sqrt(n) / 2), rel=0.15)


@pytest.mark.parametrize("at", [50.0, 60.0, 75.0])
def test_a_tilt_for_a_mean(at: float) -> None:
    found = LogMoments(COIN).tilt_for_mean(100, at)
    assert found == pytest.approx(math.log(at / (100 - at)), abs=1e-4)
    assert LogMoments(COIN).tilt_for_mean(100, 40.0) == 0


def test_beyond_all_values_a_tilt_is_still_found() -> None:
    """Where the tilted score has nearly one value."""
    moments = LogMoments(COIN)
    found = moments.tilt_for_mean(100, 101.0)
    assert moments.tilted(found)[1] < 1e-3 < moments.tilted(found / 1.5)[1]


@pytest.mark.parametrize(("n", "tilt"), [(100, 0.0), (100, 1.0), (1_000, -0.5)])
@pytest.mark.parametrize("log_tail", [-5.0, -30.0])
def test_a_reach_leaves_out_what_may_be(n: int, tilt: float, log_tail: float) -> None:
    """And is not much wider: Chernoff's bound loses a factor, the rates tried another bit."""
    low, high = LogMoments(COIN).reach(n, tilt, log_tail)
    share = 1 / (1 + math.exp(-tilt))
    assert 0 <= low < n * share < high <= n
    below, above = binom.logcdf(low - 1, n, share), binom.logsf(high, n, share)
    assert below <= log_tail and above <= log_tail
    deviation = math.sqrt(n * share * (1 - share))
    far = 1.5 * math.sqrt(-2 * log_tail) * deviation + 3
    assert high <= n * share + far and low >= n * share - far


def test_a_score_of_one_value_reaches_that() -> None:
    one = finite_score(np.array([3.0]), np.ones(1), 0.5)
    assert LogMoments(one).reach(7, 0.0, -20.0) == (0, 0)


@pytest.mark.parametrize("at", [60, 75, 90])
def test_the_tail_above_is_bounded(at: int) -> None:
    """``E[K/at; K > at]``, which is not much less."""
    n = 100
    k = np.arange(at + 1, n + 1)
    truth = math.log(float(binom.pmf(k, n, 0.5) @ (k / at)))
    assert truth <= LogMoments(COIN).log_tail(n, at, 1) <= truth + 7


@pytest.mark.parametrize("at", [10, 25, 40])
def test_the_tail_below_is_bounded(at: int) -> None:
    truth = float(binom.logcdf(at - 1, 100, 0.5))
    assert truth <= LogMoments(COIN).log_tail(100, at, -1) <= truth + 7


def test_a_rate_below_one_over_at_serves_no_mean() -> None:
    """Of few sums ``K/at`` may be far above 1: rates of 1/at at least."""
    n, at = 4, 1
    truth = math.log(float(binom.pmf([2, 3, 4], n, 0.5) @ np.array([2.0, 3.0, 4.0])))
    assert LogMoments(COIN).log_tail(n, at, 1) >= truth
