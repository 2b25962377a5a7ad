"""Gradient descent fed by check-ins: unbiased, second moments as in the proofs, and the rate of the theorem."""

import math

import numpy as np
import pytest

from shufflekit import RandomCheckIn
from shufflekit import check_in_sgd as sgd
from shufflekit.papers import balle2020
from shufflekit.papers.balle2020 import hiding_bench, learning_bench, swapping
from shufflekit.vector_randomizers import PrivUnit

MANY = 20_000


def rng(seed=0):
    return np.random.default_rng(seed)


def test_check_ins_are_a_multinomial():
    loads = sgd.check_ins(30, 10, 0.5, MANY, rng())
    assert loads.shape == (MANY, 10)
    assert (loads.sum(axis=1) <= 30).all()
    assert (loads == 0).mean() == pytest.approx(float(balle2020.empty_chance(30, 10, 0.5)), abs=0.005)
    assert (sgd.check_ins(30, 10, 1.0, 5, rng()).sum(axis=1) == 30).all()


def test_window_check_ins_by_their_chances():
    loads = sgd.window_check_ins(6, 3, MANY, rng())
    assert (loads.sum(axis=1) == 6).all()
    assert (loads == 0).mean(axis=0) == pytest.approx(balle2020.prop44_slot(6, 3, np.arange(1, 9)), abs=0.02)


@pytest.mark.parametrize("problem", [sgd.Median(d=3), sgd.Mean(d=3)])
@pytest.mark.parametrize("clients", [1, 4])
def test_mean_gradients_are_unbiased(problem, clients):
    """Against the slope of the excess loss."""
    theta = np.full((MANY, 3), -0.1)
    found = problem.mean_gradient(theta, np.full(MANY, clients), rng()).mean(axis=0)
    step = 1e-6 * np.eye(3)
    slope = (problem.excess(theta[0] + step) - problem.excess(theta[0] - step)) / 2e-6
    assert found == pytest.approx(slope, abs=0.02)
    assert (problem.mean_gradient(theta, np.zeros(MANY, int), rng()) == 0).all()
    assert problem.excess(problem.centre) == 0


def test_a_client_of_the_median_has_a_gradient_of_length_1():
    problem = sgd.Median(d=5)
    gradients = problem.mean_gradient(np.zeros((100, 5)), np.ones(100, int), rng())
    assert np.linalg.norm(gradients, axis=1) == pytest.approx(np.ones(100))


def test_the_spread_of_a_mean_is_what_the_smooth_bound_is_told():
    problem = sgd.Mean(d=5, spread=0.4, beta=2.0)
    theta = np.zeros((MANY, 5))
    off = problem.mean_gradient(theta, np.ones(MANY, int), rng()) - 2.0 * (theta - problem.centre)
    assert (off**2).sum(axis=1).mean() == pytest.approx(problem.L**2, rel=0.03)


def test_a_step_of_one_client_is_as_the_proof_needs_it():
    """One slot: the first step has the second moment of 15.3, noise in empty slots included, and the right mean."""
    problem, c = sgd.Median(d=4, sigma=0.7, R=1e9), 1.0
    n, p0 = 1, 0.5
    moved = []
    original, sgd_excess = sgd.project, problem.excess
    assert sgd_excess(problem.centre) == 0

    def spy(theta, radius):
        moved.append(theta.copy())
        return original(theta, radius)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sgd, "project", spy)
        sgd.one_client(problem, n, 1, p0, c, MANY, rng())
    second = (moved[0] ** 2).sum(axis=1).mean()
    assert second == pytest.approx(balle2020.thm35_second_moment_sharp(0.5, 4, 0.7, 1.0), rel=0.03)
    assert moved[0].mean(axis=0) == pytest.approx(np.full(4, 0.6 / 2), abs=0.05)


def test_runs_are_repeatable_and_stay_in_the_ball():
    problem = sgd.Median()
    one, two = (sgd.averaged(problem, 300, 100, 0.5, 3, rng(4)) for _ in range(2))
    assert (one.last == two.last).all()
    assert (one.mean == two.mean).all()
    assert one.last.shape == (3,)


@pytest.mark.parametrize("way", [learning_bench.alone, learning_bench.together])
def test_the_rate(way):
    found = way(sgd.Median(d=10, honest=0.6, sigma=0.5), [100, 1000, 10_000])
    assert found.slope == pytest.approx(-0.5, abs=0.1)
    assert (found.mean < found.at_most).all()
    assert (found.at_most <= found.promised).all()


def test_slope():
    assert sgd.slope([1, 10, 100], [3, 0.3, 0.03]) == pytest.approx(-1)


LEARNING = {"prop34_points": 72, "prop44_points": 5, "second_moments": 36, "smooth_points": 8}
LEARNING |= {"inverse_loads": 25, "steps": 41}
HIDING = {"shuffles": 12, "averaged_slots": 36, "bins": 80, "swaps": 30, "norms": 64, "posteriors": 2600}
HIDING |= {"replacements": 12, "telling_windows": 6}


@pytest.mark.parametrize(("name", "points"), (LEARNING | HIDING).items())
def test_the_notebooks_points(name, points):
    bench = learning_bench if name in LEARNING else hiding_bench
    lhs, rhs, over = getattr(bench, name)()
    assert len(lhs) == len(rhs) == len(over["where"]) == points
    assert all(a <= b * (1 + 1e-10) for a, b in zip(lhs, rhs, strict=True))


