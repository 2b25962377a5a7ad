"""Rounds composed in interval arithmetic and whole numbers: delta and eps between two ends that are proved.

The losses of one round are put on a lattice, and composed there by products of polynomials. Three steps are no
equalities:

1. *Spreading.* If two pairs have profiles ``H_1 <= H_2`` at every alpha, then so have their compositions: composing
   with a third pair of ratio s maps ``H`` to ``E_Q[s H(alpha/s)]``, which is monotone in H. Division between two losses
   with the mean kept raises ``E_Q[(P/Q - alpha)_+]``, by Jensen. So the lattice's profile U is nowhere below the
   truth, H; what is lost of the masses counts as an infinite loss for an upper end, and as nothing for a lower one.
2. *Back again.* What all divisions have added to a loss is a sum of steps, each with ``E_Q[e^n | before] = 1`` and
   ``|n| <= h``. Of all such n the one that is ``+-h``, independent of everything, is the largest in convex order. With
   D for the sum of these, ``U(a) <= E[e^D H(a e^-D)]``. The law weighted by e^D is that of -D: this is ``E[H(x)]``
   with ``x = a e^D``, of mean a. H is convex, falls, and is at most 1; so with ``a = e^m a0`` and ``b = e^m a`` it is
   at most the chord from a0 to b; beyond b at most ``H(b)``, above the chord by ``(H(a0) - H(b)) (x - b)/(b - a0)``;
   and below a0, where the chord is positive, at most ``U(e^-w a)``, or 1 where x is below ``e^-w a``. Exchanging D and
   -D once more, ``E[(x - b)_+] = E[(a - b e^D)_+]``, so

       U(a) <= [H(a0) (b - a) + H(b) (a - a0)]/(b - a0) + H(a0) E[(a - b e^D)_+]/(b - a0)
               + Pr[D < -m] U(e^-w a) + Pr[D < -w].

   Solved for H(a0), with ``H(b) <= U(b)``, that is a lower end. With V the sum of all h^2, a step has
   ``E e^{-tD} = cosh((t + 1/2) h)/cosh(h/2) <= e^{(t^2 + t) h^2/2}``, so that

       Pr[D < -m] <= e^{-(m - V/2)^2/(2 V)},       E[(a - b e^D)_+] <= a int_m^oo Pr[D < -t] dt <= a V/(m - V/2) e^{...}

   where m is above V/2; if it is not, the lower end is 0. Where m is above the sum of all h, there are no tails.

3. *Near multiples.* A loss taken for a multiple of h is off by at most ``SAME h``: eps is moved by that, T times. P is
   not changed by it, and of Q nothing above is used but that it is a measure.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from shufflekit import _validate
from shufflekit.bracket import Bracket, bracket
from shufflekit.certify.balls import ball, flint, whole
from shufflekit.certify.lattice import SAME, Law, Noise

if TYPE_CHECKING:
    from flint import arb

NARROW, WIDE = 5.6, 20.0  # m and w, in standard deviations of D
NEIGHBOURS = 1e-12  # relative: two eps between which nothing is looked for
GUARD = 64  # bits beyond those that are needed


class Composed:
    """All rounds: ``delta(eps)`` and ``epsilon(delta)``, good for deltas down to about the ``least`` asked for."""

    def __init__(self, law: Law, noise: Noise | None, total: "arb", infinite: "arb", slack: "arb") -> None:
        """All rounds' losses on a lattice, and what the roundings added to them: None if that is not known.

        ``total``: the mass of P, 1 but for numbers that are taken as they are; ``infinite``: what of it surely has an
        infinite loss; ``slack``: how far eps is moved, at most.
        """
        self._law, self._noise, self._slack, self._total, self._infinite = law, noise, slack, total, infinite
        self._precision = law.bits + GUARD
        with flint().ctx.workprec(self._precision):
            # Sums from a loss on: of the masses, and of the masses under Q, relative to e^-loss there.
            masses, shrunk = [int(mass) for mass in law.masses.coeffs()], (-ball(law.spacing)).exp()
            self._p, self._q = [ball(0)], [ball(0)]
            for mass in reversed(masses):
                self._p.append(self._p[-1] + mass)
                self._q.append(self._q[-1] * shrunk + mass)
            self._p.reverse()
            self._q.reverse()
            self._lost = total - ball(sum(masses)) / ball(2) ** law.bits

    def delta(self, eps: float) -> Bracket:
        """Delta at ``eps``."""
        eps = _validate.nonnegative(eps=eps)
        with flint().ctx.workprec(self._precision):
            return bracket(max(0.0, _below(self._least(ball(eps)))), min(1.0, _above(self._most(ball(eps)))))

    def epsilon(self, delta: float) -> Bracket:
        """Two eps: at the lower one delta is surely no less than this, unless it is 0; at the upper one no more."""
        delta, law = _validate.open_unit(delta=delta), self._law
        if self._infinite > delta:
            return bracket(math.inf, math.inf)
        top = max(0.0, (law.first + len(law.masses)) * law.spacing * (1 + SAME) + float(self._slack))
        if self.delta(top).upper > delta:
            return bracket(self._last(lambda eps: self.delta(eps).lower >= delta, top)[0], math.inf)
        lower = self._last(lambda eps: self.delta(eps).lower >= delta, top)[0]
        return bracket(lower, self._last(lambda eps: self.delta(eps).upper > delta, top)[1])

    @staticmethod
    def _last(holds: Callable[[float], bool], top: float) -> tuple[float, float]:
        """Two neighbouring numbers, the first of which is 0 or has this, and the second does not or is the top."""
        low, high = 0.0, top
        while high - low > NEIGHBOURS * high:
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low, high

    def _most(self, eps: "arb") -> "arb":
        """Step 1."""
        return self._of_lattice(eps - self._slack) + self._lost

    def _least(self, eps: "arb") -> "arb":
        """Step 2, at an eps that is moved by step 3."""
        if self._noise is None:
            return ball(0)
        eps, (reach, variance) = eps + self._slack, self._noise
        deviation = variance.sqrt()
        m, w = NARROW * deviation.mid(), WIDE * deviation.mid()
        tails = bool(m < reach)
        if not tails:  # all steps together are no larger
            m = reach.upper()
        elif not m > variance / 2:
            return ball(0)
        if m.is_zero():
            return self._of_lattice(eps) + self._infinite
        near, over = eps + m, 1 / (1 + m.exp())
        found, chord = self._of_lattice(near) + self._infinite - over * self._most(near + m), 1 - over
        if tails:
            beyond = _tail(m, variance)
            found -= beyond * self._most(near - w) + _tail(w, variance) * self._total
            chord += beyond * variance / (m - variance / 2) / (2 * m.sinh())
        return found / chord

    def _of_lattice(self, eps: "arb") -> "arb":
        """``sum p_k (1 - e^{eps - k h})_+``: the largest of such sums from some k on, which is near eps."""
        law, h = self._law, ball(self._law.spacing)
        at, sums = whole(eps / h) - law.first, []
        for i in range(at - 1, at + 3):
            i = min(max(i, 0), len(self._p) - 1)
            sums.append(self._p[i] - (eps - (law.first + i) * h).exp() * self._q[i])
        most = sums[0]
        for one in sums[1:]:
            most = most.max(one)
        return most / ball(2) ** law.bits


def _tail(m: "arb", variance: "arb") -> "arb":
    """A bound on ``Pr[D < -m]``, for an m above V/2."""
    return (-((m - variance / 2) ** 2) / (2 * variance)).exp()


def _below(x: "arb") -> float:
    """A float at most as large as all of the ball."""
    return math.nextafter(float(x.lower()), -math.inf) if x.is_finite() else 0.0


def _above(x: "arb") -> float:
    return math.nextafter(float(x.upper()), math.inf) if x.is_finite() else 1.0
