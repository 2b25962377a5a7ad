"""The slow truth that the engine's tests compare with: small pairs outcome by outcome, in fractions."""

import math
from fractions import Fraction

import mpmath
import numpy as np

from shufflekit import definitions, exact
from shufflekit.atoms import Atoms
from shufflekit.definitions import Definition
from shufflekit.exact import TwoLaws


def clone_pair(E: int | Fraction, n: int, population: int | None = None) -> TwoLaws:
    """The (sampled) clone pair, in fractions."""
    return exact.pair(Definition(n, n if population is None else population, (definitions.clones(Fraction(E) - 1),)))


def pair(definition: Definition) -> TwoLaws:
    """The pair of a definition in floats, its numbers taken as they are."""
    return exact.pair(definition.mapped(Fraction))


def delta(laws: TwoLaws, eps: float) -> float:
    """``H_{e^eps}`` of two laws, only e^eps being rounded."""
    alpha = Fraction(math.exp(eps))
    return float(sum(max(a - alpha * b, Fraction(0)) for a, b in zip(laws.p, laws.q, strict=True)))


def listed_delta(atoms: Atoms, eps: float, *, upper: bool) -> float:
    """The same of a listed pair, what is missing at infinite loss, or left out."""
    with np.errstate(under="ignore"):
        terms = np.exp(atoms.log_q) * np.maximum(np.expm1(atoms.loss) - math.expm1(eps), 0.0)
    return math.fsum(terms) + atoms.infinite + (atoms.missing if upper else 0.0)


def renyi(laws: TwoLaws, order: float) -> float:
    """The Renyi divergence, summed in mpmath."""
    with mpmath.workdps(60):
        total = mpmath.mpf(0)
        for a, b in zip(laws.p, laws.q, strict=True):
            if a:
                if not b:
                    return math.inf
                p, q = (mpmath.mpf(x.numerator) / x.denominator for x in (Fraction(a), Fraction(b)))
                total += q * (p / q) ** mpmath.mpf(order)
        return float(mpmath.log(total) / (mpmath.mpf(order) - 1))
