"""By how much sums over numbers that came may be off that are taken at few places.

In a number k the terms are ``m1(k) v(k) G(x(k))`` and the like, v being Y's shift, ``distance/(sigma sqrt(k))``, and
``x = +-log(y)/v - v/2``. Here they are bounded for complex k in the ellipse about a stretch (see ``few_places``), from
what they are in its middle, c:

* ``m1`` is an exponential over ``Gamma(k) Gamma(N - k + 1)``, so its logarithm is concave on the line, below its
  tangent; and ``|Gamma(s)| <= e^{t^2/2 (1/s + 1/s^2)} |Gamma(s + it)|``, factor by factor of Euler's product.
* The excess of a lognormal is ``e^{-x^2/2}`` times ``int_0^inf e^{-x s - s^2/2} (1 - e^{-v s}) ds/sqrt(2 pi)``: in size
  at most ``|v| e^{(Im x)^2/2} G(Re x)`` with ``G(t) = E(Z - t)_+`` of a normal Z, if v's real part is not below 0. A
  normal probability is in the same way at most ``e^{(Im x)^2/2} Pr[Z > Re x]``. Both logarithms are concave in Re x.
  Where x is far below 0 that says little: there the excess is 1 - y, and y times that of Y over 1/y, whose x is
  ``-x - v``; and the probability 1 less another one.
* x is its tangent at c, up to half the square of the distance times its largest second derivative. For that, log y is
  log(other) - log(k), and a constant: the other number is k + e where a record is replaced, ``y = 1 + e/k``; and
  N - k where it is removed.

Where the ellipse reaches as far as k = 0 or the other number's 0, sum and rule are each at most as many times as there
are numbers what the largest term is.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, log_ndtr, ndtr

from shufflekit._binomial import log_pmf
from shufflekit._validate import Array
from shufflekit.definitions import NoisyMean
from shufflekit.dominating_pairs.came import Stretches, log_y, shown_by
from shufflekit.dominating_pairs.few_places import ACROSS, ALONG, LOG_REMAINDER
from shufflekit.dominating_pairs.lognormal_excess import mills

FAR_OUT, VERY_FAR = 5.0, 50.0  # deviations from where on Mills' ratio is looked at, and from where on its series
FARTHEST, TINY = 1e8, 1e-100  # further out tangents there are still above
LOG_TWICE = math.log(2)  # sum and rule; and more than what is computed here is itself rounded by
LOG_MOST = 700.0
LOG_ROOT = math.log(2 * math.pi) / 2


class Remainder(NamedTuple):
    """Of delta, and of the second law's tail, at each eps."""

    delta: Array
    tail: Array


class Rows(NamedTuple):
    """Stretches of numbers, seen from their middle. Of m1: its logarithm, and how that moves at most."""

    mean: NoisyMean
    number: Array
    half: Array  # of the way from the first to the last
    length: Array
    log_chance: Array
    slope: Array
    bend: Array

    @property
    def far(self) -> Array:
        return ALONG * self.half

    @property
    def near(self) -> Array:
        """A number that k is no smaller than in size, in the ellipse."""
        return np.maximum(self.number - self.far, 0.5)


class Path(NamedTuple):
    """x in the middle, its derivative, by how much it may leave its tangent, and where all this holds.

    Besides log y there, the logarithm of how many times as large y may be elsewhere, and by how much it moves at most.
    """

    x: Array
    step: Array
    curve: Array
    inside: NDArray[np.bool_]
    log_y: Array
    grows: Array
    moves: Array


def remainder(mean: NoisyMean, backwards: bool, eps: Array, stretches: Stretches) -> Remainder:
    """Forth of ``sum m1 E(Y - y)_+`` and ``sum V Pr[Y > y]``; backwards of what these are for (Q, P)."""
    if not len(stretches.length):
        return Remainder(np.zeros(eps.shape), np.zeros(eps.shape))
    rows, signed = _rows(mean, stretches), -eps if backwards else eps
    path = _path(rows, backwards, signed)
    first, last = rows.number - rows.half, rows.number + rows.half
    log_y_first, log_y_last = (log_y(mean, signed, shown_by(mean, k, k))[0] for k in (first, last))
    extreme = np.maximum(log_y_first, log_y_last) if backwards else np.minimum(log_y_first, log_y_last)
    of_delta = _of_delta(rows, path, backwards, eps, extreme)
    return Remainder(of_delta, _of_tail(rows, path, backwards, extreme))


