"""A run's privacy loss as a ``PrivacyLossDistribution`` of dp-accounting, to be composed with others of theirs."""

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from shufflekit import _validate
from shufflekit._digits import rounded
from shufflekit.accuracy import LISTED_ERROR
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.convex_order import connected, split
from shufflekit.loss_distribution import Composition, Part
from shufflekit.loss_distribution.curve import Curve
from shufflekit.loss_distribution.grids import MAX_GRID
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.parts import leftover, moments, reach
from shufflekit.loss_distribution.spectrum import composed

LOG_CUT = -50.0  # of the P-mass that may be left out, of all rounds: far below what their arithmetic can show
RTOL = 1e-4
TILTS = (0.0, 3.0, 6.0, 9.0)  # standard deviations out
LEAST_PART = 0.05  # of the deviation: less, and hardly more than one outcome is left
MOST_KNOTS = 4_000
MOST_CELLS = 10_000_000


def to_dp_accounting(rounds: Composition, interval: float = 1e-4) -> Any:
    """The rounds' upper law in both directions, on multiples of ``interval``, their ``value_discretization_interval``.

    Formal guarantee: pessimistic, composed or not, for data sets that differ in one record's value: compose it with
    mechanisms calibrated for that (``REPLACE_ONE``; random allocation's is ``ADD_OR_REMOVE_ONE``) and of the same
    interval. The interval should be a small part of the rounds' eps. Theirs cannot tell what is below a delta of about
    1e-15; ``Run.epsilon`` can.

    Raises:
        ImportError: where dp-accounting is missing.
    """
    try:
        theirs: Any = import_module("dp_accounting.pld.privacy_loss_distribution").PrivacyLossDistribution
    except ImportError as reason:
        raise ImportError("to_dp_accounting needs dp-accounting: pip install 'shufflekit[interop]'") from reason
    interval = _validate.positive(interval=interval)
    laws = _upper_laws(rounds, interval)
    masses, infinity = _on_grid(laws[0], interval)
    if len(laws) == 1:
        return theirs.create_from_rounded_probability(masses, infinity, interval)
    masses_back, infinity_back = _on_grid(laws[1], interval)
    return theirs.create_from_rounded_probability(
        masses, infinity, interval, True, masses_back, infinity_back, symmetric=False
    )


def _upper_laws(rounds: Composition, interval: float) -> list[Atoms]:
    """The upper law of all rounds from P to Q, and from Q to P if that is another."""
    log_cut = LOG_CUT - math.log(sum(own for _, own in rounds.parts))
    parts = []
    for way in rounds.both_ways():
        upper = [(pair.listed(log_cut, RTOL).upper, own) for pair, own in way.parts]
        # Where outcomes are few, this is one round with all of them.
        parts.append(Listed([Part(Enclosure(atoms, atoms), own) for atoms, own in upper]).upper)
    if all(len(one) == 1 and one[0].rounds == 1 for one in parts):
        return [one[0].pair for one in parts]
    curves = [_curves(one) for one in parts]
    # Beyond the last point of an upper curve stands only what is at infinity.
    top = max(min(float(curve.eps[-1]) for curve in way) for way in curves)
    cells = math.ceil(max(top, 0.0) / interval) + 1
    eps = interval * np.arange(0.0, cells + 1, math.ceil(cells / MOST_KNOTS), dtype=np.float64)
    deltas = [np.array([min(curve.delta(float(at)) for curve in way) for at in eps]) for way in curves]
    return [connected(eps, deltas[i], deltas[-1 - i]) for i in range(len(deltas))]


def _curves(parts: Sequence[Part[Atoms]]) -> list[Curve]:
    """Upper bounds on the delta of all rounds: one accurate in the middle, and some, tilted, in the tail."""
    rounds = sum(own for _, own in parts)
    left = leftover(parts)
    deviation = moments(parts, 0.0).deviation
    curves = []
    for tilt in np.array(TILTS) / deviation:
        if moments(parts, tilt).deviation < LEAST_PART * deviation:
            break
        low, high = reach(parts, tilt)
        widest = max(high - low, *(float(np.ptp(atoms.loss)) for atoms, _ in parts))
        step = max(deviation * math.sqrt(RTOL / rounds), widest / MAX_GRID)
        grids = [Part(split(atoms, step), own) for atoms, own in parts]
        curves.append(composed(grids, tilt, left, upper=True))
    return curves


def _on_grid(atoms: Atoms, interval: float) -> tuple[dict[int, float], float]:
    """The P-masses at multiples of the interval, each loss divided between its neighbours; and that at infinity."""
    if np.ptp(atoms.loss) > MOST_CELLS * interval:
        least = rounded(float(np.ptp(atoms.loss)) / MOST_CELLS, up=True, digits=2)
        raise ValueError(f"interval must be at least {least:g} for so large losses, got {interval:g}")
    grid = split(atoms, interval)
    mass = np.exp(grid.log_q + grid.loss) * (1 + LISTED_ERROR + atoms.error)
    infinity = min(1.0, atoms.infinite + atoms.missing)
    return dict(zip(grid.place.tolist(), mass.tolist(), strict=True)), infinity
