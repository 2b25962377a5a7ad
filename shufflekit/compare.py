"""Every bound of every paper on one protocol, side by side: its value and source, or why it does not apply."""

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shufflekit._digits import rounded
from shufflekit.dominating_pairs import Pair, clones
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import balle2019, comparisons, feldman2021, girgis2021
from shufflekit.papers.koskela2023.sampling_accountant import Lemma7Pair
from shufflekit.protocols import GaussianShuffle, RandomizedResponseShuffle, Run, Shuffle, ShuffledCheckIn
from shufflekit.renyi import RenyiCurve, epsilon_at_order

RTOL = 1e-4
# Beyond these a bound takes seconds, or minutes.
SLOW_N, SLOW_ROUNDS, RENYI_N = 10**7, 10**7, 1_000
NOT_LOCAL = "needs reports that are eps0-LDP"


class Row(NamedTuple):
    """One bound: ``kind`` says which side of the true eps it is on; ``eps`` is None where it does not apply."""

    kind: str
    name: str
    source: str
    eps: float | None
    remark: str = ""


@dataclass(frozen=True)
class Comparison:
    """The rows: the guarantees from the tightest to the loosest, then what attacks reach."""

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
    return "--" if row.eps is None else f"{rounded(row.eps, up=row.kind == 'upper'):g}"


def _note(row: Row) -> str:
    return f"[{row.source}] {row.remark}".strip()


class _TooSlow(Exception):
    """Why a bound is not worth waiting for."""


class _Crowd(NamedTuple):
    """Rounds of n eps0-LDP reports from a population."""

    eps0: float
    n: int
    population: int
    rounds: int


def compare(run: Run, delta: float) -> Comparison:
    """The table for a run at delta: guarantees, from the tightest to the loosest, then what attacks reach."""
    uppers = [*_own(run, delta), *_of_crowds(run, delta), _pure(run)]
    applying = sorted((row for row in uppers if row.eps is not None), key=lambda row: row.eps or 0.0)
    others = [row for row in uppers if row.eps is None]
    return Comparison(f"{run} at delta = {delta:g}", (*applying, *others, *_attacks(run, delta)))


def _own(run: Run, delta: float) -> list[Row]:
    """The run's own pair, where it is not one of the clone pairs."""
    if all(isinstance(protocol, Shuffle) and protocol.randomizer is None for protocol, _ in run.parts):
        return []
    theirs = (GaussianShuffle, RandomizedResponseShuffle)
    source = "koskela2023" if any(isinstance(protocol, theirs) for protocol, _ in run.parts) else "beyond"
    only = any(isinstance(protocol, GaussianShuffle) for protocol, _ in run.parts)
    remark = "all records but one equal" if only else ""
    return [Row("upper", "this protocol's own pair, composed numerically", source, run.epsilon(delta).upper, remark)]


def _pure(run: Run) -> Row:
    name, source = "each round eps0-DP, sampled; eps adds up (delta = 0)", "ullman2017"
    if run.pure_epsilon == math.inf:
        return Row("upper", name, source, None, f"does not apply: {NOT_LOCAL}")
    # No shuffle of eps0-LDP reports tells more than eps0; a pair's largest loss has been rounded up.
    largest = [
        min(protocol.pure_epsilon, getattr(protocol, "eps0", math.inf) if _why_not(protocol) is None else math.inf)
        for protocol, _ in run.parts
    ]
    return Row("upper", name, source, math.fsum(own * most for most, (_, own) in zip(largest, run.parts, strict=True)))


def _of_crowds(run: Run, delta: float) -> list[Row]:
    """The bounds for any eps0-LDP reports, or why they say nothing here."""
    reason = next(filter(None, (_why_not(protocol) for protocol, _ in run.parts)), None)
    if reason:
        names = [(name, source) for name, source, _ in (*_ANY_CROWDS, *_EQUAL_ROUNDS)]
        return [Row("upper", name, source, None, f"does not apply: {reason}") for name, source in names]
    crowds = [
        _Crowd(protocol.eps0, protocol.n, getattr(protocol, "population", protocol.n), rounds)
        for protocol, rounds in run.parts
        if isinstance(protocol, (Shuffle, RandomizedResponseShuffle))
    ]
    rows = [_row(name, source, bound, crowds, delta) for name, source, bound in _ANY_CROWDS]
    for name, source, bound in _EQUAL_ROUNDS:
        if len(crowds) > 1:
            rows.append(Row("upper", name, source, None, "does not apply: is stated for equal rounds only"))
        else:
            rows.append(_row(name, source, bound, crowds[0], delta))
    return rows


