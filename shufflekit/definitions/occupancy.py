"""Random check-ins: how many slots stay empty, and what one that does not is worth. [beyond] 15, 16

Each of n clients comes with the chance p0/m to each of m slots. With k slots that are not empty, the generating
function of n is, but for what does not depend on k, C(m, k) e^{s m (1 - p0)/p0} (e^s - 1)^k: its coefficient of s^n is
taken on the circle through the saddle point. Of a slot that is not empty and of which L others have come, 1/(L + 1) has
the mean that a factor 1/s - 1/(e^s - 1) more in the integrand gives.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._binomial import log_choose
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

DEVIATIONS, SPARE = 13.0, 40.0  # of the number of empty slots, that are looked at: beyond is less than e^-80
# Of the circle: as many nodes a deviation, so that the next values that are mixed up lie 10 deviations away; and, of
# more nodes than the least, how many deviations are looked at: e^{-9^2/2} is 3e-18.
NODES_PER_DEVIATION, LEAST_NODES, REACH = 10.0, 96, 9.0
SAME_ANGLE = 1e-9  # relative: nearer ones differ by round-off
LEAST_RADIUS, HALVINGS = 1e-150, 80  # of the circle, and of the stretch that it is looked for in
AT_ONCE = 500  # numbers
RARELY = 1e-40  # does anybody come: that two do is then less than 1e-40 times as likely
LEAST_STRETCHES, SAME = 4, 1e-3  # of numbers; and by how much those of one may differ, relative
EVENLY = 1 / 4  # of the stretches of numbers: the rest lie where the chances are


class Empty(NamedTuple):
    """Numbers of empty slots, their chances, and the mean of 1/(L + 1) of the other slots, L being who came."""

    number: Array
    chance: Array
    shared: Array


@lru_cache(maxsize=20)  # a search for the clients or the slots asks again and again
def empty_slots(clients: int, slots: int, rate: float) -> Empty:
    """The law of the number of empty slots; the chances sum to 1."""
    if 0 < clients * rate < RARELY:
        return Empty(np.array([slots - 1.0, slots]), np.array([clients * rate, 1.0]), np.full(2, 0.5))
    chance = rate / slots
    mean = slots * np.exp(clients * np.log1p(-chance)) if chance < 1 else slots * float(clients == 0)
    # The number is a sum of independent yes and no's: its variance is below its mean, and below that of who came.
    deviation = np.sqrt(min(mean, clients * rate, slots, _variance(clients, slots, chance)))
    low = max(0, slots - clients, int(mean - DEVIATIONS * deviation - SPARE))
    high = min(slots if rate < 1 or clients == 0 else slots - 1, int(mean + DEVIATIONS * deviation + SPARE))
    number = np.arange(low, max(low, high) + 1.0)
    away = slots * (1 - rate) / rate
    near = float(_saddle(clients, np.array([max(1.0, min(slots - mean, clients))]), away)[0])
    logs = [
        _log_chance(clients, slots, away, near, part) for part in np.array_split(number, 1 + len(number) // AT_ONCE)
    ]
    log_chance, shared = (np.concatenate(column) for column in zip(*logs, strict=True))
    found = np.exp(log_chance - log_chance.max())
    return Empty(number, found / found.sum(), shared)


def _variance(clients: int, slots: int, chance: float) -> float:
    """Of the number of empty slots, rounded up: two are empty with (1 - 2 p)^n, which is q^2 but for what few share."""
    if chance >= 0.5:
        return float(slots)
    empty = np.exp(clients * np.log1p(-chance))
    less = np.expm1(clients * np.log1p(-((chance / (1 - chance)) ** 2)))
    both = empty**2 * (1 + less)
    return float(1.01 * (slots * (empty - both) + (slots * empty) ** 2 * less) + 1)


def stretches(number: Array, chance: Array, most: int) -> list[NDArray[np.intp]]:
    """The places of rising numbers, in stretches that are short where much chance lies; some lie evenly over all.

    Fewer where the numbers are nearly the same.
    """
    order = np.argsort(number)
    if len(order) <= most:
        return list(order[:, None])
    most = min(most, max(LEAST_STRETCHES, int(np.ceil(np.ptp(number) / number.max() / SAME))))
    wide = np.ones(len(order))
    near = (chance[order] / chance.max()) ** (1 / 4)
    share = np.cumsum((1 - EVENLY) * near / near.sum() + EVENLY * wide / wide.sum())
    first = np.searchsorted(share, np.arange(1, most) / most * share[-1])
    return [part for part in np.split(order, first) if len(part)]


def _log_chance(n: int, m: int, away: float, near: float, number: Array) -> tuple[Array, Array]:
    """The logarithm of each number's chance, but for a constant; and the mean of 1/(L + 1).

    ``near`` is a radius like theirs: what is large is taken off at both, before it cancels.
    """
    k = m - number
    log_ways = log_choose(m, k)
    if n == 0:
        return log_ways, np.ones(len(k))
    some = k < n
    log_chance, shared = np.full(len(k), -np.inf), np.full(len(k), 0.5)
    radius = _saddle(n, k[some], away)
    rest = -np.expm1(-radius)  # e^r - 1 is e^r times that
    second = away * radius + k[some] * (radius / rest - radius**2 * np.exp(-radius) / rest**2)
    nodes = np.maximum(LEAST_NODES, NODES_PER_DEVIATION * np.sqrt(second))
    angles = LEAST_NODES // 2 if (nodes <= LEAST_NODES).any() else math.ceil(REACH * NODES_PER_DEVIATION / (2 * np.pi))
    angle = 2 * np.pi / nodes[:, None] * np.arange(angles + 1)
    kept = angle <= np.pi * (1 + SAME_ANGLE)
    weight = np.where(angle == 0, 0.5, np.where(np.abs(angle - np.pi) < SAME_ANGLE, 0.5, 1.0)) * kept
    r, k_some = radius[:, None], k[some][:, None]
    move = r * np.expm1(1j * angle)
    less = np.expm1(move) / rest[:, None]
    factor = np.log1p(np.where(less == -1, UNIT - 1, less))  # of nothing the logarithm is taken to be a number, too
    term = weight * np.exp(away * move + k_some * factor - 1j * n * angle)
    s = r + move
    total = 2 * (term.real.sum(axis=1)) / nodes
    ratio = (term * (1 / s + np.exp(-s) / np.expm1(-s))).real.sum(axis=1) / term.real.sum(axis=1)
    moved = radius - near
    log_top = away * moved + k[some] * (radius + np.log(rest)) - n * np.log1p(moved / near)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chance[some] = log_ways[some] + log_top + np.log(np.maximum(total, 0.0))
    shared[some] = np.clip(ratio, 0.0, 0.5)
    # All come, to slots of their own: the coefficient is 1.
    log_chance[~some] = log_ways[~some] - away * near + n * np.log(near)
    return log_chance, shared


def _saddle(n: int, k: Array, away: float) -> Array:
    """Where ``s away + k s e^s/(e^s - 1) = n``, or about there."""

    def value(s: Array) -> Array:
        return np.asarray(s * away + k * s / -np.expm1(-s))

    low, high = (
        np.full(len(k), LEAST_RADIUS),
        np.full(len(k), 2.0 * max(n, 1) / max(away + float(k.min(initial=1.0)), 1.0) + 2),
    )
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        below = value(middle) < n
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high
