"""The transform ``E e^{z S}`` of a sum of many scores along a line, with what round-off does to it.

S may be a mixture: at each of some numbers it holds so many scores of each share, times a size. On the real axis this
gives what a tilted sum is like; along the line it says where the transform is silent.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._complex import Complex, log1p
from shufflekit._dot import dot
from shufflekit._turns import turned
from shufflekit._validate import Array
from shufflekit.accuracy import NODE_ERROR, TINY, UNIT
from shufflekit.dominating_pairs.board import Scores

LOG_QUIET = -45.0  # relative, of a node that is left out
FEW = 30  # scores, that make nothing silent
CHEAPER = 16  # times: a product than a sine
FEW_VALUES, FEW_OF_MANY = 64, 2e5  # a law of more values is worked out by products, if there are few scores of it
LOOKS_APART = 4.0  # over the deviation of the sum: how far apart nodes are, between which silence is proved
NEARLY_ONE = 1 - 1e-15
MOST_POWER = 300.0
MANY_SINES, MANY_SCORES = 2**14, 1e4  # from so many sines on products cost less, of fewer scores


class Share(NamedTuple):
    """Scores of one law in a sum: at each of the numbers that it is a mixture over, how many, times which size."""

    law: Scores
    number: Array
    size: Array


class Real(NamedTuple):
    """On the real axis: the logarithm of each number's term, and of all; mean and variance of S under ``e^{c S}``."""

    log_moment: Array
    log_total: float
    mean: float
    variance: float


def real(shares: Sequence[Share], log_chance: Array, c: float) -> Real:
    """The transform at a real c, and the moments of the tilted sum."""
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


def log_transform(
    shares: Sequence[Share], log_chance: Array, c: float, apart: float, number: NDArray[np.intp]
) -> tuple[Complex, Array]:
    """``log E e^{(c + i t) S}`` by numbers and nodes t = k apart, and how far off it may be, see ``_log_of_sizes``."""
    log_m = np.repeat(log_chance[:, None].astype(complex), len(number), axis=1)
    error = np.zeros(log_m.shape)
    turn = np.asarray(apart * number, dtype=np.float64)
    for share in shares:
        if not share.number.any():
            continue
        sizes, row = np.unique(share.size, return_inverse=True)
        if _by_products(share) or _by_many_products(share, len(number)):
            found = [_log_of_values(share.law.times(float(size)), c, apart, number) for size in sizes]
            own, off = (np.array(column) for column in zip(*found, strict=True))
        else:
            own, off = _log_of_sizes(share.law, sizes, c, turn)
        if len(sizes) > 1:
            own, off = own[row], off[row]
        log_m += share.number[:, None] * own
        error += share.number[:, None] * off
    return log_m, error + NODE_ERROR * (1 + np.abs(log_m))


def _by_products(share: Share) -> bool:
    return len(share.law.value) > FEW_VALUES and float(share.number.max()) < FEW_OF_MANY


def _by_many_products(share: Share, nodes: int) -> bool:
    """Whether that costs less for so many nodes, if the digits that products lose, of each score some units of its
    mean's, are far fewer than ``score_error`` counts."""
    return nodes * len(share.law.value) >= MANY_SINES and float(share.number.max()) < MANY_SCORES


