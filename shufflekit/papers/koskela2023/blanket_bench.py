"""Why the clones dominate, step by step: the blanket, the scores, the chord. [beyond] 1, 2, 21

A row is a left side, a right side and where: what ``claims.verify`` compares. All is in fractions. Trivial rows are
checked, and do not decide how near a bound is: see ``clones_bench``.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from shufflekit import definitions, exact
from shufflekit.beyond import dominance, scores, views
from shufflekit.definitions import ScoreLaw
from shufflekit.divergences import Law, hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023.clones_bench import SEED, TRIVIAL, below, bench
from shufflekit.papers.koskela2023.losses import eq31
from shufflekit.papers.rows import Row
from shufflekit.randomizers import Channel, RandomizedResponse, random_channel

RATIOS = tuple(map(Fraction, ("101/100", "3/2", "2", "3", "8", "50")))
STEPS = 24  # of alpha, from 1/E to E


def alphas(ratio: Fraction) -> list[Fraction]:
    """From 1/E to E, evenly."""
    low = 1 / Fraction(ratio)
    return [low + Fraction(i, STEPS) * (ratio - low) for i in range(STEPS + 1)]


def revealed() -> list[Row]:
    """[beyond] 1: the shuffle, against what is seen with the leavers told; that, both ways, against the scores."""
    rows: list[Row] = []
    for channel, n in itertools.product(bench(), (2, 3)):
        for data in exact.neighbours(channel, n):
            inputs = channel, data.x0, data.x1
            for blanket in (scores.two_input_blanket(*inputs), scores.common_blanket(channel)):
                rows += _revealed(channel, data, blanket, f"{channel.name}, n = {n}")
    return rows


def _revealed(channel: Channel, data: exact.Neighbours, blanket: Law, where: str) -> Iterator[Row]:
    told = views.revealed_view(channel, data.others, data.x0, data.x1, blanket)
    pair = scores.score_pair(scores.score_law(channel, data.x0, data.x1, blanket), len(data.others) + 1)
    yield from below(TwoLaws(data.p, data.q), told, where, decides=True)
    kinks = dominance.kinks(pair)
    for by_force, by_scores in zip(hockey_stick(*told, kinks), hockey_stick(*pair, kinks), strict=True):
        yield by_force, by_scores, f"{where}, {TRIVIAL}: equal"
        yield by_scores, by_force, f"{where}, {TRIVIAL}: equal"


def segment_scores(ratio: int) -> Law:
    """The scores of 12 random channels, a row (t0, t1) each: of their blankets, the origin left out."""
    rng = np.random.default_rng(SEED)
    channels = [random_channel(3, 3, ratio=ratio, rng=rng) for _ in range(12)]
    laws = [law for channel in channels for law in scores.score_laws(channel)]
    return np.array([(one.t0, one.t1) for law in laws for one in law if one.t0 > 0])


def corners(ratio: Fraction, alpha: Fraction) -> list[Fraction]:
    """The four c at which the chord's gap has a corner, for ``f(x) = (x + c)_+``; outside of them it is 0."""
    return sorted([alpha - ratio, Fraction(0), ratio * (alpha - 1), alpha * ratio - 1])


def chords() -> list[Row]:
    """[beyond] 2: the gap at all its corners, never below 0."""
    rows: list[Row] = []
    for E in RATIOS:
        for alpha in alphas(E):
            gaps = [dominance.chord_gap(E, alpha, c) for c in corners(E, alpha)]
            rows += [(0, gap, f"chord, E = {E}, alpha = {alpha}, {TRIVIAL}") for gap in gaps]
    return rows


def single_scores() -> list[Row]:
    """[beyond] 2: one score against the clones' in convex order. A channel of two outputs has the clones' own."""
    rows: list[Row] = []
    for channel in bench():
        clone, where = scores.clone_scores(channel.ratio), f"a score, {channel.name}"
        inside = [alpha for alpha in alphas(Fraction(3)) if 1 <= alpha * channel.ratio <= channel.ratio**2]
        for law, alpha in itertools.product(scores.score_laws(channel), inside):
            rows += _single(law, clone, alpha, where, channel.outputs > 2)
    return rows


def _single(law: ScoreLaw, clone: ScoreLaw, alpha: Fraction, where: str, decides: bool) -> Iterator[Row]:
    for c in sorted({alpha * one.t1 - one.t0 for one in (*law, *clone)}):
        own, clones = (dominance.stop_loss(one, alpha, c) for one in (law, clone))
        at_least = max(0, 1 - alpha + c)
        yield own, clones, where if decides and clones > at_least else f"{where}, {TRIVIAL}"


def sums() -> list[Row]:
    """[beyond] 2: sums of up to four scores, against the clone pair of as many clients."""
    rows: list[Row] = []
    for channel, n in itertools.product(bench(), (1, 2, 3, 4)):
        pair, where = eq31(n, channel.ratio), f"{channel.name}, {n} scores"
        for law in scores.score_laws(channel):
            rows += below(scores.score_pair(law, n), pair, where, decides=n > 1 and channel.outputs > 2)
    return rows


def lumped(k: int, ratio: int, n: int) -> bool:
    """Whether (3.1) with p = 1/(E + k - 1) lies below the shuffle of k-RR, for some data and alpha. [beyond] 21"""
    pair = eq31(n, ratio, Fraction(1, ratio + k - 1))
    shuffles = [TwoLaws(data.p, data.q) for data in exact.neighbours(RandomizedResponse(k, ratio=ratio), n)]
    return any(left > right for real in shuffles for left, right, _ in below(real, pair, "", decides=True))


def own_pairs() -> list[Row]:
    """[beyond] 21: the shuffle of k-RR against the pair of its own blanket."""
    rows: list[Row] = []
    for k, E, n in itertools.product((3, 4), (2, 3, 8), (1, 2, 3)):
        channel, where = RandomizedResponse(k, ratio=E), f"k = {k}, n = {n}, E = {E}"
        pair = scores.score_pair(definitions.blanket(channel, 0, 1), n)
        for data in exact.neighbours(channel, n):
            rows += below(TwoLaws(data.p, data.q), pair, where, decides=n > 1)
    return rows
