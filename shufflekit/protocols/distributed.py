"""Distributed check-ins: each who came sends a noisy value, and the server shows the mean. [liew2022] Thms 4 and 5"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from shufflekit import _validate
from shufflekit.definitions import NoisyMean
from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.frozen import settle, shown
from shufflekit.protocols.run import Origin, Protocol
from shufflekit.protocols.shuffle import MAX_N

NEIGHBOURS = ("replace", "remove")
MOST_SHIFT = 100.0  # deviations of one value's noise: beyond, nothing is hidden
LEAST_SHIFT = 1e-6


@dataclass(frozen=True, repr=False)
class DistributedCheckIn(Protocol):
    """One round: each of the population comes with probability ``rate``, by her own coin, and sends her value with
    Gaussian noise of deviation ``sigma``; the mean of what came is shown.

    All values are in a ball of diameter ``distance``, in any dimension: 2 for the unit ball. Of K who came the mean has
    noise of deviation ``sigma/sqrt(K)``, whose size shows K: in d dimensions but for a part sqrt(2/d) of it. So K is
    taken as seen; a guarantee with K seen holds when it is hidden, too.

    Formal guarantees. Neighbouring data sets differ in one record, which is replaced (of a known population), or is
    there in one of them only ("remove": then ``population`` counts it). The upper ends hold for all values in the ball,
    chosen anew each round after seeing what the earlier rounds showed. What is reached, and exact for a removed record:
    all others have one value, at the ball's other end. Others at its centre would be a ``distance`` of half as much.
    """

    sigma: float
    population: int
    rate: float
    neighbours: str = NEIGHBOURS[0]
    distance: float = 2.0

    def __post_init__(self) -> None:
        settle(
            self,
            sigma=_validate.positive(sigma=self.sigma),
            population=_validate.count(population=self.population, at_most=MAX_N),
            rate=_validate.rate(rate=self.rate),
            neighbours=_validate.choice(NEIGHBOURS, neighbours=self.neighbours),
            distance=_validate.positive(distance=self.distance),
        )
        if not LEAST_SHIFT <= self.distance / self.sigma <= MOST_SHIFT:
            allowed = f"from {LEAST_SHIFT:g} to {MOST_SHIFT:g} times sigma = {self.sigma:g}"
            raise ValueError(f"distance must be {allowed}, got {self.distance!r}")

    def __repr__(self) -> str:
        parts = [f"sigma={shown(self.sigma)}", f"population={self.population:_}", f"rate={shown(self.rate)}"]
        parts += [f"neighbours={self.neighbours!r}"] if self.neighbours != NEIGHBOURS[0] else []
        parts += [f"distance={shown(self.distance)}"] if self.distance != 2 else []
        return f"DistributedCheckIn({', '.join(parts)})"

    def define(self, number: Callable[[float], Any] = float) -> NoisyMean:
        return self._law(self.neighbours == "replace", number)

    @property
    def attacks(self) -> Sequence[Attack]:
        return (Attack("the mechanism itself, all others alike", "liew2022", "exact law", partial(self._law, False)),)

    @property
    def origin(self) -> Origin:
        return Origin("liew2022", "how many came is seen; any values")

    def _law(self, either: bool, number: Callable[[float], Any]) -> NoisyMean:
        """``either``: the worst of both directions, each round anew."""
        replaced, rate = self.neighbours == "replace", number(self.rate)
        return NoisyMean(number(self.sigma), self.population, rate, number(self.distance), replaced, either)
