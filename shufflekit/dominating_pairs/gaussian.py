"""The shuffled Gaussian: all hold 0, one record becomes 1, each adds noise of deviation sigma, and all is shuffled.

The likelihood ratio of what is seen is ``X = (1/n) sum_i exp((t_i - 1/2)/sigma^2)`` with the t_i noise alone under Q:
a mean of n iid lognormals, a law in one dimension. [koskela2023] Sec 5, where it is taken to be n-dimensional.
"""

import math
import sys
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, logsumexp, ndtr

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.dominating_pairs.pair import Atoms, Ends, Laws, Pair
from shufflekit.dominating_pairs.score_sums import LOG_OUTSIDE, UNIT, Law, Score, Sums, rounded, sums

CLOSED_CELLS = 8  # the first cells, where the density may change fast: masses in closed form
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)
NODES, WEIGHTS = (1 + NODES) / 2, WEIGHTS / 2
LEAST_GRID, MOST_GRID = 2**16, 2**20
MOST_CLIENTS = 10_000_000
ATOMS_PER_DEVIATION = 400  # of the loss
LOG_CUT_OF_MOMENTS = -120.0
MOST_ORDER = 2000  # of a Renyi divergence: the work grows with its square
SUM_ERROR = 1e-12  # relative, of masses added up
LEAST = sys.float_info.min


def lognormal_score(sigma: float, top: float, cells: int) -> Score:
    """``exp((t - 1/2)/sigma^2)`` for t ~ N(0, sigma^2), all above ``top`` at the last grid point, its mean kept."""
    step = top / cells
    edges = _noise(step * np.arange(min(CLOSED_CELLS, cells) + 1.0), sigma)
    mass, mean = _between(edges), _between(edges - 1 / sigma)  # Y dQ is the law of the noise moved by 1
    up = np.clip(mean / step - np.arange(len(mass)) * mass, 0.0, mass)
    j = np.arange(float(len(mass)), cells)
    if len(j):
        place = j[:, None] + NODES
        z = _noise(step * place, sigma)
        density = np.exp(-z * z / 2) * (sigma / math.sqrt(2 * math.pi)) / place * WEIGHTS
        mass, up = np.append(mass, density.sum(axis=1)), np.append(up, density @ NODES)
    with np.errstate(invalid="ignore"):
        offset = np.where(mass > 0, up / mass, 0.0)
    score = rounded(0.0, step, np.arange(float(cells)), mass, offset)
    last = float(_noise(np.array([top]), sigma)[0])
    tail, tail_mean = float(ndtr(-last)), float(ndtr(1 / sigma - last)) / step
    total = score.mass[-1] + tail
    if total > 0:
        score.place[-1] = (score.mass[-1] * score.place[-1] + tail_mean) / total
        score.mass[-1] = total
    return score


def _noise(y: Array, sigma: float) -> Array:
    """The noise, in deviations, at which the score is y."""
    with np.errstate(divide="ignore"):
        return np.asarray(sigma * np.log(y) + 1 / (2 * sigma))


def _between(edges: Array) -> Array:
    """Normal probabilities between rising edges, by the smaller tails."""
    below, above = np.diff(ndtr(edges)), -np.diff(ndtr(-edges))
    return np.asarray(np.where(edges[:-1] > 0, above, below))


