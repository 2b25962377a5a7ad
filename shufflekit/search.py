"""Where a question that is first answered no, and from somewhere on yes, changes its answer.

scipy's root finders want a number at both ends of the search; here there is only a yes or a no, or none at one end.
"""

import math
from collections.abc import Callable

MOST_LOOKS = 200


def first_yes(enough: Callable[[float], bool], start: float, *, doublings: int, halvings: int) -> float:
    """About the least number of at least 0 at which ``enough`` says yes, from above; 0 if it says so there.

    Doubled from ``start`` until it says yes, or that often, then halved in on.
    """
    if enough(0.0):
        return 0.0
    low, high = 0.0, start
    for _ in range(doublings):
        if enough(high):
            break
        low, high = high, 2 * high
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def narrowed(
    over: Callable[[float], float], low: float, high: float, near: Callable[[float, float], float]
) -> tuple[float, float]:
    """Two points no farther apart than ``near(low, high)``, at the first of which ``over`` is at least 0, at the other
    less, as at the two given ones: by straight lines between them."""
    above, below, side = over(low), over(high), 0
    for _ in range(MOST_LOOKS):
        close = near(low, high)
        if high - low <= close:
            break
        # Where the straight line between the two is 0; an end that stays twice is taken for half as far off. Not
        # nearer to an end than matters: all that is as near may be 0 but for round-off.
        share = above / (above - below) if below > -math.inf else 0.5
        x = min(max(low + (high - low) * share, low + close / 2), high - close / 2)
        value = over(x)
        if value >= 0:
            low, above, below, side = x, value, below / (2 if side > 0 else 1), 1
        else:
            high, above, below, side = x, above / (2 if side < 0 else 1), value, -1
    return low, high
