"""Privacy losses on a grid, composed by FFT, and read off as certified brackets.

With X = P/Q under Q, T rounds have ``delta(eps) = E[(X_1 ... X_T - e^eps)_+]``, which grows with each X in the
(increasing) convex order. So *splitting* X between two grid points without moving its mean gives an upper bound, and
a law on the grid whose potential ``E(X - a)_+`` is nowhere above that of X gives a lower one, composed or not.

An FFT forgets what is 1e-16 of its largest entry. So P is tilted first (multiplied by ``e^{t loss}``, with t such that
the losses that matter for delta are the typical ones); round-off and wrap-around are bounded and added.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import logsumexp

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.bracket import Bracket, bracket
from shufflekit.dominating_pairs import Atoms

LOG_OUTSIDE = -45.0  # of the tilted mass that the window may leave outside, on either side
MAX_GRID = 2**22
FEW = 8  # atoms; a law with no more of them is rounded down to the grid instead of drawn together
UNIT = 2.0**-53


class Grid(NamedTuple):
    """A law of losses on multiples of ``step``, from ``first * step`` on: the logarithms of the Q-masses."""

    step: float
    first: int
    log_q: Array

    @property
    def loss(self) -> Array:
        return self.step * (self.first + np.arange(len(self.log_q)))


class Curve(NamedTuple):
    """``e^log_scale`` times delta, at the points ``eps``; between two of them delta is linear in ``e^eps``."""

    eps: Array
    scaled: Array
    log_scale: float

    def epsilon(self, delta: float) -> float:
        """Where the curve falls to delta; the first point where it starts below, the last where it ends above."""
        target = math.exp(math.log(delta) + self.log_scale)
        above = np.flatnonzero(self.scaled >= target)
        i = above[-1] if len(above) else 0
        if not len(above) or i == len(self.eps) - 1:
            return max(0.0, float(self.eps[i]))
        share = (self.scaled[i] - target) / (self.scaled[i] - self.scaled[i + 1])
        return max(0.0, float(self.eps[i] + np.log1p(share * np.expm1(self.eps[i + 1] - self.eps[i]))))

    def delta(self, eps: float) -> float:
        i = int(np.clip(np.searchsorted(self.eps, eps) - 1, 0, len(self.eps) - 2))
        share = np.clip(np.expm1(eps - self.eps[i]) / np.expm1(self.eps[i + 1] - self.eps[i]), 0, 1)
        value = self.scaled[i] + share * (self.scaled[i + 1] - self.scaled[i])
        return float(np.clip(value * math.exp(-self.log_scale), 0.0, 1.0))


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

    def epsilon(self, delta: float, rtol: float) -> Bracket:
        """The least eps with ``delta(eps) <= delta``, refined until its two certified ends agree to ``rtol``."""
        log_delta = math.log(_validate.open_unit(delta=delta))
        tilt = self._tilt(lambda total, t: total.log_z - t * total.mean <= log_delta)
        return self._refine(tilt, lambda curve: curve.epsilon(delta), Bracket(0.0, math.inf), rtol)

    def delta(self, eps: float, rtol: float) -> Bracket:
        """``E_P[(1 - e^{eps - L})_+]`` of the summed loss L, refined in the same way."""
        eps = _validate.nonnegative(eps=eps)
        if eps >= sum(rounds * atoms.loss[-1] for atoms, rounds in self.parts):
            return bracket(0.0, min(1.0, self._missing))
        tilt = self._tilt(lambda total, t: total.mean >= eps)
        return self._refine(tilt, lambda curve: curve.delta(eps), Bracket(0.0, 1.0), rtol)

    def _refine(self, tilt: float, read: Callable[[Curve], float], ends: Bracket, rtol: float) -> Bracket:
        """Read both curves on ever finer grids, until they agree or the grid is the largest that memory should hold."""
        if len(self.parts) == 1 and self.parts[0].rounds == 1:
            lower, upper = _single_round(self.parts[0].atoms)
            return bracket(max(ends.lower, read(lower)), min(ends.upper, read(upper)))
        rounds = sum(part.rounds for part in self.parts)
        total = _total(self.parts, tilt)
        step = total.deviation / math.sqrt(rounds) / 64
        top = float(self.parts[0].atoms.loss[-1])
        while True:
            # With the largest loss on the grid (or a rounding error below), few coarse atoms are hardly moved.
            step = top / math.ceil(top / step) * (1 - 8 * UNIT)
            grids = [Part(_contract(atoms, step), rounds) for atoms, rounds in self.parts]
            lower = read(_compose(grids, tilt, self._missing, sign=-1))
            grids = [Part(_split(atoms.loss, atoms.log_q, step), rounds) for atoms, rounds in self.parts]
            upper = read(_compose(grids, tilt, self._missing, sign=1))
            ends = Bracket(max(ends.lower, lower), min(ends.upper, upper))
            low, high = _reach(self.parts, tilt)
            finest = (high - low) / MAX_GRID
            if ends.upper - ends.lower <= rtol * ends.upper or step <= finest:
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


def _split(loss: Array, log_q: Array, step: float) -> Grid:
    """Each atom divided between its two neighbours on the grid, its mean of X kept: larger in the convex order."""
    cell = np.floor(loss / step).astype(np.int64)
    up = np.clip(np.expm1(loss - cell * step) / math.expm1(step), 0.0, 1.0)
    first = int(cell.min())
    # Sums of many small masses must not be lost beside large ones: they are added relative to the largest nearby.
    top = float(log_q.max())
    mass = np.exp(log_q - top)
    total = np.bincount(cell - first, mass * (1 - up), int(cell.max()) - first + 2)
    total[1:] += np.bincount(cell - first, mass * up, len(total) - 1)
    with np.errstate(divide="ignore"):
        return Grid(step, first, np.log(total) + top)


def _contract(atoms: Atoms, step: float) -> Grid:
    """A law on the grid that is smaller than the atoms in the convex order, by a margin that is looked for.

    The atoms are drawn a little towards their mean and then split. That is below the original law exactly when
    its potential is no larger at every atom, since between atoms the original's potential is linear.
    """
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    mean = float(q @ y / q.sum())
    pull = 0.02 * step / math.sqrt(float(q @ (y - mean) ** 2 / q.sum()))
    while pull < 1 and len(y) > FEW:
        moved = mean + (1 - pull) * (y - mean)
        # The two outermost atoms have nothing beyond them that could make room: they go down to the grid.
        moved[[0, -1]] = np.expm1(step * np.floor(np.log1p(moved[[0, -1]]) / step))
        grid = _split(np.log1p(moved), atoms.log_q, step)
        lost = float(q[[0, -1]] @ (mean + (1 - pull) * (y - mean) - moved)[[0, -1]])
        if _is_below(np.expm1(grid.loss), np.exp(grid.log_q), y, q, mean, lost):
            return grid
        pull *= 1.5
    return _split(step * np.floor(atoms.loss / step), atoms.log_q, step)


def _is_below(y_grid: Array, q_grid: Array, y: Array, q: Array, mean: float, lost: float) -> bool:
    """Whether ``E(Y_grid - a)_+ <= E(Y - a)_+`` at every atom a = y, the grid's mean being ``lost`` lower.

    Left of the mean the other side's potential ``E(a - Y)_+`` is compared, so that both are sums of small terms.
    """
    place = np.concatenate([y_grid, y])
    order = np.argsort(place, kind="stable")
    nothing = np.zeros(len(place))
    grid_mass, atom_mass = nothing.copy(), nothing.copy()
    grid_mass[: len(y_grid)], atom_mass[len(y_grid) :] = q_grid, q
    is_atom = order >= len(y_grid)
    at, grid_mass, atom_mass = place[order], grid_mass[order], atom_mass[order]
    right, left = is_atom & (at >= mean), is_atom & (at < mean)
    calls = _potential(at, grid_mass)[right] <= _potential(at, atom_mass)[right]
    puts = _potential(-at[::-1], grid_mass[::-1])[::-1][left] <= _potential(-at[::-1], atom_mass[::-1])[::-1][left] + lost
    return bool(calls.all() and puts.all())


def _potential(y: Array, q: Array) -> Array:
    """``E(Y - a)_+`` at a = each of the rising points y: a sum of positive terms, from the right."""
    beyond = np.cumsum(q[::-1])[::-1]
    pieces = np.diff(y) * beyond[1:]
    return np.append(np.cumsum(pieces[::-1])[::-1], 0.0)


def _single_round(atoms: Atoms) -> tuple[Curve, Curve]:
    """One round needs no grid: delta is linear in ``e^eps`` between the atoms."""
    delta = _potential(np.expm1(atoms.loss), np.exp(atoms.log_q))
    slack, shift = 1e-12 + 4 * UNIT * len(delta), _rounding([Part(atoms, 1)])
    lower = Curve(atoms.loss - shift, delta * (1 - slack), 0.0)
    return lower, Curve(atoms.loss + shift, delta * (1 + slack) + atoms.missing, 0.0)


def _rounding(parts: Sequence[Part]) -> float:
    """By how much the sum of all losses may be off, each being rounded to floating point a few times."""
    return 8 * UNIT * sum(rounds * max(abs(pair.loss[0]), abs(pair.loss[-1])) for pair, rounds in parts)


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


def _compose(parts: Sequence[Part], tilt: float, missing: float, sign: int) -> Curve:
    """The delta curve of the sum of all rounds on one grid: never below it for sign +1, never above for -1."""
    step, total = parts[0].atoms.step, _total(parts, tilt)
    weights = [np.exp(_tilted(grid, tilt)) for grid, _ in parts]
    low, high = (round(end / step) for end in _reach(parts, tilt))
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
    rounds = sum(part.rounds for part in parts)
    values = values * (1 + sign * (1e-12 + 8 * UNIT * rounds)) + sign * 2 * math.exp(LOG_OUTSIDE + 1) * np.exp(log_most - tilt * s)
    log_scale = tilt * reference - total.log_z
    if sign > 0:
        values = values + missing * math.exp(log_scale)
    return Curve(s + reference + sign * _rounding(parts), values, log_scale)


def _tilted(pair: Atoms | Grid, tilt: float) -> Array:
    log_weight = pair.log_q + (1 + tilt) * pair.loss
    return np.asarray(log_weight - logsumexp(log_weight))


def _reach(parts: Sequence[Part], tilt: float) -> tuple[float, float]:
    """An interval outside which, on either side, the tilted sum has at most ``e^LOG_OUTSIDE`` of its mass (Chernoff)."""
    ends = []
    logs = [_tilted(pair, tilt) for pair, _ in parts]
    typical = math.sqrt(-2 * LOG_OUTSIDE) / _total(parts, tilt).deviation
    for side in (-1, 1):
        limit = sum(rounds * max(side * pair.loss[0], side * pair.loss[-1]) for pair, rounds in parts)
        for rate in typical * np.exp2(np.arange(-6, 5)):
            log_moment = sum(r * logsumexp(log + side * rate * pair.loss) for (pair, r), log in zip(parts, logs, strict=True))
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
