"""[koskela2023] Privacy losses and the clone pair's atoms held against the truth: Theorem 6, Section 3.1, Appendix A.

A row is a left side, a right side and where: what ``claims.verify`` compares. All is in fractions. What the paper
prints wrongly is a ``Misprint``. Outcomes are (b, w), black and white balls, which the paper calls (a, b).
"""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from shufflekit.divergences import Law, hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023 import losses
from shufflekit.papers.rows import Misprint, Row
from shufflekit.randomizers import RandomizedResponse

ALPHAS = tuple(Fraction(i, 4) for i in (0, 2, 4, 5, 7, 9, 12, 20))
SHARES = ((Fraction(3), Fraction(1, 4)), (Fraction(3, 2), Fraction(2, 5)), (Fraction(3), Fraction(1, 6)))  # E, p
# E, p; the first and the last with the paper's own p = 1/(E + 1).
SETTINGS = (SHARES[0], SHARES[2], (Fraction(5, 2), Fraction(1, 9)), (Fraction(8), Fraction(1, 9)))
TAU = Fraction(1, 10**12)  # of Section 3.2


def pairs() -> list[TwoLaws]:
    """Nine clone pairs of up to four clients; last, a pair one outcome of which is proof."""
    found = [losses.eq31(n, E, p) for n, (E, p) in itertools.product((1, 2, 4), SHARES)]
    proof = np.array([[1, 1, 0], [0, 1, 1]], dtype=object) * Fraction(1, 2)
    return [*found, TwoLaws(*proof)]


def theorem_6() -> Misprint:
    """[koskela2023] Theorem 6: delta as a mean over the losses of one round; the sum of the losses of two."""
    p, q = RandomizedResponse(2, ratio=3).probs
    printed = hockey_stick(p, q, 2), losses.thm6(p, q, 2), {"E": 3, "e^eps": 2}
    one_round = itertools.product(enumerate(pairs()), ALPHAS)
    rows = [(hockey_stick(*x, a), losses.thm6_corrected(*x, a), f"pair {i}, alpha = {a}") for (i, x), a in one_round]
    for (i, one), (j, two) in itertools.product(enumerate(pairs()[:6]), repeat=2):
        both = TwoLaws(np.multiply.outer(one.p, two.p), np.multiply.outer(one.q, two.q))
        pld = losses.added(losses.eq34(one), losses.eq34(two))
        for alpha in ALPHAS:
            where = f"pairs {i} and {j}, alpha = {alpha}"
            rows.append((hockey_stick(both.p, both.q, alpha), losses.from_losses(pld, alpha), where))
    return Misprint(printed, rows)


def section_31() -> list[Row]:
    """[koskela2023] Section 3.1: the mixture, against the story of (3.1) told throw by throw."""
    rows: list[Row] = []
    for n, setting in itertools.product((1, 2, 3, 6), SETTINGS):
        sides = zip(losses.section31(n, *setting), losses.eq32(n, *setting), strict=True)
        rows += [row for one, two in sides for row in _equal(one, two, f"n = {n}, E, p = {_shown(setting)}")]
    return rows


def _shown(setting: tuple[Any, ...]) -> str:
    return ", ".join(map(str, setting))


def _equal(one: Law, two: Law, where: str) -> Iterator[Row]:
    return ((x, y, where) for x, y in zip(one.flat, two.flat, strict=True))


class Case(NamedTuple):
    """An outcome (b, w) with at least one black ball, and its probabilities under P0, P1 and P2."""

    n: int
    ratio: Fraction
    p: Fraction
    black: int
    white: int
    chances: tuple[Any, Any, Any]

    @property
    def where(self) -> str:
        return f"n = {self.n}, E = {self.ratio}, p = {self.p}, (b, w) = {self.black, self.white}"


def cases() -> list[Case]:
    """All outcomes of 2, 4 and 6 clients at four settings."""
    found = []
    for n, (E, p) in itertools.product((2, 4, 6), SETTINGS):
        laws = losses.section31_parts(n, p)
        for b in range(1, n + 1):
            found += [Case(n, E, p, b, w, tuple(law[b, w] for law in laws)) for w in range(n + 1 - b)]
    return found


