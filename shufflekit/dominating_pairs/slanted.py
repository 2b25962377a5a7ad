"""``E(S - x)_+`` at many alphas, from few of them: for sums S of scores ``u0 - alpha u1``, that many share lines.

``S - x`` is linear in alpha and x, and so W(alpha, x) = E(S - x)_+ is convex in both together. Along any line through
(alpha, x), on which x falls by m as alpha grows by 1, it is below the chord of two alphas on both sides, and above the
chord of two on one side, gone on. With m the mean of the u1's sum U where S is x, the line bends the least: both are
off by about the variance of U there, times half the product of the two distances, times S's density.
"""

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import KNOWN
from shufflekit.bracket import Ends
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.chords import stop_losses_at_many
from shufflekit.dominating_pairs.halves import Parts
from shufflekit.dominating_pairs.line import EDGE, Share
from shufflekit.dominating_pairs.lines import Sums, saddles, work

SOME = 65  # alphas, at which it is worked out how lines should lie
PART = 1 / 2  # of the tolerance: a chord is off by an eighth of that, one gone on by three
FEWER = 3.0  # times fewer alphas than are asked about: else each may as well be looked at itself
ROUGHEST = 1e-3  # a tolerance that costs next to nothing
WIDEST, LONGEST = 1 / 4, 1 / 4  # of all alphas, and of one: below 0 scores change their signs
HALVINGS, LOOSE = 60, 1.5  # of a distance, until lines bend as little all along it, or that times as much
NONE = 1e-300  # a variance
LOOKED_AT, MOST_WORK = 4, 4e6  # alphas, whose work tells of all; sines of all, beyond which there is more noise


def excess_at_many(scores: Parts, number: int, alpha: Array, x: Array, rtol: float, noise: float) -> Ends | None:
    """Both ends at rising alphas, each at an x of its own, if few alphas do; each look may be off by ``noise``."""
    if scores.u1.any() and not scores.u0.any():  # all scores are one law, times alpha
        turned = excess_at_many(scores.turned, number, np.ones(len(x)), x / alpha, rtol, noise)
        return turned and Ends(alpha * turned.lower, alpha * turned.upper)
    if not scores.u1.any():  # one law
        crowd = _crowd(scores.sent, number, 1.0)
        lower, upper = stop_losses_at_many(crowd, x, min(rtol, ROUGHEST))
        return Ends(lower * (1 - noise), upper * (1 + noise))
    scores = scores.sent
    largest = number * scores.at_all(alpha).max(axis=1)
    inside = (x < largest * (1 + EDGE)) & (largest > 0)  # beyond the largest sum nothing is left
    if np.count_nonzero(inside) < FEWER:
        return None
    found = _inside(scores, number, alpha[inside], x[inside], min(rtol, ROUGHEST), noise)
    if found is None:
        return None
    ends = Ends(np.zeros(len(x)), np.zeros(len(x)))
    ends.lower[inside], ends.upper[inside] = found
    return ends


