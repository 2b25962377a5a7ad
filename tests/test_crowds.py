"""The sum of reports that is drawn at once has the law of the sum of reports drawn one by one."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

torch = pytest.importorskip("torch")

from shufflekit.learning.crowds import GROUP, GaussianSum, PrivUnitSum, R2Sum  # noqa: E402
from shufflekit.learning.gradients import Table  # noqa: E402
from shufflekit.learning.randomizers import R2, Gaussian, PrivUnit  # noqa: E402
from shufflekit.learning.streams import Draws  # noqa: E402

D, STEPS = 40, 1_000
RNG = np.random.default_rng(1)
ROWS = torch.from_numpy(RNG.normal(size=(GROUP + 5, D)).astype(np.float32))
ROWS[2], ROWS[3] = ROWS[1], -2 * ROWS[1]  # the span has fewer dimensions than there are clients
ROWS[4] = 0
ROWS[5] *= 0.02  # inside the ball of radius 1
ROWS[6] *= 1e-20
TABLE = Table(ROWS)


def sums(kind: Callable[..., Any], rows: Any = ROWS, eps0: float = 1.5) -> np.ndarray:
    randomizer = kind(D, eps0, 1.0)
    clients = torch.arange(len(rows))
    table = Table(rows)
    return np.array([randomizer.tally(table, Draws(7, step, clients)).numpy() for step in range(STEPS)])


KINDS = {R2Sum: R2, PrivUnitSum: PrivUnit}
AT_ONCE = {kind: sums(kind) for kind in KINDS}
ONE_BY_ONE = {kind: sums(one) for kind, one in KINDS.items()}
BOTH = pytest.mark.parametrize("kind", KINDS)


@BOTH
def test_sum_is_unbiased(kind: type[R2Sum | PrivUnitSum]) -> None:
    randomizer = kind(D, 1.5, 1.0)
    lengths = torch.linalg.vector_norm(ROWS.double(), dim=1)
    wanted = (ROWS.double() / lengths.clamp(min=1)[:, None]).sum(dim=0).numpy()
    found = randomizer.mean(torch.from_numpy(AT_ONCE[kind]), 1).numpy()
    spread = found.std(axis=0) / math.sqrt(STEPS)
    assert np.abs((found.mean(axis=0) - wanted) / spread).max() < 4
    assert (spread < 0.4).all()


def directions() -> dict[str, np.ndarray]:
    basis = {f"client {i}": ROWS[i].double().numpy() for i in (0, 1, 5, GROUP)}
    across = RNG.normal(size=D)
    across -= np.linalg.pinv(ROWS.double().numpy()) @ (ROWS.double().numpy() @ across)
    return {**basis, "across all": across, "an axis": np.eye(D)[0]}


@BOTH
@pytest.mark.parametrize("direction", directions().values(), ids=directions())
def test_each_component_has_the_same_law(direction: np.ndarray, kind: type[R2Sum | PrivUnitSum]) -> None:
    unit = direction / np.linalg.norm(direction)
    assert stats.ks_2samp(AT_ONCE[kind] @ unit, ONE_BY_ONE[kind] @ unit).pvalue > 0.001


@BOTH
def test_length_has_the_same_law(kind: type[R2Sum | PrivUnitSum]) -> None:
    at_once, one_by_one = (np.linalg.norm(found[kind], axis=1) for found in (AT_ONCE, ONE_BY_ONE))
    assert stats.ks_2samp(at_once, one_by_one).pvalue > 0.001
    assert at_once.std() == pytest.approx(one_by_one.std(), rel=0.12)


@BOTH
def test_covariance_is_the_same(kind: type[R2Sum | PrivUnitSum]) -> None:
    difference = np.cov(AT_ONCE[kind].T) - np.cov(ONE_BY_ONE[kind].T)
    scale = len(ROWS) / D
    assert np.abs(difference).max() < 6 * scale * math.sqrt(4 / STEPS)
    assert abs(np.trace(difference)) < 0.03 * scale * D


@pytest.mark.parametrize("row", [0, 4, 5])
def test_one_report_is_a_point_of_the_sphere_on_its_side(row: int) -> None:
    """The other tests would not see a length that is a little wrong."""
    found = sums(R2Sum, ROWS[row : row + 1], eps0=3.0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(STEPS), abs=1e-6)
    length = float(torch.linalg.vector_norm(ROWS[row]))
    share, s = min(length, 1.0), (math.exp(3) + 1) / (math.exp(3) - 1)
    if length:
        along = found @ ROWS[row].double().numpy() / length
        assert abs((along > 0).mean() - (1 + share / s) / 2) < 4 * math.sqrt(0.25 / STEPS)
        # (1 + <V, u>)/2 of a uniform point is Beta(half, half), and of |<V, u>| so is either side.
        beta = stats.beta((D - 1) / 2, (D - 1) / 2)
        assert stats.kstest(np.abs(along), lambda t: 2 * beta.cdf((1 + t) / 2) - 1).pvalue > 0.001


@pytest.mark.parametrize("row", [0, 4, 5])
def test_one_report_of_privunit_is_a_point_of_the_sphere_with_its_cap(row: int) -> None:
    found = sums(PrivUnitSum, ROWS[row : row + 1], eps0=3.0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(STEPS), abs=1e-6)
    length = float(torch.linalg.vector_norm(ROWS[row]))
    one_by_one = sums(PrivUnit, ROWS[row : row + 1], eps0=3.0)
    unit = ROWS[row].double().numpy() / length if length else np.eye(D)[0]
    assert stats.ks_2samp(found @ unit, one_by_one @ unit, method="asymp").pvalue > 0.001
    law = PrivUnitSum(D, 3.0, 1.0).law
    if length >= 1:  # a client with a whole direction reports from the cap with its probability
        beta = stats.beta((D - 1) / 2, (D - 1) / 2)
        in_cap = (found @ unit) > 1 - 2 * beta.ppf(law.cap_area)
        chance = law.cap_probability
        assert abs(in_cap.mean() - chance) < 4 * math.sqrt(chance * (1 - chance) / STEPS)


@BOTH
def test_two_reports_in_a_crowd_of_two_are_as_far_apart_as_they_should(kind: type[R2Sum | PrivUnitSum]) -> None:
    """|V + W|^2 = 2 + 2 <V, W>, and <V, W> is that of uniform points but for the little that the sides tell."""
    rows = ROWS[7:9].clone()
    lengths = [np.linalg.norm(sums(one, rows), axis=1) for one in (kind, KINDS[kind])]
    assert stats.ks_2samp(*lengths).pvalue > 0.001


@BOTH
def test_results_do_not_depend_on_what_is_tallied_together(kind: type[R2Sum | PrivUnitSum]) -> None:
    randomizer, clients = kind(D, 1.5, 1.0), torch.arange(len(ROWS))
    whole = randomizer.tally(TABLE, Draws(7, 0, clients))
    parts = [
        randomizer.tally(Table(ROWS[some]), Draws(7, 0, clients[some])) for some in (slice(GROUP), slice(GROUP, None))
    ]
    assert whole.numpy() == pytest.approx((parts[0] + parts[1]).numpy(), abs=1e-6)


@BOTH
def test_a_group_needs_room(kind: type[R2Sum | PrivUnitSum]) -> None:
    with pytest.raises(ValueError, match=r"d must be .* 32"):
        kind(2 * GROUP - 1, 1.0)
    assert kind(2 * GROUP, 1.0).size == 2 * GROUP


def test_gaussian_noise_is_as_large_as_that_of_all() -> None:
    randomizer, clients = GaussianSum(D, 0.7, 2.0), torch.arange(len(ROWS))
    found = np.array([randomizer.tally(TABLE, Draws(7, step, clients)).numpy() for step in range(STEPS)])
    length = torch.linalg.vector_norm(ROWS.double(), dim=1)
    noise = found - (ROWS.double() * (2 / length.clamp(min=2))[:, None]).sum(dim=0).numpy()
    deviation = 0.7 * 2.0 * math.sqrt(len(ROWS))
    assert stats.kstest(noise.ravel() / deviation, "norm").pvalue > 0.001
    assert np.abs(np.corrcoef(noise.T) - np.eye(D)).max() < 5 / math.sqrt(STEPS)
    assert np.abs(np.corrcoef(noise[1:], noise[:-1])[: STEPS - 1, STEPS - 1 :].diagonal()).mean() < 1.2 / math.sqrt(D)


def test_one_gaussian_report_is_its_own_sum() -> None:
    one, clients = Table(ROWS[:1]), torch.arange(1)
    sums = [kind(D, 0.7, 2.0).tally(one, Draws(7, 0, clients)) for kind in (GaussianSum, Gaussian)]
    assert torch.equal(*sums)
