"""What every numeric answer of the kit is: a certified lower and upper end."""

import math
import numbers
from typing import Any, NamedTuple

from shufflekit._digits import rounded
from shufflekit._validate import Array
from shufflekit.accuracy import SAME_NUMBER


class Bracket(NamedTuple):
    """``lower <= truth <= upper``, truncation, discretisation and round-off included; ``float()``: upper.

    A protocol's answer says: its worst case is in here. A known attack really reaches the lower end, the upper one is
    guaranteed, and what is left between them is what nobody knows.
    """

    lower: float
    upper: float

    def __float__(self) -> float:
        return self.upper

    def __repr__(self) -> str:
        return f"Bracket({self._shown()})"

    def _shown(self) -> str:
        # Rounded outwards: what is printed is a bracket too.
        lower, upper = rounded(self.lower, up=False, digits=7), rounded(self.upper, up=True, digits=7)
        return f"lower={lower:.7g}, upper={upper:.7g}"

    @property
    def width(self) -> float:
        """The distance of the two ends relative to the upper one; 0 when they agree."""
        if self.upper == self.lower:
            return 0.0
        return (self.upper - self.lower) / self.upper if self.upper < math.inf else math.inf


class Reached(Bracket):
    """What an attack really reaches, as a Bracket, and the attack's ``name``."""

    name: str

    def __new__(cls, lower: float, upper: float, name: str) -> "Reached":
        self = super().__new__(cls, lower, upper)
        self.name = name
        return self

    def __getnewargs__(self) -> Any:
        return (*self, self.name)

    def __repr__(self) -> str:
        return f"Reached({self._shown()}, name={self.name!r})"


def between(reached: Bracket | None, guaranteed: Bracket) -> Bracket:
    """From what is reached to what is guaranteed; without an attack, where the guarantee is exact, its own two ends.

    Where both are one number, there may be a round-off between them.
    """
    if reached is None:
        return guaranteed
    lower, upper = reached.lower, guaranteed.upper
    return bracket(min(lower, upper) if lower <= upper * (1 + SAME_NUMBER) else lower, upper)


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