def _rows(mean: NoisyMean, stretches: Stretches) -> Rows:
    N, rate, length = float(mean.population), mean.rate, stretches.length
    half = (length - 1) / 2
    c = np.where(stretches.used, stretches.first + half, N * rate + 1)
    log_chance = log_pmf(c - 1, N - 1, rate) if rate <= 0.5 else log_pmf(N - c, N - 1, 1 - rate)
    log_chance = np.where(stretches.used, math.log(rate) + log_chance, -np.inf)
    slope = math.log(rate) - math.log1p(-rate) - digamma(c) + digamma(N - c + 1)
    low, high = np.maximum(c - ALONG * half, 0.5), np.maximum(N - c + 1 - ALONG * half, 0.5)
    bend = 1 / low + 1 / low**2 + 1 / high + 1 / high**2
    return Rows(mean, c, half, length, log_chance, slope, bend)


def _path(rows: Rows, backwards: bool, signed: Array) -> Path:
    """At each eps, by rows."""
    mean, c, far, near = rows.mean, rows.number, rows.far, rows.near
    N, beta = float(mean.population), mean.distance / mean.sigma
    log = log_y(mean, signed, shown_by(mean, c, c))[0]
    # log(y)' = way/(k other), and log(y)'' = -way (...)/(k other)^2.
    way = -N * np.expm1(signed)[:, None] if mean.replaced else np.full((len(signed), 1), -N)
    other = c - way if mean.replaced else np.broadcast_to(N - c, log.shape)
    both = 2 * (c + far) + np.abs(way) if mean.replaced else np.abs(N - 2 * c) + 2 * far
    inside = (c > far) & (other > far) & np.isfinite(log)
    other, log = np.where(inside, other, far + 1), np.where(inside, log, 0.0)
    least = other - far
    own, most = way / (c * other), np.abs(way) / (near * least)
    bent = np.abs(way) / least * (both / least) / near**2 + most / near + (np.abs(log) + far * most) / (4 * near**2)
    sign, v = -1.0 if backwards else 1.0, beta / np.sqrt(c)
    step = sign / v * (own + log / (2 * c)) + v / (4 * c)
    curve = far**2 / 2 * (np.sqrt(c + far) / beta * bent + 3 / 8 * beta / near**2.5)
    moves = np.exp(np.minimum(log, LOG_MOST)) * (np.abs(way) / other * c * far / near**2)
    return Path(sign * log / v - v / 2, step, curve, inside, log, np.log1p(far / other) + np.log(c / near), moves)


def _of_delta(rows: Rows, path: Path, backwards: bool, eps: Array, extreme: Array) -> Array:
    """``m1 v G(x)``, or what delta is in the end and that with x mirrored; backwards times a, and y.

    ``extreme`` is where log y makes that largest.
    """
    beta = rows.mean.distance / rows.mean.sigma
    log_v, v_most = np.log(beta / np.sqrt(rows.near)), beta / np.sqrt(rows.number - rows.half)
    log_most = path.log_y + path.grows
    with np.errstate(divide="ignore"):
        log_end = np.log(np.abs(np.expm1(np.minimum(path.log_y, LOG_MOST))) + path.moves)
    direct = _grown(rows, path, log_v + (log_most if backwards else 0.0), _excess)
    mirrored = _grown(rows, _mirrored(rows, path), log_v + (0.0 if backwards else log_most), _excess)
    in_ellipse = np.minimum(direct, np.logaddexp(mirrored, log_end + _spread(rows)))
    crude = np.log(v_most) + _excess((-extreme if backwards else extreme) / v_most - v_most / 2)[0]
    if backwards:
        in_ellipse, crude = in_ellipse + eps[:, None], crude + eps[:, None] + extreme
    return _total(rows, path, in_ellipse, crude)


