"""The checks of notebook 15, learning: empty slots, gradient descent fed by check-ins, loads.

The left side is truth: a law in fractions, or a simulation with five standard errors to spare. The right side is the
paper's.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from shufflekit import check_in_sgd as sgd
from shufflekit.beyond import slots
from shufflekit.papers.balle2020 import dummies, loads, utility
from shufflekit.papers.rows import Compared, compared
from shufflekit.protocols import RandomCheckIn
from shufflekit.vector_randomizers import PrivUnit

RUNS, CROWD = 20, 3  # runs of a simulation, and its clients a slot
FEW = [2, 10, 100]  # slots, where the hardest problem comes nearest to the bounds
HALF = Fraction(1, 2)


# Empty slots.


def expected_dummies(n: int, m: int, p0: Any) -> Any:
    """By the law of the number of slots that somebody comes to, client after client."""
    return sum((m - j) * chance for j, chance in enumerate(slots.occupancy(n, m, p0)))


def prop34_points() -> Compared:
    """Proposition 3.4: its formula, in fractions, and its bound."""
    rows: list[Any] = []
    for n, m, p0 in product((1, 3, 10, 100), (2, 5, 40), (HALF, Fraction(1))):
        found, where = expected_dummies(n, m, p0), f"n = {n}, m = {m}, p0 = {p0}"
        formula = m * (1 - p0 / m) ** n  # [balle2020] Prop 3.4
        rows += [(found, formula, f"exactly, {where}"), (formula, found, f"exactly, {where}")]
        rows.append((found, dummies.prop34_bound(n, m, float(p0)), where))
    return compared(rows)


class Counted(NamedTuple):
    """Numbers of slots, or slots, and what was counted there: the mean of many runs."""

    at: Any
    mean: Any


def counted_dummies(n: int) -> Counted:
    """How many of m slots were empty, 20 runs for each of 16 numbers of slots."""
    rng, sizes = np.random.default_rng(15), np.unique(np.geomspace(n / 10, 4 * n, 16).astype(int))
    loads = [sgd.check_ins(n, m, 1.0, RUNS, rng) for m in sizes.tolist()]
    return Counted(sizes, np.array([(load == 0).sum(axis=1).mean() for load in loads]))


def counted_window(n: int, m: int) -> Counted:
    """How often each slot of a sliding window was empty, 2,000 runs."""
    empty = sgd.window_check_ins(n, m, 2000, np.random.default_rng(15)) == 0
    return Counted(np.arange(1, n + m), empty.mean(axis=0))


def full_dummies(n: int, m: int) -> Fraction:
    """The expected number of empty slots among those that lie in m windows."""
    full = [c for i in range(1, n + m) if (c := min(i, n) - max(i - m, 0)) == m]
    return sum((Fraction(m - 1, m) ** c for c in full), Fraction(0))


def prop44_points() -> Compared:
    """Proposition 4.4 with its range corrected."""
    points = ((6, 3), (5, 4), (40, 10), (100, 1), (100, 100))
    return compared((full_dummies(n, m), dummies.prop44_bound(n, m), f"n = {n}, m = {m}") for n, m in points)


# What is learnt.


def second_moments() -> Compared:
    """A scaled-up step of A_fix with noise in empty slots, against the proof of Theorem 3.5; p = 10, L = 1."""

    def row(crowd: float, m: int, sigma: float) -> Any:
        n = round(crowd * m)
        q, x = float(dummies.empty_chance(n, m, 1.0)), float(dummies.empty_chance_printed(n, m, 1.0))
        truth = (10 * sigma**2 + (1 - q)) / (1 - q) ** 2
        return truth, utility.thm35_second_moment(x, 10, sigma, 1.0), f"{n} clients, {m} slots, sigma = {sigma:g}"

    return compared(row(*case) for case in product((0.8, 1, 2, 3, 5, 10), (10, 1000), (0.0, 0.5, 5.0)))


def learnt_alone(problem: sgd.Problem, m: int) -> Any:
    """The excess losses of A_fix after m slots, with the best step of Theorem 3.5."""
    n = CROWD * m
    x = float(dummies.empty_chance_printed(n, m, 1.0))
    c = utility.thm35_step_corrected(x, problem.R, problem.d, problem.sigma, problem.L)
    return sgd.one_client(problem, n, m, 1.0, c, RUNS, np.random.default_rng(m)).last


def learnt_together(problem: sgd.Problem, m: int) -> Any:
    """The excess losses of A_avg after m slots, with the best step of Theorem 4.2, corrected."""
    second = utility.thm42_second_moment_corrected(CROWD * m, m, problem.d, problem.sigma, problem.L)
    c = utility.best_step(problem.R, second)
    return sgd.averaged(problem, CROWD * m, m, c, RUNS, np.random.default_rng(m)).last


class Learning(NamedTuple):
    """Excess losses by the number of slots: their means, with five standard errors added, and what a theorem promises.

    ``slope``: of the means, both in logarithms.
    """

    mean: Any
    at_most: Any
    promised: list[float]
    slope: float


def alone(problem: sgd.Problem, sizes: list[int]) -> Learning:
    """One client a slot, against Theorem 3.5."""
    losses = [learnt_alone(problem, m) for m in sizes]
    return _learning(sizes, losses, [promised_alone(problem, m) for m in sizes])


def together(problem: sgd.Problem, sizes: list[int]) -> Learning:
    """All clients of a slot averaged, against Theorem 4.2, corrected."""
    losses = [learnt_together(problem, m) for m in sizes]
    return _learning(sizes, losses, [promised_together(problem, m) for m in sizes])


def with_hardest(way: Callable[[sgd.Problem, list[int]], Learning], found: Learning, sizes: list[int]) -> Compared:
    """What was found, and the hardest problem that is known, at few slots: one coordinate, one record, no noise."""
    hardest = way(sgd.Median(d=1, honest=1.0, sigma=0.0), FEW)
    lists = ((found, sizes, "the median"), (hardest, FEW, "the hardest"))
    return compared(
        (left, right, f"{name}, m = {m:,}")
        for one, slots_, name in lists
        for left, right, m in zip(one.at_most, one.promised, slots_, strict=True)
    )


def _learning(sizes: list[int], losses: list[Any], promised: list[float]) -> Learning:
    mean = np.mean(losses, axis=1)
    return Learning(mean, surely(losses), promised, sgd.slope(sizes, mean))


def promised_alone(problem: sgd.Problem, m: int) -> float:
    """Theorem 3.5 with its best step."""
    return utility.thm35_corrected(CROWD * m, m, 1.0, problem.R, problem.d, problem.sigma, problem.L)


def promised_together(problem: sgd.Problem, m: int) -> float:
    """Theorem 4.2 with its constant corrected."""
    return utility.thm42_corrected(CROWD * m, m, problem.R, problem.d, problem.sigma, problem.L)


def smooth_points() -> Compared:
    """A_avg on a smooth loss, mean iterate, one step for all slots; against the second bound of Theorem 4.2."""

    def row(sigma: float, m: int) -> Any:
        problem, n = sgd.Mean(d=10, spread=0.3, sigma=sigma), CROWD * m
        kappa = math.sqrt(utility.thm42_variance(n, m, problem.d, problem.sigma, problem.L))
        c = float(utility.thm42_smooth_step(m, problem.R, kappa, problem.beta))
        runs = sgd.averaged(problem, n, m, c, RUNS, np.random.default_rng(m), fixed=True).mean
        where = f"sigma = {sigma:g}, m = {m:,}"
        return surely(runs), utility.thm42_smooth(m, problem.R, kappa, problem.beta), where

    return compared(row(*case) for case in product((0.5, 2.0), (10, 100, 1000, 10_000)))


def surely(runs: Any) -> Any:
    """The mean and five standard errors: luck cannot save a bound from that."""
    runs = np.asarray(runs)
    return runs.mean(axis=-1) + 5 * runs.std(axis=-1) / math.sqrt(runs.shape[-1])


def private_risk(n: int, m: int, eps0: float, d: int = 10) -> float:
    """What Theorem 3.5 promises, with the true chance of an empty slot, if gradients are sent by PrivUnit; L = 1."""
    second = PrivUnit(d, eps0).second_moment
    return utility.thm35_sharp(n, m, 1.0, 2.0, d, math.sqrt((second - 1) / d), 1.0)


def path(n: int, m: int, delta: float) -> tuple[list[float], list[float]]:
    """The guaranteed eps of check-ins, and the promised risk, as eps0 grows from 1/2 to 3."""
    levels = (0.5, 1.0, 1.5, 2.0, 3.0)
    runs = [RandomCheckIn(eps0, slots=m, clients=n) for eps0 in levels]
    return [run.guarantee(delta, rtol=1e-3).upper for run in runs], [private_risk(n, m, eps0) for eps0 in levels]


def risk_at(target: float, eps: Any, risk: Any) -> float:
    """The risk at a target eps, between points of a curve in logarithms; nan beyond its ends."""
    logs = np.interp(math.log(target), np.log(eps), np.log(risk), left=math.nan, right=math.nan)
    return float(np.exp(logs))


def inverse_loads() -> Compared:
    """``E[1/S | S > 0]`` against 2m/(n+1)."""

    def row(n: int, m: int) -> Any:
        given = loads.inverse_load(n, m) / (1 - float(dummies.empty_chance(n, m, 1.0)))
        return given, loads.inverse_load_corrected(n, m), f"n = {n:,}, m = {m:,}, given S > 0"

    return compared(row(*point) for point in product((1, 3, 10, 100, 1000), (1, 2, 5, 20, 1000)))


def steps() -> Compared:
    """The best step of Theorem 3.5 against others, x = 1/2, m = 1."""
    best = utility.thm35_step_corrected(0.5, 1.0, 1, 1.0, 1.0)
    return compared((_left(best), _left(best * f), f"{f:.3g} times the best step") for f in np.geomspace(0.1, 10, 41))


def printed_step() -> tuple[float, float, dict[str, float]]:
    """The step as printed against the best, in units of RG (2 + log m)/sqrt(m)."""
    steps = utility.thm35_step(0.5, 1.0, 1, 1.0, 1.0), utility.thm35_step_corrected(0.5, 1.0, 1, 1.0, 1.0)
    unit = 2 * math.sqrt(2)
    return _left(steps[0]) / unit, _left(steps[1]) / unit, {"x": 0.5}


def printed_mean() -> tuple[Any, Any, dict[str, int]]:
    """The mean of 1/S, and one over the mean of S, which is printed in its place."""
    return loads.inverse_load(100, 10), loads.inverse_load_printed(100, 10), {"n": 100, "m": 10}


def _left(step: float) -> float:
    second = utility.thm35_second_moment(0.5, 1, 1.0, 1.0)
    return float(utility.last_iterate(1, 1.0, second, step))
