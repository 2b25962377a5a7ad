"""What is seen slot by slot: every slot answers by a randomizer of its own, chosen after all that was seen before.

A *lineup* says who is in each slot: the record that answers, a tuple of records that all answer, of which the multiset
of answers is shown, or None for a slot that shows that it is empty. The chance of a lineup does not depend on answers,
so the law of all that is seen follows from that of the lineups, slot by slot: of each history we carry the chances of
what is left of the lineups.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from shufflekit.exact.outcomes import View, add
from shufflekit.randomizers import Channel, checked_channel

History = tuple[Any, ...]  # what the earlier slots showed: an output, a sorted tuple of them, or None
Choose = Callable[[History], Channel]
Rows = list[list[int]]


def transcript(lineups: Mapping[Any, Any], choose: Channel | Choose) -> View:
    """The law of what all slots show, in fractions: slot i answers by ``choose`` of what was seen, or by one channel.

    ``choose`` must give the same channel whenever it is asked about the same history.
    """
    choose = chooser(choose)
    scale = common_denominator(lineups.values())
    # Whole numbers over one denominator a history: sums without gcds.
    seen: dict[History, tuple[int, View]] = {(): (scale, {who: int(w * scale) for who, w in lineups.items()})}
    for _ in range(len(next(iter(lineups)))):
        following: dict[History, tuple[int, View]] = {}
        for history, (scale, states) in seen.items():
            rows, denominator = _whole(checked_channel(choose=choose(history)))
            answers: dict[Any, list[tuple[Any, int]]] = {}
            for lineup, weight in states.items():
                slot, rest = lineup[0], lineup[1:]
                if slot not in answers:
                    answers[slot] = list(_answers(rows, slot))
                for shown, chance in answers[slot]:
                    # As many messages as are shown, so all ways to one history have the same denominator.
                    _, left = following.setdefault((*history, shown), (scale * denominator ** _messages(shown), {}))
                    add(left, rest, weight * chance)
        seen = following
    return {history: Fraction(sum(states.values()), scale) for history, (scale, states) in seen.items() if states}


def chooser(choose: Channel | Choose) -> Choose:
    """The randomizer of the next slot, by what was seen; a channel is the same for all."""
    if isinstance(choose, Channel):
        return lambda history: choose
    if not callable(choose):
        raise TypeError(f"choose must be a channel, or a function from what was seen to a channel, got {choose!r}")
    return choose


def common_denominator(numbers: Iterable[Any]) -> int:
    """The least that makes all of them whole."""
    return math.lcm(*(Fraction(one).denominator for one in numbers))


def _whole(channel: Channel) -> tuple[Rows, int]:
    """The rows as whole numbers, and the denominator that they have in common."""
    table = channel.probs.tolist()
    scale = common_denominator(value for row in table for value in row)
    return [[int(Fraction(value) * scale) for value in row] for row in table], scale


def _messages(shown: Any) -> int:
    if shown is None:
        return 0
    return len(shown) if isinstance(shown, tuple) else 1


def _answers(rows: Rows, slot: Any) -> Iterable[tuple[Any, int]]:
    """What a slot may show, with the numerators of the chances."""
    if slot is None:
        return [(None, 1)]
    if not isinstance(slot, tuple):
        return enumerate(rows[slot])
    bags: View = {(): 1}
    for record in slot:
        larger: View = {}
        for bag, weight in bags.items():
            for output, chance in enumerate(rows[record]):
                add(larger, tuple(sorted((*bag, output))), weight * chance)
        bags = larger
    return bags.items()
