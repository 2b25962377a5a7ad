"""Both sides of a claim on many points, as ``claims.verify`` takes them."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Compared(NamedTuple):
    """Both sides, and the names of the points."""

    lhs: list[Any]
    rhs: list[Any]
    over: dict[str, Any]


def compared(rows: Iterable[tuple[Any, Any, str]]) -> Compared:
    """From one row a point: left, right, where."""
    lhs, rhs, where = zip(*rows, strict=True)
    return Compared(list(lhs), list(rhs), {"where": list(where)})
