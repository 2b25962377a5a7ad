"""How many came to a noisy mean, cut off at both ends and taken in cells, and what each number shows.

Given that the changed record came, so did ``j ~ Bin(N - 1, rate)`` of the others, and k = j + 1 in all. The likelihood
ratio where k came is ``P/Q = (m0 + m1 Y)/V``: V the chance of k under Q, m0 and m1 those under P without the record
and with it, Y a lognormal of mean 1. So ``H_a(P||Q) = sum m1 E(Y - y)_+`` with

    y = (a V - m0)/m1 = (a - 1) ratio + ease,        ratio = V/m1, ease = (V - m0)/m1.

The record came with the same chance under Q where it is replaced: V = m0 + m1, the ratio is N/k, the ease 1. Where it
is removed, V ~ Bin(N - 1, rate), m0 = (1 - rate) V, so the ratio is (N - k)/(k (1 - rate)), the ease rate times that.
"""

from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import UNIT, cell_error, pmf_error
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.blocks import blocks, window

CELLS = 2_000  # at least, where the number that came itself says whether the record is there


class Shown(NamedTuple):
    """For each number that came, or a bound for a cell of them: the chance m1, the ratio, the ease, and Y's shift."""

    came: Array
    ratio: Array
    ease: Array
    shift: Array


class Came(NamedTuple):
    """From below and from above; the chance of all other numbers at most, and the relative error of the chances."""

    lower: Shown
    upper: Shown
    missing: float
    error: float


def came(mean: NoisyMean, log_cut: float, rtol: float, backwards: bool) -> Came:
    """All numbers but such as have about ``e^log_cut``, K = 0 aside, which shows nothing of values.

    Of a cell's numbers the least shifts most, and the largest has the smallest ratio: an upper bound takes both. But
    where ``1/a V - m0`` is asked for, backwards, of a removed record, the largest ratio is the worst one.
    """
    others, rate = mean.population - 1, mean.rate
    first, last = window(others, rate, 1 - rate, log_cut)
    width = rtol / 2 if mean.replaced else min(rtol / 2, (last - first) / CELLS / max(first, 1))
    parts = blocks(others, rate, 1 - rate, width=width, log_cut=log_cut)
    least, most, chance = parts.low + 1, parts.high + 1, rate * parts.mass
    error = pmf_error(others * rate) if parts.single else cell_error(others)
    smallest_is_worst = mean.replaced or not backwards
    worst, best = (most, least) if smallest_is_worst else (least, most)
    lower, upper = _shown(mean, chance, best, most), _shown(mean, chance, worst, least)
    missing = ((first > 0) + (last < others)) * np.exp(log_cut)
    return Came(lower, upper, float(missing), error + 8 * UNIT)


def _shown(mean: NoisyMean, chance: Array, in_ratio: Array, in_shift: Array) -> Shown:
    """With one number in the place of a cell's in the ratio, and one in the shift."""
    N, k = float(mean.population), in_ratio
    shift = mean.distance / (mean.sigma * np.sqrt(in_shift))
    if mean.replaced:
        return Shown(chance, N / k, np.ones(len(k)), shift)
    # At a rate of 1 all came, under P.
    ratio = np.where(k < N, (N - k) / k / (1 - mean.rate if mean.rate < 1 else 1.0), 0.0)
    return Shown(chance, ratio, mean.rate * ratio, shift)


def log_y(mean: NoisyMean, eps: Array, shown: Shown) -> tuple[Array, Array]:
    """``log(ease + (e^eps - 1) ratio)`` for each eps, which may be below 0, by rows; and how far off it may be."""
    step = np.expm1(eps)[:, None]
    if not mean.replaced:
        # The ratio times what does not depend on k.
        rest, off = step + mean.rate, 4 * UNIT * (np.abs(step) + mean.rate)
        with np.errstate(divide="ignore"):
            log_ratio = np.log(shown.ratio)
        known = rest > off
        log = np.where(known, log_ratio + np.log(np.where(known, rest, 1.0)), -np.inf)
        slack = off / np.where(known, rest, 1.0) + 8 * UNIT * (1 + np.where(shown.ratio > 0, np.abs(log_ratio), 0.0))
        return log, np.broadcast_to(slack, log.shape)
    all_came = shown.ratio == 1
    excess = np.where(all_came, 0.0, step * shown.ratio)
    off = 8 * UNIT * np.abs(excess)
    known = excess + 1 > off
    log = np.where(known, np.log1p(np.where(known, excess, 0.0)), -np.inf)
    slack = off / np.where(known, excess + 1, 1.0) + 8 * UNIT * np.where(known, np.abs(log), 0.0)
    return np.where(all_came, eps[:, None], log), slack
