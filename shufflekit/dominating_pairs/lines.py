"""``E(S - x)_+`` of many sums of equally many scores, each at a point of its own: ``line``'s integral, all at once.

Arrays go by sums, or hold the nodes of all sums one after the other, each with the number of its sum.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._complex import log1p
from shufflekit._validate import Array
from shufflekit.accuracy import NODE_ERROR, TINY, UNIT
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.line import (
    EDGE,
    FARTHER,
    FINER,
    LOG_HUGE,
    LOG_MOST,
    LOG_WRAPPED,
    MOST_FINER_WORK,
    MOST_WORK,
    PART,
    REACH,
    chernoff,
)
from shufflekit.dominating_pairs.score_transform import LOG_QUIET, LOOKS_APART, NEARLY_ONE

NEWTON = 30  # steps to the saddle, or near enough
NEAR = 0.02  # of the saddle: that is near enough
PARTS, LEVELS = 4, 4  # a cell of nodes is divided into, and how often: the finest are LOOKS_APART wide
CHUNK = 2**11  # kinds of all sums that are worked on at once: some hundred nodes each, or some thousand
SUMMED = 12  # units: of a sum of few kinds, and of the sum of all nodes

Numbers = NDArray[np.intp]


class Sums(NamedTuple):
    """So many scores each, of the values and chances in a row; and where they are looked at."""

    value: Array
    chance: Array
    number: int
    x: Array

    def some(self, rows: Numbers | NDArray[np.bool_]) -> "Sums":
        return Sums(self.value[rows], self.chance[rows], self.number, self.x[rows])

    @property
    def largest(self) -> Array:
        return np.asarray(self.number * np.where(self.chance > 0, self.value, -np.inf).max(axis=1), dtype=np.float64)


def excess_of_sums(value: Array, chance: Array, number: int, x: Array, rtol: float = 1e-4) -> Ends:
    """``E(S - x)_+`` at x >= 0, a row a sum of so many scores of mean 0; noise moves x by about ``rtol`` at most."""
    lower, upper = np.zeros(len(x)), np.zeros(len(x))
    sums = Sums(value, chance, number, x)
    todo = np.flatnonzero((x < sums.largest * (1 + EDGE)) & (sums.largest > 0))
    upper[todo] = np.inf
    for finer in FINER:
        most, wide, size = (
            MOST_WORK if finer == 1 else MOST_FINER_WORK,
            list[Numbers](),
            max(1, CHUNK // value.shape[1]),
        )
        for part in (todo[i : i + size] for i in range(0, len(todo), size)):
            ends, far = _on_lines(sums.some(part), rtol * finer, most)
            lower[part], upper[part] = np.maximum(lower[part], ends.lower), np.minimum(upper[part], ends.upper)
            wide.append(part[upper[part] - lower[part] > rtol * np.maximum(1.0, far) * upper[part]])
        todo = np.concatenate([*wide, todo[:0]])
    return Ends(lower, upper)


def chernoffs(value: Array, chance: Array, number: int, x: Array) -> Array:
    """What none of the same is above, for little: Chernoff's bound, and 0 beyond the largest sum."""
    sums, most = Sums(value, chance, number, x), np.zeros(len(x))
    inside = (x < sums.largest * (1 + EDGE)) & (sums.largest > 0)
    own = sums.some(inside)
    c = saddles(own)
    most[inside] = chernoff(number * _tilted(own, c).log_moment - c * own.x, c)
    return most


def work(value: Array, chance: Array, number: int, x: Array, rtol: float) -> float:
    """How many nodes are heard or listened to of all sums, times kinds: what ``excess_of_sums`` is to work out."""
    sums = Sums(value, chance, number, x)
    sums = sums.some((x < sums.largest * (1 + EDGE)) & (sums.largest > 0))
    c = saddles(sums)
    lines = _lines(sums, c, _tilted(sums, c), rtol)
    few = np.flatnonzero(lines.nodes * value.shape[1] < MOST_WORK)
    if not len(few):
        return 0.0
    row, _, looks = _heard(sums.some(few), Lines(*(column[few] for column in lines)))
    return float((len(row) + looks) * value.shape[1])


