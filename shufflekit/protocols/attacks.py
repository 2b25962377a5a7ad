"""Attacks: real mechanisms run on data that exist. No analysis of a protocol can go below what they show."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from shufflekit.bracket import Bracket, Reached
from shufflekit.definitions import Definition, Lognormal, Mixture, NoisyMean
from shufflekit.dominating_pairs import Pair, pair_of
from shufflekit.loss_distribution import Composition, Part, largest


class Attack(NamedTuple):
    """What a real mechanism shows of one record in a real data set: no analysis of the protocol can go below it.

    ``define`` gives its definition in one kind of number, as ``Protocol.define`` does. Where it is the protocol's own,
    the protocol's pair is exact, and a run's answers have both ends from there. ``once``: it is for a single round,
    since others do more in several.
    """

    name: str
    source: str
    remark: str
    define: Callable[[Callable[[float], Any]], Definition | Mixture | Lognormal | NoisyMean]
    once: bool = False

    @property
    def pair(self) -> Pair:
        return pair_of(self.define(float))


class Attempt(NamedTuple):
    """All rounds attacked in one way: what they show."""

    name: str
    source: str
    remark: str
    parts: list[Part[Pair]]

    def both_ways(self) -> list[Composition]:
        return Composition(self.parts).both_ways()


def attempts(known: Sequence[tuple[Sequence[Attack], int]]) -> list[Attempt]:
    """All kinds of attacks on protocols of which these attacks are known, and so many rounds of each.

    A protocol that does not know a kind is attacked in the last of its own ways.
    """
    if sum(rounds for _, rounds in known) > 1:
        known = [([one for one in attacks if not one.once], rounds) for attacks, rounds in known]
    found: dict[str, Attempt] = {}
    for name in dict.fromkeys(attack.name for attacks, _ in known for attack in attacks):
        chosen = [next((one for one in attacks if one.name == name), attacks[-1]) for attacks, _ in known]
        parts = [Part(attack.pair, rounds) for attack, (_, rounds) in zip(chosen, known, strict=True)]
        names, sources, remarks = zip(*(attack[:3] for attack in chosen), strict=True)
        found.setdefault(_joined(names), Attempt(_joined(names), _joined(sources), _joined(remarks), parts))
    return list(found.values())


def worst(
    tried: Sequence[Attempt],
    ask: Callable[[Composition, float], Bracket],
    rtol: float,
    most: Callable[[Composition], float] | None = None,
) -> Reached:
    """The largest answer of all, and whose its lower end is: of several the last one's. See ``largest``."""
    ways = [(attempt.name, way) for attempt in reversed(tried) for way in attempt.both_ways()]
    ways[0][1].share([way for _, way in ways])
    ends = largest([way for _, way in ways], ask, rtol, most if len(ways) > 2 else None)
    name, least = ways[0][0], 0.0
    for (own, _), (lower, _) in zip(ways, ends, strict=True):
        name, least = (own, lower) if lower > least else (name, least)
    return Reached(least, max(end.upper for end in ends), name)


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))
