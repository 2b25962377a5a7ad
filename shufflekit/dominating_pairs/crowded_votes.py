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
from shufflekit.accuracy import SUM_ERROR, UNIT, pmf_error
from shufflekit.atoms import Enclosure
from shufflekit.dominating_pairs.blocks import Blocks, means, stretched, window
from shufflekit.dominating_pairs.loss_bins import LossBins
from shufflekit.dominating_pairs.sign_blocks import NARROW, moved_in, moved_out, shape
from shufflekit.dominating_pairs.third_votes import Thirds, thirds_of
from shufflekit.dominating_pairs.votes_law import VotesLaw

MOST_TOLD = 0.75  # of the weight, that the sum may tell: beyond, weights near each other are not so in terms of Q/R
MOST_SIGNS = 1e7  # sums of all blocks together
MOST_CUT = 2e5  # cells of weights, in all groups together
FAR = 6.0  # deviations of c and W, beyond which cells are ever wider
Places = NDArray[np.intp]
LOG_SCALE = 400 * math.log(2.0)  # twice: so products of masses far out stay numbers
CELLS, LONGEST, SHORTEST = 2**20, 2**12, 2**6  # of a table of signs; its sums, each from the one before


class Close(NamedTuple):
    """How near a list is to be: what blocks of signs may add to the variance, and how wide cells of weights are, both
    relative; and how wide those of losses are."""

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


class SignBlocks(NamedTuple):
    """Numbers of signs of one parity, from either side, their masses times e^LOG_SCALE, weights from below, and shares
    at the higher end of W; where blocks start; and of each block its group, and the ends of W there."""

    below: Array
    above: Array
    mass: Array
    weight: Array
    share: Array
    low: Array
    high: Array
    group: Places
    start: Places

    @property
    def moved(self) -> tuple[Array, Array]:
        """The masses at the lower end of W and at the upper one."""
        return self.mass * (1 - self.share), self.mass * self.share


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
    width = _block_width(parts, close.signs, reach)
    for block in _sign_blocks(parts, groups, width):
        _put_below(lower, block, sums, light, thirds)
        _put_above(upper, block, sums, thirds)
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
    doubt = 4 * UNIT if parts.single else 2 * law.stretched
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    less, more = (np.clip(weight * (1 + side * doubt), low[number], high[number]) for side in (-1, 1))
    return Groups(number, less, more, law.count - last, low, high)


def _block_width(parts: Blocks, near: float, reach: float) -> float:
    """As wide as the variance may be off by: from above a chord adds, z deviations out, z^2/48 of the square."""
    first, last = float(parts.low[0]), float(parts.high[-1])
    if reach + 2 > NARROW * first:
        return 1.0
    return max(math.sqrt(near / (reach**2 / (12 * last) + 1 / 8)) * first, (last - first) * reach / MOST_SIGNS)


def _sign_blocks(parts: Blocks, groups: Groups, width: float) -> Iterator[SignBlocks]:
    """Numbers of one parity in blocks that are no wider, each within a group."""
    for parity in (0, 1) if parts.single else (0,):
        # One sign less, or more, of so many.
        below, above = (
            (parts.low, parts.low) if parts.single else (parts.low - parts.low % 2, parts.high + parts.high % 2)
        )
        rows = np.flatnonzero(below % 2 == parity)
        if not len(rows):
            continue
        number = groups.number[rows]
        place = np.floor((below[rows] - below[0]) / max(width, 1.0))
        start = np.flatnonzero((np.diff(number, prepend=-1) != 0) | (np.diff(place, prepend=-1.0) != 0))
        low, high = groups.low[number], groups.high[number]
        share = np.where(high > low, (groups.less[rows] - low) / np.where(high > low, high - low, 1.0), 0.0)
        mass = parts.mass[rows] * math.exp(LOG_SCALE)
        yield SignBlocks(
            below[rows], above[rows], mass, groups.more[rows], share, low[start], high[start], number[start], start
        )


def _tables(low: Array, high: Array, sums: int) -> Iterator[tuple[Array, Array, Array]]:
    """Stretches of sums S >= 0, and Pr[S] of either number of signs, a row for each, times e^LOG_SCALE.

    Within a stretch each is from the one before, by a product of a few roundings.
    """
    alone = bool((low == high).all())
    c = (low if alone else np.concatenate([low, high]))[:, None]
    length = min(max(CELLS // len(c), SHORTEST), LONGEST)
    for first in range(0, sums, length):
        s = np.arange(first, min(first + length, sums), dtype=np.float64) * 2 + low[0] % 2
        begin = np.minimum(s[:1], c)
        start = np.where(s[0] <= c, np.exp(log_pmf((c + begin) / 2, c, 0.5) + LOG_SCALE), 0.0)
        ratio = np.maximum(c - s[:-1], 0.0) / (c + s[:-1] + 2)
        table = start * np.concatenate([np.ones(c.shape), np.cumprod(ratio, axis=1)], axis=1)
        yield s[:, None], table[: len(low)].T, table[-len(low) :].T


def _put_below(bins: LossBins, block: SignBlocks, sums: int, light: float, thirds: Thirds | None) -> None:
    of = shape(block.below, block.mass, block.start)
    ends = moved_in(block.below, block.mass, block.weight, block.start, light, 2.0 * sums)
    low, high = of.mass * (1 - ends.share), of.mass * ends.share
    mean, group = of.mean(block.weight, block.mass, block.start), np.flatnonzero(np.diff(block.group, prepend=-1))
    own = block.group[group]
    for s, few, many in _tables(ends.low, ends.high, sums):
        alone = few * low + many * high
        mass, weight = (np.add.reduceat(part, group, axis=1) for part in (alone, alone * mean))
        if thirds:
            cells = thirds.mass[own]
            mass, weight = product(mass, cells), product(weight, cells) + product(mass, thirds.weight[own])
        bins.put_below(s, mass, weight)


def _put_above(bins: LossBins, block: SignBlocks, sums: int, thirds: Thirds | None) -> None:
    group = np.flatnonzero(np.diff(block.group, prepend=-1))
    own, masses = block.group[group], [np.add.reduceat(mass, block.start) for mass in block.moved]
    ends = [moved_out(block.above, mass, block.start) for mass in block.moved]
    for s, few, many in _tables(ends[0].low, ends[0].high, sums):
        down, up = (
            np.add.reduceat(few * (mass * (1 - end.share)) + many * (mass * end.share), group, axis=1)
            for mass, end in zip(masses, ends, strict=True)
        )
        if thirds:
            bins.put_above(s, product(down, thirds.from_low[own]) + product(up, thirds.from_high[own]), thirds.nodes)
        else:
            bins.put_above(s, down, block.low[group])
            bins.put_above(s, up, block.high[group])


def _error(law: VotesLaw, parts: Blocks) -> float:
    """Relative, of every mass: of c, of the first sum of a stretch, of the products from there, of sums of them."""
    blocks = pmf_error(law.count * law.rate) if parts.single else law.stretched
    return blocks + pmf_error(float(parts.high[-1])) + 4 * UNIT * LONGEST + SUM_ERROR
