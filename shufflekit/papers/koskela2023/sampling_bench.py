"""[koskela2023] Lemma 7 and eq (2.3), and the sampled clones and check-in clones beside them, held against the truth.

A row is a left side, a right side and where: what ``claims.verify`` compares, with ``rows.compared``. All is in
fractions. A row says "degenerate" where bounds agree with the truth for a trivial reason: at alpha up to 1, where
the bound is 0, or where one user is drawn, or all are.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from shufflekit import exact
from shufflekit.beyond import check_ins, dominance, scores, views
from shufflekit.divergences import Law, hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023.losses import eq31
from shufflekit.papers.koskela2023.sampling import connect_the_dots, eq23, lemma7, lemma7_corners
from shufflekit.papers.rows import DEGENERATE, Row
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

SIZES = ((4, 1), (4, 2), (5, 2), (5, 3), (6, 3))  # n, k
RATIOS = (Fraction(3, 2), 3, 7)
GRID = exact.law(Fraction(i, 16) for i in range(49))  # alpha


def k_ary() -> list[Channel]:
    """Randomized response of two and of three values."""
    return [RandomizedResponse(k, ratio=ratio) for k in (2, 3) for ratio in RATIOS]


def bench(seed: int = 0) -> list[Channel]:
    """Eleven channels: randomized response, Hadamard response, three drawn at random, one inside its hull."""
    rng, channels = np.random.default_rng(seed), [*k_ary(), HadamardResponse(3, ratio=3)]
    for inputs, outputs in ((2, 3), (3, 2), (3, 3)):
        channels.append(random_channel(inputs, outputs, ratio=3, rng=rng))
    last = channels[-1]
    return [*channels, Channel((last.probs + last.probs.mean(axis=0)) / 2, f"inside {last.name}")]


# Lemma 7


def lemma7_sides(channel: Channel, n: int, k: int) -> tuple[Law, list[Law], Law]:
    """The lemma, fed with the channel's tightest pair at k; all data sets' truth; the alphas.

    Those are the lemma's corners and the points half-way between: a convex curve below a polygon at its corners is
    below it everywhere.
    """
    pair = tightest_pair(channel, k)
    corners = lemma7_corners(pair, Fraction(k, n))
    alpha = np.sort(np.concatenate([corners, (corners[1:] + corners[:-1]) / 2]))
    truth = [hockey_stick(data.p, data.q, alpha) for data in exact.neighbours(channel, n, k)]
    return lemma7(pair, Fraction(k, n), alpha), truth, alpha


def tightest_pair(channel: Channel, k: int) -> TwoLaws:
    """The pair of the largest profile of k users over all data sets, its corners joined."""
    alpha, heights = dominance.largest_profile(channel, k)
    return connect_the_dots(list(alpha), list(heights))


def lemma7_rows() -> list[Row]:
    """[koskela2023] Lemma 7: every sampled shuffle of randomized response, sizes to 6."""
    rows = []
    for channel, (n, k) in itertools.product(k_ary(), SIZES):
        bound, truth, alpha = lemma7_sides(channel, n, k)
        where = [_where(channel, k, n, a, k == 1 or not height) for a, height in zip(alpha, bound, strict=True)]
        rows += [row for real in truth for row in zip(real, bound, where, strict=True)]
    return rows


def lemma7_share(channel: Channel, n: int, k: int) -> float:
    """How much of the lemma's bound the worst data reach above alpha = 1, where they come nearest."""
    bound, truth, alpha = lemma7_sides(channel, n, k)
    own = (alpha > 1) & (bound > 0)
    return float(max(np.max(truth, axis=0)[own] / bound[own], default=0))


# Eq (2.3)


def eq23_pairs() -> list[TwoLaws]:
    """Thirty-four pairs: shuffles of two users, not symmetric ones among them, and clone pairs."""
    pairs = [TwoLaws(d.p, d.q) for c in bench()[6:] for d in itertools.islice(exact.neighbours(c, 2), 6)]
    return pairs + [eq31(k, E) for k, E in itertools.product((1, 2, 4), (2, 5))]


def eq23_rows() -> Iterator[Row]:
    """[koskela2023] eq (2.3): h is (2.2), a profile, and not above its dots connected; between dots it is below."""
    for pair, gamma in itertools.product(eq23_pairs(), (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))):
        h, pieces = eq23(pair, gamma, GRID), lemma7(pair, gamma, GRID)
        dots = connect_the_dots(list(GRID[::8]), list(h[::8]))
        chords = hockey_stick(*dots, GRID)
        yield 1, h[0], "from 1 on" + DEGENERATE
        yield from _named("not above (2.2)", h, pieces)
        yield from _named("not below (1 - alpha)_+", [max(0, 1 - a) for a in GRID], h)
        yield from _named("falling", h[1:], h[:-1])
        yield from _named("convex", h[1:-1], (h[:-2] + h[2:]) / 2)
        yield from _named("through the dots", chords[::8], h[::8])
        for a, below, above in zip(GRID, h, chords, strict=True):
            yield below, above, f"dots connected, alpha = {a}" + DEGENERATE * bool(below == above)


