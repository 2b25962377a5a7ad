"""[liew2022] Theorems 4 and 5 and Remark 5 held against integrals: rows, and points at which the print fails.

A row is a left side, a right side and where: what ``claims.verify`` compares.
"""

import cmath
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shufflekit._validate import Array
from shufflekit.papers.liew2022 import removal
from shufflekit.papers.liew2022.distributed import falling_moment, thm4
from shufflekit.papers.liew2022.gaussians import alone, removed, replaced
from shufflekit.papers.rows import Misprint, Row

SETTINGS = (
    (2, 1.0, 20, 0.5),
    (2, 0.5, 20, 0.5),
    (6, 2.0, 10, 0.02),
    (3, 1.0, 5, 0.3),
    (5, 0.7, 40, 0.1),
    (4, 3.0, 2, 0.9),
)
REFUTED = SETTINGS[0]
WIDTH = 9.0  # deviations beyond all means, of an integral in the plane
RATES = (Fraction(1, 50), Fraction(1, 2), Fraction(9, 10))


def theorem_4() -> list[Row]:
    """One record replaced: the divergence if nobody sees how many came, either way, and Theorem 4 with k/n."""
    rows = []
    for (order, sigma, n, gamma), distance in itertools.product(SETTINGS, (1.0, 2.0)):
        bound = float(thm4(order, sigma, n, gamma, distance))
        for way in (True, False):
            found = math.log(replaced(sigma, n, gamma, distance).moment(order, forth=way)) / (order - 1)
            rows.append((found, bound, f"{_way(way)}, {_where(order, sigma, n, gamma)}, distance = {distance:g}"))
    return rows


def theorem_4_data() -> list[Row]:
    """Theorem 4 given k, for all data in a disc: the excess of the moment over 1, and of the theorem's, others alike.

    Given who else came, the changed record u, or v, takes the place of one of them, c; by joint convexity the worst
    draw is a bound. Only the plane of u, v and c counts, and a plane cuts a ball in a disc of no larger radius.
    """
    disc = [0j] + [
        cmath.rect(radius, 2 * math.pi / parts * i) for radius, parts in ((0.5, 4), (1, 12)) for i in range(parts)
    ]
    rows: list[Row] = []
    for order, sigma, k, n in ((2, 1.0, 1, 10), (3, 0.7, 4, 20), (2, 1.0, 4, 100), (5, 1.0, 9, 10)):
        shift, bound = 1 / (sigma * math.sqrt(k)), falling_moment(order, sigma, k, k / n, 2.0) - 1
        for u, v, c in itertools.product((0.5 + 0j, 1 + 0j), disc, disc):
            if u != v:  # else both laws are the same
                found = in_plane(order, k / n, *(shift * point for point in (u, v, c))) - 1
                where = f"u, v, c = {', '.join(map(_polar, (u, v, c)))}"
                rows.append((found, bound, f"{where}, order = {order}, sigma = {sigma:g}, k = {k}, n = {n}"))
    return rows


def theorem_4_triangle() -> tuple[float, float]:
    """Three values each 2 apart, which no ball of diameter 2 holds: the excess over 1, and of Theorem 4's."""
    order, sigma, k, n = 2, 1.0, 4, 100
    shift = 2 / (sigma * math.sqrt(k))
    found = in_plane(order, k / n, shift, cmath.rect(shift, math.pi / 3), 0j)
    return found - 1, falling_moment(order, sigma, k, k / n, 2.0) - 1


def in_plane(order: int, q: float, u: complex, v: complex, c: complex) -> float:
    """``E_Q[(P/Q)^order]``, P = (1-q) N(c, 1) + q N(u, 1), Q with v for u: the trapezoid rule in the plane."""
    reach = WIDTH + 2 * max(map(abs, (u, v, c)))
    axis = np.linspace(-reach, reach, 200)

    def density(mean: complex) -> Array:
        across, along = (np.exp(-((axis - part) ** 2) / 2) for part in (mean.real, mean.imag))
        return np.outer(across, along) / (2 * math.pi)

    p, other = ((1 - q) * density(c) + q * density(point) for point in (u, v))
    return float((p * (p / other) ** (order - 1)).sum() * (axis[1] - axis[0]) ** 2)


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
    """The weights of the moments from order 3 on, which should be the chances of so many of ``order`` coins."""
    rows: list[Row] = []
    for order, gamma in itertools.product((3, 4, 6, 12), RATES):
        chances, where = heads(order, gamma), f"order = {order}, gamma = {gamma}"
        rows += [(removal.weight(j, order, gamma), chances[j], f"l = {j}, {where}") for j in range(3, order + 1)]
    printed = sum(removal.printed_weight(j, 6, RATES[0]) for j in range(3, 7))
    return Misprint((printed, sum(heads(6, RATES[0])[3:]), {"order": 6, "gamma": RATES[0]}), rows)


