"""[balle2020] Theorems 3.2 and A.4 between what is proved and what is reached; empty slots; two false friends.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shufflekit import exact
from shufflekit.beyond import few, few_slots
from shufflekit.exact import View
from shufflekit.papers.balle2020.replacement import thm32, thm32_printed, thm_a4
from shufflekit.papers.rows import Misprint, Row
from shufflekit.protocols import RandomCheckIn
from shufflekit.randomizers import RandomizedResponse

PLAYED = ((0.25, 200), (0.5, 200), (1.0, 200), (2.0, 200), (1.0, 1000))  # eps0, slots: a game can be played so long
MANY = tuple((eps0, 10_000) for eps0 in (0.25, 0.5, 1.0, 2.0))


class Played(NamedTuple):
    """One random replacement at ``delta``: the eps of the best play, and of randomized response in all slots alike."""

    eps0: float
    slots: int
    game: float
    plain: float


def theorem_32(delta: float) -> list[Row]:
    """[balle2020] Thm 3.2 above the only client's randomized response, and above the proved clone pair."""
    rows: list[Row] = []
    for eps0, m, k in itertools.product((0.25, 0.5, 1.0, 2.0), (200, 1000, 10_000), (1, 2)):
        where, printed = f"eps0, m, 1/p0 = {eps0, m, k}", float(thm32(eps0, m, 1 / k, delta))
        rows.append((few_slots.response_epsilon(eps0, m, delta, m * k), printed, f"reached, {where}"))
        rows.append((few_slots.clone_epsilon(eps0, m, delta, m * k), printed, f"proved, {where}"))
    return rows


def games(delta: float) -> list[Played]:
    """What adaptivity buys the attacker: the game, and plain randomized response. [beyond] 14"""
    sides = (few_slots.game_epsilon, few_slots.response_epsilon)
    return [Played(*point, *(side(*point, delta) for side in sides)) for point in PLAYED]


def theorem_a4(played: Sequence[Played], delta: float) -> list[Row]:
    """[balle2020] Thm A.4 above the games; at many slots above the clone pair, which is proved, and what is reached."""
    found = [*played, *(Played(*at, few_slots.clone_epsilon(*at, delta), _plain(*at, delta)) for at in MANY)]
    rows: list[Row] = []
    for one in found:
        where, printed = f"eps0, m = {one.eps0, one.slots}", float(thm_a4(one.eps0, one.slots, 1.0, delta))
        rows += [(one.plain, printed, f"reached, {where}"), (one.game, printed, f"proved, {where}")]
    return rows


def _plain(eps0: float, m: int, delta: float) -> float:
    return few_slots.response_epsilon(eps0, m, delta)


def empty_slots(loads: Iterable[float], slots: int, delta: float) -> dict[str, NDArray[np.float64]]:
    """The attack's eps at eps0 = 1, where an empty slot answers for a dummy, and where it is skipped."""
    sizes, found = [round(slots * load) for load in loads], {}
    for empty in ("dummy", "skipped"):
        runs = [RandomCheckIn(1.0, slots, clients, 1.0, empty) for clients in sizes]
        found[empty] = np.array([run.attack_epsilon(delta).lower for run in runs])
    return found


# What is not so.


def outside_root(delta: float) -> Misprint:
    """[balle2020] Theorem 3.2's proof, with m outside the root."""
    at = {"eps0": 1, "m": 1000}
    failing = few_slots.response_epsilon(1.0, 1000, delta), float(thm32_printed(1.0, 1000, 1.0, delta)), at
    sizes = (200, 1000, 10_000)
    rows = [(few_slots.clone_epsilon(1.0, m, delta), float(thm32(1.0, m, 1.0, delta)), f"m = {m}") for m in sizes]
    return Misprint(failing, rows)


def averaged_weights() -> Misprint:
    """[beyond] 17: four clients in three slots have more than the averaged weights say."""
    channel, alpha = RandomizedResponse(2, ratio=2), Fraction(3, 2)

    def view(x: int) -> View:
        return exact.fixed_window(channel, (x, 0, 0, 1), 3, 1, 0)

    found = max(few_slots.hockey(view, *pair, alpha) for pair in ((0, 1), (1, 0)))
    at = {"E": 2, "n": 4, "m": 3, "alpha": alpha}
    return Misprint((found, few_slots.averaged(2, 4, 3, alpha), at), few_slots.corrected_rows())


def known_places() -> Misprint:
    """[beyond] 17: A_swap of three clients has more than the clone pair of three."""

    def view(x: int) -> View:
        return exact.one_swap(RandomizedResponse(2, ratio=3), (x, 0, 1))

    at = {"E": 3, "n": 3, "alpha": 1}
    return Misprint((few_slots.hockey(view, 0, 1, 1), few.clone_bound(3, 3, 3, 1), at), few_slots.swap_rows())
