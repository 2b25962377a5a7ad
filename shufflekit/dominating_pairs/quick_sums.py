"""``E(x + S)_+`` of sums of many scores, for many laws and starts at once: never too small, and rough.

By the trapezoid rule along lines Re z = c, as in ``line``, with nodes that are the same for all laws. What is rough is
the noise that makes the integrand end: the more laws, the more of it.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._turns import COLUMNS, INNER, ROWS
from shufflekit._validate import Array
from shufflekit.accuracy import TINY
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.line import LOG_HUGE, REACH
from shufflekit.dominating_pairs.score_transform import LOG_QUIET

PERIOD = 24.0  # deviations: the next periods add e^-36
LEAST_TILT = 1.5  # over the deviation
LINES_APART = 2.0  # deviations, between lines
FINE, ROUGHEST = 0.02, 0.2  # deviations of the noise: 2e-4 of eps, and 2 % where the laws are very many
WORK = 1e6  # exponentials
TILTS = np.geomspace(1 / 32, 2.0, 13)  # of Chernoff's bound, next to that of a normal sum
LOUDEST = 20.0  # of the noise under a tilt: floating point holds the exponential of its square
LINE_ERROR = 1e-12  # of a sum of nodes, next to the sum of their sizes: some hundreds of them


class Line(NamedTuple):
    """Where its real part is, the deviation of the noise, and the period of what the nodes sum."""

    tilt: float
    noise: float
    period: float


class Quick(NamedTuple):
    """A row a law, never too small, and about how much of it may be the noise's, by starts."""

    worth: Array
    part: Array


def quick_worths(laws: Sequence[Scores], slots: int, starts: Array, noise: float = 0.0) -> Quick:
    """The worth of so many scores of each law at starts x <= 0, and of a normal one of that deviation or of more; the
    scores have the mean 0."""
    kinds = max(len(law.value) for law in laws)
    value, chance = np.zeros((len(laws), kinds)), np.zeros((len(laws), kinds))
    for i, law in enumerate(laws):
        value[i, : len(law.value)], chance[i, : len(law.value)] = law.value, law.chance
    deviation = math.sqrt(slots * float((chance * value**2).sum(axis=1).max()))
    out = -starts / deviation
    lines = np.unique(np.maximum(np.arange(out.min(), out.max() + LINES_APART, LINES_APART), LEAST_TILT))
    nodes = REACH * PERIOD / (2 * np.pi) * value.size * len(lines) / WORK
    least, noise = noise, max(min(max(nodes, FINE), ROUGHEST) * deviation, noise)
    found = np.full((len(laws), len(starts)), np.inf)
    loud = noise * lines / deviation > LOUDEST  # the noise would be all that is seen
    for tilt in lines[~loud] / deviation:
        near = np.abs(out - tilt * deviation) <= max(LINES_APART, LEAST_TILT)
        line = Line(tilt, noise, PERIOD * deviation)
        found[:, near] = np.minimum(found[:, near], _on_line(value, chance, slots, starts[near], line))
    for tilt in np.append(TILTS * max(float(out.max()), 1.0), lines[loud]) / deviation:
        log_moment = slots * _log_moments(value, chance, np.full(1, tilt + 0j)).real + (tilt * least) ** 2 / 2
        found = np.minimum(found, _chernoff(log_moment, tilt, starts))
    part = (noise / deviation) ** 2 / 2 * (1 + out**2)
    return Quick(found, np.where(starts < 0, part, noise / deviation))


def _on_line(value: Array, chance: Array, slots: int, starts: Array, line: Line) -> Array:
    """``1/(2 pi i) int M(z) e^{z x}/z^2 dz`` for each law and start x; the nodes are ``2 pi/period`` apart."""
    tilt, noise, period = line
    z = tilt + 2j * np.pi / period * np.arange(math.ceil(REACH / noise * period / (2 * np.pi)) + 1.0)
    log_m = slots * _log_moments(value, chance, z)
    top = log_m[:, :1].real
    log_size = (log_m - top).real - 2 * np.log(np.abs(z)) + noise**2 * (z**2).real / 2
    heard = (log_size > LOG_QUIET + log_size[:, :1]).any(axis=0)
    unheard = math.exp(LOG_QUIET) * np.count_nonzero(~heard) / abs(z[0]) ** 2
    z, log_m = z[heard], log_m[:, heard]
    terms = np.exp(log_m - top + noise**2 * z**2 / 2) / z**2
    terms[:, 0] /= 2
    shift = np.exp(np.outer(1j * z.imag, starts))
    error = LINE_ERROR * np.abs(terms).sum(axis=1, keepdims=True) + unheard
    total = np.maximum((terms @ shift).real + error, 0.0) * 2 / period
    found = np.exp(np.minimum(np.log(np.maximum(total, TINY)) + top + tilt * starts, LOG_HUGE))
    return np.asarray(found)


def _chernoff(log_moment: Array, tilt: float, starts: Array) -> Array:
    """``t e^{-ct}`` is 1/(ec) at most."""
    return np.asarray(np.exp(np.minimum(log_moment + tilt * starts - 1 - math.log(tilt) + LINE_ERROR, LOG_HUGE)))


def _log_moments(value: Array, chance: Array, z: NDArray[Any]) -> NDArray[Any]:
    """``log E e^{z g}`` by rows, relative to the largest term of each; the z are evenly spaced, from the real one on.

    Each is a whole number of columns and a rest, so that most of it is products of small matrices, as in ``_turns``.
    """
    top, apart = z[0].real * value.max(axis=1, keepdims=True), float(z[-1].imag) / max(len(z) - 1, 1)
    weight, rest = chance * np.exp(z[0].real * value - top), apart * np.arange(float(COLUMNS))
    whole = COLUMNS * apart * np.arange(math.ceil(len(z) / COLUMNS))[:, None]
    first = weight[:, None] * np.exp(1j * whole * value[:, None])
    second = np.exp(1j * value[:, :, None] * rest)
    total = np.zeros((len(value), len(whole), COLUMNS), dtype=complex)
    for row in (slice(i, i + ROWS) for i in range(0, len(whole), ROWS)):
        for k in range(0, value.shape[1], INNER):
            total[:, row] += first[:, row, k : k + INNER] @ second[:, k : k + INNER]
    return np.asarray(np.log(total.reshape(len(value), -1)[:, : len(z)]) + top)
