"""Notebook 10: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

import numpy as np

from shufflekit.papers.koskela2023 import losses


def delta(alpha, law):
    """P less alpha Q, outcome by outcome: Q = P / ratio."""
    return sum(max(chance - alpha * (chance / ratio), 0) for ratio, chance in law.items())


def different_losses(n):
    return len(losses.eq34(losses.eq31(n, 3)))


def lands_at(loss, rounds, size):
    law = np.zeros(size)
    law[loss] = 1
    return int(np.argmax(np.fft.ifft(np.fft.fft(law) ** rounds).real))


ANSWERS = {"10.1": delta, "10.2": different_losses, "10.3": lands_at}

FALLEN = [
    ("10.1", lambda alpha, law: delta(1, law), "Think of e^(eps - loss)."),
    ("10.1", lambda alpha, law: sum(x - alpha * (x / r) for r, x in law.items()), "the + in the formula."),
    (
        "10.1",
        lambda alpha, law: delta(alpha, {r: x for r, x in law.items() if isinstance(r, Fraction)}),
        "alpha/inf is 0.",
    ),
    ("10.2", lambda n: n * (n + 3) // 2, "have the same share."),
    ("10.2", lambda n: different_losses(n) - 1, "one ball may be black or white."),
    ("10.3", lambda loss, rounds, size: loss * rounds, "it ends at size - 1."),
    ("10.3", lambda loss, rounds, size: min(loss * rounds, size - 1), "it comes in again at the beginning."),
]
