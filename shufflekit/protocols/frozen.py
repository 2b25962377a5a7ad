"""What every protocol is made of: fields that are checked once and never change, and a text that makes it again."""

import math
from typing import Any

NOT_GIVEN: Any = None  # of a field that has its value all the same once the protocol is made


def settle(protocol: Any, **fields: Any) -> None:
    """Set the checked values of a frozen dataclass while it is being made."""
    for name, value in fields.items():
        object.__setattr__(protocol, name, value)


def shown(number: float) -> str:
    """A number in few digits where they give it back, else in all."""
    short = f"{number:g}"
    return short if math.isinf(number) or float(short) == number else repr(number)
