"""Interval arithmetic with arb's balls: a binomial law whose tails are bounded, and the way from balls to floats."""

import math
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from shufflekit.bracket import Bracket, bracket

if TYPE_CHECKING:
    from flint import arb

GOOD = 60  # bits to which an answer is known before it is rounded to floats
BITS, DEPTH = 192, 60.0  # at first
DEEPER, LEAST_DEEPER, SPARE = 40, 10.0, 45  # by so much, where nothing is found; else to what is left and some more
TINY = 2.0**-1074  # the least positive float; what is below needs no digits


def flint() -> ModuleType:
    """python-flint, or what to do about its absence."""
    try:
        import flint
    except ImportError as reason:
        raise ImportError(
            "shufflekit.certify needs python-flint, which is not installed: pip install shufflekit[certify]"
        ) from reason
    module: ModuleType = flint
    return module


class Estimate(NamedTuple):
    """A sum of nonnegative terms: a ball that holds the sum of those taken, and a bound on all others."""

    taken: "arb"
    left: "arb"


def certified(estimate: Callable[[float], Estimate]) -> Bracket:
    """The sum to the last digits of a float, from ``estimate(depth)``, which may leave out about ``e^-depth`` of mass.

    The estimate is made again with more bits until its ball is small, and deeper until what it leaves out is.
    """
    context = flint().ctx
    bits, depth = BITS, DEPTH
    while True:
        with context.workprec(bits):
            taken, left = estimate(depth)
            least, most = taken.lower().nonnegative_part(), (taken.upper() + left).upper()
            if most < TINY:
                return bracket(0.0, 0.0 if most.is_zero() else TINY)
            known = taken.is_finite() and left.is_finite()
            if not known or (taken.rel_accuracy_bits() < GOOD and 4 * taken.rad() > TINY):
                bits *= 2
            elif not left <= least * 2.0**-GOOD:
                depth += DEEPER if least == 0 else max(LEAST_DEEPER, float((left / least).log()) + SPARE)
            else:
                return bracket(_toward(least, -math.inf), _toward(most, math.inf))


def _toward(x: "arb", end: float) -> float:
    """The float next to an exact ball on the side of ``end``."""
    result = float(x)
    while (result > x) if end < 0 else (result < x):
        result = math.nextafter(result, end)
    return result


def ball(x: float) -> "arb":
    """A number as it is."""
    exact: arb = flint().arb(x)
    return exact


def around_zero(radius: "arb") -> "arb":
    """The ball of all numbers at most that large."""
    around: arb = flint().arb(0, radius)
    return around


def whole(x: "arb") -> int:
    """The whole number at or below the ball's middle; 0 for a ball that tells nothing, at too few bits."""
    return int(x.mid().floor().fmpz()) if x.is_finite() else 0


class Binomial(NamedTuple):
    """The law Bin(size, chance); ``odds`` are chance / (1 - chance)."""

    size: int
    chance: "arb"
    odds: "arb"

    def window(self, depth: float) -> range:
        """The numbers around the mean, about ``e^-depth`` of the mass outside (by Bernstein, in plain floats)."""
        mean = self.size * float(self.chance)
        spread = depth / 3 + math.sqrt(depth**2 / 9 + 2 * depth * mean / (1 + float(self.odds)))
        return range(max(0, math.floor(mean - spread)), min(self.size, math.ceil(mean + spread)) + 1)

    def mass(self, c: int) -> "arb":
        """``Pr[C = c]``."""
        log_stake = c * self.chance.log() + (self.size - c) * (self.chance / self.odds).log()
        return (log_choose(self.size, c) + log_stake).exp()

    def growth(self, c: int) -> "arb":
        """``Pr[C = c + 1] / Pr[C = c]``, which falls as c rises."""
        return (self.size - c) * self.odds / (c + 1)

    def below(self, c: int, mass: "arb") -> "arb":
        """A bound on ``Pr[C < c]``, c under the mean, from ``Pr[C = c]``: a geometric series."""
        return geometric(mass, 1 / self.growth(c - 1)) if c > 0 else ball(0)

    def above(self, c: int, mass: "arb") -> "arb":
        """A bound on ``Pr[C > c]``, c over the mean, from ``Pr[C = c]``."""
        return geometric(mass, self.growth(c))


def log_choose(n: int, m: int) -> "arb":
    """``log C(n, m)``."""
    return ball(n + 1).lgamma() - ball(m + 1).lgamma() - ball(n - m + 1).lgamma()


def geometric(term: "arb", ratio: "arb") -> "arb":
    """``term (ratio + ratio^2 + ...)``; 1 where the ratio may reach 1, since what is summed are probabilities."""
    return term * ratio / (1 - ratio) if ratio < 1 else ball(1)
