"""[koskela2023] Section 4 and appendix C held against all coins and all answers, for a handful of users.

A row is a left side, a right side and where: what ``claims.verify`` compares, with ``rows.compared``. All is in
fractions, but where crowds are asked for.
"""

import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from shufflekit import divergences
from shufflekit.papers.koskela2023.views import (
    Counts,
    View,
    enumerate_views,
    eq24,
    eq24_corrected,
    eqc7,
    eqc7_corrected,
    thm13_corrected,
    thm15_corrected,
)
from shufflekit.papers.rows import DEGENERATE, Row

Views = dict[View, tuple[Any, Any]]  # of each view the probabilities under X and under X'
Outcomes = defaultdict[tuple[int, int, int], Fraction]  # of (B, N_1, N_2), the probability
RATES = (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))
ALPHAS: tuple[Any, ...] = (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5))
FEW: tuple[Any, ...] = (Fraction(1), Fraction(2), Fraction(5))  # alphas of several rounds
MOST_REPORTS = 10_000  # ways to answer, of which all are gone through


class Seen(NamedTuple):
    """A data set, and what three adversaries see of it."""

    n: int
    gamma: Fraction
    k: int
    others: tuple[int, ...]
    strong: Views
    weak: Views
    shuffled: Views

    @property
    def law(self) -> tuple[int, Fraction, int]:
        """What the laws of counts depend on."""
        return self.n, self.gamma, self.k

    @property
    def where(self) -> str:
        return f"n = {self.n}, k = {self.k}, gamma = {self.gamma}, others {self.others}"


@functools.cache
def bench() -> tuple[Seen, ...]:
    """All values of up to four others, of up to four kinds, three rates of lies: 276 data sets."""
    found = []
    for n, k, gamma in itertools.product(range(1, 6), (2, 3, 4), RATES):
        if k ** (n - 1) * (k + 1) ** n >= MOST_REPORTS:
            continue
        for others in itertools.product(range(k), repeat=n - 1):
            three = [enumerate_views(others, gamma, k, who) for who in ("strong", "weak", "shuffled")]
            found.append(Seen(n, gamma, k, others, *three))
    return tuple(found)


def small(users: int, views: int) -> list[Seen]:
    """Those of which several rounds are multiplied out."""
    return [one for one in bench() if one.n <= users and len(one.strong) <= views]


def hockey(seen: Views, alpha: Any, rounds: int = 1) -> Any:
    """``H_alpha`` of what is seen, in that many independent rounds: a product of views."""
    p, q = one_p, one_q = np.array(list(seen.values()), dtype=object).T
    for _ in range(rounds - 1):
        p, q = np.multiply.outer(p, one_p), np.multiply.outer(q, one_q)
    return divergences.hockey_stick(p, q, alpha)


def losses(seen: Views) -> Counts:
    """The two sides of the likelihood ratio, drawn under X."""
    p, q = np.array([both for both in seen.values() if both[0] > 0], dtype=object).T
    return Counts(p, p, q)


# Who sees more


def def14_rows() -> Iterator[Row]:
    """[koskela2023] Def 14: the messages tell no more than the weak view, and this no more than the strong one."""
    for one, alpha in itertools.product(bench(), ALPHAS):
        strong, weak, shuffled = (hockey(seen, alpha) for seen in one[4:])
        where = f"{one.where}, alpha = {alpha}" + DEGENERATE * bool(one.n == 1 or alpha <= 1)
        yield shuffled, weak, where
        yield weak, strong, where


def meets_at_one() -> bool:
    """At alpha = 1 the last coin is worth nothing."""
    return all(hockey(one.strong, 1) == hockey(one.weak, 1) for one in bench())


def def12_rows() -> Iterator[Row]:
    """[koskela2023] after Def 12, as corrected: the ratio is N_1/N_2, and 1 if the last coin shows a lie."""
    for one in bench():
        for view, (p, q) in one.strong.items():
            first, second, *_ = view.counts(one.others) if view.bits[-1] == 0 else (1, 1)
            yield p * second, q * first, one.where


def eqc2(counts: tuple[int, ...], b: int, law: tuple[int, Fraction, int], own: int) -> Fraction:
    """[koskela2023] eq (C.2), and with ``own`` 1 (C.3); its first factor read as ``b!/(n_1! ... n_k!)``."""
    n, gamma, k = law
    ways = Fraction(math.factorial(b), math.prod(math.factorial(c) for c in counts))
    coins = gamma**b * (1 - gamma) ** (n - 1 - b) / Fraction(k) ** b
    return ways * coins * (counts[own] * (1 - gamma) + gamma / k * (b + 1))


def eqc2_rows() -> Iterator[Row]:
    """Every view of the weak adversary, under X and under X'."""
    for one in bench():
        for view, both in one.weak.items():
            counts, b = view.counts(one.others), sum(view.bits)
            for own in (0, 1):
                yield both[own], eqc2(counts, b, one.law, own), one.where


# What the losses say


