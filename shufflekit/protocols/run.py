"""Rounds of protocols, and the questions that can be asked of them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit.bracket import Bracket, bracket
from shufflekit.dominating_pairs import Pair
from shufflekit.loss_distribution import Composition, Part
from shufflekit.renyi import RenyiCurve

if TYPE_CHECKING:
    from shufflekit.compare import Comparison

MAX_ROUNDS = 10**12  # of one protocol


class Protocol(ABC):
    """One round of something. What it shows of one record is described by pairs of laws."""

    @abstractmethod
    def _key(self) -> tuple[Any, ...]:
        """What tells one protocol from another."""

    @property
    @abstractmethod
    def pair(self) -> Pair:
        """The pair that dominates the protocol; where (Q, P) is another pair, both count."""

    @property
    @abstractmethod
    def attacks(self) -> Sequence[Pair]:
        """What real mechanisms show of one record in real data sets; no analysis of the protocol can go below any."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Protocol) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __mul__(self, rounds: int) -> "Run":
        return Run([(self, _validate.count(rounds=rounds))])

    __rmul__ = __mul__

    def __add__(self, other: "Protocol | Run") -> "Run":
        return (self * 1) + other

    @property
    def pure_epsilon(self) -> float:
        """The eps at delta = 0."""
        return max(self.pair.largest_loss, self.pair.reversed().largest_loss)

    def epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """See ``Run.epsilon``."""
        return (self * 1).epsilon(delta, rtol=rtol)

    def delta(self, eps: float, *, rtol: float = 1e-4) -> Bracket:
        """See ``Run.delta``."""
        return (self * 1).delta(eps, rtol=rtol)

    def rdp(self, order: ArrayLike) -> Any:
        """See ``Run.rdp``."""
        return (self * 1).rdp(order)

    def attack_epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """See ``Run.attack_epsilon``."""
        return (self * 1).attack_epsilon(delta, rtol=rtol)

    def compare(self, delta: float) -> "Comparison":
        """See ``Run.compare``."""
        return (self * 1).compare(delta)

    def to_dp_accounting(self, interval: float = 1e-4) -> Any:
        """See ``Run.to_dp_accounting``."""
        return (self * 1).to_dp_accounting(interval)


class Run:
    """Rounds of one or several protocols, each chosen adaptively: made by ``protocol * rounds`` and ``+``."""

    def __init__(self, parts: Iterable[tuple[Protocol, int]]) -> None:
        counts: dict[Protocol, int] = {}
        for protocol, rounds in parts:
            counts[protocol] = _validate.count(rounds=counts.get(protocol, 0) + rounds, at_most=MAX_ROUNDS)
        self.parts = list(counts.items())

    def __repr__(self) -> str:
        return " + ".join(f"{protocol} * {rounds:_}" for protocol, rounds in self.parts)

    def __mul__(self, rounds: int) -> "Run":
        rounds = _validate.count(rounds=rounds)
        return Run((protocol, rounds * own) for protocol, own in self.parts)

    __rmul__ = __mul__

    def __add__(self, other: "Protocol | Run") -> "Run":
        if not isinstance(other, (Protocol, Run)):
            return NotImplemented
        return Run([*self.parts, *(other * 1).parts])

    @property
    def pure_epsilon(self) -> float:
        """The eps at delta = 0."""
        return math.fsum(rounds * protocol.pure_epsilon for protocol, rounds in self.parts)

    def epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """The eps of the dominating pair at delta; the upper end is the guarantee.

        ``rtol`` is how far apart the ends may be, relative to the upper one.
        """
        delta, rtol = _validate.open_unit(delta=delta), _tolerance(rtol)
        return _worst([pairs.epsilon(delta, rtol) for pairs in self._both_ways([p.pair for p, _ in self.parts])])

    def delta(self, eps: float, *, rtol: float = 1e-4) -> Bracket:
        """The delta of the dominating pair at eps, in the same way."""
        eps, rtol = _validate.nonnegative(eps=eps), _tolerance(rtol)
        return _worst([pairs.delta(eps, rtol) for pairs in self._both_ways([p.pair for p, _ in self.parts])])

    @property
    def renyi_curve(self) -> RenyiCurve:
        """The Renyi divergence of the dominating pair, summed over rounds, the larger of both directions."""

        def divergence(order: Any) -> Any:
            ways = self._both_ways([protocol.pair for protocol, _ in self.parts])
            return np.max([sum(rounds * pair.divergence(order) for pair, rounds in way.parts) for way in ways], axis=0)

        return RenyiCurve(divergence, limit=self.pure_epsilon)

    def rdp(self, order: ArrayLike) -> Any:
        """The dominating pair's Renyi divergence at one real order above 1, or at an array of them, summed over rounds.

        It is rounded up: a bound for the protocol.
        """
        return self.renyi_curve(order)

    def attack_epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """The eps at delta that the worst known mechanism and data set really have: no analysis can go below it."""
        delta, rtol = _validate.open_unit(delta=delta), _tolerance(rtol)
        kinds = max(len(protocol.attacks) for protocol, _ in self.parts)
        ends = []
        for kind in range(kinds):
            chosen = [protocol.attacks[min(kind, len(protocol.attacks) - 1)] for protocol, _ in self.parts]
            ends += [pairs.epsilon(delta, rtol) for pairs in self._both_ways(chosen)]
        return _worst(ends)

    def compare(self, delta: float) -> "Comparison":
        """Every bound of every paper at delta: its value and source, or why it does not apply."""
        from shufflekit.compare import compare

        return compare(self, _validate.open_unit(delta=delta))

    def to_dp_accounting(self, interval: float = 1e-4) -> Any:
        """The run as a ``PrivacyLossDistribution`` of dp-accounting: see ``shufflekit.interop``."""
        from shufflekit.interop import to_dp_accounting

        return to_dp_accounting(self, interval)

    def _both_ways(self, pairs: Sequence[Pair]) -> list[Composition]:
        """All rounds from P to Q, and all from Q to P, where that is another thing."""
        rounds = [own for _, own in self.parts]
        forth = Composition([Part(pair, own) for pair, own in zip(pairs, rounds, strict=True)])
        back = [pair.reversed() for pair in pairs]
        if back == list(pairs):
            return [forth]
        return [forth, Composition([Part(pair, own) for pair, own in zip(back, rounds, strict=True)])]


def _worst(ends: Sequence[Bracket]) -> Bracket:
    return bracket(max(end.lower for end in ends), max(end.upper for end in ends))


def _tolerance(rtol: float) -> float:
    """A relative width between 1e-8, about what double precision certifies, and 1."""
    rtol = _validate.positive(rtol=rtol)
    if not 1e-8 <= rtol <= 1:
        raise ValueError(f"rtol must be between 1e-8 and 1, got {rtol!r}")
    return rtol