def _named(name: str, lower: Any, upper: Any) -> Iterator[Row]:
    return ((a, b, name + DEGENERATE) for a, b in zip(lower, upper, strict=True))


def letter_rows() -> Iterator[Row]:
    """[koskela2023] After eq (2.3): the larger of the two sides is a bound at every alpha."""
    for channel, (n, k) in itertools.product(bench(), ((3, 1), (3, 2), (4, 2))):
        h = eq23(eq31(k, channel.ratio), Fraction(k, n), GRID)
        for data in exact.neighbours(channel, n, k):
            where = [_where(channel, k, n, a, k == 1) for a in GRID]
            yield from zip(hockey_stick(data.p, data.q, GRID), h, where, strict=True)


# Sampled clones, and check-ins


def sampled_rows() -> list[Row]:
    """[beyond] 3: the formula by brute force; the pair against all data sets; the pair against Lemma 7."""
    return [*told_rows(), *real_rows(), *against_lemma7_rows()]


def told_rows() -> Iterator[Row]:
    """Every sample, every set of leavers, every message, against the law of scores; both ways, as they are equal."""
    channels = bench()
    for channel, n in itertools.product((channels[3], *channels[7:]), (1, 2, 3)):
        blanket = scores.common_blanket(channel)
        law = scores.score_law(channel, 0, 1, blanket)
        data = itertools.combinations_with_replacement(range(channel.inputs), n - 1)
        for k, others in itertools.product(range(1, n + 1), data):
            told = views.revealed_sample(channel, others, 0, 1, k, blanket)
            formula = scores.score_pair(law, k, n)
            for lower, upper in ((told, formula), (formula, told)):
                below, above, _ = dominance.profiles(lower, upper)
                yield from _named("brute force against scores", below, above)


def real_rows() -> Iterator[Row]:
    """Every data set of up to five users, k of them drawn; of five users randomized response only."""
    for channel, n in itertools.product(bench(), range(1, 6)):
        sizes = range(1, n + 1) if n < 5 or isinstance(channel, RandomizedResponse) else ()
        for k in sizes:
            pair = scores.score_pair(scores.clone_scores(channel.ratio), k, n)
            for data in exact.neighbours(channel, n, k):
                below, above, alpha = dominance.profiles(TwoLaws(data.p, data.q), pair)
                where = [_where(channel, k, n, a, k in (1, n) or not b) for a, b in zip(alpha, above, strict=True)]
                yield from zip(below, above, where, strict=True)


def against_lemma7_rows() -> Iterator[Row]:
    """Nowhere above Lemma 7 with the clone pair, at its corners."""
    for E, n in itertools.product(RATIOS, range(1, 6)):
        for k in range(1, n + 1):
            pair, clones = scores.score_pair(scores.clone_scores(E), k, n), eq31(k, E)
            alpha = lemma7_corners(clones, Fraction(k, n))
            bound = lemma7(clones, Fraction(k, n), alpha)
            yield from _named(f"against Lemma 7, {k} of {n}", hockey_stick(*pair, alpha), bound)


def check_in_rows() -> Iterator[Row]:
    """[beyond] 4: both forms of the pair, equal; and all data sets of the channel that may be silent."""
    rates = [Fraction(i, 10) for i in (1, 5, 9)]
    for channel, n, rate in itertools.product(bench(), (1, 2, 3), rates):
        law, quiet = scores.clone_scores(channel.ratio), check_ins.silent(channel, rate)
        pair, other = (f(law, n, rate) for f in (check_ins.check_in_mixture, check_ins.check_in_pair))
        for lower, upper in ((pair, other), (other, pair)):
            yield from _named("two forms", *dominance.profiles(lower, upper)[:2])
        for data in exact.neighbours(quiet, n):
            below, above, alpha = dominance.profiles(TwoLaws(data.p, data.q), pair)
            trivial = [n == 1 or b <= max(1 - a, 0) for a, b in zip(alpha, above, strict=True)]
            where = [f"{channel.name}, n = {n}, rate {rate}" + DEGENERATE * bool(one) for one in trivial]
            yield from zip(below, above, where, strict=True)


def _where(channel: Channel, k: int, n: int, alpha: Any, trivial: bool) -> str:
    where = f"{channel.name}, E = {float(channel.ratio):.3g}, {k} of {n}, alpha = {alpha}"
    return where + DEGENERATE * bool(trivial or alpha <= 1)
