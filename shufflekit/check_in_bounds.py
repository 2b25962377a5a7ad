"""What bounds random check-ins: the kit's own bounds one by one, and the paper's; loaded, they register themselves."""

from collections.abc import Callable, Sequence
from typing import Any

from shufflekit import definitions
from shufflekit.definitions import Definition, Game, Lottery, growth
from shufflekit.dominating_pairs import Pair, pair_of
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import balle2020, dwork2010, kairouz2015
from shufflekit.protocols import RandomCheckIn, SlidingCheckIn
from shufflekit.protocols.answers import RTOL
from shufflekit.protocols.bounds import Bound, CheckIns, TooSlow, register
from shufflekit.protocols.check_ins import EMPTY

SLOW_ROUNDS = 10**7  # beyond, the optimal composition takes seconds, or minutes

Epochs = Sequence[CheckIns]

REPLACED = "replacement, any number of clients"
TOLD = "replacement, empty slots told"
SAMPLED = "clients sampled for the slots"


def _own(name: str) -> Callable[[Epochs, float], float]:
    """One of the bounds of which the protocol's own pair is the least."""

    def bound(epochs: Epochs, delta: float) -> float:
        parts = [Part(pair_of(_known(one.protocol, name)(float)), one.rounds) for one in epochs]
        return _composed(parts, delta)

    return bound


def _known(protocol: RandomCheckIn | SlidingCheckIn, name: str) -> Callable[[Callable[[float], Any]], Game | Lottery]:
    if isinstance(protocol, SlidingCheckIn):
        if name != REPLACED:
            raise ValueError("does not cover the first and the last clients of a sliding window")
        return protocol.define
    if name not in protocol.bounds:
        unknown = protocol.clients is None
        raise ValueError("needs the number of clients" if unknown else "needs a dummy's answer in every empty slot")
    return protocol.bounds[name]


def _clones(epochs: Epochs, delta: float) -> float:
    """The sampled clone pair of m slots with population m/p0. [beyond] 15"""
    parts: list[Part[Pair]] = []
    for one in epochs:
        eps0, slots, rate = _setting(one.protocol)
        population: Any = slots / rate  # which need not be whole
        parts.append(Part(pair_of(Definition(slots, population, (definitions.clones(growth(eps0)),))), one.rounds))
    return _composed(parts, delta)


def _composed(parts: Sequence[Part[Pair]], delta: float) -> float:
    return max(way.epsilon(delta, RTOL).upper for way in Composition(parts).both_ways())


def _setting(protocol: RandomCheckIn | SlidingCheckIn) -> tuple[float, int, float]:
    """The eps0, the slots and the participation of the paper's theorems; a window is one of the slots."""
    if isinstance(protocol, SlidingCheckIn):
        return protocol.eps0, protocol.window, 1.0
    if protocol.empty != EMPTY[0]:
        raise ValueError("needs a dummy's answer in every empty slot")
    return protocol.eps0, protocol.slots, protocol.participation


def _equal(epochs: Epochs) -> CheckIns:
    if len(epochs) > 1:
        raise ValueError("is stated for equal epochs only")
    return epochs[0]


def _once(theorem: Callable[[float, int, float, float], Any]) -> Callable[[Epochs, float], float]:
    def once(epochs: Epochs, delta: float) -> float:
        one = _equal(epochs)
        if one.rounds > 1:
            raise ValueError("is about one epoch")
        return float(theorem(*_setting(one.protocol), delta))

    return once


def _strong_composition(optimal: bool) -> Callable[[Epochs, float], float]:
    """Half of delta pays for the epochs, and half for their composition, which is none of one epoch alone."""

    def bound(epochs: Epochs, delta: float) -> float:
        one = _equal(epochs)
        setting = _setting(one.protocol)
        if one.rounds == 1:
            raise ValueError("is about several epochs")
        if optimal and one.rounds > SLOW_ROUNDS:
            raise TooSlow(f"takes long beyond {SLOW_ROUNDS:,} epochs")
        share = delta / (2 * one.rounds)
        each = float(balle2020.thm32(*setting, share))
        if optimal:
            return kairouz2015.optimal(each, share, one.rounds, delta)
        return dwork2010.advanced(each, one.rounds, delta / 2)

    return bound


def _corollary33(epochs: Epochs, delta: float) -> float:
    """Half of delta is the corollary's own, half is ``n beta/m``."""
    one = _equal(epochs)
    if isinstance(one.protocol, SlidingCheckIn):
        raise ValueError("is not about a sliding window")
    eps0, m, rate = _setting(one.protocol)
    n = one.protocol.clients
    if n is None or n < m:
        raise ValueError("needs at least as many clients as slots")
    if rate > m / n or one.rounds * m > n:
        raise ValueError("is about clients/slots epochs at most, with a participation of slots/clients at most")
    return balle2020.cor33(eps0, n, m, delta * m / (2 * n), delta / 2).eps


def _no_check_ins(epochs: Epochs, delta: float) -> float:
    one = _equal(epochs)
    if one.rounds > SLOW_ROUNDS:
        raise TooSlow(f"takes long beyond {SLOW_ROUNDS:,} epochs")
    return kairouz2015.optimal(one.protocol.eps0, 0.0, one.rounds, delta)


for _bound in (
    *(Bound(f"{name}, composed numerically", "beyond", _own(name), CheckIns) for name in (REPLACED, TOLD, SAMPLED)),
    Bound("replacement, clones, composed numerically", "beyond", _clones, CheckIns),
    Bound("Theorem 3.2 (a window's: 4.3)", "balle2020", _once(balle2020.thm32), CheckIns),
    Bound("Theorem 3.2 (4.3), short form", "balle2020", _once(balle2020.thm32_short), CheckIns),
    Bound("Theorem 3.2 (4.3); optimal composition", "balle2020, kairouz2015", _strong_composition(True), CheckIns),
    Bound("Theorem 3.2 (4.3); advanced composition", "balle2020, dwork2010", _strong_composition(False), CheckIns),
    Bound("Corollary 3.3", "balle2020", _corollary33, CheckIns),
    Bound("no check-ins; optimal composition", "kairouz2015", _no_check_ins, CheckIns),
):
    register(_bound)
