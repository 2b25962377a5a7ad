"""Shuffled reports of any local randomizer, or of a known one: the protocols of this kit's four papers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from shufflekit import _validate, definitions
from shufflekit.definitions import Definition, growth
from shufflekit.protocols.bounds import Reports
from shufflekit.protocols.channels import channel_definition, worst_data
from shufflekit.protocols.frozen import NOT_GIVEN, settle, shown
from shufflekit.protocols.run import Attack, Origin, Protocol
from shufflekit.randomizers import Channel

MAX_N = 10**12
REDUCTIONS: dict[str, Callable[[Any], definitions.ScoreLaw]] = {
    "clones": definitions.clones,
    "clones2021": definitions.clones2021,
}
BINARY = ("binary randomized response, all others equal", "girgis2021", "Theorem 2's mechanism, exact law")
TERNARY = ("3-ary randomized response, all others at the third value", "beyond", "exact law")


@dataclass(frozen=True, repr=False)
class Shuffle(Protocol):
    """One round: n clients report through an eps0-LDP randomizer and a shuffler, any randomizer and any data.

    With a ``population``, the n are drawn from it anew each round: fixed size, uniformly, without replacement. With a
    ``randomizer`` in the place of eps0, that channel is used, which costs less than the worst one. ``reduction`` says
    which dominating pair is meant: "clones", proved in notebook 09, or "clones2021", the earlier published one.

    Formal guarantees. Neighbouring data sets differ in one record. The upper ends hold for every eps0-LDP randomizer
    (or the given one) that all clients share, also when each round's is chosen after seeing the earlier ones.
    """

    eps0: float = NOT_GIVEN
    n: int = NOT_GIVEN
    population: int = NOT_GIVEN
    randomizer: Channel | None = field(default=None, kw_only=True)
    reduction: str = field(default="clones", kw_only=True)

    def __post_init__(self) -> None:
        eps0, randomizer = self.eps0, self.randomizer
        if (eps0 is None) == (randomizer is None):
            raise ValueError(f"give exactly one of eps0 and randomizer, got eps0={eps0!r}, randomizer={randomizer!r}")
        if randomizer is not None and not isinstance(randomizer, Channel):
            raise TypeError(f"randomizer must be a shufflekit.randomizers.Channel, got {randomizer!r}")
        eps0 = _validate.local_eps(eps0=eps0 if randomizer is None else randomizer.eps0)
        n = _validate.count(n=self.n, at_most=MAX_N)
        population = n if self.population is None else _validate.count(population=self.population, at_most=MAX_N)
        if n > population:
            raise ValueError(f"n must be at most the population of {population:,}, got {self.n!r}")
        reduction = _validate.choice(tuple(REDUCTIONS), reduction=self.reduction)
        if randomizer is not None and reduction != "clones":
            raise ValueError(f"reduction must be left out where a randomizer is given, got {reduction!r}")
        settle(self, eps0=eps0, n=n, population=population, reduction=reduction)
        if randomizer is not None:
            _ = self.pair  # a channel of another kind than votes may have too many clients: it says so now

    def __repr__(self) -> str:
        sampled = f", population={self.population:_}" if self.population != self.n else ""
        reduced = f", reduction={self.reduction!r}" if self.reduction != "clones" else ""
        what = f"randomizer={self.randomizer!r}" if self.randomizer else f"eps0={shown(self.eps0)}"
        return f"Shuffle({what}, n={self.n:_}{sampled}{reduced})"

    def define(self, number: Callable[[float], Any] = float) -> Definition:
        if self.randomizer is not None:
            known = channel_definition(self.randomizer, self.n, self.population)
            return known if number is float else known.mapped(number)
        law = REDUCTIONS[self.reduction](growth(number(self.eps0)))
        return Definition(self.n, self.population, (law,))

    @property
    def attacks(self) -> Sequence[Attack]:
        if self.randomizer is not None:
            return worst_data(self.randomizer, self.n, self.population)
        return (
            Attack(*BINARY, partial(_response, 2, self.eps0, self.n, self.population)),
            Attack(*TERNARY, partial(_response, 3, self.eps0, self.n, self.population)),
        )

    @property
    def origin(self) -> Origin | None:
        return None if self.randomizer is None else Origin("beyond")

    def reports(self) -> Reports:
        return Reports(self.eps0, self.n, self.population)


@dataclass(frozen=True, repr=False)
class ShuffledCheckIn(Protocol):
    """One round: each of the population takes part with probability ``rate``, by its own coin; how many did is seen.

    Formal guarantees. As for ``Shuffle``.
    """

    eps0: float
    population: int
    rate: float

    def __post_init__(self) -> None:
        settle(
            self,
            eps0=_validate.local_eps(eps0=self.eps0),
            population=_validate.count(population=self.population, at_most=MAX_N),
            rate=_validate.rate(rate=self.rate),
        )

    def __repr__(self) -> str:
        return f"ShuffledCheckIn(eps0={shown(self.eps0)}, population={self.population:_}, rate={shown(self.rate)})"

    def define(self, number: Callable[[float], Any] = float) -> Definition:
        return self._of(definitions.clones(growth(number(self.eps0))), number)

    @property
    def attacks(self) -> Sequence[Attack]:
        def define(number: Callable[[float], Any]) -> Definition:
            return self._of(definitions.response(growth(number(self.eps0)), 3), number)

        return (Attack(*TERNARY, define),)

    def reports(self) -> Reports:
        raise ValueError("is about a fixed number of reports a round")

    def _of(self, law: definitions.ScoreLaw, number: Callable[[float], Any]) -> Definition:
        """Each of the population reports so, or stays silent; at a rate of 1 nobody does."""
        if self.rate < 1:
            law = definitions.check_in(law, number(self.rate))
        return Definition(self.population, self.population, (law,))


def _response(k: int, eps0: float, n: int, population: int, number: Callable[[float], Any]) -> Definition:
    return Definition(n, population, (definitions.response(growth(number(eps0)), k),))
