"""The clone pair (3.1) and its privacy losses: Theorem 6, Section 3.1 and Appendix A, as printed and as corrected.

Exact where the argument is rational: give E = e^eps0, alpha = e^eps and p as ``Fraction`` or whole numbers. An
outcome (a, b) is a number of black and of white balls; C of the n - 1 others throw one, A of these a black one.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from shufflekit import _validate, exact
from shufflekit.atoms import Atoms
from shufflekit.divergences import Law
from shufflekit.exact import TwoLaws


def thm6(p: Law, q: Law, alpha: Any) -> Any:
    """Eq (2.1) as printed: ``E_P[(1 - e^-w)_+]``, w the privacy loss; alpha = e^eps does not occur in it."""
    _validate.real(alpha=alpha)
    return thm6_corrected(p, q, 1)  # [koskela2023] Thm 6


def thm6_corrected(p: Law, q: Law, alpha: Any) -> Any:
    """``H_alpha(P||Q) = E_P[(1 - e^{eps - w})_+]``, a loss w that is infinite counting in full.

    Corrected: e^eps, missing in the print, stands before ``e^-w``.
    """
    alpha = _validate.real(alpha=alpha)
    p, q = exact.law(_validate.probabilities(p=p).flat), exact.law(_validate.probabilities(q=q).flat)
    if p.shape != q.shape:
        raise ValueError(f"p and q must have the same outcomes, got {len(p)} and {len(q)}")
    return sum((x * max(1 - alpha * (y / x), 0) for x, y in zip(p, q, strict=True) if x > 0), 0 * alpha)


def eq31(n: int, ratio: Any, p: Any = None) -> TwoLaws:
    """Eq (3.1)-(3.2): the clone pair for n users and any p up to 1/(E+1), its default; entry [a, b].

    Formal guarantee for the default p: dominates every shuffled eps0-LDP randomizer, E = ``ratio`` = e^eps0.
    Below it the third component P2 has weight, and the pair does not dominate (notebook 09).
    """
    n, E, p = setting(n, ratio, p)
    others = np.full((n + 1, n + 1), 0 * p)  # the law of (A, C - A)
    for a, b in np.ndindex(n, n):
        if a + b < n:
            ways = math.comb(n - 1, a) * math.comb(n - 1 - a, b)
            others[a, b] = ways * p ** (a + b) * (1 - 2 * p) ** (n - 1 - a - b)
    first, second = np.zeros_like(others), np.zeros_like(others)
    first[1:, :], second[:, 1:] = others[:-1, :], others[:, :-1]
    third = (1 - (E + 1) * p) * others
    return TwoLaws(E * p * first + p * second + third, p * first + E * p * second + third)  # [koskela2023] eq (3.1)


def section31(n: int, ratio: Any, p: Any = None) -> TwoLaws:
    """P and Q of Section 3.1 as mixtures of P0, P1, P2; entry [a, b]. E = ``ratio``; p is 1/(E+1) unless given."""
    n, E, p = setting(n, ratio, p)
    parts = section31_parts(n, p)
    q, q_tilde = E * p, p / (1 - E * p)
    weights = q, (1 - q) * q_tilde, (1 - q) * (1 - q_tilde)
    # [koskela2023] Sec 3.1
    return TwoLaws(
        weights[0] * parts[0] + weights[1] * parts[1] + weights[2] * parts[2],
        weights[1] * parts[0] + weights[0] * parts[1] + weights[2] * parts[2],
    )


def section31_parts(n: int, p: Any) -> tuple[Law, Law, Law]:
    """``P0 ~ (A+1, C-A)``, ``P1 ~ (A, C-A+1)``, ``P2 ~ (A, C-A)``; entry [a, b]."""
    n, p = _validate.count(n=n), share(p)
    parts = tuple(np.full((n + 1, n + 1), 0 * p) for _ in range(3))
    for c in range(n):
        for a in range(c + 1):
            mass = math.comb(n - 1, c) * math.comb(c, a) * p**c * (1 - 2 * p) ** (n - 1 - c)
            for part, (black, white) in zip(parts, ((1, 0), (0, 1), (0, 0)), strict=True):
                part[a + black, c - a + white] = mass  # [koskela2023] eq (3.2)
    return parts[0], parts[1], parts[2]


def eq32(n: int, ratio: Any, p: Any = None) -> TwoLaws:
    """(3.1)-(3.2) as a story: C others throw a ball, A of them a black one, and you by Delta1 and Delta2."""
    n, E, p = setting(n, ratio, p)
    laws = TwoLaws(np.full((n + 1, n + 1), 0 * p), np.full((n + 1, n + 1), 0 * p))
    for c in range(n):
        throwers = math.comb(n - 1, c) * (2 * p) ** c * (1 - 2 * p) ** (n - 1 - c)
        own = {(1, 0): E * p, (0, 1): (1 - E * p) * (p / (1 - E * p)), (0, 0): (1 - E * p) * (1 - p / (1 - E * p))}
        for a in range(c + 1):
            for (d1, d2), chance in own.items():
                mass = throwers * math.comb(c, a) / Fraction(2**c) * chance  # [koskela2023] eq (3.2)
                laws.p[a + d1, c - a + d2] += mass
                laws.q[a + d2, c - a + d1] += mass
    return laws


def eq34(laws: TwoLaws) -> dict[Any, Any]:
    """The privacy loss distribution of (3.4): the P-mass of each likelihood ratio ``e^s = P(a,b)/Q(a,b)``."""
    masses: dict[Any, Any] = {}
    for p, q in zip(laws.p.flat, laws.q.flat, strict=True):
        if p > 0:
            ratio = p / q if q > 0 else math.inf
            masses[ratio] = masses.get(ratio, 0) + p  # [koskela2023] eq (3.4)
    return masses


def added(*plds: dict[Any, Any]) -> dict[Any, Any]:
    """The loss distribution of all rounds: losses add, so ratios and masses multiply."""
    total: dict[Any, Any] = {Fraction(1): Fraction(1)}
    for pld in plds:
        before, total = total, {}
        for (r, x), (s, y) in itertools.product(before.items(), pld.items()):
            total[r * s] = total.get(r * s, 0) + x * y
    return total


def from_losses(pld: dict[Any, Any], alpha: Any) -> Any:
    """``E[(1 - e^{eps - w})_+]`` over the outcomes of a loss distribution, alpha = e^eps."""
    alpha = _validate.real(alpha=alpha)
    return sum((x * (1 - alpha / r) for r, x in pld.items() if r > alpha), 0 * alpha)


def in_digits(laws: TwoLaws, digits: int) -> Atoms:
    """The pair as atoms of ``mpmath.mpf``, good to that many digits; every outcome must have a finite loss."""
    digits, masses = _validate.count(digits=digits), dict[Any, Any]()
    for p, q in zip(laws.p.flat, laws.q.flat, strict=True):
        if p > 0 or q > 0:
            if not (p > 0 and q > 0):
                raise ValueError("laws must have both masses positive wherever one is")
            masses[p / q] = masses.get(p / q, 0) + q
    with mpmath.workdps(digits + 5):
        rows = [[mpmath.log(mpmath.mpf(x.numerator) / x.denominator) for x in row] for row in sorted(masses.items())]
    loss, log_q = zip(*rows, strict=True)
    return Atoms(np.array(loss), np.array(log_q))


def lemma_a1(a: int, b: int) -> Fraction:
    """``P(P0 = (a,b)) / P(P1 = (a,b))`` for a, b > 0."""
    return Fraction(_validate.count(a=a), _validate.count(b=b))  # [koskela2023] Lemma A.1


def lemma_a2(a: int, b: int, n: int, p: Any) -> Any:
    """``P(P0 = (a,b)) / P(P2 = (a,b))`` as printed."""
    return 2 * lemma_a2_corrected(a, b, n, p)  # [koskela2023] Lemma A.2


def lemma_a2_corrected(a: int, b: int, n: int, p: Any) -> Any:
    """The same for a >= 1, b >= 0, a + b < n. Corrected: without the factor 2."""
    n, p, (a, b) = _validate.count(n=n), share(p), _outcome(a, b, n, spare=1)
    return (1 - 2 * p) * a / ((n - a - b) * p)


def cor_a3(a: int, b: int, n: int, ratio: Any, p: Any = None) -> tuple[Any, Any]:
    """``P(P = (a,b))`` and ``P(Q = (a,b))`` over ``P(P0 = (a,b))``, as printed."""
    return _cor_a3(a, b, n, ratio, p, Fraction(1, 2))  # [koskela2023] Cor A.3


def cor_a3_corrected(a: int, b: int, n: int, ratio: Any, p: Any = None) -> tuple[Any, Any]:
    """The same for a >= 1. Corrected: the third term is twice the printed one, since Lemma A.2 is half of it."""
    return _cor_a3(a, b, n, ratio, p, Fraction(1))


def lemma_a4(a: int, b: int, n: int, p: Any) -> Any:
    """``P(P0 = (a,b))`` as printed: ``C(n-1,i) C(i,j) p^i (1-p)^(n-1-i) 2^-i``, (a,b) = (j+1, i-j)."""
    n, p, (a, b) = _validate.count(n=n), share(p), _outcome(a, b, n)
    i, j = a + b - 1, a - 1
    return math.comb(n - 1, i) * math.comb(i, j) * p**i * (1 - p) ** (n - 1 - i) / 2**i  # [koskela2023] Lemma A.4


def lemma_a4_corrected(a: int, b: int, n: int, p: Any) -> Any:
    """The same for a >= 1. Corrected: C is Bin(n-1, 2p), and not Bin(n-1, p)."""
    n, p, (a, b) = _validate.count(n=n), share(p), _outcome(a, b, n)
    i, j = a + b - 1, a - 1
    return math.comb(n - 1, i) * math.comb(i, j) * p**i * (1 - 2 * p) ** (n - 1 - i)


def _cor_a3(a: int, b: int, n: int, ratio: Any, p: Any, half: Fraction) -> tuple[Any, Any]:
    n, E, p = setting(n, ratio, p)
    a, b = _outcome(a, b, n)
    q, q_tilde = E * p, p / (1 - E * p)
    third = 0 * p if (E + 1) * p == 1 else (1 - q) * (1 - q_tilde) * half * (n - a - b) * p / ((1 - 2 * p) * a)
    return q + (1 - q) * q_tilde * Fraction(b, a) + third, q * Fraction(b, a) + (1 - q) * q_tilde + third


def setting(n: int, ratio: Any, p: Any) -> tuple[int, Any, Any]:
    """n, E and p, checked; p is 1/(E+1) where it is not given."""
    n, E = _validate.count(n=n), _validate.ratio(ratio=ratio)
    p = 1 / (E + 1) if p is None else _validate.real(p=p)
    if not 0 < p <= 1 / (E + 1):
        raise ValueError(f"p must be above 0 and at most 1/(E+1), got {p!r}")
    return n, E, p


def share(p: Any) -> Any:
    """The probability of a clone of either kind, checked."""
    p = _validate.real(p=p)
    if not 0 < p < Fraction(1, 2):
        raise ValueError(f"p must be above 0 and below 1/2, got {p!r}")
    return p


def _outcome(a: int, b: int, n: int, spare: int = 0) -> tuple[int, int]:
    a = _validate.count(a=a, at_most=n - spare)
    return a, _validate.count(b=b, at_least=0, at_most=n - spare - a)
