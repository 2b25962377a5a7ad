"""A pair of laws listed outcome by outcome, by its privacy losses."""

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

    def shifted(self) -> "Atoms":
        """Losses counted from the origin, P-masses kept: Q is no longer a probability, and the origin is 0."""
        return self._replace(loss=self.loss - self.origin, log_q=self.log_q + self.origin, origin=0.0)


class Enclosure(NamedTuple):
    """Two listed pairs: the true one lies between them, at every alpha and so also composed."""

    lower: Atoms
    upper: Atoms
