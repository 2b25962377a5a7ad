"""The Laplace transform of the shuffled Gaussian's score, continued round its cut: the negative half-axis.

A message t ~ N(0, sigma^2) has the score ``Y = exp((t - 1/2)/sigma^2)``, a lognormal of mean 1: ``Y = e^{m + d}`` with
d = t/sigma^2 ~ N(0, 1/sigma^2) and m = -1/(2 sigma^2). What is integrated is entire in d, so d may leave the real axis
where ``e^{-sY}`` would grow or turn for ever: at the *corner*, beyond the bulk, on a curve along which it dies out
doubly exponentially. For s on the cut, s = -u, the corner is the outer saddle point of the integrand and the curve its
steepest descent: only that part has an imaginary part, which so keeps all its digits, however small it is.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from shufflekit._dot import dot
from shufflekit._validate import Array

Complex = NDArray[np.complex128]

ORDER, CURVE_ORDER = 12, 48  # nodes of a panel of the real axis, and of the curve
FINE_PANELS = 8  # next to the corner, of a unit at most
PANEL, RADIANS = 1.25, 8.0  # deviations of d: the width of panels, and by how much e^{-sY} turns in one at most
BULK, LOG_SILENT = 10.5, -50.0  # deviations below the bulk, and what may be left out, relative
LOG_NEAR_CRITICAL = math.log(0.75) - 1  # there the two saddle points have not met yet: they do at -1
FARTHEST = 9.0  # along the curve
SMALL = 0.3  # below, e^{-z} - 1 + z is summed as a series
TERMS = 12
CHUNK = 400  # values of s at once
NODES, WEIGHTS = np.polynomial.legendre.leggauss(ORDER)
NODES, WEIGHTS = (1 + NODES) / 2, WEIGHTS / 2
CURVE_NODES, CURVE_WEIGHTS = np.polynomial.legendre.leggauss(CURVE_ORDER)
CURVE_NODES, CURVE_WEIGHTS = (1 + CURVE_NODES) / 2, CURVE_WEIGHTS / 2


def log_laplace(s: Complex, sigma: float, centre: float = 1.0) -> Complex:
    """``log E e^{-s (Y - centre)}`` at an array of s in the upper half-plane, the cut's upper side included.

    The centre is 1, or 0 for large s: scores next to 0, which count there, keep their digits.
    """
    flat = np.asarray(s, dtype=np.complex128).ravel()
    parts = [_log_laplace(flat[i : i + CHUNK], sigma, centre) for i in range(0, len(flat), CHUNK)]
    return np.concatenate([flat[:0], *parts]).reshape(np.shape(s))


def nearly_one(s: Any, sigma: float) -> Any:
    """Where ``E e^{-s (Y - 1)}`` may be so near 1 that only its excess has digits."""
    return np.abs(s) < max(1.0, sigma / 2)


def _log_laplace(s: Complex, sigma: float, centre: float) -> Complex:
    path = _path(s, sigma)
    phase = float((np.abs(s.imag) * np.exp(path.end - 1 / (2 * sigma**2))).max())
    offset, weight = _panels(sigma, float((path.end - path.low).max()), phase)
    d = path.end[:, None] - offset
    log_normal = -(sigma**2) * d**2 / 2
    small = nearly_one(s, sigma)
    z = s[:, None] * _score(d, sigma, np.where(small, 1.0, centre))
    # Panels go as far down as one s needs; e^{-z} may be too large for a number where there are no scores.
    silent = d < path.low[:, None]
    z[silent], log_normal[silent] = 0.0, -np.inf
    scale, bent = sigma / math.sqrt(2 * math.pi), path.bent
    power, step = _along_the_curve(s, path, sigma, np.where(small, 1.0, centre))
    log_value = np.empty(len(s), dtype=np.complex128)
    if small.any():
        # The excess over 1 keeps its digits; E (Y - 1) = 0.
        excess = scale * dot(np.exp(log_normal[small]) * exp_excess(z[small]), weight)
        kept = small[bent]
        # Beyond the corner -1 + s (Y - 1) has a closed form, on the real axis.
        more, mean = ndtr(-sigma * path.corner[kept]), ndtr(1 / sigma - sigma * path.corner[kept])
        own = s[bent[kept]]
        beyond = np.zeros(len(s), dtype=np.complex128)
        beyond[bent[kept]] = scale * (np.exp(power[kept]) * step[kept]).sum(axis=1) - (1 + own) * more + own * mean
        log_value[small] = _log1p(excess + beyond[small]) - s[small] * (1 - centre)
    if not small.all():
        top = (log_normal - z.real).max(axis=1)
        top[bent] = np.maximum(top[bent], power.real.max(axis=1))
        total = dot(np.exp(log_normal - z - top[:, None]), weight)
        total[bent] += (np.exp(power - top[bent][:, None]) * step).sum(axis=1)
        log_value[~small] = top[~small] + np.log(scale * total[~small])
    return log_value


def _score(d: Any, sigma: float, centre: Array) -> Any:
    """``Y - centre`` at d, by rows with centres of 1 or 0."""
    power, free = d - 1 / (2 * sigma**2), centre == 0
    score = np.expm1(power)
    score[free] = np.exp(power[free])
    return score


def exp_excess(z: Complex) -> Complex:
    """``e^{-z} - 1 + z`` with its digits."""
    found = np.asarray(np.expm1(-z) + z)
    near = np.abs(z) < SMALL
    small, series = z[near], np.ones(int(near.sum()), dtype=np.complex128)
    for k in range(TERMS, 2, -1):
        series = 1 - small / k * series
    found[near] = small**2 / 2 * series
    return found


def _log1p(x: Complex) -> Complex:
    """numpy's rounds 1 + x first."""
    return np.asarray(np.log1p(x.real * (2 + x.real) + x.imag**2) / 2 + 1j * np.arctan2(x.imag, 1 + x.real))


