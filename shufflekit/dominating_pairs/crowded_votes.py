"""Votes of many messages, listed by their sum and their weight: what hardly says anything is not told apart.

An outcome is (W, S): P/R = W + gap/2 S and Q/R = W - gap/2 S are linear in it, so all that can be asked of rounds is
R's mean of a convex function of (W, S). A law of (W, S) that is smaller in the convex order of the plane gives a list
from below, and a larger one a list from above. S, the sum of c signs, is kept as it is; W hardly varies, and so

* from below, outcomes of some neighbouring c and d, and of one S, are taken for one, at their mean of W;
* from above, W is moved to nodes on either side, its mean kept, given c: that decides on the law of S, which is kept.

To have one law of d for several c, d is taken apart: as many messages as may be of the third kind whatever c is, and a
few more, which are at their mean from below, and from above are in W's nodes. Where blocks hold several c, they have
the least number of signs from below, and the largest from above: more signs are larger, and say nothing of W. At last
outcomes are put together by their losses, or, from above, divided between the points of a grid: see ``LossBins``.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._binomial import log_pmf
from shufflekit._dot import dot, product
from shufflekit._validate import Array
from shufflekit.accuracy import STRETCH_ERROR, SUM_ERROR, UNIT, pmf_error
from shufflekit.atoms import Enclosure
from shufflekit.dominating_pairs.blocks import Blocks, means, window
from shufflekit.dominating_pairs.loss_bins import LossBins
from shufflekit.dominating_pairs.third_votes import Thirds, thirds_of
from shufflekit.dominating_pairs.votes_law import VotesLaw

MOST_TOLD = 0.75  # of the weight, that the sum may tell: beyond, weights near each other are not so in terms of Q/R
MOST_CUT = 2e5  # cells of weights, in all groups together
FAR, GROWTH = 6.0, 1.2  # deviations of c and W, beyond which cells are ever wider; times
Places = NDArray[np.intp]
LOG_SCALE = 400 * math.log(2.0)  # twice: so products of masses far out stay numbers
CELLS, LONGEST, SHORTEST = 2**20, 2**12, 2**6  # of a table of signs; its sums, each from the one before


class Close(NamedTuple):
    """How near a list is to be: the widths of blocks of signs and of cells of weights, relative; that of its losses."""

    signs: float
    weights: float
    losses: float


class Usual(NamedTuple):
    """Between which ends c and W lie where it matters, and the mean of W."""

    signs: tuple[float, float]
    weights: tuple[float, float]
    weight: float


class Groups(NamedTuple):
    """Neighbouring c: the group of each block; its mean of W, a little less and a little more, but for the ``rest``
    messages that may be of the third kind whatever c is; and between which ends that W lies in each group."""

    number: Places
    less: Array
    more: Array
    rest: Array
    low: Array
    high: Array


def crowded(law: VotesLaw, parts: Blocks, log_cut: float, close: Close, missing: float) -> Enclosure | None:
    """Both lists; None if some losses are too large for it. ``missing`` is the P-mass outside the blocks."""
    light, heavy, reach = _range(law, parts, log_cut)
    sums, least = int(reach // 2) + 1, law.gap / 2 * reach / MOST_TOLD
    if not least < light:
        return None
    usual = _usual(law, log_cut)
    near, thirds = close.weights * usual.weight, None
    if law.third_rate:
        width = (law.gap / 2 + law.less + abs(law.third)) * (usual.signs[1] - usual.signs[0])
        near = max(near, math.sqrt(2 * width * (usual.weights[1] - usual.weights[0]) / MOST_CUT))
    groups = _groups(law, parts, near, usual)
    if law.third_rate:
        # Of what there may be more of, any number is looked at.
        spread = float((groups.high - groups.low).max())
        light, heavy = max(light - spread, least), heavy + spread
        thirds = thirds_of(law, groups.rest, groups.low, groups.high, stretched(light, heavy, near, usual.weights))
    lower, upper = (LossBins(close.losses, law.gap / 2) for _ in range(2))
    mass = parts.mass * math.exp(LOG_SCALE)
    for signs, below, above in _passes(parts):
        for rows, s, table in _tables(signs, sums):
            table *= mass[rows, None]
            if below:
                _put_below(lower, s, table, rows, groups, thirds)
            if above:
                _put_above(upper, s, table, rows, groups, thirds)
    error = _error(law, parts) + (thirds.error if thirds else 0.0)
    # Beyond the sums looked at lies less than 2 e^log_cut of P's mass, on either side; small masses are no numbers.
    missing += 6 * math.exp(log_cut) + len(parts.mass) * heavy * math.ulp(0.0)
    if thirds:
        missing += float(dot(parts.mass, thirds.beyond[groups.number]))
    return Enclosure(*(bins.atoms(2 * LOG_SCALE, missing, error) for bins in (lower, upper)))


def _range(law: VotesLaw, parts: Blocks, log_cut: float) -> tuple[float, float, float]:
    """The least and the largest likely weight, and beyond which sum there is at most ``e^log_cut`` (Hoeffding)."""
    first, last, counts = float(parts.low[0]), float(parts.high[-1]), (0, 0)
    if law.third_rate:
        few, many = (window(int(law.count - c), law.third_share, 1 - law.third_share, log_cut) for c in (last, first))
        counts = few[0], many[1]
    ends = [float(law.weight(np.array([c]), d)[0]) for c in (first, last) for d in counts]
    heavy = max(ends)
    return min(ends), heavy, min(last, math.sqrt(2 * last * (1 + math.log(max(heavy, 1.0)) - log_cut)))


def _usual(law: VotesLaw, log_cut: float) -> Usual:
    """A sum z deviations out is more likely with more signs and less weight, by z^2/2 and z^2 times their variances."""
    n, rate, third, slope = law.count, law.rate, law.third_rate, law.less + law.gap / 2
    usual, signs = n * rate, n * rate * law.rest
    weight = float(law.weight(np.array([usual]), n * third)[0])
    variance = slope**2 * signs + n * third * (law.third**2 * (1 - third) - 2 * slope * law.third * rate)
    away = FAR * math.sqrt(signs), FAR * math.sqrt(max(variance, 0.0))
    return Usual(
        (usual - away[0], usual + away[0] - log_cut * signs / usual),
        (weight - away[1] + 2 * log_cut * max(variance, 0.0) / weight, weight + away[1]),
        weight,
    )


def _groups(law: VotesLaw, parts: Blocks, near: float, usual: Usual) -> Groups:
    """As many c in each as W may vary by ``near``."""
    slope, third = law.less + law.gap / 2, law.third if law.third_rate else 0.0
    step = near / max(slope, 2 * abs(third), 2 * slope if third else 0.0)
    edges = stretched(float(parts.low[0]), float(parts.high[-1]) + 1, min(max(1.0, step), law.count), usual.signs)
    number = np.searchsorted(edges, parts.low, side="right")
    start = np.flatnonzero(np.diff(number, prepend=-1))
    number = np.repeat(np.arange(len(start)), np.diff(start, append=len(number)))
    first, last = parts.low[start], np.maximum.reduceat(parts.high, start)
    mean = means(parts, law.count, law.rate, law.rest)
    weight = law.base + slope * mean + third * law.third_share * (last[number] - mean)
    # All of the few more are of the third kind, or none is.
    ends = [law.base + slope * first, law.base + slope * last, law.base + slope * first + third * (last - first)]
    doubt = 4 * UNIT if parts.single else 2 * STRETCH_ERROR
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    less, more = (np.clip(weight * (1 + side * doubt), low[number], high[number]) for side in (-1, 1))
    return Groups(number, less, more, law.count - last, low, high)


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


def _passes(parts: Blocks) -> list[tuple[Array, bool, bool]]:
    """Numbers of signs, and whether they are for the lower list, and for the upper one."""
    return [(parts.low, True, True)] if parts.single else [(parts.low, True, False), (parts.high, False, True)]


def _tables(signs: Array, sums: int) -> Iterator[tuple[Places, Array, Array]]:
    """The rows with even numbers of signs, and with odd ones; stretches of sums S >= 0; ``Pr[S]``, times e^LOG_SCALE.

    Within a stretch each is from the one before, by a product of a few roundings.
    """
    for parity in (0, 1):
        rows = np.flatnonzero(signs % 2 == parity)
        c, length = signs[rows][:, None], min(max(CELLS // max(len(rows), 1), SHORTEST), LONGEST)
        for first in range(0, sums if len(rows) else 0, length):
            s = np.arange(first, min(first + length, sums), dtype=np.float64) * 2 + parity
            begin = np.minimum(s[:1], c)
            start = np.where(s[0] <= c, np.exp(log_pmf((c + begin) / 2, c, 0.5) + LOG_SCALE), 0.0)
            ratio = np.maximum(c - s[:-1], 0.0) / (c + s[:-1] + 2)
            yield rows, s, start * np.concatenate([np.ones(c.shape), np.cumprod(ratio, axis=1)], axis=1)


def _put_below(bins: LossBins, s: Array, table: Array, rows: Places, groups: Groups, thirds: Thirds | None) -> None:
    number = groups.number[rows]
    start = np.flatnonzero(np.diff(number, prepend=-1))
    mass, weight = (np.add.reduceat(part, start).T for part in (table, table * groups.more[rows, None]))
    if thirds:
        own = number[start]
        mass, weight = (
            product(mass, thirds.mass[own]),
            product(weight, thirds.mass[own]) + product(mass, thirds.weight[own]),
        )
    bins.put_below(s[:, None], mass, weight)


def _put_above(bins: LossBins, s: Array, table: Array, rows: Places, groups: Groups, thirds: Thirds | None) -> None:
    number = groups.number[rows]
    start, low, high = np.flatnonzero(np.diff(number, prepend=-1)), groups.low[number], groups.high[number]
    share = np.where(high > low, (groups.less[rows] - low) / np.where(high > low, high - low, 1.0), 0.0)
    down, up = (np.add.reduceat(table * part[:, None], start).T for part in (1 - share, share))
    if thirds:
        down, up = product(down, thirds.from_low[number[start]]), product(up, thirds.from_high[number[start]])
        bins.put_above(s[:, None], down + up, thirds.nodes)
    else:
        bins.put_above(s[:, None], down, low[start])
        bins.put_above(s[:, None], up, high[start])


def _error(law: VotesLaw, parts: Blocks) -> float:
    """Relative, of every mass: of c, of the first sum of a stretch, of the products from there, of sums of them."""
    blocks = pmf_error(law.count * law.rate) if parts.single else STRETCH_ERROR
    return blocks + pmf_error(float(parts.high[-1])) + 4 * UNIT * LONGEST + SUM_ERROR