class Tilted(NamedTuple):
    """One score under ``e^{c g}``: the logarithm of its moment, its mean and variance, by sums."""

    log_moment: Array
    mean: Array
    variance: Array


def _tilted(sums: Sums, c: Array) -> Tilted:
    power = c[:, None] * sums.value
    top = np.where(sums.chance > 0, power, -np.inf).max(axis=1)
    weight = sums.chance * np.exp(np.minimum(power - top[:, None], 0.0))
    total = weight.sum(axis=1)
    precise = np.log1p((sums.chance * np.expm1(np.minimum(power, 1.0))).sum(axis=1))
    mean = (weight * sums.value).sum(axis=1) / total
    variance = (weight * (sums.value - mean[:, None]) ** 2).sum(axis=1) / total
    return Tilted(np.where(top < 1, precise, top + np.log(total)), mean, variance)


def saddles(sums: Sums) -> Array:
    """About where ``log M(c) - c x - 2 log c`` is least, by Newton's method between ever nearer ends."""
    n, x = sums.number, sums.x
    variance = n * (sums.chance * sums.value**2).sum(axis=1)
    c = (x + np.sqrt(x**2 + 8 * variance)) / (2 * variance)
    low, high = np.zeros(len(x)), LOG_MOST / np.abs(sums.value).max(axis=1)
    c = np.minimum(c, high)
    for _ in range(NEWTON):
        known = _tilted(sums, c)
        rise = n * known.mean - x - 2 / c
        low, high = np.where(rise < 0, c, low), np.where(rise < 0, high, c)
        step = c - rise / (n * known.variance + 2 / c**2)
        inside = (step > low) & (step < high)
        before, c = c, np.where(inside, step, np.where(low > 0, np.sqrt(low * high), high / 2))
        if (np.abs(c - before) <= NEAR * c).all():
            break
    return np.asarray(c, dtype=np.float64)


class Lines(NamedTuple):
    """Where the lines lie, by sums: real part, variance of the noise, distance and count of nodes, the log of M(c)."""

    c: Array
    variance: Array
    apart: Array
    nodes: Array
    log_total: Array
    spread: Array  # of one tilted score
    wrapped: Array  # what later and earlier periods add, relative


def _on_lines(sums: Sums, rtol: float, most: int) -> tuple[Ends, Array]:
    """Both ends, and c x; Chernoff's bound alone where too many nodes would be needed."""
    c = saddles(sums)
    known = _tilted(sums, c)
    log_top = sums.number * known.log_moment - c * sums.x
    most_of_all = chernoff(log_top, c)
    lower, upper = np.zeros(len(c)), most_of_all.copy()
    lines = _lines(sums, c, known, rtol)
    few = np.flatnonzero((lines.nodes * sums.value.shape[1] < most) & (most_of_all > TINY))
    if len(few):
        lines = Lines(*(column[few] for column in lines))
        least, greatest = _integrals(sums.some(few), lines)
        decline = np.exp(np.clip(log_top[few], -LOG_HUGE, LOG_HUGE))
        lower[few] = np.maximum(least * decline * (1 - 64 * UNIT), 0.0)
        upper[few] = np.clip(greatest * decline * (1 + 64 * UNIT), TINY, most_of_all[few])
    return Ends(lower, upper), c * sums.x


