"""Shapes of a law of scores that are evaluated faster than others: which of its kinds play which part.

Positions are given, not numbers, so that a law in another arithmetic is read in the same way.
"""

import math
from typing import NamedTuple

from shufflekit.definitions.scores import Kind, ScoreLaw

TINY = 1e-300  # what is less is 0
SAME = 1e-12  # relative: numbers that differ by less differ by round-off
NOTHING = 1e-9  # of the largest difference of two scores: what is below it is round-off


class VotingKinds(NamedTuple):
    """Two kinds that are each other's mirror image and as likely; all others have equal scores, one or two of them.

    ``rest`` is the kind that is not counted, ``third`` the other one that says as much of x0 as of x1, if any.
    """

    first: int
    second: int
    third: int | None
    rest: int


class OneKind(NamedTuple):
    """Two kinds; one of the two records sends each as often as a slot without it does.

    ``up`` is the kind that the other record sends more often; ``mirrored``: that is x1.
    """

    up: int
    down: int
    mirrored: bool


def voting_kinds(law: ScoreLaw) -> VotingKinds | None:
    """The parts of the kinds of a law in floats, if it has this shape."""
    sent = [i for i, one in enumerate(law) if one.chance > 0]
    gaps = {i: law[i].u0 - law[i].u1 for i in sent}
    least = NOTHING * max(map(abs, gaps.values()))
    first, second = [i for i in sent if gaps[i] > least], [i for i in sent if gaps[i] < -least]
    equal = [i for i in sent if abs(gaps[i]) <= least]
    if not equal and law[-1].u0 == law[-1].u1:
        equal = [len(law) - 1]  # the rest, whose chance is too small a number
    if len(first) != 1 or len(second) != 1 or not 1 <= len(equal) <= 2:
        return None
    if not _mirrored(law[first[0]], law[second[0]]):
        return None
    return VotingKinds(first[0], second[0], equal[0] if len(equal) == 2 else None, equal[-1])


def one_kind(law: ScoreLaw) -> OneKind | None:
    """The parts of the kinds of a law in floats, if it has this shape."""
    sent = [i for i, one in enumerate(law) if one.chance > 0]
    for mirrored, moving, still in ((False, "u0", "u1"), (True, "u1", "u0")):
        if len(sent) == 2 and all(getattr(law[i], still) == 0 for i in sent):
            up, down = sorted(sent, key=lambda i: -getattr(law[i], moving))
            if getattr(law[up], moving) > getattr(law[down], moving):
                return OneKind(up, down, mirrored)
    return None


def _mirrored(a: Kind, b: Kind) -> bool:
    return _same(a.chance, b.chance) and _same(a.t0, b.t1) and _same(a.t1, b.t0)


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=SAME, abs_tol=TINY)
