"""``E(S - x)_+`` of a sum of many scores of several sizes, by a contour integral: never too small.

With ``M(z) = E e^{z S}``, and any c > 0,   E(S - x)_+ = 1/(2 pi i) int M(z) e^{-z x}/z^2 dz   along Re z = c.

The trapezoid rule with nodes 2 pi/P apart gives ``sum_j e^{j c P} E(S - x - j P)_+`` over all whole j: more, by what a
long period makes as little as one likes. A little Gaussian noise of mean 0 is added to S, which is larger in the convex
order, and makes the integrand end. No grid, and no more work for more scores; S may be a mixture over numbers of them.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.dominating_pairs.board import Scores

SMOOTH = 0.01  # deviations of S, that the noise has: 5e-5 of eps
LOG_SILENT = -45.0  # relative, of a node that is left out
REACH = 9.0  # where the noise ends the integrand: e^{-9^2/2} is 3e-18
LOG_WRAPPED = -36.0  # relative, of what the next periods add
LINE_ERROR = 1e-12  # of a sum of nodes, relative: some hundreds of them, of one sign but for the last ones
FEW_VALUES = 12  # of a law, whose moment dies out along the line
LOG_MOST = 300.0  # of a tilt: floating point holds it
STEPS = 12  # of Newton's method: where the line lies decides effort only


class Share(NamedTuple):
    """Scores of one law in a sum: at each of the numbers that it is a mixture over, how many, times which size."""

    law: Scores
    number: Array
    size: Array


def stop_loss(shares: Sequence[Share], log_chance: Array, x: float) -> float:
    """``E(S - x)_+`` for x >= 0 and scores of mean 0, never too small."""
    middle = int(np.argmax(log_chance))
    variance = sum(float(s.number[middle] * s.size[middle] ** 2) * s.law.variance for s in shares)
    if variance == 0:
        return 0.0
    c = _saddle(shares, middle, x, variance)
    deviation = math.sqrt(_slopes(shares, middle, c)[1] + 2 / c**2)
    log_real = log_chance + sum(_log_moments(s, np.array([c]))[:, 0] for s in shares)
    log_top = float(log_real.max())
    noise = SMOOTH * math.sqrt(variance)
    log_value = log_top - c * x - 2 * math.log(c) - math.log(2.5 * deviation)
    period = max((0.5 * math.log(variance) - LOG_WRAPPED - log_value) / c, REACH * deviation)
    nodes = 2 * np.pi / period * np.arange(math.ceil(REACH / noise * period / (2 * np.pi)) + 1.0)
    heard = _heard(shares, c, nodes)
    z = c + 1j * nodes[heard]
    log_m = log_chance[:, None] + sum(_log_moments(s, z) for s in shares)
    value = np.exp(log_m - log_top).sum(axis=0) * np.exp(noise**2 * z**2 / 2 - (z - c) * x) / z**2
    total = float(value.real.sum() - value.real[0] / 2) * 2 / period
    return max(total, 0.0) * math.exp(log_top - c * x) * (1 + LINE_ERROR)


def _log_moments(share: Share, z: NDArray[Any]) -> NDArray[Any]:
    """``log E e^{z g}`` of all scores at each number and node, with its digits where z is small: the mean of g is 0."""
    size = share.size[:1] if (share.size == share.size[0]).all() else share.size
    scaled = np.outer(size, z)
    total = np.zeros(scaled.shape, dtype=z.dtype)
    for value, chance in zip(share.law.value, share.law.chance, strict=True):
        total += chance * np.expm1(scaled * value)
    return np.asarray(share.number[:, None] * np.log1p(total))


def _slopes(shares: Sequence[Share], at: int, c: float) -> tuple[float, float]:
    """Mean and variance of the sum under ``e^{c S}``, for one of the numbers."""
    mean = variance = 0.0
    for share in shares:
        size, count = float(share.size[at]), float(share.number[at])
        own_mean, own_variance = share.law.tilted(c * size)
        mean, variance = mean + count * size * own_mean, variance + count * size**2 * own_variance
    return mean, variance


def _saddle(shares: Sequence[Share], at: int, x: float, variance: float) -> float:
    """About where the integrand is least on the real axis."""
    most = LOG_MOST / max(float(np.abs(s.law.value).max() * s.size.max()) for s in shares)
    c = min((x + math.sqrt(x**2 + 8 * variance)) / (2 * variance), most)
    for _ in range(STEPS):
        mean, slope = _slopes(shares, at, c)
        step = (mean - x - 2 / c) / (slope + 2 / c**2)
        c, before = float(np.clip(c - step, c / 2, min(2 * c, most))), c
        if abs(c - before) <= 1e-3 * c:
            break
    return c


def _heard(shares: Sequence[Share], c: float, nodes: Array) -> NDArray[np.intp]:
    """The nodes at which not every number's term is silent next to its real value.

    Shares of few values, of which this can be told, are looked at one after the other, where the earlier left nodes.
    """
    heard, log_size = np.arange(len(nodes)), np.zeros(len(nodes))
    for share in sorted(shares, key=lambda one: float(np.ptp(one.size))):
        if len(share.law.value) > FEW_VALUES or share.number.max() == 0:
            continue
        one = np.ptp(share.size) == 0
        size, count = (share.size[:1], share.number.min(keepdims=True)) if one else (share.size, share.number)
        weight = share.law.chance * np.exp(np.outer(c * size, share.law.value))
        weight /= weight.sum(axis=1, keepdims=True)
        lost = np.zeros((len(size), len(heard)))
        for i in range(len(share.law.value)):
            for j in range(i):
                turn = np.outer(size, nodes[heard]) * ((share.law.value[i] - share.law.value[j]) / 2)
                lost += 4 * (weight[:, i] * weight[:, j])[:, None] * np.sin(turn) ** 2
        # |E e^{z g}|^2 is that much less than at c, relative.
        with np.errstate(divide="ignore"):
            own = count[:, None] * np.log1p(-np.minimum(lost, 1.0)) / 2
        log_size = log_size + own.max(axis=0)
        kept = log_size > LOG_SILENT
        heard, log_size = heard[kept], log_size[kept]
    return heard