def _lines(sums: Sums, c: Array, known: Tilted, rtol: float) -> Lines:
    """See ``line``: the noise, and a period after which hardly anything comes again."""
    n, x = sums.number, sums.x
    variance = np.minimum(2 * PART * rtol * np.maximum(1.0, c * x), 1.0) / c**2
    deviation = np.sqrt(n * known.variance + variance + 2 / c**2)
    more = np.minimum(FARTHER / deviation, c)
    u, log_total = c + more, n * known.log_moment
    growth = n * _tilted(sums, u).log_moment - log_total + variance * u**2 / 2 - more * x - np.log(u) - 1
    log_value = -2 * np.log(c) - np.log(2.5 * deviation)
    own = 2 * np.sqrt(n * (sums.chance * sums.value**2).sum(axis=1))  # more than E|S|, with the noise
    earlier = (np.log(own + x) + 1 - log_total + c * x - log_value - LOG_WRAPPED) / c
    earlier += np.log1p(np.maximum(earlier, 0.0) / own) / c
    period = np.maximum(np.maximum(earlier, (growth - log_value - LOG_WRAPPED) / more), REACH * deviation)
    apart = 2 * np.pi / period
    later = np.exp(np.minimum(growth - more * period, LOG_HUGE)) / -np.expm1(-more * period)
    log_before = c * (x - period) - log_total + np.log(own + x + period / -np.expm1(-c * period))
    before = np.exp(np.minimum(log_before, LOG_HUGE)) / -np.expm1(-c * period)
    count = np.ceil(REACH / np.sqrt(variance) / apart) + 1
    return Lines(c, variance, apart, count, log_total, np.sqrt(known.variance), later + before)


def _integrals(sums: Sums, lines: Lines) -> tuple[Array, Array]:
    """Both ends relative to ``M(c) e^{-c x}``."""
    row, number, _ = _heard(sums, lines)
    turn, size = lines.apart[row] * number, len(lines.c)
    more, off = _more(sums, lines.c, row, turn)
    length = np.maximum(np.abs(1 + more), TINY)
    log_phi = log1p(np.where(length > TINY, more, -NEARLY_ONE))
    log_terms = sums.number * log_phi - lines.log_total[row]
    error = sums.number * np.log1p(off / length)
    error += NODE_ERROR * (2 + np.abs(sums.number * log_phi) + np.abs(lines.log_total[row]))
    error += NODE_ERROR * (lines.c[row] + turn) * sums.x[row]
    z, v = lines.c[row] + 1j * turn, lines.variance[row]
    noisy = np.exp(v * z**2 / 2) * np.where(number > 0, 1.0, 0.5)
    terms = np.exp(log_terms - 1j * turn * sums.x[row]) * noisy
    wrong = (np.exp(log_terms.real + error) - np.exp(log_terms.real)) * np.abs(noisy)
    wrong += SUMMED * UNIT * np.abs(terms)
    silent, ends = _silent(lines), []
    for side, density in ((-1, v), (1, 0.0)):
        kernel = 1 / z**2 - density
        total = np.bincount(row, (terms * kernel).real + side * wrong * np.abs(kernel), size)
        ends.append(total * lines.apart / np.pi + side * silent - (lines.wrapped if side < 0 else 0.0))
    return ends[0], ends[1]


def _more(sums: Sums, c: Array, row: Numbers, turn: Array) -> tuple[NDArray[np.complex128], Array]:
    """``E e^{(c + i turn) g} - 1`` at each node, and how far off it may be."""
    weight = sums.chance * np.exp(c[:, None] * sums.value)
    growth = sums.chance * np.expm1(c[:, None] * sums.value)
    more = growth.sum(axis=1)[row].astype(complex)
    for k in range(sums.value.shape[1]):
        half = turn * (sums.value[row, k] / 2)
        sine, own = np.sin(half), weight[row, k]
        more.real -= 2 * own * sine**2
        more.imag += 2 * own * sine * np.cos(half)
    moved = np.minimum(turn * (weight * np.abs(sums.value)).sum(axis=1)[row], 2 * weight.sum(axis=1)[row])
    off = UNIT * ((8 + len(sums.value[0])) * (np.abs(growth).sum(axis=1)[row] + moved) + 4 * np.abs(more))
    return more, off


