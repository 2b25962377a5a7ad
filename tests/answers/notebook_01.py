"""Notebook 1: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq

from shufflekit.divergences import renyi
from shufflekit.randomizers import RandomizedResponse


def posterior(p, E):
    """By Bayes, from a report that has probability E/(E + 1) if the bit is 1, else 1/(E + 1)."""
    likelihoods = Fraction(E, E + 1), Fraction(1, E + 1)
    return p * likelihoods[0] / (p * likelihoods[0] + (1 - p) * likelihoods[1])


def hockey_stick(P, Q, alpha):
    """The best of all sets of outcomes."""
    chosen = itertools.product((0, 1), repeat=len(P))
    return max(sum(s * (p - alpha * q) for s, p, q in zip(S, P, Q, strict=True)) for S in chosen)


def renyi_2(E, T):
    """The law of all rounds together."""
    p, q = RandomizedResponse(2, eps0=math.log(E)).probs
    joint = [np.ones(1), np.ones(1)]
    for _ in range(T):
        joint = [np.multiply.outer(a, b).ravel() for a, b in zip(joint, (p, q), strict=True)]
    return renyi(*joint, 2)


def best_order(T, rho, delta):
    def slope(x):
        return T * rho - math.log(1 / delta) / (x - 1) ** 2

    return brentq(slope, 1 + 1e-6, 1e6, xtol=1e-13, rtol=1e-14)


ANSWERS = {"01.1": posterior, "01.2": hockey_stick, "01.3": renyi_2, "01.4": best_order}

FALLEN = [
    ("01.1", lambda p, E: p * E, "p : (1 - p) that are multiplied by E."),
    ("01.1", lambda p, E: Fraction(E, E + 1), "something else before."),
    ("01.2", lambda P, Q, alpha: sum(P) - alpha * sum(Q), "outcomes that the best rule leaves out."),
    (
        "01.2",
        lambda P, Q, alpha: hockey_stick(P, Q, alpha) * (1 if alpha > 1 else 2),
        "Only where p is above alpha q does a term count.",
    ),
    ("01.3", lambda E, T: math.exp(renyi_2(E, T)), "The divergence of order 2 is its logarithm."),
    ("01.3", lambda E, T: renyi_2(E, 1), "over rounds the divergences add up."),
    ("01.4", lambda T, rho, delta: best_order(T, rho, delta) - 1, "the fraction has x - 1 below."),
    ("01.4", lambda T, rho, delta: best_order(1, rho, delta), "after T rounds rho counts T times."),
]
