"""Checks of arguments, in words.

Every check takes exactly one keyword (``odds`` two), so that the message can name the argument:
``eps0 = positive(eps0=eps0)`` returns the value, cleaned to a plain Python or numpy number,
or raises. A value of the wrong kind is a ``TypeError``, one out of range a ``ValueError``;
both say what is allowed and what was given. The checks of exact numbers leave a ``Fraction`` as it is.
"""

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LARGEST_EPS0 = 300
LARGEST_ODDS = Fraction(math.exp(LARGEST_EPS0))
LEAST_RATE = 1e-300
# Numbers to Python, but not to a person: numpy counts a span of time among the integers.
NO_NUMBERS = (bool, np.bool_, np.timedelta64)
LONGEST = 200  # characters of a value in a message


def _only(named: dict[str, Any]) -> tuple[str, Any]:
    ((name, value),) = named.items()
    return name, value


def _shown(value: Any) -> str:
    """A value in a message, on one line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not write out integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _real(name: str, value: Any, allowed: str) -> float:
    if isinstance(value, NO_NUMBERS) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {allowed}, got {_shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be {allowed}, got a number beyond floating point") from None


def _floats(name: str, value: Any, allowed: str) -> Array:
    values = _as_array(name, value, allowed)
    if values.dtype.kind not in "iuf" or values.size == 0:
        raise TypeError(f"{name} must be {allowed}, got {_shown(value)}")
    return values.astype(np.float64)


def _as_array(name: str, value: Any, allowed: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:  # lists of different lengths
        raise ValueError(f"{name} must be {allowed}, got {_shown(value)}") from None


def _number(named: dict[str, Any], allowed: str, fits: Callable[[float], bool]) -> float:
    name, value = _only(named)
    number = _real(name, value, allowed)
    if not fits(number):  # nan fits nowhere
        raise ValueError(f"{name} must be {allowed}, got {_shown(value)}")
    return number


def positive(**named: Any) -> float:
    """A finite number above 0."""
    return _number(named, "positive and finite", lambda number: 0 < number < np.inf)


def local_eps(**named: Any) -> float:
    """A local privacy parameter: above 0, at most 300 (the square of ``e^300`` is still a floating-point number)."""
    return _number(named, f"positive and at most {LARGEST_EPS0}", lambda number: 0 < number <= LARGEST_EPS0)


def nonnegative(**named: Any) -> float:
    """A finite number, 0 or above."""
    return _number(named, "0 or positive, and finite", lambda number: 0 <= number < np.inf)


def open_unit(**named: Any) -> float:
    """A probability strictly between 0 and 1 (a delta, say)."""
    return _number(named, "strictly between 0 and 1", lambda number: 0 < number < 1)


def rate(**named: Any) -> float:
    """A sampling rate: above 0, at most 1; and not so near 0 that a share of it, or one over it, is no number."""
    _number(named, "above 0 and at most 1", lambda number: 0 < number <= 1)
    return _number(named, f"at least {LEAST_RATE:g}", lambda number: number >= LEAST_RATE)


def norm(**named: Any) -> float:
    """The exponent of a norm: from 1 to infinity, which is allowed."""
    return _number(named, "a norm's exponent, from 1 to inf", lambda number: number >= 1)


def count(at_least: int = 1, at_most: int | None = None, **named: Any) -> int:
    """A whole number in [at_least, at_most]; 10.0 is not one, nor is True."""
    name, value = _only(named)
    allowed = f"a whole number of at least {at_least:,}"
    if at_most is not None:
        allowed += f" and at most {at_most:,}"
    if isinstance(value, NO_NUMBERS) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be {allowed}, got {_shown(value)}")
    number = int(value)
    if number < at_least or (at_most is not None and number > at_most):
        raise ValueError(f"{name} must be {allowed}, got {_shown(value)}")
    return number


def orders(integer: bool = False, at_most: float = np.inf, **named: Any) -> Array:
    """One Renyi order or an array of them, as floats: above 1, or whole numbers from 2."""
    name, value = _only(named)
    allowed = "a whole number of at least 2" if integer else "above 1 and finite"
    if at_most < np.inf:
        allowed += f" and at most {at_most:g}"
    result = _floats(name, value, f"{allowed} (or an array of such)")
    good = np.isfinite(result) & (result > 1) & (result <= at_most)
    if integer:
        good &= result == np.floor(result)
    if not good.all():
        raise ValueError(f"{name} must be {allowed}, got {result[~good].flat[0]:g}")
    return result


def array(low: float = -np.inf, high: float = np.inf, **named: Any) -> Array:
    """One number or an array of numbers, each finite and in [low, high], as floats."""
    name, value = _only(named)
    allowed = f"numbers from {low:g} to {high:g}"
    result = _floats(name, value, allowed)
    good = np.isfinite(result) & (result >= low) & (result <= high)
    if not good.all():
        raise ValueError(f"{name} must be {allowed}, got {result[~good].flat[0]:g}")
    return result


def probabilities(axis: int | None = None, **named: Any) -> NDArray[Any]:
    """Probabilities that sum to 1 (along ``axis``): floats or, kept exact, ``Fraction`` or ``mpmath.mpf``."""
    name, value = _only(named)
    allowed = "an array of probabilities, 0 or above, that sum to 1"
    table = _as_array(name, value, allowed)
    kind, size = table.dtype.kind, table.size
    real = kind != "O" or all(isinstance(x, numbers.Real) and not isinstance(x, NO_NUMBERS) for x in table.flat)
    if kind not in "iufO" or size == 0 or not real:
        raise TypeError(f"{name} must be {allowed}, got {_shown(value)}")
    if table.dtype != object:
        table = table.astype(np.float64)
    if not (table >= 0).all():
        raise ValueError(f"{name} must be {allowed}, got {_rounded(table.min())}")
    if not (table <= 2).all():  # of numbers beyond floating point no sum could be taken
        raise ValueError(f"{name} must be {allowed}, got {_rounded(table.max())}")
    totals = np.asarray(table.sum(axis=axis)).ravel()
    # Sums of fractions must be 1, all others nearly so.
    slack = 0 if all(isinstance(total, numbers.Rational) for total in totals) else 1e-9
    for total in totals:
        if not abs(total - 1) <= slack:
            raise ValueError(f"{name} must be {allowed}, got a sum of {float(total):.12g}")
    return table


def _rounded(number: Any) -> str:
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return "a number beyond floating point"


def real(**named: Any) -> Any:
    """A finite number, exact if it is given so: a whole one becomes a fraction, so that no quotient is rounded."""
    name, value = _only(named)
    if isinstance(value, NO_NUMBERS) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a finite number, got {_shown(value)}")
    if isinstance(value, numbers.Rational):
        return _fraction(value)
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {_shown(value)}")
    return value


def ratio(**named: Any) -> Any:
    """``E = e^eps0``: above 1 and at most e^300, exact if it is given so."""
    name, value = _only(named)
    number = real(**named)
    if not 1 < number <= LARGEST_ODDS:
        raise ValueError(f"{name} must be above 1 and at most e^300, got {_shown(value)}")
    return number


def odds(*, eps0: Any, ratio: Any) -> Any:
    """``E = e^eps0`` from whichever of the two was given, exact when it was the ratio."""
    if (eps0 is None) == (ratio is None):
        raise ValueError(f"give exactly one of eps0 and ratio, got eps0={_shown(eps0)} and ratio={_shown(ratio)}")
    if eps0 is not None:
        return math.exp(local_eps(eps0=eps0))
    allowed = "a whole number or a Fraction above 1 and at most e^300"
    if isinstance(ratio, bool) or not isinstance(ratio, (int, Fraction)):
        raise TypeError(f"ratio must be {allowed}, got {_shown(ratio)}")
    if not 1 < ratio <= LARGEST_ODDS:
        raise ValueError(f"ratio must be {allowed}, got {_shown(ratio)}")
    return Fraction(ratio)


def exact_rate(**named: Any) -> Any:
    """A sampling rate, as ``rate``, exact if it is given so."""
    return _exact_if_given(named, rate(**named))


def exact_open_unit(**named: Any) -> Any:
    """A probability strictly between 0 and 1, as ``open_unit``, exact if it is given so."""
    return _exact_if_given(named, open_unit(**named))


def _exact_if_given(named: dict[str, Any], number: float) -> Any:
    _, value = _only(named)
    return _fraction(value) if isinstance(value, numbers.Rational) else number


def _fraction(value: numbers.Rational) -> Fraction:
    """Made of Python's own integers: numpy's would overflow."""
    return Fraction(int(value.numerator), int(value.denominator))


def generator(**named: Any) -> np.random.Generator:
    """A source of random numbers: numpy's ``Generator``."""
    name, value = _only(named)
    if not isinstance(value, np.random.Generator):
        raise TypeError(f"{name} must be a numpy.random.Generator, got {_shown(value)}")
    return value


def choice(options: tuple[str, ...], **named: Any) -> str:
    """One of a few words."""
    name, value = _only(named)
    # An array of one such word would be found among them, too.
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {_shown(value)}")
    return value
