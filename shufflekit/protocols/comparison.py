"""A table of bounds on one run, side by side: value and source, or why it does not apply."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shufflekit._digits import rounded
from shufflekit.protocols.bounds import Bound, Reports, TooSlow


class Row(NamedTuple):
    """One bound: ``kind`` says which side of the true eps it is on; ``eps`` is None where it does not apply."""

    kind: str
    name: str
    source: str
    eps: float | None
    remark: str = ""

    @property
    def value(self) -> str:
        return "--" if self.eps is None else f"{rounded(self.eps, up=self.kind == 'upper'):g}"

    @property
    def note(self) -> str:
        return f"[{self.source}] {self.remark}".strip()


@dataclass(frozen=True)
class Comparison:
    """The rows: the guarantees from the tightest to the loosest, then what attacks reach."""

    title: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        lines = [f"  {row.kind:6} {row.value:>10}  {row.name:{width}}  {row.note}".rstrip() for row in self.rows]
        return "\n".join([self.title, *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        lines = [_html_row("th", ("side", "epsilon", "bound", "source"))]
        lines += [_html_row("td", (row.kind, row.value, row.name, row.note)) for row in self.rows]
        return f"<p>{html.escape(self.title)}</p><table>{''.join(lines)}</table>"


def row_of(bound: Bound, parts: Sequence[tuple[Any, int]], delta: float) -> Row | None:
    """A bound's row: its value, or why there is none; no row where it is about something else altogether."""
    try:
        reports = [protocol.reports()._replace(rounds=rounds) for protocol, rounds in parts]
    except ValueError as reason:
        if bound.about is not Reports:
            return None
        return Row("upper", bound.name, bound.source, None, f"does not apply: {reason}")
    about = [isinstance(one, bound.about) for one in reports]
    if not any(about):
        return None
    try:
        if not all(about):
            raise ValueError("is not about all of these rounds")
        return Row("upper", bound.name, bound.source, bound.epsilon(reports, delta))
    except TooSlow as reason:
        return Row("upper", bound.name, bound.source, None, f"left out: {reason}")
    except ValueError as reason:
        return Row("upper", bound.name, bound.source, None, f"does not apply: {reason}")


def once(own: list[Row], others: list[Row], rtol: float) -> list[Row]:
    """All of them; but where a check-in's own pair, the least of several bounds, is one of them, that one's row only.

    It has the same source, and within the tolerance the same eps, of which the lesser holds.
    """
    for row in own:
        for place, other in enumerate(others):
            if other.eps is None or row.eps is None or other.source != row.source:
                continue
            if abs(other.eps - row.eps) <= rtol * row.eps:
                least = other._replace(eps=min(row.eps, other.eps))
                return [*others[:place], least, *others[place + 1 :]]
    return [*own, *others]


def in_order(title: str, uppers: list[Row], lowers: list[Row]) -> Comparison:
    """The table: guarantees that apply, from the tightest on, those that do not, and attacks from the worst on."""
    applying = sorted((row for row in uppers if row.eps is not None), key=lambda row: row.eps or 0.0)
    others = [row for row in uppers if row.eps is None]
    return Comparison(title, (*applying, *others, *sorted(lowers, key=lambda row: -(row.eps or 0.0))))


def _html_row(tag: str, texts: tuple[str, ...]) -> str:
    cells = "".join(f'<{tag} style="text-align:left">{html.escape(text)}</{tag}>' for text in texts)
    return f"<tr>{cells}</tr>"
