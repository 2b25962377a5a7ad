"""Random check-ins: each client picks a slot of a training run by herself, and a slot takes one of those who came.

[balle2020] Algorithms 1 and A_sldw; their averaging is ``ShuffledCheckIn``: what a slot shows of all who came says no
more than all messages shuffled, with who came by her own coin.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from shufflekit import _validate, definitions
from shufflekit.definitions import Definition, Game, Least, Lottery, Mixture, empty_slots, growth, stretches
from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.bounds import CheckIns
from shufflekit.protocols.frozen import settle, shown
from shufflekit.protocols.run import Protocol
from shufflekit.protocols.shuffle import MAX_N

MAX_SLOTS = 10**8
EMPTY = ("dummy", "skipped")
BINARY = ("binary randomized response, the others and the dummy at one value", "balle2020", "exact law")
TERNARY = ("3-ary randomized response, the others and the dummy at a third value", "beyond", "exact law")
FEW = 5_000  # slots
NUMBERS = 24  # of slots that are taken, that an attacker tells apart: he may throw some answers away


class _CheckedIn(Protocol):
    """What check-ins have in common: others alike are the worst data known, under either randomized response."""

    eps0: float

    @property
    def attacks(self) -> Sequence[Attack]:
        ternary = Attack(*TERNARY, partial(self._attacked, 3))
        # Of a crowd, two values reveal less than three beyond E = 2; of few slots they may reveal more.
        if self.eps0 > math.log(2) and self._slots > FEW:
            return (ternary,)
        return Attack(*BINARY, partial(self._attacked, 2)), ternary

    def reports(self) -> CheckIns:
        return CheckIns(self)

    @property
    def local_limit(self) -> float:
        return self.eps0

    @property
    @abstractmethod
    def _slots(self) -> int:
        """How many there are for a client to pick from."""

    @abstractmethod
    def _attacked(self, k: int, number: Callable[[float], Any]) -> Definition | Mixture:
        """What k-ary randomized response shows."""


@dataclass(frozen=True, repr=False)
class RandomCheckIn(_CheckedIn):
    """One epoch: each client comes with probability ``participation`` to one of the slots, which she picks at random;
    each slot takes one of those who came, at random, and shows that client's eps0-LDP answer.

    An empty slot shows an answer made for a dummy record, so that nobody sees that it was empty, or it is "skipped",
    and all see it. Without ``clients`` nothing is assumed of how many there are, and slots must have dummies.

    Formal guarantees. Neighbouring data sets differ in one record. The upper ends hold for all data and every eps0-LDP
    randomizer, one a slot, also when each slot's is chosen after seeing what the earlier slots showed; rounds are
    epochs with fresh check-ins. Protected is a client against whoever sees the models, that is all slots' answers, and
    not against the server, which sees who comes when: against it there is eps0 and no more. A client who stays away by
    a coin of her own is one of a smaller ``participation``; whether she comes must not depend on her data (where empty
    slots are skipped, coming is seen).
    """

    eps0: float
    slots: int
    clients: int | None = None
    participation: float = 1.0
    empty: str = EMPTY[0]

    def __post_init__(self) -> None:
        clients = None if self.clients is None else _validate.count(clients=self.clients, at_most=MAX_N)
        empty = _validate.choice(EMPTY, empty=self.empty)
        if clients is None and empty == "skipped":
            raise ValueError("clients must be given where empty slots are skipped: of one client all would be seen")
        settle(
            self,
            eps0=_validate.local_eps(eps0=self.eps0),
            slots=_validate.count(slots=self.slots, at_most=MAX_SLOTS),
            clients=clients,
            participation=_validate.rate(participation=self.participation),
            empty=empty,
        )

    def __repr__(self) -> str:
        parts = [f"eps0={shown(self.eps0)}", f"slots={self.slots:_}"]
        parts += [f"clients={self.clients:_}"] if self.clients is not None else []
        parts += [f"participation={shown(self.participation)}"] if self.participation < 1 else []
        parts += [f"empty={self.empty!r}"] if self.empty != EMPTY[0] else []
        return f"RandomCheckIn({', '.join(parts)})"

    def define(self, number: Callable[[float], Any] = float) -> Game | Lottery | Least:
        bounds = [bound(number) for bound in self.bounds.values()]
        return bounds[0] if len(bounds) == 1 else Least(tuple(bounds))

    @property
    def bounds(self) -> dict[str, Callable[[Callable[[float], Any]], Game | Lottery]]:
        """What is known of it, each good for all data: the least counts."""
        found: dict[str, Callable[[Callable[[float], Any]], Game | Lottery]] = {}
        if self.empty == EMPTY[0]:
            found["replacement, any number of clients"] = self._replaced
        if self.clients is not None and self.empty == EMPTY[0]:
            found["replacement, empty slots told"] = partial(self._lottery, True)
        if self.clients is not None:
            found["clients sampled for the slots"] = partial(self._lottery, False)
        return found

    @property
    def _slots(self) -> int:
        return self.slots

    def _replaced(self, number: Callable[[float], Any]) -> Game:
        """No slot is hers with more than p0/m. [beyond] 15"""
        moves = definitions.corners(growth(number(self.eps0)))
        return Game(self.slots, self.slots / number(self.participation), (moves,), replaced=True)

    def _lottery(self, dummies: bool, number: Callable[[float], Any]) -> Lottery:
        moves = definitions.corners(growth(number(self.eps0)))
        return Lottery(self.slots, self.clients or 1, number(self.participation), moves, dummies)

    def _attacked(self, k: int, number: Callable[[float], Any]) -> Definition | Mixture:
        """All others alike: then she is as likely to be in any slot, or in any of those that took somebody."""
        law, n = definitions.response(growth(number(self.eps0)), k), self.clients or 1
        if self.empty == EMPTY[0]:
            # Somebody comes to a slot with this chance, and then it is she with 1/n.
            chance = self.participation / self.slots
            some = -math.expm1(n * math.log1p(-chance)) if chance < 1 else 1.0
            return Definition(self.slots, number(max(n / some, float(self.slots))), (law,))
        return self._skipped(law, n)

    def _skipped(self, law: definitions.ScoreLaw, n: int) -> Mixture:
        empty = empty_slots(n, self.slots, self.participation)
        taken, kept = self.slots - empty.number, empty.chance > 0
        taken, chance = taken[kept & (taken > 0)], empty.chance[kept & (taken > 0)]
        numbers = stretches(taken, chance, NUMBERS)
        parts = [Definition(int(taken[part].min()), n, (law,)) for part in numbers]
        chances = [float(chance[part].sum()) for part in numbers]
        return Mixture(tuple(parts), tuple(chances))


@dataclass(frozen=True, repr=False)
class SlidingCheckIn(_CheckedIn):
    """One run in which clients arrive one after the other, and each picks one of the ``window`` slots from her own on.

    There are clients + window - 1 slots, each of which takes one of those who came, and empty ones show a dummy's
    answer. The guarantee covers the first and the last clients, too, to whose slots fewer come; it needs no number of
    clients, and uses none.

    Formal guarantees. As for ``RandomCheckIn``.
    """

    eps0: float
    window: int
    clients: int

    def __post_init__(self) -> None:
        settle(
            self,
            eps0=_validate.local_eps(eps0=self.eps0),
            window=_validate.count(window=self.window, at_most=MAX_SLOTS),
            clients=_validate.count(clients=self.clients, at_most=MAX_N),
        )

    def __repr__(self) -> str:
        return f"SlidingCheckIn(eps0={shown(self.eps0)}, window={self.window:_}, clients={self.clients:_})"

    def define(self, number: Callable[[float], Any] = float) -> Game:
        moves = definitions.corners(growth(number(self.eps0)))
        return Game(self.window, self.window, (moves,), replaced=True)  # [beyond] 15, 18

    @property
    def _slots(self) -> int:
        return self.window

    def _attacked(self, k: int, number: Callable[[float], Any]) -> Definition:
        """The first client: slot i is hers with the chance ``(1 - (1 - 1/m)^i)/i``, which falls.

        The attacker looks at the first m slots, and blurs their answers until all are as likely hers as the last: i
        times its chance squared grows up to there.
        """
        m, come = self.window, min(self.window, self.clients)
        own = -math.expm1(come * math.log1p(-1 / m)) / come if m > 1 else 1.0
        population = max(1 / own, float(m))  # never fewer than the slots, but for round-off
        return Definition(m, number(population), (definitions.response(growth(number(self.eps0)), k),))
