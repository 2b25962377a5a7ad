"""What any pair's lists must be: one on either side of its delta, near it, and two laws."""

import math

import numpy as np

from shufflekit.convex_order import profile
from shufflekit.dominating_pairs import Pair

SHARES = np.array([0.0, 0.3, 1.0, 2.0, 3.0])  # of a deviation


def deviations(pair: Pair) -> np.ndarray:
    """Some eps where delta is no tiny number: a normal loss of deviation s has ``s/sqrt(2 pi)`` for delta at 0."""
    eps = SHARES * math.sqrt(2 * math.pi) * float(pair.delta(np.zeros(1)).upper[0])
    return eps[eps < 0.9 * pair.largest_loss]


def closely_listed(pair: Pair, within: float, *, log_cut: float = -40.0, rtol: float = 1e-4) -> None:
    """The pair's lists, and those of (Q, P), are on either side, and so near each other, relative to delta at 0."""
    for way in {pair, pair.reversed()}:
        eps, (lower, upper) = deviations(way), way.listed(log_cut, rtol)
        ends = way.delta(eps)
        below = profile(lower._replace(missing=0.0), eps) * (1 - lower.error)
        above = profile(upper, eps) * (1 + upper.error)
        if not pair.one_sided:  # else both lists are from above
            assert (below <= ends.upper * (1 + 1e-9)).all()
            assert (ends.lower - below <= within * ends.upper[0]).all()
        assert (ends.lower <= above * (1 + 1e-9)).all()
        assert (above - ends.upper <= within * ends.upper[0]).all()
        for atoms in (lower, upper):
            assert (np.diff(atoms.loss) >= 0).all()
            assert atoms.missing <= 100 * math.exp(log_cut)
            q, p = np.exp(atoms.log_q).sum(), np.exp(atoms.log_q + atoms.loss).sum()
            assert abs(p + atoms.infinite + atoms.missing - 1) < 1e-3
            assert q <= 1 + 1e-9


def on_a_lattice(pair: Pair) -> None:
    """Where a list says how far apart its losses are, those around 0 are so far apart, or a few times so far."""
    atoms = pair.listed(-40.0).upper
    around = atoms.loss[np.searchsorted(atoms.loss, 0.0) - 2 :][:5]
    assert atoms.spacing > 0
    gaps = np.diff(around) / atoms.spacing
    assert (np.abs(gaps - np.round(gaps)) < 0.05).all()
    assert 1 <= round(gaps.min()) <= 3
    assert np.abs(atoms.loss - atoms.origin).min() < 1e-12
