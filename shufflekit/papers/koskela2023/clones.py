"""The clone pair, and every step of the proof that it dominates: the slow truth of notebook 09, in fractions.

A *blanket* B of the changed user's two inputs is a measure below every row of the channel. The *score* of a message
o from the blanket is ``(t0, t1) = (R(x0), R(x1))(o) / B(o)``, that of a user who left the blanket ``(0, 0)``. What an
adversary sees who is told who left, depends on the sum of n independent scores only.

Everything here is exact: channels of ``Fraction`` (built with ``ratio=``), whole or fractional numbers.
"""

import itertools
import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shufflekit import _validate
from shufflekit.divergences import hockey_stick
from shufflekit.exact import histogram_law
from shufflekit.randomizers import Channel

Law = NDArray[Any]


class TwoLaws(NamedTuple):
    """The laws of one view under the two data sets: entry i of both belongs to the same outcome."""

    p: Law
    q: Law


class Scores(NamedTuple):
    """The law of one user's score: ``(t0[i], t1[i])`` with probability ``mass[i]``, else ``(0, 0)``."""

    mass: Law
    t0: Law
    t1: Law


def eq31(n: int, ratio: Any, p: Any = None) -> TwoLaws:
    """Eq (3.1)-(3.2): the clone pair for n users and any p up to 1/(E+1), its default; entry [a, b].

    Formal guarantee for the default p: dominates every shuffled eps0-LDP randomizer, E = ``ratio`` = e^eps0.
    Below it the third component P2 has weight, and the pair does not dominate (notebook 09).
    """
    n, E = _validate.count(n=n), _ratio(ratio=ratio)
    p = 1 / (E + 1) if p is None else _real(p=p)
    if not 0 < p <= 1 / (E + 1):
        raise ValueError(f"p must be above 0 and at most 1/(E+1), got {p!r}")
    others = np.full((n + 1, n + 1), 0 * p)  # the law of (A, C - A)
    for a, b in _counts(n - 1, 2):
        others[a, b] = _multinomial(n - 1, (a, b)) * p ** (a + b) * (1 - 2 * p) ** (n - 1 - a - b)
    first, second = np.zeros_like(others), np.zeros_like(others)
    first[1:, :], second[:, 1:] = others[:-1, :], others[:, :-1]
    third = (1 - (E + 1) * p) * others
    return TwoLaws(E * p * first + p * second + third, p * first + E * p * second + third)  # [koskela2023] eq (3.1)


def two_input_blanket(channel: Channel, x0: int, x1: int, ratio: Any = None) -> Law:
    """``B = max(R(x0), R(x1))/E``, below every row of an eps0-LDP channel; E is the channel's unless given."""
    E = _channel(channel).ratio if ratio is None else _ratio(ratio=ratio)
    if channel.ratio > E:
        raise ValueError(f"ratio must be at least the channel's own, {channel.ratio}, got {ratio!r}")
    return np.asarray(np.maximum(*_rows(channel, x0, x1)) / E)


def common_blanket(channel: Channel) -> Law:
    """``B = min_x R(x)``: the largest blanket there is [balle2019]."""
    return np.asarray(_channel(channel).probs.min(axis=0))


def scores(channel: Channel, x0: int, x1: int, blanket: ArrayLike) -> Scores:
    """The law of the score of one user, equal scores put together."""
    rows, B = _rows(channel, x0, x1), _blanket(channel, blanket)
    seen: dict[tuple[Any, Any], Any] = {}
    for r0, r1, b in zip(*rows, B, strict=True):
        if b > 0:
            seen[r0 / b, r1 / b] = seen.get((r0 / b, r1 / b), 0) + b
        elif r0 > 0 or r1 > 0:
            raise ValueError("blanket must be positive wherever one of the two rows is")
    t0, t1 = zip(*seen, strict=True)
    return Scores(law(seen.values()), law(t0), law(t1))


