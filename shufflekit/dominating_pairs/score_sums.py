"""Sums of n iid scores: their law on a grid and ``E[(S_n - c)_+]``, from below and from above.

A score Y is rounded at random to K, one of the two grid points around it, its mean kept. Then the sum of the K is
larger than the sum S of the Y in the convex order, which is the upper end. Its law also gives the lower end: by Jensen
``E(S - c)_+ >= E(E[S|K] - c)_+``, and the mean of S at each sum of the K is one more convolution.

The n-th power is taken by FFT after a tilt, so that rare sums keep their digits. Round-off, wrap-around and
truncation are bounded and taken to the safe side.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import logsumexp

from shufflekit._validate import Array
from shufflekit.dominating_pairs.pair import Ends

LOG_OUTSIDE = -45.0  # of the tilted mass that the window may leave outside, on either side
UNIT = 2.0**-53
MASS_ERROR = 64 * UNIT  # of each probability that is given, relative
REACH_RATES = np.exp2(np.arange(-6.0, 6.0))
LEAST_GRID, MOST_GRID, COARSE_GRID = 2**13, 2**20, 2**10
JUMP_RATES = np.exp2(np.arange(-4.0, 3.0))
MOST_STEPS = 80  # of a bisection


class Score(NamedTuple):
    """A score, from ``low`` upwards on a grid: ``mass[k] = Pr[K = k]`` and ``place[k] = E[(Y - low)/step | K = k]``."""

    low: float
    step: float
    mass: Array
    place: Array

    @property
    def mean(self) -> float:
        """Of ``(Y - low)/step``."""
        return float(self.mass @ self.place / self.mass.sum())


def rounded(low: float, step: float, cell: Array, mass: Array, offset: Array) -> Score:
    """Masses at ``low + step * (cell + offset)``, 0 <= offset <= 1, each divided between its cell's two ends."""
    index, size = cell.astype(np.int64), int(cell.max()) + 2
    up, place = mass * offset, cell + offset
    total, moment = np.zeros(size), np.zeros(size)
    for shift, part in ((0, mass - up), (1, up)):
        total += np.bincount(index + shift, part, size)
        moment += np.bincount(index + shift, part * place, size)
    with np.errstate(invalid="ignore"):
        return Score(low, step, total, np.where(total > 0, moment / total, np.arange(size)))


def finite_score(values: Array, masses: Array, step: float) -> Score:
    """A score with finitely many values."""
    low = float(values.min())
    place = (values - low) / step
    cell = np.floor(place)
    return rounded(low, step, cell, masses, place - cell)


class Sums(NamedTuple):
    """Sums of n scores by the sum of what they are rounded to: rising values, and the ends of two numbers at each.

    ``mass`` is the probability, ``mean`` the conditional mean of the sum itself. Of what is not listed, ``below``
    bounds the probability before the first value, and ``above`` that times the value, after the last (low being 0).
    """

    value: Array
    mass: Ends
    mean: Ends
    below: float
    above: float


