"""What a pair of laws (P, Q) is to the rest of the kit: a profile, and a list of atoms from either side."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from shufflekit._validate import Array


class Atoms(NamedTuple):
    """A pair (P, Q): losses ``log(P/Q)`` in rising order and the logarithm of Q at each.

    ``missing`` bounds the P-mass that is not listed: an upper end takes it to be at infinite loss, a lower end leaves
    it out. ``infinite`` is the P-mass where Q has none, and ``error`` bounds the relative error of every mass. Where
    the losses lie nearly on a lattice, ``spacing`` is the distance of its points and ``origin`` is one of them.
    """

    loss: Array
    log_q: Array
    missing: float = 0.0
    infinite: float = 0.0
    error: float = 0.0
    spacing: float = 0.0
    origin: float = 0.0

    def reversed(self) -> "Atoms":
        """The pair (Q, P), for a pair without infinite losses."""
        if self.infinite:
            raise ValueError("a pair with infinite losses has no listed reverse")
        loss, log_q = -self.loss[::-1], (self.log_q + self.loss)[::-1]
        return self._replace(loss=loss, log_q=log_q, origin=-self.origin)


class Laws(NamedTuple):
    """Two listed pairs: the true one lies between them, at every alpha and so also composed."""

    lower: Atoms
    upper: Atoms


class Ends(NamedTuple):
    """Certified lower and upper ends of many numbers at once."""

    lower: Array
    upper: Array


class Pair(ABC):
    """Two laws that stand for a protocol, P with the changed record and Q without."""

    lists_closer = True  # whether ``laws`` at a smaller rtol are closer to each other

    @property
    @abstractmethod
    def largest_loss(self) -> float:
        """A number no loss exceeds; infinity if there is none."""

    @abstractmethod
    def delta(self, eps: Array, rtol: float = 1e-4, log_cut: float | None = None) -> Ends:
        """``H_{e^eps}(P||Q) = E_P[(1 - e^{eps - loss})_+]`` of one round, at an array of eps >= 0.

        ``rtol`` is how far apart the ends should be, told in terms of eps; ``e^log_cut`` is what may be left out.
        """

    @abstractmethod
    def laws(self, log_cut: float, rtol: float = 1e-4) -> Laws:
        """The pair as atoms, with about ``e^log_cut`` of P's mass missing at most, and the two about rtol apart."""

    @abstractmethod
    def reversed(self) -> "Pair":
        """The pair (Q, P); the same one where the two directions agree."""

    def log_moment_bound(self, power: float) -> float:
        """A number that ``log E_P[e^{power loss}]`` does not exceed, which need not be close."""
        return power * self.largest_loss

    def divergence(self, orders: Array) -> Array:
        """The Renyi divergence ``D_order(P||Q)`` of one round at an array of real orders above 1, rounded up."""
        from shufflekit.dominating_pairs.divergence import listed_divergence

        return listed_divergence(self, orders)
