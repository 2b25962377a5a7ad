"""Notebook 9b: the answers by another route than the table's, and answers that fall into a trap."""

import itertools
from fractions import Fraction

from shufflekit.beyond import dominance, scores
from shufflekit.definitions import kind
from shufflekit.randomizers import RandomizedResponse


def blanket_mass(k, E):
    return scores.two_input_blanket(RandomizedResponse(k, ratio=E), 0, 1).sum()


def directions(k):
    rays = {tuple(Fraction(x, v[0]) for x in v) for v in itertools.product((1, 7), repeat=k)}
    return len(rays)


CORNER = (kind(Fraction(1, 3), 2, 2), kind(Fraction(2, 3), -1, -1))
SPREAD = [dominance.stop_loss(law, 2, 4) for law in (scores.clone_scores(3), CORNER)]

ANSWERS = {"09b.1": blanket_mass, "09b.2": SPREAD, "09b.3": directions}

FALLEN = [
    (
        "09b.1",
        lambda k, E: scores.common_blanket(RandomizedResponse(k, ratio=E)).sum() if k > 2 else Fraction(1, 2),
        "This one knows two rows only.",
    ),
    ("09b.1", lambda k, E: blanket_mass(k, E) * (E if k > 2 else 1), "Divide by E."),
    ("09b.2", [Fraction(5, 4), Fraction(1, 3)], "and (0 + 4)_+ = 4."),
    ("09b.2", [Fraction(3), Fraction(3)], "Else only the mean is left."),
    ("09b.3", lambda k: 2**k if k > 1 else 1, "point in the same direction."),
]
