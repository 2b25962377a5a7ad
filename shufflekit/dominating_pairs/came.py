"""How many came to a noisy mean, cut off at both ends, and what each number shows: of many numbers at a few places.

Given that the changed record came, so did ``j ~ Bin(N - 1, rate)`` of the others, and k = j + 1 in all. The likelihood
ratio where k came is ``P/Q = (m0 + m1 Y)/V``: V the chance of k under Q, m0 and m1 those under P without the record
and with it, Y a lognormal of mean 1. So ``H_a(P||Q) = sum m1 E(Y - y)_+`` with

    y = (a V - m0)/m1 = (a - 1) ratio + ease,        ratio = V/m1, ease = (V - m0)/m1.

The record came with the same chance under Q where it is replaced: V = m0 + m1, the ratio is N/k, the ease 1. Where it
is removed, V ~ Bin(N - 1, rate), m0 = (1 - rate) V, so the ratio is (N - k)/(k (1 - rate)), the ease rate times that.

All of this is analytic in k: see ``few_places`` for sums of it, and ``came_remainder`` for what they err by.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._binomial import pmf
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT, pmf_error
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.blocks import window
from shufflekit.dominating_pairs.few_places import Stretch, fitting, places

LENGTH = 2.5  # of a stretch, in terms of what moves a term's logarithm by about its square
STEEP = 8.0  # so many times 1/k the logarithm of a replaced record's terms moves from one number to the next, mostly


class Shown(NamedTuple):
    """For each number that came, or a place among them: the chance m1, the ratio, the ease, and Y's shift."""

    number: Array
    came: Array
    ratio: Array
    ease: Array
    shift: Array

    def kept(self, some: NDArray[np.bool_]) -> "Shown":
        return Shown(*(values[some] for values in self))


class Stretches(NamedTuple):
    """Of which sums over places are not exact: their first numbers, for all eps or by rows of them, and lengths.

    Not all need be ``used``.
    """

    first: Array
    length: Array
    used: NDArray[np.bool_]


class Came(NamedTuple):
    """What numbers show, in sums over these places; the chance of all others at most, and the relative error of
    chances. At each eps what numbers between may add that hardly do, to delta and to the second law's tail."""

    shown: Shown
    stretches: Stretches
    missing: float
    error: float
    dead: tuple[Array, Array] = (np.zeros(1), np.zeros(1))


@lru_cache(maxsize=8)  # both directions, delta and tails, and a search for eps ask for the same
def came(mean: NoisyMean, log_cut: float) -> Came:
    """All numbers but such as have about ``e^log_cut``, K = 0 aside, which shows nothing of values."""
    first, last = numbers(mean, log_cut)
    stretches = _stretches(mean, first, last)
    k, weight = places(stretches)
    inexact = [one for one in stretches if not one.exact]
    start, length = (np.array([one[i] for one in inexact], dtype=np.float64) for i in (0, 1))
    shown = shown_by(mean, k, weight * chances(mean, k))
    return Came(shown, Stretches(start, length, np.ones(len(start), dtype=bool)), *unlooked(mean, log_cut))


def numbers(mean: NoisyMean, log_cut: float) -> tuple[int, int]:
    """The first and the last that is looked at."""
    others, rate = mean.population - 1, mean.rate
    first, last = window(others, rate, 1 - rate, log_cut) if rate < 1 else (others, others)
    return first + 1, last + 1


def unlooked(mean: NoisyMean, log_cut: float) -> tuple[float, float]:
    """The chance of all numbers that are not looked at, at most, and the relative error of those that are."""
    first, last = numbers(mean, log_cut)
    missing = ((first > 1) + (last < mean.population)) * math.exp(log_cut)
    # Places are rounded, which is felt as the mean's rounding is.
    return float(missing), 2 * pmf_error(mean.population * mean.rate) + 8 * UNIT


def chances(mean: NoisyMean, k: Array) -> Array:
    """m1: that the record came, and k in all."""
    others, rate = mean.population - 1, mean.rate
    return rate * (pmf(k - 1, others, rate) if rate <= 0.5 else pmf(mean.population - k, others, 1 - rate))


def _stretches(mean: NoisyMean, first: int, last: int) -> list[Stretch]:
    """The longer the less their terms move. The number of all is for itself: a loss may be infinite there."""
    found, k, everybody = list[Stretch](), first, mean.population
    end = last if last < everybody else last - 1
    while k <= end:
        length = min(fitting(LENGTH * _scale(mean, k)), end + 1 - k)
        found.append(Stretch(float(k), length))
        k += length
    return [*found, Stretch(float(last), 1)] if end < last else found


def _scale(mean: NoisyMean, k: int) -> float:
    """How far apart numbers are whose terms differ by a factor that is felt."""
    N, slope = mean.population, STEEP / k
    if not mean.replaced:
        slope += 1 / width(mean, k)
    return 1 / math.sqrt(1 / k + 1 / (N + 1 - k) + slope**2)


def width(mean: NoisyMean, k: int) -> float:
    """Of a removed record: so far apart numbers show by themselves what a deviation of the noise does."""
    N = mean.population
    return mean.distance / mean.sigma * math.sqrt(k) * (N + 1 - k) / N


def shown_by(mean: NoisyMean, k: Array, chance: Array) -> Shown:
    N = float(mean.population)
    shift = mean.distance / (mean.sigma * np.sqrt(k))
    if mean.replaced:
        return Shown(k, chance, N / k, np.ones(k.shape), shift)
    # At a rate of 1 all came, under P.
    ratio = np.where(k < N, (N - k) / k / (1 - mean.rate if mean.rate < 1 else 1.0), 0.0)
    return Shown(k, chance, ratio, mean.rate * ratio, shift)


def log_y(mean: NoisyMean, eps: Array, shown: Shown) -> tuple[Array, Array]:
    """``log(ease + (e^eps - 1) ratio)`` for each eps, which may be below 0, by rows; and how far off it may be.

    Where that may be below 0 it is taken for what it is at most, and infinitely far off.
    """
    step = np.expm1(eps)[:, None]
    if not mean.replaced:
        # The ratio times what does not depend on k.
        rest, off = step + mean.rate, 4 * UNIT * (np.abs(step) + mean.rate)
        with np.errstate(divide="ignore"):
            log_ratio, log_rest = np.log(shown.ratio), np.log(np.where(rest > off, rest, np.maximum(rest + off, 0.0)))
        slack = np.where(rest > off, off / np.where(rest > off, rest, 1.0), np.inf)
        return log_ratio + log_rest, slack + 8 * UNIT * (1 + np.where(shown.ratio > 0, np.abs(log_ratio), 0.0))
    all_came = shown.ratio == 1
    excess = np.where(all_came, 0.0, step * shown.ratio)
    off = 8 * UNIT * np.abs(excess)
    known = excess + 1 > off
    least = np.where(known, excess, 0.0)
    with np.errstate(divide="ignore"):
        log = np.where(known, np.log1p(least), np.log(np.maximum(excess + 1 + off, 0.0)))
    slack = np.where(known, off / (least + 1) + 8 * UNIT * np.abs(np.log1p(least)), np.inf)
    return np.where(all_came, eps[:, None], log), slack
