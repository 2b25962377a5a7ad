"""[koskela2023] Fewer atoms held against the truth: Lemma 11, Appendix B, the abstract; and the contour integral.

A row is a left side, a right side and where: what ``claims.verify`` compares. What the paper prints wrongly is a
``Misprint``.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shufflekit.bracket import Bracket
from shufflekit.loss_distribution import contour
from shufflekit.papers.koskela2023 import cuts, losses, truncation
from shufflekit.papers.koskela2023.losses_bench import ALPHAS, SETTINGS, TAU, pairs
from shufflekit.papers.rows import Misprint, Row
from shufflekit.protocols import Shuffle
from shufflekit.protocols.run import Run

BOXES = {
    "main text": truncation.lemma11,
    "appendix": truncation.lemma11_appendix,
    "mended": truncation.lemma11_corrected,
}
TABLE = ((10, 1, 1e-12), (50, 1, 1e-3), (100, 4, 1e-12), (1000, 2, 1e-6), (1000, 4, 1e-12), (10**4, 4, 1e-12))
GRID = tuple(itertools.product((2, 30, 300, 3000), (0.5, 1.0, 2.0, 4.0), (0.3, 1e-3, 1e-9)))  # n, eps0, tau
SMALL = tuple(itertools.product((2, 30, 300, 3000, 30_000), (0.01,), (1e-3, 1e-9)))
NOTICEABLE = 1.01  # a delta that is larger by more than that has changed
SEED = 0
LOG_BELOW = -20.0  # of a round's delta: what the contour's pair leaves out


def lost(box: str, n: int, eps0: float, tau: float) -> float:
    """The P-mass of the clone pair outside a box of Lemma 11."""
    return truncation.lost_clone_mass(BOXES[box](n, math.exp(eps0), tau), n, eps0)


def lemma_11() -> Misprint:
    """[koskela2023] Lemma 11: what two clients lose, whatever tau; what the mended box loses, both directions."""
    law = losses.eq31(2, 3).p
    found = truncation.lost_mass(truncation.lemma11(2, 3, float(TAU)), law)
    rows: list[Row] = [(lost("mended", *one), one[2], f"n, eps0, tau = {one}") for one in TABLE]
    taus = Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**4)
    for n, (E, p), tau in itertools.product((1, 2, 3, 5, 9, 14), SETTINGS, taus):
        kept, where = truncation.lemma11_corrected(n, E, float(tau), p), f"n, E, p = {n}, {E}, {p}, tau = {tau}"
        rows += [(truncation.lost_mass(kept, side), tau, where) for side in losses.section31(n, E, p)]
    return Misprint((found, TAU, {"n": 2, "E": 3, "tau": "1e-12"}), rows)


def lemma_11_appendix() -> Misprint:
    """[koskela2023] Lemma 11 as in Appendix B: its box lies about p, where nobody is."""
    at = {"n": 1000, "eps0": 2, "tau": 1e-6}
    rows = [(lost("mended", *one), one[2], f"n, eps0, tau = {one}") for one in GRID]
    return Misprint((lost("appendix", 1000, 2, 1e-6), 1e-6, at), rows)


def terms() -> list[Row]:
    """[koskela2023] Lemma 11: how many outcomes are kept, against 2 (n - 1) log(4/tau)."""
    rows: list[Row] = []
    for n, eps0, tau in (*GRID, *SMALL, *TABLE):
        kept = truncation.lemma11(n, math.exp(eps0), tau)
        rows.append((kept.terms, 2 * (n - 1) * math.log(4 / tau), f"n, eps0, tau = {n, eps0, tau}"))
    return rows


def appendix_b() -> list[Row]:
    """[koskela2023] Appendix B: two and three rounds, atoms left out at random; truth, product, sum."""
    rng, rows = np.random.default_rng(SEED), list[Row]()
    plds = [losses.eq34(laws) for laws in pairs()[:6]]
    for rounds in (2, 3) * 100:
        chosen = [plds[i] for i in rng.integers(len(plds), size=rounds)]
        cut = [{ratio: x for ratio, x in pld.items() if rng.random() < 0.8} for pld in chosen]
        alpha = ALPHAS[rng.integers(2, len(ALPHAS))]
        true, rest = (losses.from_losses(losses.added(*part), alpha) for part in (chosen, cut))
        union, total = truncation.appendix_b([1 - sum(pld.values(), Fraction(0)) for pld in cut])
        decides = "" if true > 0 and union > 0 else ", trivial"
        rows.append((true, rest + union, f"{rounds} rounds, alpha = {alpha}{decides}"))
        rows.append((rest + union, rest + total, f"{rounds} rounds, the sum, trivial"))
    return rows


def abstract() -> Misprint:
    """[koskela2023] abstract: four rounds of eight clients; with the mended box, from both sides."""
    few = cuts.few_users(truncation.lemma11, 8, 20, 4, Fraction(11, 10), TAU)
    at = {"n": 8, "E": 20, "rounds": 4, "e^eps": "11/10"}
    rows: list[Row] = []
    for n, rounds, alpha in itertools.product((3, 8), (3, 4), (Fraction(11, 10), Fraction(2))):
        ends = cuts.few_users(truncation.lemma11_corrected, n, 20, rounds, alpha, TAU)
        rows += _not_noticed(ends, f"n = {n}, {rounds} rounds, alpha = {alpha}")
    for n, eps0, eps in ((100, 3.0, 1.5), (1000, 2.5, 0.5), (10**4, 4.0, 0.1), (10**4, 4.0, 0.4)):
        both = cuts.many_users(truncation.lemma11_corrected, n, eps0, eps, float(TAU))
        for rounds, ends in enumerate(both, start=1):
            rows += _not_noticed(ends, f"n = {n}, {rounds} rounds, eps = {eps}")
    return Misprint((float(few.truth), float(few.found), at), rows)


def _not_noticed(ends: cuts.Deltas, where: str) -> Iterator[Row]:
    truth, found = float(ends.truth), float(ends.found)
    yield truth, found, where
    yield found, NOTICEABLE * truth, f"{where}, not noticed"


class Crossed(NamedTuple):
    """A run, the certified ends of its eps at a delta, and the contour's delta at either end."""

    run: Run
    delta: float
    ends: Bracket
    at_lower: float
    at_upper: float


def crossings() -> list[Crossed]:
    """[beyond] 7: certified brackets of seven runs, 10 to a million rounds, and the contour's delta at their ends."""
    large, small = Shuffle(4.0, 10_000, reduction="clones"), Shuffle(1.0, 100, reduction="clones")
    sampled = Shuffle(2.0, 1000, 10**6, reduction="clones")
    asked = [(large, 10, 1e-6), (large, 16, 1e-40), (small, 10, 1e-2), (small, 30, 1e-60)]
    asked += [(sampled, 10**4, 1e-4), (sampled, 10**5, 1e-8), (sampled, 10**6, 1e-60)]
    found = []
    for crowd, rounds, delta in asked:
        listed = crowd.pair.listed(math.log(delta / rounds) + LOG_BELOW, cuts.NEARLY_ALL).upper
        ends = (crowd * rounds).guarantee(delta)
        lower, upper = (contour.contour_delta(listed, rounds, end) for end in ends)
        found.append(Crossed(crowd * rounds, delta, ends, lower, upper))
    return found


def crossed_rows(found: list[Crossed]) -> list[Row]:
    """[beyond] 7: the contour's delta at the upper end, the target, and the contour's delta at the lower end."""
    rows: list[Row] = []
    for one in found:
        rows += [(one.at_upper, one.delta, str(one.run)), (one.delta, one.at_lower, str(one.run))]
    return rows
