"""What is seen, by brute force: of the shuffle itself, and by those who also learn who left the blanket.

The formulas of [beyond] 1 and 3 are checked against these lists of all messages, leavers and samples.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from shufflekit import _validate, exact
from shufflekit.beyond.scores import checked_blanket
from shufflekit.exact import TwoLaws, View, add, aligned
from shufflekit.randomizers import Channel, checked_input

__all__ = ["View", "add", "aligned", "revealed_sample", "revealed_view", "shuffled_view"]


def shuffled_view(channel: Channel, others: Sequence[int], x0: int, x1: int) -> TwoLaws:
    """What the shuffle itself shows, for the changed user's two inputs."""
    rows, records = _changed(channel, x0, x1), _others(channel, others)
    return TwoLaws(*(exact.histogram_law([row, *channel.probs[records]]) for row in rows))


def revealed_view(channel: Channel, others: Sequence[int], x0: int, x1: int, blanket: ArrayLike) -> TwoLaws:
    """What is seen by one who knows which of the others left the blanket, and what they sent."""
    rows, B, records = _changed(channel, x0, x1), checked_blanket(channel, blanket), _others(channel, others)
    outputs, views = range(channel.outputs), ({}, {})  # type: tuple[range, tuple[View, View]]
    for messages in itertools.product(outputs, repeat=len(records)):
        for stayed in itertools.product((True, False), repeat=len(records)):
            parts = zip(records, messages, stayed, strict=True)
            weight = math.prod(B[o] if stays else channel.probs[x, o] - B[o] for x, o, stays in parts)
            left = tuple(None if stays else o for o, stays in zip(messages, stayed, strict=True))
            kept = [o for o, stays in zip(messages, stayed, strict=True) if stays]
            for view, row in zip(views, rows, strict=True):
                for own in outputs:
                    add(view, (left, tuple(sorted([*kept, own]))), weight * row[own])
    return aligned(*views)


def revealed_sample(channel: Channel, others: Sequence[int], x0: int, x1: int, k: int, blanket: ArrayLike) -> TwoLaws:
    """The same where a random k of all users report, and who they are is seen of the leavers only."""
    rows, B, records = _changed(channel, x0, x1), checked_blanket(channel, blanket), _others(channel, others)
    rest = channel.probs[records] - B
    changed, k = len(records), _validate.count(at_most=len(records) + 1, k=k)
    samples = list(itertools.combinations(range(changed + 1), k))
    views: tuple[View, View] = ({}, {})
    for sample, left in itertools.product(samples, itertools.product((False, True), repeat=k)):
        if any(i == changed and leaves for i, leaves in zip(sample, left, strict=True)):
            continue  # the changed user's message is always among those that say not whose they are
        for messages in itertools.product(range(channel.outputs), repeat=k):
            sent = list(zip(sample, messages, left, strict=True))
            known = tuple((i, o) for i, o, leaves in sent if leaves)
            mixed = tuple(sorted(o for _, o, leaves in sent if not leaves))
            for view, row in zip(views, rows, strict=True):
                chances = (row[o] if i == changed else rest[i, o] if leaves else B[o] for i, o, leaves in sent)
                add(view, (known, mixed), math.prod(chances) / Fraction(len(samples)))
    return aligned(*views)


def _changed(channel: Channel, x0: int, x1: int) -> Any:
    """The changed user's two rows."""
    first, second = checked_input(channel, x0=x0), checked_input(channel, x1=x1)
    return channel.probs[[first, second]]


def _others(channel: Channel, others: Sequence[int]) -> list[int]:
    return [checked_input(channel, others=x) for x in others]
