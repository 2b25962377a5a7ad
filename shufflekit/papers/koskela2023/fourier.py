"""The Fourier accountant of Section 2.2, as plain as can be, and with the tilt that it lacks; two rounds term by term.

It certifies nothing. What the kit computes with is ``shufflekit.loss_distribution``.
"""

import itertools
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import logsumexp

from shufflekit import _validate
from shufflekit._validate import Array

GRIDS = tuple(itertools.product((2e-3, 1e-3, 5e-4), (2**14, 2**15, 2**16)))  # steps, sizes


class Listed(Protocol):
    """A pair of laws by its losses and the logarithms of Q: ``Atoms``, or a ``Grid``."""

    @property
    def loss(self) -> Array: ...

    @property
    def log_q(self) -> Array: ...


class FourierCurve(NamedTuple):
    """Losses s of all rounds, what comes out of the transform at each, and delta(eps = s)."""

    s: Array
    density: Array
    delta: Array

    def least_eps(self, delta: float, start: float = 0.0) -> float:
        """The first s from ``start`` on where the curve says delta or less: round-off may say so too early."""
        delta, start = _validate.open_unit(delta=delta), _validate.nonnegative(start=start)
        found = np.flatnonzero((self.s >= start) & (self.delta <= delta))
        if not len(found):
            raise ValueError(f"delta must be reached on the grid, got {delta:g}")
        return float(self.s[found[0]])


def fourier_accountant(pair: Listed, rounds: int, step: float, size: int, tilt: float = 0.0) -> FourierCurve:
    """Losses rounded up to ``size`` points ``step`` apart, wrapped around, and convolved by FFT.

    With a tilt t the law is multiplied by ``e^{t loss}`` before and divided by it afterwards.
    """
    rounds, size = _validate.count(rounds=rounds), _validate.count(size=size, at_least=2)
    step, tilt = _validate.positive(step=step), _validate.nonnegative(tilt=tilt)
    log_mass = pair.log_q + (1 + tilt) * pair.loss
    log_z = float(logsumexp(log_mass))
    mass = np.bincount(np.ceil(pair.loss / step).astype(np.int64) % size, np.exp(log_mass - log_z), size)
    # [koskela2023] Sec 2.2, [koskela2021]
    density = np.roll(np.fft.ifft(np.fft.fft(mass) ** rounds).real, size // 2)
    s = np.asarray(step * (np.arange(size) - size // 2), dtype=np.float64)
    first, second = (np.cumsum((density * np.exp(-t * s))[::-1])[::-1] for t in (tilt, 1 + tilt))
    return FourierCurve(s, density, (first - np.exp(s) * second) * np.exp(rounds * log_z))


def tilt_towards(pair: Listed, rounds: int, loss: float) -> float:
    """The tilt under which the rounds' total loss has this mean."""
    rounds, loss = _validate.count(rounds=rounds), _validate.positive(loss=loss)
    if not loss < rounds * float(np.max(pair.loss)):
        raise ValueError(f"loss must be below the largest loss of all rounds, got {loss!r}")

    def mean(tilt: float) -> float:
        log_weight = pair.log_q + (1 + tilt) * pair.loss
        return rounds * float(np.exp(log_weight - logsumexp(log_weight)) @ pair.loss) - loss

    high = 1.0
    while mean(high) < 0:
        high *= 2
    return float(brentq(mean, 0.0, high)) if mean(0.0) < 0 else 0.0


def plain_eps(pair: Listed, rounds: int, delta: float) -> float:
    """What the accountant without a tilt answers: the median of nine grids, as round-off decides on each of them."""
    return float(np.median([fourier_accountant(pair, rounds, *grid).least_eps(delta) for grid in GRIDS]))


def true_eps(pair: Listed, delta: float) -> float:
    """The eps of two rounds at delta, without a transform."""
    delta = _validate.open_unit(delta=delta)
    most = 2 * float(np.max(pair.loss)) * (1 - 1e-9)
    return float(brentq(lambda eps: two_rounds(pair, eps) / delta - 1, 0.0, most))


def two_rounds(pair: Listed, eps: float) -> float:
    """Delta of two rounds without a transform: ``sum_j P_j delta(eps - loss_j)``, a sum of positive terms."""
    eps = _validate.nonnegative(eps=eps)
    p, q = np.exp(pair.log_q + pair.loss), np.exp(pair.log_q)
    beyond_p, beyond_q = (np.append(np.cumsum(x[::-1])[::-1], 0.0) for x in (p, q))
    above = np.searchsorted(pair.loss, eps - pair.loss)
    return float(p @ (beyond_p[above] - np.exp(eps - pair.loss) * beyond_q[above]))


def profile(pair: Listed, alpha: ArrayLike) -> Array:
    """``H_alpha(P||Q)`` of one round at an array of alpha."""
    alpha = np.atleast_1d(_validate.array(low=0, alpha=alpha))
    return np.asarray(np.maximum(np.exp(pair.loss) - alpha[:, None], 0.0) @ np.exp(pair.log_q))