def lemma_a1() -> list[Row]:
    """[koskela2023] Lemma A.1: P0 by P1."""
    inside = [one for one in cases() if one.white > 0]
    return [(x.chances[0], losses.lemma_a1(x.black, x.white) * x.chances[1], x.where) for x in inside]


def lemma_a2() -> Misprint:
    """[koskela2023] Lemma A.2: P0 by P2, twice too large as printed."""
    inside = [one for one in cases() if one.black + one.white < one.n]
    first = inside[0]
    wrong = losses.lemma_a2(first.black, first.white, first.n, first.p) * first.chances[2]
    at = {"n": first.n, "E": first.ratio, "p": first.p, "(b, w)": (first.black, first.white)}
    rows = []
    for one in inside:
        ratio = losses.lemma_a2_corrected(one.black, one.white, one.n, one.p)
        rows.append((one.chances[0], ratio * one.chances[2], one.where))
    return Misprint((first.chances[0], wrong, at), rows)


def corollary_a3() -> Misprint:
    """[koskela2023] Corollary A.3: P and Q by P0; as printed right for p = 1/(E + 1) only."""
    rows, wrong = [], None
    for one in cases():
        laws = losses.section31(one.n, one.ratio, one.p)
        truth = [law[one.black, one.white] for law in laws]
        right = _by_p0(losses.cor_a3_corrected, one)
        rows += [(x, y, one.where) for x, y in zip(truth, right, strict=True)]
        if wrong is None and (printed := _by_p0(losses.cor_a3, one)[0]) != truth[0]:
            at = {"n": one.n, "E": one.ratio, "p": one.p, "(b, w)": (one.black, one.white)}
            wrong = truth[0], printed, at
    if wrong is None:
        raise AssertionError("the printed form is right everywhere")
    return Misprint(wrong, rows)


def _by_p0(formula: Callable[..., Any], one: Case) -> list[Any]:
    return [part * one.chances[0] for part in formula(one.black, one.white, one.n, one.ratio, one.p)]


def printed_a3_error(n: int, ratio: Fraction, p: Fraction) -> Any:
    """How far Corollary A.3 as printed is off for P, summed over all outcomes with a black ball."""
    inside = [one for one in cases() if (one.n, one.ratio, one.p) == (n, ratio, p)]
    return sum(abs(_by_p0(losses.cor_a3, one)[0] - _by_p0(losses.cor_a3_corrected, one)[0]) for one in inside)


def lemma_a4() -> Misprint:
    """[koskela2023] Lemma A.4: the law of P0; right if p is read as 2p."""
    n, p = 6, Fraction(1, 4)
    truth = losses.section31_parts(n, p)[0][1, 0]
    printed = truth, losses.lemma_a4(1, 0, n, p), {"n": n, "p": p, "i": 0, "j": 0}
    rows = [(x.chances[0], losses.lemma_a4_corrected(x.black, x.white, x.n, x.p), x.where) for x in cases()]
    return Misprint(printed, rows)


def lemma_a4_read_as_2p() -> list[Row]:
    """[koskela2023] Lemma A.4 as printed, with 2p in the place of p."""
    inside = [one for one in cases() if one.p < Fraction(1, 4)]
    return [(x.chances[0], losses.lemma_a4(x.black, x.white, x.n, 2 * x.p), x.where) for x in inside]


def appendix_a() -> Misprint:
    """[koskela2023] Appendix A: the mass of the outcomes without a black, or without a white ball."""
    law = losses.eq31(100, 20).p
    printed = float(law[0].sum() + law[:, 0].sum()), float(TAU), {"n": 100, "E": 20}
    rows: list[Row] = []
    for n, E in itertools.product((1, 2, 3, 6, 14), (Fraction(3, 2), Fraction(3), Fraction(20))):
        law, where = losses.eq31(n, E).p, f"n = {n}, E = {E}"
        alone = (1 - 1 / (E + 1)) ** (n - 1) / (E + 1)
        rows += [
            (law[0].sum(), alone, f"{where}, no black ball"),
            (law[:, 0].sum(), E * alone, f"{where}, no white ball"),
        ]
    return Misprint(printed, rows)


def fewest_for_border(ratio: float, tau: float) -> int:
    """The fewest clients for which "no white ball" is less likely than tau. [koskela2023] Appendix A, corrected"""
    return 1 + math.ceil(math.log((ratio + 1) / ratio * tau) / math.log1p(-1 / (ratio + 1)))
