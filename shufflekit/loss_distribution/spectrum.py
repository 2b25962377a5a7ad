"""All rounds of a composition on one grid, by one tilted FFT, with every error bounded."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import logsumexp

from shufflekit._validate import Array
from shufflekit.loss_distribution.curve import Curve

LOG_OUTSIDE = -32.0  # of the tilted mass that the window may leave outside, on either side
LOG_SILENT = -100.0  # of a frequency that is left out
STRETCH = 500.0  # of loss, whose exponential is still a number
MOST_POINTS = 2**24  # of a grid; no law that is told apart as it should be needs so many
UNIT = 2.0**-53


class Part(NamedTuple):
    """A pair (described, listed as atoms, or on a grid), and how many rounds of it."""

    pair: Any
    rounds: int


class Moments(NamedTuple):
    """``log Z``, mean and standard deviation of a loss under P times ``e^{t loss}``, normalised by Z."""

    log_z: float
    mean: float
    deviation: float


class Leftover(NamedTuple):
    """P-mass beside the grid: at infinite loss for certain, and missing; and the relative error of what is on it."""

    infinite: float
    missing: float
    noise: float


def moments(parts: Sequence[Part], tilt: float) -> Moments:
    """Of the sum over all rounds."""
    log_z = mean = variance = 0.0
    for pair, rounds in parts:
        log_weight = pair.log_q + (1 + tilt) * pair.loss
        log_sum = float(logsumexp(log_weight))
        weight = np.exp(log_weight - log_sum)
        centre = float((weight * pair.loss).sum())
        log_z, mean = log_z + rounds * log_sum, mean + rounds * centre
        variance += rounds * float((weight * (pair.loss - centre) ** 2).sum())
    return Moments(log_z, mean, math.sqrt(variance))


def reach(parts: Sequence[Part], tilt: float) -> tuple[float, float]:
    """An interval beyond either end of which the tilted sum has at most ``e^LOG_OUTSIDE`` of its mass (Chernoff)."""
    ends = []
    tilted = [(_tilted(pair, tilt), pair.loss, rounds) for pair, rounds in parts]
    typical = math.sqrt(-2 * LOG_OUTSIDE) / moments(parts, tilt).deviation
    for side in (-1, 1):
        limit = sum(rounds * max(side * pair.loss[0], side * pair.loss[-1]) for pair, rounds in parts)
        for rate in typical * np.exp2(np.arange(-6, 5)):
            log_moment = sum(rounds * logsumexp(log + side * rate * loss) for log, loss, rounds in tilted)
            limit = min(limit, (log_moment - LOG_OUTSIDE) / rate)
        ends.append(side * float(limit))
    return ends[0], ends[1]


def rounding(parts: Sequence[Part]) -> float:
    """By how much the sum of all losses may be off, each being rounded to floating point a few times."""
    return 8 * UNIT * float(sum(rounds * np.abs(pair.loss[[0, -1]]).max() for pair, rounds in parts))


def composed(parts: Sequence[Part], tilt: float, left: Leftover, *, upper: bool) -> Curve:
    """The delta curve of all rounds on one grid: nowhere below the truth if ``upper``, else nowhere above."""
    sign = 1.0 if upper else -1.0
    step, total = parts[0].pair.step, moments(parts, tilt)
    if total.deviation == 0:
        return Curve.unknown(upper=upper)
    weights = [np.exp(_tilted(grid, tilt)) for grid, _ in parts]
    ends = reach(parts, tilt)
    if ends[1] - ends[0] > MOST_POINTS * step:
        return Curve.unknown(upper=upper)
    low, high = math.floor(ends[0] / step), math.ceil(ends[1] / step)
    size = next_fast_len(max(high - low + 1, *(len(c) for c in weights)), real=True)
    high = low + size - 1

    # An FFT of size N errs by at most a few log2(N) units relative to the sum of its input; a power carries the error
    # of its base times the exponent, and its own.
    fft_error = 4 * UNIT * math.log2(size + 1)
    phis = [(_transform(c, grid.first, size), rounds) for (grid, rounds), c in zip(parts, weights, strict=True)]
    moduli = [np.abs(phi) + fft_error for phi, _ in phis]
    log_modulus = sum(rounds * np.log(modulus) for (_, rounds), modulus in zip(phis, moduli, strict=True))
    # Of many rounds, most frequencies keep nothing at all.
    heard = log_modulus > LOG_SILENT
    power, blame = np.ones(int(heard.sum()), dtype=complex), np.full(int(heard.sum()), fft_error)
    for (phi, rounds), modulus in zip(phis, moduli, strict=True):
        power *= phi[heard] ** rounds
        blame += rounds * (fft_error + 16 * UNIT) / modulus[heard]
    silent = 20 * sum(part.rounds for part in parts) * math.exp(LOG_SILENT)
    round_off = float((np.exp(log_modulus[heard]) * blame).sum()) / len(heard) + silent
    spectrum = np.zeros(len(heard), dtype=complex)
    spectrum[heard] = power
    density = np.roll(irfft(spectrum, size), -(low % size))
    density = np.maximum(density + sign * round_off, 0.0)

    # delta(eps) = sum_s P(s) (1 - e^{eps - s}) with P(s) = Z c_s e^{-t s}; told relative to its size at the mean.
    reference = round(total.mean / step) * step
    s = step * np.arange(low, high + 1) - reference
    shown = tilt * s > -40
    s, density = s[shown], density[shown]
    values = _deltas(density * np.exp(-tilt * s), step)
    # No outcome weighs more than e^{-t eps} t^t / (1+t)^{1+t} for its tilted mass.
    log_most = (tilt * math.log(tilt) if tilt else 0.0) - (1 + tilt) * math.log1p(tilt)
    # Two running sums over the grid bring a rounding each a point along.
    values = values * (1 + sign * (left.noise + 2 * UNIT * size))
    values = values + sign * 2 * np.exp(LOG_OUTSIDE + log_most - tilt * s)
    log_scale = tilt * reference - total.log_z
    beside = left.infinite + (left.missing if upper else 0.0)
    if beside > 0:
        # What is at infinite loss may outweigh all the rest by more than floating point can tell.
        excess = max(0.0, log_scale + math.log(beside) - 600)
        log_scale -= excess
        values = values * math.exp(-excess) + math.exp(math.log(beside) + log_scale)
    return Curve(s + reference + sign * rounding(parts), values, log_scale, upper=upper)


def _tilted(pair: Any, tilt: float) -> Array:
    log_weight = pair.log_q + (1 + tilt) * pair.loss
    return np.asarray(log_weight - logsumexp(log_weight))


def _transform(weight: Array, first: int, size: int) -> Any:
    """The discrete Fourier transform of a law on a grid, wrapped around."""
    wrapped = np.zeros(size)
    wrapped[(first + np.arange(len(weight))) % size] = weight
    return rfft(wrapped)


def _deltas(weight: Array, step: float) -> Array:
    """``sum_{s' > s} weight(s') (1 - e^{s - s'})`` at every grid point s.

    By F(s) = e^{-step} F(s + step) + (1 - e^{-step}) (weight beyond s), solved a stretch at a time: only positive
    terms, and no overflow.
    """
    gain = -math.expm1(-step) * np.append(0.0, np.cumsum(weight[:0:-1]))
    values, before = np.empty(len(gain)), 0.0
    stretch = max(1, int(STRETCH / step))
    for i in range(0, len(gain), stretch):
        part = gain[i : i + stretch]
        rise = np.exp(step * np.arange(1, len(part) + 1))
        values[i : i + stretch] = (before + np.cumsum(part * rise)) / rise
        before = values[min(i + stretch, len(gain)) - 1]
    return values[::-1]
