"""Notebook 22, which epsilon is mine: the hidden cases of its exercises."""

import math
from collections.abc import Mapping

from shufflekit.exercises.checking import Case, Exercise, Trap, value


def _level(bins: int, eps: float) -> float:
    """The local level of an answer that is kept, or with the chance 2/(1 + e^eps) drawn anew from all bins."""
    return math.log1p(bins * math.expm1(eps) / 2)


EXERCISES: Mapping[str, Exercise] = {
    "22.1": value(
        ["RandomCheckIn", "not covered", "ShuffledCheckIn", "Shuffle"],
        "Go down the tree from the top, and stop at the first yes. Four strings, in the order of the systems.",
        (
            ["RandomCheckIn", "Shuffle", "ShuffledCheckIn", "Shuffle"],
            "System 2 mixes randomizers: old phones and new ones answer differently. Look at the first question.",
        ),
        (
            ["RandomCheckIn", "not covered", "Shuffle", "Shuffle"],
            "In system 3 nobody draws a fixed number: how many come is chance.",
        ),
    ),
    "22.2": Exercise(
        (
            Case((20_000, 0.1, 3_000), 15_000),
            Case((1_000, 0.0, 0), 1_000),
            Case((500, 0.5, 100), 150),
        ),
        "Of the called, take away those who stay silent, and then those whose messages the attacker knows.",
        (
            Trap(0, 18_000, "Those are all who answer. The colluders know their own messages, so they hide nobody."),
            Trap(0, 17_000, "The silent are still in there. Who sends nothing hides nobody."),
        ),
    ),
    "22.3": Exercise(
        (
            Case((8.0, 2), 8.0),
            Case((8.0, 5), _level(5, 8.0)),
            Case((1.0, 10), _level(10, 1.0)),
        ),
        "Two inputs, one output: how likely is a bin for whoever is in it, and how likely for whoever is not?",
        (
            Trap(1, 16.0, "That is for bits that are flipped one by one, two of which change. Here one bin is drawn."),
            Trap(1, 8.0, "Only with two bins. With five, a bin that is not yours is reached with b/5, not with b/2."),
        ),
    ),
    "22.4": value(
        0.3782,
        "One day is Shuffle(eps0=4.0, n=1_000_000); multiply it by the number of days, and ask for .upper.",
        (0.03395, "That is one day. The same phone may answer on each of the ninety."),
        (3.056, "That is ninety times the epsilon of one day. Compose: multiply the protocol, not the number."),
    ),
}
