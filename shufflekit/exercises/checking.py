"""What an exercise is, and how an answer to it is tried: a value, or a function on hidden cases."""

import math
import numbers
from collections.abc import Callable
from types import EllipsisType
from typing import Any, NamedTuple

RTOL = 1e-3  # how near a number has to come; a value in fractions may be given as a float
NOTHING = 1e-12  # as good as 0, where that is right


class Case(NamedTuple):
    """What a function is given, and what it should return; of a plain value ``given`` is empty."""

    given: tuple[Any, ...]
    right: Any


class Trap(NamedTuple):
    """A wrong answer that is known, to the case with this number, and what to say to whoever gave it."""

    case: int
    wrong: Any
    hint: str


class Exercise(NamedTuple):
    """The cases, all of which must be right, and a hint for whoever is wrong in some other way than a trap."""

    cases: tuple[Case, ...]
    hint: str
    traps: tuple[Trap, ...] = ()


def value(right: Any, hint: str, *traps: tuple[Any, str]) -> Exercise:
    """An exercise whose answer is one value; a trap is a wrong value and its hint."""
    return Exercise((Case((), right),), hint, tuple(Trap(0, wrong, why) for wrong, why in traps))


def said(exercise: Exercise, answer: Any) -> str:
    if _empty(answer):
        return "Not answered yet."
    function = bool(exercise.cases[0].given)
    if callable(answer) != function:
        return f"Not yet. The answer is {'a function' if function else 'a value'}."
    for i, case in enumerate(exercise.cases):
        found, trouble = _tried(answer, case) if function else (answer, "")
        if trouble:
            return f"Not yet. {trouble}"
        if _empty(found):
            return "Not answered yet."
        if not same(found, case.right):
            hints = [trap.hint for trap in exercise.traps if trap.case == i and same(found, trap.wrong)]
            return f"Not yet. Hint: {(hints or [exercise.hint])[0]}"
    return "Right."


def _tried(function: Callable[..., Any], case: Case) -> tuple[Any, str]:
    """What a function makes of a case, or in words what went wrong."""
    try:
        return function(*case.given), ""
    except Exception as reason:
        given = ", ".join(str(one) for one in case.given)
        return None, f"Given ({given}) it raised {type(reason).__name__}: {reason}"


def _empty(answer: Any) -> bool:
    return answer is None or isinstance(answer, EllipsisType)


def same(found: Any, right: Any) -> bool:
    """Numbers up to a relative ``RTOL``, 0 up to ``NOTHING``, lists entry by entry, all else by ``==``."""
    if isinstance(right, list | tuple):
        listed = hasattr(found, "__len__") and len(found) == len(right)
        return listed and all(same(a, b) for a, b in zip(found, right, strict=True))
    if isinstance(right, numbers.Real) and not isinstance(right, bool):
        number = isinstance(found, numbers.Real) and not isinstance(found, bool)
        return number and math.isclose(found, right, rel_tol=RTOL, abs_tol=0.0 if right else NOTHING)
    return bool(found == right)
