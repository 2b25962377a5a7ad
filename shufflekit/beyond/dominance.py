"""Which of two pairs is larger at every alpha: finitely many comparisons, in fractions; and how scores settle it.

[beyond] 2: the clones' score is above every eps0-LDP channel's in convex order. Let E = e^eps0, a from 1/E to E, f
convex and g = t0 - a t1. With the blanket max(R(x0), R(x1))/E the larger of t0 and t1 is E, and the smaller at least 1:
a score lies on the segment from (E, 1) to (E, E), on that from (1, E) to (E, E), or at (0, 0). Take the plane l that
agrees with f(t0 - a t1) at the clones' scores (0, 0), (E, 1), (1, E). If l is at least f also at (E, E), then on both
segments, along which f is convex; as both means of any score are 1, E f(g) <= E l(t0, t1) = l(1, 1) = E f(clones' g).

It remains to look at (E, E) = s (E, 1) + s (1, E) + (1 - 2s) (0, 0), s = E/(E + 1). There l - f is

    D = s f(E - a) + s f(1 - aE) - (2s - 1) f(0) - f(E - aE) >= 0:

the points 0 and E - aE lie between 1 - aE and E - a, with the same weight and mean in all, so below the chord of f. For
other a both profiles are (1 - a)_+. Sums of independent scores keep the order, and H_a = E[(g_1 + ... + g_n)_+]/n.
"""

from typing import Any

import numpy as np

from shufflekit import _validate, exact
from shufflekit.beyond.scores import checked_law
from shufflekit.definitions import ScoreLaw
from shufflekit.divergences import Law, hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.randomizers import Channel


def kinks(laws: TwoLaws) -> Law:
    """The likelihood ratios P/Q: between two neighbouring ones ``H_a(P||Q)`` is a straight line in a.

    Any profile is convex in a. So one that lies below ``H_a(P||Q)`` at a = 0 and at all these lies below it at
    *every* a up to the last of them, where ``H_a(P||Q)`` stops falling: so finitely many comparisons settle "all a".
    """
    pairs = zip(laws.p.flat, laws.q.flat, strict=True)
    return exact.law(sorted({p / q for p, q in pairs if q > 0}))


def profiles(lower: TwoLaws, upper: TwoLaws) -> tuple[Law, Law, Law]:
    """The profiles of both at the kinks of ``upper``, and those kinks: ``upper`` dominates if none is exceeded."""
    alphas = kinks(upper)
    return hockey_stick(*lower, alphas), hockey_stick(*upper, alphas), alphas


def largest_profile(channel: Channel, n: int) -> tuple[Law, Law]:
    """The largest ``H_a`` over all data sets of n users of this channel, at every kink of any of them: alphas, heights.

    Joined by straight lines they are the profile of a pair that dominates the channel's shuffle. Where the lines of two
    data sets cross between two kinks, the largest profile is a little lower than that.
    """
    views = [TwoLaws(d.p, d.q) for d in exact.neighbours(channel, n)]
    alphas = exact.law(sorted({0, *(a for view in views for a in kinks(view))}))
    return alphas, np.max([hockey_stick(*view, alphas) for view in views], axis=0)


def stop_loss(law: ScoreLaw, alpha: Any, c: Any) -> Any:
    """``E[(g + c)_+]`` for the score ``g = t0 - alpha t1``: equal means and this for all c are convex order."""
    a, c = _validate.real(alpha=alpha), _validate.real(c=c)
    return sum(one.chance * max(one.t0 - a * one.t1 + c, 0) for one in checked_law(law))


def chord_gap(ratio: Any, alpha: Any, c: Any) -> Any:
    """``D`` for ``f(x) = (x + c)_+``: how far the plane lies above the corner (E, E). [beyond] 2"""
    E, a, c = _validate.ratio(ratio=ratio), _validate.real(alpha=alpha), _validate.real(c=c)
    s = E / (E + 1)

    def f(x: Any) -> Any:
        return max(x + c, 0)

    return f(0) * (1 - 2 * s) + s * (f(E - a) + f(1 - a * E)) - f(E * (1 - a))  # [beyond] 2
