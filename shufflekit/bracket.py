"""What every numeric answer of the kit is: a certified lower and upper end."""

import math
import numbers
from typing import NamedTuple

from shufflekit._digits import rounded
from shufflekit._validate import Array


class Bracket(NamedTuple):
    """``lower <= truth <= upper``, truncation, discretisation and round-off included; ``float()``: upper."""

    lower: float
    upper: float

    def __float__(self) -> float:
        return self.upper

    def __repr__(self) -> str:
        # Rounded outwards: what is printed is a bracket too.
        lower, upper = rounded(self.lower, up=False, digits=7), rounded(self.upper, up=True, digits=7)
        return f"Bracket(lower={lower:.7g}, upper={upper:.7g})"

    @property
    def width(self) -> float:
        """The distance of the two ends relative to the upper one; 0 when they agree."""
        if self.upper == self.lower:
            return 0.0
        return (self.upper - self.lower) / self.upper if self.upper < math.inf else math.inf


def bracket(lower: float, upper: float) -> Bracket:
    """A Bracket, after a last check that its ends are numbers in the right order."""
    for name, end in (("lower", lower), ("upper", upper)):
        if isinstance(end, bool) or not isinstance(end, numbers.Real):
            raise TypeError(f"{name} must be a number, got {end!r}")
    if not lower <= upper:
        raise ArithmeticError(f"lower = {lower!r} is not below upper = {upper!r}: a bug, please report it")
    return Bracket(float(lower), float(upper))


class Ends(NamedTuple):
    """Certified lower and upper ends of many numbers at once."""

    lower: Array
    upper: Array
