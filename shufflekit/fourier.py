"""Convolutions by FFT with every error bounded.

Each frequency of a transform is known up to an error; a power multiplies its relative error, a product adds two. Back
in place, every entry errs by at most the mean over all frequencies. An FFT of size N errs by at most a few log2(N)
units relative to the sum of its input. Tilt first (multiply by ``e^{t k}``), so that what is looked for is not small.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, rfft

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_SILENT, POWER_ERROR, UNIT


class Spectrum(NamedTuple):
    """A transform of ``size`` points: its values, the log of a bound on their true size, and errors relative to it."""

    size: int
    value: Any
    log_bound: Array
    error: Array


class Entries(NamedTuple):
    """What a spectrum is the transform of, and by how much each entry may be off."""

    value: Array
    error: float


def transformed(weight: Array, place: NDArray[Any], size: int, error: float = 0.0) -> Spectrum:
    """Of weights at whole places, wrapped around; they err by ``error`` together."""
    value = rfft(np.bincount(place % size, weight, size))
    off = fft_error(size) * float(np.abs(weight).sum()) + error
    bound = np.abs(value) + off
    with np.errstate(divide="ignore", invalid="ignore"):
        return Spectrum(size, value, np.log(bound), np.where(bound > 0, off / bound, 0.0))


def power(spectrum: Spectrum, n: int) -> Spectrum:
    """The n-fold convolution with itself. Frequencies that keep nothing are left out, which is an error too."""
    log_bound = n * spectrum.log_bound
    heard = log_bound > LOG_SILENT
    value = np.zeros(len(log_bound), dtype=complex)
    value[heard] = spectrum.value[heard] ** n
    return Spectrum(spectrum.size, value, log_bound, np.where(heard, n * (spectrum.error + POWER_ERROR), 1.0))


def product(first: Spectrum, second: Spectrum) -> Spectrum:
    """The convolution of two."""
    error = first.error + second.error + 4 * UNIT
    return Spectrum(first.size, first.value * second.value, first.log_bound + second.log_bound, error)


def entries(spectrum: Spectrum, first: int) -> Entries:
    """The entries at the places first, first + 1, ..., first + size - 1."""
    size = spectrum.size
    value = np.roll(irfft(spectrum.value, size), -(first % size))
    heard, error = spectrum.log_bound > LOG_SILENT, spectrum.error + fft_error(size)
    off = dot(np.exp(spectrum.log_bound[heard]), error[heard]) + math.exp(LOG_SILENT) * float(error[~heard].sum())
    return Entries(value, float(off) / (len(error) - 1))


def fft_error(size: int) -> float:
    """Of each entry, relative to the sum of what is transformed."""
    return 4 * UNIT * math.log2(size + 1)
