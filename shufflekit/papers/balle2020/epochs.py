"""[balle2020] Corollary 3.3: n/m runs of A_fix, each with m slots for n clients and participation p0 = m/n."""

import math

import numpy as np

from shufflekit import _validate
from shufflekit.papers.balle2020.composition import Guarantee
from shufflekit.papers.balle2020.replacement import thm32


def eq6(eps0: float, n: int, m: int, beta: float) -> float:
    """Eq (6), first line: ``eps_1``, the eps of one run at beta. Theorem 3.2 with p0 = m/n."""
    n, m = _sizes(n, m)
    return float(thm32(eps0, m, m / n, _validate.open_unit(beta=beta)))  # [balle2020] eq (6)


def eq6_doubled(eps0: float, n: int, m: int, beta: float) -> float:
    """Eq (6), second line: twice the first term of eps_1, for ``n >= (e^eps0 - 1) sqrt(m e^eps0)``: to be no less.

    False for a beta near 1: the second term is the smaller one if beta <= e^{-1/8} = .8825.
    """
    n, m = _sizes(n, m)
    eps0, beta = _validate.local_eps(eps0=eps0), _validate.open_unit(beta=beta)
    least = math.expm1(eps0) * math.sqrt(m) * math.exp(eps0 / 2)
    if n < least:
        raise ValueError(f"n must be at least (e^eps0 - 1) sqrt(m e^eps0) = {least:.6g}, got {n!r}")
    return 2 * least * math.sqrt(-2 * math.log(beta)) / n  # [balle2020] eq (6)


def eq6_doubled_corrected(eps0: float, n: int, m: int, beta: float) -> float:
    """Eq (6), second line, with what it lacks: beta at most e^{-1/8}."""
    if _validate.open_unit(beta=beta) > math.exp(-1 / 8):
        raise ValueError(f"beta must be at most e^(-1/8) = {math.exp(-1 / 8):.6g}, got {beta!r}")
    return eq6_doubled(eps0, n, m, beta)  # [balle2020] eq (6), corrected


def eq7(eps1: float, n: int, m: int, delta: float) -> float:
    """Eq (7): advanced composition of n/m runs, each with an eps of eps1; infinite where e^eps1 overflows."""
    eps1, runs = _validate.nonnegative(eps1=eps1), _runs(n, m)
    spread = eps1 * math.sqrt(-2 * runs * math.log(_validate.open_unit(delta=delta)))
    with np.errstate(over="ignore"):
        drift = runs * eps1 * np.expm1(eps1)
    return float(spread + drift)  # [balle2020] eq (7), from [dwork2010] Thm III.3


def after_eq7(eps1: float, n: int, m: int, beta: float) -> float:
    """The first line after (7) as printed, with ``log(1/beta)`` under the root.

    It need not be above (7): delta has gone, although the line below has it again.
    """
    return _after_eq7(eps1, n, m, _validate.open_unit(beta=beta))  # [balle2020] after eq (7)


def after_eq7_corrected(eps1: float, n: int, m: int, delta: float) -> float:
    """The first line after (7) with ``log(1/delta)`` under the root: at least (7) for eps1 <= 1/2."""
    return _after_eq7(eps1, n, m, _validate.open_unit(delta=delta))  # [balle2020] after eq (7), corrected


def cor33(eps0: float, n: int, m: int, beta: float, delta: float) -> Guarantee:
    """Corollary 3.3: the eps of n/m runs of A_fix at ``delta + n beta / m``.

    Formal guarantee: for replacing one client's record, under both conditions, which are checked. They make n at
    least ``8 sqrt(m) e^{1.5 eps0}``, so that eps_1 is at most 1/2, and (6) holds for any beta up to e^{-1/512} = .998.
    """
    (n, m), eps0 = _sizes(n, m), _validate.local_eps(eps0=eps0)
    beta, delta = _validate.open_unit(beta=beta), _validate.open_unit(delta=delta)
    square = math.expm1(eps0) * math.expm1(eps0) * math.exp(eps0)
    least = square * math.sqrt(m) * -math.log(beta)
    if n < least:
        raise ValueError(f"n must be at least (e^eps0 - 1)^2 e^eps0 sqrt(m) log(1/beta) = {least:.6g}, got {n!r}")
    largest = 2 / 3 * math.log(n / (8 * math.sqrt(m)))
    if eps0 > largest:
        raise ValueError(f"eps0 must be at most 2/3 log(n / (8 sqrt(m))) = {largest:.6g}, got {eps0!r}")
    share = square * -math.log(beta) / n
    eps = 4 * math.sqrt(-share * math.log(delta)) + 12 * share  # [balle2020] Cor 3.3
    return Guarantee(eps, delta + n * beta / m)


def _after_eq7(eps1: float, n: int, m: int, slack: float) -> float:
    eps1, runs = _validate.nonnegative(eps1=eps1), _runs(n, m)
    return eps1 * math.sqrt(-2 * runs * math.log(slack)) + 1.5 * runs * eps1 * eps1


def _sizes(n: int, m: int) -> tuple[int, int]:
    """Participation m/n is a probability, so m is at most n."""
    n = _validate.count(n=n)
    return n, _validate.count(m=m, at_most=n)


def _runs(n: int, m: int) -> float:
    n, m = _sizes(n, m)
    return n / m
