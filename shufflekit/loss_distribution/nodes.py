"""Many rounds on one lattice, read off at single points: a transform of which hardly any frequency is left.

The losses of all rounds are multiples of a step h. With ``M(z) = E_P[e^{z L}]``, any c > 0 and any number N

    sum_j e^{c j N h} delta((k + j N) h) = (1/N) sum_m M(z_m) e^{-z_m k h} g(z_m),     z_m = c + 2 pi i m/(N h),

with ``g(z) = sum_{j > 0} e^{-z j h} (1 - e^{-j h})``. It is what an FFT of N points does, here for N as large as one
likes: of many rounds all frequencies but the first some dozens are silent, and ``silence`` proves which.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shufflekit._complex import log1p
from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LOG_SILENT, NODE_ERROR, TINY
from shufflekit.convex_order import Grid
from shufflekit.loss_distribution.curve import Curve
from shufflekit.loss_distribution.parts import Leftover, Part, moments, rounding, tilted
from shufflekit.loss_distribution.periods import LOG_HUGE, Wrapped, line, wrapped
from shufflekit.loss_distribution.silence import Law, heard

LEAST_ROUNDS = 30  # of fewer, too much is heard
MOST_WORK = 3e7  # losses times frequencies
REACH = 20.0  # deviations from the mean, that a point is looked for
POINTS = 64  # that are looked at together
NEARLY_ALL = -1 + 1e-15  # what a transform of 0 is taken to be less than 1 by: so its logarithm is a number
MOST_NOISE = 0.01  # of the logarithm of a term
MOST_PLACES = 2**61  # all rounds have fewer: beyond, delta is what it is there
CHUNK = 2**20

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Nodes:
    """The frequencies that are heard: delta of all rounds at multiples of the step, from one side.

    Numbers are relative to ``e^{log_top} = M(c) e^{-c centre h}``, and places are counted from ``centre``.
    """

    step: float
    turn: Array  # of each frequency, from one place to the next
    weight: NDArray[Any]
    error: float  # of all terms together, the silent ones among them
    rate: float  # c
    centre: int
    deviation: float
    log_top: float
    wrapped: Wrapped
    left: Leftover
    upper: bool
    moved: float  # what losses are larger by than their multiples, rounding included

    def shifted(self, by: float) -> "Nodes":
        """All losses so much larger."""
        return replace(self, moved=self.moved + by)

    def epsilon(self, delta: float) -> float:
        """Where delta is reached, looked for between ever nearer multiples of the step."""
        high = math.ceil(REACH * self.deviation / self.step)
        low = -high
        while high - low > POINTS:
            places = np.unique(np.linspace(low, high, POINTS).astype(np.int64))
            curve = self._curve(places)
            last = curve.last_above(delta)
            if last < 0 or last == len(places) - 1:
                return curve.epsilon(delta)
            low, high = int(places[last]), int(places[last + 1])
        return self._curve(np.arange(low, high + 1)).epsilon(delta)

    def delta(self, eps: float) -> float:
        """delta at an eps of any size."""
        place = math.floor((eps - self.moved) / self.step) - self.centre
        place = max(-MOST_PLACES, min(place, MOST_PLACES))
        curve = self._curve(np.arange(place - 1, place + 3))
        return curve.delta(eps) if np.isfinite(curve.scaled).all() else 1.0

    def _curve(self, places: Places) -> Curve:
        eps = np.asarray(self.step * (float(self.centre) + places) + self.moved, dtype=np.float64)
        return Curve(eps, self._values(places), -self.log_top, self.upper).with_unlisted(*self.left)

    def _values(self, places: Places) -> Array:
        """Relative delta of what is listed."""
        sign, x = 1.0 if self.upper else -1.0, np.asarray(self.step * places, dtype=np.float64)
        phase = np.outer(places, self.turn)
        total = (np.exp(-1j * phase) * self.weight).real.sum(axis=1)
        off = self.error + NODE_ERROR * (np.abs(self.weight) * (1 + np.abs(phase))).sum(axis=1)
        decline = np.exp(np.minimum(-self.rate * x, LOG_HUGE))
        values = (total + sign * off) * decline * (1 + sign * (self.left.noise + NODE_ERROR * np.abs(self.rate * x)))
        if self.upper:
            values = np.where(-self.rate * x > LOG_HUGE, np.inf, values)  # what is no number is not known from above
        else:
            values = values - self.wrapped.at(x, self.rate)
        return np.asarray(np.maximum(values, 0.0))


def by_nodes(parts: Sequence[Part[Grid]], tilt: float, left: Leftover, *, upper: bool) -> Nodes | None:
    """The frequencies of all rounds; None where they are too many."""
    step, deviation = parts[0].pair.step, moments(parts, tilt).deviation
    rounds = sum(own for _, own in parts)
    if rounds < LEAST_ROUNDS or deviation == 0:
        return None
    c = line(tilt, deviation)
    total, laws = moments(parts, c), [_law(grid, rounds, c) for grid, rounds in parts]
    if total.deviation == 0:
        return None
    centre = round(total.mean / step)
    log_top = total.log_z - c * step * centre
    noise = NODE_ERROR * (rounds + abs(total.log_z) + abs(total.log_z - log_top))
    if noise > MOST_NOISE:
        return None
    around = wrapped(parts, c, total, 0.0)
    size = 2 * math.ceil(around.period / step / 2) + 1
    numbers = heard(laws, size, math.floor(MOST_WORK / (sum(len(law.place) for law in laws) + 4 * POINTS)))
    if numbers is None:
        return None
    turn = 2 * np.pi / size * numbers
    weight, error = _terms(laws, turn, c * step, step, centre)
    weight *= np.where(numbers > 0, 2.0, 1.0) / size
    silent = math.exp(LOG_SILENT) * _kernel(c * step, step)
    return Nodes(
        step=step,
        turn=turn,
        weight=weight,
        error=float(dot(np.abs(weight), error) + silent),
        rate=c,
        centre=centre,
        deviation=total.deviation,
        log_top=log_top,
        wrapped=around,
        left=left._replace(noise=left.noise + noise),
        upper=upper,
        moved=rounding(parts) if upper else -rounding(parts),
    )


def _law(grid: Grid, rounds: int, c: float) -> Law:
    weight = np.exp(tilted(grid, c))
    place, weight = grid.place[weight > 0], weight[weight > 0]
    middle = round(float(dot(weight, place.astype(np.float64))))
    return Law((place - middle).astype(np.float64), weight, middle, rounds)


def _terms(laws: Sequence[Law], turn: Array, rate: float, step: float, centre: int) -> tuple[NDArray[Any], Array]:
    """``M(z) g(z)/M(c)`` of each frequency, counted from the centre, and its relative error."""
    middle = sum(law.rounds * law.middle for law in laws)
    log_phi, error = np.zeros(len(turn), dtype=complex), np.zeros(len(turn))
    for law in laws:
        own = _log_phi(law, turn)
        log_phi += law.rounds * own
        # What is nearly 0 has lost its digits.
        error += NODE_ERROR * law.rounds * (np.abs(own) + law.spread * turn) * np.exp(-own.real)
    log_phi -= 1j * turn * float(centre - middle)
    return np.exp(log_phi) * _kernel(rate + 1j * turn, step), error + NODE_ERROR * (1 + np.abs(log_phi))


def _kernel(z: Any, step: float) -> Any:
    """``g``, at z times the step."""
    return np.exp(-z) * -math.expm1(-step) / (np.expm1(-z) * np.expm1(-z - step))


def _log_phi(law: Law, turn: Array) -> NDArray[Any]:
    """``log E e^{i t K}``, by what it is less than 1 by: that keeps its digits where t is small."""
    found = np.empty(len(turn), dtype=complex)
    size = max(1, CHUNK // len(law.place))
    for i in range(0, len(turn), size):
        half = np.outer(turn[i : i + size] / 2, law.place)
        sine = np.sin(half)
        less = -2 * dot(sine**2, law.chance) + 2j * dot(sine * np.cos(half), law.chance)
        found[i : i + size] = log1p(np.where(np.abs(1 + less) > TINY, less, NEARLY_ALL))
    return found