def _of_tail(rows: Rows, path: Path, backwards: bool, extreme: Array) -> Array:
    """Forth ``V Pr[Z > x + v]``; backwards of chances that are together m1 times N/k, no more than ``Pr[Z > x]``."""
    mean, beta, c = rows.mean, rows.mean.distance / rows.mean.sigma, rows.number
    N = float(mean.population)
    v_most, v_least = (beta / np.sqrt(c - side * rows.half) for side in (1, -1))
    mirrored = _mirrored(rows, path)
    if backwards:
        log_weight = np.log1p((N - c + rows.far) / rows.near)
        own = path._replace(curve=path.curve + rows.far * beta / (2 * rows.near**1.5))
        far_out = -extreme / np.where(extreme < 0, v_most, v_least) - v_most / 2
    else:
        log_weight = np.log((N if mean.replaced else (N - c + rows.far) / (1 - mean.rate)) / rows.near)
        own = mirrored._replace(x=-mirrored.x, step=-mirrored.step)
        far_out = extreme / np.where(extreme > 0, v_most, v_least)
    direct, rest = _grown(rows, own, log_weight, _tail), _grown(rows, mirrored, log_weight, _tail)
    in_ellipse = np.minimum(direct, np.logaddexp(rest, log_weight + _spread(rows)))
    return _total(rows, path, in_ellipse, log_weight + _tail(far_out)[0])


def _mirrored(rows: Rows, path: Path) -> Path:
    """``-x - v``, which is x with y inverted."""
    v = rows.mean.distance / rows.mean.sigma / np.sqrt(rows.number)
    curve = path.curve + rows.far * v / (2 * rows.near) * np.sqrt(rows.number / rows.near)
    return path._replace(x=-path.x - v, step=-path.step + v / (2 * rows.number), curve=curve)


def _grown(rows: Rows, path: Path, log_factor: Array, of: Callable[[Array], tuple[Array, Array]]) -> Array:
    """The logarithm of what m1 in the middle is to be multiplied by, for terms ``m1 factor of(x)``."""
    log, slope = of(path.x)
    return np.asarray(log_factor + log + _spread(rows, path, slope))


def _spread(rows: Rows, path: Path | None = None, slope: Array | float = 0.0) -> Array:
    """Of terms that are m1 times something, that falls by ``slope`` where x rises, or by nothing at all."""
    half, far, bend = rows.half, rows.far, rows.bend * (ACROSS * rows.half) ** 2 / 2
    if path is None:
        return np.asarray(np.abs(rows.slope) * far + bend)
    along = np.abs(rows.slope - slope * path.step) * far + slope * path.curve
    return np.asarray(along + bend + (np.abs(path.step) * ACROSS * half + path.curve) ** 2 / 2)


def _total(rows: Rows, path: Path, in_ellipse: Array, crude: Array) -> Array:
    """Over all stretches, of the smaller bound."""
    in_ellipse = np.where(path.inside, in_ellipse + LOG_REMAINDER, np.inf)
    largest = np.minimum(in_ellipse, crude + np.abs(rows.slope) * rows.half)
    log_size = rows.log_chance + np.log(rows.length) + largest + LOG_TWICE
    return np.asarray(np.exp(np.minimum(log_size, LOG_MOST)).sum(axis=1))


def _tail(x: Array) -> tuple[Array, Array]:
    """``log Pr[Z > x]`` and by how much it falls."""
    x = np.clip(x, -FARTHEST, FARTHEST)
    log = log_ndtr(-x)
    return log, np.exp(np.minimum(-(x**2) / 2 - LOG_ROOT - log, LOG_MOST))


def _excess(x: Array) -> tuple[Array, Array]:
    """``log E(Z - x)_+`` and by how much it falls."""
    x = np.clip(x, -1 / TINY, FARTHEST)
    near, far, very = np.minimum(x, FAR_OUT), np.clip(x, FAR_OUT, VERY_FAR), np.maximum(x, VERY_FAR)
    chance = ndtr(-near)
    value = np.exp(-(near**2) / 2 - LOG_ROOT) - near * chance
    ratio = mills(far)
    less = np.where(x > VERY_FAR, (1 - 3 / very**2 + 15 / very**4) / very**2, 1 - far * ratio)
    out = -(x**2) / 2 - LOG_ROOT + np.log(less)
    slope = np.where(x > VERY_FAR, very + 2 / very, ratio / (1 - far * ratio))
    return np.where(x > FAR_OUT, out, np.log(value)), np.where(x > FAR_OUT, slope, chance / value)