def _heard(sums: Sums, lines: Lines) -> tuple[Numbers, Numbers, int]:
    """Of all nodes that may not be silent, the numbers of their sums, and their own: see ``score_transform.heard``; and
    how many nodes were looked at for it.

    Cells of ever fewer nodes are looked at at their ends; those that are silent are done with.
    """
    apart_in_all = lines.apart * lines.spread * math.sqrt(sums.number)
    stride = np.floor(np.clip(LOOKS_APART / np.maximum(apart_in_all, TINY), 1.0, lines.nodes))
    last = lines.nodes - 1
    many = np.ceil(last / (stride * PARTS**LEVELS)).astype(np.intp)
    row = np.repeat(np.arange(len(many)), many)
    start = (np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)) * (stride * PARTS**LEVELS)[row]
    looks = 0
    for level in range(LEVELS, -1, -1):
        looks += 2 * len(row)
        wide = stride[row] * PARTS**level
        end = np.minimum(start + wide, last[row])
        loud = (start == 0) | _may_be_loud(sums, lines, row, start, end)
        row, start, end, wide = row[loud], start[loud], end[loud], wide[loud]
        if level:
            start = (start[:, None] + np.arange(PARTS) * wide[:, None] / PARTS).ravel()
            row = np.repeat(row, PARTS)
            row, start = row[start < last[row]], start[start < last[row]]
    # From each cell's first node to that before the next cell; the last node of all is its own.
    count = (end - start).astype(np.intp) + (end == last[row])
    of, first = np.repeat(row, count), np.repeat(start.astype(np.intp), count)
    return of, first + np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count), looks


def _may_be_loud(sums: Sums, lines: Lines, row: Numbers, start: Array, end: Array) -> NDArray[np.bool_]:
    """Whether any node from one to the other may be heard."""
    apart = lines.apart[row]
    ends = [_silence(sums, lines, row, apart * place) for place in (start, end)]
    least = np.minimum(*ends) - lines.spread[row] * apart * (end - start) / 2
    log_size = sums.number / 2 * np.log1p(-(np.clip(least, 0.0, NEARLY_ONE) ** 2))
    return np.asarray(log_size > LOG_QUIET)


def _silence(sums: Sums, lines: Lines, row: Numbers, turn: Array) -> Array:
    """``sqrt(1 - |phi|^2)`` of a tilted score, not above the truth."""
    power = lines.c[:, None] * sums.value
    weight = sums.chance * np.exp(power - power.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    cosine, sine = np.zeros(len(row)), np.zeros(len(row))
    for k in range(sums.value.shape[1]):
        angle, own = turn * sums.value[row, k], weight[row, k]
        cosine += own * np.cos(angle)
        sine += own * np.sin(angle)
    error = NODE_ERROR * (8 + turn * np.abs(sums.value).max(axis=1)[row])
    return np.asarray(np.maximum(1 - cosine**2 - sine**2 - error, 0.0) ** 0.5)


def _silent(lines: Lines) -> Array:
    """What nodes that are not heard may add, and all beyond the last: ``e^{-v t^2/2} (1/|z|^2 + v)`` falls with t."""
    c, v, apart = lines.c, lines.variance, lines.apart
    last = apart * (lines.nodes - 1)
    # The sum over all nodes: the first, and an integral: of 1/(c^2 + t^2) it is pi/(2c), of the noise sqrt(pi/(2v)).
    whole = np.exp(v * c**2 / 2) * (apart * (1 / c**2 + v) + np.pi / (2 * c) + v * np.sqrt(np.pi / (2 * v)))
    log_last = v * (c**2 - last**2) / 2
    beyond = np.exp(log_last) * (1 / last**2 + v) / (np.pi * v * last)
    return np.asarray(whole / np.pi * math.exp(LOG_QUIET) + beyond)
