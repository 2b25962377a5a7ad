"""Shuffled reports of any local randomizer, or of a known one: the protocols of this kit's four papers."""

from collections.abc import Sequence
from typing import Any

from shufflekit import _validate
from shufflekit.dominating_pairs import (
    BinaryResponse,
    Pair,
    checked_in_clones,
    clones,
    known_channel,
    ternary_check_in,
    ternary_response,
    worst_data,
)
from shufflekit.protocols.run import Protocol
from shufflekit.randomizers import Channel

MAX_N = 10**12
REDUCTIONS = ("clones", "clones2021")


class Shuffle(Protocol):
    """One round: n clients report through an eps0-LDP randomizer and a shuffler, any randomizer and any data.

    With a ``population``, the n are drawn from it anew each round: fixed size, uniformly, without replacement. With a
    ``randomizer`` in the place of eps0, that channel is used, which costs less than the worst one. ``reduction`` says
    which dominating pair is meant: "clones", proved in notebook 09, or "clones2021", the earlier published one.

    Formal guarantees. Neighbouring data sets differ in one record. The upper ends hold for every eps0-LDP randomizer
    (or the given one) that all clients share, also when each round's is chosen after seeing the earlier ones.
    """

    def __init__(
        self,
        eps0: float | None = None,
        n: int | None = None,
        population: int | None = None,
        *,
        randomizer: Channel | None = None,
        reduction: str = "clones",
    ) -> None:
        if (eps0 is None) == (randomizer is None):
            raise ValueError(f"give exactly one of eps0 and randomizer, got eps0={eps0!r}, randomizer={randomizer!r}")
        if randomizer is not None and not isinstance(randomizer, Channel):
            raise TypeError(f"randomizer must be a shufflekit.randomizers.Channel, got {randomizer!r}")
        self.randomizer = randomizer
        self.eps0 = _validate.local_eps(eps0=eps0 if randomizer is None else randomizer.eps0)
        self.n = _validate.count(n=n, at_most=MAX_N)
        self.population = self.n if population is None else _validate.count(population=population, at_most=MAX_N)
        if self.n > self.population:
            raise ValueError(f"n must be at most the population of {self.population:,}, got {n!r}")
        self.reduction = _validate.choice(REDUCTIONS, reduction=reduction)
        if randomizer is not None:
            if reduction != "clones":
                raise ValueError(f"reduction must be left out where a randomizer is given, got {reduction!r}")
            self._pair: Pair = known_channel(randomizer, self.n, self.population)
        else:
            self._pair = clones(self.eps0, self.n, self.population, self.reduction)

    def __repr__(self) -> str:
        sampled = f", population={self.population:_}" if self.population > self.n else ""
        reduced = f", reduction={self.reduction!r}" if self.reduction != "clones" else ""
        what = f"randomizer={self.randomizer!r}" if self.randomizer else f"eps0={self.eps0:g}"
        return f"Shuffle({what}, n={self.n:_}{sampled}{reduced})"

    def _key(self) -> tuple[Any, ...]:
        return self.randomizer or self.eps0, self.n, self.population, self.reduction

    @property
    def pair(self) -> Pair:
        return self._pair

    @property
    def attacks(self) -> Sequence[Pair]:
        if self.randomizer is not None:
            return worst_data(self.randomizer, self.n, self.population)
        ternary = ternary_response(self.eps0, self.n, self.population)
        return BinaryResponse(self.eps0, self.n, self.population), ternary


class ShuffledCheckIn(Protocol):
    """One round: each of the population takes part with probability ``rate``, by its own coin; how many did is seen.

    Formal guarantees. As for ``Shuffle``.
    """

    def __init__(self, eps0: float, population: int, rate: float) -> None:
        self.eps0 = _validate.local_eps(eps0=eps0)
        self.population = _validate.count(population=population, at_most=MAX_N)
        self.rate = _validate.rate(rate=rate)

    def __repr__(self) -> str:
        return f"ShuffledCheckIn(eps0={self.eps0:g}, population={self.population:_}, rate={self.rate:g})"

    def _key(self) -> tuple[Any, ...]:
        return self.eps0, self.population, self.rate

    @property
    def pair(self) -> Pair:
        return checked_in_clones(self.eps0, self.population, self.rate)

    @property
    def attacks(self) -> Sequence[Pair]:
        return (ternary_check_in(self.eps0, self.population, self.rate),)
