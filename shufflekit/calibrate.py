"""The inverse questions: what may a shuffle be like, if it is to be (eps, delta)-private?

calibrate.rounds(eps=0.5, delta=1e-8, eps0=2.0, n=1_000, population=1_000_000)

Answers have 5 digits (whole numbers below 100,000 are exact) and are on the safe side: with them
``epsilon(delta).upper`` is at most eps, with the next such number it is not. The worst case of the protocol is monotone
in everything, so that there is one answer:

    eps0         what is eps0-LDP is also eps0'-LDP, for a larger eps0';
    rounds       one more can be left unread;
    n            where all report, one client more adds a message that anybody can add who knows that client's record;
    sampled_n    of n + 1 reports of a population one can be thrown away at random;
    population   drop one of the N others at random, and n of N report; of all N + 1 the same, but that in one round of
                 N + 1, for nobody to see, the changed client is left out on purpose.

So is what is guaranteed. Of the corners' F_n((N - n)(1 - alpha))/N, [beyond] 8: F_n is the larger, the larger the
hexagon; F_{n+1}(y) >= F_n(y + 1 - alpha) by Jensen, a score having the mean 1 - alpha; and F_n is convex and
non-decreasing. (So for the clones, whose scores take the place of the game's.) Only of W_n/n, where all report, is it
not proved, and either is rounded up, by a part in 10,000 or so. The search relies on neither: that all is monotone says
where to look, and what is returned has been asked for its own guarantee.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from shufflekit import _validate
from shufflekit._digits import rounded
from shufflekit.protocols import MAX_N, MAX_ROUNDS, Run, Shuffle
from shufflekit.protocols.shuffle import REDUCTION

MAX_EPS0 = 300.0
DIGITS = 5
COARSE = 3e-3  # a tolerance that can tell what is far from the target
NEAR = 1e-4  # relative: when to turn to the digits
LEAST, FARTHEST = 1e-9, 50.0  # of log(epsilon/eps); what is nearer or farther off is as good or as bad


def eps0(
    eps: float, delta: float, n: int, population: int | None = None, rounds: int = 1, *, reduction: str = REDUCTION
) -> float:
    """The largest eps0 of the reports; at most 300."""
    rounds, population = _validate.count(rounds=rounds, at_most=MAX_ROUNDS), n if population is None else population
    search = _Search(eps, delta, lambda eps0: Shuffle(eps0, n, population, reduction=reduction) * rounds)
    # Rounds that are eps/rounds-private each are eps-private together, whatever the shuffler does.
    return float(search.largest(min(0.999 * search.eps / rounds, MAX_EPS0), MAX_EPS0, f"eps0 = {eps / rounds:g}"))


def n(eps: float, delta: float, eps0: float, rounds: int = 1, *, reduction: str = REDUCTION) -> int:
    """The fewest clients, all of whom report in each round."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = _Search(eps, delta, lambda n: Shuffle(eps0, n, reduction=reduction) * rounds)
    return search.smallest(1, "n")


def sampled_n(
    eps: float, delta: float, eps0: float, population: int, rounds: int = 1, *, reduction: str = REDUCTION
) -> int:
    """The most clients of a population that may report in each round: the more do, the more is shown of each."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    population = _validate.count(population=population, at_most=MAX_N)
    search = _Search(eps, delta, lambda n: Shuffle(eps0, n, population, reduction=reduction) * rounds)
    return int(search.largest(1, population, "n = 1"))


def rounds(
    eps: float, delta: float, eps0: float, n: int, population: int | None = None, *, reduction: str = REDUCTION
) -> int:
    """The most rounds."""
    one = Shuffle(eps0, n, n if population is None else population, reduction=reduction)
    return int(_Search(eps, delta, lambda rounds: one * rounds).largest(1, MAX_ROUNDS, "rounds = 1"))


def population(eps: float, delta: float, eps0: float, n: int, rounds: int = 1, *, reduction: str = REDUCTION) -> int:
    """The smallest population from which n are drawn to report in each round."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = _Search(eps, delta, lambda population: Shuffle(eps0, n, population, reduction=reduction) * rounds)
    return search.smallest(Shuffle(eps0, n).n, "population")


class _End(NamedTuple):
    """A number, and ``log(epsilon/eps)`` with it: at most 0 if it meets the target."""

    x: Any
    off: float


class _Search:
    """What meets (eps, delta) among runs that one number, x, tells apart; whole where x starts whole."""

    def __init__(self, eps: float, delta: float, run: Callable[[Any], Run]) -> None:
        self.eps, self.delta, self._run = _validate.positive(eps=eps), _validate.open_unit(delta=delta), run
        self.at, self.fine = cache(self._at), cache(lambda x: run(x).guarantee(delta))

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

    def _onward(self, good: _End) -> Any:
        if isinstance(good.x, int):
            return good.x * _stride(good)
        # eps grows about as eps0 does while that is small, then as its exponential: no faster costs less to look at.
        return math.log1p(math.expm1(good.x) * _stride(good)) if good.off > -FARTHEST else MAX_EPS0

    def smallest(self, least: int, what: str) -> int:
        """From least to MAX_N, epsilon falling."""
        bad = self.at(least)
        if bad.off <= 0:
            return least
        while bad.x < MAX_N:
            good = self.at(min(bad.x * _stride(bad), MAX_N))
            if good.off <= 0:
                return int(self._last(*self._near(good, bad)))
            bad = good
        reached = self._reached(MAX_N)
        raise ValueError(
            f"eps must be at least {reached}, as {what} = {MAX_N:,}, the most allowed, has, got {self.eps:g}"
        )

    def _at(self, x: Any, near: bool = False) -> _End:
        """With a first look from afar, unless the target is ``near``: then that would say nothing."""
        ends = self.fine(x) if near else self._run(x).guarantee(self.delta, rtol=COARSE)
        # A pair that is rounded up may be a little less at a finer look.
        if not near and ends.lower * (1 - COARSE) <= self.eps < ends.upper:
            ends = self.fine(x)
        off = math.log((ends.lower + ends.upper) / 2 / self.eps) if ends.upper > 0 else -FARTHEST
        return _End(x, min(max(off, -FARTHEST), -LEAST) if ends.upper <= self.eps else min(max(off, LEAST), FARTHEST))

    def _reached(self, x: Any) -> str:
        return f"{rounded(self.fine(x).upper, up=True):g}"

    def _near(self, good: _End, bad: _End) -> tuple[_End, _End]:
        """Two ends within ``NEAR`` of each other, or nearly so.

        ``log epsilon`` is nearly linear in ``log x``: each step goes to where that line says, but a little towards the
        middle, so that both ends move, and no further from it than leaves the rest to halving (the ITP method).
        """
        width = abs(math.log(bad.x / good.x))
        pull, spare = 0.2 / width, NEAR / 2 * 2 ** math.ceil(math.log2(max(width / NEAR, 1)) + 1)
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

    def _last(self, good: _End, bad: _End) -> Any:
        """The last number of that many digits, on the way from good to bad, that meets the target."""
        whole = isinstance(good.x, int)
        power = math.floor(math.log10(min(good.x, bad.x))) + 1 - DIGITS
        power = max(power, 0) if whole else power
        way = 1 if good.x < bad.x else -1

        def end(m: int) -> _End:
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
        return end(met).x


def _stride(end: _End) -> int:
    """By how much to go on: epsilon grows at least with the square root of rounds or clients, or falls so."""
    return math.ceil(math.exp(min(max(2 * abs(end.off), math.log(2)), math.log(1000))))
