"""Rows of a check: two sides and where, one row a point; and what a paper prints wrongly, with rows of the right form.

The benches of [balle2020] and [liew2022] list their checks so, and ``claims.verify`` and ``claims.refute`` take them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

Row = tuple[Any, Any, str]
DEGENERATE = ", degenerate"  # ends the name of a row that says nothing about how near a bound is


class Misprint(NamedTuple):
    """The two sides as printed and the point at which they fail, for ``claims.refute``; rows of the right form."""

    printed: tuple[Any, Any, dict[str, Any]]
    rows: list[Row]


class Compared(NamedTuple):
    """Both sides of many points, and their names, as ``claims.verify`` takes them."""

    lhs: list[Any]
    rhs: list[Any]
    over: dict[str, Any]

    def without(self, *degenerate: str) -> list[bool]:
        """Which points are not degenerate: those whose names hold none of these words, for ``decides``."""
        return [not any(word in where for word in degenerate) for where in self.over["where"]]


def compared(rows: Iterable[Row]) -> Compared:
    """From one row a point: left, right, where."""
    lhs, rhs, where = zip(*rows, strict=True)
    return Compared(list(lhs), list(rhs), {"where": list(where)})
