"""The sampled shuffle [girgis2021] seen by one who knows nearly everything, but not where the changed user went.

k of N = k b users are sampled: put all into k blocks of b at random, and take one of each block. For the changed
user: arrange the N - 1 others, b - 1 to each block and a *spare* to each block but the last; then the changed user
goes to a random block, whose spare goes to the last block instead. That is the same protocol. The adversary of this
module sees the whole arrangement and which slot each message is from, but not which block it was.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np

from shufflekit import _validate
from shufflekit.beyond.attack_search import worst_chi_square
from shufflekit.divergences import Law
from shufflekit.randomizers import Channel, checked_channel, checked_input


class SwappedView(NamedTuple):
    """The laws of the k messages, slot by slot, with x0 and with x1; and a product law to compare them with."""

    p: Law
    q: Law
    reference: Law


def swapped_view(channel: Channel, others: Sequence[int], k: int, x0: int, x1: int) -> SwappedView:
    """The view for one arrangement: ``others`` lists b - 1 inputs a block, then the spares of all blocks but the last.

    Formal guarantee: averaged over all arrangements, any divergence of p and q bounds that of the sampled shuffle.
    """
    channel, k = checked_channel(channel=channel), _validate.count(at_least=2, k=k)
    b, left = divmod(len(others) + 1, k)
    if left:
        raise ValueError(f"others must hold one fewer than a multiple of k = {k}, got {len(others)} inputs")
    rows = channel.probs[[checked_input(channel, others=x) for x in others]]
    x0, x1 = checked_input(channel, x0=x0), checked_input(channel, x1=x1)
    blocks = [sum(rows[i * (b - 1) : (i + 1) * (b - 1)], 0 * rows[0]) for i in range(k)]
    spares = list(rows[k * (b - 1) :])
    share = Fraction(1, b) if rows.dtype == object else 1 / b

    def slots(added: list[Law]) -> Law:
        return reduce(np.multiply.outer, [(block + row) * share for block, row in zip(blocks, added, strict=True)])

    def view(own: Law) -> Law:
        # In block i the changed user is in the place of the spare, who is in the last block.
        swapped = [slots([*spares[:i], own, *spares[i + 1 :], spares[i]]) for i in range(k - 1)]
        return sum(swapped, slots([*spares, own])) * (Fraction(1, k) if rows.dtype == object else 1 / k)

    average = sum(spares, 0 * rows[0]) * (Fraction(1, k - 1) if rows.dtype == object else 1 / (k - 1))
    return SwappedView(view(channel.probs[x0]), view(channel.probs[x1]), slots([*spares, average]))


def order_two_bound(ratio: float | Fraction, k: int, population: int) -> Fraction:
    """A bound on ``E_R ((P - Q)/R)^2`` of the view, R being the reference: what equal others reach, and hardly more.

    Given the last message the k terms are independent with mean 0. The term of slot i is at most V q^2/k^2, V the
    worst chi-square, times ``(L_i/S)^2``, where the L_i, of mean S, are the laws of the last slot: they differ by
    1/b of a spare's law only. Formal guarantee: for k that divides the population.
    """
    V = worst_chi_square(ratio)
    k, population = _validate.count(at_least=2, k=k), _validate.count(population=population)
    if population % k:
        raise ValueError(f"population must be a multiple of k = {k:,}, got {population!r}")
    E, q = Fraction(ratio), Fraction(k, population)
    # Numbers within a factor E of each other have a variance of at most (E-1)^2/(4E) of their squared mean, and two
    # laws that close a chi-square of at most (E-1)^2/E.
    kappa = (E - 1) ** 2 / (4 * E) * (1 + (E - 1) ** 2 / E)
    return q**2 / k * V * (1 + kappa * q**2)
