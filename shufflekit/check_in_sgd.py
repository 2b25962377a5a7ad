"""Gradient descent fed by random check-ins, on problems whose excess loss is known. [balle2020] Algs 1 and 2

Clients' records are independent draws, so a slot's loss is that of the population, and no client is used twice. Each
sends her gradient with Gaussian noise of deviation ``sigma`` in each coordinate; the step of slot i is ``c/sqrt(i)``;
the feasible set is the ball of diameter ``R`` about 0. Many runs are made at once, one a row.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.sgd import project

Loads = NDArray[np.int64]


@dataclass(frozen=True)
class Median:
    """``|theta - x|_1 / sqrt(d)``, of Lipschitz constant 1: a kink at the median, where the rate 1/sqrt(m) is attained.

    A coordinate of a record is the centre's with probability ``honest``, else far to the left or to the right, beyond
    the ball. So the excess loss is exactly ``honest |theta - centre|_1 / sqrt(d)``.
    """

    d: int = 10
    honest: float = 0.6
    sigma: float = 1.0
    R: float = 2.0
    L = 1.0

    def __post_init__(self) -> None:
        _check(self)
        _validate.rate(honest=self.honest)

    @property
    def centre(self) -> Array:
        """Half way from 0 to the sphere."""
        return np.full(self.d, self.R / 4 / math.sqrt(self.d))

    def excess(self, theta: Array) -> Array:
        return np.asarray(self.honest * np.abs(theta - self.centre).sum(axis=-1) / math.sqrt(self.d))

    def mean_gradient(self, theta: Array, clients: Loads, rng: np.random.Generator) -> Array:
        """The mean of so many clients' gradients, one number a run; without a client 0."""
        k = np.broadcast_to(clients[:, None], theta.shape)
        honest = rng.binomial(k, self.honest)
        left = rng.binomial(k - honest, 0.5)
        signs = honest * np.sign(theta - self.centre) + 2 * left - (k - honest)
        return np.asarray(signs / (np.maximum(k, 1) * math.sqrt(self.d)))


@dataclass(frozen=True)
class Mean:
    """``beta |theta - x|^2 / 2``: smooth; records are Gaussian about the centre, ``spread`` in each coordinate."""

    d: int = 10
    spread: float = 0.3
    sigma: float = 1.0
    R: float = 2.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        _check(self)
        _validate.positive(beta=self.beta)
        _validate.nonnegative(spread=self.spread)

    @property
    def centre(self) -> Array:
        """Half way from 0 to the sphere."""
        return np.full(self.d, self.R / 4 / math.sqrt(self.d))

    @property
    def L(self) -> float:
        """The deviation of one client's gradient from the true one: what the smooth bound needs of it."""
        return self.beta * self.spread * math.sqrt(self.d)

    def excess(self, theta: Array) -> Array:
        return np.asarray(self.beta * ((theta - self.centre) ** 2).sum(axis=-1) / 2)

    def mean_gradient(self, theta: Array, clients: Loads, rng: np.random.Generator) -> Array:
        """The mean of so many clients' gradients, one number a run; without a client 0."""
        k = clients[:, None]
        record = self.centre + self.spread * rng.normal(size=theta.shape) / np.sqrt(np.maximum(k, 1))
        return np.asarray(self.beta * (theta - record) * (k > 0))


Problem = Median | Mean


class Learnt(NamedTuple):
    """What each run has learnt: the excess loss of the last iterate, and that of the mean iterate."""

    last: Array
    mean: Array


def check_ins(n: int, m: int, p0: float, runs: int, rng: np.random.Generator) -> Loads:
    """How many of n clients come to each of m slots: one row a run."""
    n, m, runs = _validate.count(n=n), _validate.count(m=m), _validate.count(runs=runs)
    p0, rng = _validate.rate(p0=p0), _validate.generator(rng=rng)
    return rng.multinomial(n, [p0 / m] * m + [1 - p0], size=runs)[:, :m]


def window_check_ins(n: int, m: int, runs: int, rng: np.random.Generator) -> Loads:
    """How many clients come to each of the n + m - 1 slots when client j draws from slots j, ..., j + m - 1."""
    n, m, runs = _validate.count(n=n), _validate.count(m=m), _validate.count(runs=runs)
    slots = n + m - 1
    where = _validate.generator(rng=rng).integers(m, size=(runs, n)) + np.arange(n)
    return np.array([np.bincount(row, minlength=slots) for row in where])


def one_client(problem: Problem, n: int, m: int, p0: float, c: float, runs: int, rng: np.random.Generator) -> Learnt:
    """A_fix: a slot takes one of those who came, an empty one a gradient of 0; either bears noise. [balle2020] Alg 1

    All steps are scaled up by the chance that a slot is not empty, so that they are unbiased. [balle2020] Thm 3.5
    """
    loads = check_ins(n, m, p0, runs, rng)
    scale = 1 / (1 - (1 - p0 / m) ** n)

    def update(theta: Array, came: Loads) -> Array:
        gradient = problem.mean_gradient(theta, np.minimum(came, 1), rng)
        return np.asarray(scale * (gradient + problem.sigma * rng.normal(size=theta.shape)))

    return _descend(problem, loads, update, _steps(c, m))


def averaged(
    problem: Problem, n: int, m: int, c: float, runs: int, rng: np.random.Generator, *, fixed: bool = False
) -> Learnt:
    """A_avg: a slot averages the noisy gradients of all who came; an empty one is skipped. [balle2020] Alg 2

    ``fixed``: the step is c itself in all slots, as the bound for smooth losses has it. [balle2020] Thm 4.2
    """
    loads = check_ins(n, m, 1.0, runs, rng)

    def update(theta: Array, came: Loads) -> Array:
        S = came[:, None]
        noise = problem.sigma * rng.normal(size=theta.shape) / np.sqrt(np.maximum(S, 1))
        return np.asarray(np.where(S > 0, problem.mean_gradient(theta, came, rng) + noise, 0.0))

    return _descend(problem, loads, update, np.full(m, c) if fixed else _steps(c, m))


def slope(m: Any, excess: Any) -> float:
    """The slope of the excess loss over m, both in logarithms: -1/2 if it falls like 1/sqrt(m)."""
    return float(np.polyfit(np.log(m), np.log(excess), 1)[0])


def _descend(problem: Problem, loads: Loads, update: Callable[[Array, Loads], Array], steps: Array) -> Learnt:
    theta = np.zeros((len(loads), problem.d))
    total = np.zeros_like(theta)
    for i, step in enumerate(steps):
        total += theta
        theta = project(theta - step * update(theta, loads[:, i]), problem.R / 2)
    return Learnt(problem.excess(theta), problem.excess(total / len(steps)))


def _steps(c: float, m: int) -> Array:
    return np.asarray(_validate.positive(c=c) / np.sqrt(np.arange(1, m + 1)))


def _check(problem: Problem) -> None:
    _validate.count(d=problem.d)
    _validate.nonnegative(sigma=problem.sigma)
    _validate.positive(R=problem.R)
