"""Bounds of papers, which register themselves from outside: what a comparison asks besides the protocol's own pair."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from shufflekit import plugins


class Reports(NamedTuple):
    """Rounds in which n of a population send eps0-LDP reports through a shuffler: what a bound of a paper is about."""

    eps0: float
    n: int
    population: int
    rounds: int = 1


class ShuffledCheckIns(NamedTuple):
    """Rounds to which each of a population comes by her own coin, to send an eps0-LDP report through a shuffler."""

    eps0: float
    population: int
    rate: float
    rounds: int = 1


class CheckIns(NamedTuple):
    """Epochs of random check-ins, which the protocol itself describes."""

    protocol: Any
    rounds: int = 1


class TooSlow(Exception):
    """Why a bound is not worth waiting for."""


class Bound(NamedTuple):
    """An upper bound on eps at a delta, for rounds of reports, of shuffled or of random check-ins.

    ``epsilon`` raises a ``ValueError`` that says why the bound says nothing there, or ``TooSlow``. ``about`` is what
    the rounds must be: of others no comparison asks it.
    """

    name: str
    source: str
    epsilon: Callable[[Sequence[Any], float], float]
    about: type = Reports


_bounds: list[Bound] = []
_loading = threading.RLock()


def register(bound: Bound) -> None:
    """From now on every comparison asks it."""
    _bounds.append(bound)


def registered() -> tuple[Bound, ...]:
    """All bounds, in the order in which they were registered."""
    with _loading:  # of threads that compare at once, the second would find some of the bounds only
        plugins.load_all()
        return tuple(_bounds)
