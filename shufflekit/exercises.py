"""Exercises that answer back: ``check("14.1", answer)`` tries an answer, a value or a function, on hidden cases.

The table ``EXERCISES`` holds the cases, one entry an exercise. A test recomputes each right value by another route.
"""

import math
import numbers
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import EllipsisType
from typing import Any, NamedTuple

RTOL = 1e-3  # how near a number has to come; a value in fractions may be given as a float


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


HALF = Fraction(1, 2)
EXERCISES: Mapping[str, Exercise] = {
    "14.1": Exercise(
        (
            Case((1, 1, Fraction(1)), Fraction(1)),
            Case((2, 2, Fraction(1)), Fraction(3, 4)),
            Case((3, 4, HALF), Fraction(169, 384)),
            Case((5, 2, HALF), Fraction(781, 2560)),
        ),
        "A slot that is not empty takes one client, and all n are alike. How many slots are not empty on average?",
        (
            Trap(1, Fraction(1), "That is m/n, as if no slot were ever empty."),
            Trap(2, HALF, "That is the chance that you come. Others may have come to the same slot."),
        ),
    ),
    "14.2": value(
        Fraction(71, 17496),
        "Two ordered pairs, (x0, x1) and (x1, x0): take the larger H_a. The dummy is an input number, 0 here.",
        (Fraction(23, 5832), "That is what the averaged weights say. Enumerate: exact.fixed_window."),
        (Fraction(67, 17496), "That is what the averaged weights say, with the corners. Enumerate instead."),
    ),
    "14.3": value(
        Fraction(1, 3),
        "All data of the two others, in order: exact.neighbours_of of a view made with exact.one_swap.",
        (Fraction(5, 16), "That is the clone pair's, a bound for shuffled data. Enumerate A_swap itself."),
    ),
    "14.4": Exercise(
        (
            Case((2, 2), HALF),
            Case((2, 3), Fraction(2, 3)),
            Case((3, 4), Fraction(3, 8)),
            Case((3, 2), Fraction(0)),
            Case((1, 7), Fraction(1)),
        ),
        "At so large an alpha only what cannot happen without you counts: n slots are taken, one by each client.",
        (Trap(2, Fraction(9, 16), "That is the chance that you are alone in your slot. The others may share one."),),
    ),
    "15.1": Exercise(
        (
            Case((1, 1), Fraction(0)),
            Case((6, 3), Fraction(92, 27)),
            Case((4, 4), Fraction(969, 256)),
        ),
        "Slot i may have min(i, n) - max(i - m, 0) clients, and each of them goes elsewhere with the chance 1 - 1/m. "
        "Add up the chances of all n + m - 1 slots.",
        (Trap(1, Fraction(32, 27), "Those are the full slots, m to n. What of the edges?"),),
    ),
    "15.2": Exercise(
        (
            Case((1, 3), Fraction(1)),
            Case((2, 2), Fraction(5, 6)),
            Case((3, 2), Fraction(29, 42)),
        ),
        "Add up Pr[S = s]/s over s = 1, ..., n, and divide by the chance that S is not 0.",
        (
            Trap(1, Fraction(5, 8), "That is E[1{S>0}/S], where an empty slot counts as 0. Which slots make a step?"),
            Trap(1, Fraction(1), "That is m/n, the reciprocal of the mean."),
        ),
    ),
    "15.3": Exercise(
        (
            Case((1,), Fraction(1)),
            Case((2,), Fraction(7, 8)),
            Case((3,), Fraction(137, 162)),
        ),
        "Slot i of hers lies in the windows of i clients, hers among them. It takes one with the chance "
        "1 - (1 - 1/m)^i, and all i are alike.",
        (Trap(1, Fraction(3, 4), "That is a client in the middle, who has m - 1 neighbours in every slot."),),
    ),
    "15.4": value(
        2096,
        "Bisect on m: Shuffle(1.0, m, reduction='clones').epsilon(1e-6).upper falls with m.",
        (22_257, "That is what Theorem 4.3 needs. Ask the clone pair of m slots."),
    ),
    "16.1": Exercise(
        (
            Case((1, 1, HALF), Fraction(1)),
            Case((1, 3, HALF), Fraction(1, 3)),
            Case((4, 6, Fraction(1, 10)), Fraction(2, 3)),
        ),
        "All sets of k clients are equally likely. In how many of them are you?",
        (
            Trap(0, HALF, "That is the chance before K was seen. If the only client came, it was she."),
            Trap(1, HALF, "That is the chance before K was seen."),
        ),
    ),
    "16.4": value(
        23,
        "by_renyi(liew2022.eq7_best, paper, rounds) rises with the rounds: bisect.",
        (26, "That is what Equation 5 allows. Ask Equation 7, with its best Delta."),
    ),
    "17.2": Exercise(
        (
            Case((1.0, 0.5), math.exp(0.25)),
            Case((0.5, 1.0), 1 + 0.25 * math.expm1(1.0)),
            Case((0.3, 1.5), 1 + 0.09 * math.expm1(2.25)),
            Case((0.1, 2.5), 1 + 0.01 * math.expm1(6.25)),
        ),
        "Expand (1 - q + q Y)^2. Under Q, Y has the mean 1; and E Y^2 for a lognormal?",
        (Trap(1, 1 + 0.5 * math.expm1(1.0), "That weighs the moment of Y - 1 once by q. It is squared, too."),),
    ),
}


def check(number: str, answer: Any) -> None:
    """Say whether an answer is right, and if it is not, a hint. An empty stub (``...`` or None) is not answered yet."""
    if number not in EXERCISES:
        raise ValueError(f"number must be one of {', '.join(EXERCISES)}, got {number!r}")
    print(f"{number}: {_said(EXERCISES[number], answer)}")


def _said(exercise: Exercise, answer: Any) -> str:
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
    """Numbers up to a relative ``RTOL``, lists entry by entry, all else by ``==``."""
    if isinstance(right, list | tuple):
        listed = hasattr(found, "__len__") and len(found) == len(right)
        return listed and all(same(a, b) for a, b in zip(found, right, strict=True))
    if isinstance(right, numbers.Real) and not isinstance(right, bool):
        number = isinstance(found, numbers.Real) and not isinstance(found, bool)
        return number and math.isclose(found, right, rel_tol=RTOL, abs_tol=1e-12)
    return bool(found == right)
