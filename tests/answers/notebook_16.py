"""Notebook 16: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
import math
from fractions import Fraction

import numpy as np

from shufflekit.papers import liew2022
from shufflekit.renyi import epsilon_at_order


def own_chance(k, n, gamma):
    """By the list of all coins."""
    ways = [coins for coins in itertools.product((0, 1), repeat=n) if sum(coins) == k]
    return Fraction(sum(coins[0] for coins in ways), len(ways))


def third_moment(k, rho):
    """By the law of the sum."""
    chances = [math.comb(k, m) * rho**m * (1 - rho) ** (k - m) for m in range(k + 1)]
    return sum(chance * (m - k * rho) ** 3 for m, chance in enumerate(chances))


def ratio_with_dummies(E, gamma):
    """By a channel with a third message, which is then answered by a coin."""
    silent = [gamma * E / (E + 1), gamma / (E + 1), 1 - gamma]
    zero, one = (silent[i] + silent[2] / 2 for i in (0, 1))
    return zero / one


def rounds_allowed(divergence):
    """How many rounds of the paper's setting have an eps of at most 1 at delta = 1e-5."""
    orders = np.arange(2, 65)
    curve = divergence(orders, 2.0, 60_000, 0.1)
    return max(T for T in range(1, 100) if epsilon_at_order(T * curve, orders, 1e-5).min() <= 1)


ANSWERS = {
    "16.1": own_chance,
    "16.2": third_moment,
    "16.3": ratio_with_dummies,
    "16.4": rounds_allowed(liew2022.eq7_best),
}

FALLEN = [
    ("16.1", lambda k, n, gamma: gamma, "If the only client came, it was she."),
    ("16.1", lambda k, n, gamma: gamma if n > 1 else 1, "That is the chance before K was seen."),
    ("16.2", lambda k, rho: abs(third_moment(k, rho)), "but not as far."),
    ("16.2", lambda k, rho: third_moment(1, rho), "of independent numbers add up."),
    ("16.3", lambda E, gamma: 1 + gamma * (E - 1), "A coin says the wrong bit, too."),
    ("16.3", lambda E, gamma: E, "Half of the messages are coins."),
    ("16.4", rounds_allowed(liew2022.eq5), "Ask Equation 7, with its best Delta."),
]
