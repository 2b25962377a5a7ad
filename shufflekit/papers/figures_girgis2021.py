"""Figures 2, 4 and 5 of [girgis2021]: every curve of every panel, and an honest lower curve.

The names of the curves keep that paper's reference numbers: [24] is [feldman2021], [29] [girgis2021ccs],
[34] [kairouz2015], [43] [wang2019]; what goes through [24] is sampled by [42], [ullman2017].
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit._validate import Array
from shufflekit.bracket import Bracket, bracket
from shufflekit.definitions import Definition, growth, response
from shufflekit.dominating_pairs import pair_of
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import comparisons, girgis2021
from shufflekit.papers.rows import Row
from shufflekit.protocols import Shuffle
from shufflekit.renyi import RenyiCurve

DELTA = 1e-8
ROUNDS = (10**2, 10**3, 10**4, 10**5)
CROWDS = (10**5, 10**6, 10**7, 10**8)
CURVES = (
    "Theorem 1",
    "Theorem 2 by Lemma 1",
    "[29]+[43]",
    "[29]+[43], weak",
    "[24]+[34]",
    "[24]+[34], optimal",
    "[24]+[34], closed",
    "(eps0,0)+[34]",
    "attack",
)


class Panel(NamedTuple):
    """What one panel plots: eps against ``T``, or against ``n`` where that is what varies."""

    eps0: float
    n: int | tuple[int, ...]
    k: int
    T: int | tuple[int, ...]

    @property
    def varied(self) -> tuple[str, int | tuple[int, ...]]:
        """What it is plotted against."""
        return ("clients n", self.n) if isinstance(self.T, int) else ("rounds T", self.T)


# The captions of Figure 2's panels are not in the text: its parameters are those that the text names, and
# where it names none, those of the same panel of Figure 4 or 5.
PANELS = {
    "2a": Panel(2.0, 10**6, 1000, ROUNDS),
    "2b": Panel(2.0, 10**7, 10**4, ROUNDS),
    "2c": Panel(2.0, CROWDS, 1000, 10**5),
    "4a": Panel(1.0, 10**6, 1000, ROUNDS),
    "4b": Panel(1.0, 10**7, 10**4, ROUNDS),
    "4c": Panel(1.0, CROWDS, 10**4, 10**5),
    "5a": Panel(3.0, 10**6, 1000, ROUNDS),
    "5b": Panel(3.0, 10**7, 1000, ROUNDS),
    "5c": Panel(3.0, CROWDS, 1000, 10**5),
}


def curves(eps0: float, n: ArrayLike, k: ArrayLike, T: ArrayLike, delta: float = DELTA) -> dict[str, Array]:
    """The eps at delta of every curve of ``CURVES``, at each n, k, T (numbers, or lists of one length).

    A Renyi bound is turned into eps at its best order. Compositions by [34] are its simplified form unless
    named optimal. Where the condition of the closed form of [24] fails, that curve has a gap, nan.

    Formal guarantees: all curves but two hold for every eps0-LDP randomizer. "attack" is a certified lower end, within
    0.3 %, of the eps that binary randomized response reaches; "Theorem 2 by Lemma 1" is no bound either way.
    """
    try:
        points = list(np.broadcast(n, k, T))
    except ValueError:
        raise ValueError(f"n, k and T must be numbers or lists of one length, got {(n, k, T)!r}") from None
    found = [at_point(eps0, all_, sampled, rounds, delta) for all_, sampled, rounds in points]
    return {name: np.array([values[name] for values in found]) for name in CURVES}


def at_point(eps0: float, n: int, k: int, T: int, delta: float = DELTA) -> dict[str, float]:
    """The same at one point."""
    point = (eps0, n, k, T, delta)
    values = (
        girgis2021.thm3_privacy(*point).eps,
        thm2_by_lemma1(*point),
        comparisons.shuffle_then_sample(*point).value,
        comparisons.shuffle_then_sample(*point, weak=True).value,
        comparisons.clones_strong_composition(*point),
        comparisons.clones_strong_composition(*point, composition="optimal"),
        _closed(*point),
        comparisons.clones_strong_composition(*point, amplification="none"),
        randomized_response(*point, rtol=3e-3).lower,
    )
    return dict(zip(CURVES, values, strict=True))


def randomized_response(eps0: float, n: int, k: int, T: int, delta: float = DELTA, rtol: float = 1e-4) -> Bracket:
    """The eps that Theorem 2's mechanism really has: binary randomized response, all others equal, either way."""
    pair = pair_of(Definition(k, n, (response(growth(eps0), 2),)))
    ends = [way.epsilon(delta, rtol) for way in Composition([Part(pair, T)]).both_ways()]
    return bracket(max(end.lower for end in ends), max(end.upper for end in ends))


def thm2_by_lemma1(eps0: float, n: int, k: int, T: int, delta: float = DELTA) -> float:
    """The red curve: Lemma 1 applied to Theorem 2, as if that were an upper bound.

    Formal guarantee: an upper bound on the eps of Theorem 2's own two laws, in its direction; for the protocol
    it is no bound on either side.
    """
    curve = RenyiCurve(lambda order: girgis2021.thm2(order, eps0, n, k)) * T
    return curve.epsilon(delta).value


def _closed(eps0: float, n: int, k: int, T: int, delta: float) -> float:
    try:
        return comparisons.clones_strong_composition(eps0, n, k, T, delta, amplification="closed")
    except ValueError:  # the arguments are good, as the numerical form took them: the condition on eps0 fails
        return math.nan


def three_bounds(eps0: float, n: int, k: int, T: int, delta: float = DELTA) -> tuple[float, float, float]:
    """Theorem 1, what is guaranteed now, and what an attack reaches: k of n, in T rounds."""
    run = Shuffle(eps0, k, n) * T
    thm1 = float(girgis2021.thm3_privacy(eps0, n, k, T, delta).eps)
    return thm1, run.epsilon(delta).upper, run.attack_epsilon(delta).lower


def panel_bounds(panel: Panel) -> Array:
    """Those three, at the points of one panel."""
    points = np.broadcast(panel.n, panel.k, panel.T)
    return np.array([three_bounds(panel.eps0, *map(int, point)) for point in points]).T


def open_rows(values: Mapping[str, Array]) -> list[Row]:
    """The open question of [girgis2021], panel by panel: what is guaranteed, and 1.001 times what is reached."""
    found: list[Row] = []
    for name, (_, upper, reached) in values.items():
        sides = zip(upper, 1.001 * reached, strict=True)
        found += [(left, right, f"{name}, point {i}") for i, (left, right) in enumerate(sides, 1)]
    return found


def single_round_gap(eps0: float, users: Sequence[int], delta: float = DELTA) -> Array:
    """By how many per cent the guarantee is above the attack where everybody reports, once."""
    runs = [Shuffle(eps0, n) for n in users]
    shares = [run.epsilon(delta).upper / run.attack_epsilon(delta).lower for run in runs]
    return 100 * (np.array(shares) - 1)
