"""Shuffled reports of any local randomizer, or of a known one: the protocols of this kit's four papers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from shufflekit import _validate, definitions
from shufflekit.definitions import Definition, Game, Moves, growth
from shufflekit.dominating_pairs import MOST_RARE_SLOTS, MOST_SLOTS
from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.bounds import Reports, ShuffledCheckIns
from shufflekit.protocols.channels import channel_definition, worst_data
from shufflekit.protocols.frozen import NOT_GIVEN, settle, shown
from shufflekit.protocols.run import Origin, Protocol
from shufflekit.randomizers import Channel

MAX_N = 10**12
REDUCTIONS: dict[str, Callable[[Any], definitions.Moves | definitions.ScoreLaw]] = {
    "corners": definitions.corners,
    "clones": definitions.clones,
    "clones2021": definitions.clones2021,
}
REDUCTION = next(iter(REDUCTIONS))  # the one that is meant where none is named
BINARY = ("binary randomized response, all others equal", "girgis2021", "Theorem 2's mechanism, exact law")
TERNARY = ("3-ary randomized response, all others at the third value", "beyond", "exact law")
TOLD = ("3-ary and binary randomized response by a coin that is told, all others equal", "beyond", "exact law")
# The chance of the 3-ary one. It reaches up to 1.4 % more where the two reach nearly the same, which depends on delta:
# with about so many answers of 3-ary randomized response that are not the others'.
TOLD_CHANCE, TOLD_ANSWERS = 0.3125, (16, 100)


@dataclass(frozen=True, repr=False)
class Shuffle(Protocol):
    """One round: n clients report through an eps0-LDP randomizer and a shuffler, any randomizer and any data.

    With a ``population``, the n are drawn from it anew each round: fixed size, uniformly, without replacement. With a
    ``randomizer`` in the place of eps0, that channel is used, which costs less than the worst one.

    ``reduction`` says which dominating pair stands behind the guarantee: "corners" (the default), the worst of five
    randomizers for each message in its turn, proved in notebook 18; "clones", which hide one of all clients, proved in
    notebook 09b; or "clones2021", the earlier published clones. What attacks reach is the same for all three.

    Formal guarantees. Neighbouring data sets differ in one record. The upper ends hold for every eps0-LDP randomizer
    (or the given one) that all clients share, also when each round's is chosen after seeing the earlier ones.
    """

    eps0: float = NOT_GIVEN
    n: int = NOT_GIVEN
    population: int = NOT_GIVEN
    randomizer: Channel | None = field(default=None, kw_only=True)
    reduction: str = field(default=REDUCTION, kw_only=True)

    def __post_init__(self) -> None:
        eps0 = _eps0_of(self.eps0, self.randomizer)
        n = _validate.count(n=self.n, at_most=MAX_N)
        population = n if self.population is None else _validate.count(population=self.population, at_most=MAX_N)
        if n > population:
            raise ValueError(f"n must be at most the population of {population:,}, got {self.n!r}")
        reduction = _reduction_of(self.reduction, self.randomizer)
        settle(self, eps0=eps0, n=n, population=population, reduction=reduction)
        if self.randomizer is not None:
            _ = self.pair  # a channel of another kind than votes may have too many clients: it says so now

    def __repr__(self) -> str:
        sampled = f", population={self.population:_}" if self.population != self.n else ""
        return f"Shuffle({_what(self)}, n={self.n:_}{sampled}{_reduced(self)})"

    def define(self, number: Callable[[float], Any] = float) -> Definition | Game:
        if self.randomizer is not None:
            known = channel_definition(self.randomizer, self.n, self.population)
            return known if number is float else known.mapped(number)
        shown = REDUCTIONS[self.reduction](growth(number(self.eps0)))
        if isinstance(shown, Moves):
            return Game(self.n, self.population, (shown,))
        return Definition(self.n, self.population, (shown,))

    @property
    def attacks(self) -> Sequence[Attack]:
        if self.randomizer is not None:
            return worst_data(self.randomizer, self.n, self.population)
        binary = Attack(*BINARY, partial(self._attacked, partial(definitions.response, k=2)))
        ternary = Attack(*TERNARY, partial(self._attacked, partial(definitions.response, k=3)))
        answers = 2 * self.n / (math.exp(self.eps0) + 2)
        few_or_many = not TOLD_ANSWERS[0] <= answers <= TOLD_ANSWERS[1]
        if self.n < self.population or self.eps0 < 1 or self.n > MOST_RARE_SLOTS or few_or_many:
            return binary, ternary
        told = partial(definitions.told, chance=TOLD_CHANCE)  # of few binary digits, so the same in every arithmetic
        return binary, Attack(*TOLD, partial(self._attacked, told), once=True), ternary

    @property
    def origin(self) -> Origin | None:
        return None if self.randomizer is None else Origin("beyond")

    def reports(self) -> Reports:
        return Reports(self.eps0, self.n, self.population)

    def _attacked(self, law: Callable[[Any], definitions.ScoreLaw], number: Callable[[float], Any]) -> Definition:
        return Definition(self.n, self.population, (law(growth(number(self.eps0))),))


@dataclass(frozen=True, repr=False)
class ShuffledCheckIn(Protocol):
    """One round: each of the population takes part with probability ``rate``, by her own coin.

    All messages are shuffled. How many took part is taken as seen: whoever gets the messages can count them. To hide
    the number (by dummies, or by showing an average alone) is a step after that, which tells no more: a guarantee with
    the number seen holds when it is hidden, too. So hiding it is not offered; what it would gain is not counted.

    With a ``randomizer`` in the place of eps0, that channel is used: a client who stays away sends "nothing", which is
    one more of its messages, and all of the population report.

    Formal guarantees. As for ``Shuffle``; neighbouring data sets are of the same population, and differ in one record.
    """

    eps0: float = NOT_GIVEN
    population: int = NOT_GIVEN
    rate: float = NOT_GIVEN
    randomizer: Channel | None = field(default=None, kw_only=True)
    reduction: str = field(default=REDUCTION, kw_only=True)

    def __post_init__(self) -> None:
        settle(
            self,
            eps0=_eps0_of(self.eps0, self.randomizer),
            population=_validate.count(population=self.population, at_most=MAX_N),
            rate=_validate.rate(rate=self.rate),
            reduction=_reduction_of(self.reduction, self.randomizer),
        )
        if self.randomizer is not None:
            _ = self.pair  # of a channel of another kind than votes there may be too many clients: it says so now

    def __repr__(self) -> str:
        return (
            f"ShuffledCheckIn({_what(self)}, population={self.population:_}, rate={shown(self.rate)}{_reduced(self)})"
        )

    def define(self, number: Callable[[float], Any] = float) -> Definition | Game:
        if self.randomizer is not None:
            known = channel_definition(_or_silent(self.randomizer, self.rate), self.population, self.population)
            return known if number is float else known.mapped(number)
        law = REDUCTIONS[self.reduction](growth(number(self.eps0)))
        if isinstance(law, Moves):
            return Game(self.population, self.population, (law,), number(self.rate) if self.rate < 1 else 1)
        return self._of(law, number)

    @property
    def attacks(self) -> Sequence[Attack]:
        if self.randomizer is not None:
            return worst_data(_or_silent(self.randomizer, self.rate), self.population, self.population)

        def define(k: int, number: Callable[[float], Any]) -> Definition:
            return self._of(definitions.response(growth(number(self.eps0)), k), number)

        ternary = Attack(*TERNARY, partial(define, 3))
        # Beyond E = 2 two values reveal less than three of a crowd; and their sums have a grid.
        if self.eps0 > math.log(2) or self.population > MOST_SLOTS:
            return (ternary,)
        return Attack(*BINARY, partial(define, 2)), ternary

    @property
    def origin(self) -> Origin:
        return Origin("feldman2021" if self.reduction == "clones2021" else "beyond")

    def reports(self) -> ShuffledCheckIns:
        return ShuffledCheckIns(self.eps0, self.population, self.rate)

    @property
    def local_limit(self) -> float:
        return self.eps0

    def _of(self, law: definitions.ScoreLaw, number: Callable[[float], Any]) -> Definition:
        """Each of the population reports so, or stays silent; at a rate of 1 nobody does."""
        if self.rate < 1:
            law = definitions.check_in(law, number(self.rate))
        return Definition(self.population, self.population, (law,))


@lru_cache(maxsize=20)  # asked for again and again
def _or_silent(channel: Channel, rate: float) -> Channel:
    """The channel of clients who report with this chance, and else send nothing, whatever their records. [beyond] 4

    At a rate of 1 nobody sends nothing. A rational table stays one.
    """
    share = Fraction(rate) if channel.probs.dtype == object else rate
    silent = np.full((channel.inputs, 1), 1 - share)
    return Channel(np.hstack([share * channel.probs, silent]), f"{channel.name}, or nothing")


def _eps0_of(eps0: float | None, randomizer: Channel | None) -> float:
    """As it was given, or the randomizer's."""
    if (eps0 is None) == (randomizer is None):
        raise ValueError(f"give exactly one of eps0 and randomizer, got eps0={eps0!r}, randomizer={randomizer!r}")
    if randomizer is not None and not isinstance(randomizer, Channel):
        raise TypeError(f"randomizer must be a shufflekit.randomizers.Channel, got {randomizer!r}")
    return _validate.local_eps(eps0=eps0 if randomizer is None else randomizer.eps0)


def _reduction_of(reduction: str, randomizer: Channel | None) -> str:
    reduction = _validate.choice(tuple(REDUCTIONS), reduction=reduction)
    if randomizer is not None and reduction != REDUCTION:
        raise ValueError(f"reduction must be left out where a randomizer is given, got {reduction!r}")
    return reduction


def _what(protocol: Shuffle | ShuffledCheckIn) -> str:
    return f"randomizer={protocol.randomizer!r}" if protocol.randomizer else f"eps0={shown(protocol.eps0)}"


def _reduced(protocol: Shuffle | ShuffledCheckIn) -> str:
    return f", reduction={protocol.reduction!r}" if protocol.reduction != REDUCTION else ""
