"""Renyi divergences again: of every attack whose outcomes can be listed, in mpmath; what is answered is above them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mpmath import log, mpf, workdps

from shufflekit import exact
from shufflekit.definitions import Definition, Lognormal
from shufflekit.protocols.run import Questions
from tools.fuzz.references import attacks_of

MOST_OUTCOMES = 20_000
ROUND_OFF = 1e-9


def faults(run: Questions, order: float, answer: float) -> list[str] | None:
    """What is wrong with the answer; None where no attack could be listed."""
    least = [_attacked([(one.define(float), own) for one, own in chosen], order) for chosen in attacks_of(run.parts)]
    if not any(least):
        return None
    return [f"{max(least)!r} is reached, above {answer!r}"] if max(least) > answer * (1 + ROUND_OFF) else []


def _attacked(rounds: Sequence[tuple[Any, int]], order: float) -> float:
    """The larger of both directions, of the rounds that can be listed."""
    return max(sum(own * _renyi(one, order, back) for one, own in rounds) for back in (False, True))


def _renyi(given: Any, order: float, back: bool) -> float:
    if isinstance(given, Lognormal) and given.slots == 1:
        return order / (2 * given.sigma**2)  # one Gaussian
    if not isinstance(given, Definition) or _outcomes(given) > MOST_OUTCOMES:
        return 0.0
    p, q = exact.pair(given.mapped(Fraction))
    p, q = (q, p) if back else (p, q)
    with workdps(50):
        if any(a and not b for a, b in zip(p, q, strict=True)):
            return float("inf")
        total = sum(_number(b) * (_number(a) / _number(b)) ** mpf(order) for a, b in zip(p, q, strict=True) if a)
        return max(0.0, float(log(total) / (mpf(order) - 1)))


def _number(x: Any) -> Any:
    return mpf(Fraction(x).numerator) / Fraction(x).denominator


def _outcomes(given: Definition) -> int:
    """All divisions of the messages among the kinds of a law: C(slots + kinds - 1, slots)."""
    found = 1
    for i in range(1, len(given.laws[0])):
        found = found * (given.slots + i) // i
    return found if len(given.laws) == 1 else MOST_OUTCOMES + 1
