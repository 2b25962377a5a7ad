"""Laws of scores: which of them can be left out of a game, and a grid on which they nearly lie."""

import math
from collections.abc import Sequence

import numpy as np

from shufflekit._dot import dot
from shufflekit._validate import Array
from shufflekit.accuracy import BOARD_ERROR
from shufflekit.convex_order import divided, rise
from shufflekit.dominating_pairs.board import Scores

HEAVY = 0.8  # of the largest variance, that is nearly as large
MOVED = 5e-5  # of the variance, that rounding to the grid may add
CLEARLY = 16.0  # times that
MOST_MIXED = 12  # laws, of which mixtures are tried
MOST_SIZES = 12  # of scores, that a grid is looked for on which they nearly lie
LAW_NODES = 8.0  # a deviation, of what the last of many slots are worth


def undominated(laws: list[Scores]) -> list[Scores]:
    """The laws but those that are no larger, in the convex order, than another, or a fair mixture of two of few."""
    x = -np.concatenate([law.value for law in laws])
    rises, kept = np.array([rise(*law, x) for law in laws]), list(range(len(laws)))
    for i in range(len(laws)):
        others = [(j, k) for j in kept for k in (kept if len(laws) <= MOST_MIXED else [j]) if i != j <= k != i]
        first, second = np.array(others, dtype=np.intp).reshape(-1, 2).T
        if (rises[i] <= (rises[first] + rises[second]) / 2 * (1 + BOARD_ERROR)).all(axis=1).any():
            kept.remove(i)
    return [laws[i] for i in kept]


def grid_step(laws: Sequence[Scores], coarse: float, fine: float, *, many: bool) -> float:
    """A step, within so many nodes a deviation, on which the laws with nearly the largest variance nearly lie."""
    most = max(law.variance for law in laws)
    heavy = [law for law in laws if law.variance > HEAVY * most]
    deviation = math.sqrt(most)
    sizes = {abs(float(v)) for law in heavy for v in law.value if abs(v) > deviation / fine}
    if len(sizes) > MOST_SIZES:
        return deviation / coarse
    parts, wide = np.arange(1.0, 200), np.array(sorted(sizes))[:, None]
    nodes = deviation * parts / wide
    steps = (wide / parts)[(coarse <= nodes) & (nodes <= fine)]
    if not len(steps):
        return deviation / fine
    own = [(most - law.variance, _added(law, steps)) for law in heavy]
    # In a block what rounding adds does not count for a law that is smaller than the largest by clearly more.
    added = np.max([np.minimum(more, CLEARLY * more - less) if many else more for less, more in own], axis=0) / most
    return float(steps[added <= MOVED].max() if (added <= MOVED).any() else steps[added.argmin()])


def _added(law: Scores, steps: Array) -> Array:
    """What rounding to multiples of each of the steps adds to the variance."""
    share = law.value / steps[:, None] % 1.0
    return np.asarray(dot(share * (1 - share), law.chance) * steps**2)


def coarser(law: Scores) -> Scores:
    """Larger in the convex order, on fewer points."""
    return on_grid(law, math.sqrt(law.variance) / LAW_NODES)


def on_grid(law: Scores, step: float) -> Scores:
    """Each value divided between its neighbours among the multiples of the step: larger in the convex order."""
    cell = np.floor(law.value / step).astype(np.intp)
    first = int(cell.min())
    mass = divided(cell - first, law.value / step - cell, law.chance, int(cell.max()) - first + 2)
    kept = mass > 0
    return Scores(step * (first + np.arange(float(len(mass))))[kept], mass[kept])
