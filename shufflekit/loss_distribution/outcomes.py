"""Lists whose outcomes are looked at one by one, with no grid and no transform."""

import math
from collections.abc import Sequence

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT
from shufflekit.atoms import Atoms
from shufflekit.dominating_pairs.few_sums import all_ways
from shufflekit.loss_distribution.curve import Curve, deltas
from shufflekit.loss_distribution.parts import Leftover, Part, leftover, rounding

MOST_ROUNDS, MOST_WORK = 64, 2**19  # of one pair; and outcomes of its rounds times those of one, squared
GRID_DIGITS = 40  # and 6 of so many rounds are fewer than floating point's 53


def same(first: Atoms, second: Atoms) -> bool:
    """Whether both are one list."""
    return np.array_equal(first.loss, second.loss) and np.array_equal(first.log_q, second.log_q)


def are_few(parts: Sequence[Part[Atoms]], most: int) -> bool:
    """Whether there are no more than ``most`` outcomes of all rounds to look at.

    Of one pair whatever their order, or where that takes long in their order.
    """
    if any(rounds > MOST_ROUNDS for _, rounds in parts):
        return False
    return math.prod(_unordered(pair, rounds) or len(pair.loss) ** rounds for pair, rounds in parts) <= most


def _unordered(pair: Atoms, rounds: int) -> int:
    """How many there are of one pair whatever their order; 0 where that takes long to say of each."""
    number = math.comb(rounds + len(pair.loss) - 1, rounds)
    return number if number * len(pair.loss) ** 2 <= MOST_WORK and np.isfinite(pair.log_q).all() else 0


def all_outcomes(parts: Sequence[Part[Atoms]]) -> Atoms:
    """How often each of the rounds' outcomes comes, in all ways, or which comes when."""
    loss, log_q, size = np.zeros(1), np.zeros(1), 0.0
    for pair, rounds in parts:
        if _unordered(pair, rounds):
            times, log_ways = all_ways(rounds, len(pair.loss))
            loss = (loss[:, None] + _summed(times, pair.loss)).ravel()
            log_q = (log_q[:, None] + (_summed(times, pair.log_q) + log_ways)).ravel()
            size += rounds * float(np.abs(pair.log_q).max()) + 3 * math.lgamma(rounds + 1)
            continue
        for _ in range(rounds):
            loss = (loss[:, None] + pair.loss).ravel()
            log_q = (log_q[:, None] + pair.log_q).ravel()
    order = np.argsort(loss)
    left = leftover(parts)
    # Each part's logarithms are rounded about twice, and once more where they are added.
    error = left.noise + 2 * (2 + len(parts)) * UNIT * size
    return Atoms(loss[order], log_q[order], left.missing, left.infinite, error)


def _summed(times: Array, value: Array) -> Array:
    """``times . value``, each sum rounded about once: what is on a coarse grid is summed without any rounding."""
    grid = max(2.0 ** (math.frexp(float(np.abs(value).max()))[1] - GRID_DIGITS), TINY)
    coarse = np.round(value / grid) * grid
    return np.asarray(dot(times, coarse) + dot(times, value - coarse))


def single_round(pair: Atoms, left: Leftover, *, upper: bool) -> Curve:
    """One round needs no grid: delta is linear in ``e^eps`` between the atoms, and from the first one down."""
    sign, start = 1 if upper else -1, min(0.0, float(pair.loss[0])) - 1
    loss, weight = np.append(start, pair.loss), np.append(0.0, np.exp(pair.log_q + pair.loss))
    delta = deltas(loss, weight) * (1 + sign * left.noise)
    unlisted = left.infinite * (1 + sign * left.noise) + (left.missing if upper else 0.0)
    return Curve(loss + sign * rounding([Part(pair, 1)]), delta + unlisted, 0.0, upper=upper)
