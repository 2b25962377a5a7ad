"""Numbers that came, looked at closely only where the number itself leaves open whether a removed record is there.

With little shift a number k says nearly all: y is 1 at one number, and a few numbers above or below, the excess is 0,
or it is 1 - y. So for each eps stretches are short about that number, and the longer the farther from it on the side
where something is left; on the other side nothing is, but for a bound of it.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr

from shufflekit._validate import Array
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.came import (
    LENGTH,
    Came,
    Stretches,
    chances,
    log_y,
    numbers,
    shown_by,
    unlooked,
    width,
)
from shufflekit.dominating_pairs.few_places import PLACES, Stretch, fitting, places, rule

MANY = 2_000  # places: then it pays
PART = 2.5  # of the distance from the number, that a stretch may be long
SPARE = 3.0  # deviations farther than where as much is left as may be left out


def pays(mean: NoisyMean, log_cut: float) -> bool:
    """Whether places all over would be many, and stretches at either end do not reach as far as no or all clients."""
    if mean.replaced or mean.rate == 1:
        return False
    first, last = numbers(mean, log_cut)
    most = max(PLACES, math.ceil(LENGTH * _deviation(mean)))
    if first <= 2 * most or last + 2 * most >= mean.population:
        return False
    narrow = 1 / math.hypot(1 / width(mean, first), 1 / _deviation(mean))
    return (last - first) * PLACES / fitting(LENGTH * narrow) > MANY


def around(mean: NoisyMean, backwards: bool, eps: Array, log_cut: float) -> Came:
    """By rows of eps."""
    first, last = numbers(mean, log_cut)
    signed = -eps if backwards else eps
    equal = mean.population * -np.expm1(math.log1p(-mean.rate) - signed)  # where y = 1
    middle = np.clip(np.floor(equal), first, last)[:, None]
    layout = _layout(mean, backwards, log_cut)
    start, length = (np.array(column, dtype=np.float64) for column in zip(*layout, strict=True))
    used = (middle + start <= last) & (middle + start + length > first)
    place, weight = places(list(layout))
    counts = [len(rule(one.length)[0]) for one in layout]
    shown_there = np.repeat(used, counts, axis=1)
    k = np.where(shown_there, middle + place, middle)
    shown = shown_by(mean, k, np.where(shown_there, weight * chances(mean, k), 0.0))
    inexact = length > PLACES
    stretches = Stretches((middle + start)[:, inexact], length[inexact], used[:, inexact])
    outermost = middle + ((start + length).max() if backwards else start.min() - 1)
    dead = _dead(mean, backwards, eps, np.where((outermost < first) | (outermost > last), np.nan, outermost), first)
    return Came(shown, stretches, *unlooked(mean, log_cut), dead)


def _deviation(mean: NoisyMean) -> float:
    return math.sqrt(mean.population * mean.rate * (1 - mean.rate))


@lru_cache(maxsize=20)
def _layout(mean: NoisyMean, backwards: bool, log_cut: float) -> tuple[Stretch, ...]:
    """Counted from the last number at which y is not below 1: where something is left, and where nothing is."""
    first, last = numbers(mean, log_cut)
    least, most = sorted((width(mean, first), width(mean, last)))
    left, nothing = (
        _side(mean, least, last - first, True),
        _side(mean, least, (SPARE + math.sqrt(-2 * log_cut)) * most, False),
    )
    up, down = (nothing, left) if backwards else (left, nothing)
    below = [Stretch(1.0 - one.first - one.length, one.length) for one in down]
    return (*below[::-1], *(Stretch(1.0 + one.first, one.length) for one in up))


def _side(mean: NoisyMean, narrow: float, reach: float, grows: bool) -> list[Stretch]:
    """By distance."""
    found, distance = list[Stretch](), 0
    while distance < reach:
        scale = max(narrow, distance / (PART * LENGTH)) if grows else narrow
        length = fitting(LENGTH / math.hypot(1 / scale, 1 / _deviation(mean)))
        found.append(Stretch(float(distance), length))
        distance += length
    return found


def _dead(mean: NoisyMean, backwards: bool, eps: Array, nearest: Array, first: int) -> tuple[Array, Array]:
    """What all numbers beyond add at most, ``nearest`` the first of them, or no number if there are none.

    Their chances are 1 at most, the shift is no more than that of the first number of all, and y, or 1/y, no less.
    """
    there = np.isfinite(nearest[:, 0])
    k = np.where(np.isfinite(nearest), nearest, float(first))
    log = log_y(mean, -eps if backwards else eps, shown_by(mean, k, k))[0][:, 0]
    shift = mean.distance / (mean.sigma * math.sqrt(first))
    x = (-log if backwards else log) / shift - shift / 2
    # E(Z - x)_+ is no more than Pr[Z > x] for x > 1.
    log_tail = log_ndtr(-x)
    log_delta = log_tail + math.log(shift) + (eps + log if backwards else 0.0)
    delta, tail = (np.where(x > 1, np.exp(np.minimum(one, 0.0)), 1.0) for one in (log_delta, log_tail))
    return np.where(there, delta, 0.0), np.where(there, tail, 0.0)
