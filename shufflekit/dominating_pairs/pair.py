"""What a pair of laws (P, Q) is to the rest of the kit: a profile, and a list of atoms from either side."""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shufflekit._validate import Array
from shufflekit.accuracy import NO_LOSS, RENYI_ERROR, RENYI_UNLISTED
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.bracket import Ends
from shufflekit.convex_order import profile
from shufflekit.divergences import log_renyi_moment

LOG_CUTS = (-60.0, -120.0, -240.0, -480.0, -740.0)  # how far a pair is listed for a Renyi moment, until it is enough


LEFT_OUT = 8.0


def in_steps(log_cut: float) -> float:
    """A little less: what is left out goes in steps, so that lists serve again."""
    return LEFT_OUT * math.floor(log_cut / LEFT_OUT)


class Aim(NamedTuple):
    """What many rounds need of one round's list: ``e^{tilt loss}`` makes the losses typical that matter, and knots
    there may be so far ``apart``."""

    tilt: float
    apart: float


class Pair(ABC):
    """Two laws that stand for a protocol, P with the changed record and Q without."""

    closest = 1e-6  # an rtol: ``listed`` at a smaller one costs too much, or gives no closer ends
    costly = False  # to list: of a delta so small that nobody asks, only a bound is looked for
    one_sided = False  # whether both ends are from above: then those of two lists need not bound one number

    @property
    def guide(self) -> "Pair | None":
        """A pair that has a like curve and costs little, for a pair that costs much."""
        return None

    @property
    @abstractmethod
    def largest_loss(self) -> float:
        """A number no loss exceeds; infinity if there is none."""

    @property
    def largest_finite_loss(self) -> float:
        """A number that no loss exceeds but infinite ones: from there on delta falls no more."""
        return self.largest_loss

    @property
    def infinite(self) -> float:
        """Of P's mass where Q has none, what is known beforehand: no eps brings delta below it."""
        return 0.0

    @abstractmethod
    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        """``H_{e^eps}(P||Q) = E_P[(1 - e^{eps - loss})_+]`` of one round, at an array of eps >= 0.

        ``rtol`` is how far apart the ends should be, in terms of eps; ``e^log_cut`` is what may be left out.
        """

    @abstractmethod
    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        """The pair as atoms, with about ``e^log_cut`` of P's mass missing at most, and the two about rtol apart."""

    def listed_for(self, aim: Aim, log_cut: float, rtol: float) -> Enclosure:
        """The same, closest at those losses that matter to many rounds, if the pair knows how, without ``rtol``."""
        return self.listed(log_cut, rtol)

    @abstractmethod
    def reversed(self) -> "Pair":
        """The pair (Q, P); the same one where the two directions agree."""

    def log_moment_bound(self, power: float) -> float:
        """A number that ``log E_P[e^{power loss}]`` does not exceed, which need not be close."""
        return power * self.largest_loss

    def divergence(self, orders: Array) -> Array:
        """The Renyi divergence ``D_order(P||Q)`` of one round at an array of real orders above 1, rounded up."""
        if self.guide is None:
            return self._divergence(orders, LOG_CUTS)[0]
        about, cuts = self.guide._divergence(orders, LOG_CUTS)
        while len(cuts) > 1 and not self._complete(about, orders, cuts[0]):
            cuts = cuts[1:]
        return self._divergence(orders, cuts)[0]

    def _complete(self, about: Array, orders: Array, log_missing: float) -> bool:
        """Whether lists that leave so much out are enough for these orders, if the divergence is about this."""
        few = Atoms(np.zeros(1), np.zeros(1), math.exp(log_missing))
        return all(
            math.isinf(value) or self._listed_divergence(few, (order - 1) * value, order, log_missing)[1]
            for value, order in zip(about.ravel().tolist(), orders.ravel().tolist(), strict=True)
        )

    def _divergence(self, orders: Array, log_cuts: tuple[float, ...]) -> tuple[Array, tuple[float, ...]]:
        """The bound, listed ever farther, and how far that was, and might have been."""
        bound = np.full(orders.shape, max(self.largest_loss, sys.float_info.min))
        left, cuts = np.ones(orders.shape, dtype=bool), log_cuts
        for i, log_cut in enumerate(log_cuts if self.largest_loss > NO_LOSS else ()):
            cuts, atoms = log_cuts[i:], _upper(self, log_cut)
            if atoms.infinite:
                return np.full(orders.shape, np.inf), cuts
            moments = log_renyi_moment(atoms.loss, atoms.log_q, orders[left])
            for at, listed in zip(map(tuple, np.argwhere(left)), moments, strict=True):
                value, complete = self._listed_divergence(atoms, float(listed), float(orders[at]), log_cut)
                bound[at], left[at] = min(bound[at], value), not complete
            if not left.any():
                break
        return bound, cuts

    def _listed_divergence(self, atoms: Atoms, listed: float, order: float, log_cut: float) -> tuple[float, bool]:
        """A bound from the moment of a list that leaves something out, and whether that hardly matters."""
        log_missing = math.log(atoms.missing) if atoms.missing else -math.inf
        # Nothing has a larger loss than the largest; and E[X; A]^2 <= E[X^2] Pr[A].
        most = min((order - 1) * self.largest_loss, (self.log_moment_bound(2 * (order - 1)) - log_missing) / 2)
        # Q's mass that is not listed has a likelihood ratio near 0: it counts order - 1 times.
        unlisted = np.logaddexp(most + log_missing, math.log(2 * (order - 1)) + np.logaddexp(log_missing, log_cut))
        total = float(np.logaddexp(listed, unlisted))
        value = max(0.0, total) / (order - 1) * (1 + RENYI_ERROR + atoms.error)
        return value, total - listed <= RENYI_UNLISTED * total


@lru_cache(maxsize=20)  # a search over the order asks again and again
def _upper(pair: Pair, log_cut: float) -> Atoms:
    return pair.listed(log_cut).upper


def both_ways(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """The pairs of all rounds from P to Q, and from Q to P where that is something else: the worse one counts."""
    forth, back = list(pairs), [pair.reversed() for pair in pairs]
    return [forth] if back == forth else [forth, back]


class ListedPair(Pair):
    """A pair that is given by its atoms, or by two lists that it lies between."""

    closest = 1.0

    def __init__(self, known: Atoms | Enclosure) -> None:
        self.known = Enclosure(known, known) if isinstance(known, Atoms) else known

    @property
    def largest_loss(self) -> float:
        return math.inf  # what is missing may have any loss, and the losses themselves are rounded

    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        lower, upper = self.known
        least = profile(lower._replace(missing=0.0), eps) * (1 - lower.error)
        return Ends(least, np.minimum(profile(upper, eps) * (1 + upper.error), 1.0))

    def listed(self, log_cut: float, rtol: float = 1e-4) -> Enclosure:
        return self.known

    def reversed(self) -> "ListedPair":
        return ListedPair(Enclosure(*(atoms.reversed() for atoms in self.known)))
