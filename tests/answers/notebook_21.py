"""Notebook 21: the answers by another route than the table's, and answers that fall into a trap."""

import math

from shufflekit import claims


def verdict(shares):
    """By the largest."""
    largest = sorted(shares)[-1]
    return "fails" if largest > 1 else "holds" if largest >= claims.TIGHT else "holds, loose"


def smallest(shares):
    return "holds, loose" if max(shares) <= 1 and min(shares) < claims.TIGHT else verdict(shares)


def blame(printed, right):
    """By the sign of the logarithm of their ratio."""
    return {-1: "unsafe", 0: "right", 1: "wasteful"}[
        int(math.copysign(1, x)) if (x := math.log(printed / right)) else 0
    ]


ANSWERS = {"21.1": verdict, "21.3": blame}

FALLEN = [
    ("21.1", smallest, "the largest share counts, not the smallest."),
    ("21.1", lambda shares: "holds" if max(shares) >= claims.TIGHT else "holds, loose", "That is a counterexample."),
    ("21.3", lambda printed, right: "wasteful" if printed < right else "unsafe", "it is the promise that is wrong."),
]
