"""How many came to a noisy mean: what each number shows, by hand; and cells of them on either side."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs import came as module
from shufflekit.dominating_pairs.came import Shown, came, log_y

WAYS = [(True, False), (True, True), (False, False), (False, True)]


@pytest.mark.parametrize(("replaced", "backwards"), WAYS)
def test_each_number_by_itself(replaced: bool, backwards: bool) -> None:
    """k = j + 1 came, of N = 12: P with the record m1, without m0, Q's chance V."""
    N, rate, sigma, distance = 12, 0.3, 0.5, 2.0
    found = came(NoisyMean(sigma, N, rate, distance, replaced), -80.0, 1e-4, backwards)
    k = np.arange(1, N + 1)
    m1 = rate * binom.pmf(k - 1, N - 1, rate)
    if replaced:
        V = binom.pmf(k, N, rate)
        m0 = V - m1
    else:
        V = binom.pmf(k, N - 1, rate)
        m0 = (1 - rate) * V
    for shown in (found.lower, found.upper):
        assert shown.came == pytest.approx(m1, rel=1e-12)
        assert shown.ratio == pytest.approx(V / m1, rel=1e-12, abs=1e-15)
        assert shown.ease == pytest.approx((V - m0) / m1, rel=1e-9, abs=1e-15)
        assert shown.shift == pytest.approx(distance / sigma / np.sqrt(k))
    assert found.missing == 0
    assert 0 < found.error < 1e-9


@pytest.mark.parametrize(("replaced", "backwards"), WAYS)
def test_cells_are_on_either_side(replaced: bool, backwards: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Upper: the least number's shift, and the ratio of the largest, or, removed backwards, that of the least."""
    monkeypatch.setattr(module, "CELLS", 4)
    mean = NoisyMean(1.0, 1_000, 0.5, 2.0, replaced)
    found = came(mean, -20.0, 0.5, backwards)
    assert 1 < len(found.lower.came) < 40
    assert found.missing == 2 * math.exp(-20.0)
    least, most = 4 / found.upper.shift**2, 4 / found.lower.shift**2
    assert (most >= least).all() and (most > least).any()
    assert (np.round(least)[1:] == np.round(most)[:-1] + 1).all()

    def ratio(k: np.ndarray) -> np.ndarray:
        return 1_000 / k if replaced else (1_000 - k) / k / 0.5

    worst, best = (least, most) if not replaced and backwards else (most, least)
    assert found.upper.ratio == pytest.approx(ratio(worst))
    assert found.lower.ratio == pytest.approx(ratio(best))
    chance = [
        0.5 * (binom.cdf(high - 1, 999, 0.5) - binom.cdf(low - 2, 999, 0.5))
        for low, high in zip(np.round(least), np.round(most), strict=True)
    ]
    assert found.upper.came == pytest.approx(chance, rel=1e-6, abs=1e-15)


def test_where_all_always_come_only_that_is_shown() -> None:
    found = came(NoisyMean(1.0, 5, 1.0, 2.0, False), -60.0, 1e-4, False)
    assert found.upper.came.sum() == pytest.approx(1)
    assert found.upper.ratio[-1] == 0


EPS = np.array([-0.5, 0.0, 0.1, 2.0])


def test_the_threshold_of_a_replaced_record() -> None:
    """y = 1 + (a - 1) N/k; where all came it is a itself."""
    shown = Shown(np.ones(3), np.array([4.0, 1.25, 1.0]), np.ones(3), np.ones(3))
    log, off = log_y(NoisyMean(1.0, 4, 0.5, 2.0, True), EPS, shown)
    for row, error, eps in zip(log, off, EPS, strict=True):
        y = 1 + math.expm1(eps) * shown.ratio
        wanted = np.where(y > 1e-12, np.log(np.maximum(y, 1e-300)), -np.inf)
        assert row == pytest.approx(wanted, rel=1e-12)
        assert row[2] == eps
        assert (error[np.isfinite(row)] < 1e-13).all()


def test_the_threshold_of_a_removed_record() -> None:
    """y = (a - 1) ratio + rate ratio: nothing where a is 1 - rate or less, or the ratio 0."""
    shown = Shown(np.ones(3), np.array([4.0, 0.5, 0.0]), np.array([1.2, 0.15, 0.0]), np.ones(3))
    log, off = log_y(NoisyMean(1.0, 4, 0.3, 2.0, False), EPS, shown)
    for row, error, eps in zip(log, off, EPS, strict=True):
        rest = math.expm1(eps) + 0.3
        wanted = [math.log(rest * r) if rest > 0 and r else -math.inf for r in shown.ratio]
        assert row == pytest.approx(wanted, rel=1e-12)
        assert (error[np.isfinite(row)] < 1e-13).all()


@pytest.mark.parametrize("replaced", [True, False])
def test_a_threshold_that_nearly_cancels_says_how_far_off_it_is(replaced: bool) -> None:
    eps = math.log1p(-0.3) + 1e-9 if not replaced else math.log1p(-0.25) + 1e-9
    shown = Shown(np.ones(1), np.array([4.0]), np.array([1.0 if replaced else 1.2]), np.ones(1))
    log, off = log_y(NoisyMean(1.0, 4, 0.3, 2.0, replaced), np.array([eps]), shown)
    assert math.log(1e-9) < log[0, 0] < math.log(1e-8)
    assert 1e-8 < off[0, 0] < 1e-5
    gone, _ = log_y(NoisyMean(1.0, 4, 0.3, 2.0, replaced), np.array([eps - 2e-9]), shown)
    assert gone[0, 0] == -math.inf
