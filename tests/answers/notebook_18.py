"""Notebook 18: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

from shufflekit.beyond import game
from shufflekit.definitions import corners


def factor(ratios, N):
    """World by world: you stay at home, or you have one of the slots."""
    k = len(ratios)
    return Fraction(N - k, N) + sum(Fraction(1, N) * t for t in ratios)


def best_of(names):
    """The mean of (1 + g)_+ for the corners asked for, E = 3."""
    laws = corners(Fraction(2)).laws
    means = [sum(one.chance * max(1 + one.t0 - one.t1, 0) for one in law) for law in laws]
    return max(means[i] for i in names)


def trivial(alpha, E):
    """The game of one message, one of two users reporting, is worth what nothing is."""
    alpha = Fraction(alpha)
    start = 1 - alpha
    laws = corners(Fraction(E) - 1).laws
    means = [sum(one.chance * max(start + one.t0 - alpha * one.t1, 0) for one in law) for law in laws]
    idle = max(means) == max(2 * (1 - alpha), 0)
    return idle and all(game.value(laws, m, alpha) == max(m * (1 - alpha), 0) for m in (1, 2))


ANSWERS = {"18.1": factor, "18.2": best_of(range(5)), "18.3": trivial}

FALLEN = [
    ("18.1", lambda ratios, N: sum(ratios) / len(ratios), "one of N users need not be drawn."),
    ("18.1", lambda ratios, N: sum(ratios) / N, "their factor is 1."),
    ("18.2", best_of([0]), "try bin0."),
    ("18.2", Fraction(1), "A chooser can do better than nothing."),
    ("18.3", lambda alpha, E: alpha >= E, "and a mean is all there is."),
]
