"""Rounds of protocols, and the questions that can be asked of them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit.bracket import LEAST_DELTA, LEAST_EPS, Bracket, Reached, said
from shufflekit.definitions import Definition, Game, Least, Lognormal, Lottery, NoisyMean
from shufflekit.dominating_pairs import Pair, pair_of
from shufflekit.interop import to_dp_accounting
from shufflekit.protocols import answers
from shufflekit.protocols.answers import RTOL
from shufflekit.protocols.attacks import Attack, worst
from shufflekit.protocols.bounds import CheckIns, Reports, ShuffledCheckIns, registered
from shufflekit.protocols.comparison import Comparison, Row, in_order, once, row_of
from shufflekit.renyi import RenyiCurve

MAX_ROUNDS = 10**12  # of one protocol
OWN_PAIR = "this protocol's own pair, composed numerically"
PURE = "each round eps0-DP, sampled; eps adds up (delta = 0)"
NOT_LOCAL = "needs reports that are eps0-LDP"


class Origin(NamedTuple):
    """Where a protocol's own pair comes from, and for which data it holds, if not for all."""

    source: str
    remark: str = ""


class Questions(ABC):
    """What can be asked of one round of a protocol or of many of several."""

    # A product with one of numpy's numbers is left to ``__rmul__``: numpy would make arrays of runs.
    __array_ufunc__ = None

    @property
    @abstractmethod
    def parts(self) -> tuple[tuple["Protocol", int], ...]:
        """The protocols and how many rounds of each."""

    def __mul__(self, rounds: int) -> "Run":
        rounds = _validate.count(rounds=rounds)
        return Run((protocol, rounds * own) for protocol, own in self.parts)

    __rmul__ = __mul__

    def __add__(self, other: "Questions") -> "Run":
        if not isinstance(other, Questions):
            return NotImplemented
        return Run([*self.parts, *other.parts])

    @property
    def pure_epsilon(self) -> float:
        """The eps at delta = 0."""
        return math.fsum(rounds * protocol.largest_loss for protocol, rounds in self.parts)

    def epsilon(self, delta: float, *, rtol: float = RTOL) -> Bracket:
        """The least eps at which all rounds are (eps, delta)-private: the worst case of this protocol is in here.

        An attack really reaches the lower end, and the upper one is guaranteed. Both are certified, whatever their
        distance. Each aims to be within a part ``rtol`` of what it stands for (docs/accuracy.md: where it
        is not); what is left between them is what nobody knows.

        >>> from shufflekit import Shuffle
        >>> run = Shuffle(eps0=2.0, n=1_000) * 10
        >>> run.epsilon(delta=1e-6)
        Bracket(lower=1.27..., upper=1.28...)
        """
        delta, rtol = _validate.open_unit(delta=delta), _tolerance(rtol)
        return answers.epsilon(self, delta, rtol).answer(rtol)

    def delta(self, eps: float, *, rtol: float = RTOL) -> Bracket:
        """The least delta at which all rounds are (eps, delta)-private, in the same way.

        >>> from shufflekit import Shuffle
        >>> Shuffle(eps0=2.0, n=1_000).delta(eps=0.5)
        Bracket(lower=..., upper=...)
        """
        eps, rtol = _validate.nonnegative(eps=eps), _tolerance(rtol)
        return answers.delta(self, eps, rtol).answer(rtol)

    def guarantee(self, delta: float, *, rtol: float = RTOL) -> Bracket:
        """The eps at delta of the dominating pair of all rounds, both ends of it; the upper one is that of ``epsilon``.

        It takes no attacks, and less time.

        >>> from shufflekit import Shuffle
        >>> (Shuffle(eps0=2.0, n=1_000, reduction="clones") * 10).guarantee(delta=1e-6)
        Bracket(lower=1.351..., upper=1.351...)
        """
        delta, rtol = _validate.open_unit(delta=delta), _tolerance(rtol)
        return said(answers.guaranteed_epsilon(self, delta, rtol), rtol, LEAST_EPS)

    @property
    def renyi_curve(self) -> RenyiCurve:
        """The Renyi divergence of the dominating pair, summed over rounds, the larger of both directions."""
        ways = answers.composition(self).both_ways()

        def divergence(order: Any) -> Any:
            return np.max([way.divergence(order) for way in ways], axis=0)

        return RenyiCurve(divergence, limit=self.pure_epsilon)

    def rdp(self, order: ArrayLike) -> Any:
        """The dominating pair's Renyi divergence at one real order above 1, or at an array of them, summed over rounds.

        It is rounded up: a bound for the protocol.

        >>> from shufflekit import Shuffle
        >>> print(f"{Shuffle(eps0=2.0, n=1_000).rdp(order=8):.5f}")
        0.03...
        """
        return self.renyi_curve(order)

    def attack_epsilon(self, delta: float, *, rtol: float = RTOL) -> Reached:
        """The eps at delta that the worst known mechanism and data set really have, and its name.

        No analysis can go below it.

        >>> from shufflekit import Shuffle
        >>> Shuffle(eps0=2.0, n=1_000).attack_epsilon(delta=1e-6)
        Reached(lower=0.37197..., upper=0.37197..., name='3-ary randomized response, all others at the third value')
        """
        delta, rtol = _validate.open_unit(delta=delta), _tolerance(rtol)
        return said(answers.reached_epsilon(self, delta, rtol), rtol, LEAST_EPS)

    def attack_delta(self, eps: float, *, rtol: float = RTOL) -> Reached:
        """The delta at eps that the worst known mechanism and data set really have, in the same way."""
        eps, rtol = _validate.nonnegative(eps=eps), _tolerance(rtol)
        return said(answers.reached_delta(self, eps, rtol), rtol, LEAST_DELTA)

    def compare(self, delta: float) -> Comparison:
        """Every bound of every paper at delta: its value and source, or why it does not apply; then the attacks."""
        delta = _validate.open_unit(delta=delta)
        uppers = [*once(self._own_rows(delta), self._rows_of_papers(delta), 3 * RTOL), self._pure_row()]
        return in_order(f"{self * 1} at delta = {delta:g}", uppers, self._attack_rows(delta))

    def to_dp_accounting(self, interval: float = 1e-4) -> Any:
        """The rounds as a ``PrivacyLossDistribution`` of dp-accounting: see ``shufflekit.interop``."""
        return to_dp_accounting(answers.composition(self), interval)

    def _own_rows(self, delta: float) -> list[Row]:
        """The rounds' own pairs, where they are not those that a registered bound is about."""
        origins = [protocol.origin for protocol, _ in self.parts if protocol.origin is not None]
        if not origins:
            return []
        source, remark = (", ".join(dict.fromkeys(filter(None, column))) for column in zip(*origins, strict=True))
        return [Row("upper", OWN_PAIR, source, self.guarantee(delta).upper, remark)]

    def _rows_of_papers(self, delta: float) -> list[Row]:
        rows = (row_of(bound, self.parts, delta) for bound in registered())
        return [row for row in rows if row is not None]

    def _pure_row(self) -> Row:
        if self.pure_epsilon == math.inf:
            return Row("upper", PURE, "ullman2017", None, f"does not apply: {NOT_LOCAL}")
        # No shuffle of eps0-LDP reports tells more than eps0; a pair's largest loss has been rounded up.
        largest = [min(protocol.largest_loss, protocol.local_limit) for protocol, _ in self.parts]
        eps = math.fsum(own * most for most, (_, own) in zip(largest, self.parts, strict=True))
        return Row("upper", PURE, "ullman2017", eps)

    def _attack_rows(self, delta: float) -> list[Row]:
        """What is really reached, kind by kind."""
        rows = []
        for one in answers.attacked(self):
            reached = worst([one], lambda way, near: way.epsilon(delta, near), RTOL)
            rows.append(Row("lower", one.name, one.source, reached.lower, one.remark))
        return rows


