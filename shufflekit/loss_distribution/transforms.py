"""Fourier transforms of losses that lie anywhere, at many evenly spaced turns, by one FFT.

Each atom is spread over a grid like a normal density, ``e^{-(k - x)^2/(2 tau)}`` at the points k about its place x, in
steps. By Poisson's summation formula the spread atom's transform, at an angle a from one point to the next, is

    sum_k e^{-(k - x)^2/(2 tau)} e^{i a k} = sqrt(2 pi tau) sum_m e^{-tau (a + 2 pi m)^2/2} e^{i (a + 2 pi m) x},

of which m = 0 is what is looked for, times a factor that is known. The next terms, m = -1 and 1, are at most
``e^{-2 pi tau (pi - a)}`` times that, and those after them hardly anything. What is cut off, WIDE/2 steps away or more,
is ``e^{-(WIDE/2)^2/(2 tau)}`` on either side, and then hardly anything, over ``sqrt(2 pi tau) e^{-tau a^2/2}``.

Angles reach nearly to pi, where little is known of the transform: there the noise has silenced it (see ``smoothed``),
by e^{-ENDED} at the last. Multiplied by the noise, what is not known is e^{-38} of the first at most.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len, rfft

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_SILENT, NODE_ERROR, TINY, UNIT
from shufflekit.atoms import Atoms
from shufflekit.fourier import fft_error
from shufflekit.loss_distribution.parts import tilted

TAU, WIDE = 3.3, 32  # squared steps, and steps, of the spread
OVER = 2.25  # times as many points as turns: angles up to 8/9 pi
ALIASES = CUT_OFF = 2.5  # times the first of them, all together: one on either side, and what comes after them
ENDED = 40.0  # of a logarithm, beyond which nothing is heard
MOST_MULTIPLIED = 256  # rounds of one pair, that are multiplied
CHUNK = 2**7  # atoms that are spread together, or as many as there are chunks
Complex = NDArray[Any]


class Transform(NamedTuple):
    """``E e^{i turn (L - mean)}`` of one round's tilted loss, up to an absolute error."""

    value: Complex
    error: Array
    rounds: int
    mean: float


def transform(pair: Atoms, rounds: int, c: float, apart: float, number: int) -> Transform:
    """At the turns 0, apart, 2 apart, ..."""
    weight = np.exp(tilted(pair, c))
    mean = float(dot(weight, pair.loss))
    kept = weight > UNIT / len(weight)
    weight, place = weight[kept], pair.loss[kept] - mean
    value, error = evenly(weight, place, apart, number)
    value = value / np.maximum(np.abs(value), 1.0)  # no nearer to the truth is what lies beyond the unit circle
    spread = math.sqrt(float(dot(weight, place**2)))
    # The weights' own round-off and those left out, and the round-off of turns.
    error = error + 16 * UNIT + NODE_ERROR * spread * apart * np.arange(number)
    return Transform(value, error, rounds, mean)


def evenly(weight: Array, place: Array, apart: float, number: int) -> tuple[Complex, Array]:
    """``sum_j weight_j e^{i turn place_j}`` at the turns 0, apart, ..., number of them, and its absolute error.

    Weights may have any sign; errors are relative to the sum of their sizes.
    """
    size = next_fast_len(math.ceil(OVER * number), real=True)
    step = 2 * math.pi / (apart * size)
    grid = np.zeros(size)
    chunk = max(CHUNK, math.isqrt(len(place)))
    for i in range(0, len(place), chunk):
        _spread(grid, weight[i : i + chunk], place[i : i + chunk] / step)
    angle = 2 * math.pi / size * np.arange(number)
    factor = np.exp(-TAU * angle**2 / 2)
    value = np.conj(rfft(grid)[:number]) / factor
    aliases = ALIASES * np.exp(-2 * math.pi * TAU * (math.pi - angle))
    cut_off = CUT_OFF * math.exp(-((WIDE / 2) ** 2) / (2 * TAU))
    # A sum one by one errs by as many units as it has terms: of a chunk, and of all chunks.
    added = UNIT * (8 + chunk + math.ceil(len(place) / chunk))
    error = aliases + (cut_off + added + fft_error(size)) / factor
    return value, np.asarray(error * float(np.abs(weight).sum()))


def _spread(grid: Array, weight: Array, x: Array) -> None:
    """Each weight spread over the WIDE points of a circular grid about its place, so many steps from 0, and added."""
    size, first = len(grid), np.floor(x) - (WIDE // 2 - 1)
    share = np.exp(-(((first - x)[:, None] + np.arange(WIDE)) ** 2) / (2 * TAU))
    share *= (weight / math.sqrt(2 * math.pi * TAU))[:, None]
    low = int(first.min())
    cell = (first - low).astype(np.int64)[:, None] + np.arange(WIDE)
    if cell[:, -1].max() < size:
        # Atoms of a chunk lie near each other, mostly.
        own = np.bincount(cell.ravel(), share.ravel())
        grid[(low + np.arange(len(own))) % size] += own
    else:
        grid += np.bincount((low + cell).ravel() % size, share.ravel(), size)


def product(transforms: Sequence[Transform]) -> tuple[Complex, Array]:
    """All rounds, and the absolute error: a power T errs by T times what its base does, times its size.

    Most nodes of many rounds are silent: of these nothing but that is worked out.
    """
    log_bound: Array = np.zeros(len(transforms[0].value))
    for value, error, rounds, _ in transforms:
        log_bound += rounds * np.log(np.minimum(np.abs(value) + error, 1.0))
    heard = np.flatnonzero(log_bound > LOG_SILENT)
    power, multiplied, relative = np.ones(len(heard), dtype=complex), 0, np.full(len(heard), NODE_ERROR * ENDED)
    for value, error, rounds, _ in transforms:
        own, off = value[heard], error[heard]
        relative += rounds * off / np.minimum(np.abs(own) + off, 1.0)
        if rounds <= MOST_MULTIPLIED:
            power, multiplied = _times(power, own, rounds), multiplied + rounds
        else:
            log_value = rounds * np.log(np.where(np.abs(own) > TINY, own, TINY))
            relative += NODE_ERROR * np.abs(log_value)
            power = power * np.exp(log_value)
    found, errors = np.zeros(len(log_bound), dtype=complex), np.full(len(log_bound), math.exp(LOG_SILENT))
    found[heard] = power
    errors[heard] = np.exp(log_bound[heard]) * (relative + NODE_ERROR * multiplied)
    return found, errors


def _times(total: Complex, base: Complex, power: int) -> Complex:
    """``total base^power``, by squares: each factor brings a few units, and logarithms take ten times as long."""
    while power:
        if power & 1:
            total = total * base
        power >>= 1
        if power:
            base = base * base
    return total