class Path(NamedTuple):
    """For each s: where on the real axis it matters; which s are followed beyond their corner, and what shapes that."""

    low: Array
    end: Array
    bent: NDArray[np.intp]
    corner: Array
    log_rate: Array
    shift: Array
    turn: Array


def _path(s: Complex, sigma: float) -> Path:
    variance, m = sigma**2, -1 / (2 * sigma**2)
    size, falling = np.abs(s), -s.real
    # On the cut the outer saddle point D has u e^{m + D} = sigma^2 D. Elsewhere -Re s stands for u, if it is enough.
    log_rate = np.log(np.maximum(falling, size / 2)) + m - math.log(variance)
    kept = np.minimum(log_rate, LOG_NEAR_CRITICAL)
    outer = _outer_saddle(-kept)
    # At the corner the exponent is 1 at least: nothing cancels there.
    shift = log_rate + math.log(variance) + outer - np.log(np.maximum(variance * outer, 1.0))
    corner = outer - shift
    # Where nothing is left of the scores, weighted by their squares: for any s, and for one far from critical.
    top = 1 + 2 / variance + math.sqrt((1 + 2 / variance) ** 2 - 2 * LOG_SILENT / variance)
    own = np.exp(np.log(np.maximum(falling, np.finfo(float).tiny)) + m) / variance
    bulk = np.minimum(math.e * own, 1.0)
    early = bulk + 8 / variance + 14.5 / sigma
    with np.errstate(divide="ignore"):
        top_of = np.where(early <= -np.log(2 * own), np.minimum(top, early), top)
    pulled = np.exp(np.log(np.maximum(size, np.finfo(float).tiny)) + m) / variance
    low = -np.log1p(pulled) - BULK / sigma
    # On the cut, for the sake of the imaginary part, however small; elsewhere only where there is something left.
    bent = np.flatnonzero((corner < top_of) | ((s.imag == 0) & (s.real < 0)))
    turn = np.angle(s) / np.pi
    return Path(low, np.minimum(corner, top_of), bent, corner[bent], kept[bent], shift[bent], turn[bent])


def _outer_saddle(log_ratio: Array) -> Array:
    """d > 1 with ``d - log d = log_ratio``, by Newton's method from above."""
    d = log_ratio + np.log(log_ratio + 1) + 0.3
    for _ in range(6):
        d = d - (d - np.log(d) - log_ratio) / (1 - 1 / d)
    return np.asarray(d)


def _panels(sigma: float, length: float, phase: float) -> tuple[Array, Array]:
    """How far nodes lie below the end, where ``e^{-sY}`` turns by ``phase`` radians a unit, and their weights."""
    edges = [0.0]
    while len(edges) == 1 or edges[-1] < length:
        fine = 1.0 if len(edges) <= FINE_PANELS else math.inf
        edges.append(edges[-1] + min(fine, PANEL / sigma, RADIANS / max(phase * math.exp(-edges[-1]), 1e-9)))
    width = np.diff(edges)[:, None]
    return (np.array(edges[:-1])[:, None] + width * NODES).ravel(), (width * WEIGHTS).ravel()


def _curve(q: Array, path: Path) -> tuple[Complex, Complex]:
    """d along the curve, and its derivative: from the corner at q = 0 to far beyond, where ``s e^d`` is positive.

    On the cut, with x from 0 to pi the angle by which d falls, ``d - log d = log(x/sin x) - log_rate``.
    """
    decay = np.exp(-2 * q)
    x, rest = np.maximum(np.pi * np.tanh(q), 1e-12), 2 * np.pi * decay / (1 + decay)
    sine, cosine = np.where(x > 1, np.sin(rest), np.sin(x)), np.where(x > 1, -np.cos(rest), np.cos(x))
    depth = _outer_saddle(np.log(x / sine) - path.log_rate[:, None])
    x_step = 4 * np.pi * decay / (1 + decay) ** 2
    depth_step = (1 / x - cosine / sine) * depth / (depth - 1) * x_step
    turn = path.turn[:, None]
    return depth - path.shift[:, None] - 1j * turn * x, depth_step - 1j * turn * x_step


def _along_the_curve(s: Complex, path: Path, sigma: float, centre: Array) -> tuple[Complex, Complex]:
    """At nodes of the curve, the exponent of what is integrated, and its steps."""

    def power(d: Any) -> Complex:
        score = np.exp(d - 1 / (2 * sigma**2)) - centre[path.bent][:, None]
        return np.asarray(-s[path.bent][:, None] * score - sigma**2 * d**2 / 2)

    if not len(path.bent):
        return np.zeros((0, 1), dtype=np.complex128), np.zeros((0, 1), dtype=np.complex128)
    corner = path.corner[:, None]
    last = np.full(len(path.bent), FARTHEST)
    for _ in range(2):  # a rough look, and a finer one, at where all is silent
        q = last[:, None] * np.arange(1.0, 33) / 32
        silent = (power(_curve(q, path)[0]) - power(corner + 0j)).real < LOG_SILENT
        first = np.where(silent.any(axis=1), silent.argmax(axis=1), 31)
        last = q[np.arange(len(q)), first]
    d, step = _curve(last[:, None] * CURVE_NODES, path)
    return power(d), step * last[:, None] * CURVE_WEIGHTS
