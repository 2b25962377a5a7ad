"""Stochastic gradient descent on a ball, and CLDP-SGD, which learns from shuffled reports [girgis2021] Alg 1.

The feasible set is the l_2 ball of a given ``radius`` about 0, of diameter ``D = 2 radius``. The step of
round t is ``D / (G sqrt t)``, with ``G^2`` a bound on the gradient's expected squared length.
"""

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.vector_randomizers import VectorRandomizer

Oracle = Callable[[Array, np.random.Generator], Array]  # (theta, rng) -> an unbiased estimate of the gradient
Gradients = Callable[[Array, NDArray[np.int64]], Array]  # (theta, the sampled clients) -> one gradient a row


def clip(vectors: ArrayLike, p: float, radius: float) -> Array:
    """Each row, if need be, scaled down to a p-norm of ``radius`` (up to round-off); directions are kept."""
    vectors, radius = _validate.array(vectors=vectors), _validate.positive(radius=radius)
    p = _validate.norm(p=p)
    if vectors.ndim != 2:
        raise ValueError(f"vectors must be a table with one vector a row, got shape {vectors.shape}")
    # Norms of rows with largest entry 1 neither overflow nor vanish.
    top = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    norm = np.maximum(np.linalg.norm(vectors / top, ord=p, axis=1, keepdims=True), 1.0)
    with np.errstate(over="ignore"):  # far inside: an infinite factor counts as 1
        factor = np.minimum(1.0, radius / top / norm)
    return np.asarray(vectors * factor)  # [girgis2021] Alg 1, line 6: g / max(1, |g|_p / C)


def project(theta: Array, radius: float) -> Array:
    """The nearest point of the ball, along the last axis."""
    norm = np.sqrt((theta * theta).sum(axis=-1, keepdims=True))
    return np.asarray(theta * (radius / np.maximum(norm, radius)))


def projected_sgd(
    oracle: Oracle, start: ArrayLike, T: int, *, radius: float, G: float, rng: np.random.Generator
) -> Array:
    """The iterates of T rounds, ``start`` first: an array of shape (T + 1, *shape of start).

    A ``start`` of shape (runs, d) makes that many independent runs at once. Lemma 10 [girgis2021] bounds the
    expected excess loss of the last iterate of a convex function by ``2 D G (2 + log T) / sqrt T``.
    """
    start, T = _validate.array(start=start), _validate.count(T=T)
    radius, G, rng = _validate.positive(radius=radius), _validate.positive(G=G), _validate.generator(rng=rng)
    if start.ndim == 0:
        raise ValueError(f"start must be a vector, or one a row, got the number {float(start):g}")
    longest = float(np.linalg.norm(start, axis=-1).max())
    if longest > radius * (1 + 1e-9):
        raise ValueError(f"start must lie in the ball of radius {radius:g}, got one of length {longest:g}")
    path = np.empty((T + 1, *start.shape))
    path[0] = start
    for t in range(1, T + 1):
        gradient = oracle(path[t - 1], rng)
        if gradient.shape != start.shape:
            raise ValueError(f"the gradient must have the shape {start.shape} of start, got {gradient.shape}")
        step = 2 * radius / (G * math.sqrt(t))  # [girgis2021] Thm 3 (2): eta_t = D / (G sqrt t)
        path[t] = project(path[t - 1] - step * gradient, radius)
    return path


def cldp_sgd(
    gradients: Gradients,
    start: ArrayLike,
    randomizer: VectorRandomizer,
    *,
    n: int,
    k: int,
    T: int,
    radius: float,
    G: float,
    rng: np.random.Generator,
) -> Array:
    """CLDP-SGD: each round k of n clients clip, randomize and send a gradient, and the average is the step.

    Gradients are clipped to the randomizer's own ball. Where that cuts some off, the average is biased, and
    only the privacy is left of Theorem 3.

    Formal guarantee. The iterates together are as private as ``Shuffle(randomizer.eps0, k, n) * T``: averaging
    does not depend on the order of the reports, and a round may depend on those before.
    """
    n = _validate.count(n=n)
    k = _validate.count(k=k, at_most=n)
    if not isinstance(randomizer, VectorRandomizer):
        raise TypeError(f"randomizer must be a VectorRandomizer, got {randomizer!r}")
    if not callable(gradients):
        raise TypeError(f"gradients must be a function of theta and the sampled clients, got {gradients!r}")

    def oracle(theta: Array, rng: np.random.Generator) -> Array:
        clients = rng.choice(n, size=k, replace=False, shuffle=False)  # line 3
        clipped = clip(gradients(theta, clients), randomizer.p, randomizer.radius)  # lines 5 and 6
        return randomizer.average(clipped, rng)  # lines 7 to 10

    if np.shape(start) != (randomizer.d,):
        raise ValueError(f"start must be a vector of d = {randomizer.d:,} numbers, got shape {np.shape(start)}")
    return projected_sgd(oracle, start, T, radius=radius, G=G, rng=rng)


def averaged_second_moment(gradients: ArrayLike, second_moment: Any, k: int) -> Any:
    """``E|g|^2`` of the average g that the server sees: k of n clients, one row of ``gradients`` each; exactly.

    ``second_moment`` is the randomizer's, ``E|R(x)|^2``, the same for every x. With fractions the result is one, too.
    """
    table = np.asarray(gradients)
    exact = table.dtype == object and all(isinstance(entry, numbers.Rational) for entry in table.flat)
    table = table if exact else _validate.array(gradients=gradients)
    if table.ndim != 2:
        raise ValueError(f"gradients must be a table with one row a client, got shape {table.shape}")
    if not isinstance(second_moment, Fraction):
        second_moment = _validate.nonnegative(second_moment=second_moment)
    n = len(table)
    k = _validate.count(k=k, at_most=n)
    squared, centre = (table**2).sum() / n, ((table.sum(axis=0) / n) ** 2).sum()
    drawn = (squared - centre) * (n - k) / max(n - 1, 1) / k  # the variance of a sample without replacement
    return centre + drawn + (second_moment - squared) / k  # [girgis2021] Lemma 9 (b), corrected
