"""[liew2022] Theorems 4 and 5 and Remark 5 held against integrals: rows, and points at which the print fails.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import itertools
import math
from fractions import Fraction

from shufflekit.papers.balle2020.misprints import Misprint, Row
from shufflekit.papers.liew2022 import removal
from shufflekit.papers.liew2022.distributed import falling_moment, thm4
from shufflekit.papers.liew2022.gaussians import alone, removed, replaced

SETTINGS = (
    (2, 1.0, 20, 0.5),
    (2, 0.5, 20, 0.5),
    (6, 2.0, 10, 0.02),
    (3, 1.0, 5, 0.3),
    (5, 0.7, 40, 0.1),
    (4, 3.0, 2, 0.9),
)
REFUTED = SETTINGS[0]


def theorem_4() -> list[Row]:
    """One record replaced: the divergence if nobody sees how many came, either way, and Theorem 4 with k/n."""
    rows = []
    for (order, sigma, n, gamma), distance in itertools.product(SETTINGS, (1.0, 2.0)):
        bound = float(thm4(order, sigma, n, gamma, distance))
        for way in (True, False):
            found = math.log(replaced(sigma, n, gamma, distance).moment(order, forth=way)) / (order - 1)
            rows.append((found, bound, f"{_way(way)}, {_where(order, sigma, n, gamma)}, distance = {distance:g}"))
    return rows


def theorem_4_falling() -> tuple[float, float, dict[str, float]]:
    """One client: the moment, and what it would be if given K = 1 the chance of having come were gamma once more."""
    order, sigma, gamma = 2, 1.0, 0.1
    found = replaced(sigma, 1, gamma, 1.0).moment(order, forth=True)
    taken = 1 - gamma + gamma * falling_moment(order, sigma, 1, gamma, 1.0)
    return found, taken, {"order": 2.0, "sigma": sigma, "n": 1.0, "gamma": gamma}


def theorem_5() -> Misprint:
    """The moment of removal against the braces as printed; both directions against their bounds."""
    rows = []
    for order, sigma, n, gamma in SETTINGS:
        pair = removed(sigma, n, gamma)
        bounds = {True: removal.thm5_removed, False: removal.thm5_added}
        for way, bound in bounds.items():
            found = pair.moment(order, forth=way) - 1
            rows.append((found, bound(order, sigma, n, gamma) - 1, f"{_way(way)}, {_where(order, sigma, n, gamma)}"))
    found, printed = removed(*REFUTED[1:]).moment(REFUTED[0], forth=True), removal.thm5_braces(*REFUTED)
    return Misprint((found, printed, _at(*REFUTED)), rows)


def prefactor() -> Misprint:
    """Theorem 5's ``1/(1 - order)``, which turns braces above 1 into a divergence below 0; and ``1/(order - 1)``."""
    x = SETTINGS[2]
    rows = []
    for order, sigma, n, gamma in SETTINGS:
        bound = math.log(max(f(order, sigma, n, gamma) for f in (removal.thm5_added, removal.thm5_removed)))
        found = math.log(max(removed(sigma, n, gamma).moment(order, forth=way) for way in (True, False)))
        rows.append((found / (order - 1), bound / (order - 1), _where(order, sigma, n, gamma)))
    found = math.log(removed(*x[1:]).moment(x[0], forth=True)) / (x[0] - 1)
    return Misprint((found, removal.thm5(*x), _at(*x)), rows)


def exponents() -> Misprint:
    """The weights of the moments from order 3 on, which should sum to the chance of 3 or more of ``order`` coins."""

    def chance(order: int, gamma: Fraction) -> Fraction:
        return 1 - sum((removal.weight(j, order, gamma) for j in range(3)), Fraction(0))

    rows = []
    for order, gamma in itertools.product((3, 4, 6, 12), (Fraction(1, 50), Fraction(1, 2), Fraction(9, 10))):
        total = sum(removal.weight(j, order, gamma) for j in range(3, order + 1))
        rows.append((total, chance(order, gamma), f"order = {order}, gamma = {gamma}"))
    gamma = Fraction(1, 50)
    printed = sum(removal.printed_weight(j, 6, gamma) for j in range(3, 7))
    return Misprint((printed, chance(6, gamma), {"order": 6.0, "gamma": 0.02}), rows)  # type: ignore[arg-type]


def display() -> Misprint:
    """The proof's chances of k others, ``gamma^k gamma^{n-1-k}``: they sum to 1 only if the second is (1-gamma)."""
    rows: list[Row] = []
    for n, gamma in itertools.product((2, 5, 20), (Fraction(1, 50), Fraction(1, 2), Fraction(9, 10))):
        total = sum(removal.weight(k, n - 1, gamma) for k in range(n))
        rows.append((total, 1, f"n = {n}, gamma = {gamma}"))
    gamma = Fraction(1, 50)
    printed = sum(math.comb(4, k) * gamma**k * gamma ** (4 - k) for k in range(5))
    return Misprint((printed, 1, {"n": 5.0, "gamma": 0.02}), rows)  # type: ignore[arg-type]


def closed_form() -> Misprint:
    """``E_{q'}[(p'/q')^l]``: an integral and the print; integrals both ways and the closed forms."""
    rows = []
    for k, j, sigma in itertools.product((1, 2, 3, 5, 10, 30), (1, 2, 3, 6), (0.5, 1.0, 2.0)):
        pair, where = alone(k, sigma), f"k = {k}, l = {j}, sigma = {sigma:g}"
        if j <= k:
            rows.append((pair.moment(j, forth=True), math.exp(removal.log_forth(j, k, sigma)), f"forth, {where}"))
        rows.append((pair.moment(j, forth=False), math.exp(removal.log_back(j, k, sigma)), f"back, {where}"))
    k, j, sigma = 3, 2, 1.0
    at = {"k": 3.0, "l": 2.0, "sigma": sigma}
    return Misprint((alone(k, sigma).moment(j, forth=True), math.exp(removal.log_printed(j, k, sigma)), at), rows)


def remark_5() -> Misprint:
    """``E_{q'}[p'/q']``, which is 1, an integral of a density; what the printed closed form has for it is less."""
    rows = []
    for k, sigma in itertools.product((1, 2, 3, 5, 10, 30), (0.5, 1.0, 2.0)):
        rows.append((alone(k, sigma).moment(1, forth=True), 1.0, f"k = {k}, sigma = {sigma:g}"))
    at = {"k": 3.0, "sigma": 1.0}
    return Misprint((1.0, math.exp(removal.log_printed(1, 3, 1.0)), at), rows)


def third_moment(k: int, sigma: float, *, forth: bool) -> float:
    """``E_{q'}(p'/q' - 1)^3``, or ``E_{p'}(q'/p' - 1)^3``, which is below 0 for a sigma of 1 or more."""
    log_moment = removal.log_forth if forth else removal.log_back
    second, third = (math.exp(log_moment(order, k, sigma)) for order in (2, 3))
    return third - 3 * second + 2


def _way(forth: bool) -> str:
    return "forth" if forth else "back"


def _where(order: int, sigma: float, n: int, gamma: float) -> str:
    return f"order = {order}, sigma = {sigma:g}, n = {n}, gamma = {gamma:g}"


def _at(order: int, sigma: float, n: int, gamma: float) -> dict[str, float]:
    return {"order": float(order), "sigma": sigma, "n": float(n), "gamma": gamma}