def all_scores(channel: Channel) -> list[Scores]:
    """The scores of every ordered pair of inputs, each with its blanket ``max(R(x0), R(x1))/E``."""
    pairs = itertools.permutations(range(_channel(channel).inputs), 2)
    return [scores(channel, *pair, two_input_blanket(channel, *pair)) for pair in pairs]


def clone_scores(ratio: Any) -> Scores:
    """The clone pair's score: (E, 1) or (1, E), each with probability 1/(E+1)."""
    E = _ratio(ratio=ratio)
    return Scores(law([1 / (E + 1)] * 2), law([E, 1]), law([1, E]))


def score_pair(score: Scores, n: int) -> TwoLaws:
    """The pair of n scores: a sum (T0, T1) of probability w has ``P = w T0/n`` and ``Q = w T1/n``.

    So ``H_a(P||Q) = E[(sum_i g_i)_+]/n`` with ``g = t0 - a t1``, for all a at once. One entry a sum.
    """
    n, nothing = _validate.count(n=n), 1 - sum(_score(score).mass)
    p, q = [], []
    for counts in _counts(n, len(score.mass)):
        w = _multinomial(n, counts) * nothing ** (n - sum(counts)) * math.prod(score.mass ** np.array(counts, object))
        p.append(w * (score.t0 @ np.array(counts, object)) / n)  # beyond:1
        q.append(w * (score.t1 @ np.array(counts, object)) / n)
    return TwoLaws(law(p), law(q))


def stop_loss(score: Scores, alpha: Any, c: Any) -> Any:
    """``E[(g + c)_+]`` for the score ``g = t0 - alpha t1``: equal means and this for all c are convex order."""
    a, c, score = _real(alpha=alpha), _real(c=c), _score(score)
    shifted = score.t0 - a * score.t1 + c
    return sum(score.mass * np.maximum(shifted, 0)) + (1 - sum(score.mass)) * max(c, 0)


def chord_gap(ratio: Any, alpha: Any, c: Any) -> Any:
    """``D(c)`` of beyond:2: how far the plane through the corners (0,0), (E,1), (1,E) lies above the corner (E,E)."""
    E, a, c = _ratio(ratio=ratio), _real(alpha=alpha), _real(c=c)
    s = E / (E + 1)

    def f(x: Any) -> Any:
        return max(x + c, 0)

    return f(0) * (1 - 2 * s) + s * (f(E - a) + f(1 - a * E)) - f(E * (1 - a))  # beyond:2


def shuffled_view(channel: Channel, others: Sequence[int], x0: int, x1: int) -> TwoLaws:
    """What the shuffle itself shows, for the changed user's two inputs."""
    rows, others = _rows(channel, x0, x1), _inputs(channel, others)
    return TwoLaws(*(histogram_law([row, *channel.probs[others]]) for row in rows))


def revealed_view(channel: Channel, others: Sequence[int], x0: int, x1: int, blanket: ArrayLike) -> TwoLaws:
    """By brute force: what is seen by one who is told which of the others left the blanket, and what they sent."""
    rows, B, others = _rows(channel, x0, x1), _blanket(channel, blanket), _inputs(channel, others)
    outputs, views = range(channel.outputs), ({}, {})  # type: tuple[Any, Any]
    for messages in itertools.product(outputs, repeat=len(others)):
        for stayed in itertools.product((True, False), repeat=len(others)):
            parts = zip(others, messages, stayed, strict=True)
            weight = math.prod(B[o] if stays else channel.probs[x, o] - B[o] for x, o, stays in parts)
            left = tuple(None if stays else o for o, stays in zip(messages, stayed, strict=True))
            kept = [o for o, stays in zip(messages, stayed, strict=True) if stays]
            for view, row in zip(views, rows, strict=True):
                for own in outputs:
                    add(view, (left, tuple(sorted([*kept, own]))), weight * row[own])
    return aligned(*views)


