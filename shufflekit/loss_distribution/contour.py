"""The same composed deltas by a contour integral: no grid of losses, no FFT. A judge, which certifies nothing.

With ``M(z) = E_P[e^{z L}]`` and any c > 0, T rounds have [beyond] 7

    delta(eps) = 1/(2 pi i) int M(z)^T e^{-z eps} / (z (z + 1)) dz   along Re z = c.

On the real axis the integrand has one least point; there, up and down the line, it falls like a Gaussian. The
trapezoid rule with nodes 2 pi/period apart gives ``sum_m e^{c m period} delta(eps + m period)`` instead of
``delta(eps)``: the wrap-around of an FFT, without a grid. The period is chosen so that nothing wraps.
"""

import math
import sys
from typing import Any

import mpmath
import numpy as np

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.atoms import Atoms

LOG_SMALL = -32.0  # of what is left out, relative to the integrand's top
NODES = 64  # looked at together
MOST_NODES = 5_000  # before the first revival
MOST_REVIVALS = 40
UNSUITED = "atoms must have many different losses, on no lattice, for the contour integral to converge"
UNSETTLED = 1e-8  # of the sum, more than the last revival may add


def contour_delta(atoms: Atoms, rounds: int, eps: float) -> float:
    """``E_P[(1 - e^{eps - L})_+]`` of the loss L of that many rounds, to about 1e-13 of it and 1e-16 more a round.

    It suits 10 rounds or more of pairs with many different losses. Losses nearly on a lattice, ``atoms.spacing``
    apart, make the integrand revive along the line; up to 40 revivals are added. What the atoms call missing is left
    out.

    Raises:
        ValueError: if the integrand does not die out, as with few different losses.
    """
    _check(atoms)
    rounds, eps = _validate.count(rounds=rounds), _validate.nonnegative(eps=eps)
    infinite = -math.expm1(rounds * math.log1p(-atoms.infinite)) if atoms.infinite < 1 else 1.0
    # Each round takes its share of eps along.
    loss = np.asarray(atoms.loss, dtype=np.float64) - eps / rounds
    if rounds * float(loss.max()) <= 0:
        return infinite
    line = _Line(loss, np.asarray(atoms.log_q + atoms.loss, dtype=np.float64), rounds, LOG_SMALL)
    half = line.align(atoms.spacing) if atoms.spacing else MOST_NODES
    total = added = line.stretch(0, half)
    for k in range(1, MOST_REVIVALS + 1 if atoms.spacing else 1):
        middle = 2 * k * half
        added = line.stretch(middle, middle + half) + line.stretch(middle - 1, middle - half - 1)
        total += added
        if abs(added) <= math.exp(LOG_SMALL) * abs(total):
            break
    if abs(added if atoms.spacing else line.last) > UNSETTLED * abs(total):
        raise ValueError(UNSUITED)
    return infinite + math.exp(line.log_top) * max(total, 0.0)


def contour_delta_digits(atoms: Atoms, rounds: int, eps: Any, digits: int) -> Any:
    """The same to that many digits (an ``mpmath.mpf``), for losses that are on no lattice.

    The atoms' losses and masses are taken to be exact: floats, or ``mpmath.mpf`` of more digits in object arrays.
    """
    _check(atoms)
    rounds, digits = _validate.count(rounds=rounds), _validate.count(digits=digits, at_most=1000)
    rough = Atoms(np.array(atoms.loss, dtype=np.float64), np.array(atoms.log_q, dtype=np.float64))
    loss = rough.loss - _validate.nonnegative(eps=float(eps)) / rounds
    with mpmath.workdps(digits + 15):
        infinite = 1 - (1 - mpmath.mpf(atoms.infinite)) ** rounds
        if rounds * float(loss.max()) <= 0:
            return infinite
        # Where the line lies, and how far apart the nodes are, decides accuracy only: floats do.
        line = _Line(loss, rough.log_q + rough.loss, rounds, -math.log(10) * (digits + 2))
        exact = [mpmath.mpf(x) - mpmath.mpf(eps) / rounds for x in atoms.loss]
        log_p = [mpmath.mpf(y) + mpmath.mpf(x) for x, y in zip(atoms.loss, atoms.log_q, strict=True)]
        c, step = mpmath.mpf(line.c), mpmath.mpf(line.step)
        weight = [mpmath.exp(y + c * x) for x, y in zip(exact, log_p, strict=True)]
        turn = [mpmath.expj(step * x) for x in exact]
        total, k, small = mpmath.mpf(0), 0, mpmath.mpf(10) ** (-digits - 5)
        while k < MOST_NODES:
            z = mpmath.mpc(c, k * step)
            term = mpmath.fsum(weight) ** rounds / (z * (z + 1))
            total += term.real if k else term.real / 2
            if k and abs(term) < small * abs(total):
                return infinite + total * step / mpmath.pi
            weight = [w * t for w, t in zip(weight, turn, strict=True)]
            k += 1
        raise ValueError(UNSUITED)