def display() -> Misprint:
    """The proof's chances of k others, ``gamma^k gamma^{n-1-k}``, which do not sum to 1; and coin by coin."""
    rows: list[Row] = []
    for n, gamma in itertools.product((2, 5, 20), RATES):
        chances, where = heads(n - 1, gamma), f"n = {n}, gamma = {gamma}"
        rows += [(removal.weight(k, n - 1, gamma), chances[k], f"k = {k}, {where}") for k in range(n)]
    gamma = RATES[0]
    printed = sum(math.comb(4, k) * gamma**k * gamma ** (4 - k) for k in range(5))
    return Misprint((printed, sum(heads(4, gamma)), {"n": 5, "gamma": gamma}), rows)


def heads(coins: int, gamma: Fraction) -> list[Fraction]:
    """How many of these coins show heads, coin after coin."""
    chances = [Fraction(1)]
    for _ in range(coins):
        stay, go = [(1 - gamma) * one for one in chances], [gamma * one for one in chances]
        chances = [a + b for a, b in zip([*stay, Fraction(0)], [Fraction(0), *go], strict=True)]
    return chances


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
    """``E_{q'}[p'/q']``, an integral, which is 1; what the printed closed form has for it is less."""
    rows: list[Row] = []
    for k, sigma in itertools.product((1, 2, 3, 5, 10, 30), (0.5, 1.0, 2.0)):
        found, where = alone(k, sigma).moment(1, forth=True), f"k = {k}, sigma = {sigma:g}"
        rows.append((found, math.exp(removal.log_forth(1, k, sigma)), where))
    at = {"k": 3.0, "sigma": 1.0}
    found = alone(3, 1.0).moment(1, forth=True)
    return Misprint((found, math.exp(removal.log_printed(1, 3, 1.0)), at), rows)


def third_moment(k: int, sigma: float, *, forth: bool) -> float:
    """``E_{q'}(p'/q' - 1)^3``, or ``E_{p'}(q'/p' - 1)^3``, which is below 0 for a sigma of 1 or more."""
    log_moment = removal.log_forth if forth else removal.log_back
    second, third = (math.exp(log_moment(order, k, sigma)) for order in (2, 3))
    return third - 3 * second + 2


def third_moments(counts: Sequence[int]) -> dict[str, Array]:
    """Theorem 5's moments of order 3, sigma = 1, by who else came; nan where they are infinite. And as printed."""
    forms = {"of p'/q'": removal.log_forth, "of q'/p'": removal.log_back, "as printed": removal.log_printed}
    found = {name: np.exp([form(3, k, 1.0) for k in counts]) for name, form in forms.items()}
    return {name: np.where(np.isfinite(moments), moments, np.nan) for name, moments in found.items()}


def second_moments(sigmas: Sequence[float], n: int, gamma: float) -> dict[str, list[float]]:
    """Theorem 5 at order 2 as printed and as it should read, and the truth, a record being removed."""
    return {
        "printed": [removal.thm5_braces(2, sigma, n, gamma) for sigma in sigmas],
        "corrected": [removal.thm5_removed(2, sigma, n, gamma) for sigma in sigmas],
        "truth": [removed(sigma, n, gamma).moment(2, forth=True) for sigma in sigmas],
    }


def _polar(point: complex) -> str:
    return f"{abs(point):g} at {math.degrees(cmath.phase(point)):.0f} degrees"


def _way(forth: bool) -> str:
    return "forth" if forth else "back"


def _where(order: int, sigma: float, n: int, gamma: float) -> str:
    return f"order = {order}, sigma = {sigma:g}, n = {n}, gamma = {gamma:g}"


def _at(order: int, sigma: float, n: int, gamma: float) -> dict[str, float]:
    return {"order": float(order), "sigma": sigma, "n": float(n), "gamma": gamma}
