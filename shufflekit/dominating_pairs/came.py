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


class Came(NamedTuple):
    """What numbers show, in sums over these places; the chance of all others at most, and the chances' relative
    error. Sums over ``stretches`` are not exact."""

    shown: Shown
    stretches: tuple[Stretch, ...]
    missing: float
    error: float


@lru_cache(maxsize=8)  # both directions, delta and tails, and a search for eps ask for the same
def came(mean: NoisyMean, log_cut: float) -> Came:
    """All numbers but such as have about ``e^log_cut``, K = 0 aside, which shows nothing of values."""
    others, rate = mean.population - 1, mean.rate
    first, last = window(others, rate, 1 - rate, log_cut) if rate < 1 else (others, others)
    stretches = _stretches(mean, first + 1, last + 1)
    k, weight = places(stretches)
    chance = pmf(k - 1, others, rate) if rate <= 0.5 else pmf(mean.population - k, others, 1 - rate)
    missing = ((first > 0) + (last < others)) * math.exp(log_cut)
    # Places are rounded, which is felt as the mean's rounding is.
    error = 2 * pmf_error(others * rate) + 8 * UNIT
    inexact = tuple(one for one in stretches if not one.exact)
    return Came(shown_by(mean, k, rate * weight * chance), inexact, float(missing), error)


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
        slope += N * mean.sigma / (mean.distance * math.sqrt(k) * (N + 1 - k))
    return 1 / math.sqrt(1 / k + 1 / (N + 1 - k) + slope**2)


def shown_by(mean: NoisyMean, k: Array, chance: Array) -> Shown:
    N = float(mean.population)
    shift = mean.distance / (mean.sigma * np.sqrt(k))
    if mean.replaced:
        return Shown(k, chance, N / k, np.ones(len(k)), shift)
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