@dataclass(frozen=True)
class GaussianPair(Pair):
    """P: one of the n records is 1; Q: all are 0. ``backwards`` exchanges the two.

    The ends are near each other for a sigma of 1 or more; below, a single score can outweigh all others by more than
    one grid can show, and they may be far apart.
    """

    sigma: float
    n: int
    backwards: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", _validate.positive(sigma=self.sigma))
        if not 0.05 <= self.sigma <= 1e4:
            raise ValueError(f"sigma must be between 0.05 and 10,000, got {self.sigma!r}")
        object.__setattr__(self, "n", _validate.count(n=self.n, at_most=MOST_CLIENTS))

    def reversed(self) -> "GaussianPair":
        return GaussianPair(self.sigma, self.n, not self.backwards)

    @property
    def largest_loss(self) -> float:
        return math.inf

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        eps = _validate.array(low=0, eps=eps)
        if self.n == 1:
            return _single(eps, self.sigma)
        # Shuffling never hurts: one user alone is an upper bound.
        lower, upper = np.zeros(eps.shape), _single(eps, self.sigma).upper
        for cut in (log_cut,) if log_cut is not None else (-30.0, -60.0, -120.0, -240.0):
            # What was cut off must not matter.
            todo = np.log(np.maximum(lower, LEAST)) < cut + 10 if cut < -30 and log_cut is None else lower < upper
            if todo.any():
                below, above = self._ends(cut, rtol, self.n if self.backwards else math.inf)
                lower[todo] = np.maximum(lower[todo], excess_of(below, eps[todo]))
                upper[todo] = np.minimum(upper[todo], excess_of(above, eps[todo]))
        # The ratio is rounded to floating point, beside a deviation of this size.
        noise = 1e-9 + 1e-13 * self.sigma * math.sqrt(self.n)
        return Ends(lower * (1 - noise), np.clip(upper * (1 + noise), LEAST, 1.0))

    def laws(self, log_cut: float, rtol: float = 1e-4) -> Laws:
        lower, upper = self._ends(log_cut, rtol, math.inf)
        return Laws(merged(lower), spread(upper))

    def divergence(self, orders: Array) -> Array:
        """Moments of X of any real order: interpolated between whole ones forth (their logarithms are convex)."""
        if not self.backwards:
            most = math.ceil(float(orders.max()))
            if most > MOST_ORDER:
                raise ValueError(f"order must be at most {MOST_ORDER:,} for a shuffled Gaussian, got {orders.max():g}")
            moments = log_moments(most, self.sigma, self.n)
            return np.maximum(np.interp(orders, np.arange(most + 1), moments), 0.0) / (orders - 1) * (1 + 1e-9)
        atoms, values = self.laws(LOG_CUT_OF_MOMENTS).upper, np.empty(orders.shape)
        for i in np.ndindex(orders.shape):
            s = float(orders[i]) - 1
            listed = float(logsumexp((s + 1) * atoms.loss + atoms.log_q))
            # E[X^-s; missing] <= (E[X^-2s] missing)^(1/2), and E[X^-2s] <= E[Y^-2s] for the lognormal Y (Jensen).
            beside = (s + 2 * s**2) / (2 * self.sigma**2) + math.log(max(atoms.missing, LEAST)) / 2
            values[i] = max(0.0, float(np.logaddexp(listed, beside))) / s * (1 + 1e-9)
        return values

    def _ends(self, log_cut: float, rtol: float, most: float) -> tuple[Atoms, Atoms]:
        """Below and above, on the full grid; sums above ``most`` need not be told apart."""
        top = math.exp(0.5 / self.sigma**2 + math.sqrt(-2 * log_cut) / self.sigma)
        missing = float(ndtr(1 / self.sigma - _noise(np.array([top]), self.sigma)[0]))
        found = _sums(self.sigma, self.n, min(top, max(most, math.exp(0.5 / self.sigma))), log_cut, rtol)
        lower, upper = _atoms(found, self.n, self.backwards)
        # (sum - c)_+ grows by no more than what is cut off the scores, (c - sum)_+ not at all.
        return lower, upper if self.backwards else upper._replace(missing=upper.missing + missing)


@lru_cache(maxsize=8)
def _sums(sigma: float, n: int, top: float, log_cut: float, rtol: float) -> Sums:
    deviation = math.sqrt(math.expm1(1 / sigma**2))
    width = max(top, 2 * (math.sqrt(-2 * log_cut) + 10) * min(deviation * math.sqrt(n), top))
    # Rounding a score moves the deviation by about (step/deviation)^2 / 12; few scores are rounded more finely.
    step = max(min(math.sqrt(10 * rtol) * deviation, width / LEAST_GRID), width / MOST_GRID)
    score = lognormal_score(sigma, top, max(2, math.ceil(top / step)))
    law = Law(score)
    tilts = {0.0}
    for side in (-1, 1):
        # P weighs a sum by its size.
        most = law.tilt_for_rarity(n, log_cut - max(0.0, math.log(top)) * (side > 0), side)
        # Where single scores make the sum large, a strong tilt would ask for many of them at once.
        room = 2 * max(width / score.step, law.reach(n, 0.0, LOG_OUTSIDE)[1])
        while law.reach(n, most, LOG_OUTSIDE)[1] > room:
            most *= 0.5
        tilts |= {most * share for share in (1 / 3, 2 / 3, 1)}
    return sums(score, n, sorted(tilts))


def _single(eps: Array, sigma: float) -> Ends:
    """The Gaussian mechanism: ``Phi(1/(2 sigma) - eps sigma) - e^eps Phi(-1/(2 sigma) - eps sigma)``, either way."""
    near, far = log_ndtr(0.5 / sigma - eps * sigma), eps + log_ndtr(-0.5 / sigma - eps * sigma)
    delta = np.exp(near) * -np.expm1(np.minimum(far - near, 0.0))
    # Where the two logarithms are close, so is their round-off to their difference.
    error = np.exp(near) * 8 * UNIT * (4 + np.abs(near) + np.abs(far) + eps + (eps * sigma + 1 / sigma) ** 2)
    return Ends(np.maximum(delta - error, 0.0), np.clip(delta + error, LEAST, 1.0))


