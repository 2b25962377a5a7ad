"""The table's definitions by the parameters of their protocols: as pairs, in fractions, and as the judge has them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from shufflekit import certify, definitions, exact
from shufflekit.bracket import Bracket
from shufflekit.definitions import Definition, growth
from shufflekit.dominating_pairs import Pair, pair_of
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols import Protocol, Run
from shufflekit.randomizers import Channel

REDUCTIONS = {"clones": definitions.clones, "clones2021": definitions.clones2021}


class Defined(NamedTuple):
    """One definition, in whatever kind of number."""

    define: Callable[[Callable[[float], Any]], Definition]

    @property
    def pair(self) -> Pair:
        return pair_of(self.define(float))

    @property
    def laws(self) -> exact.TwoLaws:
        """In fractions, its floating-point numbers taken as they are."""
        return exact.pair(self.define(float).mapped(Fraction))

    def judged(self, eps: float, *, reverse: bool = False) -> Bracket:
        return certify.delta(self.define, eps, reverse=reverse)


def delta_of_pair(run: Protocol | Run, eps: float, rtol: float = 1e-4) -> Bracket:
    """Both ends of the delta of a run's own pair, attacks left aside: for eps that is what ``run.guarantee`` says."""
    parts = [Part(protocol.pair, rounds) for protocol, rounds in run.parts]
    ends = [way.delta(eps, rtol) for way in Composition(parts).both_ways()]
    return Bracket(max(end.lower for end in ends), max(end.upper for end in ends))


def clones(eps0: float, n: int, population: int, reduction: str = "clones") -> Defined:
    return Defined(lambda number: Definition(n, population, (REDUCTIONS[reduction](growth(number(eps0))),)))


def response(eps0: float, n: int, population: int, k: int) -> Defined:
    """k-ary randomized response, all others equal."""
    return Defined(lambda number: Definition(n, population, (definitions.response(growth(number(eps0)), k),)))


def binary(eps0: float, n: int, population: int) -> Defined:
    return response(eps0, n, population, 2)


def ternary(eps0: float, n: int, population: int) -> Defined:
    return response(eps0, n, population, 3)


def told(eps0: float, n: int, chance: float) -> Defined:
    """3-ary or binary randomized response by a coin that is told, all others equal."""
    return Defined(lambda number: Definition(n, n, (definitions.told(growth(number(eps0)), number(chance)),)))


def check_in(eps0: float, population: int, rate: float) -> Defined:
    """The clones of those who come by their own coins."""
    return _checked_in(definitions.clones, eps0, population, rate)


def ternary_check_in(eps0: float, population: int, rate: float) -> Defined:
    return _checked_in(lambda x: definitions.response(x, 3), eps0, population, rate)


def view(k: int, eps0: float, n: int, adversary: str = "weak") -> Defined:
    """What an adversary of k-ary randomized response sees."""

    def define(number: Callable[[float], Any]) -> Definition:
        x = growth(number(eps0))
        if adversary == "weak":
            return Definition(n, n, (definitions.weak_view(x, k),))
        return Definition(n, n, (definitions.strong_view(x, k),), definitions.truthful(x, k))

    return Defined(define)


def known(channel: Channel, n: int, population: int) -> Defined:
    """A known channel, by its blanket."""
    return _as_it_is(definitions.blankets(channel, n, population))


def equal_others(channel: Channel, n: int, population: int, x0: int, x1: int, x2: int) -> Defined:
    return _as_it_is(Definition(n, population, (definitions.equal_others(channel, x0, x1, x2),)))


def _as_it_is(definition: Definition) -> Defined:
    floats = definition.mapped(float)
    return Defined(lambda number: floats if number is float else floats.mapped(number))


def _checked_in(law: Callable[[Any], definitions.ScoreLaw], eps0: float, population: int, rate: float) -> Defined:
    def define(number: Callable[[float], Any]) -> Definition:
        one = law(growth(number(eps0)))
        return Definition(population, population, (definitions.check_in(one, number(rate)) if rate < 1 else one,))

    return Defined(define)
