"""How many check in: K ~ Bin(n, gamma), in blocks small enough that whatever is averaged over K hardly notices."""

import math
from typing import NamedTuple

import numpy as np

from shufflekit import _validate
from shufflekit._binomial import log_pmf, masses
from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN, pmf_error, stretch_error
from shufflekit.dominating_pairs.blocks import window

MAX_N = 10**12
MOST_BLOCKS = 8192
ROUND_OFF = 1e-9  # by which (1 - Delta) n gamma may miss a whole number, of n gamma


class Counts(NamedTuple):
    """Blocks ``low <= K <= high``, the logarithm of each block's chance, rounded up, and that of being in none."""

    low: Array
    high: Array
    log_chance: Array
    log_outside: float


def counts(n: int, gamma: float, log_cut: float) -> Counts:
    """Blocks that K from 1 on is in, but with a chance of at most ``2 e^log_cut``. Up to 8,192 values: each its own."""
    n, gamma = checked(n, gamma)
    if gamma == 1:
        return Counts(np.array([float(n)]), np.array([float(n)]), np.zeros(1), -math.inf)
    mean, (first, last) = n * gamma, window(n, gamma, 1 - gamma, log_cut)
    first = max(1, first)
    outside = log_cut + math.log(2) if first > 1 or last < n else -math.inf
    if last - first < MOST_BLOCKS:
        k = np.arange(first, last + 1.0)
        return Counts(k, k, log_pmf(k, n, gamma) + math.log1p(pmf_error(mean)), outside)
    edges = np.unique(np.floor(np.linspace(first, last + 1, MOST_BLOCKS + 1)))
    low, high = edges[:-1], edges[1:] - 1
    return Counts(low, high, _log_chances(low, high, n, gamma), outside)


def checked(n: int, gamma: float) -> tuple[int, float]:
    """The clients and the rate with which each of them checks in."""
    return _validate.count(n=n, at_most=MAX_N), _validate.rate(gamma=gamma)


def fewer(n: int, gamma: float, Delta: float) -> int:
    """``(1 - Delta) n gamma``, which Lemma 4 and Theorem 2 want to be a whole number; Delta is at most 1."""
    (n, gamma), Delta = checked(n, gamma), _validate.nonnegative(Delta=Delta)
    if Delta > 1:
        raise ValueError(f"Delta must be at most 1, got {Delta!r}")
    return _whole((1 - Delta) * n * gamma, n * gamma, f"Delta must make (1 - Delta) n gamma a whole number: {Delta!r}")


def more(n: int, gamma: float, Delta: float) -> int:
    """``(1 + Delta) n gamma``, which Lemma 5 wants to be a whole number."""
    (n, gamma), Delta = checked(n, gamma), _validate.nonnegative(Delta=Delta)
    return _whole((1 + Delta) * n * gamma, n * gamma, f"Delta must make (1 + Delta) n gamma a whole number: {Delta!r}")


def _whole(number: float, mean: float, allowed: str) -> int:
    if abs(number - round(number)) > ROUND_OFF * max(1.0, mean):
        raise ValueError(f"{allowed} makes it {number!r}")
    return round(number)


def _log_chances(low: Array, high: Array, n: int, gamma: float) -> Array:
    """Of blocks: a difference of tails, and where that is too small to be known, its largest term times its width."""
    mean = n * gamma
    known = masses(np.append(low, high[-1] + 1), n, gamma, 1 - gamma)
    largest = log_pmf(np.clip(math.floor(mean), low, high), n, gamma)
    above = np.maximum(largest, log_pmf(np.clip(math.ceil(mean), low, high), n, gamma)) + np.log(high - low + 1)
    log_known = np.log(np.maximum(known, KNOWN)) + math.log1p(stretch_error(n, gamma))
    return np.asarray(np.where(known > KNOWN, log_known, above + math.log1p(pmf_error(mean))))
