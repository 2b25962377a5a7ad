"""Few clients on data that exist, in fractions: what a randomizer really shows is below every guarantee."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from shufflekit import RandomCheckIn, RandomizedResponse, Shuffle, ShuffledCheckIn, SlidingCheckIn, exact
from shufflekit.bracket import Bracket
from shufflekit.divergences import hockey_stick
from shufflekit.protocols import Protocol
from shufflekit.randomizers import Channel

MOST_CLIENTS, MOST_SLOTS, MOST_OUTPUTS = 5, 3, 4
ROUNDING = 1e-12  # of probabilities, which are floats made fractions
Laws = Iterable[tuple[Any, Any]]
OTHERS = 2  # the record that all others and the dummy have, of 0, 1 and 2


def deltas(protocol: Protocol) -> Iterator[Callable[[float], Bracket]]:
    """The delta that is reached, as a function of eps, if the protocol is small enough."""
    laws = _laws(protocol)
    if laws is not None:
        yield lambda eps: Bracket(_worst(laws(), eps), 1.0)


def _worst(laws: Laws, eps: float) -> float:
    alpha = Fraction(math.exp(eps))
    return max(0.0, float(max(hockey_stick(p, q, alpha) for p, q in laws)) - ROUNDING)


def _laws(protocol: Protocol) -> Callable[[], Laws] | None:
    """Of all data sets that are gone through, both ways."""
    if isinstance(protocol, Shuffle) and max(protocol.n, protocol.population) <= MOST_CLIENTS:
        channel = protocol.randomizer or _response(protocol.eps0)
        if channel.inputs <= MOST_OUTPUTS and channel.outputs <= MOST_OUTPUTS:
            return lambda: (
                (one.p, one.q) for one in exact.neighbours(_rational(channel), protocol.population, protocol.n)
            )
    if isinstance(protocol, ShuffledCheckIn) and protocol.population <= MOST_CLIENTS and protocol.randomizer is None:
        rate, clients, known = Fraction(protocol.rate), protocol.population, _response(protocol.eps0)
        return lambda: _alike(lambda data: exact.averaged_updates(known, data, 1, rate), clients)
    if isinstance(protocol, RandomCheckIn) and protocol.slots <= MOST_SLOTS and (protocol.clients or 1) <= MOST_SLOTS:
        return lambda: _of_check_ins(protocol)
    if isinstance(protocol, SlidingCheckIn) and max(protocol.window, protocol.clients) <= MOST_SLOTS:
        known = _response(protocol.eps0)
        return lambda: _alike(lambda data: exact.sliding_window(known, data, protocol.window, OTHERS), protocol.clients)
    return None


def _of_check_ins(protocol: RandomCheckIn) -> Laws:
    dummy = OTHERS if protocol.empty == "dummy" else None
    rate, known = Fraction(protocol.participation), _response(protocol.eps0)
    return _alike(lambda data: exact.fixed_window(known, data, protocol.slots, rate, dummy), protocol.clients or 1)


def _alike(view: Callable[[tuple[int, ...]], Any], clients: int) -> Iterator[tuple[Any, Any]]:
    """The first record changed, all others at the third value."""
    views = [view((record, *(OTHERS,) * (clients - 1))) for record in range(3)]
    for one, other in itertools.permutations(views, 2):
        yield exact.aligned(one, other)


def _response(eps0: float) -> Channel:
    return RandomizedResponse(3, ratio=Fraction(math.exp(eps0)))


def _rational(channel: Channel) -> Channel:
    """The same table in fractions, whose rows sum to 1."""
    table = np.vectorize(Fraction, otypes=[object])(channel.probs)
    return Channel(table / table.sum(axis=1, keepdims=True), channel.name)