def _inside(scores: Parts, number: int, alpha: Array, x: Array, rtol: float, noise: float) -> Ends | None:
    anchors, slope = _anchors(scores, number, alpha, x, rtol)
    if len(anchors) * FEWER > len(alpha):
        return None
    # As many nodes are heard as their noise lets through: the root of the tolerance times fewer.
    few = anchors[np.unique(np.linspace(0, len(anchors) - 1, LOOKED_AT).astype(int))]
    value = scores.at_all(few)
    needed = work(value, np.broadcast_to(scores.chance, value.shape), number, np.interp(few, alpha, x), rtol)
    rtol = min(rtol * max(1.0, (needed / MOST_WORK * len(anchors) / len(few)) ** 2), ROUGHEST)
    cell = np.clip(np.searchsorted(anchors, alpha, side="right") - 1, 1, len(anchors) - 3)
    right = anchors[cell + 1] - alpha < alpha - anchors[cell]
    # By columns: the alphas on both sides of each, and the one beyond the nearer of these.
    used = np.column_stack([cell, cell + 1, np.where(right, cell + 2, cell - 1)])
    at = x[:, None] + slope[:, None] * (alpha[:, None] - anchors[used])
    lower, upper = np.zeros(at.shape), np.zeros(at.shape)
    for i, anchor in enumerate(anchors):
        own = used == i
        if own.any():
            lower[own], upper[own] = stop_losses_at_many(_crowd(scores, number, anchor), at[own], rtol)
    # Where lines lie is rounded, next to how far they fall.
    off = noise * (1 + np.abs(slope[:, None]) / number)
    lower, upper = lower * (1 - off), upper * (1 + off)
    first, last = anchors[cell], anchors[cell + 1]
    weight = np.clip((alpha - first) / (last - first), 0.0, 1.0)
    most = (1 - weight) * upper[:, 0] + weight * upper[:, 1]
    near, far = np.where(right, last, first), anchors[used[:, 2]]
    weight = (alpha - near) / (alpha - far)
    least = (np.where(right, lower[:, 1], lower[:, 0]) - weight * upper[:, 2]) / (1 - weight)
    return Ends(np.where(least > KNOWN, least, 0.0), most)


def _crowd(scores: Parts, number: int, alpha: float) -> Share:
    return Share(Scores(scores.at(alpha), scores.chance), np.full(1, float(number)), np.ones(1))


def _anchors(scores: Parts, number: int, alpha: Array, x: Array, rtol: float) -> tuple[Array, Array]:
    """Alphas to look at, from before the first asked about to beyond the last, two on each side; and each line's m."""
    some = np.unique(np.linspace(0, len(alpha) - 1, SOME).astype(int))
    known, at = alpha[some], x[some]
    value = scores.at_all(known)
    c = saddles(Sums(value, np.broadcast_to(scores.chance, value.shape), number, at))
    slope, deviation = _second(scores, number, c, known, at)
    allowed = np.sqrt(PART * rtol * np.maximum(1.0, c * at)) / c
    apart = np.minimum(allowed / deviation, np.minimum(WIDEST * (alpha[-1] - alpha[0]), LONGEST * known))
    for _ in range(HALVINGS):
        # Farther away other kinds may be the likely ones.
        bend = np.zeros(len(some))
        for far in (-2 * apart, 2 * apart):
            mean, deviation = _second(scores, number, c, known + far, at - slope * far)
            bend = np.maximum(bend, np.hypot(mean - slope, deviation))
        wide = apart * bend > LOOSE * allowed
        if not wide.any():
            break
        apart[wide] /= 2
    found = [float(alpha[0])]
    while found[-1] < alpha[-1] and len(found) * FEWER <= len(alpha):
        step = float(np.interp(found[-1], known, apart))
        near = apart[(known > found[-1]) & (known < found[-1] + step)]
        found.append(found[-1] + min(step, float(near.min(initial=step))))
    anchors = [found[0] - float(apart[0]), *found, found[-1] + float(apart[-1])]
    return np.array(anchors), np.interp(alpha, known, slope)


def _second(scores: Parts, number: int, c: Array, alpha: Array, x: Array) -> tuple[Array, Array]:
    """About the mean and deviation of the u1's sum where that of scores is x, which the tilts c make likely."""
    value = scores.at_all(alpha)
    power = c[:, None] * value
    weight = scores.chance * np.exp(power - power.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    mean, second = ((weight * u).sum(axis=1) for u in (value, scores.u1))
    own, other = value - mean[:, None], scores.u1 - second[:, None]
    both, square, left = ((weight * u).sum(axis=1) for u in (own * other, own**2, other**2))
    follows = both / np.maximum(square, NONE)
    deviation = np.sqrt(number * np.maximum(left - follows * both, NONE))
    return number * second + follows * (x - number * mean), deviation
