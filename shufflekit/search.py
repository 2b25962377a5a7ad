"""Where a question that is first answered no, and from somewhere on yes, changes its answer.

scipy's root finders want a number at both ends of the search; here there is only a yes or a no.
"""

from collections.abc import Callable


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
