"""What [girgis2021] says of its figures and its table, held against what can be computed: notebook 8.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import math
from bisect import bisect, bisect_left
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy.stats import binom

from shufflekit._validate import Array
from shufflekit.papers import balle2019, comparisons, feldman2021, girgis2021, girgis2021ccs, wang2019
from shufflekit.papers.figures_girgis2021 import DELTA
from shufflekit.papers.rows import Misprint, Row
from shufflekit.renyi import epsilon_at_order

# eps0, all clients, those of a round, and the steps of an epoch.
RUNS = {"Figure 3": (1.5, 60_000, 10_000, 6), "Figure 6": (2.0, 60_000, 2_000, 30)}
RUN_DELTA = 1e-5
COMPOSITIONS = ("simplified", "advanced", "optimal")


# When an older bound applies.


def least_crowd(condition: Callable[[int, float], float], eps0: float, delta: float) -> int:
    """The fewest clients with which eps0 passes the condition, by bisection."""
    return 1 + bisect_left(range(1, 2**20), eps0, key=lambda k: condition(k, delta))


def eq52_rows() -> list[Row]:
    """[girgis2021] eq (52): the fewest clients by bisection, and by solving it."""
    rows: list[Row] = []
    for eps0, delta in product((0.5, 1.0, 2.0, 3.0), (1e-5, DELTA)):
        found = least_crowd(balle2019.condition, eps0, delta)
        rows.append((found, math.ceil(math.log(1 / delta) * math.exp(2 * eps0)), f"eps0 = {eps0:g}, delta = {delta:g}"))
    return rows


def closed_for_any(E: float, k: float, delta: float) -> float:
    """The closed form of [feldman2021], whatever its condition says."""
    spread = 8 * math.sqrt(E * math.log(4 / delta) / k) + 8 * E / k
    return math.log1p((E - 1) / (E + 1) * spread)


def eq51_rows() -> list[Row]:
    """[girgis2021] eq (51): what the pair of [feldman2021] really has, and its closed form; three at the limit."""
    points = list(product((0.5, 1.0, 2.0, 3.0), (10**4, 10**5, 10**6)))
    points += [(eps0, least_crowd(feldman2021.condition, eps0, DELTA)) for eps0 in (0.5, 3.0, 5.0)]
    rows: list[Row] = []
    for eps0, k in points:
        closed = closed_for_any(math.exp(eps0), k, DELTA)
        rows.append((feldman2021.epsilon(DELTA, eps0, k), closed, f"eps0 = {eps0:g}, k = {k}"))
    return rows


def ratio_outside(E: float, k: float, delta: float) -> float:
    """The largest log-ratio of the two laws of [feldman2021] where neither rare event happens."""
    clones = k / (2 * E)
    off = math.sqrt(clones / 2 * math.log(4 / delta)) + 1 / 2
    x, y = (clones + 1) / 2 + off, (clones + 1) / 2 - off
    return math.log((E * x + y) / (x + E * y))


def at_the_limit(constant: float, eps0: float, delta: float) -> int:
    """The smallest crowd that the condition with this constant, 2 or 4, allows."""
    return math.ceil(16 * math.exp(eps0) * math.log(constant / delta))


def constant() -> Misprint:
    """[girgis2021] The constant in (51): with 2 the proof's last step fails; with 4 all its inequalities hold."""
    k = at_the_limit(2, 6, DELTA)
    sides = ratio_outside(math.exp(6), k, DELTA), closed_for_any(math.exp(6), k, DELTA)
    rows: list[Row] = []
    for eps0, delta, more in product((0.1, 1, 3, 6, 9), (0.1, 1e-3, 1e-8, 1e-20), (1, 2, 100)):
        E, crowd = math.exp(eps0), more * at_the_limit(4, eps0, delta)
        C, where = math.ceil(crowd / (2 * E)), f"eps0 = {eps0:g}, k = {crowd}, delta = {delta:g}"
        off = math.sqrt(C / 2 * math.log(4 / delta))
        rows.append((float(binom.cdf(C - 1, crowd - 1, 1 / E)), delta / 2, f"few clones, {where}"))
        rows.append((2 * float(binom.cdf(math.ceil(C / 2 - off) - 1, C, 0.5)), delta / 2, f"uneven, {where}"))
        rows.append((ratio_outside(E, crowd, delta), closed_for_any(E, crowd, delta), f"outside, {where}"))
    return Misprint((*sides, {"eps0": 6, "k": k, "delta": DELTA}), rows)


# Three headlines.


