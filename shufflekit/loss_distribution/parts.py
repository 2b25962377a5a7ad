"""Rounds of several things, and moments of the losses that they sum to."""

import math
from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import LISTED_ERROR, LOG_OUTSIDE, UNIT
from shufflekit.atoms import Atoms

Thing = TypeVar("Thing", covariant=True)


class Losses(Protocol):
    """Losses and the logarithms of their Q-masses: atoms, or a grid of them."""

    @property
    def loss(self) -> Array: ...

    @property
    def log_q(self) -> Array: ...


class Part(NamedTuple, Generic[Thing]):
    """A pair (described, listed as atoms, or on a grid), and how many rounds of it."""

    pair: Thing
    rounds: int


class Moments(NamedTuple):
    """``log Z``, mean and standard deviation of a loss under P times ``e^{t loss}``, normalised by Z."""

    log_z: float
    mean: float
    deviation: float


class Leftover(NamedTuple):
    """P-mass that no list holds, at infinite loss for certain or missing; and the relative error of what is listed."""

    infinite: float
    missing: float
    noise: float


def log_sum(values: Array) -> float:
    """``log sum e^values``. (scipy's takes ten times as long for few of them, and is asked for thousands of times.)"""
    top = float(values.max(initial=-math.inf))
    return top + math.log(float(np.exp(values - top).sum())) if math.isfinite(top) else top


def tilted(losses: Losses, tilt: float) -> Array:
    """The logarithms of P times ``e^{t loss}``, normalised."""
    log_weight = losses.log_q + (1 + tilt) * losses.loss
    return np.asarray(log_weight - log_sum(log_weight))


def moments(parts: Sequence[Part[Losses]], tilt: float) -> Moments:
    """Of the sum over all rounds."""
    log_z = mean = variance = 0.0
    for pair, rounds in parts:
        log_weight = pair.log_q + (1 + tilt) * pair.loss
        own = log_sum(log_weight)
        weight = np.exp(log_weight - own)
        centre = float((weight * pair.loss).sum())
        log_z, mean = log_z + rounds * own, mean + rounds * centre
        variance += rounds * float((weight * (pair.loss - centre) ** 2).sum())
    return Moments(log_z, mean, math.sqrt(variance))


def reach(parts: Sequence[Part[Losses]], tilt: float) -> tuple[float, float]:
    """An interval beyond either end of which the tilted sum has at most ``e^LOG_OUTSIDE`` of its mass (Chernoff)."""
    ends = []
    weights = [(tilted(pair, tilt), pair.loss, rounds) for pair, rounds in parts]
    typical = math.sqrt(-2 * LOG_OUTSIDE) / moments(parts, tilt).deviation
    for side in (-1, 1):
        limit = sum(rounds * max(side * pair.loss[0], side * pair.loss[-1]) for pair, rounds in parts)
        for rate in typical * np.exp2(np.arange(-6, 5)):
            log_moment = sum(rounds * log_sum(log + side * rate * loss) for log, loss, rounds in weights)
            limit = min(limit, (log_moment - LOG_OUTSIDE) / rate)
        ends.append(side * float(limit))
    return ends[0], ends[1]


def rounding(parts: Sequence[Part[Losses]]) -> float:
    """By how much the sum of all losses may be off, each being rounded to floating point a few times."""
    return 8 * UNIT * float(sum(rounds * np.abs(pair.loss[[0, -1]]).max() for pair, rounds in parts))


def leftover(parts: Sequence[Part[Atoms]]) -> Leftover:
    """Of all rounds: a sum over many atoms brings a rounding each, and so do the masses (see ``LISTED_ERROR``)."""
    log_finite = sum(rounds * math.log1p(-min(pair.infinite, 1 - UNIT)) for pair, rounds in parts)
    missing = sum(rounds * pair.missing for pair, rounds in parts)
    error = sum(rounds * (2 * UNIT * len(pair.loss) + pair.error) for pair, rounds in parts)
    return Leftover(-math.expm1(log_finite), missing, LISTED_ERROR + error + rounding(parts))
