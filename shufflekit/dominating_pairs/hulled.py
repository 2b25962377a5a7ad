"""A pair that is known at one alpha at a time, the same from either side, made into a list: chords between knots."""

import math
from functools import lru_cache

import numpy as np

from shufflekit._validate import Array
from shufflekit.atoms import Enclosure
from shufflekit.convex_order import connected, hull
from shufflekit.dominating_pairs.knots import knots
from shufflekit.dominating_pairs.pair import Pair

KNOTS_APART, CLOSE, GROWTH = 1 / 24, 10.0, 1.03  # deviations apart, up to so many; then so many times as far
FIRST, MORE = 0.8, 8  # of a normal law's way, and how many knots more at once then


@lru_cache(maxsize=20)  # a search over rounds, or for delta, asks again and again
def listed_by_knots(pair: Pair, log_cut: float) -> Enclosure:
    """The law whose profile connects the dots of a symmetric pair."""
    eps, found = _known(pair, log_cut)
    profile = hull(eps, found)
    # The first knots, with nearly all outcomes, are equally far apart.
    atoms = connected(eps, profile, profile)._replace(spacing=float(eps[1]))
    return Enclosure(atoms, atoms)


def _known(pair: Pair, log_cut: float) -> tuple[Array, Array]:
    """Knots from 0 to where what is left may be left out, or nothing is, and the profile there.

    How far they reach is guessed, and more are added if that was not enough: points cost little together, and looks
    much.
    """
    deviation, top = _guessed(pair, log_cut)
    most = pair.largest_loss
    eps = _knots(deviation, min(top, most))
    found = pair.delta(eps).upper
    while found[-1] > math.exp(log_cut) and eps[-1] < most:
        more = np.minimum(float(eps[-1]) * GROWTH ** np.arange(1.0, MORE + 1), most)
        more = more[np.append(True, more[1:] > more[:-1])]
        eps, found = np.append(eps, more), np.append(found, pair.delta(more).upper)
    last = max(2, 1 + int(np.argmax((found <= math.exp(log_cut)) | (eps >= most))))  # a chord has two ends
    return eps[:last], found[:last]


def _guessed(pair: Pair, log_cut: float) -> tuple[float, float]:
    """About the loss's deviation, and where hardly anything is left: by what has a like curve, if there is such a pair.

    Else as far as a normal law goes.
    """
    first = (pair.guide or pair).delta(np.zeros(1)).upper
    deviation = math.sqrt(2 * math.pi) * float(first[0])
    if pair.guide is None:
        return deviation, FIRST * deviation * math.sqrt(-2 * log_cut)
    return deviation, float(knots(pair.guide, log_cut)[-1])


def _knots(deviation: float, top: float) -> Array:
    """From 0 to the top."""
    close = KNOTS_APART * deviation * np.arange(math.ceil(min(top / deviation, CLOSE) / KNOTS_APART) + 1.0)
    growing = float(close[-1]) * GROWTH ** np.arange(1.0, 1 + max(0.0, math.log(top / close[-1]) / math.log(GROWTH)))
    eps = np.concatenate([close, growing])
    return np.append(eps[eps < top], top)
