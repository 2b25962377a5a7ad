"""Training by check-ins: who comes, what they hold and send, and what it costs."""

import dataclasses
import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from mpmath import erfc, mp, mpf, sqrt
from scipy import stats

torch = pytest.importorskip("torch")

from shufflekit import DistributedCheckIn, ShuffledCheckIn  # noqa: E402
from shufflekit.learning import check_in_plans, data, streams  # noqa: E402
from shufflekit.learning.check_in_plans import FIGURES, QUICK, CheckInPlan, noise_of  # noqa: E402
from shufflekit.learning.crowds import GaussianSum, R2Sum  # noqa: E402
from shufflekit.learning.gradients import parameter_count  # noqa: E402
from shufflekit.learning.models import check_in_network  # noqa: E402
from shufflekit.learning.training import Training  # noqa: E402

PLAN = CheckInPlan(check_in=0.3, radius=0.5, rates=((2, 1.0),), eps0=4.0, look=3)


def pictures(n: int) -> data.DataSet:
    found = data.digits()
    return data.DataSet(
        data.Images(*(part[:n] for part in found.train)), data.Images(*(part[:50] for part in found.test))
    )


# Who comes.


def test_each_comes_by_her_own_coin() -> None:
    n, rate, steps = 40, 0.3, 4_000
    table = np.zeros((steps, n))
    for step in range(steps):
        come = PLAN.clients(step, n)
        assert come.dtype == torch.int64
        assert (come.diff() > 0).all()
        table[step, come.numpy()] = 1
    assert np.abs(table.mean(axis=0) - rate).max() < 4.5 * math.sqrt(rate * (1 - rate) / steps)
    numbers = np.bincount(table.sum(axis=1).astype(int), minlength=n + 1)
    wanted = steps * stats.binom.pmf(np.arange(n + 1), n, rate)
    many = wanted > 5
    seen, law = (np.append(part[many], part[~many].sum()) for part in (numbers, wanted))
    assert stats.chisquare(seen, law).pvalue > 1e-4
    # Any two are independent, in a step and from one step to the next.
    assert np.abs(np.corrcoef(table.T) - np.eye(n)).max() < 5 / math.sqrt(steps)
    assert np.abs(np.corrcoef(table[1:].T, table[:-1].T)[:n, n:]).max() < 5 / math.sqrt(steps)


def test_rate_one_calls_all_and_a_small_rate_often_none() -> None:
    assert dataclasses.replace(PLAN, check_in=1.0).clients(0, 9).tolist() == list(range(9))
    rare = dataclasses.replace(PLAN, check_in=1e-4)
    assert sum(len(rare.clients(step, 9)) for step in range(50)) <= 2


def test_a_population_holds_pictures_drawn_with_replacement() -> None:
    plan = dataclasses.replace(PLAN, population=20_000)
    assert plan.size(7) == 20_000
    held = plan.pictures(torch.arange(20_000), 7)
    assert stats.chisquare(np.bincount(held.numpy(), minlength=7)).pvalue > 1e-4
    some = torch.tensor([5, 19_999, 17])
    assert torch.equal(plan.pictures(some, 7), held[some])  # the same in every step
    assert not torch.equal(dataclasses.replace(plan, seed=1).pictures(torch.arange(20_000), 7), held)
    assert torch.equal(PLAN.pictures(some, 30_000), some)
    assert streams.bootstrap(3, 5, 1).tolist() == [0] * 5


# What they send.


def test_reports_are_of_the_kind_that_is_asked_for() -> None:
    sphere = PLAN.make_randomizer(100)
    assert isinstance(sphere, R2Sum)
    assert (sphere.eps0, sphere.radius) == (4.0, 0.5)
    noisy = dataclasses.replace(PLAN, eps0=None, sigma=0.7).make_randomizer(100)
    assert isinstance(noisy, GaussianSum)
    assert (noisy.sigma, noisy.radius) == (0.7, 0.5)
    approximate = dataclasses.replace(PLAN, delta0=1e-6).make_randomizer(100)
    assert isinstance(approximate, GaussianSum)
    assert approximate.sigma == noise_of(4.0, 1e-6)


@pytest.mark.parametrize(("eps0", "delta0"), list(itertools.product((0.1, 1.0, 8.0, 30.0), (1e-3, 1e-6, 10**-10.5))))
def test_noise_is_the_least_of_four_digits(eps0: float, delta0: float) -> None:
    def delta(sigma: float) -> Any:
        """Of N(0, sigma^2) against the same moved by 2: P(loss > eps0) - e^eps0 Q(loss > eps0)."""
        with mp.workdps(40):
            s, eps = mpf(sigma), mpf(eps0)
            upper = erfc((eps * s / 2 - 1 / s) / sqrt(2)) / 2
            return upper - mp.exp(eps) * erfc((eps * s / 2 + 1 / s) / sqrt(2)) / 2

    found = noise_of(eps0, delta0)
    below = found - 10.0 ** (math.floor(math.log10(found)) - 3)
    assert delta(found) <= delta0 < delta(below)
    assert f"{found:.4g}" == f"{found:.10g}"


# A step.


