"""A law below a pair of which only the ends of delta are known, at knots."""

import math

import numpy as np

from shufflekit._validate import Array
from shufflekit.dominating_pairs.pair import Atoms, Ends


def below(eps: Array, forth: Ends, back: Ends) -> Atoms:
    """A law whose delta is nowhere above the one known at knots from 0 on: ``forth`` of (P, Q), ``back`` of (Q, P)."""
    loss, q = _half(eps, forth, back)
    loss_back, p_back = _half(eps, back, forth)
    # What P has more on the right, it has less on the left: neither side may claim more than the other.
    excess, excess_back = float(q @ np.expm1(loss)), float(p_back @ np.expm1(loss_back))
    q = q * min(1.0, excess_back / excess if excess else 1.0)
    q_back = p_back * np.exp(loss_back)
    total = float(q.sum() + q_back.sum())
    share, middle = min(1.0, 1 / total if total else 1.0), max(0.0, 1 - total)
    mass = np.concatenate([share * q_back[::-1], [middle], share * q])
    loss = np.concatenate([-loss_back[::-1], [0.0], loss])
    return Atoms(loss[mass > 0], np.log(mass[mass > 0]))


def _half(eps: Array, forth: Ends, back: Ends) -> tuple[Array, Array]:
    """Losses above 0 and their Q-masses, from the extended chords of delta as a function of ``alpha = e^eps``."""
    # At 1/alpha delta is 1 - 1/alpha + back/alpha.
    alpha = np.append(np.exp(-eps[1]), np.exp(eps))
    low = np.append(np.nan, forth.lower)
    high = np.append(-math.expm1(-eps[1]) + math.exp(-eps[1]) * back.upper[1], forth.upper)
    # Between two knots, the chord before them and the one after, both with the ends that make them lower.
    step = np.diff(alpha)
    before = (low[1:] - high[:-1]) / step
    after = np.append((high[2:] - low[1:-1]) / step[1:], [0.0, 0.0])[1:]
    a, b = low[1:], np.append(low[2:], 0.0)
    width = np.append(step[1:], -a[-1] / before[-1] if before[-1] < 0 else 1.0)
    # a + before x = b - after (width - x)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.clip(np.nan_to_num((b - after * width - a) / (before - after), nan=0.0), 0.0, width)
    value = np.maximum(np.maximum(a + before * x, b - after * (width - x)), 0.0)
    places = np.concatenate([alpha[1:], alpha[1:] + x])
    values = np.concatenate([a, value])
    order = np.argsort(places, kind="stable")
    places, values = _hull(places[order], values[order])
    slopes = np.append(np.diff(values) / np.diff(places), 0.0)
    q = np.maximum(np.diff(slopes), 0.0)
    loss = np.log(places[1:])
    return loss[q > 0], q[q > 0]


def _hull(x: Array, y: Array) -> tuple[Array, Array]:
    """The greatest convex function below points with rising x."""
    kept: list[int] = []
    for i in range(len(x)):
        while kept and x[i] == x[kept[-1]] and y[i] <= y[kept[-1]]:
            kept.pop()
        if kept and x[i] == x[kept[-1]]:
            continue
        while len(kept) > 1:
            j, k = kept[-2], kept[-1]
            if (y[k] - y[j]) * (x[i] - x[k]) < (y[i] - y[k]) * (x[k] - x[j]):
                break
            kept.pop()
        kept.append(i)
    return x[kept], y[kept]
