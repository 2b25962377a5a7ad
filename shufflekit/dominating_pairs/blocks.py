"""The binomial number of labelled messages, cut off at both ends and taken in blocks."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import lambertw

from shufflekit._binomial import masses, pmf, tail
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN
from shufflekit.convex_order import divided_in_order

FAR, GROWTH = 6.5, 1.2  # deviations, beyond which blocks are ever wider; times
NEAR, AT_ONCE = 16, 2**18  # values a cell, on the average, that are added up; and of all rows at once
SELDOM, LEAST = 1.0, 1e-300  # on the average: of fewer Bernstein's bound counts many more; and 1 over that is a number


class Blocks(NamedTuple):
    """The values of c from ``low`` to ``high``, and their probability."""

    low: Array
    high: Array
    mass: Array

    @property
    def single(self) -> bool:
        """Whether every block is one value."""
        return bool((self.low == self.high).all())


def blocks(n: int, rate: float, rest: float, *, width: float, log_cut: float, growing: bool = False) -> Blocks:
    """``c ~ Bin(n, rate)`` in blocks no wider than ``width * c``; outside them lies about ``e^log_cut`` at most.

    ``rest`` is ``1 - rate``, given apart so that neither loses digits. ``growing`` are blocks far out, see ``starts``.
    """
    first, last = window(n, rate, rest, log_cut)
    step = _step(width, first, last)
    if growing:
        low = starts(n, rate, rest, width=width, log_cut=log_cut)
        high = np.append(low[1:] - 1, last)
    else:
        low = np.arange(first, last + 1.0, step)
        high = np.minimum(low + step - 1, last)
    if step == 1:
        return Blocks(low, high, _chances(low, n, rate, rest))
    return Blocks(low, high, masses(np.append(low, last + 1.0), n, rate, rest))


def _chances(m: Array, n: Array | int, rate: float, rest: float) -> Array:
    """Of single numbers, by the rarer kind, whose rate has all its digits."""
    return pmf(m, n, rate) if rate <= rest else pmf(n - m, n, rest)


def starts(n: int, rate: float, rest: float, *, width: float, log_cut: float) -> Array:
    """Where blocks start of which those far out, which hardly count, are ever wider.

    A sum of c signs z deviations out is likelier with more of them, by z^2/2 times what c is more than its mean,
    relative. So of all sums of which there is more than ``e^log_cut`` only those c are typical that lie near the mean,
    or above it by no more than -log_cut times their variance, relative to the mean.
    """
    first, last = window(n, rate, rest, log_cut)
    step, mean, variance = _step(width, first, last), n * rate, n * rate * rest
    if step == 1:
        return np.arange(first, last + 1.0)
    away = FAR * math.sqrt(variance)
    usual = mean - away, mean + away - log_cut * variance / mean
    return np.unique(np.floor(stretched(first, last + 1, step, usual)))[:-1]


def _step(width: float, first: int, last: int) -> int:
    """How many numbers a block has; all of them at most, for numpy makes objects of an integer beyond 64 bits."""
    return max(1, math.floor(min(width * first, last - first + 1.0)))


def stretched(low: float, high: float, step: float, usual: tuple[float, float]) -> Array:
    """Points from ``low`` to ``high``, ``step`` apart in the usual stretch, and ever farther outside of it."""
    first, last = min(max(low, usual[0]), high), max(min(high, usual[1]), low)
    inside = np.linspace(first, last, 1 + math.ceil(max(last - first, 0.0) / step))
    outside = [_growing(length, step) for length in (first - low, high - last)]
    return np.unique(np.concatenate([first - outside[0], inside, last + outside[1], [low, high]]))


def _growing(length: float, step: float) -> Array:
    """Distances below ``length``, each step longer than the one before."""
    number = max(0, math.floor(math.log1p(length * (GROWTH - 1) / (step * GROWTH)) / math.log(GROWTH)))
    return step * GROWTH * (GROWTH ** np.arange(1.0, number + 1) - 1) / (GROWTH - 1)


def window(n: int, rate: float, rest: float, log_cut: float) -> tuple[int, int]:
    """Two numbers beyond either of which ``Bin(n, rate)`` has at most ``e^log_cut``, with one to spare.

    By Bernstein; and, of few that come seldom, ``Pr[c >= k] <= e^{k - mean} (mean/k)^k`` (Chernoff).
    """
    mean = n * rate
    reach = -log_cut / 3 + math.sqrt(log_cut**2 / 9 - 2 * log_cut * mean * rest)
    last = mean + reach
    if 0 < mean < SELDOM:
        seldom = max(mean, LEAST)
        last = min(last, seldom * math.exp(1 + float(lambertw((-log_cut / seldom - 1) / math.e).real)))
    return max(0, math.floor(mean - reach) - 1), min(n, math.ceil(last) + 1)


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


def _mass_and_moment(edges: Array, n: Array, rate: float) -> tuple[Array, Array]:
    """Of ``Bin(n, rate)`` between edges, by rows."""
    mass = np.maximum(masses(edges, n, rate, 1 - rate), 0.0)
    return mass, np.maximum(n * rate * masses(edges - 1, n - 1, rate, 1 - rate), 0.0)


def _term_by_term(n: Array, rate: float, edges: Array) -> tuple[Array, Array]:
    """The same between edges that are near each other, all rows having the same: a sum costs less than two tails."""
    values, start = np.arange(edges[0], edges[-1]), (edges[:-1] - edges[0]).astype(np.intp)
    mass, moment = np.empty((len(n), len(start))), np.empty((len(n), len(start)))
    for i in range(0, len(n), step := max(1, AT_ONCE // len(values))):
        own = n[i : i + step]
        possible = np.minimum(values, own)
        chance = _chances(possible, own, rate, 1 - rate)
        chance[values > own] = 0.0
        mass[i : i + step] = np.add.reduceat(chance, start, axis=1)
        moment[i : i + step] = np.add.reduceat(chance * values, start, axis=1)
    return mass, moment


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
    n, inner = n[:, None], nodes
    nodes = np.concatenate([np.broadcast_to(nodes, (len(n), len(nodes))), np.maximum(n, nodes[-1]) + 1], axis=1)
    low, high = nodes[:, :-1], nodes[:, 1:]
    if len(inner) > 2 and inner[-1] - inner[1] <= NEAR * len(inner):
        first, last = (_mass_and_moment(nodes[:, own], n, rate) for own in (slice(2), slice(-2, None)))
        between = _term_by_term(n, rate, inner[1:])
        mass, moment = (np.concatenate(parts, axis=1) for parts in zip(first, between, last, strict=True))
    else:
        mass, moment = _mass_and_moment(nodes, n, rate)
    mean = np.clip(moment / np.where(mass > KNOWN, mass, np.inf), low, np.maximum(high - 1, low))
    return Cells(mass, mean, nodes, divided_in_order((mean - low) / (high - low), mass))
