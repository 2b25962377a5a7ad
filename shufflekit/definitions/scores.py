"""What a protocol is to the rest of the kit: k of N slots report, and what one slot may show.

A message has two *scores*: how many times likelier the changed record is to send it if it is x0, and if it is x1, than
a slot without it. With messages of the k slots drawn from the law of a slot, R, the two laws of what is seen are

    P/R = 1 + (1/N) sum_{i <= k} (t0_i - 1),        Q/R = 1 + (1/N) sum_{i <= k} (t1_i - 1):

the changed record has each place with the chance 1/N, and with the chance 1 - k/N it does not report. So a slot that
stays silent has the scores (1, 1), and adds nothing. [beyond] 1, 3, 4

Numbers are floats, fractions or arb's balls: whoever evaluates a definition says which.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """One kind of message: its chance from a slot without the changed record, and its scores.

    ``u0`` and ``u1`` are ``t0 - 1`` and ``t1 - 1``, written so that they keep their digits where the scores are near 1;
    the scores keep theirs where they are near 0.
    """

    chance: Any
    t0: Any
    t1: Any
    u0: Any
    u1: Any


ScoreLaw = tuple[Kind, ...]
SLACK = 1e-9  # of sums that should be 1


class Definition(NamedTuple):
    """``slots`` of a ``population`` report, and what one of them may show: a law, or the worst of several.

    The last kind of a law is the one that is not counted: what is left of the slots. With a chance of 1 - ``shown``,
    for all to see, nothing about the changed record is shown at all.
    """

    slots: int
    population: Any  # as a rule a whole number
    laws: tuple[ScoreLaw, ...]
    shown: Any = 1

    def mapped(self, number: Callable[[Any], Any]) -> "Definition":
        """The same with another kind of number."""
        return self._replace(laws=_mapped(self.laws, number), shown=number(self.shown))

    def reversed(self) -> "Definition":
        """With x0 and x1 exchanged."""
        return self._replace(laws=tuple(_exchanged(law) for law in self.laws))


class Moves(NamedTuple):
    """What one slot may show where others' data are arbitrary: any of the ``laws``, whichever is worst in its turn.

    ``spares`` are blankets, for when everybody reports and somebody has to make room: the law of the part that all
    records have in common, those outside of it having the scores (0, 0) and the last place. [beyond] 10
    """

    laws: tuple[ScoreLaw, ...]
    spares: tuple[ScoreLaw, ...]
    monotone: bool = False  # whether centred scores are worth no less at a larger alpha, nor divided by it at a smaller

    def mapped(self, number: Callable[[Any], Any]) -> "Moves":
        """The same with another kind of number."""
        return self._replace(laws=_mapped(self.laws, number), spares=_mapped(self.spares, number))

    def reversed(self) -> "Moves":
        """With x0 and x1 exchanged."""
        laws, spares = (tuple(_exchanged(law) for law in laws) for laws in self[:2])
        return self._replace(laws=laws, spares=spares)


class Game(NamedTuple):
    """``slots`` of a ``population`` report, a slot at a time, by one of the ``moves``: the worst of these. [beyond] 9

    With a ``rate`` below 1 each slot reports with that chance, by its own coin; how many did is seen. [beyond] 11
    ``replaced``: the changed record takes the place of one whom everybody knows, so nobody need make room; then the
    population need not be a whole number. [beyond] 14
    ``symmetric``: with each of the moves there is also the one with x0 and x1 exchanged, but for round-off.
    """

    slots: int
    population: Any
    moves: tuple[Moves, ...]
    rate: Any = 1
    replaced: bool = False
    symmetric: bool = False

    def mapped(self, number: Callable[[Any], Any]) -> "Game":
        """The same with another kind of number; everybody reports still where everybody does."""
        rate = self.rate if self.rate == 1 else number(self.rate)
        return self._replace(moves=tuple(one.mapped(number) for one in self.moves), rate=rate)

    def reversed(self) -> "Game":
        """With x0 and x1 exchanged."""
        return self._replace(moves=tuple(one.reversed() for one in self.moves))


class Lottery(NamedTuple):
    """A game of random check-ins: each of the ``clients`` comes with the chance ``rate/slots`` to each slot.

    A slot takes one of those who came.

    With ``dummies`` it is seen which slots only dummies and the changed record come to, and it takes a slot more likely
    if it is one of these [beyond] 15; else how many slots take a client at all, and not which [beyond] 16.
    """

    slots: int
    clients: int
    rate: Any
    moves: Moves
    dummies: bool


class Mixture(NamedTuple):
    """One of several definitions, by a draw of these chances that is seen; or nothing is shown, if they leave room."""

    parts: tuple[Definition, ...]
    chances: tuple[Any, ...]


class Least(NamedTuple):
    """Several definitions, each of which bounds the protocol: the least of their profiles does. [beyond] 15"""

    bounds: tuple[Game | Lottery, ...]


class Lognormal(NamedTuple):
    """All of n records are 0 but the changed one, which is 1; each gets Gaussian noise of deviation ``sigma``.

    The law of scores is not finite: a message t has ``exp((t - 1/2)/sigma^2)`` and 1. [koskela2023] Sec 5
    """

    sigma: float
    slots: int


def kind(chance: Any, u0: Any, u1: Any) -> Kind:
    """A kind of message by how much its scores exceed 1; right for scores that are 0, 1/2 or more."""
    return Kind(chance, 1 + u0, 1 + u1, u0, u1)


def _mapped(laws: tuple[ScoreLaw, ...], number: Callable[[Any], Any]) -> tuple[ScoreLaw, ...]:
    return tuple(tuple(Kind(*map(number, kind)) for kind in law) for law in laws)


def _exchanged(law: ScoreLaw) -> ScoreLaw:
    return tuple(Kind(chance, t1, t0, u1, u0) for chance, t0, t1, u0, u1 in law)


def checked(definition: Definition) -> Definition:
    """The definition, if its chances sum to 1 and its scores have the mean 1: else it describes no two laws.

    For numbers that can be compared: floats or fractions.
    """
    if not 1 <= definition.slots <= definition.population:
        raise ValueError(f"slots must be from 1 to the population of {definition.population:,}, got {definition.slots}")
    if not definition.laws:
        raise ValueError("laws must hold at least one law of scores, got none")
    if not 0 <= definition.shown <= 1:
        raise ValueError(f"shown must be a chance from 0 to 1, got {definition.shown!r}")
    for law in definition.laws:
        if not all(one.chance >= 0 and one.t0 >= 0 and one.t1 >= 0 for one in law):
            raise ValueError(f"laws must have chances and scores of 0 or above, got {law!r}")
        for name, total in (
            ("chances", sum(one.chance for one in law)),
            ("chances times t0", sum(one.chance * one.t0 for one in law)),
            ("chances times t1", sum(one.chance * one.t1 for one in law)),
        ):
            if not abs(total - 1) <= SLACK:
                raise ValueError(f"laws must have {name} that sum to 1, got {float(total):.12g}")
    return definition
