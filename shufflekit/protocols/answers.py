"""The two sides of each answer: what the pairs guarantee, and what attacks really reach."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from shufflekit.bracket import LEAST_DELTA, LEAST_EPS, Bracket, Reached, between, bracket, said
from shufflekit.dominating_pairs import Pair
from shufflekit.loss_distribution import Composition, Part, largest
from shufflekit.protocols.attacks import Attack, Attempt, attempts, worst

RTOL = 1e-4
PART_OF_RTOL = 0.1  # so much less than 1 is 1


class Round(Protocol):
    """What an answer needs to know of a protocol."""

    @property
    def pair(self) -> Pair: ...

    @property
    def attacks(self) -> Sequence[Attack]: ...


class Rounds(Protocol):
    """Protocols, and how many rounds of each."""

    @property
    def parts(self) -> Sequence[tuple[Round, int]]: ...


class Sides(NamedTuple):
    """Two certified ends of what is guaranteed, and two of what an attack reaches; below ``least`` no width matters."""

    guaranteed: Bracket
    reached: Reached
    least: float

    def answer(self, rtol: float) -> Bracket:
        """From what is reached to what is guaranteed; warnings as by ``said``."""
        return between(said(self.reached, rtol, self.least), said(self.guaranteed, rtol, self.least))


def epsilon(run: Rounds, delta: float, rtol: float) -> Sides:
    """The eps at delta. Where an attack is all that the pair is, it is not worked out twice."""
    guaranteed, exact = guaranteed_epsilon(run, delta, rtol), _exact_attempt(run)
    reached = Reached(*guaranteed, exact.name) if exact else reached_epsilon(run, delta, rtol)
    return Sides(guaranteed, reached, LEAST_EPS)


def delta(run: Rounds, eps: float, rtol: float) -> Sides:
    """The delta at eps, in the same way; where an attack reaches hardly less than 1, that is what is guaranteed."""
    if (exact := _exact_attempt(run)) is not None:
        guaranteed = guaranteed_delta(run, eps, rtol)
        return Sides(guaranteed, Reached(*guaranteed, exact.name), LEAST_DELTA)
    reached = reached_delta(run, eps, rtol)
    # A pair dominates each attack, and no delta exceeds 1.
    nearly_one = reached.lower >= 1 - PART_OF_RTOL * rtol
    guaranteed = bracket(reached.lower, 1.0) if nearly_one else guaranteed_delta(run, eps, rtol)
    return Sides(guaranteed, reached, LEAST_DELTA)


def guaranteed_epsilon(run: Rounds, delta: float, rtol: float = RTOL) -> Bracket:
    """The eps at delta of the dominating pair, in its worse direction."""
    return _worse(run, lambda way, near: way.epsilon(delta, near), rtol)


def guaranteed_delta(run: Rounds, eps: float, rtol: float = RTOL) -> Bracket:
    """The delta at eps of the dominating pair."""
    return _worse(run, lambda way, near: way.delta(eps, near), rtol)


def reached_epsilon(run: Rounds, delta: float, rtol: float = RTOL) -> Reached:
    """The eps at delta of the worst attack."""
    return worst(attacked(run), lambda way, near: way.epsilon(delta, near), rtol, lambda way: way.most_epsilon(delta))


def reached_delta(run: Rounds, eps: float, rtol: float = RTOL) -> Reached:
    """The delta at eps of the worst attack."""
    return worst(attacked(run), lambda way, near: way.delta(eps, near), rtol, lambda way: way.most_delta(eps))


def composition(run: Rounds) -> Composition:
    """The rounds' dominating pairs."""
    return Composition([Part(protocol.pair, rounds) for protocol, rounds in run.parts])


def attacked(run: Rounds) -> list[Attempt]:
    """The rounds in the ways that they can be attacked."""
    return attempts([(protocol.attacks, rounds) for protocol, rounds in run.parts])


def _exact_attempt(run: Rounds) -> Attempt | None:
    """An attack on each round that is all that its pair is, if there is one."""
    parts = composition(run).parts
    return next((attempt for attempt in attacked(run) if attempt.parts == parts), None)


def _worse(run: Rounds, ask: Callable[[Composition, float], Bracket], rtol: float) -> Bracket:
    ends = largest(composition(run).both_ways(), ask, rtol)
    return bracket(max(end.lower for end in ends), max(end.upper for end in ends))
