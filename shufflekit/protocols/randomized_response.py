"""Shuffled k-ary randomized response against two adversaries [koskela2023] Sec 4."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shufflekit import _validate, definitions
from shufflekit.definitions import Definition, growth
from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.bounds import Reports
from shufflekit.protocols.frozen import NOT_GIVEN, settle, shown
from shufflekit.protocols.run import Origin, Protocol
from shufflekit.protocols.shuffle import MAX_N

VIEWS = ("strong", "weak", "clones")


@dataclass(frozen=True, repr=False)
class RandomizedResponseShuffle(Protocol):
    """One round: n clients each tell the truth with probability 1 - gamma, and else one of k values at random.

    ``gamma`` may be given as ``eps0``: e^eps0 = (k (1 - gamma) + gamma)/gamma. ``view`` is the adversary: "strong" sees
    who of all clients, the changed one included, answered at random [koskela2023] Def 12; "weak" sees that of the
    others [koskela2023] Def 14; "clones" is the bound for every eps0-LDP randomizer.

    Formal guarantees. The strong and the weak view are exact for their adversary, hence bounds for the shuffler, which
    shows less. Neighbouring data sets differ in one record.
    """

    k: int
    eps0: float = NOT_GIVEN
    n: int = NOT_GIVEN
    gamma: float = field(default=NOT_GIVEN, kw_only=True, compare=False)
    view: str = field(default="weak", kw_only=True)

    def __post_init__(self) -> None:
        k, eps0, gamma = _validate.count(k=self.k, at_least=2, at_most=MAX_N), self.eps0, self.gamma
        if (eps0 is None) == (gamma is None):
            raise ValueError(f"give exactly one of eps0 and gamma, got eps0={eps0!r} and gamma={gamma!r}")
        if gamma is not None:
            given, gamma = gamma, _validate.open_unit(gamma=gamma)
            eps0 = _local_eps(k, gamma)
            if eps0 > _validate.LARGEST_EPS0:
                raise ValueError(f"gamma must make eps0 at most {_validate.LARGEST_EPS0}, got {given!r}")
        eps0 = _validate.local_eps(eps0=eps0)
        settle(
            self,
            k=k,
            eps0=eps0,
            gamma=k / (math.expm1(eps0) + k) if gamma is None else gamma,
            n=_validate.count(n=self.n, at_most=MAX_N),
            view=_validate.choice(VIEWS, view=self.view),
        )

    def __repr__(self) -> str:
        exact = 0 < self.gamma < 1 and _local_eps(self.k, self.gamma) == self.eps0
        level = f"gamma={shown(self.gamma)}" if exact else f"eps0={shown(self.eps0)}"
        return f"RandomizedResponseShuffle(k={self.k}, {level}, n={self.n:_}, view={self.view!r})"

    def define(self, number: Callable[[float], Any] = float) -> Definition:
        x = growth(number(self.eps0))
        if self.view == "clones":
            return Definition(self.n, self.n, (definitions.clones(x),))
        if self.view == "weak":
            return Definition(self.n, self.n, (definitions.weak_view(x, self.k),))
        return Definition(self.n, self.n, (definitions.strong_view(x, self.k),), definitions.truthful(x, self.k))

    @property
    def attacks(self) -> Sequence[Attack]:
        def define(number: Callable[[float], Any]) -> Definition:
            return Definition(self.n, self.n, (definitions.response(growth(number(self.eps0)), self.k),))

        shuffled = Attack("the mechanism itself, all others equal", "beyond", "exact law", define)
        if self.view == "clones":
            return (shuffled,)
        return Attack(f"the {self.view} adversary itself", "koskela2023", "exact law", self.define), shuffled

    @property
    def origin(self) -> Origin:
        return Origin("koskela2023")

    def reports(self) -> Reports:
        if self.view != "clones":
            raise ValueError(f"is about what the shuffler shows, and the {self.view} adversary sees more")
        return Reports(self.eps0, self.n, self.n)


def _local_eps(k: int, gamma: float) -> float:
    return math.log1p(k * (1 - gamma) / gamma)