class _Line:
    """The vertical line through the saddle point, for losses counted from eps/rounds."""

    def __init__(self, loss: Array, log_p: Array, rounds: int, log_small: float) -> None:
        self.loss, self.log_p, self.rounds = loss, log_p, rounds
        self.c = self._saddle()
        log_m, _, variance = self._moments(self.c)
        self.log_top = rounds * log_m - math.log(self.c) - math.log1p(self.c)
        self.deviation = math.sqrt(rounds * variance + self.c**-2 + (1 + self.c) ** -2)
        log_delta = self.log_top - math.log(self.deviation * math.sqrt(2 * math.pi))
        # From the left wraps e^{-c period} at most, from the right what Chernoff's bound at c + extra says.
        extra = min(math.sqrt(-2 * log_small) / self.deviation, 2 * self.c + 1)
        growth = rounds * (self._moments(self.c + extra)[0] - log_m)
        period = max((2 - log_small - log_delta) / self.c, (2 - log_small + growth) / extra)
        self.step = 2 * math.pi / period
        self.weight = np.exp(log_p + self.c * loss - log_m)

    def align(self, spacing: float) -> int:
        """Put nodes on the revivals, 2 pi/spacing apart; returns how many nodes are half of that."""
        half = math.ceil(math.pi / spacing / self.step)
        self.step = math.pi / spacing / half
        return half

    def stretch(self, first: int, last: int) -> float:
        """The terms of the nodes from first (included) towards last, up to where they no longer matter."""
        total, side = 0.0, 1 if last > first else -1
        turn = np.exp(1j * side * self.step * self.loss)  # from node to node
        for start in range(first, last, side * NODES):
            k = np.arange(start, last, side)[:NODES]
            y = self.step * k
            turning, phi = np.exp(1j * y[0] * self.loss) * self.weight, np.empty(len(k), dtype=complex)
            for i in range(len(k)):
                phi[i] = turning.sum()
                turning *= turn
            z = self.c + 1j * y
            with np.errstate(divide="ignore"):
                term = np.exp(self.rounds * np.log(phi)) * (self.c * (1 + self.c) / (z * (z + 1)))
            total += float((term.real * np.where(k == 0, 0.5, 1.0)).sum())
            self.last = float(np.abs(term).max())
            if self.last < math.exp(LOG_SMALL):
                break
        return total * self.step / math.pi

    def _moments(self, z: float) -> tuple[float, float, float]:
        """``log M(z)``, and the mean and the variance of the losses tilted by z."""
        log_w = self.log_p + z * self.loss
        top = float(log_w.max())
        weight = np.exp(log_w - top)
        total = float(weight.sum())
        mean = float(weight @ self.loss) / total
        return top + math.log(total), mean, float(weight @ (self.loss - mean) ** 2) / total

    def _saddle(self) -> float:
        """Where ``M^T/(z (z+1))`` is least on the real axis: its logarithm is convex there."""

        def rises(z: float) -> bool:
            return self.rounds * self._moments(z)[1] > 1 / z + 1 / (1 + z)

        high = 1.0
        while not rises(high) and high < sys.float_info.max / 4:
            high *= 2
        low = high
        while rises(low) and low > sys.float_info.min * 4:
            low /= 2
        for _ in range(30):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if rises(middle) else (middle, high)
        return high


def _check(atoms: Atoms) -> None:
    if not isinstance(atoms, Atoms):
        raise TypeError(f"atoms must be Atoms of a listed pair, got {type(atoms).__name__}")
    if not len(atoms.loss):
        raise ValueError("atoms must hold at least one loss, got none")
