"""Which frequencies of many rounds are silent for certain.

One round's loss, in places of a lattice, has under its tilted law the transform ``phi(t) = E e^{i t K}``, of which many
rounds take a high power. Between frequencies that are looked at it is bounded in two ways. With D the difference of
two such losses, ``|phi|^2 = E cos(t D)``; so ``s = sqrt(1 - |phi|^2)`` changes by no more than the deviation of K times
the distance (``|E D sin(t D)| <= sqrt(E D^2 E sin^2(t D))``, and ``sin^2 x <= 2 (1 - cos x)``). And near 0,
``cos x <= 1 - x^2/2 + x^4/24``.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import rfft

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_SILENT
from shufflekit.fourier import fft_error

NEAR = 0.05  # deviations of K times the distance of the frequencies that are looked at
LEAST_LOOKS, MOST_LOOKS = 2**10, 2**21
NEAR_ZERO = np.linspace(0.0, 16.0, 65)  # over the deviation of all rounds: more of them where most is heard


class Law(NamedTuple):
    """The tilted loss of one round: its places counted from ``middle``, their chances, and the number of rounds."""

    place: Array
    chance: Array
    middle: int
    rounds: int

    @property
    def variance(self) -> float:
        return float(dot(self.chance, (self.place - dot(self.chance, self.place)) ** 2))

    @property
    def spread(self) -> float:
        """The root mean square of the places."""
        return math.sqrt(float(dot(self.chance, self.place**2)))


def heard(laws: Sequence[Law], size: int, most: int) -> Array | None:
    """The numbers of the frequencies ``2 pi m/size``, m <= size/2, that may be heard; None if more than ``most``."""
    deviation = math.sqrt(max(law.variance for law in laws))
    looks = 2 ** math.ceil(math.log2(2 * math.pi * deviation / NEAR)) if deviation else LEAST_LOOKS
    if looks > MOST_LOOKS:
        return None
    looks = max(looks, LEAST_LOOKS)
    coarse = 2 * np.pi / looks * np.arange(looks // 2 + 1)
    total = math.sqrt(sum(law.rounds * law.variance for law in laws))
    near = NEAR_ZERO[NEAR_ZERO / total < np.pi] / total
    edges = np.unique(np.concatenate([near, coarse]))
    cell = np.searchsorted(coarse, edges[:-1], side="right") - 1
    loudness = sum(law.rounds * np.minimum(_between(law, looks)[cell], _near_zero(law, edges)) for law in laws)
    loud = np.flatnonzero(np.asarray(loudness) > LOG_SILENT)
    if not len(loud):
        return np.zeros(1)
    # One more on either side, as an edge is rounded.
    first = np.floor(edges[loud] * size / (2 * np.pi))
    last = np.minimum(np.ceil(edges[loud + 1] * size / (2 * np.pi)), size // 2)
    if (last - first + 1).clip(0).sum() > most:
        return None
    # A frequency at an edge is in both cells.
    return np.unique(np.concatenate([np.arange(low, high + 1) for low, high in zip(first, last, strict=True)]))


def _between(law: Law, looks: int) -> Array:
    """``log |phi|``, at most, between any two neighbours of the frequencies that are looked at."""
    weight = np.bincount(law.place.astype(np.int64) % looks, law.chance, looks)
    size = np.abs(rfft(weight)) + fft_error(looks)
    s = np.sqrt(np.maximum(1 - size**2, 0.0))
    least = np.minimum(s[:-1], s[1:]) - math.sqrt(law.variance) * np.pi / looks
    return np.asarray(np.log1p(-(np.clip(least, 0.0, 1 - 1e-9) ** 2)) / 2)


def _near_zero(law: Law, edges: NDArray[np.float64]) -> Array:
    """The same between any two neighbours of the edges: the bound is convex in t^2, so the larger of its two ends."""
    away = law.place - dot(law.chance, law.place)
    fourth = 2 * float(dot(law.chance, away**4)) + 6 * law.variance**2
    square = 1 - law.variance * edges**2 + fourth * edges**4 / 24
    at_edges = np.log(np.clip(square, 1e-18, 1.0)) / 2
    return np.maximum(at_edges[:-1], at_edges[1:])
