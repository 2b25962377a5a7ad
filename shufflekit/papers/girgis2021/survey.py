"""CLDP-SGD on a survey: who saw a doctor? Logistic regression, one row a person. [girgis2021] Alg 1, notebook 7."""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from shufflekit import sgd
from shufflekit._validate import Array
from shufflekit.papers.girgis2021.convergence import thm3_gradient_bound
from shufflekit.vector_randomizers import VectorRandomizer

SCALE = (100, 1, 1, 1, 60, 1, 1, 1)  # what the columns are divided by, so that all features are from 0 to 1
# The longest gradients by norm: at most 7 of a person's features are not 0.
LIPSCHITZ = {1.0: 7.0, 2.0: math.sqrt(7), math.inf: 1.0}


@dataclass(frozen=True, eq=False)
class Survey:
    """Features and answers of all people, and the radius of the ball in which the model is learnt."""

    features: Array
    label: Array
    radius: float = 2.0

    @property
    def n(self) -> int:
        return len(self.label)

    @property
    def d(self) -> int:
        return int(self.features.shape[1])

    def loss(self, theta: ArrayLike) -> Array:
        """The mean logistic loss of one model, or of each row."""
        score = self.features @ np.atleast_2d(theta).T
        return np.asarray(np.mean(np.logaddexp(0, score) - self.label[:, None] * score, axis=0))

    def gradients(self, theta: Array, clients: NDArray[np.int64]) -> Array:
        """One gradient a client."""
        rows = self.features[clients]
        error = 1 / (1 + np.exp(-rows @ theta)) - self.label[clients]
        return np.asarray(error[:, None] * rows)

    @cached_property
    def best(self) -> Array:
        """The model of least loss in the ball."""
        inside = {"type": "ineq", "fun": lambda theta: self.radius**2 - theta @ theta}
        found = optimize.minimize(
            lambda theta: self.loss(theta)[0], np.zeros(self.d), constraints=inside, options={"ftol": 1e-13}
        )
        return np.asarray(found.x)

    def excess(self, theta: ArrayLike) -> Array:
        """The loss above the least one."""
        return self.loss(theta) - self.loss(self.best)

    def learn(self, randomizer: VectorRandomizer, k: int, T: ArrayLike, runs: int) -> Array:
        """The excess loss after each of T rounds (a rising list), one row a run; gradients are never clipped."""
        rounds: NDArray[Any] = np.asarray(T)
        G = thm3_gradient_bound(randomizer.p, self.d, randomizer.radius, randomizer.eps0, k).G
        setting: dict[str, Any] = {"n": self.n, "k": k, "T": int(rounds[-1]), "radius": self.radius, "G": G}
        found = []
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            path = sgd.cldp_sgd(self.gradients, np.zeros(self.d), randomizer, rng=rng, **setting)
            found.append(self.excess(path[rounds]))
        return np.array(found)


def read_survey(path: str | Path) -> Survey:
    """The survey of ``data/rand_health.csv``: first the label, then the features; one more is 1 for all."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    ones = np.ones(len(table))
    return Survey(np.column_stack([ones, table[:, 1:] / SCALE]), table[:, 0])