class Law:
    """The logarithmic moment generating function of one rounded score, and what follows from it.

    Far from the mean, cells are lumped (their means kept): that makes the function larger, and hardly so.
    """

    def __init__(self, score: Score) -> None:
        self.score, size = score, len(score.mass)
        away = np.concatenate([np.arange(256), np.geomspace(256, max(size, 257), 800).astype(np.int64)])
        knots = np.unique(np.clip(round(score.mean) + np.concatenate([-away, away]), 0, size - 1))
        knots = np.unique(np.concatenate([[0], knots, [size - 1]]))
        index = np.arange(size)
        right = np.clip(np.searchsorted(knots, index, side="right"), 1, len(knots) - 1)
        share = (index - knots[right - 1]) / (knots[right] - knots[right - 1])
        mass = np.bincount(right - 1, score.mass * (1 - share), len(knots))
        mass += np.bincount(right, score.mass * share, len(knots))
        self.place, self.log_mass = knots[mass > 0].astype(float), np.log(mass[mass > 0])

    def log_moment(self, tilt: float) -> float:
        """Never too small."""
        return float(logsumexp(self.log_mass + tilt * self.place))

    def exact_log_moment(self, tilt: float) -> float:
        with np.errstate(divide="ignore"):
            return float(logsumexp(np.log(self.score.mass) + tilt * np.arange(float(len(self.score.mass)))))

    def tilted(self, tilt: float) -> tuple[float, float]:
        """Mean and standard deviation under ``e^{tilt k}``."""
        log_weight = self.log_mass + tilt * self.place
        weight = np.exp(log_weight - logsumexp(log_weight))
        mean = float(weight @ self.place)
        return mean, math.sqrt(float(weight @ (self.place - mean) ** 2))

    def reach(self, n: int, tilt: float, log_tail: float) -> tuple[int, int]:
        """Sums beyond which, on either side, the tilted law has at most ``e^log_tail`` (Chernoff)."""
        deviation = self.tilted(tilt)[1] * math.sqrt(n)
        ends, log_z = [n * self.place[0], n * self.place[-1]], self.exact_log_moment(tilt)
        if deviation == 0:
            return math.floor(ends[0]), math.ceil(ends[1])
        # Rates for a nearly normal sum, and for one that a single large score decides.
        rates = np.append(math.sqrt(-2 * log_tail) / deviation * REACH_RATES, -log_tail / ends[1] * n * JUMP_RATES)
        for rate in rates:
            for i, side in ((0, -1), (1, 1)):
                bound = side * (n * (self.log_moment(tilt + side * rate) - log_z) - log_tail) / rate
                ends[i] = max(ends[i], bound) if i == 0 else min(ends[i], bound)
        return math.floor(ends[0]), math.ceil(ends[1])

    def log_tail(self, n: int, at: float, side: int) -> float:
        """A bound on ``log E[K/at; K > at]`` of the rounded sum K, or on ``log Pr[K < at]`` (Chernoff)."""
        # K/at <= e^{r (K - at)} beyond `at`, for every rate r of at least 1/at.
        rates = np.exp2(np.arange(-6.0, 12.0)) / max(self.tilted(0.0)[1] * math.sqrt(n), 1e-300)
        rates = np.append(rates[rates * at >= 1], 1 / at) if side > 0 else rates
        return float(min(n * self.log_moment(side * rate) - side * rate * at for rate in rates))

    def tilt_for_mean(self, n: int, at: float) -> float:
        """About the tilt that makes ``at`` the typical sum; at least 0."""
        return self._solve(lambda tilt: n * self.tilted(tilt)[0] >= at, n)

    def tilt_for_rarity(self, n: int, log_mass: float, side: int) -> float:
        """About the tilt whose typical sums have a probability of ``e^log_mass``, above the mean or below it."""

        def rare(tilt: float) -> bool:
            mean, _ = self.tilted(side * tilt)
            return n * (self.log_moment(side * tilt) - side * tilt * mean) <= log_mass

        return side * self._solve(rare, n)

    def _solve(self, enough: Callable[[float], bool], n: int) -> float:
        if enough(0.0):
            return 0.0
        low, high = 0.0, 0.1 / max(self.tilted(0.0)[1] * math.sqrt(n), 1e-9)
        for _ in range(MOST_STEPS):
            if enough(high) or abs(self.tilted(high)[1]) < 1e-3:
                break
            low, high = high, 2 * high
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def sums(score: Score, n: int, tilts: Sequence[float]) -> Sums:
    """The sums of n scores; each tilt (per step of the grid) gives digits where it makes sums typical."""
    law = Law(score)
    reaches = [law.reach(n, tilt, LOG_OUTSIDE) for tilt in tilts]
    first, last = min(low for low, _ in reaches), max(high for _, high in reaches)
    size = next_fast_len(last - first + 1, real=True)
    mass = Ends(np.zeros(size), np.full(size, np.inf))
    mean = Ends(np.full(size, -np.inf), np.full(size, np.inf))
    for tilt in tilts:
        power = _tilted_power(score, n, tilt, first, size)
        np.maximum(mass.lower, power.mass.lower, out=mass.lower)
        np.minimum(mass.upper, power.mass.upper, out=mass.upper)
        np.maximum(mean.lower, power.mean.lower, out=mean.lower)
        np.minimum(mean.upper, power.mean.upper, out=mean.upper)
    k = first + np.arange(float(size))
    value = n * score.low + score.step * k
    # The sums differ from the rounded ones by the round-off of their few factors only.
    means = Ends(*(n * score.low + score.step * end for end in mean))
    below = math.exp(law.log_tail(n, first, -1)) if first > n * law.place[0] else 0.0
    complete = k[-1] >= n * law.place[-1]
    above = 0.0 if complete else float(k[-1]) * score.step * math.exp(law.log_tail(n, float(k[-1]), 1))
    return Sums(value, mass, means, below, above)


class _Power(NamedTuple):
    mass: Ends
    mean: Ends