def _why_not(protocol: object) -> str | None:
    """Why a bound for n eps0-LDP reports, shuffled, is not one for this protocol."""
    if isinstance(protocol, GaussianShuffle):
        return NOT_LOCAL
    if isinstance(protocol, ShuffledCheckIn):
        return "is about a fixed number of reports a round"
    if isinstance(protocol, RandomizedResponseShuffle) and protocol.view != "clones":
        return f"is about what the shuffler shows, and the {protocol.view} adversary sees more"
    return None


def _row(name: str, source: str, bound: Callable[[Any, float], float], of: Any, delta: float) -> Row:
    try:
        return Row("upper", name, source, bound(of, delta))
    except _TooSlow as reason:
        return Row("upper", name, source, None, f"left out: {reason}")
    except ValueError as reason:
        return Row("upper", name, source, None, f"does not apply: {reason}")


def _composed(pairs: Sequence[Pair], crowds: Sequence[_Crowd], delta: float) -> float:
    parts = [Part(pair, crowd.rounds) for pair, crowd in zip(pairs, crowds, strict=True)]
    return Composition(parts).epsilon(delta, RTOL).upper


def _clone_pair(reduction: str) -> Callable[[Sequence[_Crowd], float], float]:
    def bound(crowds: Sequence[_Crowd], delta: float) -> float:
        return _composed([clones(c.eps0, c.n, c.population, reduction) for c in crowds], crowds, delta)

    return bound


def _lemma7(crowds: Sequence[_Crowd], delta: float) -> float:
    if all(crowd.n == crowd.population for crowd in crowds):
        raise ValueError("nothing is sampled")
    return _composed([Lemma7Pair(c.eps0, c.population, c.n) for c in crowds], crowds, delta)


def _renyi(crowds: Sequence[_Crowd], delta: float) -> float:
    """The clone pair's Renyi divergence and Lemma 1, at orders near the best one of a Gaussian with the same eps."""
    if any(crowd.n > RENYI_N for crowd in crowds):
        raise _TooSlow(f"takes long beyond n = {RENYI_N:,}")
    run = Run((Shuffle(crowd.eps0, crowd.n, crowd.population), crowd.rounds) for crowd in crowds)
    eps, log_delta = run.epsilon(delta, rtol=0.01).upper, -math.log(delta)
    if eps == 0:
        return 0.0
    spread = eps / (math.sqrt(log_delta + eps) + math.sqrt(log_delta))
    best, least = math.sqrt(log_delta) / spread, run.pure_epsilon
    for factors in (np.exp2(np.linspace(-3, 2, 11)), np.exp2(np.linspace(-0.5, 0.5, 9))):
        orders = 1 + np.minimum(best * factors, 1e6)
        values = epsilon_at_order(run.rdp(orders), orders, delta)
        at = int(np.argmin(values))
        best, least = float(orders[at]) - 1, min(least, float(values[at]))
    return max(least, 0.0)


def _theorem1(crowds: Sequence[_Crowd], delta: float) -> float:
    def curve(crowd: _Crowd) -> RenyiCurve:
        eps0, n, population, _ = crowd
        cap = math.log1p(n / population * math.expm1(eps0))
        one = RenyiCurve(lambda order: girgis2021.thm1_real_order(order, eps0, population, n, cap=cap), cap)
        return one * crowd.rounds

    total = curve(crowds[0])
    for crowd in crowds[1:]:
        total = total + curve(crowd)
    return total.epsilon(delta).value


def _strong_composition(amplification: str) -> Callable[[_Crowd, float], float]:
    def bound(crowd: _Crowd, delta: float) -> float:
        eps0, k, n, rounds = crowd
        if rounds > SLOW_ROUNDS:
            raise _TooSlow(f"takes long beyond {SLOW_ROUNDS:,} rounds")
        if amplification == "numerical" and k > SLOW_N:
            raise _TooSlow(f"takes long beyond n = {SLOW_N:,}")
        return comparisons.clones_strong_composition(eps0, n, k, rounds, delta, amplification, "optimal")

    return bound


