"""[liew2022] The distributed check-in of Theorem 5 with its count hidden, composed: what the printed theorem is about.

One real number is seen, and its law is a mixture over how many came. In one dimension that may stay hidden; in many,
the size of the noise shows it, and ``DistributedCheckIn`` takes it as seen.

The line is cut into cells. Their masses, as such, are a pair that is told apart less easily (a cell is a function of
the number), so the lower end is certain up to round-off. For the upper end each cell is divided between the least and
the largest likelihood ratio in it: those at its ends, moved apart by twice what a parabola would deviate between them.
That a ratio deviates from its parabola by no more is not proved, but finer cells only bring the ends together
(``tests/test_liew2022_gaussian.py``).
"""

import numpy as np
from scipy.special import ndtr

from shufflekit import _validate
from shufflekit._validate import Array
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Bracket, bracket
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers.liew2022.gaussians import Mixture, removed

MOST_CLIENTS = 10**6
CELLS = 2**13
RARE = 1e-20  # Gaussians and stretches of the line that are left out, each
MASS_ERROR = 1e-12  # round-off of a mass: a sum of differences of Gaussian tails that are thousands of units apart
LEAST_EXCESS = 1e-12 - 1  # of a likelihood ratio over 1, which is never below 0
RTOL = 1e-4


def epsilon(sigma: float, n: int, gamma: float, rounds: int, delta: float, cells: int = CELLS) -> Bracket:
    """The eps at delta of Theorem 5's two laws, composed: removal or addition of one record, whichever is worse."""
    composed = Composition([Part(listed(sigma, n, gamma, cells), _validate.count(rounds=rounds))])
    ends = [way.epsilon(delta, RTOL) for way in composed.both_ways()]
    return bracket(max(end.lower for end in ends), max(end.upper for end in ends))


def listed(sigma: float, n: int, gamma: float, cells: int = CELLS) -> Enclosure:
    """The law with the record against the one without, between two lists."""
    n, gamma = _validate.count(n=n, at_most=MOST_CLIENTS), _validate.open_unit(gamma=gamma)
    pair = removed(sigma, n, gamma)
    # The law with the record is a mixture of the one without and the one where it surely came.
    size = len(pair.p.weight)
    came = Mixture(*(part[size:] for part in pair.q)).times(1 / gamma)
    without, surely = _common(pair.p), _common(came)
    edges = _edges(without, surely, _validate.count(cells=cells, at_least=8))
    q, own = _masses(without, edges), _masses(surely, edges)
    known = q > 0
    # Nothing is subtracted that is nearly equal: P/Q - 1 is gamma times that of the law where it surely came.
    excess = np.where(known, own / np.where(known, q, 1.0), 1.0) - 1
    at_edges = np.expm1(surely.log_density(edges) - without.log_density(edges))
    low, high = _range(at_edges, excess)
    missing = 2 * n * RARE + max(1 - float(q.sum()), 1 - float(own.sum()), 0.0)
    return Enclosure(_atoms(gamma * excess, q, 0.0), _divided(gamma * low, gamma * excess, gamma * high, q, missing))


def _common(law: Mixture) -> Mixture:
    kept = law.weight > RARE
    return Mixture(*(part[kept] for part in law))


def _edges(without: Mixture, surely: Mixture, cells: int) -> Array:
    """Equally far apart, from where to where either law has all but a rare part of its mass."""
    reach = np.geomspace(1e-3, 1e3, 400) * float(without.deviation.max())
    rare = [max(_outside(law, y) for law in (without, surely)) < RARE for y in reach]
    y = float(reach[int(np.argmax(rare))])
    return np.linspace(-y, y, cells + 1)


def _outside(law: Mixture, y: float) -> float:
    return float(law.weight @ (ndtr((-y - law.mean) / law.deviation) + ndtr((law.mean - y) / law.deviation)))


def _masses(law: Mixture, edges: Array) -> Array:
    """Of the cells, each a difference of the smaller tails."""
    z = (edges[:, None] - law.mean) / law.deviation
    below, above = ndtr(z), ndtr(-z)
    each = np.where(z[:-1] > 0, above[:-1] - above[1:], below[1:] - below[:-1])
    return np.asarray(each @ law.weight)


def _range(at_edges: Array, mean: Array) -> tuple[Array, Array]:
    """The least and the largest value in each cell, by the values at its ends and those beside them."""
    bent = np.abs(np.diff(at_edges, 2))
    bent = np.concatenate([bent[:1], bent, bent[-1:]])
    # A parabola deviates by an eighth of its second difference.
    spare = np.maximum(bent[:-1], bent[1:]) / 4
    low, high = np.minimum(at_edges[:-1], at_edges[1:]), np.maximum(at_edges[:-1], at_edges[1:])
    return np.minimum(low - spare, mean), np.maximum(high + spare, mean)


def _divided(low: Array, mean: Array, high: Array, q: Array, missing: float) -> Atoms:
    """Each cell's mass at its least and largest ratio, the mean kept."""
    low = np.maximum(low, np.minimum(mean, LEAST_EXCESS))
    width = high - low
    share = np.where(width > 0, (mean - low) / np.where(width > 0, width, 1.0), 0.0)
    return _atoms(np.concatenate([low, high]), np.concatenate([q * (1 - share), q * share]), missing)


def _atoms(excess: Array, q: Array, missing: float) -> Atoms:
    kept = q > 0
    loss, log_q = np.log1p(excess[kept]), np.log(q[kept])
    order = np.argsort(loss, kind="stable")
    return Atoms(loss[order], log_q[order], missing, error=MASS_ERROR)
