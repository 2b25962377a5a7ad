"""What every numeric answer of the kit is: a certified lower and upper end."""

import math
import numbers
import sys
import warnings
from typing import Any, NamedTuple, TypeVar

from shufflekit._digits import rounded
from shufflekit._validate import Array
from shufflekit.accuracy import SAME_NUMBER

LEAST_DELTA, LEAST_EPS = 1e-60, 1e-9  # nobody asks how near what is smaller is known


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


class WideAnswer(UserWarning):
    """The two ends of an answer are farther apart than was asked for. Both are certified all the same."""


Answer = TypeVar("Answer", bound=Bracket)


def said(ends: Answer, rtol: float, least: float) -> Answer:
    """The same; a warning says so, in the line that asked, if its width is more than rtol and it is not that small."""
    if ends.width > rtol and ends.upper > least:
        asked = "no upper end could be had" if ends.upper == math.inf else f"the ends are {ends.width:.1g} apart"
        what = "what the attack reaches" if isinstance(ends, Reached) else "the guarantee"
        text = f"{what} is in {ends}: {asked}, relative to the upper one, and rtol = {rtol:g}"
        warnings.warn(text, WideAnswer, stacklevel=_depth())
    return ends


def _depth() -> int:
    """How many calls up this package was entered, counted as ``warnings`` does."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        depth, frame = depth + 1, frame.f_back
    return depth


def between(reached: Bracket, guaranteed: Bracket) -> Bracket:
    """From what is reached to what is guaranteed. Where both are one number, there may be a round-off between them."""
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
