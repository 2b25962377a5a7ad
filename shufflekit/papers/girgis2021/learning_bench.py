"""[girgis2021] What CLDP-SGD learns, held against exact moments and against simulations.

A row is a left side, a right side and where: what ``claims.verify`` compares. Of a simulation the left side is the mean
and five standard errors, so that luck cannot save a bound.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from shufflekit import sgd
from shufflekit._validate import Array
from shufflekit.papers.girgis2021.convergence import eq48_corrected, eq49, thm3_convergence, thm3_gradient_bound
from shufflekit.papers.girgis2021.survey import LIPSCHITZ, Survey
from shufflekit.papers.rows import Row
from shufflekit.randomizers import Channel
from shufflekit.vector_randomizers import R1, R2, PrivUnit, RInf

KINDS: tuple[Any, ...] = (R1, RInf, PrivUnit, R2)
ROUNDS = (1, 3, 10, 30, 100, 300, 1000)
RUNS = 400
ERRORS = 5  # standard errors


def clip_rows() -> list[Row]:
    """[girgis2021] Algorithm 1, line 6: lengths after clipping, and the radius; vectors of all sizes, four norms."""
    rng, rows = np.random.default_rng(0), list[Row]()
    vectors = rng.normal(size=(500, 6)) * 10.0 ** rng.uniform(-3, 3, size=(500, 1))
    for p, radius in itertools.product((1.0, 1.5, 2.0, np.inf), (0.01, 1.0, 30.0)):
        lengths = np.linalg.norm(sgd.clip(vectors, p, radius), ord=p, axis=1)
        rows += [(length, radius, f"p = {p:g}, C = {radius:g}") for length in lengths.tolist()]
    return rows


class Rounding(NamedTuple):
    """A randomizer of -1, 0 and 1 that sends -3/2, 0 or 3/2, unbiased; what lies between is first rounded."""

    channel: Channel
    mean: Array
    square: Array

    def variance(self, x: Any) -> Any:
        """Of the report of x, from 0 to 1."""
        return self.square[1] + (self.square[2] - self.square[1]) * x - x**2


def rounding() -> Rounding:
    """The counterexample to step (b) of Lemma 9: its variance depends on the gradient."""
    table = [[9, 2, 1], [3, 6, 3], [1, 2, 9]]
    channel = Channel(np.array([[Fraction(entry, 12) for entry in row] for row in table]))
    outputs = np.array([Fraction(-3, 2), Fraction(0), Fraction(3, 2)])
    return Rounding(channel, channel.probs @ outputs, channel.probs @ outputs**2)


def enumerated_square(law: Any, k: int) -> Any:
    """The mean square of the average report over all samples of k, and all combinations of their reports."""
    samples = list(itertools.combinations(range(len(law.channel.probs)), k))
    total = Fraction(0)
    for sample, reports in itertools.product(samples, itertools.product(range(law.channel.outputs), repeat=k)):
        weight = np.prod(law.channel.probs[list(sample), list(reports)])
        average = law.outputs[list(reports)].sum(axis=0) / Fraction(k)
        total += weight * (average**2).sum()
    return total / len(samples)


def split_rows() -> list[Row]:
    """[girgis2021] Lemma 9 (b), corrected: the enumerated mean square, and first who is drawn, then the noise."""
    rng, rows = np.random.default_rng(1), list[Row]()
    for kind, E, k in itertools.product((R1, RInf), (2, 9), (1, 2, 3)):
        points = np.vectorize(Fraction)(rng.integers(-4, 5, size=(4, 2)), 8)
        law = kind(2, ratio=E).law(points)
        split = sgd.averaged_second_moment(points, law.second_moment[0], k)
        rows.append((enumerated_square(law, k), split, f"{kind.__name__}, E = {E}, k = {k}"))
    return rows


def eq48_rows() -> list[Row]:
    """[girgis2021] eq (48), corrected: the exact mean square; random gradients, and all at one corner."""
    rng, rows = np.random.default_rng(2), list[Row]()
    sizes = itertools.product(KINDS, (2, 9, 100), (0.5, 1.0, 3.0), (1, 10, 50), (1.0, 0.01))
    for kind, d, eps0, k, L in sizes:
        corner = L * (np.ones(d) if kind.p == np.inf else np.eye(d)[0])
        scattered = sgd.clip(rng.normal(size=(50, d)) * L, kind.p, L)
        bound = eq48_corrected(kind.p, d, L, eps0, k)
        for points in (np.tile(corner, (50, 1)), scattered):
            found = sgd.averaged_second_moment(points, kind(d, eps0, L).second_moment, k)
            rows.append((found, bound, f"{kind.__name__}, d = {d}, eps0 = {eps0:g}, k = {k}"))
    return rows


class Problem(NamedTuple):
    """A convex problem: its unbiased gradients, their size, and the excess loss."""

    oracle: sgd.Oracle
    d: int
    radius: float
    G: float
    excess: Callable[[Array], Array]


def noisy(direction: Callable[[Array], Array], G: float) -> sgd.Oracle:
    """Gradients of length at most 1, and noise that brings their mean square up to G^2."""

    def oracle(w: Array, rng: np.random.Generator) -> Array:
        size = math.sqrt((G**2 - 1) / w.shape[-1])
        return direction(w) + rng.choice([-1, 1], size=w.shape) * size

    return oracle


def problems(survey: Survey) -> dict[str, Problem]:
    """Three by hand, and the survey, one person a step."""

    def one_person(theta: Array, rng: np.random.Generator) -> Array:
        rows = survey.features[who := rng.integers(survey.n, size=len(theta))]
        error = 1 / (1 + np.exp(-(rows * theta).sum(axis=1))) - survey.label[who]
        return np.asarray(error[:, None] * rows)

    bend = noisy(np.sign, 5)
    square = noisy(lambda w: (w - 0.3) / 1.3, 5)
    largest = noisy(lambda w: np.eye(20)[w.argmax(axis=1)], 2)
    return {
        "|w|": Problem(bend, 1, 1.0, 5.0, lambda w: np.abs(w[:, 0])),
        "square": Problem(square, 1, 1.0, 5.0, lambda w: (w[:, 0] - 0.3) ** 2 / 2.6),
        "largest of 20": Problem(largest, 20, 1.0, 2.0, lambda w: w.max(axis=1) + 20**-0.5),
        "survey": Problem(one_person, survey.d, survey.radius, math.sqrt(7), survey.excess),
    }


def last_iterates(survey: Survey) -> dict[str, tuple[Array, Array, Array]]:
    """Of each problem, after each of ``ROUNDS``: the mean excess, its standard error, and Lemma 10."""
    found = {}
    for name, one in problems(survey).items():
        corner = np.full((RUNS, one.d), one.radius / math.sqrt(one.d))
        path = sgd.projected_sgd(one.oracle, corner, ROUNDS[-1], radius=one.radius, G=one.G, rng=_rng(1))
        excess = np.array([one.excess(path[t]) for t in ROUNDS])
        error = excess.std(axis=1) / math.sqrt(RUNS)
        found[name] = (excess.mean(axis=1), error, eq49(ROUNDS, 2 * one.radius, one.G))
    return found


def lemma10_rows(found: dict[str, tuple[Array, Array, Array]]) -> list[Row]:
    """[girgis2021] Lemma 10: the excess of the last iterate, and the bound."""
    rows = list[Row]()
    for name, (mean, error, bound) in found.items():
        high = mean + ERRORS * error
        rows += [(*row[:2], f"{name}, T = {row[2]}") for row in zip(high, bound, ROUNDS, strict=True)]
    return rows


def survey_rows(survey: Survey) -> list[Row]:
    """[girgis2021] Theorem 3 (2): the excess after 1, 10 and 100 rounds on the survey, and the bound."""
    T, rows = np.array([1, 10, 100]), list[Row]()
    for kind, eps0, k in itertools.product(KINDS, (0.5, 2.0), (100, 1000)):
        L = LIPSCHITZ[kind.p]
        excess = survey.learn(kind(survey.d, eps0, L), k, T, 8)
        high = excess.mean(axis=0) + ERRORS * excess.std(axis=0) / math.sqrt(8)
        bound = thm3_convergence(T, 2 * survey.radius, kind.p, survey.d, L, eps0, k)
        for left, right, t in zip(high, bound, T, strict=True):
            rows.append((left, right, f"survey, {kind.__name__}, eps0 = {eps0:g}, k = {k}, T = {t}"))
    return rows


def slopes(kink: float) -> sgd.Gradients:
    """The gradients of |theta - kink|, the same for every client."""
    return lambda theta, clients: np.full((len(clients), 1), 1.0 if theta[0] >= kink else -1.0)


def overshoot(T: int, k: int = 1000, eps0: float = 6.0) -> Array:
    """The excess of 20 runs on |theta - kink|, started so that the last step but one lands at the kink."""
    G, noise = thm3_gradient_bound(np.inf, 1, 1.0, eps0, k).G, RInf(1, eps0).second_moment - 1
    apart = 4 * math.sqrt(noise / k * sum(1 / t for t in range(1, T))) / G  # noise does not change sides
    for t in range(T - 1, 0, -1):  # how far theta is from the kink, one round earlier each time
        apart = 2 / (G * math.sqrt(t)) - apart
    kink, found = 1 - apart, []
    for seed in range(20):
        setting: dict[str, Any] = {"n": k, "k": k, "T": T, "radius": 1.0, "G": G, "rng": _rng(seed)}
        path = sgd.cldp_sgd(slopes(kink), np.ones(1), RInf(1, eps0), **setting)
        found.append(abs(path[T][0] - kink))
    return np.array(found)


def overshoot_rows() -> list[Row]:
    """[girgis2021] Theorem 3 (2): the worst problem that is known, and the bound. An excess is at most 2, D L."""
    rows = list[Row]()
    for T in (1, 2, 3, 10, 30, 100):
        excess, bound = overshoot(T), thm3_convergence(T, 2.0, np.inf, 1, 1.0, 6.0, 1000)
        high = min(2.0, float(excess.mean() + ERRORS * excess.std() / math.sqrt(len(excess))))
        rows.append((high, float(bound), f"overshoot, T = {T}"))
    return rows


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
