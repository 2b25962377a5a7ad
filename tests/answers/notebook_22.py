"""Notebook 22: the answers by another route than the table's, and answers that fall into a trap."""

import math
from collections import Counter
from fractions import Fraction

from shufflekit import Shuffle, decisions


def found(*yes):
    """Where the tree leads whoever says yes to these of its questions."""
    for i, (_, answer) in enumerate(decisions.QUESTIONS):
        if i in yes:
            return answer.split("(")[0]
    return decisions.ELSE.split("(")[0]


def honest(called, silent, colluders):
    """Client by client: who is silent, then who colludes, then who is left."""
    kinds = Counter("silent" if i < called * silent else "answers" for i in range(called))
    return kinds["answers"] - colluders


def level(eps, bins):
    """The largest ratio of two rows of the channel as a table."""
    b = 2 / (1 + Fraction(math.exp(eps)))
    table = [[(1 - b) * (i == j) + b / bins for j in range(bins)] for i in range(bins)]
    return math.log(max(one / other for row in table for one, other in zip(row, table[0], strict=True)))


def four_digits(number):
    return float(f"{number:.4g}")


day = Shuffle(eps0=4.0, n=1_000_000)
ANSWERS = {
    "22.1": [found(3), found(0, 5), found(4), found()],
    "22.2": honest,
    "22.3": level,
    "22.4": four_digits((day * 90).epsilon(delta=1e-6).upper),
}

FALLEN = [
    ("22.1", [found(3), found(5), found(4), found()], "Look at the first question."),
    ("22.1", [found(3), found(0), found(5), found()], "how many come is chance."),
    ("22.2", lambda called, silent, colluders: round(called * (1 - silent)), "so they hide nobody."),
    ("22.2", lambda called, silent, colluders: called - colluders, "Who sends nothing hides nobody."),
    ("22.3", lambda eps, bins: eps if bins == 2 else 2 * eps, "Here one bin is drawn."),
    ("22.3", lambda eps, bins: eps, "with b/5, not with b/2."),
    ("22.4", four_digits(day.epsilon(delta=1e-6).upper), "on each of the ninety."),
    ("22.4", four_digits(90 * day.epsilon(delta=1e-6).upper), "multiply the protocol, not the number."),
]
