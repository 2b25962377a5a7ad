"""What is known of a run by routes that share no code with the fast road: delta at an eps, between two numbers.

Where a route knows one side alone the other is 0 or 1. Definitions are read by the judge, in interval arithmetic; data
sets of few clients are enumerated in fractions; Gaussians and clones are summed directly in mpmath.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from shufflekit import Shuffle, certify
from shufflekit.bracket import Bracket
from shufflekit.definitions import Definition, Game, Least, Mixture
from shufflekit.protocols import Attack
from shufflekit.protocols.run import Questions
from tools.fuzz import enumerated, gaussians
from tools.golden import clones

MOST_TRIED = 40  # slots of one game
MOST_SUMMED = 20_000  # clients, of the direct sum of the clones
MOST_LISTED, MOST_PLAYED = 5_000, 100  # slots, beyond which the judge takes long to compose: of a law, of a game
SURE = 1e-12  # a direct sum's relative error
Delta = Callable[[float], Bracket]
Rounds = Sequence[tuple[Any, int]]  # of protocols or attacks


class Reference(NamedTuple):
    """``prepare`` gives the delta at each eps: ``of`` the guarantee, which is a pair, or of the worst attack; or of a
    bound that no attack is above; or of data that exist, which reach it."""

    name: str
    of: str
    prepare: Callable[[], Delta]


def references(run: Questions, least: float) -> list[Reference]:
    """All that may be tried; what a route cannot do it says by an exception. ``least``: the least delta of interest."""
    parts = run.parts
    single = parts[0][0] if len(parts) == 1 and parts[0][1] == 1 else None
    name, way = ("judge", _one_round) if single else ("judge, composed", partial(_composed, least=least))
    found = [
        Reference(name, _what(parts), lambda: way(parts)),
        Reference(name, "attack", lambda: _of_attacks(way, parts)),
    ]
    if single is not None:
        found += [Reference("enumeration", "reached", lambda one=one: one) for one in enumerated.deltas(single)]
        if isinstance(single, Shuffle) and single.randomizer is None and single.n <= MOST_SUMMED:
            of = "guarantee" if single.reduction == "clones" else "bound"  # no game is above the clones
            found.append(Reference("direct sum", of, lambda: partial(_summed, single)))
    found += [Reference("Gaussians", of, lambda one=one: one) for of, one in gaussians.deltas(parts)]
    return found


def _what(parts: Rounds) -> str:
    """A definition is the pair itself. Of a game the kit may have a better bound than the game's, or a worse one."""
    return "guarantee" if all(isinstance(one.define(float), Definition) for one, _ in parts) else "bound"


# The judge.


def _one_round(parts: Rounds) -> Delta:
    define = parts[0][0].define
    return lambda eps: _worst([_judged(define, eps, reverse) for reverse in (False, True)])


def _judged(define: Callable[..., Any], eps: float, reverse: bool) -> Bracket:
    """One round; of several bounds the least, as far as they are games of a given size."""
    given = define(float)
    if isinstance(given, Mixture):
        each = [_judged(lambda number, one=one: one.mapped(number), eps, reverse) for one in given.parts]
        lower, upper = (
            math.fsum(c * end for c, end in zip(given.chances, ends, strict=True)) for ends in zip(*each, strict=True)
        )
        return Bracket(lower * (1 - SURE), upper * (1 + SURE))
    if isinstance(given, Least):
        numbers = [i for i, bound in enumerate(given.bounds) if isinstance(bound, Game)]
        each = [_judged(lambda number, i=i: define(number).bounds[i], eps, reverse) for i in numbers]
        return min(each, key=lambda one: one.upper)
    if isinstance(given, Game) and given.slots > MOST_TRIED:
        raise ValueError(f"the judge would find more sums of scores than it can look at: {given.slots} slots")
    return certify.delta(define, eps, reverse=reverse)


def _composed(parts: Rounds, least: float) -> Delta:
    for one, _ in parts:
        given = one.define(float)
        if not isinstance(given, Definition | Game) or given.slots > (
            MOST_PLAYED if isinstance(given, Game) else MOST_LISTED
        ):
            raise ValueError(f"the judge would take long: {one!r}")
    asked = [(one.define, own) for one, own in parts]
    ways = [certify.rounds(asked, least, reverse=reverse) for reverse in (False, True)]
    return lambda eps: _worst([way.delta(eps) for way in ways])


def _of_attacks(way: Callable[[Rounds], Delta], parts: Rounds) -> Delta:
    known = [way(chosen) for chosen in attacks_of(parts)]
    return lambda eps: _worst([one(eps) for one in known])


def attacks_of(parts: Rounds) -> Iterator[list[tuple[Attack, int]]]:
    """All rounds attacked in each way: by name, where a protocol knows it, else in the last of its own ways."""
    alone = sum(own for _, own in parts) == 1
    known = [([one for one in protocol.attacks if alone or not one.once], own) for protocol, own in parts]
    for name in dict.fromkeys(one.name for attacks, _ in known for one in attacks):
        yield [(next((one for one in attacks if one.name == name), attacks[-1]), own) for attacks, own in known]


# Direct sums.


def _summed(shuffle: Shuffle, eps: float) -> Bracket:
    found = float(clones.delta(shuffle.eps0, shuffle.n, shuffle.population, eps))
    return Bracket(found * (1 - SURE), found * (1 + SURE))


def _worst(ends: Sequence[Bracket]) -> Bracket:
    return Bracket(max(end.lower for end in ends), max(end.upper for end in ends))
