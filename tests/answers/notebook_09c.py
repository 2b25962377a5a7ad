"""Notebook 9c: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
from fractions import Fraction

import numpy as np

from shufflekit.divergences import hockey_stick
from shufflekit.papers import kairouz2015
from shufflekit.papers.koskela2023 import losses
from shufflekit.randomizers import RandomizedResponse


def two_rounds(E, alpha):
    P, Q = RandomizedResponse(2, ratio=E).probs
    return hockey_stick(np.outer(P, P), np.outer(Q, Q), alpha)


def mean_loss(T, eps0):
    """The Kullback-Leibler divergence of one round, T times."""
    P, Q = RandomizedResponse(2, eps0=eps0).probs
    return T * float(P @ np.log(P / Q))


def probability_and_delta():
    P, Q = RandomizedResponse(2, ratio=3).probs
    pld = losses.eq34(losses.TwoLaws(np.outer(P, P), np.outer(Q, Q)))
    return [sum(mass for ratio, mass in pld.items() if ratio > 2), losses.from_losses(pld, 2)]


def most():
    """By the epsilon of the composition theorem, which is above 3 from the next round on."""
    rounds = itertools.count(1)
    return next(T for T in rounds if kairouz2015.optimal(0.1, 0.0, T + 1, 1e-6) > 3)


ANSWERS = {"09c.1": two_rounds, "09c.2": mean_loss, "09c.3": probability_and_delta(), "09c.4": most()}

FALLEN = [
    ("09c.1", lambda E, alpha: Fraction(2 * (E - alpha), E + 1), "Multiply the probabilities first."),
    ("09c.1", lambda E, alpha: Fraction(E - alpha, E + 1) ** 2, "not the divergence."),
    (
        "09c.1",
        lambda E, alpha: Fraction(E * E - alpha, (E + 1) ** 2),
        "an outcome with P below alpha Q counts 0.",
    ),
    ("09c.2", lambda T, eps0: T * eps0, "Some answers speak for the other law."),
    (
        "09c.2",
        lambda T, eps0: T * eps0**2 / 2 if eps0 < 1 else mean_loss(T, eps0),
        "which is right for a small eps0 only.",
    ),
    ("09c.3", [Fraction(9, 16), Fraction(9, 16)], "counts with its weight only."),
    ("09c.3", [Fraction(7, 16), Fraction(9, 16)], "a probability is at least the delta."),
    ("09c.4", 3 / Fraction(1, 10), "That is what basic composition allows."),
]
