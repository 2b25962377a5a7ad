"""How many came to a noisy mean: what each number shows, by hand; and at places among many of them."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs import came as module
from shufflekit.dominating_pairs.came import Shown, came, log_y, numbers
from shufflekit.dominating_pairs.few_places import PLACES


@pytest.mark.parametrize("replaced", [True, False])
def test_each_number_by_itself(replaced: bool) -> None:
    """k = j + 1 came, of N = 12: P with the record m1, without m0, Q's chance V."""
    N, rate, sigma, distance = 12, 0.3, 0.5, 2.0
    found = came(NoisyMean(sigma, N, rate, distance, replaced), -80.0)
    shown, k = found.shown, np.arange(1, N + 1)
    m1 = rate * binom.pmf(k - 1, N - 1, rate)
    if replaced:
        V = binom.pmf(k, N, rate)
        m0 = V - m1
    else:
        V = binom.pmf(k, N - 1, rate)
        m0 = (1 - rate) * V
    assert (shown.number == k).all()
    assert shown.came == pytest.approx(m1, rel=1e-12)
    assert shown.ratio == pytest.approx(V / m1, rel=1e-12, abs=1e-15)
    assert shown.ease == pytest.approx((V - m0) / m1, rel=1e-9, abs=1e-15)
    assert shown.shift == pytest.approx(distance / sigma / np.sqrt(k))
    assert found.missing == 0 and not len(found.stretches.length)
    assert 0 < found.error < 1e-9


@pytest.mark.parametrize("replaced", [True, False])
@pytest.mark.parametrize(("population", "rate"), [(10_000, 0.3), (10_000, 0.8), (10**6, 0.01)])
def test_many_numbers_at_few_places(replaced: bool, population: int, rate: float) -> None:
    """Their chances, means and squares sum to the binomial ones; stretches follow each other, without gaps."""
    mean = NoisyMean(1.0, population, rate, 2.0, replaced)
    found, (first, last) = came(mean, -60.0), numbers(mean, -60.0)
    chance, k = found.shown.came, found.shown.number
    assert len(k) < (last - first) / 2
    assert first <= k[0] and k[-1] <= last and (np.diff(k) > 0).all()
    assert found.missing == 2 * math.exp(-60.0)
    assert binom.cdf(first - 2, population - 1, rate) + binom.sf(last - 1, population - 1, rate) < found.missing
    law = binom(population - 1, rate)
    assert chance.sum() == pytest.approx(rate, rel=1e-11)
    assert chance @ (k - 1) == pytest.approx(rate * law.mean(), rel=1e-11)
    assert chance @ (k - 1 - law.mean()) ** 2 == pytest.approx(rate * law.var(), rel=1e-9)
    start, length, used = found.stretches
    assert used.all() and (length > PLACES).all()
    assert (start[1:] >= start[:-1] + length[:-1]).all()


def test_the_number_of_all_is_for_itself() -> None:
    """It has infinite losses, where a record is removed."""
    found = came(NoisyMean(1.0, 3_000, 0.9, 2.0, False), -700.0)
    assert found.shown.number[-1] == 3_000 and found.shown.ratio[-1] == 0
    assert (found.shown.ratio[:-1] > 0).all()
    assert found.shown.came[-1] == pytest.approx(0.9**3_000, rel=1e-10)


def test_where_all_always_come_only_that_is_shown() -> None:
    found = came(NoisyMean(1.0, 5, 1.0, 2.0, False), -60.0)
    assert found.shown.came.tolist() == [1.0]
    assert found.shown.ratio.tolist() == [0.0]


def test_stretches_are_shorter_where_a_number_itself_says_more(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = len(came(NoisyMean(1.0, 10**6, 0.1, 2.0, False), -60.0).shown.came)
    quieter = len(came(NoisyMean(10.0, 10**6, 0.1, 2.0, False), -60.0).shown.came)
    assert quieter > 2 * alone
    monkeypatch.setattr(module, "LENGTH", 2 * module.LENGTH)
    came.cache_clear()
    assert len(came(NoisyMean(1.0, 10**6, 0.1, 2.0, False), -60.0).shown.came) < 0.7 * alone
    came.cache_clear()


EPS = np.array([-0.5, 0.0, 0.1, 2.0])


def shown(ratio: list[float], ease: list[float]) -> Shown:
    one = np.ones(len(ratio))
    return Shown(one, one, np.array(ratio), np.array(ease), one)


def test_the_threshold_of_a_replaced_record() -> None:
    """y = 1 + (a - 1) N/k; where all came it is a itself."""
    known = shown([4.0, 1.25, 1.0], [1.0, 1.0, 1.0])
    log, off = log_y(NoisyMean(1.0, 4, 0.5, 2.0, True), EPS, known)
    for row, error, eps in zip(log, off, EPS, strict=True):
        y = 1 + math.expm1(eps) * known.ratio
        assert row[y > 1e-12] == pytest.approx(np.log(y[y > 1e-12]), rel=1e-12)
        assert row[2] == eps
        assert (row[y <= 0] < -33).all() and (error[y <= 0] == math.inf).all()
        assert (error[y > 1e-12] < 1e-13).all()


def test_the_threshold_of_a_removed_record() -> None:
    """y = (a - 1) ratio + rate ratio: nothing where a is 1 - rate or less, or the ratio 0."""
    known = shown([4.0, 0.5, 0.0], [1.2, 0.15, 0.0])
    log, off = log_y(NoisyMean(1.0, 4, 0.3, 2.0, False), EPS, known)
    for row, error, eps in zip(log, off, EPS, strict=True):
        rest = math.expm1(eps) + 0.3
        if rest > 0:
            assert row[:2] == pytest.approx(np.log(rest * known.ratio[:2]), rel=1e-12)
            assert (error[:2] < 1e-13).all()
        else:
            assert (error == math.inf).all()
        assert row[2] == -math.inf


@pytest.mark.parametrize("replaced", [True, False])
def test_a_threshold_that_nearly_cancels_says_how_far_off_it_is(replaced: bool) -> None:
    eps = math.log1p(-0.3) + 1e-9 if not replaced else math.log1p(-0.25) + 1e-9
    known = shown([4.0], [1.0 if replaced else 1.2])
    log, off = log_y(NoisyMean(1.0, 4, 0.3, 2.0, replaced), np.array([eps]), known)
    assert math.log(1e-9) < log[0, 0] < math.log(1e-8)
    assert 1e-8 < off[0, 0] < 1e-5
    gone, unsure = log_y(NoisyMean(1.0, 4, 0.3, 2.0, replaced), np.array([eps - 2e-9]), known)
    assert gone[0, 0] == -math.inf or gone[0, 0] < -33
    assert unsure[0, 0] == math.inf
