"""The rows by which notebook 18 holds [beyond] 5 and 8 to 13 and 19 against the truth, each for its whole grid.

A row is a left side, a right side and where: what ``claims.verify`` compares. All is in fractions, but [beyond] 12.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from shufflekit._validate import Array
from shufflekit.beyond import attack_search, few
from shufflekit.beyond.few import Row
from shufflekit.definitions import clones, corners

SAMPLES = ((1, 2), (1, 3), (2, 3), (2, 4), (3, 4))  # k of N
SIZES = (10, 30, 100, 300, 1000)  # messages


def moment_rows() -> Iterator[Row]:
    """[beyond] 5: at five ratios, of 1 to 5 others."""
    for E, m in itertools.product((Fraction(6, 5), Fraction(3, 2), 2, 3, 7), (1, 2, 3, 5)):
        yield from ((left, right, f"m = {m}, E = {E}, {where}") for left, right, where in few.second_moments(E, m))


def sampled_rows() -> Iterator[Row]:
    """[beyond] 8: all data sets of the bench."""
    for channel, size in itertools.product(few.bench(), SAMPLES):
        yield from few.compared(channel, *size)


def check_in_rows() -> Iterator[Row]:
    """[beyond] 11: each by her own coin."""
    rates = Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)
    for channel, n, rate in itertools.product(few.bench()[:6], (2, 3), rates):
        yield from few.compared(channel, n, n, rate)


def known_rows() -> Iterator[Row]:
    """[beyond] 13: each channel with its own rows, a part sampled, and everybody."""
    for channel, size in itertools.product(few.bench(), ((1, 3), (2, 3), (2, 4), (2, 2), (3, 3))):
        yield from few.compared(channel, *size, known=True)


def everybody_rows() -> Iterator[Row]:
    """[beyond] 10: all data sets of the bench, and places that answer in turn."""
    for channel, n in itertools.product(few.bench(), (2, 3, 4)):
        yield from few.compared(channel, n, n)
    for seed in range(4):
        yield from few.turns(3, 3, seed)


def normal_rows() -> Iterator[Row]:
    """[beyond] 12: the game played, and the normal law."""
    for E, m, beta in itertools.product((1.5, 2.0, 3.0, 7.0), SIZES, (0, 1)):
        alpha = 1 + beta / np.sqrt(m)
        where = f"E = {E:g}, m = {m}, beta = {beta}"
        yield few.at_centre(corners(E - 1).laws, m, alpha), few.normal_bound(E, m, alpha), where


def few_user_rows() -> Iterator[Row]:
    """[beyond] 19: at four ratios, one to six users."""
    for case in itertools.product((Fraction(3, 2), 2, 3, 5), (1, 2, 3, 4, 6)):
        yield from few.few_users(*case)


def mixed_epsilon(ratio: Fraction, share: Fraction, n: int, delta: float) -> float:
    """What is reached where each client first draws, and tells, which corner is hers: binary with that chance."""
    weights = attack_search.extreme_weights(ratio)
    mixed = [(1 - share) * a + share * b for a, b in zip(weights[3], weights[4], strict=True)]
    return attack_search.attack_epsilon(ratio, mixed, n, n, 1, delta, 1e-3).lower


def gain_over_3rr(board: few.Board, ratio: int, shift: int) -> Array:
    """How much the best move wins over 3rr, at most; a vote moves the sum by so many steps of the grid."""
    value = board.value[:-1]
    votes = value[:, 2 * shift :] + value[:, : -2 * shift]
    by_3rr = (votes + ratio * value[:, shift:-shift]) / (ratio + 2)
    return np.asarray((board.value[1:, shift:-shift] - by_3rr).max(axis=1))


def at_centres(ratio: float) -> dict[str, list[float]]:
    """``F_m(0)/sqrt(m)`` for the clones' one law, for the five corners, and for 3rr alone."""
    x = ratio - 1
    played = {"clones": (clones(x),), "game": corners(x).laws, "3-RR": corners(x).laws[:1]}
    return {name: [few.at_centre(laws, m) / m**0.5 for m in SIZES] for name, laws in played.items()}
