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
from shufflekit.search import first_yes

SMOOTH = 0.01  # deviations of S, that the noise has: 5e-5 of eps
LOG_SILENT = -45.0  # relative, of a node that is left out
REACH = 9.0  # where the noise ends the integrand: e^{-9^2/2} is 3e-18
LOG_WRAPPED = -36.0  # relative, of what the next periods add
LINE_ERROR = 1e-12  # of a sum of nodes, next to the sum of their sizes: some hundreds of them
FEW_VALUES = 12  # of a law, whose moment dies out along the line
LOG_MOST = 300.0  # of a tilt: floating point holds it
LOG_HUGE = 700.0
MOST_NODES = 2_000_000  # beyond, Chernoff's bound does


class Share(NamedTuple):
    """Scores of one law in a sum: at each of the numbers that it is a mixture over, how many, times which size."""

    law: Scores
    number: Array
    size: Array


def stop_loss(shares: Sequence[Share], log_chance: Array, x: float) -> float:
    """``E(S - x)_+`` for x >= 0 and scores of mean 0, never too small."""
    shares = [share for share in shares if (share.number * share.size).max() > 0]
    variance = float(np.exp(log_chance) @ sum(s.number * s.size**2 * s.law.variance for s in shares)) if shares else 0.0
    if variance == 0:
        return 0.0
    noise = SMOOTH * math.sqrt(variance)
    c = _saddle(shares, log_chance, x, noise)
    real = _real(shares, log_chance, c)
    log_top, deviation = float(real.log_moment.max()), math.sqrt(real.variance + noise**2 + 2 / c**2)
    # t e^{-c t} is 1/(e c) at most.
    chernoff = math.exp(min(real.log_total - c * x - 1 - math.log(c), LOG_HUGE))
    log_value = log_top - c * x - 2 * math.log(c) - math.log(2.5 * deviation)
    period = max((0.5 * math.log(variance) - LOG_WRAPPED - log_value) / c, REACH * deviation)
    count = REACH / noise * period / (2 * np.pi)
    if count > MOST_NODES:
        return chernoff
    nodes = 2 * np.pi / period * np.arange(math.ceil(count) + 1.0)
    z = c + 1j * nodes[_heard(shares, c, nodes)]
    log_m = log_chance[:, None] + sum(_log_moments(s, z) for s in shares)
    # The noise alone may be more at c than floating point holds, where x is near the largest sum, or beyond.
    value = np.exp(log_m - log_top).sum(axis=0) * np.exp(noise**2 * (z**2 - c**2) / 2 - (z - c) * x) / z**2
    log_size = log_top + noise**2 * c**2 / 2 - c * x
    if log_size > LOG_HUGE:
        return chernoff
    # Nodes may nearly cancel, where the line is not at the saddle.
    total = float(value.real.sum() - value.real[0] / 2 + LINE_ERROR * np.abs(value).sum()) * 2 / period
    return min(max(total, 0.0) * math.exp(log_size), chernoff)


def _log_moments(share: Share, z: NDArray[Any]) -> NDArray[Any]:
    """``log E e^{z g}`` of all scores at each number and node, with its digits where z is small: the mean of g is 0."""
    size = share.size[:1] if (share.size == share.size[0]).all() else share.size
    scaled = np.outer(size, z)
    total = np.zeros(scaled.shape, dtype=z.dtype)
    for value, chance in zip(share.law.value, share.law.chance, strict=True):
        total += chance * np.expm1(scaled * value)
    return np.asarray(share.number[:, None] * np.log1p(total))


class Real(NamedTuple):
    """On the real axis: the logarithm of each number's term, and of all; mean and variance of S under ``e^{c S}``."""

    log_moment: Array
    log_total: float
    mean: float
    variance: float


def _real(shares: Sequence[Share], log_chance: Array, c: float) -> Real:
    log_moment, mean, variance = log_chance.copy(), np.zeros(len(log_chance)), np.zeros(len(log_chance))
    for share in shares:
        power = np.outer(c * share.size, share.law.value)
        top = power.max(axis=1, keepdims=True)
        weight = share.law.chance * np.exp(power - top)
        total = weight.sum(axis=1)
        small = top[:, 0] < 1
        precise = np.log1p((share.law.chance * np.expm1(np.where(small[:, None], power, 0.0))).sum(axis=1))
        log_moment += share.number * np.where(small, precise, top[:, 0] + np.log(total))
        own = weight @ share.law.value / total
        mean += share.number * share.size * own
        variance += share.number * share.size**2 * (weight @ share.law.value**2 / total - own**2)
    top_term = float(log_moment.max())
    part = np.exp(log_moment - top_term)
    middle = float(part @ mean / part.sum())
    spread = float(part @ (variance + (mean - middle) ** 2) / part.sum())
    return Real(log_moment, top_term + math.log(float(part.sum())), middle, max(spread, 0.0))


def _saddle(shares: Sequence[Share], log_chance: Array, x: float, noise: float) -> float:
    """About where ``log M(c) + noise^2 c^2/2 - c x - 2 log c`` is least: it is convex in c."""
    most = LOG_MOST / max(float(np.abs(s.law.value).max() * s.size.max()) for s in shares)

    def rises(c: float) -> bool:
        return c > 0 and _real(shares, log_chance, c).mean + noise**2 * c - x - 2 / c >= 0

    return min(first_yes(rises, min(1 / (100 * noise), most), doublings=60, halvings=7), most)


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
