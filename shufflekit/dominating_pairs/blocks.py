"""The binomial number of labelled messages, cut off at both ends and taken in blocks."""

import math
from typing import NamedTuple

import numpy as np

from shufflekit._binomial import masses, pmf, tail
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN
from shufflekit.convex_order import divided_in_order


class Blocks(NamedTuple):
    """The values of c from ``low`` to ``high``, and their probability."""

    low: Array
    high: Array
    mass: Array

    @property
    def single(self) -> bool:
        """Whether every block is one value."""
        return bool((self.low == self.high).all())


def blocks(n: int, rate: float, rest: float, *, width: float, log_cut: float) -> Blocks:
    """``c ~ Bin(n, rate)`` in blocks no wider than ``width * c``; outside them lies about ``e^log_cut`` at most.

    ``rest`` is ``1 - rate``, given apart so that neither loses digits.
    """
    first, last = window(n, rate, rest, log_cut)
    step = max(1, math.floor(width * first))
    low = np.arange(first, last + 1.0, step)
    high = np.minimum(low + step - 1, last)
    if step == 1:
        return Blocks(low, high, pmf(low, n, rate) if rate <= rest else pmf(n - low, n, rest))
    return Blocks(low, high, masses(np.append(low, last + 1.0), n, rate, rest))


def window(n: int, rate: float, rest: float, log_cut: float) -> tuple[int, int]:
    """Two numbers beyond either of which ``Bin(n, rate)`` has at most ``e^log_cut`` (Bernstein), with one to spare."""
    reach = -log_cut / 3 + math.sqrt(log_cut**2 / 9 - 2 * log_cut * n * rate * rest)
    return max(0, math.floor(n * rate - reach) - 1), min(n, math.ceil(n * rate + reach) + 1)


def means(parts: Blocks, n: int, rate: float, rest: float) -> Array:
    """``E[c | block]`` of each block."""
    if parts.single:
        return parts.low
    # E[c; low <= c <= high] is n rate times the probability of one message less, one place lower.
    edges = np.append(parts.low, parts.high[-1] + 1) - 1
    known = parts.mass > KNOWN
    mean = n * rate * masses(edges, n - 1, rate, rest) / np.where(known, parts.mass, 1.0)
    return np.where(known, np.clip(mean, parts.low, parts.high), parts.high)


class Outside(NamedTuple):
    """What lies outside a window: ``Pr``, ``E[c; outside]`` and ``E[n - c; outside]``."""

    probability: float
    labelled: float
    others: float


def outside(n: int, rate: float, rest: float, first: int, last: int) -> Outside:
    """The probability outside ``first..last``, and the first moments there."""
    before = (
        tail(n - first + 1, n, rest, rate),
        tail(n - first + 1, n - 1, rest, rate),
        tail(n - first, n - 1, rest, rate),
    )
    after = tail(last + 1, n, rate, rest), tail(last, n - 1, rate, rest), tail(last + 1, n - 1, rate, rest)
    chance, labelled, others = (float(b + a) for b, a in zip(before, after, strict=True))
    return Outside(chance, n * rate * labelled, n * rest * others)


class Cells(NamedTuple):
    """A law on whole numbers, cut at nodes: what lies between two, and its mean; and all of it moved to the nodes.

    Moving leaves the mean of each cell as it is, so it is a larger law in the convex order; the cells' means are a
    smaller one.
    """

    mass: Array
    mean: Array
    nodes: Array
    moved: Array


def cells(n: Array, rate: float, nodes: Array) -> Cells:
    """``Bin(n, rate)``, for each n, cut at the nodes, which start at 0; a last one is put above n."""
    n = n[:, None]
    nodes = np.concatenate([np.broadcast_to(nodes, (len(n), len(nodes))), np.maximum(n, nodes[-1]) + 1], axis=1)
    low, high = nodes[:, :-1], nodes[:, 1:]
    mass = np.maximum(masses(nodes, n, rate, 1 - rate), 0.0)
    moment = np.maximum(n * rate * masses(nodes - 1, n - 1, rate, 1 - rate), 0.0)
    mean = np.clip(moment / np.where(mass > KNOWN, mass, np.inf), low, np.maximum(high - 1, low))
    return Cells(mass, mean, nodes, divided_in_order((mean - low) / (high - low), mass))
