"""The votes of a definition, if its messages vote."""

from shufflekit.definitions import Definition, voting_kinds
from shufflekit.dominating_pairs.votes import Votes

ROUND_OFF = 1e-12  # of a difference of scores that is 0


def votes_of(definition: Definition) -> Votes | None:
    """The pair of a definition whose messages vote, if they do; its rest is neither."""
    if len(definition.laws) != 1 or (parts := voting_kinds(definition.laws[0])) is None:
        return None
    law, slots, population = definition.laws[0], definition.slots, definition.population
    first, second, rest = law[parts.first], law[parts.second], law[parts.rest]
    third = None if parts.third is None else law[parts.third]
    if first.u1 - rest.u0 < -ROUND_OFF:
        return None  # Q/R would be a difference, and lose digits where all votes are for P
    unlabelled = rest.chance + third.chance if third else rest.chance
    return Votes(
        slots,
        first.chance + second.chance,
        unlabelled,
        (population - slots + slots * rest.t0) / population,
        (first.u1 - rest.u0) / population,
        (first.u0 - first.u1) / population,
        third.chance if third else 0.0,
        (third.u0 - rest.u0) / population if third else 0.0,
    )
