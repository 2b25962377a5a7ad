"""Notebook 17: the answers by another route than the table's, and answers that fall into a trap."""

import math

import numpy as np


def second_moment(q, mu):
    """By an integral over the line."""
    z = np.linspace(-12, 12, 3001)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    ratio = 1 - q + q * np.exp(mu * z - mu**2 / 2)
    return float(np.trapezoid(ratio**2 * density, z))


def dimension(came):
    """By bisection for the dimension at which the deviation of the count is one half."""
    low, high = 1, 10**12
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if came * math.sqrt(2 / middle) > 0.5 else (low, middle)
    return high


def highest_order(least, sigma, delta, distance=2):
    """By the root of the quadratic."""
    product = 2 * sigma**2 * least * math.log(1 / delta) / distance**2
    return math.floor((1 + math.sqrt(1 + 4 * product)) / 2)


ANSWERS = {"17.1": dimension, "17.2": second_moment, "17.4": highest_order}

FALLEN = [
    ("17.1", lambda came: 2 * came**2, "it has to be below one half."),
    ("17.1", lambda came: 8 * came, "square all of it."),
    ("17.4", lambda least, sigma, delta: math.isqrt(int(least * sigma**2 * math.log(1 / delta) / 2)), "a moment is 1."),
    ("17.4", lambda least, sigma, delta: highest_order(least, sigma, delta, 1), "may be 2 from its old value."),
    ("17.2", lambda q, mu: 1 + q * math.expm1(mu**2), "It is squared, too."),
]