class Protocol(Questions):
    """One round of something; immutable. What it shows of one record is said by its definition."""

    @property
    def parts(self) -> tuple[tuple["Protocol", int], ...]:
        return ((self, 1),)

    @abstractmethod
    def define(
        self, number: Callable[[float], Any] = float
    ) -> Definition | Game | Lottery | Least | Lognormal | NoisyMean:
        """The definition, in floats, or with every parameter turned into another kind of number first."""

    @property
    @abstractmethod
    def attacks(self) -> Sequence[Attack]:
        """What real mechanisms show of one record in real data sets; no analysis of the protocol can go below any."""

    @property
    def pair(self) -> Pair:
        """The pair that dominates the protocol; where (Q, P) is another pair, both count."""
        return pair_of(self.define())

    @property
    def largest_loss(self) -> float:
        """The eps of one round at delta = 0."""
        return max(self.pair.largest_loss, self.pair.reversed().largest_loss)

    @property
    def origin(self) -> Origin | None:
        """Where the protocol's own pair comes from; None where a registered bound is about just that pair."""
        return Origin("beyond")

    def reports(self) -> Reports | ShuffledCheckIns | CheckIns:
        """What bounds of papers may be asked about; a ``ValueError`` says why they may not."""
        raise ValueError(NOT_LOCAL)

    @property
    def local_limit(self) -> float:
        """The local eps0 of the reports, where nothing but their shuffle is seen."""
        try:
            reports = self.reports()
        except ValueError:
            return math.inf
        return reports.eps0 if isinstance(reports, Reports) else math.inf


class Run(Questions):
    """Rounds of one or several protocols, chosen adaptively: made by ``protocol * rounds`` and ``+``; immutable."""

    __slots__ = ("_parts",)
    _parts: tuple[tuple[Protocol, int], ...]

    def __init__(self, parts: Iterable[tuple[Protocol, int]]) -> None:
        counts: dict[Protocol, int] = {}
        for protocol, own in parts:
            if not isinstance(protocol, Protocol):
                raise TypeError(f"parts must hold pairs of a protocol and a number of rounds, got {protocol!r}")
            counts[protocol] = counts.get(protocol, 0) + _validate.count(rounds=own)
            _validate.count(rounds=counts[protocol], at_most=MAX_ROUNDS)
        if not counts:
            raise ValueError("parts must hold at least one protocol, got none")
        object.__setattr__(self, "_parts", tuple(counts.items()))

    @property
    def parts(self) -> tuple[tuple[Protocol, int], ...]:
        return self._parts

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Run cannot be changed: make another, got {name} = {value!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and dict(self.parts) == dict(other.parts)

    def __hash__(self) -> int:
        return hash(frozenset(self.parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.parts,)

    def __repr__(self) -> str:
        return " + ".join(f"{protocol} * {rounds:_}" for protocol, rounds in self.parts)


def _tolerance(rtol: float) -> float:
    """A relative width between 1e-8, about what double precision certifies, and 1."""
    rtol = _validate.positive(rtol=rtol)
    if not 1e-8 <= rtol <= 1:
        raise ValueError(f"rtol must be between 1e-8 and 1, got {rtol!r}")
    return rtol
