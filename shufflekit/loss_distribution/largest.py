"""Which of several ways to compose rounds, there and back or by several attacks, has the largest answer."""

import math
from collections.abc import Callable, Sequence

from shufflekit.bracket import Bracket, bracket
from shufflekit.loss_distribution.composition import ROUGH_LOOK, Composition

UNCLEAR = 10.0  # times rtol: ends that are as far apart after a close look


def largest(
    ways: Sequence[Composition],
    ask: Callable[[Composition, float], Bracket],
    rtol: float,
    most: Callable[[Composition], float] | None = None,
) -> list[Bracket]:
    """What is answered of each, as near as ``rtol`` where it may be the largest: what cannot be is only looked at.

    ``most`` is a number that a way's answer does not exceed, for little: no more need be known of a way where another
    reaches that; and of one that is asked, no less than what another reaches. Nor is a way asked closely that
    is not above the upper end of one of which no more could be known.
    """
    if len(ways) == 1:
        return [ask(ways[0], rtol)]
    limits = [most(way) if most else math.inf for way in ways]
    found, known = [bracket(0.0, limit) for limit in limits], 0.0
    for i in sorted(range(len(ways)), key=lambda i: -limits[i]):
        if limits[i] > known:
            ways[i].reached = known
            found[i] = ask(ways[i], max(rtol, ROUGH_LOOK))
            known = max(known, found[i].lower)
    unclear = 0.0
    for i in sorted(range(len(ways)), key=lambda i: -found[i].upper) if rtol < ROUGH_LOOK else ():
        if found[i].upper > max(known, ways[i].least, unclear) and found[i].width > rtol:
            ways[i].reached = known
            found[i] = ways[i].met(found[i], ask(ways[i], rtol))
            # Where a close look comes no nearer, a way that is not above it would not make the answer nearer either.
            unclear = max(unclear, found[i].upper) if found[i].width > UNCLEAR * rtol else unclear
        known = max(known, found[i].lower)
    return found
