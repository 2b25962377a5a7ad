"""Notebook 5b: the answers by another route than the table's, and answers that fall into a trap."""

import math

from scipy.optimize import brentq

from shufflekit.papers import girgis2021


def tail_counts_from(k, gamma, E, below=8):
    """By bisection, in logarithms."""
    x = gamma * (E - 1 / E)
    return brentq(lambda order: order * math.log1p(x) - (k - 1) / (below * E), 0, 1e6, xtol=1e-12, rtol=1e-14)


def first_of_use(order):
    """From the far end down."""
    k = 1000
    while girgis2021.thm1(order, 1.5, k, k) <= 1.5:
        k -= 1
    return k + 1


def chord(order, low, rdp_low, high, rdp_high):
    """By weights of the two ends."""
    weight = (high - order) / (high - low)
    return (weight * (low - 1) * rdp_low + (1 - weight) * (high - 1) * rdp_high) / (order - 1)


ANSWERS = {"05b.1": tail_counts_from, "05b.2": first_of_use(2), "05b.3": chord}

FALLEN = [
    ("05b.1", lambda k, gamma, E: k / (8 * gamma * (E**2 - 1)), "Take the first."),
    (
        "05b.1",
        lambda k, gamma, E: tail_counts_from(k, gamma, E, below=1),
        "from Chernoff's inequality at half the mean.",
    ),
    ("05b.2", first_of_use(8), "for order 8."),
    ("05b.2", first_of_use(2) - 1, "still is above 1.5."),
    (
        "05b.3",
        lambda order, low, rdp_low, high, rdp_high: rdp_low + (order - low) / (high - low) * (rdp_high - rdp_low),
        "not of the bound itself.",
    ),
]
