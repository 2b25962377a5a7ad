"""Shuffled k-ary randomized response against two adversaries [koskela2023] Sec 4."""

import math
from collections.abc import Sequence
from typing import Any

from shufflekit import _validate
from shufflekit.dominating_pairs import BinaryResponse, Pair, clones, strong_view, ternary_response, weak_view
from shufflekit.protocols.run import Protocol
from shufflekit.protocols.shuffle import MAX_N

VIEWS = ("strong", "weak", "clones")


class RandomizedResponseShuffle(Protocol):
    """One round: n clients each tell the truth with probability 1 - gamma, and else one of k values at random.

    ``gamma`` may be given as ``eps0``: e^eps0 = (k (1 - gamma) + gamma)/gamma. ``view`` is the adversary: "strong" sees
    who of all clients, the changed one included, answered at random [koskela2023] Def 12; "weak" sees that of the
    others [koskela2023] Def 14; "clones" is the bound for every eps0-LDP randomizer.

    Formal guarantees. The strong and the weak view are exact for their adversary, hence bounds for the shuffler, which
    shows less. Neighbouring data sets differ in one record.
    """

    def __init__(
        self, k: int, eps0: float | None = None, n: int | None = None, *, gamma: float | None = None, view: str = "weak"
    ) -> None:
        self.k = _validate.count(k=k, at_least=2, at_most=MAX_N)
        if (eps0 is None) == (gamma is None):
            raise ValueError(f"give exactly one of eps0 and gamma, got eps0={eps0!r} and gamma={gamma!r}")
        if gamma is not None:
            gamma = _validate.open_unit(gamma=gamma)
            eps0 = math.log1p(self.k * (1 - gamma) / gamma)
        self.eps0 = _validate.local_eps(eps0=eps0)
        self.gamma = self.k / (math.expm1(self.eps0) + self.k) if gamma is None else gamma
        self.n = _validate.count(n=n, at_most=MAX_N)
        self.view = _validate.choice(VIEWS, view=view)

    def __repr__(self) -> str:
        return f"RandomizedResponseShuffle(k={self.k}, gamma={self.gamma:g}, n={self.n:_}, view={self.view!r})"

    def _key(self) -> tuple[Any, ...]:
        return self.k, self.eps0, self.n, self.view

    @property
    def pair(self) -> Pair:
        if self.view == "clones":
            return clones(self.eps0, self.n, self.n)
        return (strong_view if self.view == "strong" else weak_view)(self.k, self.eps0, self.n)

    @property
    def attacks(self) -> Sequence[Pair]:
        if self.k == 2:
            return (BinaryResponse(self.eps0, self.n, self.n),)
        return (ternary_response(self.eps0, self.n, self.n, k=self.k),)
