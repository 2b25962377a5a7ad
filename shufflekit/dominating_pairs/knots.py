"""Where a profile is looked at, to be put between two lists."""

import math
import sys
from collections.abc import Callable

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import LEFT_AT_LEAST
from shufflekit.atoms import Atoms
from shufflekit.dominating_pairs.pair import Aim, Pair

KNOTS_PER_DEVIATION, AT_RTOL = 64, 5e-5  # so many at that tolerance; what they cost falls with their square
MOST_TIMES = 20.0
COARSE = 3e-3  # a tolerance of knots that tell where the mass is
MOST_FOCUSED = 12_000  # knots: the price grows with them
FARTHEST, LOOKS, ROUGH = 700.0, 60, 20  # eps looked at first, looks at most, and times the tolerance of a look
APART, CLOSE = 1.5, 10.0  # deviations, times the root of rtol, up to so many
GROWTH, LEAST_GROWTH = 0.3, 2.5e-3  # beyond, of eps, times the root of rtol: large losses may count for much
MUCH = 4.0  # times what may be left out, that may be left at the last knot
FIRST, FARTHER, LEAST = 3.0, 1.2, 1e-12  # deviations looked at first, times as far then, and the least of them


def knots(pair: Pair, log_cut: float, rtol: float = 1e-4) -> Array:
    """Points from 0 to where delta is below ``e^log_cut``, a fixed part of a standard deviation of the loss apart."""
    top = min(pair.largest_finite_loss, FARTHEST)
    for _ in range(LOOKS):
        grid = top * np.arange(1, 9) / 8
        small = np.flatnonzero(pair.delta(grid, ROUGH * rtol, log_cut).upper < left_out(log_cut))
        if not len(small):
            break
        top = float(grid[small[0]])
        if small[0] > 0:
            break
    # About where a Gaussian loss would be that has this delta at the top.
    deviation = top / math.sqrt(-2 * log_cut)
    times = min(max(math.sqrt(AT_RTOL / rtol), 1.0), MOST_TIMES)
    return np.linspace(0.0, top, math.ceil(KNOTS_PER_DEVIATION * times * top / deviation) + 1)


def focused(eps: Array, atoms: Atoms, aim: Aim) -> Array:
    """More knots between those given, where a pair that has about these atoms is to be listed closely.

    What a list errs by is the mean of its knots' squared distance, weighed by the tilted masses: as much as if all were
    ``apart``. The fewest knots that do it lie like the third root of the density.
    """
    weight = atoms.log_q + (1 + aim.tilt) * atoms.loss
    mass = np.exp(weight - weight.max())
    width = np.diff(eps)
    cell = np.clip(np.searchsorted(eps, np.abs(atoms.loss), side="right") - 1, 0, len(width) - 1)
    # A mass may lie on either side of its knot.
    own = np.bincount(cell, mass, len(width))
    near = np.pad(own, 1, mode="edge")
    density = np.maximum(np.maximum(near[:-2], near[2:]), own) / width / mass.sum()
    thirds = np.maximum(np.cbrt(density), sys.float_info.min)
    whole = float(dot(thirds, width))
    share = width * thirds / whole * min(whole**1.5 / aim.apart, MOST_FOCUSED)
    number = np.ceil(share).astype(int)
    between = [a + w * np.arange(max(n, 1)) / max(n, 1) for a, w, n in zip(eps, width, number, strict=False)]
    return np.append(np.concatenate(between), eps[-1])


def left_out(log_cut: float) -> float:
    """``e^log_cut``, or what an upper end may fall to, which is never 0: else no point would be far enough out."""
    return max(math.exp(log_cut), LEFT_AT_LEAST)


def knots_of_both(forth: Pair, back: Pair, log_cut: float, rtol: float = 1e-4) -> Array:
    """Points that reach as far as either direction needs."""
    found = [knots(pair, log_cut, rtol) for pair in ([forth] if forth == back else [forth, back])]
    return max(found, key=lambda points: float(points[-1]))


def outwards(
    left: Callable[[Array], Array], log_cut: float, rtol: float, most: float, outer: float | None = None
) -> Array:
    """Points from 0 to where no more than about ``e^log_cut`` is left, or to ``most``: ever farther apart.

    A deviation is that of a Gaussian loss of which so much is left at 0; ``outer`` is a tolerance beyond some of them.
    """
    deviation = max(math.sqrt(2 * math.pi) * float(left(np.zeros(1))[0]), LEAST)
    far = np.minimum(FIRST * deviation * FARTHER ** np.arange(math.log(most / deviation) / math.log(FARTHER)), most)
    beyond = np.flatnonzero(left(far) <= MUCH * left_out(log_cut))
    top = float(far[beyond[0]]) if len(beyond) else most
    apart, growth = APART * math.sqrt(rtol), math.log1p(max(GROWTH * math.sqrt(outer or rtol), LEAST_GROWTH))
    close = deviation * np.arange(0.0, CLOSE, apart)
    growing = float(close[-1]) * np.exp(growth * np.arange(1.0, 1 + max(0.0, math.log(top / close[-1]) / growth)))
    eps: Array = np.append(close, growing)
    return np.append(eps[eps < top], top)
