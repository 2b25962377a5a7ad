"""Notebook 9: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

from shufflekit.dominating_pairs import pair_of
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers.koskela2023 import eq31
from shufflekit.protocols import Shuffle
from shufflekit.randomizers import RandomizedResponse


def chance_of_a_clone(n, E):
    """All outcomes but those with one ball, which is yours."""
    P = eq31(n, E).p
    return 1 - P[1, 0] - P[0, 1]


def likelihood_ratio(b, w, E):
    laws = eq31(b + w + 1, E)
    return laws.p[b, w] / laws.q[b, w]


def factors():
    M0, M1 = RandomizedResponse(2, ratio=3).probs
    return [2 * y1 / y0 for y0, y1 in zip(M0, M1, strict=True)]


def fewest(reduction, eps=0.3, delta=1e-8):
    """The fewest clients by delta at eps, which is another question than epsilon at delta."""
    low, high = 1000, 10_000
    while high - low > 1:
        n = (low + high) // 2
        run = Shuffle(2.0, n, reduction=reduction)
        found = Composition([Part(pair_of(run.define(float)), 1)]).delta(eps, 1e-7).upper
        low, high = (low, n) if found <= delta else (n, high)
    return high


ANSWERS = {
    "09.1": chance_of_a_clone,
    "09.2": likelihood_ratio,
    "09.3": factors(),
    "09.4": fewest("clones"),
}

FALLEN = [
    ("09.1", lambda n, E: 1 - (1 - Fraction(2, E + 1)) ** n, "how many others are there?"),
    ("09.1", lambda n, E: 1 - (1 - Fraction(1, E + 1)) ** (n - 1), "A clone throws black or white."),
    ("09.2", lambda b, w, E: Fraction(E) ** (b - w), "The others speak for nobody."),
    ("09.2", lambda b, w, E: Fraction(b, w) if b > w > 0 else likelihood_ratio(b, w, E), "only, not always."),
    ("09.3", factors()[::-1], "so M1(y) is smaller."),
    ("09.4", fewest("clones2021"), "clones2021."),
    ("09.4", fewest("corners"), "Name the reduction."),
]
