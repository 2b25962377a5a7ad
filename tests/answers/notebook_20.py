"""Notebook 20: the answers by another route than the table's, and answers that fall into a trap."""

import math

from scipy.optimize import brentq
from scipy.stats import norm

ROUNDS, RATE, CLIENTS, EPS0 = 5_000, 1e-4, 10**7, 8.0
DELTA0 = CLIENTS**-1.5


def noise(delta0):
    """Solved from the formula of section 20.1, up to four digits."""

    def excess(z):
        return norm.cdf(1 / z - EPS0 * z / 2) - math.exp(EPS0) * norm.cdf(-1 / z - EPS0 * z / 2) - delta0

    return math.ceil(1000 * brentq(excess, 0.5, 5, xtol=1e-12)) / 1000


PURE = 0.07844  # eps at 1e-8, delta0 ignored, as the notebook prints it
EXTRA = ROUNDS * RATE * CLIENTS * DELTA0 * (1 + math.exp(-EPS0) / 2) * (1 + math.exp(PURE))
NEEDED = noise(DELTA0 * 1e-8 / EXTRA)


def rounds_until_half(rate):
    """Round by round."""
    rounds, away = 1, 1 - rate
    while away > 0.5:
        rounds, away = rounds + 1, away * (1 - rate)
    return rounds


ANSWERS = {"20.3": NEEDED / noise(DELTA0), "20.4": rounds_until_half}

FALLEN = [
    ("20.3", 2.04, "How many times the old one is it?"),
    ("20.4", lambda rate: round(1 / rate), "how many rounds it takes on average."),
    ("20.4", lambda rate: max(1, round(0.5 / rate)), "has the chance 0.9^5 = 0.59."),
]
