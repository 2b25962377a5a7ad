"""A pair that is known at one alpha at a time, the same from either side, made into a list: chords between knots."""

import math
from functools import lru_cache

import numpy as np

from shufflekit._validate import Array
from shufflekit.atoms import Enclosure
from shufflekit.convex_order import connected, hull
from shufflekit.dominating_pairs.pair import Pair

KNOTS_APART, CLOSE, GROWTH = 1 / 24, 10.0, 1.03  # deviations apart, up to so many; then so many times as far
FIRST, FARTHER, AT_ONCE = 3.0, 1.3, 6  # deviations, times as far out then, and how many such points at once


@lru_cache(maxsize=20)  # a search over rounds, or for delta, asks again and again
def listed_by_knots(pair: Pair, log_cut: float) -> Enclosure:
    """The law whose profile connects the dots of a symmetric pair."""
    eps = _knots(pair, log_cut)
    profile = hull(eps, pair.delta(eps).upper)
    # The first knots, with nearly all outcomes, are equally far apart.
    atoms = connected(eps, profile, profile)._replace(spacing=float(eps[1]))
    return Enclosure(atoms, atoms)


def _knots(pair: Pair, log_cut: float) -> Array:
    """From 0 to where what is left may be left out, or nothing is."""
    deviation = math.sqrt(2 * math.pi) * float(pair.delta(np.zeros(1)).upper[0])
    top = _top(pair, FIRST * deviation, log_cut)
    close = KNOTS_APART * deviation * np.arange(math.ceil(min(top / deviation, CLOSE) / KNOTS_APART) + 1.0)
    growing = float(close[-1]) * GROWTH ** np.arange(1.0, 1 + max(0.0, math.log(top / close[-1]) / math.log(GROWTH)))
    eps = np.concatenate([close, growing])
    return np.append(eps[eps < top], top)


def _top(pair: Pair, first: float, log_cut: float) -> float:
    """Where hardly anything is left, from the first point on; several at once cost little more than one."""
    most = pair.largest_loss
    while True:
        far = np.minimum(first * FARTHER ** np.arange(AT_ONCE), most)
        enough = (pair.delta(far).upper <= math.exp(log_cut)) | (far >= most)
        if enough.any():
            return float(far[enough][0])
        first = float(far[-1]) * FARTHER
