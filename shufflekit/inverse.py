"""The search behind the inverse questions: the last number, to 5 digits, with which a run meets (eps, delta)."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, overload

from shufflekit import _validate
from shufflekit._digits import rounded
from shufflekit.bracket import LEAST_EPS, said
from shufflekit.protocols import MAX_N, Protocol, Run
from shufflekit.protocols.answers import RTOL, guaranteed_epsilon

MAX_EPS0 = float(_validate.LARGEST_EPS0)
DIGITS = 5
COARSE = 3e-3  # a tolerance that can tell what is far from the target
NEAR = 1e-4  # relative: when to turn to the digits
PULL = 0.2  # towards the middle, of the stretch
LEAST, FARTHEST = 1e-9, 50.0  # of log(epsilon/eps); what is nearer or farther off is as good or as bad


class End(NamedTuple):
    """A number, and ``log(epsilon/eps)`` with it: at most 0 if it meets the target."""

    x: Any
    off: float


class Search:
    """What meets (eps, delta) among runs that one number, x, tells apart; whole where x starts whole."""

    def __init__(self, eps: float, delta: float, run: Callable[[Any], Run | Protocol]) -> None:
        self.eps, self.delta, self._run = _validate.positive(eps=eps), _validate.open_unit(delta=delta), run
        self.at, self.fine = cache(self._at), cache(lambda x: guaranteed_epsilon(run(x), self.delta))

    def largest(self, least: Any, most: Any, what: str) -> Any:
        """From least to most, epsilon rising."""
        good = self.at(least)
        if good.off > 0:
            raise ValueError(f"eps must be at least {self._reached(least)}, as {what} has, got {self.eps:g}")
        while good.x < most:
            bad = self.at(min(self._onward(good), most))
            if bad.off > 0:
                return self._last(*self._near(good, bad))
            good = bad
        return most

    def largest_eps0(self, rounds: int) -> float:
        """Of reports in that many rounds: if each is eps/rounds-private, all are eps-private, whatever else is done."""
        return float(self.largest(min(0.999 * self.eps / rounds, MAX_EPS0), MAX_EPS0, f"eps0 = {self.eps / rounds:g}"))

    def _onward(self, good: End) -> Any:
        if isinstance(good.x, int):
            return good.x * _stride(good)
        # eps grows about as eps0 does while that is small, then as its exponential: no faster costs less to look at.
        return math.log1p(math.expm1(good.x) * _stride(good)) if good.off > -FARTHEST else MAX_EPS0

    @overload
    def smallest(self, least: int, what: str, most: int = ...) -> int: ...

    @overload
    def smallest(self, least: float, what: str, most: float) -> float: ...

    def smallest(self, least: float, what: str, most: float = MAX_N) -> float:
        """From least to most, epsilon falling."""
        bad = self.at(least)
        if bad.off <= 0:
            return least
        while bad.x < most:
            good = self.at(min(bad.x * _stride(bad), most))
            if good.off <= 0:
                return self._last(*self._near(good, bad))  # type: ignore[no-any-return]
            bad = good
        reached = self._reached(most)
        raise ValueError(
            f"eps must be at least {reached}, as {what} = {most:,}, the most allowed, has, got {self.eps:g}"
        )

    def _at(self, x: Any, near: bool = False) -> End:
        """With a first look from afar, unless the target is ``near``: then that would say nothing."""
        ends = self.fine(x) if near else guaranteed_epsilon(self._run(x), self.delta, COARSE)
        # A pair that is rounded up may be a little less at a finer look.
        if not near and ends.lower * (1 - COARSE) <= self.eps < ends.upper:
            ends = self.fine(x)
        off = math.log((ends.lower + ends.upper) / 2 / self.eps) if ends.upper > 0 else -FARTHEST
        return End(x, min(max(off, -FARTHEST), -LEAST) if ends.upper <= self.eps else min(max(off, LEAST), FARTHEST))

    def _reached(self, x: Any) -> str:
        return f"{rounded(self.fine(x).upper, up=True):g}"

    def _near(self, good: End, bad: End) -> tuple[End, End]:
        """Two ends within ``NEAR`` of each other, or nearly so.

        ``log epsilon`` is nearly linear in ``log x``: each step goes to where that line says, but a little towards the
        middle, so that both ends move, and no further from it than leaves the rest to halving (the ITP method).
        """
        width = abs(math.log(bad.x) - math.log(good.x))
        pull, spare = PULL / width, NEAR / 2 * 2 ** math.ceil(math.log2(max(width / NEAR, 1)) + 1)
        while width > NEAR:
            start, middle = math.log(good.x), math.log(good.x) / 2 + math.log(bad.x) / 2
            crossing = start + (math.log(bad.x) - start) * good.off / (good.off - bad.off)
            distance = abs(middle - crossing) - max(pull * width**2, NEAR / 4)
            distance = min(max(distance, 0.0), max(spare - width / 2, 0.0))
            x = math.exp(middle + math.copysign(distance, crossing - middle))
            end = self.at(round(x) if isinstance(good.x, int) else x, width < COARSE)
            if end.x in (good.x, bad.x):
                break
            good, bad = (end, bad) if end.off <= 0 else (good, end)
            width, spare = abs(math.log(bad.x / good.x)), spare / 2
        return good, bad

    def _last(self, good: End, bad: End) -> Any:
        """The last number of that many digits, on the way from good to bad, that meets the target."""
        whole = isinstance(good.x, int)
        power = math.floor(math.log10(min(good.x, bad.x))) + 1 - DIGITS
        power = max(power, 0) if whole else power
        way = 1 if good.x < bad.x else -1

        def end(m: int) -> End:
            return self.at(m * 10**power if whole else float(f"{m}e{power}"), not whole or m > 1 / COARSE)

        def place(x: Any) -> int:
            """The number of that many digits at x or before it, seen from good."""
            m = x // 10**power if whole else math.floor(x / 10.0**power)
            return int(m) if way > 0 or m * 10**power == x else int(m) + 1

        met, missed = place(good.x), place(bad.x) + way
        while abs(missed - met) > 1:
            middle = (met + missed) // 2
            met, missed = (middle, missed) if end(middle).off <= 0 else (met, middle)
        # What both tolerances certify may differ in the last digit.
        while self.fine(end(met).x).upper > self.eps:
            met -= way
        said(self.fine(end(met).x), RTOL, LEAST_EPS)
        return end(met).x


def _stride(end: End) -> int:
    """By how much to go on: epsilon grows at least with the square root of rounds or clients, or falls so."""
    return math.ceil(math.exp(min(max(2 * abs(end.off), math.log(2)), math.log(1000))))
