"""Calls and puts on a sum S of n iid lognormals of mean 1, by contour integrals: no grid of sums, and any depth.

With ``phi(s) = E e^{-sY}`` and any c > 0, ``E(x - S)_+ = 1/(2 pi i) int phi(s)^n e^{s x}/s^2 ds`` along Re s = c. The
contour may be bent to the left, round the cut of phi, the negative half-axis; past the pole at 0 it gives the call
``E(S - x)_+`` instead. From the point -u of the cut upwards it is a smooth integral again, of a sum that is tilted by
``e^{u S}``; and the part of the cut between -u and 0 is left over, ``1/pi int_0^u |Im phi(-v)^n| e^{-v x}/v^2 dv``: one
large score. The terms of either part hardly cancel, so that the answer has its digits however small it is.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT, lognormal_error
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.exponentials import summed
from shufflekit.dominating_pairs.lognormal import Complex, log_laplace, nearly_one

STEP, ONWARD = 0.5, 4.0  # of log c, between the places where contours start; how far they are looked at at once
NEARER = 12.0  # of log c, between which and 0 a contour may leave the cut
SLOPE, WIDE = 0.3, 3.0  # of a contour, to the left, and the sigma from which less will do
ARC, ARCS, ARC_ORDER = 0.5, 16, 32  # of a contour, in log of its length once that is more than a deviation
TOGETHER = 4  # arcs that are looked at together
CUT_PANELS, CUT_ORDER = 32, 16  # panels of the cut, of that width or less, that are added at once
STEEP = 2.0  # sigma: for larger ones, what one large score is worth grows fast along the cut, and steps are smaller
LOG_SILENT, LOG_NOTHING = -34.0, -800.0  # relative; and below all numbers
MOST_TURN = 1.0  # of phi^n on the cut, in radians, up to which a contour may leave it
LOG_LEAST = -650.0  # of u
DIFFERENCE = 0.02  # of log c
FARTHER = 1.3  # times as far to the left as where a contour starts, it is asked about
LINE_ERROR = 2e-11  # of an integral, next to that of its size: 1e-11 was measured, where nothing cancels
ARC_NODES, ARC_WEIGHTS = np.polynomial.legendre.leggauss(ARC_ORDER)
CUT_NODES, CUT_WEIGHTS = np.polynomial.legendre.leggauss(CUT_ORDER)


class Starts(NamedTuple):
    """Where contours may start: at distance c from 0, where ``E e^{-s (S - n)}`` has the logarithm ``log_moment``.

    At ``excess`` = x - n the integrand has its saddle point there, is of that ``width``, and of the size e^depth.
    Where ``whole``, all is about S and x themselves: from puts with small x on.
    """

    c: Array
    log_moment: Complex
    excess: Array
    width: Array
    depth: Array
    whole: NDArray[np.bool_]


class Points(NamedTuple):
    """x, and how far it is from n."""

    x: Array
    excess: Array


class Cut(NamedTuple):
    """Nodes -u of the cut, from where no contour starts to ``log u = end``, and what each counts at x = n."""

    end: float
    u: Array
    log_weight: Array

    def silent(self, excess: float) -> bool:
        """Whether at x = n + excess the last panel is, and so all beyond it."""
        if not len(self.u):
            return False
        last = float(self.log_weight[-CUT_ORDER:].max())
        return last <= float((self.log_weight - self.u * excess).max()) + LOG_SILENT or self.end < LOG_LEAST


class LognormalSum:
    """``E(S - x)_+`` and ``E(x - S)_+`` of a sum of n scores of the shuffled Gaussian."""

    def __init__(self, sigma: float, n: int) -> None:
        self.sigma, self.n = sigma, n
        self._noise = lognormal_error(sigma, n)
        self._contours: dict[tuple[int, float], tuple[Complex, Complex]] = {}
        self._step = STEP if sigma <= STEEP else STEP / 2
        near = math.log(self._typical())
        self._puts = self._starts(1, np.arange(near - 2 * self._step, near + ONWARD, self._step))
        calls = self._starts(-1, np.arange(near - NEARER, near + ONWARD, self._step))
        while self._leaves(calls).all():
            calls = _joined(calls, self._onward(-1, calls))
        # From where one large score is as likely as not, or none is wanted, the cut says no more.
        last = max(1, int(np.append(self._leaves(calls), False).argmin()))
        self._calls = _first(calls, last)
        self._cut = Cut(math.log(self._calls.c[-1]), np.zeros(0), np.zeros(0))

    def calls(self, excess: Array, log_factor: float) -> tuple[Ends, Ends]:
        """``E(S - x)_+`` at x = n + excess, times ``e^log_factor``, and the chance that S > x."""
        cut = self._cut_for(float(excess.max(initial=0.0)))
        points = Points(self.n + excess, excess)
        start = _best(-1, self._calls, points)
        log_factors = np.broadcast_to(np.array([[log_factor], [0.0]]), (2, len(excess)))
        found, wrong = self._contour_integral(-1, self._calls, start, points, log_factors)
        for j in np.unique(start):
            of_j, nodes = np.flatnonzero(start == j), cut.u < self._calls.c[j]
            if nodes.any():
                of_j, u = of_j[np.argsort(excess[of_j])], cut.u[nodes]
                own = summed(cut.log_weight[nodes], -u, np.array([np.ones(len(u)), u]), excess[of_j])
                factor = np.exp(log_factors[:, of_j] + own.log_scale)
                found[:, of_j] += own.value * factor
                wrong[:, of_j] += (LINE_ERROR * own.size + own.off) * factor
        return self._ends(found[0], wrong[0]), self._ends(found[1], wrong[1])

    def puts(self, eps: Array, log_factor: Array) -> tuple[Ends, Ends]:
        """``E(x - S)_+`` at ``x = n e^-eps``, times ``e^log_factor``, and the chance that S < x."""
        puts = self._puts  # what another thread makes of it meanwhile is as good, but not to be mixed with this
        points = Points(self.n * np.exp(-eps), self.n * np.expm1(-eps))
        while (_best(1, puts, points) == len(puts.c) - 1).any() and puts.depth[-1] > LOG_NOTHING:
            puts = _joined(puts, self._onward(1, puts))
        self._puts = puts
        log_factors = np.array([log_factor, np.zeros(len(eps))])
        found, wrong = self._contour_integral(1, puts, _best(1, puts, points), points, log_factors)
        return self._ends(found[0], wrong[0]), self._ends(found[1], wrong[1])

    def _ends(self, found: Array, wrong: Array) -> Ends:
        # Where all but little cancels, the integrand may turn faster than the nodes show; never is more lost than all.
        lost = np.minimum(wrong * (1 + wrong / LINE_ERROR / np.maximum(np.abs(found), TINY)), wrong / LINE_ERROR)
        error = self._noise * np.abs(found) + lost
        return Ends(np.maximum(found - error, 0.0), np.maximum(found + error, TINY))

    def log_moment(self, s: Complex, *, whole: bool = False) -> Complex:
        """``log E e^{-s (S - n)}``, or ``log E e^{-s S}``."""
        return self.n * log_laplace(s, self.sigma, 0.0 if whole else 1.0)

    def _typical(self) -> float:
        """About the c > 0 at which the logarithm of the moment grows as c^2 does, no less than c itself, by 2."""
        c = 2.0 / self.n
        while True:
            places = c * np.exp2(np.arange(9.0))
            grown = np.diff(self.log_moment(places + 0j).real) >= 2 * math.log(2)
            if grown.any():
                return float(places[grown.argmax()])
            c = float(places[-1])

    def _starts(self, side: int, log_c: Array) -> Starts:
        c = np.exp(log_c)
        whole = np.full(len(c), side > 0) & ~nearly_one(c, self.sigma)
        near = side * np.outer(c, np.exp(DIFFERENCE * np.arange(-1.0, 2.0)))
        moment = np.empty(near.shape, dtype=np.complex128)
        for about in (True, False):
            moment[whole == about] = self.log_moment(near[whole == about] + 0j, whole=about)
        mean = np.where(whole, 0.0, self.n)
        below, at, above = (moment.real - mean[:, None] * near).T  # of S itself
        first, second = (above - below) / (2 * DIFFERENCE), (above - 2 * at + below) / DIFFERENCE**2
        width = c / np.sqrt(np.maximum(second - first, 0.0) + 2)
        return Starts(c, moment[:, 1], side * (2 - first) / c - mean, width, at - first, whole)

    def _onward(self, side: int, starts: Starts) -> Starts:
        last = math.log(starts.c[-1])
        return self._starts(side, np.arange(last + self._step, last + ONWARD, self._step))

    def _leaves(self, starts: Starts) -> Array:
        """From where contours may leave the cut; not where the two saddle points of one score have met, or beyond."""
        moment, met = starts.log_moment, self.sigma**2 * math.exp(1 / (2 * self.sigma**2) - 1)
        kept = (np.abs(moment.imag) <= MOST_TURN) & (moment.real > LOG_SILENT) & (starts.depth > LOG_NOTHING)
        return np.asarray(kept & (starts.c < met))

    def _contour(self, side: int, starts: Starts, j: int) -> tuple[Complex, Complex]:
        """Nodes s from ``side c`` upwards, and ``log (E e^{-s(S - n)}/s^2)`` plus that of the step, at each."""
        c, width = float(starts.c[j]), float(starts.width[j])
        if (side, c) not in self._contours:
            # The further x lies to the left, the later is the bent part silent.
            least = FARTHER * min(float(starts.excess[j]), 0.0)
            whole = bool(starts.whole[j])
            parts, top, slope = [], -math.inf, SLOPE * min(1.0, (WIDE / self.sigma) ** 2)
            for i in range(0, ARCS, TOGETHER):
                t = ARC * (i + np.arange(float(TOGETHER))[:, None] + (1 + ARC_NODES) / 2).ravel()
                s = side * c + width * (1j * np.sinh(t) - slope * (np.cosh(t) - 1))
                step = width * (1j * np.cosh(t) - slope * np.sinh(t)) * np.tile(ARC_WEIGHTS, TOGETHER)
                log_term = self.log_moment(s, whole=whole) - 2 * np.log(s) + np.log(step * (ARC / 2 / math.pi))
                parts.append((s, log_term))
                loudest = (log_term.real + least * s.real).reshape(TOGETHER, ARC_ORDER).max(axis=1)
                top = max(top, float(loudest.max()))
                if loudest[-1] < top + LOG_SILENT:
                    break
            s, log_term = (np.concatenate(column) for column in zip(*parts, strict=True))
            self._contours[side, c] = s, log_term
        return self._contours[side, c]

    def _contour_integral(
        self, side: int, starts: Starts, start: NDArray[np.intp], points: Points, log_factors: Array
    ) -> tuple[Array, Array]:
        """And by how much it may be wrong. A chance is a derivative: it has 1/s, and its sign, in place of 1/s^2."""
        found, wrong = np.zeros(log_factors.shape), np.zeros(log_factors.shape)
        for j in np.unique(start):
            s, log_term = self._contour(side, starts, int(j))
            of_j = np.flatnonzero(start == j)
            place = (points.x if starts.whole[j] else points.excess)[of_j]
            order = np.argsort(place)
            of_j, place = of_j[order], place[order]
            own = summed(log_term, s, np.array([np.ones(len(s)), side * s]), place)
            factor = np.exp(log_factors[:, of_j] + own.log_scale)
            # Exponents of this size cancel, where x is next to nothing.
            size = abs(log_term[0].real) + starts.c[j] * place[-1] if starts.whole[j] else self.n * starts.c[j]
            error = LINE_ERROR + 16 * UNIT * float(size)
            found[:, of_j], wrong[:, of_j] = own.value.imag * factor, (error * own.size + own.off) * factor
        return found, wrong

    def _cut_for(self, excess: float) -> Cut:
        """Extended towards 0, until the rest is silent at x = n + excess.

        Another thread may extend it at the same time: each goes on from what it has found, and keeps that.
        """
        cut = self._cut
        width = STEP if self.sigma <= STEEP else STEP / 4
        while not cut.silent(excess):
            edges = cut.end - width * np.arange(CUT_PANELS + 1.0)
            u = np.exp((edges[:-1, None] - width * (1 + CUT_NODES) / 2).ravel())
            moment = self.log_moment(-u + 0j)
            step = np.tile(CUT_WEIGHTS, CUT_PANELS) * (width / 2 / math.pi) / u
            # The turn is positive as far as contours may leave the cut; what is too small for a number counts 0.
            with np.errstate(divide="ignore"):
                log_weight = moment.real + np.log(np.sin(np.clip(-moment.imag, 0.0, math.pi / 2)) * step)
            cut = Cut(float(edges[-1]), np.append(cut.u, u), np.append(cut.log_weight, log_weight))
        self._cut = cut
        return cut


def _best(side: int, starts: Starts, points: Points) -> NDArray[np.intp]:
    """The place for each x where the integrand is least on the axis: it falls from there along the contour."""
    at = np.where(starts.whole, points.x[:, None], points.excess[:, None])
    size = starts.log_moment.real - 2 * np.log(starts.c) + side * at * starts.c
    return np.asarray(size.argmin(axis=1))


def _first(starts: Starts, count: int) -> Starts:
    c, log_moment, excess, width, depth, whole = starts
    return Starts(c[:count], log_moment[:count], excess[:count], width[:count], depth[:count], whole[:count])


def _joined(first: Starts, second: Starts) -> Starts:
    return Starts(*(np.append(a, b) for a, b in zip(first, second, strict=True)))


@lru_cache(maxsize=8)  # a search for eps or for sigma asks again and again
def lognormal_sum(sigma: float, n: int) -> LognormalSum:
    return LognormalSum(sigma, n)