def _tilted_power(score: Score, n: int, tilt: float, first: int, size: int) -> _Power:
    """Certified masses, and conditional means of the sum in steps, of the rounded sums first, first + 1, ..."""
    k, centre = np.arange(float(len(score.mass))), score.mean
    with np.errstate(divide="ignore"):
        log_mass = np.log(score.mass)
    log_weight = log_mass + tilt * (k - centre)
    log_z = float(logsumexp(log_weight))
    weight = np.exp(log_weight - log_z)
    shifted = weight * (score.place - centre)

    # An FFT of size N errs by at most a few log2(N) units relative to the sum of its input. The masses themselves
    # err by a little, and by a unit times their logarithm.
    fft_error = 4 * UNIT * math.log2(size + 1)
    heavy = weight > 0
    given = weight[heavy] * (MASS_ERROR + 4 * UNIT * np.abs(log_mass[heavy]))
    error = fft_error + float(given.sum())
    shifted_error = fft_error * float(np.abs(shifted).sum()) + float(given @ np.abs(score.place - centre)[heavy])
    phi, psi = (rfft(np.bincount(np.arange(len(k)) % size, part, size)) for part in (weight, shifted))
    modulus = np.abs(phi) + error
    log_power = (n - 1) * np.log(modulus)
    # Frequencies that could not matter are left out, which is an error too.
    used = log_power > -60
    power, rest = np.zeros(len(phi), dtype=complex), np.exp(log_power)
    power[used] = phi[used] ** (n - 1)
    blame = np.where(used, (n - 1) * (error + 16 * UNIT) / modulus + 16 * UNIT, 1.0)
    # Of P = phi^n, and of psi phi^(n-1).
    modulus_psi = np.abs(psi) + shifted_error
    off = rest * (modulus * (blame + fft_error) + error)
    off_psi = n * rest * (modulus_psi * (blame + fft_error) + shifted_error)
    count = len(phi) - 1
    mass_error = float(off.sum()) / count
    moment_error = float(off_psi.sum()) / count

    mass = np.roll(irfft(power * phi, size), -(first % size))
    moment = np.roll(irfft(n * power * psi, size), -(first % size))
    place = first + np.arange(float(size))
    # What lies outside the window has come in. |S| there is at most `most` times K + n, and K has a light tail.
    outside = 2 * math.exp(LOG_OUTSIDE)
    most = max(1.0, float((score.place / (k + 1)).max()))
    outside_moment = outside * (most * (place[-1] + n) + n * centre)
    low, high = np.maximum(mass - mass_error - outside, 0.0), np.maximum(mass, 0.0) + mass_error
    moment_error += outside_moment
    # Where the mass is not known to be positive, nothing is known of the mean.
    known = low > 0
    mean_low, mean_high = np.full(size, -np.inf), np.full(size, np.inf)
    below, above = moment[known] - moment_error, moment[known] + moment_error
    mean_low[known] = n * centre + np.where(below > 0, below / high[known], below / low[known])
    mean_high[known] = n * centre + np.where(above > 0, above / low[known], above / high[known])
    # Untilt; a constant that multiplies all weights is a relative error of the total.
    log_scale = n * log_z - tilt * (place - n * centre)
    scale = np.exp(np.clip(log_scale, -745, 600))
    noise = 8 * UNIT * (n * (1 + abs(log_z)) + np.abs(tilt * (place - n * centre)))
    return _Power(Ends(low * scale * (1 - noise), high * scale * (1 + noise)), Ends(mean_low, mean_high))


def excess(score: Score, n: int, c: float) -> Ends:
    """``E[(S_n - c)_+]``, with digits however small it is."""
    law = Law(score)
    at = (c - n * score.low) / score.step
    if at >= n * (len(score.mass) - 1):
        return Ends(np.array(0.0), np.array(0.0))
    found = sums(score, n, [law.tilt_for_mean(n, at)])
    upper = found.mass.upper @ np.maximum(found.value - c, 0.0) + found.above
    known = found.mass.lower > 0
    lower = found.mass.lower[known] @ np.maximum(found.mean.lower[known] - c, 0.0)
    return Ends(lower, upper)


def finite_excess(values: Array, masses: Array, n: int, c: float, rtol: float) -> Ends:
    """``excess`` of a score with finitely many values, on a grid that moves the deviation of the sum by about rtol."""
    values, masses = values[masses > 0], masses[masses > 0]
    low, reach = float(values.min()), float(np.ptp(values))
    if c >= n * (low + reach):
        return Ends(np.array(0.0), np.array(0.0))
    if reach == 0:
        exact = n * low - c
        return Ends(np.array(exact), np.array(exact))
    # Rounding off must not hide the deviation that the score has where the sum is about c.
    law = Law(finite_score(values, masses, reach / COARSE_GRID))
    tilt = law.tilt_for_mean(n, (c - n * low) / law.score.step)
    deviation = max(law.tilted(tilt)[1], 1.0) * law.score.step
    width = min(n * reach, 25 * deviation * math.sqrt(n))
    step = max(min(2 * math.sqrt(rtol) * deviation, width / LEAST_GRID), width / MOST_GRID)
    # With both its ends on the grid, a score of few values is hardly moved.
    return excess(finite_score(values, masses, reach / math.ceil(reach / step)), n, c)
