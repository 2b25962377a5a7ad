"""Numbers of signs of a block taken for two of them, at a cost of second order in the width of the block.

Let ``u_c(k) = E(S_c - k)_+`` for the sum S_c of c signs, all c of a block being even, or all odd. For k of that parity
(all u are linear between two such k)

    u_{c+2}(k) - u_c(k) = p_c(k)/2,    p_c(k) = Pr[S_c = k],    p_{c+2}(k)/p_c(k) = (c + 1)(c + 2)/((c + 2)^2 - k^2).

So u rises with c; it is convex where k^2 >= c + 2, and elsewhere its second difference is at least
``-p_c(k)/(2 (c + 2))``, in steps of two. Take a law on the m + 1 numbers of a block from l on, with mean l + 2 i.

* From above: all is moved to the two ends, the mean kept. A chord lacks ``m^2/8`` second differences at most; what
  moving a part x of all from one end to the other adds, is ``x m/2`` of the least p: x = m/(8 (l + 2)), times how much
  p varies, is enough. There p is at most e^{2m/l} times another p of the block, since k^2 <= l + 2 m.
* From below: i is rounded to its two neighbours, the mean kept, but for ``m^2/(8 (l + 2))``, and that factor, less.

From below, the numbers lose the weights that go with them, too, all having the mean one. At the alpha where the sum is
to exceed k = h W, W their mean, that takes ``k/W`` times the mean of ``(W_c - W) Pr[S_c > k]`` at most (a convex
function lies above its tangents). The chance rises by ``p_c(j)(j + 1)/(2 (c + j + 2))`` for two more signs, j being the
last number of the parity up to k; and taking i to be less by y takes ``y p_c/2``, at k no less than p_c(j + 2) says. So
y = ``M k (j + 1)/(W (l + 2))`` makes up for it, times how much p varies, with M the mean of (W_c - W) times (the place
of c less i), as far as it is positive.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit._validate import Array
from shufflekit.accuracy import UNIT

NARROW = 0.25  # of l, that m may be; of it, that a sum may be to be listed with other numbers
Places = NDArray[np.intp]


class Ends(NamedTuple):
    """Two numbers of signs for each block, and what either has of its mass."""

    low: Array
    high: Array
    share: Array  # of the higher one


class Shape(NamedTuple):
    """Of each block: its least number, how many steps of two it is wide, its mass; and the place of each number."""

    least: Array
    wide: Array
    mass: Array
    place: Array

    def mean(self, values: Array, mass: Array, start: Places) -> Array:
        return np.asarray(np.add.reduceat(mass * values, start) / np.where(self.mass > 0, self.mass, 1.0))


def shape(signs: Array, mass: Array, start: Places) -> Shape:
    """Of blocks that start at these places; ``signs`` rises."""
    least, last = signs[start], signs[np.append(start[1:], len(signs)) - 1]
    return Shape(least, (last - least) / 2, np.add.reduceat(mass, start), (signs - _each(least, start, signs)) / 2)


def moved_out(signs: Array, mass: Array, start: Places) -> Ends:
    """From above: see the module's head."""
    block = shape(signs, mass, start)
    wide, more = np.maximum(block.wide, 1.0), block.wide / (8 * (block.least + 2)) * _vary(block)
    share = block.mean(block.place, mass, start) / wide * (1 + 16 * UNIT) + more
    fits = (block.wide <= NARROW * block.least) & (block.mass > 0)
    return Ends(block.least, block.least + 2 * block.wide, np.where(fits, np.minimum(share, 1.0), 1.0))


def moved_in(signs: Array, mass: Array, weight: Array, start: Places, light: float, reach: float) -> Ends:
    """From below, for weights of ``light`` at least and sums up to ``reach``."""
    block = shape(signs, mass, start)
    mean = block.mean(block.place, mass, start)
    apart = (weight - _each(block.mean(weight, mass, start), start, signs)) * (block.place - _each(mean, start, signs))
    together = block.mean(np.maximum(apart, 0.0), mass, start)
    far, least = reach + 2, block.least
    fits = (block.wide <= NARROW * least) & (far <= NARROW * least)
    room = np.where(fits, least, 4 * far + 1)
    vary = np.exp(block.wide * np.maximum(2 / room, far**2 / (room**2 - far**2))) * (room + far + 2) / (room - far)
    less = block.wide**2 / (8 * (least + 2)) * _vary(block) + together / light * far * (far + 1) / (room + 2) * vary
    place = np.where(fits, np.maximum(mean * (1 - 16 * UNIT) - less, 0.0), 0.0)
    low = np.floor(place)
    return Ends(least + 2 * low, least + 2 * low + 2 * (place > low), place - low)


def _vary(block: Shape) -> Array:
    """How many times as large p may be as another one, where k is near the middle."""
    return np.asarray(np.exp(np.minimum(2 * block.wide / np.maximum(block.least, 1.0), 1.0)))


def _each(values: Array, start: Places, like: Array) -> Array:
    """The value of a block for all in it."""
    return np.repeat(values, np.diff(start, append=len(like)))