def test_the_display_before_the_posterior():
    lhs, rhs, _ = hiding_bench.displays()
    assert lhs == rhs
    truth, printed, _ = hiding_bench.printed_display()
    assert truth != printed
    assert swapping.display((1, 1, 1), 2) == swapping.display_corrected((1, 1, 1), 2) == 1


def test_what_is_counted_is_about_what_the_propositions_say():
    """20 runs of each number of slots, 2,000 of the window; to five standard errors, a count varying by its mean."""
    found = learning_bench.counted_dummies(100)
    assert (found.at[0], found.at[-1], len(found.at)) == (10, 400, 16)
    empty = balle2020.prop34(100, found.at, 1.0)
    assert (abs(found.mean - empty) <= 5 * np.sqrt(np.maximum(empty, 0.1) / learning_bench.RUNS)).all()
    found = learning_bench.counted_window(30, 5)
    assert found.at.tolist() == list(range(1, 35))
    assert (abs(found.mean - balle2020.prop44_slot(30, 5, found.at)) <= 5 * 0.5 / math.sqrt(2_000)).all()


def test_the_printed_step_and_the_best():
    """At x = 1/2 and m = 1, where G^2 is 2: (2 - x)/(1 - x) against 2/sqrt(1 - x)."""
    assert learning_bench.printed_step() == (pytest.approx(3.0), pytest.approx(2 * math.sqrt(2)), {"x": 0.5})


def test_what_privacy_costs():
    """With x the chance of an empty slot and s PrivUnit's second moment: ((s - 1)/(1 - x) + 1)/(1 - x), and R = 2."""
    second, x = PrivUnit(10, 2.0).second_moment, 0.99**300
    wanted = 4 * math.sqrt(((second - 1) / (1 - x) + 1) / (1 - x)) * (2 + math.log(100)) / 10
    assert learning_bench.private_risk(300, 100, 2.0) == pytest.approx(wanted)
    assert learning_bench.private_risk(300, 100, 2.0, d=20) > wanted


def test_a_risk_between_two_points():
    assert learning_bench.risk_at(10, [1, 100], [4, 16]) == pytest.approx(8)
    assert np.isnan(learning_bench.risk_at(0.1, [1, 100], [4, 16]))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sgd.Median(d=0), "d must"),
        (lambda: sgd.Median(honest=1.5), "honest must"),
        (lambda: sgd.Median(sigma=-1), "sigma must"),
        (lambda: sgd.Mean(R=0), "R must"),
        (lambda: sgd.Mean(beta=0), "beta must"),
        (lambda: sgd.Mean(spread=-1), "spread must"),
        (lambda: sgd.check_ins(0, 1, 1.0, 1, rng()), "n must"),
        (lambda: sgd.check_ins(1, 1, 1.5, 1, rng()), "p0 must"),
        (lambda: sgd.check_ins(1, 1, 1.0, 1, 0), "rng must"),
        (lambda: sgd.window_check_ins(1, 0, 1, rng()), "m must"),
        (lambda: sgd.averaged(sgd.Mean(), 3, 1, 0.0, 1, rng()), "c must"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()


def test_the_hardest_problem_beside_another():
    sizes = [10, 20]
    found = learning_bench.alone(sgd.Median(), sizes)
    lhs, rhs, over = learning_bench.with_hardest(learning_bench.alone, found, sizes)
    assert lhs[:2] == list(found.at_most)
    assert rhs[:2] == found.promised
    assert over["where"][1:3] == ["the median, m = 20", "the hardest, m = 2"]
    assert len(lhs) == 2 + len(learning_bench.FEW)
    assert max(a / b for a, b in zip(lhs[2:], rhs[2:], strict=True)) > 0.1


def test_a_path_of_privacy_and_risk():
    eps, risk = learning_bench.path(300, 100, 1e-4)
    assert eps == sorted(eps)
    assert risk == sorted(risk, reverse=True)
    assert risk[3] == learning_bench.private_risk(300, 100, 2.0)
    assert eps[1] == pytest.approx(RandomCheckIn(1.0, slots=100, clients=300).guarantee(1e-4).upper, rel=2e-3)


def test_the_mean_of_one_over_the_load():
    truth, printed, at = learning_bench.printed_mean()
    n, m = at["n"], at["m"]
    chance = [math.comb(n, s) * (m - 1) ** (n - s) / m**n for s in range(n + 1)]
    assert truth == pytest.approx(sum(chance[s] / s for s in range(1, n + 1)))
    assert printed == m / n


def test_curves_of_averages():
    curves = hiding_bench.averaged_curves(200, 0.5, np.array([1, 10, 200]))
    theorem = curves.pop("Theorem 4.1")
    assert theorem == pytest.approx(balle2020.thm41(0.5, 200, np.array([1, 10, 200]), 5e-7, 5e-7))
    assert all(len(set(curve)) == 1 and len(curve) == 3 for curve in curves.values())
    assert curves["an attack"][0] < curves["guaranteed: the clones"][0] < curves["eps0 itself"][0] == 0.5
