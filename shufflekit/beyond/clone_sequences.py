"""The clone pair's proof for more than a shuffle: places that answer in order, and rounds that see the earlier ones."""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from shufflekit import exact
from shufflekit.beyond.scores import two_input_blanket
from shufflekit.beyond.views import View, add, aligned
from shufflekit.exact import TwoLaws
from shufflekit.randomizers import Channel

History = tuple[int, ...]  # the messages so far


def in_order_view(randomizer: Callable[[History], Channel], others: Sequence[int], x: int) -> View:
    """The setting of [feldman2022] Thm 3.1: the *data* are shuffled, and place i answers in order.

    Place i runs ``randomizer(history)`` on its record, where history holds the earlier messages: every place may
    have its own channel. The law of the sequence of messages.
    """
    view: View = {}
    for record in itertools.permutations([x, *others]):
        for messages in _sequences(randomizer, len(record)):
            steps = [(randomizer(messages[:i]), record[i], o) for i, o in enumerate(messages)]
            add(view, messages, math.prod(channel.probs[x_i, o] for channel, x_i, o in steps))
    total = math.factorial(len(others) + 1)
    return {messages: value / Fraction(total) for messages, value in view.items()}


def in_order_revealed(
    randomizer: Callable[[History], Channel], others: Sequence[int], x0: int, x1: int, ratio: Any
) -> TwoLaws:
    """The same, by brute force, for one who also sees which others left their place's blanket, and from which place."""
    n, records, views = len(others) + 1, {x: [x, *others] for x in (x0, x1)}, ({}, {})  # type: Any, Any, Any
    for users in itertools.permutations(range(n)):  # user 0 is the changed one
        for messages in _sequences(randomizer, n):
            channels = [randomizer(messages[:i]) for i in range(n)]
            blankets = [two_input_blanket(c, x0, x1, ratio)[o] for c, o in zip(channels, messages, strict=True)]
            for leavers in itertools.product(*([None] if user == 0 else [None, user] for user in users)):
                for view, x in zip(views, (x0, x1), strict=True):
                    rows = [c.probs[records[x][user], o] for c, user, o in zip(channels, users, messages, strict=True)]
                    weight = Fraction(1, math.factorial(n))
                    for row, B, user, leaver in zip(rows, blankets, users, leavers, strict=True):
                        weight *= row if user == 0 else B if leaver is None else row - B
                    add(view, (messages, leavers), weight)
    return aligned(*views)


def compose(first: TwoLaws, second: Callable[[int], TwoLaws]) -> TwoLaws:
    """Two rounds, one after the other: outcome i of the first is followed by ``second(i)``, which it may choose."""
    rounds = [second(i) for i in range(first.p.size)]
    p = [a * value for a, laws in zip(first.p.flat, rounds, strict=True) for value in laws.p.flat]
    q = [b * value for b, laws in zip(first.q.flat, rounds, strict=True) for value in laws.q.flat]
    return TwoLaws(exact.law(p), exact.law(q))


def product_pair(first: TwoLaws, second: TwoLaws) -> TwoLaws:
    """``(P x P', Q x Q')`` of [koskela2023] Thm 4: a second round that does not look at the first."""
    return compose(first, lambda outcome: second)


def _sequences(randomizer: Callable[[History], Channel], n: int) -> list[History]:
    found: list[History] = [()]
    for _ in range(n):
        found = [(*history, o) for history in found for o in range(randomizer(history).outputs)]
    return found
