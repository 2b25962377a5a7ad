"""Lists whose outcomes are looked at one by one, with no grid and no transform."""

from collections.abc import Sequence

import numpy as np

from shufflekit.atoms import Atoms
from shufflekit.loss_distribution.curve import Curve, deltas
from shufflekit.loss_distribution.parts import Leftover, Part, leftover, rounding


def same(first: Atoms, second: Atoms) -> bool:
    """Whether both are one list."""
    return np.array_equal(first.loss, second.loss) and np.array_equal(first.log_q, second.log_q)


def all_outcomes(parts: Sequence[Part[Atoms]]) -> Atoms:
    """The rounds' outcomes in all combinations."""
    loss, log_q = np.zeros(1), np.zeros(1)
    for pair, rounds in parts:
        for _ in range(rounds):
            loss = (loss[:, None] + pair.loss).ravel()
            log_q = (log_q[:, None] + pair.log_q).ravel()
    order = np.argsort(loss)
    left = leftover(parts)
    return Atoms(loss[order], log_q[order], left.missing, left.infinite, left.noise)


def single_round(pair: Atoms, left: Leftover, *, upper: bool) -> Curve:
    """One round needs no grid: delta is linear in ``e^eps`` between the atoms, and from the first one down."""
    sign, start = 1 if upper else -1, min(0.0, float(pair.loss[0])) - 1
    loss, weight = np.append(start, pair.loss), np.append(0.0, np.exp(pair.log_q + pair.loss))
    delta = deltas(loss, weight) * (1 + sign * left.noise)
    unlisted = left.infinite * (1 + sign * left.noise) + (left.missing if upper else 0.0)
    return Curve(loss + sign * rounding([Part(pair, 1)]), delta + unlisted, 0.0, upper=upper)
