"""Notebook 8: the answers by another route than the table's, and answers that fall into a trap."""

import math

import numpy as np

from shufflekit.papers import feldman2021, ullman2017


def share(k, n, T, delta):
    return delta * n / (2 * T * k)


def largest_eps0(k, n, T, delta):
    return feldman2021.condition_corrected(k, share(k, n, T, delta))


def slope(T, eps):
    """By a straight line through the two ends."""
    ends = [0, -1]
    return float(np.polyfit(np.log(np.array(T)[ends]), np.log(np.array(eps)[ends]), 1)[0])


def sampled_epsilon(eps, gamma):
    return ullman2017.subsample(eps, 0.0, gamma)[0]


ANSWERS = {"08.1": largest_eps0, "08.2": slope, "08.3": sampled_epsilon}

FALLEN = [
    ("08.1", lambda k, n, T, delta: feldman2021.condition_corrected(k, delta), "all of delta on one round."),
    (
        "08.1",
        lambda k, n, T, delta: feldman2021.condition_corrected(k, delta / (2 * T)),
        "with probability gamma only.",
    ),
    ("08.1", lambda k, n, T, delta: feldman2021.condition(k, share(k, n, T, delta)), "The proof needs the 4."),
    ("08.2", lambda T, eps: (eps[-1] - eps[0]) / (T[-1] - T[0]), "in a plot without logarithms."),
    ("08.2", lambda T, eps: 1 / slope(T, eps), "the run over the rise."),
    ("08.3", lambda eps, gamma: gamma * eps, "It is alpha - 1 that is multiplied."),
    (
        "08.3",
        lambda eps, gamma: gamma * math.expm1(eps) if eps < 1 else sampled_epsilon(eps, gamma),
        "Take the logarithm of alpha.",
    ),
]