def closed_29(eps0: float) -> float:
    """The closed form of [girgis2021ccs], capped at eps0, sampled and composed: 1,000 of a million, 10^5 rounds."""
    orders = np.arange(2.0, 257)

    def shuffled(j: Array) -> Array:
        return np.minimum(girgis2021ccs.simplified(j, eps0, 1000), eps0)

    rdp = wang2019.thm9(orders, shuffled, eps0, 1e-3)
    return float(epsilon_at_order(10**5 * rdp, orders, DELTA).min())


def chains(eps0: float) -> dict[str, float]:
    """All that the references allow for the older bounds, 1,000 of a million clients, 10^5 rounds."""
    point = (eps0, 10**6, 1000, 10**5, DELTA)
    found = {
        "[29]+[43]": comparisons.shuffle_then_sample(*point).value,
        "[29]+[43], weak": comparisons.shuffle_then_sample(*point, weak=True).value,
        "[29]+[43], [29] closed": closed_29(eps0),
    }
    for (way, name), how in product((("numerical", "[24]"), ("none", "(eps0,0)")), COMPOSITIONS):
        found[f"{name}, {how}"] = comparisons.clones_strong_composition(*point, way, how)
    return found


def within(value: float, quoted: float, near: float = 1.05) -> list[Row]:
    """That a value is within 5 % of a quoted one, as two inequalities."""
    return [(quoted / near, value, "from below"), (value, quoted * near, "from above")]


# The privacy axes of Figures 3 and 6.


def cost(figure: str, T: int, composition: str = "") -> float:
    """What T steps of an experiment cost: by Theorem 1, or by clones and this composition."""
    eps0, n, k, _ = RUNS[figure]
    if not composition:
        return girgis2021.thm3_privacy(eps0, n, k, T, RUN_DELTA).eps
    return comparisons.clones_strong_composition(eps0, n, k, T, RUN_DELTA, composition=composition)


def last_step(figure: str, eps: float, composition: str = "") -> int:
    """The last step that costs no more than eps."""
    return bisect(range(1, 2**14), eps, key=lambda T: cost(figure, T, composition))


def spelled_out(figure: str, T: int, composition: str) -> float:
    """The chain of the older bound, as the text says: [feldman2021], then [ullman2017], then the composition."""
    eps0, n, k, _ = RUNS[figure]
    gamma, slack = k / n, RUN_DELTA / 2
    one_shuffle = feldman2021.epsilon(RUN_DELTA / 2 / (T * gamma), eps0, k)
    eps = math.log1p(gamma * math.expm1(one_shuffle))
    if composition == "advanced":
        return eps * math.sqrt(2 * T * math.log(1 / slack)) + T * eps * math.expm1(eps)
    log_term = math.log(min(1, math.e * slack + T**0.5 * eps) / slack)
    return eps * math.sqrt(2 * T * log_term) + T * eps * math.tanh(eps / 2)


def baseline(figure: str, said: float, ours: float) -> Misprint:
    """What the older bound is said to cost where Theorem 1 costs ours: by no composition, and both chains agree."""
    T = last_step(figure, ours)
    kit = {how: cost(figure, T, how) for how in COMPOSITIONS}
    rows: list[Row] = [(eps, said, how) for how, eps in kit.items()]
    for how in COMPOSITIONS[:2]:
        chain = spelled_out(figure, T, how)
        rows += [(kit[how], chain, how), (chain, kit[how], how)]
    return Misprint((said, max(kit.values()), {"steps": T}), rows)


# Table 1.


def parameters(side: int, biases: Sequence[bool] = (True,) * 4, filters: int = 32) -> int:
    """Of the network of Table 1, by the side of its last picture, and by which layers have biases."""
    weights = (16 * 64, filters * 16 * 16, 32 * filters * side**2, 10 * 32)
    units = (16, filters, 32, 10)
    return sum(weights) + sum(unit for unit, bias in zip(units, biases, strict=True) if bias)


def last_side(paddings: Sequence[str], pool_strides: Sequence[int]) -> int:
    """The side of the last picture, after two convolutions of stride 2, each with a pooling behind it."""
    size, strides = 28, (2, pool_strides[0], 2, pool_strides[1])
    for window, stride, padding in zip((8, 2, 4, 2), strides, paddings, strict=True):
        size = -(-size // stride) if padding == "same" else (size - window) // stride + 1
    return size


def sides() -> list[int]:
    """All sides that occur, for any paddings and strides of the poolings."""
    paddings = product(("same", "valid"), repeat=4)
    found = {last_side(*reading) for reading in product(paddings, product((1, 2), repeat=2))}
    return sorted(side for side in found if side > 0)


def counts() -> set[int]:
    """The parameters for each side from 1 to 28 and each subset of biases."""
    return {parameters(side, biases) for side in range(1, 29) for biases in product((True, False), repeat=4)}
