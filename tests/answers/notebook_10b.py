"""Notebook 10b: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

import numpy as np

from shufflekit.papers.koskela2023 import losses

LAWS = losses.eq31(2, 3)


def tilted(p, eps0, t):
    """The odds are multiplied by e^(2 t eps0)."""
    odds = p / (1 - p) * np.exp(2 * t * eps0)
    return 1 - 1 / (1 + odds)


def split(x, low, high):
    """A law on two points by its mean: two equations."""
    shares = np.linalg.solve(np.array([[1, 1], [low, high]], dtype=float), np.array([1, x], dtype=float))
    return [Fraction(float(share)).limit_denominator(10**6) for share in shares]


ANSWERS = {"10b.1": LAWS.p[0].sum(), "10b.2": tilted, "10b.3": split}

FALLEN = [
    ("10b.1", LAWS.p[0, 2], "The other may have thrown none."),
    ("10b.1", LAWS.p[0, 1], "may have thrown a white one, too."),
    ("10b.1", LAWS.q[0].sum(), "your ball is white with probability 3/4."),
    ("10b.2", lambda p, eps0, t: p * np.exp(t * eps0), "probabilities sum to 1."),
    ("10b.2", lambda p, eps0, t: tilted(p, eps0, -t), "a tilt above 0 makes large losses likelier."),
    (
        "10b.2",
        lambda p, eps0, t: p * np.exp(t * eps0) / (p * np.exp(t * eps0) + 1 - p),
        "its probability is multiplied by e^(-t eps0).",
    ),
    ("10b.3", lambda x, low, high: split(x, low, high)[::-1], "puts most of its mass there."),
    (
        "10b.3",
        lambda x, low, high: split(x, low, high) if x == Fraction(6, 5) else [0, 1],
        "so that the mean stays.",
    ),
]