def _shuffled_then_sampled(crowd: _Crowd, delta: float) -> float:
    eps0, k, n, rounds = crowd
    return max(0.0, comparisons.shuffle_then_sample(eps0, n, k, rounds, delta).value)


def _single(bound: Callable[[float, float, int], float]) -> Callable[[_Crowd, float], float]:
    def single(crowd: _Crowd, delta: float) -> float:
        if crowd.rounds > 1 or crowd.population > crowd.n:
            raise ValueError("is about one round without sampling")
        return bound(delta, crowd.eps0, crowd.n)

    return single


def _clones_once(delta: float, eps0: float, n: int) -> float:
    if n > SLOW_N:
        raise _TooSlow(f"takes long beyond n = {SLOW_N:,}; the composed clones2021 pair says the same")
    return feldman2021.epsilon(delta, eps0, n)


def _attacks(run: Run, delta: float) -> list[Row]:
    """What is really reached, kind by kind; one row where the protocols of a run differ in kind."""
    kinds = {tuple(_kinds(protocol)) for protocol, _ in run.parts}
    if len(kinds) > 1 or len(next(iter(kinds))) < 2:
        name, source, remark = next(iter(kinds))[0] if len(kinds) == 1 else ("the worst known of each", "beyond", "")
        return [Row("lower", name, source, run.attack_epsilon(delta).lower, remark)]
    rows = []
    for i, (name, source, remark) in enumerate(next(iter(kinds))):
        forth = [Part(protocol.attacks[i], rounds) for protocol, rounds in run.parts]
        back = [Part(pair.reversed(), rounds) for pair, rounds in forth]
        ends = [
            Composition(parts).epsilon(delta, RTOL).lower for parts in ([forth] if back == forth else [forth, back])
        ]
        rows.append(Row("lower", name, source, max(ends), remark))
    return sorted(rows, key=lambda row: -(row.eps or 0.0))


def _kinds(protocol: object) -> list[tuple[str, str, str]]:
    """The protocol's attacks: name, source, remark."""
    binary = ("binary randomized response, all others equal", "girgis2021", "Theorem 2's mechanism, exact law")
    ternary = ("3-ary randomized response, all others at the third value", "beyond", "exact law")
    if isinstance(protocol, GaussianShuffle):
        return [("the mechanism itself, all records but one equal", "koskela2023", "exact law")]
    if isinstance(protocol, RandomizedResponseShuffle):
        return [("the mechanism itself, all others equal", "beyond", "exact law")]
    if isinstance(protocol, ShuffledCheckIn):
        return [ternary]
    if isinstance(protocol, Shuffle) and protocol.randomizer is not None:
        return [("this randomizer, all others equal, worst values", "beyond", "exact law")]
    return [binary, ternary]


_ANY_CROWDS: list[tuple[str, str, Callable[[Sequence[_Crowd], float], float]]] = [
    ("clone pair, composed numerically", "beyond", _clone_pair("clones")),
    ("clone pair, sampled by Lemma 7, composed numerically", "koskela2023", _lemma7),
    ("clones2021 pair, composed numerically", "feldman2021", _clone_pair("clones2021")),
    ("clone pair by Renyi and Lemma 1, best order", "beyond, girgis2021", _renyi),
    ("Theorem 1 and Lemma 1, best order", "girgis2021", _theorem1),
]

_EQUAL_ROUNDS: list[tuple[str, str, Callable[[_Crowd, float], float]]] = [
    ("clones, numerical", "feldman2021", _single(_clones_once)),
    ("clones, closed form", "feldman2021", _single(lambda delta, eps0, n: feldman2021.closed_form(eps0, n, delta))),
    ("blanket, Bennett", "balle2019", _single(balle2019.epsilon)),
    ("clones, numerical; optimal composition", "feldman2021, kairouz2015", _strong_composition("numerical")),
    ("clones, closed form; optimal composition", "feldman2021, kairouz2015", _strong_composition("closed")),
    ("no shuffling; optimal composition", "kairouz2015", _strong_composition("none")),
    ("Renyi of the shuffle, then sampled", "girgis2021ccs, wang2019", _shuffled_then_sampled),
]
