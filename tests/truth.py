"""The slow truth that the engine's tests compare with: small pairs outcome by outcome, in fractions."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np

from shufflekit.dominating_pairs import Atoms, Votes
from shufflekit.papers.koskela2023 import clones
from shufflekit.papers.koskela2023.clones import TwoLaws
from shufflekit.papers.koskela2023.sampling import sampled_scores


def clone_pair(E: int | Fraction, n: int, population: int | None = None) -> TwoLaws:
    """The (sampled) clone pair, in fractions."""
    score = clones.clone_scores(E)
    return clones.score_pair(score, n) if population in (None, n) else sampled_scores(score, population, n)


def vote_pair(votes: Votes) -> TwoLaws:
    """The pair that a few votes describe, its floating-point numbers taken as they are."""
    n, half, third_rate = votes.count, Fraction(votes.rate) / 2, Fraction(votes.third_rate)
    base, less, gap, third = map(Fraction, (votes.base, votes.less, votes.gap, votes.third))
    none = Fraction(votes.rest) - third_rate if third_rate else Fraction(votes.rest)
    p, q = [], []
    for a, b, d in itertools.product(range(n + 1), repeat=3):
        rest = n - a - b - d
        if rest < 0 or (d and not third_rate):
            continue
        ways = math.factorial(n) // math.prod(map(math.factorial, (a, b, d, rest)))
        weight = ways * half ** (a + b) * third_rate**d * max(none, Fraction(0)) ** rest
        p.append(weight * (base + less * (a + b) + gap * a + third * d))
        q.append(weight * (base + less * (a + b) + gap * b + third * d))
    return TwoLaws(np.array(p, dtype=object), np.array(q, dtype=object))


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
