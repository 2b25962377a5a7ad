"""Privacy losses composed by FFT, and read off as certified brackets.

An FFT forgets what is 1e-16 of its largest entry. So P is tilted first (multiplied by ``e^{t loss}``, with t such that
the losses that matter for delta are the typical ones); round-off and wrap-around are bounded and added.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import logsumexp

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.bracket import Bracket, bracket
from shufflekit.dominating_pairs import Atoms
from shufflekit.loss_distribution.grids import Grid, contract, potential, split

LOG_OUTSIDE = -45.0  # of the tilted mass that the window may leave outside, on either side
MAX_GRID = 2**21
LEAST_DEVIATION = 1e-140  # of the loss: its square is a number still
UNIT = 2.0**-53


class Curve(NamedTuple):
    """``e^log_scale`` times delta at the points ``eps``, from one side; between them delta is linear in ``e^eps``."""

    eps: Array
    scaled: Array
    log_scale: float
    upper: bool

    def epsilon(self, delta: float) -> float:
        """Where the curve falls to delta; outside the points, what this side can still be sure of."""
        log_target = math.log(delta) + self.log_scale
        with np.errstate(divide="ignore"):
            above = np.flatnonzero(np.log(np.maximum(self.scaled, 0.0)) >= log_target)
        if not len(above):
            return max(0.0, float(self.eps[0])) if self.upper else 0.0
        i = above[-1]
        if i == len(self.eps) - 1:
            return math.inf if self.upper else max(0.0, float(self.eps[i]))
        target = math.exp(log_target - math.log(self.scaled[i]))
        share = (1 - target) / (1 - self.scaled[i + 1] / self.scaled[i])
        return max(0.0, float(self.eps[i] + np.log1p(share * np.expm1(self.eps[i + 1] - self.eps[i]))))

    def delta(self, eps: float) -> float:
        """The curve at eps; below its first point 1 or what it starts with, above its last what it ends with."""
        if eps < self.eps[0] and self.upper:
            return 1.0
        i = int(np.clip(np.searchsorted(self.eps, eps) - 1, 0, len(self.eps) - 2))
        share = np.clip(np.expm1(eps - self.eps[i]) / np.expm1(self.eps[i + 1] - self.eps[i]), 0, 1)
        value = self.scaled[i] + share * (self.scaled[i + 1] - self.scaled[i])
        # A delta too small for floating point is not 0: the least normal number is the safe side.
        least = sys.float_info.min if self.upper else 0.0
        return max(least, math.exp(min(0.0, math.log(value) - self.log_scale))) if value > 0 else least


class Part(NamedTuple):
    """A pair (as atoms, or on a grid), and how many rounds of it."""

    atoms: Any
    rounds: int


class Moments(NamedTuple):
    """``log Z``, mean and standard deviation of a loss under P times ``e^{t loss}``, normalised by Z."""

    log_z: float
    mean: float
    deviation: float


class Composition:
    """Independent rounds of one or several pairs: delta and eps of P against Q."""

    def __init__(self, parts: Sequence[Part]) -> None:
        if not parts:
            raise ValueError("parts must hold at least one pair, got none")
        self.parts = [Part(atoms, _validate.count(rounds=rounds)) for atoms, rounds in parts]
        self._missing = sum(rounds * atoms.missing for atoms, rounds in self.parts)
        self._largest_loss = float(sum(rounds * atoms.loss[-1] for atoms, rounds in self.parts)) + _rounding(self.parts)
        # Binomial masses are good to about 1e-15 sqrt(n), and a law has some ten times sqrt(n) atoms. A loss that is
        # off moves the curve, for which see Curve, and the mass under P.
        masses = sum(rounds * len(atoms.loss) for atoms, rounds in self.parts)
        self._noise = 1e-12 + 2 * UNIT * masses + _rounding(self.parts)

    def epsilon(self, delta: float, rtol: float) -> Bracket:
        """The least eps with ``delta(eps) <= delta``: both ends certified, and refined towards a width of ``rtol``."""
        log_delta = math.log(_validate.open_unit(delta=delta))
        most = self._largest_loss if self._missing <= delta else math.inf

        def reached(total: Moments, tilt: float) -> bool:
            return total.log_z - tilt * total.mean <= log_delta

        return self._refine(reached, lambda curve: curve.epsilon(delta), Bracket(0.0, most), rtol)

    def delta(self, eps: float, rtol: float) -> Bracket:
        """``E_P[(1 - e^{eps - L})_+]`` of the summed loss L, refined in the same way."""
        eps = _validate.nonnegative(eps=eps)
        if eps >= self._largest_loss:
            return bracket(0.0, min(1.0, self._missing))
        most = min(1.0, self._missing - math.expm1(eps - self._largest_loss))
        return self._refine(
            lambda total, _: total.mean >= eps, lambda curve: curve.delta(eps), Bracket(0.0, most), rtol
        )

    def _refine(
        self, reached: Callable[[Moments, float], bool], read: Callable[[Curve], float], ends: Bracket, rtol: float
    ) -> Bracket:
        """Read both curves on ever finer grids, until they agree or the grid is the largest that memory should hold."""
        if len(self.parts) == 1 and self.parts[0].rounds == 1:
            lower, upper = _single_round(self.parts[0].atoms, self._noise)
            return bracket(max(ends.lower, read(lower)), min(ends.upper, read(upper)))
        if _total(self.parts, 0.0).deviation < LEAST_DEVIATION:
            return bracket(*ends)
        tilt = self._tilt(reached)
        low, high = _reach(self.parts, tilt)
        # Neither the window nor the losses of one round may need more points than memory should hold.
        widest = max(high - low, *(float(np.ptp(atoms.loss)) for atoms, _ in self.parts))
        finest = widest / MAX_GRID
        rounds = sum(part.rounds for part in self.parts)
        step = max(_total(self.parts, tilt).deviation / math.sqrt(rounds) / 64, finest)
        top = max(float(atoms.loss[-1]) for atoms, _ in self.parts)
        while True:
            # With the largest loss on the grid (or a rounding error below), few coarse atoms are hardly moved.
            if step < top:
                step = top / math.ceil(top / step) * (1 - 8 * UNIT)
            grids = [Part(contract(atoms, step), rounds) for atoms, rounds in self.parts]
            below = read(_compose(grids, tilt, self._missing, -self._noise))
            grids = [Part(split(atoms.loss, atoms.log_q, step), rounds) for atoms, rounds in self.parts]
            above = read(_compose(grids, tilt, self._missing, self._noise))
            ends = Bracket(max(ends.lower, below), min(ends.upper, above))
            near = ends.upper - ends.lower <= max(rtol * ends.upper, sys.float_info.min)
            if near or step <= finest:
                return bracket(*ends)
            # The gap shrinks in proportion to the step.
            excess = (ends.upper - ends.lower) / (rtol * ends.upper)
            step = max(step / np.clip(1.3 * excess, 2, 16), finest)

    def _tilt(self, reached: Callable[[Moments, float], bool]) -> float:
        """About the least tilt at which ``reached(moments, tilt)``: any tilt is valid, a good one is accurate."""

        least = 0.05 * _total(self.parts, 0.0).deviation

        def enough(tilt: float) -> bool:
            # Beyond these limits a single atom, or losses that no grid could hold, would be all that is left.
            total = _total(self.parts, tilt)
            return reached(total, tilt) or total.deviation * tilt > 30 or total.deviation < least

        if enough(0.0):
            return 0.0
        low, high = 0.0, 1.0
        while not enough(high):
            low, high = high, 2 * high
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def _single_round(atoms: Atoms, noise: float) -> tuple[Curve, Curve]:
    """One round needs no grid: delta is linear in ``e^eps`` between the atoms."""
    delta, shift = potential(np.expm1(atoms.loss), np.exp(atoms.log_q)), _rounding([Part(atoms, 1)])
    lower = Curve(atoms.loss - shift, delta * (1 - noise), 0.0, upper=False)
    return lower, Curve(atoms.loss + shift, delta * (1 + noise) + atoms.missing, 0.0, upper=True)


def _rounding(parts: Sequence[Part]) -> float:
    """By how much the sum of all losses may be off, each being rounded to floating point a few times."""
    return 8 * UNIT * float(sum(rounds * np.abs(pair.loss[[0, -1]]).max() for pair, rounds in parts))


def _moments(loss: Array, log_q: Array, tilt: float) -> Moments:
    log_weight = log_q + (1 + tilt) * loss
    log_z = float(logsumexp(log_weight))
    weight = np.exp(log_weight - log_z)
    mean = float(weight @ loss)
    return Moments(log_z, mean, math.sqrt(float(weight @ (loss - mean) ** 2)))


def _total(parts: Sequence[Part], tilt: float) -> Moments:
    """The moments of the sum over all rounds."""
    each = [(_moments(pair.loss, pair.log_q, tilt), rounds) for pair, rounds in parts]
    log_z, mean = (sum(rounds * moments[i] for moments, rounds in each) for i in (0, 1))
    return Moments(log_z, mean, math.sqrt(sum(rounds * moments.deviation**2 for moments, rounds in each)))


def _compose(parts: Sequence[Part], tilt: float, missing: float, noise: float) -> Curve:
    """The delta curve of all rounds on one grid: never below the truth for positive noise, never above for negative.

    The relative error that the masses bring along, ``|noise|``, is added or taken off as well.
    """
    sign = math.copysign(1.0, noise)
    step, total = parts[0].atoms.step, _total(parts, tilt)
    weights = [np.exp(_tilted(grid, tilt)) for grid, _ in parts]
    low, high = _reach(parts, tilt)
    low, high = math.floor(low / step), math.ceil(high / step)
    size = next_fast_len(max(high - low + 1, *(len(c) for c in weights)), real=True)
    high = low + size - 1

    # An FFT of size N errs by at most a few log2(N) units relative to the sum of its input; a power carries the error
    # of its base times the exponent, and its own.
    fft_error = 4 * UNIT * math.log2(size + 1)
    power, modulus, blame = np.ones(size // 2 + 1, dtype=complex), np.ones(size // 2 + 1), np.zeros(size // 2 + 1)
    for (grid, rounds), c in zip(parts, weights, strict=True):
        wrapped = np.zeros(size)
        wrapped[(grid.first + np.arange(len(c))) % size] = c
        phi = rfft(wrapped)
        power *= phi**rounds
        phi_modulus = np.abs(phi) + fft_error
        modulus *= phi_modulus**rounds
        blame += rounds * (fft_error + 16 * UNIT) / phi_modulus
    round_off = float(np.mean(modulus * (blame + fft_error)))
    density = np.roll(irfft(power, size), -(low % size))
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
    values = values * (1 + noise + sign * 2 * UNIT * size)
    values = values + sign * 2 * np.exp(LOG_OUTSIDE + log_most - tilt * s)
    log_scale = tilt * reference - total.log_z
    if sign > 0 and missing > 0:
        with np.errstate(over="ignore"):
            values = values + missing * np.exp(log_scale)
    return Curve(s + reference + sign * _rounding(parts), values, log_scale, upper=sign > 0)


def _tilted(pair: Atoms | Grid, tilt: float) -> Array:
    log_weight = pair.log_q + (1 + tilt) * pair.loss
    return np.asarray(log_weight - logsumexp(log_weight))


def _reach(parts: Sequence[Part], tilt: float) -> tuple[float, float]:
    """An interval beyond either end of which the tilted sum has at most ``e^LOG_OUTSIDE`` of its mass (Chernoff)."""
    ends = []
    tilted = [(_tilted(pair, tilt), pair.loss, rounds) for pair, rounds in parts]
    typical = math.sqrt(-2 * LOG_OUTSIDE) / _total(parts, tilt).deviation
    for side in (-1, 1):
        limit = sum(rounds * max(side * pair.loss[0], side * pair.loss[-1]) for pair, rounds in parts)
        for rate in typical * np.exp2(np.arange(-6, 5)):
            log_moment = sum(rounds * logsumexp(log + side * rate * loss) for log, loss, rounds in tilted)
            limit = min(limit, (log_moment - LOG_OUTSIDE) / rate)
        ends.append(side * float(limit))
    return ends[0], ends[1]


def _deltas(weight: Array, step: float) -> Array:
    """``sum_{s' > s} weight(s') (1 - e^{s - s'})`` at every grid point s.

    By the recursion F(s) = e^{-step} F(s + step) + (1 - e^{-step}) (weight beyond s): only positive terms, no overflow.
    """
    from scipy.signal import lfilter  # takes longer to load than all the rest of the kit

    beyond = np.cumsum(weight[::-1])
    keep = math.exp(-step)
    return np.asarray(lfilter([0.0, -math.expm1(-step)], [1.0, -keep], beyond)[::-1])
