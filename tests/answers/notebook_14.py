"""Notebook 14: the answers by another route than the table's, and answers that fall into a trap."""

import math
from fractions import Fraction

from shufflekit import exact
from shufflekit.beyond import slots
from shufflekit.definitions import clones, corners
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import RandomizedResponse


def hockey(view, x0, x1, alpha):
    return hockey_stick(*exact.aligned(view(x0), view(x1)), alpha)


def chance_to_be_taken(n, m, p0):
    """Client 1 comes to a slot of L others and is taken with the chance 1/(L + 1)."""
    others = [math.comb(n - 1, k) * (p0 / m) ** k * (1 - p0 / m) ** (n - 1 - k) for k in range(n)]
    return p0 * sum(chance / (k + 1) for k, chance in enumerate(others))


def gone(n, m):
    """What is left of H at an alpha beyond all ratios: she comes, or she does not, and empty slots show."""
    channel = RandomizedResponse(2, ratio=3)
    here = exact.fixed_window(channel, (0,) * n, m)
    away = exact.fixed_window(channel, (0,) * (n - 1), m) if n > 1 else {(None,) * m: Fraction(1)}
    return hockey_stick(*exact.aligned(here, away), 10**9)


def worst_swap():
    channel = RandomizedResponse(2, ratio=3)
    data = exact.neighbours_of(lambda records: exact.one_swap(channel, records), 2, 3)
    return max(hockey_stick(one.p, one.q, 1) for one in data)


def crowded():
    channel, alpha = RandomizedResponse(2, ratio=2), Fraction(3, 2)

    def view(x):
        return exact.fixed_window(channel, (x, 0, 0, 1), 3, 1, 0)

    return max(hockey(view, *pair, alpha) for pair in ((0, 1), (1, 0)))


def averaged(laws):
    return slots.averaged(laws, 4, 3, 1, Fraction(3, 2))


ANSWERS = {"14.1": chance_to_be_taken, "14.2": crowded(), "14.3": worst_swap(), "14.4": gone}

FALLEN = [
    ("14.1", lambda n, m, p0: Fraction(m, n), "as if no slot were ever empty."),
    (
        "14.1",
        lambda n, m, p0: chance_to_be_taken(n, m, p0) if p0 == 1 else p0,
        "Others may have come to the same slot.",
    ),
    ("14.2", averaged((clones(Fraction(1)),)), "averaged weights say. Enumerate: exact.fixed_window."),
    ("14.2", averaged(corners(Fraction(1)).laws), "with the corners. Enumerate instead."),
    ("14.3", 5 / 16, "Enumerate A_swap itself."),
    ("14.4", lambda n, m: Fraction(m - 1, m) ** (n - 1), "The others may share one."),
]
