"""Sums of turning numbers whose values lie evenly, as those of a law on a grid: by three transforms (Bluestein).

``k p = (k^2 + p^2 - (k - p)^2)/2``: but for factors of size 1 the sums over p of ``w_p e^{i t k p}`` are a convolution
with ``e^{-i t m^2/2}``. Of so many turns only the part of the last one is looked at, with all its digits.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, ifft, next_fast_len

from shufflekit._complex import Complex
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

EVEN = 8 * UNIT  # of the largest value, that rounded ones lie off their places
COST, MOST_PLACES = 150, 2**18  # of a place, where each of the products costs 1; and how many may be
WRAPPED = 2**64
STAGE = 16 * UNIT  # relative to what a transform sums, by the root of the sum of squares: of each of log2 of its stages


class Places(NamedTuple):
    """``value = first + step * number``, but for as much."""

    first: float
    step: float
    number: NDArray[np.intp]
    off: float


def places(value: Array, number: NDArray[np.intp]) -> Places | None:
    """Where values lie, if they lie evenly and so near each other that transforms cost less than products."""
    first, last, apart = float(value.min()), float(value.max()), np.diff(np.unique(value))
    most = min(MOST_PLACES, len(number) * len(value) / COST) - int(number[-1])
    if not len(apart) or not last - first < most * float(apart.min()):
        return None
    count = round((last - first) / float(apart.min()))
    step = (last - first) / count
    number = np.rint((value - first) / step).astype(np.intp)
    off, far = float(np.abs(value - (first + step * number)).max()), EVEN * max(abs(first), abs(last))
    return Places(first, step, number, off + far) if off <= far else None


def evenly_turned(weight: Array, at: Places, apart: float, number: NDArray[np.intp]) -> tuple[Complex, Array]:
    """``sum_j weight_j e^{i number_k apart value_j}`` for each k, and how far off it may be."""
    count, last = int(at.number.max()), int(number[-1])
    turns = apart * at.step / (4 * math.pi)
    size = next_fast_len(count + last + 1)
    own = np.bincount(at.number, weight, count + 1)
    forth = _chirp(turns, np.arange(max(count, last) + 1))
    back = np.zeros(size, dtype=complex)
    back[: last + 1] = forth[: last + 1].conj()
    back[size - count :] = forth[count:0:-1].conj()
    there = fft(back)
    found = ifft(fft(own * forth[: count + 1], size) * there)[number] * forth[number]
    turn = apart * number
    total, most = float(np.abs(weight).sum()), float(np.abs(there).max())
    squares = math.sqrt(float((own**2).sum()))
    # Of the two factors' transforms, and of the way back; three chirps; places, and twice what rounding turns does.
    stages = STAGE * math.log2(size) * (math.sqrt(len(back)) * total + 2 * squares * most)
    far = at.off + 8 * UNIT * (abs(at.first) + at.step * count)
    return found * np.exp(1j * turn * at.first), np.asarray(stages + (64 * UNIT + turn * far) * total, dtype=np.float64)


def _chirp(turns: float, m: NDArray[np.intp]) -> Complex:
    """``e^{2 pi i turns m^2}``: whole numbers of 2^64 wrap around where turns do."""
    whole = round(Fraction(turns) * WRAPPED)
    rest, square = float(Fraction(turns) - Fraction(whole, WRAPPED)), m.astype(np.uint64) ** 2
    part = square * np.uint64(whole % WRAPPED) / float(WRAPPED) + rest * square
    return np.asarray(np.exp(2j * np.pi * part))
