"""Sampling before shuffling: Lemma 7 of the paper, and the pair that connects the dots of a profile, in fractions.

k of n users take part and their messages are shuffled; gamma = k/n. The sample is of fixed size and drawn without
replacement. The kit's own pair, which is tighter, is ``beyond.scores.score_pair`` with the clones' scores.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate, exact
from shufflekit.beyond.dominance import kinks
from shufflekit.divergences import Law, hockey_stick
from shufflekit.exact import TwoLaws


def eq22_sides(laws: TwoLaws, gamma: Any, alpha: ArrayLike) -> TwoLaws:
    """The two right sides of (2.2), each at every alpha: ``H(gP+(1-g)Q||Q)`` and ``H(P||gQ+(1-g)P)``."""
    (P, Q), g = _pair(laws), _validate.exact_rate(gamma=gamma)
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
    g = _validate.exact_rate(gamma=gamma)
    ratios = kinks(_pair(laws))
    above = {1 + g * (r - 1) for r in ratios if r >= 1}
    below = {r / (g + (1 - g) * r) for r in ratios if r < 1}
    return exact.law(sorted({0, *below, 1, *above}))


def connect_the_dots(alpha: Sequence[Any], profile: Sequence[Any]) -> TwoLaws:
    """The pair whose profile joins the points ``(alpha, profile)`` by straight lines: Algorithm 1 of [doroshenko2022].

    ``alpha`` rises from 0, where a profile is 1. Outcome i has ``P/Q = alpha[i]``; one more has infinite loss.

    Formal guarantee: dominates every pair whose profile is nowhere above these points.
    """
    a = exact.law(_validate.real(alpha=x) for x in alpha)
    h = exact.law(_validate.real(profile=x) for x in profile)
    if len(a) < 2 or len(a) != len(h) or a[0] != 0 or not (a[1:] > a[:-1]).all():
        raise ValueError(f"alpha must rise from 0, one number a point of the profile, got {alpha!r}")
    slopes = exact.law([-1, *((h[1:] - h[:-1]) / (a[1:] - a[:-1])), 0])
    q = slopes[1:] - slopes[:-1]
    if h[0] != 1 or (q < 0).any() or h[-1] < 0:
        raise ValueError(f"profile must be convex, from 1 with a slope of -1 at least to 0 or more, got {profile!r}")
    return TwoLaws(exact.law([*(a * q), h[-1]]), exact.law([*q, 0]))  # [doroshenko2022] Algorithm 1


def _pair(laws: TwoLaws) -> TwoLaws:
    """Two laws, each of them summing to 1."""
    if not isinstance(laws, tuple) or len(laws) != 2:
        raise TypeError(f"laws must be a TwoLaws, got {laws!r}")
    return TwoLaws(*(_validate.probabilities(laws=side) for side in laws))
