"""Random local randomizers in fractions, for the tools that hold bounds against the truth."""

import itertools
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel


def vertex_channel(inputs: int, ratio: Fraction, rng: np.random.Generator) -> Channel:
    """A random extreme point of all channels of so many inputs: all entries of a column are its least, or E times it.

    At most as many columns as inputs, and their weights solve linear equations. [kairouz2015]
    """
    patterns = list(itertools.product((Fraction(1), ratio), repeat=inputs))[:-1]  # all high is all low
    while True:
        chosen = [patterns[i] for i in rng.choice(len(patterns), inputs, replace=False)]
        columns = fmpq_mat([[fmpq(one[x].numerator, one[x].denominator) for one in chosen] for x in range(inputs)])
        if columns.det() == 0:
            continue
        solved = columns.solve(fmpq_mat(inputs, 1, [1] * inputs)).entries()
        weights = [Fraction(int(w.p), int(w.q)) for w in solved]
        table = [[w * value for value in one] for w, one in zip(weights, chosen, strict=True) if w > 0]
        if min(weights) >= 0 and len(table) > 1:
            return Channel(np.array(table, dtype=object).T, "vertex")


def told(first: Channel, second: Channel, share: Fraction) -> Channel:
    """One of two channels by a coin, and the message says which."""
    return Channel(np.column_stack([share * first.probs, (1 - share) * second.probs]), "told mixture")


def draw_channel(inputs: int, ratio: Fraction, rng: np.random.Generator) -> Channel:
    """A channel of this ratio at most, of one of five kinds."""
    kind = rng.choice(["vertex", "vertex", "interior", "told", "response", "Hadamard"])
    if kind == "vertex":
        return vertex_channel(inputs, ratio, rng)
    if kind == "response":
        return RandomizedResponse(inputs, ratio=ratio)
    if kind == "Hadamard":
        return HadamardResponse(inputs, ratio=ratio)
    if kind == "told":
        return told(*(vertex_channel(inputs, ratio, rng) for _ in range(2)), Fraction(int(rng.integers(1, 8)), 8))
    return random_channel(inputs, int(rng.integers(2, 4)), ratio=ratio, rng=rng)
