"""The checks of notebook 15, hiding: averages, shuffles, bins, and sliding windows.

The left side is truth (an enumeration, an exact law) or, where truth is out of reach, a proved and tighter bound. The
right side is the paper's.
"""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from shufflekit import exact
from shufflekit.beyond import windows
from shufflekit.definitions import growth, response
from shufflekit.exact.loads import squared_loads
from shufflekit.papers.balle2020 import replacement, shuffling, swapping
from shufflekit.papers.rows import Compared, compared
from shufflekit.protocols import Shuffle
from shufflekit.randomizers import RandomizedResponse

DELTA = 1e-6
LEVELS, SIZES = (0.1, 0.25, 0.5, 1.0), (200, 1000, 10_000)
HALF = Fraction(1, 2)


# What is hidden: averages and shuffles.


def averages() -> list[windows.Row]:
    """A_avg against one slot and against the game: every data set, in fractions. [beyond] 18"""
    binary, ternary = RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=2)
    rows: list[windows.Row] = []
    for rate, alpha in product((HALF, Fraction(1)), (Fraction(1), Fraction(5, 4))):
        rows += windows.averaged_rows(binary, 4, 2, rate, alpha)
        rows += windows.averaged_rows(ternary, 3, 3, rate, alpha)
        rows += windows.adaptive_rows(binary, 3, 3, rate, alpha)
    return rows


def edges() -> list[windows.Row]:
    """Clients of a sliding window against the first, and the first against one replacement. [beyond] 18"""
    binary, sizes = RandomizedResponse(2, ratio=3), ((4, 2), (4, 3))
    pairs = product(sizes, (Fraction(1), Fraction(5, 4)))
    return [row for (n, m), alpha in pairs for row in windows.edge_rows(binary, n, m, alpha)]


def shuffles() -> Compared:
    """The clone pair's guarantee against Theorem 5.1."""
    return compared(
        (proved(eps0, n), float(shuffling.thm51(eps0, n, DELTA)), f"eps0 = {eps0:g}, n = {n:,}")
        for eps0, n in product(LEVELS, SIZES)
    )