def eq24_rows() -> Iterator[Row]:
    """[koskela2023] eq (2.4) as corrected, on the enumerated losses: one round, and two."""
    for one, alpha in itertools.product(bench(), ALPHAS):
        for seen in (one.strong, one.weak):
            yield eq24_corrected(losses(seen), alpha), hockey(seen, alpha), one.where
    for one, alpha in itertools.product(small(3, 40), FEW):
        for seen in (one.strong, one.weak):
            yield eq24_corrected(losses(seen).composed(2), alpha), hockey(seen, alpha, 2), f"{one.where}, two rounds"


def eqc8_rows() -> Iterator[Row]:
    """[koskela2023] eq (C.8) as corrected: the strong view from one multinomial."""
    for one, alpha in itertools.product(bench(), ALPHAS):
        yield hockey(one.strong, alpha), eq24_corrected(eqc7_corrected(*one.law), alpha), one.where


def thm13_rows() -> Iterator[Row]:
    """[koskela2023] Thm 13 as corrected: the same, and two rounds."""
    yield from eqc8_rows()
    for one, alpha in itertools.product(small(3, 40), FEW):
        two = eqc7_corrected(*one.law).composed(2)
        yield hockey(one.strong, alpha, 2), eq24_corrected(two, alpha), f"{one.where}, two rounds"


def eq42_rows() -> Iterator[Row]:
    """[koskela2023] eq (4.2) with one multinomial: the probability is a bound; of crowds by the exact law."""
    for one, alpha in itertools.product(bench(), ALPHAS):
        yield hockey(one.strong, alpha), eq24(eqc7_corrected(*one.law), alpha), one.where
    for n, eps in ((62, 1.8), (100, 1.3), (300, 0.8)):
        exact = float(thm13_corrected(eps, n, 0.9, 2))
        yield exact, float(eq24(eqc7_corrected(n, 0.9, 2), math.exp(eps))), f"n = {n}, eps = {eps}"


def largest_share(n: int) -> tuple[float, float, int]:
    """Exact over printed (C.8) for k = 2, where it is largest: the quotient, gamma, and alpha, just above that."""
    found = []
    for gamma in np.arange(0.05, 1, 0.05).tolist():
        alpha = np.arange(1, n) * (1 + 1e-6)
        share = eq24_corrected(eqc7_corrected(n, gamma, 2), alpha) / eq24(eqc7(n, gamma, 2), alpha)
        at = int(np.argmax(share))
        found.append((float(share[at]), round(gamma, 2), at + 1))
    return max(found)


# The weak adversary's law


def one_more_ball(n: int, gamma: Fraction, k: int) -> Outcomes:
    """One B of lies, one multinomial of them, one more ball: the law of (B, N_1, N_2)."""
    law, r = Outcomes(Fraction), Fraction(1, k)
    for b, i, j in itertools.product(range(n), repeat=3):
        if i + j > b:
            continue
        lies = math.comb(n - 1, b) * gamma**b * (1 - gamma) ** (n - 1 - b)
        thrown = math.comb(b, i) * math.comb(b - i, j) * r ** (i + j) * (1 - 2 * r) ** (b - i - j)
        law[b, i + 1, j] += lies * thrown * (1 - gamma + gamma * r)
        law[b, i, j + 1] += lies * thrown * gamma * r
        law[b, i, j] += lies * thrown * gamma * (k - 2) * r
    return law


def thm15_rows() -> Iterator[Row]:
    """[koskela2023] Thm 15 as corrected: that law, outcome by outcome."""
    for one in bench():
        found, expected = Outcomes(Fraction), one_more_ball(*one.law)
        for view, (p, _) in one.weak.items():
            first, second, *_ = view.counts(one.others)
            found[sum(view.bits), first, second] += p
        for outcome in sorted({key for law in (found, expected) for key, chance in law.items() if chance}):
            yield found[outcome], expected[outcome], f"{one.where}, B, N1, N2 = {outcome}"


def thm16_rows() -> Iterator[Row]:
    """[koskela2023] Thm 16 as corrected: one round, and two."""
    for one, alpha in itertools.product(bench(), ALPHAS):
        yield hockey(one.weak, alpha), eq24_corrected(thm15_corrected(*one.law), alpha), one.where
    for one, alpha in itertools.product(small(3, 40), FEW):
        two = thm15_corrected(*one.law).composed(2)
        yield hockey(one.weak, alpha, 2), eq24_corrected(two, alpha), f"{one.where}, two rounds"


def index_rows() -> Iterator[Row]:
    """[koskela2023] Thm 16: as many losses as rounds, one to three."""
    tiny = [one for one in bench() if one.n <= 2 and len(one.weak) <= 12]
    for one, rounds, alpha in itertools.product(tiny, (1, 2, 3), FEW):
        added = thm15_corrected(*one.law).composed(rounds)
        yield hockey(one.weak, alpha, rounds), eq24_corrected(added, alpha), f"{one.where}, {rounds} rounds"
