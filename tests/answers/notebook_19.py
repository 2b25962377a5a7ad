"""Notebook 19: the answers by another route than the table's, and answers that fall into a trap."""

import numpy as np

from shufflekit.equivalence import CANNOT_TELL, NOT_WITHIN, WITHIN, Difference


def clients_needed(length, signal):
    """By logarithms."""
    return float(np.exp(2 * (np.log(length) - np.log(signal))))


def saved(better, worse):
    """By the clients that either needs for a ratio of 1."""
    needed = [ratio**-2 for ratio in (better, worse)]
    return (needed[1] - needed[0]) / needed[1]


def verdict(low, high, margin):
    """By the kit's own test."""
    words = {WITHIN: "yes", NOT_WITHIN: "no", CANNOT_TELL: CANNOT_TELL}
    return words[Difference((low + high) / 2, low, high, margin, 2).verdict]


def careless(low, high, margin):
    return "yes" if low <= 0 <= high else verdict(low, high, margin)


def hasty(low, high, margin):
    found = verdict(low, high, margin)
    return "no" if found == "cannot be told" and low >= 0 else found


def one_sided(low, high, margin):
    return "yes" if high <= margin else verdict(low, high, margin)


ANSWERS = {"19.2": clients_needed, "19.3": saved, "19.4": verdict}

FALLEN = [
    ("19.2", lambda length, signal: length / signal, "not like 1/k."),
    ("19.2", lambda length, signal: length**2 / signal, "Both sides are to be squared."),
    ("19.3", lambda better, worse: 1 - worse / better, "Clients go like its square."),
    ("19.3", lambda better, worse: (better / worse) ** 2 - 1, "which share the better one saves."),
    ("19.4", careless, "All of it must be within."),
    ("19.4", hasty, "Only a part of the interval is outside."),
    ("19.4", one_sided, "outside is outside on either side."),
]
