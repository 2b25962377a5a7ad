"""The score of a shuffled Gaussian message, ``exp((t - 1/2)/sigma^2)`` for t ~ N(0, sigma^2), on a grid.

A lognormal of mean 1: e^{(t - 1/2)/sigma^2} is the density of noise moved by 1 over that of the noise.
"""

import math

import numpy as np
from scipy.special import ndtr

from shufflekit._validate import Array
from shufflekit.dominating_pairs.score_grid import Score, on_grid

CLOSED_CELLS = 8  # the first cells, where the density may change fast: masses in closed form
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
NODES, WEIGHTS = (1 + NODES) / 2, WEIGHTS / 2


def lognormal_score(sigma: float, top: float, cells: int) -> Score:
    """``exp((t - 1/2)/sigma^2)`` for t ~ N(0, sigma^2), all above ``top`` at the last grid point, its mean kept."""
    step = top / cells
    edges = noise_at(step * np.arange(min(CLOSED_CELLS, cells) + 1.0), sigma)
    mass, mean = _between(edges), _between(edges - 1 / sigma)  # Y dQ is the law of the noise moved by 1
    up = np.clip(mean / step - np.arange(len(mass)) * mass, 0.0, mass)
    j = np.arange(float(len(mass)), cells)
    if len(j):
        place = j[:, None] + NODES
        z = noise_at(step * place, sigma)
        density = np.exp(-z * z / 2) * (sigma / math.sqrt(2 * math.pi)) / place * WEIGHTS
        mass, up = np.append(mass, density.sum(axis=1)), np.append(up, density @ NODES)
    with np.errstate(invalid="ignore"):
        offset = np.where(mass > 0, up / mass, 0.0)
    score = on_grid(0.0, step, np.arange(cells), mass, offset)
    last = float(noise_at(np.array([top]), sigma)[0])
    tail, tail_mean = float(ndtr(-last)), float(ndtr(1 / sigma - last)) / step
    total = score.mass[-1] + tail
    if total > 0:
        score.place[-1] = (score.mass[-1] * score.place[-1] + tail_mean) / total
        score.mass[-1] = total
    return score


def noise_at(y: Array, sigma: float) -> Array:
    """The noise, in deviations, at which the score is y."""
    with np.errstate(divide="ignore"):
        return np.asarray(sigma * np.log(y) + 1 / (2 * sigma))


def _between(edges: Array) -> Array:
    """Normal probabilities between rising edges, by the smaller tails."""
    below, above = np.diff(ndtr(edges)), -np.diff(ndtr(-edges))
    return np.asarray(np.where(edges[:-1] > 0, above, below))