def price(share: Share) -> int:
    """Of one node, in sines."""
    kinds = len(share.law.value)
    return len(np.unique(share.size)) * (FEW_VALUES + kinds // CHEAPER if _by_products(share) else kinds)


def _log_of_sizes(law: Scores, sizes: Array, c: float, turn: Array) -> tuple[Complex, Array]:
    """``log E e^{(c + i turn) g}`` of one score of each size, by what E is more than 1, whose digits many scores need.

    A power n of a number x that is off by d is off by ``(|x| + d)^n - |x|^n`` at most.
    """
    value = np.outer(sizes, law.value)
    weight, growth = law.chance * np.exp(c * value), law.chance * np.expm1(c * value)
    more = np.repeat(growth.sum(axis=1, keepdims=True).astype(complex), len(turn), axis=1)
    for k in range(len(law.value)):
        half, own = np.outer(value[:, k], turn / 2), weight[:, k : k + 1]
        sine = np.sin(half)
        more.real -= 2 * own * sine**2
        more.imag += 2 * own * sine * np.cos(half)
    size = np.maximum(np.abs(1 + more), TINY)
    moved = np.minimum(np.outer((weight * np.abs(value)).sum(axis=1), turn), 2 * weight.sum(axis=1, keepdims=True))
    summed = (8 + len(law.value)) * (np.abs(growth).sum(axis=1, keepdims=True) + moved)
    off = UNIT * (summed + 4 * np.abs(more))
    return log1p(np.where(size > TINY, more, -NEARLY_ONE)), np.log1p(off / size)


def _log_of_values(law: Scores, c: float, apart: float, number: NDArray[np.intp]) -> tuple[Complex, Array]:
    """The same for a law of many values, of which there are few scores: no digits are lost that count."""
    middle = float(dot(law.chance, law.value))
    top = max(float((c * law.value).max()) - MOST_POWER, 0.0)  # squares of weights are to be numbers
    weight, away = law.chance * np.exp(c * law.value - top), law.value - middle
    moved = float(dot(weight, np.abs(away)))
    weight, away, left_out = _likely(weight, away)
    total, off = turned(weight, away, apart, number)
    size = np.maximum(np.abs(total), TINY)
    off += left_out + NODE_ERROR * apart * number * moved
    # By parts: numpy's logarithm of complex numbers takes three times as long.
    log_total = np.log(size) + top + 1j * (np.angle(total) + apart * middle * number)
    return log_total, np.log1p(off / size) + 4 * UNIT * top


def _likely(weight: Array, value: Array) -> tuple[Array, Array, float]:
    """The values but those that have no more than a unit of the whole weight together, and what these have at most.

    Whatever their turns are, the sum is no more than that away from the sum of all.
    """
    own = weight * len(weight) > UNIT * weight.sum()
    return weight[own], value[own], 2 * float(weight[~own].sum())


def looks(shares: Sequence[Share], c: float, apart: float, count: int) -> int:
    """How many nodes ``heard`` looks at, as many as cost so much."""
    cheap = all(len(share.law.value) > FEW_VALUES for share in shares if share.number.max() >= FEW)
    return math.ceil(count / _stride(shares, c, apart, count) / (CHEAPER if cheap else 1))


def _stride(shares: Sequence[Share], c: float, apart: float, count: int) -> int:
    most = max((float((s.number * _spreads(s, c) ** 2).max()) for s in shares if s.number.max() >= FEW), default=0.0)
    return max(1, math.floor(min(LOOKS_APART / (apart * math.sqrt(most)), count))) if most else 1


def heard(shares: Sequence[Share], c: float, apart: float, count: int) -> NDArray[np.intp]:
    """The numbers k of the nodes ``k apart`` at which not every number's term is silent next to its real value.

    With D the difference of two tilted scores, ``|phi|^2 = E cos(t D)``; so ``s = sqrt(1 - |phi|^2)`` changes by no
    more than the score's deviation times the distance (see ``loss_distribution.silence``): few nodes tell of the rest.
    """
    crowds = [share for share in shares if share.number.max() >= FEW]
    if not crowds:
        return np.arange(count)
    stride = _stride(shares, c, apart, count)
    look = stride * np.arange((count - 1) // stride + 2)
    loudness = np.zeros((len(shares[0].number), len(look) - 1))
    for share in crowds:
        s = _silence(share, c, apart * stride, len(look))
        least = np.minimum(s[:, :-1], s[:, 1:]) - _spreads(share, c)[:, None] * apart * stride / 2
        loudness += share.number[:, None] * np.log1p(-(np.clip(least, 0.0, NEARLY_ONE) ** 2)) / 2
    loud = np.asarray((loudness > LOG_QUIET).any(axis=0))
    # From each cell's first node to that before the next cell, or to that if the next cell is silent.
    last = look[1:][loud & ~np.append(loud[1:], False)]
    number = np.sort(np.append((look[:-1][loud, None] + np.arange(stride)).ravel(), last), kind="stable")
    return number[number < count] if loud.any() else np.zeros(1, dtype=np.intp)


def _spreads(share: Share, c: float) -> Array:
    """The deviation of a tilted score, by numbers."""
    sizes, row = np.unique(share.size, return_inverse=True)
    return np.array([size * math.sqrt(share.law.tilted(c * size)[1]) for size in sizes])[row]


def _silence(share: Share, c: float, apart: float, count: int) -> Array:
    """``sqrt(1 - |phi|^2)`` of a tilted score by numbers and so many nodes, not above the truth."""
    sizes, row = np.unique(share.size, return_inverse=True)
    value, turn = np.outer(sizes, share.law.value), apart * np.arange(float(count))
    weight = share.law.chance * np.exp(c * (value - value.max(axis=1, keepdims=True)))
    weight /= weight.sum(axis=1, keepdims=True)
    error = NODE_ERROR * (8 + np.outer(np.abs(value).max(axis=1), turn))
    if len(share.law.value) > FEW_VALUES:
        likely = [_likely(own, of) for own, of in zip(weight, value, strict=True)]
        found = [turned(own, of, apart, np.arange(count)) for own, of, _ in likely]
        phi, off = (np.array(part) for part in zip(*found, strict=True))
        error += 4 * (off + np.array([[left_out] for _, _, left_out in likely]))
        return np.asarray(np.sqrt(np.maximum(1 - np.abs(phi) ** 2 - error, 0.0))[row])
    cosine, sine = np.zeros((len(sizes), len(turn))), np.zeros((len(sizes), len(turn)))
    for k in range(len(share.law.value)):
        angle, own = np.outer(value[:, k], turn), weight[:, k : k + 1]
        cosine += own * np.cos(angle)
        sine += own * np.sin(angle)
    return np.asarray(np.sqrt(np.maximum(1 - cosine**2 - sine**2 - error, 0.0))[row])
