"""Any definition of few slots, outcome by outcome."""

import math
from typing import TYPE_CHECKING

from shufflekit._divisions import divisions
from shufflekit.certify.balls import Estimate, ball
from shufflekit.definitions import Definition, ScoreLaw

if TYPE_CHECKING:
    from flint import arb

MOST = 200_000  # outcomes


def how_many(definition: Definition) -> int:
    """The outcomes of all laws."""
    slots = definition.slots
    return sum(math.comb(slots + len(law) - 1, slots) for law in definition.laws)


def estimate(definition: Definition, alpha: "arb") -> Estimate:
    """Delta at ``log(alpha)`` of the worst law: nothing is left out."""
    deltas = [_delta(law, definition.slots, definition.population, alpha) for law in definition.laws]
    worst = deltas[0]
    for other in deltas[1:]:
        worst = worst.max(other)
    return Estimate(worst, ball(0))


def _delta(law: ScoreLaw, slots: int, population: int, alpha: "arb") -> "arb":
    powers = [[one.chance**c for c in range(slots + 1)] for one in law]
    # P - alpha Q is 1 - alpha without any message, and what each of them adds.
    votes = [(one.u0 - alpha * one.u1) / population for one in law]
    total = ball(0)
    for counts in divisions(slots, len(law)):
        mass = ball(math.factorial(slots) // math.prod(map(math.factorial, counts)))
        excess = 1 - alpha
        for power, vote, count in zip(powers, votes, counts, strict=True):
            mass *= power[count]
            excess += count * vote
        total += mass * excess.nonnegative_part()
    return total
