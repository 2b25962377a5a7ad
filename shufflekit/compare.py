"""Every bound of every paper on one protocol, side by side: its value and source, or why it does not apply."""

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from shufflekit.papers import balle2019, comparisons, feldman2021

if TYPE_CHECKING:
    from shufflekit.protocols import Run, Shuffle


class Row(NamedTuple):
    """One bound: ``kind`` says which side of the true eps it is on; ``eps`` is None where it does not apply."""

    kind: str
    name: str
    source: str
    eps: float | None
    remark: str = ""


@dataclass(frozen=True)
class Comparison:
    """The rows, the guarantees from the tightest to the loosest, then what an attack reaches."""

    title: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        lines = [self.title]
        lines += [f"  {row.kind:6} {_value(row):>10}  {row.name:{width}}  {_note(row)}".rstrip() for row in self.rows]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        body = [(row.kind, _value(row), row.name, _note(row)) for row in self.rows]
        lines = [_html_row("th", ("side", "epsilon", "bound", "source")), *(_html_row("td", texts) for texts in body)]
        return f"<p>{html.escape(self.title)}</p><table>{''.join(lines)}</table>"


def _html_row(tag: str, texts: tuple[str, ...]) -> str:
    cells = "".join(f'<{tag} style="text-align:left">{html.escape(text)}</{tag}>' for text in texts)
    return f"<tr>{cells}</tr>"


def _value(row: Row) -> str:
    return "--" if row.eps is None else f"{row.eps:.6g}"


def _note(row: Row) -> str:
    return f"[{row.source}] {row.remark}".strip()


def compare(run: "Run", delta: float) -> Comparison:
    """The table for a run at delta: valid upper bounds on its eps, and the lower end that an attack really reaches."""
    uppers = [
        Row("upper", "Theorem 1 and Lemma 1, best order", "girgis2021", run.renyi_curve.epsilon(delta).value),
        Row("upper", "each round eps0-DP, sampled; eps adds up (delta = 0)", "ullman2017", run.renyi_curve.limit),
    ]
    if len(run.parts) == 1:
        uppers += _of_equal_rounds(*run.parts[0], delta)
    else:
        remark = "is stated for equal rounds only"
        uppers += [Row("upper", name, source, None, remark) for name, source, _ in _EQUAL_ROUNDS]
    applying = sorted((row for row in uppers if row.eps is not None), key=lambda row: row.eps or 0.0)
    others = [row for row in uppers if row.eps is None]
    attack = run.attack_epsilon(delta).lower
    name, remark = "binary randomized response, all others equal", "Theorem 2's mechanism, exact law"
    lower = Row("lower", name, "girgis2021", attack, remark)
    return Comparison(f"{run} at delta = {delta:g}", (*applying, *others, lower))


def _of_equal_rounds(protocol: "Shuffle", rounds: int, delta: float) -> list[Row]:
    rows = []
    for name, source, bound in _EQUAL_ROUNDS:
        try:
            rows.append(Row("upper", name, source, bound(protocol, rounds, delta)))
        except ValueError as reason:
            rows.append(Row("upper", name, source, None, f"does not apply: {reason}"))
    return rows


def _clones(amplification: str, composition: str) -> Callable[["Shuffle", int, float], float]:
    def bound(protocol: "Shuffle", rounds: int, delta: float) -> float:
        eps0, k, n = protocol.eps0, protocol.n, protocol.population
        return comparisons.clones_strong_composition(eps0, n, k, rounds, delta, amplification, composition)

    return bound


def _shuffled_then_sampled(protocol: "Shuffle", rounds: int, delta: float) -> float:
    eps0, k, n = protocol.eps0, protocol.n, protocol.population
    return max(0.0, comparisons.shuffle_then_sample(eps0, n, k, rounds, delta).value)


def _single(bound: Callable[[float, float, int], float]) -> Callable[["Shuffle", int, float], float]:
    def single(protocol: "Shuffle", rounds: int, delta: float) -> float:
        if rounds > 1 or protocol.population > protocol.n:
            raise ValueError("is about one round without sampling")
        return bound(delta, protocol.eps0, protocol.n)

    return single


_EQUAL_ROUNDS: list[tuple[str, str, Callable[["Shuffle", int, float], float]]] = [
    ("clones, numerical", "feldman2021", _single(feldman2021.epsilon)),
    ("clones, closed form", "feldman2021", _single(lambda delta, eps0, n: feldman2021.closed_form(eps0, n, delta))),
    ("blanket, Bennett", "balle2019", _single(balle2019.epsilon)),
    ("clones, numerical; optimal composition", "feldman2021, kairouz2015", _clones("numerical", "optimal")),
    ("clones, closed form; optimal composition", "feldman2021, kairouz2015", _clones("closed", "optimal")),
    ("no shuffling; optimal composition", "kairouz2015", _clones("none", "optimal")),
    ("Renyi of the shuffle, then sampled", "girgis2021ccs, wang2019", _shuffled_then_sampled),
]