def _atoms(found: Sums, n: int, backwards: bool) -> tuple[Atoms, Atoms]:
    """The two ends as atoms: the means of what is taken for one, with the least mass; the grid, with the largest."""
    last = float(found.value[-1])
    known = found.mass.lower > 0
    x = (found.mean.upper if backwards else found.mean.lower)[known] / n
    lower = _pair(x, found.mass.lower[known], backwards, 0.0)
    heavy = found.mass.upper > 0
    unlisted = found.below + (found.above / last if backwards else found.above / n)
    return lower, _pair(found.value[heavy] / n, found.mass.upper[heavy], backwards, unlisted)


def _pair(x: Array, q: Array, backwards: bool, missing: float) -> Atoms:
    """The likelihood ratio x with Q-mass q as atoms; where x is 0, all of Q's mass is at infinite loss backwards."""
    if backwards:
        missing += float(q[x <= 0].sum())
    x, q = x[x > 0], q[x > 0]
    order = np.argsort(x, kind="stable")
    atoms = Atoms(np.log(x[order]), np.log(q[order]), error=SUM_ERROR)
    return (atoms.reversed() if backwards else atoms)._replace(missing=missing)


def excess_of(atoms: Atoms, eps: Array) -> Array:
    """``H_{e^eps}`` of a listed pair, what is missing counted in full."""
    y, q, at = np.expm1(atoms.loss), np.exp(atoms.log_q), np.expm1(eps)
    beyond = np.cumsum(q[::-1])[::-1]
    potential = np.append(np.cumsum((np.diff(y) * beyond[1:])[::-1])[::-1], 0.0)
    before = np.maximum(y[0] - at, 0.0) * beyond[0]
    return np.asarray(np.interp(at, y, potential) + before + atoms.missing + atoms.infinite)


def merged(atoms: Atoms) -> Atoms:
    """Atoms of nearly the same loss taken for one: what then is told apart is less."""
    q, start = np.exp(atoms.log_q), _knots(atoms)[:-1]
    less, more = np.add.reduceat(q, start), np.add.reduceat(q * np.expm1(atoms.loss), start)
    return atoms._replace(loss=np.log1p(more / less), log_q=np.log(less))


def spread(atoms: Atoms) -> Atoms:
    """Atoms divided between few of them, the mean of P/Q kept: what then is told apart is more."""
    knots, index = _knots(atoms), np.arange(len(atoms.loss))
    knots[-1] -= 1
    knots = np.unique(knots)
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    right = np.clip(np.searchsorted(knots, index, side="right"), 1, len(knots) - 1)
    share = (y - y[knots[right - 1]]) / (y[knots[right]] - y[knots[right - 1]])
    mass = np.bincount(right - 1, q * (1 - share), len(knots)) + np.bincount(right, q * share, len(knots))
    return atoms._replace(loss=atoms.loss[knots], log_q=np.log(mass))


def _knots(atoms: Atoms) -> NDArray[np.intp]:
    """The first atom of each cell of a grid of losses, and the number of atoms."""
    p = np.exp(atoms.log_q + atoms.loss)
    mean = float(p @ atoms.loss / p.sum())
    deviation = math.sqrt(float(p @ (atoms.loss - mean) ** 2 / p.sum()))
    cell = np.floor(atoms.loss * (ATOMS_PER_DEVIATION / deviation))
    return np.append(np.unique(cell, return_index=True)[1], len(cell))


def log_moments(most: int, sigma: float, n: int) -> Array:
    """``log E_Q[X^l]`` for l = 0, 1, ..., most: the Renyi divergence of P from Q of order l, times l - 1.

    n^{-l} l! times the coefficient of x^l in ``(sum_j e^{j(j-1)/(2 sigma^2)} x^j / j!)^n``, by squarings. [beyond] 6
    """
    most, sigma = _validate.count(most=most), _validate.positive(sigma=sigma)
    n = _validate.count(n=n)
    j = np.arange(most + 1.0)
    log_factorial = gammaln(j + 1)
    power = j * (j - 1) / (2 * sigma**2) - log_factorial
    total, rest = None, n
    while rest:
        if rest % 2:
            total = power if total is None else _log_product(total, power)
        power, rest = _log_product(power, power), rest // 2
    return np.asarray(total + log_factorial - j * math.log(n))


def _log_product(a: Array, b: Array) -> Array:
    """The coefficients of a product of two power series with positive coefficients, in logarithms."""
    return np.array([logsumexp(a[: i + 1] + b[i::-1]) for i in range(len(a))])
