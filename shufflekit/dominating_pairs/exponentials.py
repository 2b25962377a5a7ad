"""Sums of exponentials ``sum_k f_k e^{w_k + s_k x}`` at very many points x: by Taylor's series about few of them.

With x = c + d, ``|d| <= h``, and any real a, a term is ``e^{w + s c} e^{a d} e^{(s - a) d}``, and the series of the
last factor, up to the degree D, leaves out no more than ``r^{D+1}/(D+1)! e^r`` with ``r = h |s - a|``. One series
serves for all d: its coefficients are sums over k. Where a is about the mean of the rates s, weighed by their terms'
sizes, and h a part of their deviation, it is short; whether it is short enough is looked at, and so is what round-off
adds.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

DEGREE = 24
SPAN, HALVINGS = 0.8, 6  # deviations of the rates that a series reaches either way at first; how often less is tried
LONGEST = 40.0  # r, for which no series of that degree is near
MOST_OFF = 1e-12  # of the terms' sizes, that a series may err by
LOG_SILENT = -46.0  # of terms that are not looked at, but added to what a series errs by
FEW = 16  # points, that are no fewer than is worth a series
CHUNK, ROWS = 2**19, 64  # terms, and points, that are looked at together one by one
DEGREES = np.arange(1.0, DEGREE + 1)[:, None]
LOG_LAST = math.lgamma(DEGREE + 2)  # (D + 1)!


class Sums(NamedTuple):
    """At each point, relative to ``e^log_scale``: a row for each of the factors f.

    ``size`` is what the terms' sizes sum up to, at most; and the series may err by ``off``, next to what the terms are
    not known by themselves.
    """

    value: NDArray[Any]
    size: Array
    off: Array
    log_scale: Array

    def put(self, places: Any, other: "Sums") -> None:
        """In place."""
        for all_of_it, piece in zip(self, other, strict=True):
            all_of_it[..., places] = piece


class _Series(NamedTuple):
    """For ``|x - middle| <= reach``, relative to ``e^{log_scale + rate (x - middle)}``."""

    middle: float
    reach: float
    rate: float
    log_scale: float
    terms: NDArray[Any]  # of each factor, by degree
    sizes: Array  # of each factor, at both ends
    off: Array

    def at(self, x: Array) -> Sums:
        away = (x - self.middle) / self.reach
        value = np.zeros((len(self.terms), len(x)), dtype=self.terms.dtype)
        for term in self.terms.T[::-1]:
            value = value * away + term[:, None]
        # The terms' sizes are convex in x, so below the chord.
        size = np.outer(self.sizes[:, 0], (1 - away) / 2) + np.outer(self.sizes[:, 1], (1 + away) / 2)
        off = np.broadcast_to(self.off[:, None], size.shape)
        return Sums(value, size, off, self.log_scale + self.rate * (x - self.middle))


def summed(log_weight: NDArray[Any], rate: NDArray[Any], factors: NDArray[Any], x: Array) -> Sums:
    """At rising points x."""
    some = log_weight.real > -np.inf
    log_weight, rate, factors = log_weight[some], rate[some], factors[:, some]
    shape = len(factors), len(x)
    value = np.zeros(shape, dtype=np.result_type(log_weight, rate, factors))
    found, alone, i = Sums(value, np.zeros(shape), np.zeros(shape), np.zeros(len(x))), np.zeros(len(x), dtype=bool), 0
    while i < len(x) and some.any():
        series, last = (None, len(x)) if len(x) - i <= FEW else _series(log_weight, rate, factors, x, i)
        if series is None:
            alone[i:last] = True
        else:
            found.put(slice(i, last), series.at(x[i:last]))
        i = last
    for places, own in _one_by_one(log_weight, rate, factors, x, np.flatnonzero(alone)):
        found.put(places, own)
    return found


def _series(
    log_weight: NDArray[Any], rate: NDArray[Any], factors: NDArray[Any], x: Array, i: int
) -> tuple[_Series | None, int]:
    """From the point i on, and up to where it serves; None where points are too few, or series too long."""
    power = log_weight.real + x[i] * rate.real
    size = np.exp(power - power.max())
    deviation = _spread(size, rate)[1]
    reach = min(SPAN / deviation, float(x[-1] - x[i])) if deviation > 0 else float(x[-1] - x[i])
    for _ in range(HALVINGS):
        last = int(np.searchsorted(x, x[i] + 2 * reach, side="right"))
        if last - i <= FEW or not reach > 0:
            return None, min(i + FEW, len(x))
        found = _about(log_weight, rate, factors, float(x[i] + reach), reach)
        if found is not None and (found.off <= MOST_OFF * found.sizes.min(axis=1)).all():
            return found, last
        reach /= 2
    return None, last


def _spread(size: Array, rate: NDArray[Any]) -> tuple[float, float]:
    """The real part of the rates' mean, and how far they lie from it."""
    total = float(size.sum())
    mean = float(dot(size, rate.real)) / total
    return mean, math.sqrt(float(dot(size, np.abs(rate - mean) ** 2)) / total)


def _about(
    log_weight: NDArray[Any], rate: NDArray[Any], factors: NDArray[Any], middle: float, reach: float
) -> _Series | None:
    power = log_weight + middle * rate
    top = float(power.real.max())
    mean = _spread(np.exp(power.real - top), rate)[0]
    away, of_factor = reach * np.abs(rate - mean), np.abs(factors)
    log_most = power.real - top + away  # of a term, anywhere in reach
    heard = log_most > LOG_SILENT
    if away[heard].max() > LONGEST:
        return None
    most = of_factor[:, heard] * np.exp(log_most[heard])
    log_rest = (DEGREE + 1) * np.log(np.maximum(away[heard], UNIT)) - LOG_LAST
    off = dot(most, np.exp(np.minimum(log_rest, 0.0)) + UNIT * (4 * DEGREE + 32))
    off += dot(of_factor[:, ~heard], np.exp(log_most[~heard]))
    weight, rest = np.exp(power[heard] - top), rate[heard] - mean
    powers = np.concatenate([weight[None], weight * np.cumprod(reach * rest / DEGREES, axis=0)])
    edge = np.abs(weight) * np.exp(np.outer((-reach, reach), rest.real))
    terms, sizes = ((own[:, None, heard] * of).sum(axis=2) for own, of in ((factors, powers), (of_factor, edge)))
    return _Series(middle, reach, mean, top, terms, sizes, off)


def _one_by_one(
    log_weight: NDArray[Any], rate: NDArray[Any], factors: NDArray[Any], x: Array, places: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], Sums]]:
    rows = max(1, min(ROWS, CHUNK // max(1, len(rate))))
    for first in range(0, len(places), rows):
        own = places[first : first + rows]
        # Less than one of the terms by so much at both ends is less by so much in between.
        ends = log_weight.real + np.outer(x[own[[0, -1]]], rate.real)
        less = (ends - ends[:, [int(ends.sum(axis=0).argmax())]]).max(axis=0)
        heard = less > LOG_SILENT
        power = log_weight[heard] + np.outer(x[own], rate[heard])
        top = power.real.max(axis=1)
        term = np.exp(power - top[:, None])
        size, left_out = np.abs(term), dot(np.abs(factors[:, ~heard]), np.exp(less[~heard]))
        value = np.array([(term * factor).sum(axis=1) for factor in factors[:, heard]])
        sizes = np.array([dot(size, np.abs(factor)) for factor in factors[:, heard]])
        yield own, Sums(value, sizes, np.broadcast_to(left_out[:, None], sizes.shape), top)