def averaged_slots() -> Compared:
    """The clone pair's guarantee against Theorem 4.1, for one slot, n/10 and n."""

    def row(eps0: float, n: int, m: int) -> Any:
        theirs = float(shuffling.thm41(eps0, n, m, DELTA / 2, DELTA / 2))
        return proved(eps0, n), theirs, f"eps0 = {eps0:g}, n = {n:,}, m = {m:,}"

    return compared(row(eps0, n, m) for eps0, n in product(LEVELS, SIZES) for m in (1, n // 10, n))


def proved(eps0: float, n: int) -> float:
    """The clone pair's guarantee for n shuffled clients, places that answer in turn included. [beyond] 2"""
    return Shuffle(eps0, n, reduction="clones").epsilon(DELTA).upper


def averaged_curves(n: int, eps0: float, m: Any) -> dict[str, Any]:
    """Over the numbers of slots m: Theorem 4.1, and what does not depend on m: eps0, the clone pair, an attack."""
    level = {
        "eps0 itself": eps0,
        "guaranteed: the clones": proved(eps0, n),
        "an attack": Shuffle(eps0, n).attack_epsilon(DELTA).lower,
    }
    theorem = {"Theorem 4.1": shuffling.thm41(eps0, n, m, DELTA / 2, DELTA / 2)}
    return theorem | {name: np.full(len(m), value) for name, value in level.items()}


def bins() -> Compared:
    """Theorem A.5: few clients enumerated, in delta; many in eps, what is proved and what an attack reaches.

    The answers bin by bin are a post-processing of all answers in order.
    """
    small, eps0 = RandomizedResponse(2, ratio=Fraction(11, 10)), math.log(1.1)
    rows: list[Any] = []
    for sizes, delta in product(((4,), (2, 2), (1, 3), (1, 1, 2)), (0.5, 0.1)):
        alpha = math.exp(shuffling.thm_a5(eps0, sizes, delta))
        truth = float(windows.worst_bins(small, sizes, alpha))
        rows.append((truth, delta, f"eps0 = log 1.1, loads {', '.join(map(str, sizes))}, delta = {delta:g}"))
    for eps0, n, m in product(LEVELS, SIZES, (1, 10, 100)):
        theirs = shuffling.thm_a5(eps0, [n // m] * m, DELTA)
        rows += _many_swapped(eps0, n, theirs, f"eps0 = {eps0:g}, n = {n:,}, each of {m} slots {n // m}")
    return compared(rows)


def swaps() -> Compared:
    """Theorem A.7: few clients enumerated, in delta; many in eps, what is proved and what an attack reaches."""
    small, eps0 = RandomizedResponse(2, ratio=Fraction(11, 10)), math.log(1.1)
    rows: list[Any] = []
    for n, delta in product((2, 3, 4), (0.5, 0.1)):
        alpha = math.exp(float(shuffling.thm_a7(eps0, n, delta)))
        rows.append((float(windows.worst_swap(small, n, alpha)), delta, f"eps0 = log 1.1, n = {n}, delta = {delta:g}"))
    for eps0, n in product(LEVELS, SIZES):
        rows += _many_swapped(eps0, n, float(shuffling.thm_a7(eps0, n, DELTA)), f"eps0 = {eps0:g}, n = {n:,}")
    return compared(rows)


def proved_swap(eps0: float, n: int, delta: float) -> float:
    """A guarantee for A_swap, whose adversary knows the arrangement but for the swap: by the clone pair of fewer slots.

    Let E = e^eps0, o be the first answer, r0 and r1 its chances with either record in front, w_i with client i's, and
    S their sum. Given o the record is at place i with the weight w_i, and ([beyond] 17)

        n (P - a Q) = R(rest) (r0 - a r1 + sum_i w_i (t0_i - a t1_i)).

    If r0 <= r1, r0 may stand for r1: that is A_rep with the weights c_i = w_i/(S + r0). If r0 > r1, then as t0_i >= 1/E
    and w_i >= r0/E, r0 + sum_i w_i t0_i is at most B (r1 + sum_i w_i t0_i), B = 1 + E (E-1)/(E+n-1): A_rep again, at
    a/B and times B. All c_i are at most E/(E+n-1) and sum to at most 1, so m slots of weight 1/m, with m the whole
    part of (E+n-1)/E, majorize them; and independent clones are above every chooser ([beyond] 14, 15). So

        H_a(A_swap) <= B H_{a/B}(clones of m).
    """
    m, B = swap_terms(math.exp(eps0), n)
    return math.log(B) + Shuffle(eps0, m, reduction="clones").guarantee(delta / B).upper


def swap_terms(E: Any, n: int) -> tuple[int, Any]:
    """The m and B of ``proved_swap``."""
    return math.floor((n - 1) / E) + 1, 1 + E * (E - 1) / (E + n - 1)


def _many_swapped(eps0: float, n: int, theirs: float, where: str) -> list[Any]:
    reached = Shuffle(eps0, n).attack_epsilon(DELTA).lower
    return [(proved_swap(eps0, n, DELTA), theirs, f"proved, {where}"), (reached, theirs, f"reached, {where}")]


def norms() -> Compared:
    """Lemma A.6: the exact chance to exceed it, in fractions."""

    def row(n: int, m: int, delta: float) -> Any:
        limit = float(shuffling.lemma_a6(n, m, delta)) ** 2
        chance = sum(p for squares, p in squared_loads(n, m).items() if squares > limit)
        return chance, delta, f"n = {n}, m = {m}, delta = {delta:g}"

    return compared(row(*case) for case in product((2, 5, 10, 20), (2, 3, 4, 10), (0.99, 0.9, 0.5, 0.1)))


def posteriors() -> Compared:
    """Theorem A.7's proof: the chance that the record is at place i, for all data and all answers before."""
    rows: list[Any] = []
    for E, n in product((Fraction(6, 5), Fraction(3)), (2, 3, 4, 5)):
        limits = shuffling.posterior_a7(math.log(E), n, np.arange(1, n + 1))
        for seen in _prefixes(E, n):
            chance = seen.likelihoods[seen.place - 1] / sum(seen.likelihoods)
            rows.append((chance, float(limits[seen.place - 1]), f"E = {E}, n = {n}, place {seen.place}"))
    return compared(rows)


def displays() -> Compared:
    """The display before q_i, its factors left out, against the ratio by A_swap's own law; n = 4, E = 3."""
    channel, rows = RandomizedResponse(2, ratio=3), []
    for records in product((0, 1), repeat=4):
        law = exact.one_swap(channel, records)
        for seen in windows.swap_prefixes(channel, records):
            # What is seen first, whatever comes after it.
            chance = sum(p for shown, p in law.items() if tuple(shown[: seen.place - 1]) == seen.shown)
            right = swapping.display_corrected(seen.likelihoods, seen.place)
            rows.append((seen.likelihoods[seen.place - 1] / chance, right, f"{records}, place {seen.place}"))
    return compared(rows)


def printed_display() -> tuple[Fraction, Fraction, dict[str, Any]]:
    """The display as printed: three clients with 0, 1, 1, two answers of 0; E = 3."""
    channel = RandomizedResponse(2, ratio=3)
    seen = next(one for one in windows.swap_prefixes(channel, (0, 1, 1)) if one.shown == (0, 0))
    truth = seen.likelihoods[seen.place - 1] * 3 / sum(seen.likelihoods)
    return truth, swapping.display(seen.likelihoods, seen.place), {"data": "0, 1, 1", "answers": "0, 0", "place": 3}


def surrogates(sizes: tuple[int, ...], delta1: Fraction = Fraction(1, 10)) -> Fraction:
    """How far all answers are from those of a randomizer that tells its record with the chance delta1, in TV."""
    plain, tells = (windows.telling(RandomizedResponse(2, ratio=3), chance) for chance in (0, delta1))
    records = (0, *(1,) * (sum(sizes) - 1))
    return Fraction(windows.distance_in_bins(tells, plain, records, sizes))


def exchanged(one_a_bin: bool = False) -> Compared:
    """All answers and those of surrogates, n of them exchanged: a distance of at most n delta1. In fractions.

    ``one_a_bin``: the answers in order, as A_swap shows them.
    """
    sizes = [(1,) * n for n in (2, 3, 4)] if one_a_bin else [(3,), (2, 1), (2, 2), (0, 4)]
    return compared(
        (surrogates(each, delta1), sum(each) * delta1, f"bins of {', '.join(map(str, each))}, delta1 = {delta1}")
        for each, delta1 in product(sizes, (Fraction(1, 10), Fraction(1, 100)))
    )


def crowds(n: int, m: int) -> list[list[int]]:
    """How many of n clients come to each of m bins, for all ways in which they may come."""
    return [[way.count(place) for place in range(m)] for way in product(range(m), repeat=n)]


def crowd_rows() -> Compared:
    """Loads are whole numbers of at most n, and they sum to n."""
    rows: list[Any] = []
    for n, m in ((3, 2), (4, 2), (3, 3)):
        for loads in crowds(n, m):
            where = f"n = {n}, loads {loads}"
            rows += [(max(loads), n, where), (sum(loads), n, f"the sum, {where}"), (n, sum(loads), f"n, {where}")]
    return compared(rows)


def _prefixes(E: Fraction, n: int) -> list[windows.Prefix]:
    channel = RandomizedResponse(2, ratio=E)
    return [seen for records in product((0, 1), repeat=n) for seen in windows.swap_prefixes(channel, records)]


# What is hidden: windows.


def replacements() -> Compared:
    """The clone pair of m slots against Theorem 4.3. [beyond] 15"""
    return compared(
        (proved(eps0, m), float(replacement.thm43(eps0, m, DELTA)), f"eps0 = {eps0:g}, m = {m:,}")
        for eps0, m in product(LEVELS, SIZES)
    )


def reached(eps0: float, n: int, m: int, client: int) -> float:
    """What an attack on this client reaches: 3-ary randomized response, all others at the third value. [beyond] 18"""
    law = response(growth(eps0), 3)
    return windows.alike_epsilon(law, windows.float_shares(n, m, client), DELTA, eps0)


def attacked_window(eps0: float, n: int, m: int) -> tuple[list[int], list[float]]:
    """Clients of a sliding window, denser at the edges, and what an attack on each of them reaches."""
    first = [1, m // 10, m // 4, m // 2, 3 * m // 4, m, n // 2]
    clients = first + [n + 1 - client for client in first[-2::-1]]
    return clients, [reached(eps0, n, m, client) for client in clients]


def telling_windows() -> Compared:
    """Theorem 4.3 for randomized response that tells its record with the chance delta0, enumerated."""
    rows: list[Any] = []
    for chance, (n, m) in product((0.25, 0.05), ((3, 1), (3, 2), (4, 2))):
        tells = windows.telling(RandomizedResponse(2, ratio=Fraction(6, 5)), Fraction(chance))
        claimed = replacement.thm43_approximate(math.log(1.2), chance, m, 0.1)
        truth = float(windows.worst_client(tells, n, m, 1, math.exp(claimed.eps)))
        rows.append((truth, claimed.delta, f"delta0 = {chance:g}, n = {n}, m = {m}"))
    return compared(rows)
