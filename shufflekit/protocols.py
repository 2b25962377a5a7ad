"""The front door: say what happens, ask what it costs.

round_ = Shuffle(eps0=2.0, n=1_000, population=1_000_000)
run = round_ * 100_000
run.epsilon(delta=1e-8)
"""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate
from shufflekit.bracket import Bracket, bracket
from shufflekit.dominating_pairs import Atoms, randomized_response
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import girgis2021
from shufflekit.renyi import RenyiCurve

if TYPE_CHECKING:
    from shufflekit.compare import Comparison

MAX_N = 10**9
ROUND_OFF = 1e-12  # relative, far more than the evaluation of Theorem 1 errs by: a guarantee is rounded up
MAX_ROUNDS = 10**12  # of one protocol


class Shuffle:
    """One round: n clients report through an eps0-LDP randomizer and a shuffler, any randomizer and any data.

    With a ``population``, the n are drawn from it anew each round: fixed size, uniformly, without replacement.

    Formal guarantees. Neighbouring data sets differ in one record. The upper ends hold for every eps0-LDP randomizer,
    also when each round's is chosen after seeing the earlier ones; the lower ends are reached by binary randomized
    response.
    """

    def __init__(self, eps0: float, n: int, population: int | None = None) -> None:
        self.eps0 = _validate.local_eps(eps0=eps0)
        self.n = _validate.count(n=n, at_most=MAX_N)
        self.population = self.n if population is None else _validate.count(population=population, at_most=MAX_N)
        if self.n > self.population:
            raise ValueError(f"n must be at most the population of {self.population:,}, got {n!r}")

    def __repr__(self) -> str:
        sampled = f", population={self.population:_}" if self.population > self.n else ""
        return f"Shuffle(eps0={self.eps0:g}, n={self.n:_}{sampled})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shuffle) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[float, int, int]:
        return self.eps0, self.n, self.population

    def __mul__(self, rounds: int) -> "Run":
        return Run([(self, _validate.count(rounds=rounds))])

    __rmul__ = __mul__

    def __add__(self, other: "Shuffle | Run") -> "Run":
        return (self * 1) + other

    @property
    def pure_epsilon(self) -> float:
        """The eps at delta = 0: sampling at rate gamma turns eps0 into ``log(1 + gamma (e^eps0 - 1))`` [ullman2017]."""
        log_odds = math.log(self.n / self.population) + self.eps0 + math.log(-math.expm1(-self.eps0))
        return float(np.logaddexp(0.0, log_odds))

    @property
    def renyi_curve(self) -> RenyiCurve:
        """Theorem 1 of girgis2021 between whole orders too, or the pure bound where that is less."""

        def safe(order: Any) -> Any:
            bound = girgis2021.thm1_real_order(order, self.eps0, self.population, self.n, cap=self.pure_epsilon)
            return bound * (1 + ROUND_OFF)

        return RenyiCurve(safe, limit=self.pure_epsilon)

    def worst_known_pair(self, tilt: float, log_cut: float) -> Atoms:
        """What binary randomized response shows of one record when all others are equal."""
        return randomized_response(self.eps0, self.n, self.population, tilt=tilt, log_cut=log_cut)

    def epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """See ``Run.epsilon``."""
        return (self * 1).epsilon(delta, rtol=rtol)

    def delta(self, eps: float, *, rtol: float = 0.1) -> Bracket:
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


class Run:
    """Rounds of one or several protocols, each chosen adaptively: made by ``protocol * rounds`` and ``+``."""

    def __init__(self, parts: Iterable[tuple[Shuffle, int]]) -> None:
        counts: dict[Shuffle, int] = {}
        for protocol, rounds in parts:
            counts[protocol] = _validate.count(rounds=counts.get(protocol, 0) + rounds, at_most=MAX_ROUNDS)
        self.parts = list(counts.items())

    def __repr__(self) -> str:
        return " + ".join(f"{protocol} * {rounds:_}" for protocol, rounds in self.parts)

    def __mul__(self, rounds: int) -> "Run":
        rounds = _validate.count(rounds=rounds)
        return Run((protocol, rounds * own) for protocol, own in self.parts)

    __rmul__ = __mul__

    def __add__(self, other: "Shuffle | Run") -> "Run":
        if not isinstance(other, (Shuffle, Run)):
            return NotImplemented
        return Run([*self.parts, *(other * 1).parts])

    @property
    def renyi_curve(self) -> RenyiCurve:
        """The Renyi bounds of all rounds, added."""
        first, *rest = (protocol.renyi_curve * rounds for protocol, rounds in self.parts)
        for curve in rest:
            first = first + curve
        return first

    def rdp(self, order: ArrayLike) -> Any:
        """A bound on the Renyi divergence at one real order above 1, or at an array of them, summed over rounds."""
        return self.renyi_curve(order)

    def epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """The eps at delta: the least that Theorem 1 and Lemma 1 of girgis2021 give, and what the attack reaches.

        ``rtol`` is how closely the attack is computed.
        """
        upper = self.renyi_curve.epsilon(delta).value
        # At delta = 0 and near it the attack is the truth: two roundings of one number must not cross.
        return bracket(min(self.attack_epsilon(delta, rtol=rtol).lower, upper), upper)

    def delta(self, eps: float, *, rtol: float = 0.1) -> Bracket:
        """The delta at eps, from the same two bounds."""
        eps = _validate.nonnegative(eps=eps)
        upper = self.renyi_curve.delta(eps).value
        if upper == 0:
            return bracket(0.0, 0.0)
        # The smaller the delta, the farther out lie the losses that matter; the bound says how far to look.
        lower = max(attack.delta(eps, _tolerance(rtol)).lower for attack in self._attacks(min(max(upper, 1e-300), 0.5)))
        return bracket(min(lower, upper), upper)

    def attack_epsilon(self, delta: float, *, rtol: float = 1e-4) -> Bracket:
        """The eps at delta of binary randomized response with all others equal, the worse of the two directions.

        Some randomizer and data set really have this eps: no analysis of the protocol can go below it.
        """
        delta = _validate.open_unit(delta=delta)
        ends = [attack.epsilon(delta, _tolerance(rtol)) for attack in self._attacks(delta)]
        return bracket(max(end.lower for end in ends), max(end.upper for end in ends))

    def compare(self, delta: float) -> "Comparison":
        """Every bound of every paper at delta: its value and source, or why it does not apply."""
        from shufflekit.compare import compare

        return compare(self, _validate.open_unit(delta=delta))

    def _attacks(self, delta: float) -> tuple[Composition, Composition]:
        """The pair of data sets in both directions, listed as finely as this delta needs."""
        rounds = sum(own for _, own in self.parts)
        log_cut = math.log(delta) - math.log(rounds) - 60
        # The order at which the Renyi bound is best is about one more than the tilt that makes its losses typical.
        tilt = 2 * min(self.renyi_curve.epsilon(delta).order, 1e6)
        pairs = [Part(protocol.worst_known_pair(tilt, log_cut), own) for protocol, own in self.parts]
        return Composition(pairs), Composition([Part(pair.reversed(), own) for pair, own in pairs])


def _tolerance(rtol: float) -> float:
    """A relative width between 1e-8, about what double precision certifies, and 1."""
    rtol = _validate.positive(rtol=rtol)
    if not 1e-8 <= rtol <= 1:
        raise ValueError(f"rtol must be between 1e-8 and 1, got {rtol!r}")
    return rtol
