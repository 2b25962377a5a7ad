"""A few rounds of small pairs, composed exactly: every outcome's masses as fractions."""

import math
import numbers
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit.bracket import Bracket
from shufflekit.certify.balls import Estimate, ball, certified, flint

MOST = 10**6  # products of outcomes listed for one round


class Masses(NamedTuple):
    """A pair as it is composed: the two masses of each outcome, in fractions; equal ratios are one outcome."""

    p: list[Fraction]
    q: list[Fraction]

    def delta(self, alpha: Fraction) -> Fraction:
        """``H_alpha(P||Q)``, for a rational alpha = e^eps."""
        if isinstance(alpha, bool) or not isinstance(alpha, numbers.Rational):
            raise TypeError(f"alpha must be a fraction or a whole number, got {alpha!r}")
        if alpha < 0:
            raise ValueError(f"alpha must be 0 or positive, got {alpha!r}")
        return sum((max(p - alpha * q, Fraction(0)) for p, q in zip(self.p, self.q, strict=True)), Fraction(0))


def compose(pairs: Sequence[tuple[ArrayLike, ArrayLike]]) -> Masses:
    """The rounds' pairs (P, Q), each two laws in fractions on the same outcomes, as one pair."""
    rounds = [_whole_numbers(pair) for pair in pairs]
    if not rounds:
        raise ValueError("pairs must be one or more pairs of laws, got none")
    masses: dict[Any, tuple[int, int]] = {1: (1, 1)}
    p_scale = q_scale = 1
    for atoms, p_unit, q_unit in rounds:
        if len(masses) * len(atoms) > MOST:
            raise ValueError(f"pairs must have at most {MOST:,} outcomes together, got {len(masses) * len(atoms):,}")
        p_scale, q_scale = p_scale * p_unit, q_scale * q_unit
        products = [(p * x, q * y) for p, q in masses.values() for x, y in atoms]
        masses = _merged(products)
    return Masses(
        [Fraction(p, p_scale) for p, _ in masses.values()], [Fraction(q, q_scale) for _, q in masses.values()]
    )


def composition(pairs: Sequence[tuple[ArrayLike, ArrayLike]], eps: float) -> Bracket:
    """Delta at ``eps`` of the rounds' pairs together; only e^eps is not a fraction."""
    eps, masses = _validate.nonnegative(eps=eps), compose(pairs)

    def estimate(depth: float) -> Estimate:
        alpha, taken, fmpq = ball(eps).exp(), ball(0), flint().fmpq
        for p, q in zip(masses.p, masses.q, strict=True):
            excess = ball(fmpq(p.numerator, p.denominator)) - alpha * fmpq(q.numerator, q.denominator)
            taken += excess.nonnegative_part()
        return Estimate(taken, ball(0))

    return certified(estimate)


def _whole_numbers(pair: Any) -> tuple[list[tuple[int, int]], int, int]:
    """The outcomes of one pair as whole numbers, and the two denominators they have in common."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise TypeError(f"pairs must hold pairs of laws (P, Q), got {pair!r}")
    p, q = (_validate.probabilities(**{name: law}) for name, law in zip("pq", pair, strict=True))
    if p.shape != q.shape:
        raise ValueError(f"p and q must have the same outcomes, got shapes {p.shape} and {q.shape}")
    units = []
    for name, law in (("p", p), ("q", q)):
        if not all(isinstance(mass, numbers.Rational | np.integer) for mass in law.flat):
            raise TypeError(f"{name} must be in fractions, got {law!r}")
        units.append(math.lcm(*(Fraction(mass).denominator for mass in law.flat)))
    atoms = [(int(x * units[0]), int(y * units[1])) for x, y in zip(p.flat, q.flat, strict=True)]
    return list(_merged(atoms).values()), units[0], units[1]


def _merged(atoms: list[tuple[int, int]]) -> dict[Any, tuple[int, int]]:
    """The outcomes by their ratio P/Q, those of equal ratio added up."""
    masses: dict[Any, tuple[int, int]] = {}
    for p, q in atoms:
        if p or q:
            ratio = Fraction(p, q) if q else math.inf
            known = masses.get(ratio, (0, 0))
            masses[ratio] = known[0] + p, known[1] + q
    return masses
