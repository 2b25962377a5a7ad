"""Sampling before shuffling: Lemma 7 of the paper, and the pair that is tighter. The slow truth of notebook 11.

k of n users take part and their messages are shuffled; gamma = k/n. The sample is of fixed size and drawn without
replacement, or each user decides by a coin of her own. With fractions for all numbers everything here is exact.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit.divergences import hockey_stick
from shufflekit.exact import neighbours
from shufflekit.papers.koskela2023 import clones
from shufflekit.papers.koskela2023.clones import Law, Scores, TwoLaws, add, aligned, law
from shufflekit.randomizers import Channel


def eq22_sides(laws: TwoLaws, gamma: Any, alpha: ArrayLike) -> TwoLaws:
    """The two right sides of (2.2), each at every alpha: ``H(gP+(1-g)Q||Q)`` and ``H(P||gQ+(1-g)P)``."""
    (P, Q), g = _pair(laws), _rate(gamma=gamma)
    return TwoLaws(hockey_stick(g * P + (1 - g) * Q, Q, alpha), hockey_stick(P, g * Q + (1 - g) * P, alpha))


def lemma7(laws: TwoLaws, gamma: Any, alpha: ArrayLike) -> Law:
    """Lemma 7: a bound on ``H_alpha`` of a mechanism that (P, Q) dominates, run on a sample of a share gamma.

    Formal guarantee: for replacing one record, fixed size, without replacement, if (P, Q) dominates the mechanism on
    all data sets of the sample's size.
    """
    first, second = eq22_sides(laws, gamma, alpha)
    return np.asarray(np.where(np.asarray(alpha) >= 1, first, second))  # [koskela2023] Lemma 7 (2.2)


def eq23(laws: TwoLaws, gamma: Any, alpha: ArrayLike) -> Law:
    """``h(alpha)``, the larger of the two sides of (2.2): nowhere larger than Lemma 7."""
    return np.asarray(np.maximum(*eq22_sides(laws, gamma, alpha)))  # [koskela2023] eq (2.3)


def lemma7_corners(laws: TwoLaws, gamma: Any) -> Law:
    """The alphas between which Lemma 7 is a straight line: a convex curve that is below it there is below it always."""
    g = _rate(gamma=gamma)
    ratios = clones.kinks(_pair(laws))
    above = {1 + g * (r - 1) for r in ratios if r >= 1}
    below = {r / (g + (1 - g) * r) for r in ratios if r < 1}
    return law(sorted({0, *below, 1, *above}))


def connect_the_dots(alpha: Sequence[Any], profile: Sequence[Any]) -> TwoLaws:
    """The pair whose profile joins the points ``(alpha, profile)`` by straight lines: Algorithm 1 of [doroshenko2022].

    ``alpha`` rises from 0, where a profile is 1. Outcome i has ``P/Q = alpha[i]``; one more has infinite loss.

    Formal guarantee: dominates every pair whose profile is nowhere above these points.
    """
    a, h = law(alpha), law(profile)
    if len(a) < 2 or len(a) != len(h) or a[0] != 0 or not (a[1:] > a[:-1]).all():
        raise ValueError(f"alpha must rise from 0, one number a point of the profile, got {alpha!r}")
    slopes = law([-1, *((h[1:] - h[:-1]) / (a[1:] - a[:-1])), 0])
    q = slopes[1:] - slopes[:-1]
    if h[0] != 1 or (q < 0).any() or h[-1] < 0:
        raise ValueError(f"profile must be convex, from 1 with a slope of -1 at least to 0 or more, got {profile!r}")
    return TwoLaws(law([*(a * q), h[-1]]), law([*q, 0]))  # [doroshenko2022] Algorithm 1


def tightest_pair(channel: Channel, k: int) -> TwoLaws:
    """The pair whose profile is the largest over all data sets of k users of this one channel: none is tighter."""
    views = [TwoLaws(d.p, d.q) for d in neighbours(channel, k)]
    alphas = sorted({Fraction(0), *(a for view in views for a in clones.kinks(view))})
    return connect_the_dots(alphas, np.max([hockey_stick(*view, alphas) for view in views], axis=0))


def sampled_scores(score: Scores, n: int, k: int) -> TwoLaws:
    """The pair of k of n users: the sums (T0, T1) of k scores have ``P = w (n - k + T0)/n``, ``Q = w (n - k + T1)/n``.

    Formal guarantee: dominates the sampled shuffle of the channel and of the two inputs that the scores are of; with
    the clone scores, every sampled shuffle of an eps0-LDP randomizer.
    """
    n, k = _validate.count(n=n), _validate.count(at_least=0, at_most=n, k=k)
    (T0, T1), w = _sums(score, k)
    return TwoLaws(w * (n - k + T0) / Fraction(n), w * (n - k + T1) / Fraction(n))  # [beyond] 3


def check_in_scores(score: Scores, n: int, gamma: Any) -> TwoLaws:
    """The pair where each of n users takes part with probability gamma, and how many did is seen.

    Formal guarantee: as `sampled_scores`.
    """
    n, g = _validate.count(n=n), _rate(gamma=gamma)
    pairs = [sampled_scores(score, n, k) for k in range(n + 1)]
    chances = [math.comb(n, k) * g**k * (1 - g) ** (n - k) for k in range(n + 1)]
    p, q = ([w * x for w, pair in zip(chances, pairs, strict=True) for x in pair[side]] for side in (0, 1))
    return TwoLaws(law(p), law(q))  # [beyond] 4


def check_in_scores_uncounted(score: Scores, n: int, gamma: Any) -> TwoLaws:
    """What one is tempted to write instead: n scores that are 0 for who stays away, and gamma for the share k/n.

    It does not dominate: the number of messages says something about the changed user.
    """
    n, g = _validate.count(n=n), _rate(gamma=gamma)
    (T0, T1), w = _sums(score._replace(mass=g * clones._score(score).mass), n)
    return TwoLaws(w * (1 - g + T0 / n), w * (1 - g + T1 / n))


def silent(channel: Channel, gamma: Any) -> Channel:
    """The channel with one more output, silence: what a user sends who takes part with probability gamma.

    The shuffle of n such users is the shuffle of independent check-ins, the number of messages being seen.
    """
    probs, g = clones._channel(channel).probs, _rate(gamma=gamma)
    return Channel(np.column_stack([g * probs, np.full(len(probs), 1 - g)]), f"{channel.name}, or silent")


def revealed_sample(channel: Channel, others: Sequence[int], x0: int, x1: int, k: int, blanket: ArrayLike) -> TwoLaws:
    """By brute force, sample by sample: what is seen by one who is told which others left the blanket with what."""
    (r0, r1), B, others = (
        clones._rows(channel, x0, x1),
        clones._blanket(channel, blanket),
        clones._inputs(channel, others),
    )
    rest = channel.probs[others] - B
    changed, k = len(others), _validate.count(at_most=len(others) + 1, k=k)
    samples = list(itertools.combinations(range(changed + 1), k))
    views: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for sample, left in itertools.product(samples, itertools.product((False, True), repeat=k)):
        if any(i == changed and leaves for i, leaves in zip(sample, left, strict=True)):
            continue  # the changed user's message is always among those that say not whose they are
        for messages in itertools.product(range(channel.outputs), repeat=k):
            sent = list(zip(sample, messages, left, strict=True))
            known = tuple((i, o) for i, o, leaves in sent if leaves)
            mixed = tuple(sorted(o for _, o, leaves in sent if not leaves))
            for view, row in zip(views, (r0, r1), strict=True):
                chances = (row[o] if i == changed else rest[i, o] if leaves else B[o] for i, o, leaves in sent)
                add(view, (known, mixed), math.prod(chances) / Fraction(len(samples)))
    return aligned(*views)


def _sums(score: Scores, count: int) -> tuple[TwoLaws, Law]:
    """The sums (T0, T1) that so many independent scores can have, and the probability of each."""
    nothing = 1 - sum(clones._score(score).mass)
    sums: dict[tuple[Any, Any], Any] = {(Fraction(0), Fraction(0)): Fraction(1)}
    for _ in range(count):
        before, sums = sums, {}
        for (T0, T1), w in before.items():
            add(sums, (T0, T1), w * nothing)
            for mass, t0, t1 in zip(*score, strict=True):
                add(sums, (T0 + t0, T1 + t1), w * mass)
    T0, T1 = zip(*sums, strict=True)
    return TwoLaws(law(T0), law(T1)), law(sums.values())


def _rate(**named: Any) -> Any:
    """A sampling rate above 0 and at most 1, exact if it is given so."""
    g = clones._real(**named)
    if not 0 < g <= 1:
        ((name, value),) = named.items()
        raise ValueError(f"{name} must be above 0 and at most 1, got {value!r}")
    return g


def _pair(laws: TwoLaws) -> TwoLaws:
    """Two laws, each of them summing to 1."""
    if not isinstance(laws, tuple) or len(laws) != 2:
        raise TypeError(f"laws must be a TwoLaws, got {laws!r}")
    return TwoLaws(*(_validate.probabilities(laws=side) for side in laws))