def aligned(p: Mapping[Hashable, Any], q: Mapping[Hashable, Any]) -> TwoLaws:
    """Two laws that are given as ``{outcome: probability}``, over the outcomes of both."""
    outcomes = list(dict.fromkeys([*p, *q]))
    return TwoLaws(law(p.get(o, 0) for o in outcomes), law(q.get(o, 0) for o in outcomes))


def kinks(laws: TwoLaws) -> Law:
    """The likelihood ratios P/Q: between two neighbouring ones ``H_a(P||Q)`` is a straight line in a.

    Any profile is convex in a. So one that lies below ``H_a(P||Q)`` at a = 0 and at all these lies below it at
    *every* a up to the last of them, where ``H_a(P||Q)`` stops falling: so finitely many comparisons settle "all a".
    """
    pairs = zip(laws.p.flat, laws.q.flat, strict=True)
    return law(sorted({p / q for p, q in pairs if q > 0}))


def profiles(lower: TwoLaws, upper: TwoLaws) -> tuple[Law, Law, Law]:
    """The profiles of both at the kinks of ``upper``, and those kinks: ``upper`` dominates if none is exceeded."""
    alphas = kinks(upper)
    return hockey_stick(*lower, alphas), hockey_stick(*upper, alphas), alphas


def _counts(most: int, kinds: int) -> list[tuple[int, ...]]:
    """All ways to count ``kinds`` kinds of things, at most ``most`` in all."""
    found: list[tuple[int, ...]] = [()]
    for _ in range(kinds):
        found = [(*counts, i) for counts in found for i in range(most - sum(counts) + 1)]
    return found


def _multinomial(n: int, counts: Sequence[int]) -> int:
    """The ways to choose who of n is of which kind; the rest is of none."""
    value, left = 1, n
    for count in counts:
        value, left = value * math.comb(left, count), left - count
    return value


def add(view: dict[Any, Any], outcome: Hashable, weight: Any) -> None:
    """One more way to arrive at an outcome of a view under construction."""
    if weight != 0:
        view[outcome] = view.get(outcome, 0) + weight


def law(values: Any) -> Law:
    """An exact array of numbers, whole ones as fractions, so that no quotient of two is rounded."""
    return np.array([_real(value=value) for value in values], dtype=object)


def _ratio(**named: Any) -> Any:
    """``E = e^eps0``, above 1: exact if it is given so."""
    E = _real(**named)
    if not E > 1:
        ((name, value),) = named.items()
        raise ValueError(f"{name} must be above 1 and finite, got {value!r}")
    return E


def _real(**named: Any) -> Any:
    """A finite number, a whole one as a fraction, so that no quotient of two is rounded."""
    ((name, value),) = named.items()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a finite number, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return Fraction(value) if isinstance(value, numbers.Rational) else value


def _score(score: Scores) -> Scores:
    if not isinstance(score, Scores):
        raise TypeError(f"score must be a Scores, got {score!r}")
    return score


def _inputs(channel: Channel, others: Sequence[int]) -> list[int]:
    most = _channel(channel).inputs - 1
    return [_validate.count(at_least=0, at_most=most, others=x) for x in others]


def _channel(channel: Channel) -> Channel:
    if not isinstance(channel, Channel):
        raise TypeError(f"channel must be a shufflekit.randomizers.Channel, got {channel!r}")
    return channel


def _rows(channel: Channel, x0: int, x1: int) -> tuple[Law, Law]:
    most = _channel(channel).inputs - 1
    x0, x1 = _validate.count(at_least=0, at_most=most, x0=x0), _validate.count(at_least=0, at_most=most, x1=x1)
    return channel.probs[x0], channel.probs[x1]


def _blanket(channel: Channel, blanket: ArrayLike) -> Law:
    B = np.asarray(blanket)
    if B.shape != (channel.outputs,):
        raise ValueError(f"blanket must hold {channel.outputs} masses, got {blanket!r}")
    if (B < 0).any() or (common_blanket(channel) < B).any():
        raise ValueError(f"blanket must lie from 0 to the smallest entry of each column, got {blanket!r}")
    return B