def test_a_step_goes_along_the_mean_of_those_who_came() -> None:
    """Without noise to speak of: the mean of the clipped gradients of the clients that came."""
    from shufflekit.learning.gradients import reference

    plan = dataclasses.replace(PLAN, eps0=None, sigma=1e-9, population=200)
    run = Training(plan, pictures(60))
    come = plan.clients(0, 60)
    held = plan.pictures(come, 60)
    rows = reference(run.model, run.train.x[held], run.train.y[held]).full().double()
    clipped = rows * (0.5 / torch.linalg.vector_norm(rows, dim=1).clamp(min=0.5))[:, None]
    before = run.theta.double()
    run.advance()
    assert run.theta.double().numpy() == pytest.approx((before - clipped.mean(dim=0)).numpy(), abs=1e-6)


def test_where_nobody_comes_nothing_moves() -> None:
    run = Training(dataclasses.replace(PLAN, check_in=1e-9), pictures(60))
    before = run.theta
    run.run()
    assert torch.equal(run.theta, before)
    assert (run.step, len(run.accuracy)) == (6, 3)


def test_a_stopped_run_goes_on_to_the_same_bits(tmp_path: Any) -> None:
    whole = Training(PLAN, pictures(60))
    whole.run()

    def watch(run: Training) -> None:
        if run.step == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Training(PLAN, pictures(60), folder=tmp_path).run(watch)
    again = Training(PLAN, pictures(60), folder=tmp_path)
    assert again.step == 3
    again.run()
    assert torch.equal(again.theta, whole.theta)


def test_the_network_is_that_of_table_2() -> None:
    model = check_in_network(3)
    assert parameter_count(model) == 10_650
    x = torch.rand(2, 1, 28, 28)
    shapes = [tuple((x := layer(x)).shape[1:]) for layer in model]
    assert shapes[1] == (16, 14, 14)
    assert shapes[3] == (16, 7, 7)
    assert shapes[4] == (32, 2, 2)
    assert shapes[-1] == (10,)


# What it costs.


def test_cost_is_that_of_the_protocol() -> None:
    assert PLAN.spent(60, 5) == ShuffledCheckIn(4.0, 60, 0.3) * 5
    large = dataclasses.replace(PLAN, population=500)
    assert large.spent(60, 5) == ShuffledCheckIn(4.0, 500, 0.3) * 5
    noisy = dataclasses.replace(PLAN, eps0=None, sigma=0.7)
    assert noisy.spent(60, 5) == DistributedCheckIn(0.7, 60, 0.3) * 5
    assert noisy.surrogate_delta(60, 5, 1.0) == PLAN.surrogate_delta(60, 5, 1.0) == 0


def test_what_delta0_costs_is_said() -> None:
    plan = FIGURES["federated"]
    assert plan.delta0 == pytest.approx(3.162e-11, rel=1e-3)
    cost = plan.surrogate_delta(60_000, 5_000, 0.08)
    assert cost == pytest.approx(5_000 * 1_000 * plan.delta0 * 2.083, rel=1e-3)
    assert cost > 1e-4


def test_figures_are_as_the_paper_has_them() -> None:
    one = FIGURES["ldp-sgd"]
    assert (one.eps0, one.check_in, one.radius) == (2.0, 0.1, 0.1)
    assert one.epochs * one.look == 6_800
    assert (FIGURES["distributed"].sigma, FIGURES["distributed-louder"].sigma) == (0.65, 0.86)
    assert QUICK.keys() == FIGURES.keys()


@pytest.mark.parametrize(
    ("change", "kind", "told"),
    [
        ({"check_in": 0}, ValueError, "check_in must be"),
        ({"check_in": 1.5}, ValueError, "check_in must be"),
        ({"radius": -1}, ValueError, "radius must be"),
        ({"rates": ()}, ValueError, "rates must be one or more pairs"),
        ({"eps0": None}, ValueError, "give exactly one of eps0 and sigma, got eps0=None, sigma=None"),
        ({"sigma": 1.0}, ValueError, "give exactly one of eps0 and sigma, got eps0=4.0, sigma=1.0"),
        ({"eps0": None, "sigma": 1.0, "delta0": 1e-5}, ValueError, "delta0 must be left out where sigma is given"),
        ({"eps0": 0.0}, ValueError, "eps0 must be"),
        ({"eps0": None, "sigma": 0.0}, ValueError, "sigma must be"),
        ({"delta0": 1.0}, ValueError, "delta0 must be"),
        ({"population": 0}, ValueError, "population must be"),
        ({"population": 10**9}, ValueError, "population must be"),
        ({"look": 0}, ValueError, "look must be"),
        ({"ball": 0.0}, ValueError, "ball must be"),
        ({"seed": -1}, ValueError, "seed must be"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(change: dict[str, Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=re.escape(told)):
        dataclasses.replace(PLAN, **change)


def test_quick_plans_learn_visibly() -> None:
    for name, plan in QUICK.items():
        run = Training(plan, data.digits())
        run.run()
        assert run.accuracy[-1] > 0.25, name  # chance is a tenth
    assert check_in_plans.QUICK is QUICK
