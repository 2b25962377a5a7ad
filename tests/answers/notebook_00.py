"""Notebook 0: the answers by another route than the table's, and answers that fall into a trap."""

from scipy.optimize import brentq

from shufflekit import Shuffle, claims
from shufflekit.papers import girgis2021


def longer():
    """Four times the rounds, by the guarantee's own pair."""
    round_ = Shuffle(2.0, 1_000, 1_000_000)
    once, four_times = ((round_ * rounds).guarantee(1e-8, rtol=1e-2).upper for rounds in (100_000, 400_000))
    return round(four_times / once)


def clients():
    """Where a line through (10,000, 0.038) of slope -1/2, both axes logarithmic, meets 0.0038."""
    return round(brentq(lambda n: 0.038 * (n / 10_000) ** -0.5 - 0.0038, 1e4, 1e7))


def useful_from(eps0):
    """The theorem falls with n here: bisect."""
    low, high = 0, 4096
    while high - low > 1:
        middle = (low + high) // 2
        useless = girgis2021.thm1(2, eps0, middle, middle) > eps0
        low, high = (middle, high) if useless else (low, middle)
    return high


ANSWERS = {"00.1": longer(), "00.2": clients(), "00.3": claims.VERDICTS[1], "00.4": useful_from}

FALLEN = [
    ("00.1", 4, "Some cancel: compute it."),
    ("00.1", 1, "did you ask run * 4?"),
    ("00.2", 100_000, "eps falls like 1/sqrt(n)."),
    ("00.2", 20_000, "eps is to fall by a factor of ten."),
    ("00.3", "holds", "Does it come within 10 % of the truth somewhere?"),
    ("00.3", "false", "the truth is below it at every point."),
    ("00.4", lambda eps0: useful_from(eps0) - 1, "Return the first at which it does."),
    ("00.4", lambda eps0: 15, "Does your function use its argument?"),
]
