"""Scores: what is left of a shuffle for whoever sees which of the others left the blanket, and with what. [beyond] 1

Let B be a blanket of mass b, R the channel. The score of a message o of the blanket is ``(t0, t1) = (R(x0), R(x1))(o) /
B(o)``, that of a user who left ``(0, 0)``; g = t0 - a t1. The leavers and what they sent are independent of the changed
user. If n - m of the n - 1 others left, the m messages in random order have the likelihood

    (1/m) sum_i R(x0)(o_i) prod_{j != i} B(o_j) = prod_j B(o_j) (1/m) sum_i t0(o_i),       likewise with x1 and t1.

m - 1 others stayed with probability ``C(n-1, m-1) b^(m-1) (1-b)^(n-m)``, and C(n-1, m-1)/m = C(n, m)/n. So

    H_a = sum_m C(n, m)/n (1-b)^(n-m) sum_o prod_j B(o_j) (sum_i g(o_i))_+ = E[(g_1 + ... + g_n)_+]/n

with n independent scores: a pair with P = w T0/n and Q = w T1/n where the sum (T0, T1) has the probability w.

[beyond] 3: if k of N report, the changed user is among them with probability k/N, and else all k messages are others':
P/R = 1 - k/N + T0/N, with the sums over k scores. That is the definition of ``definitions.Definition``.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shufflekit import _validate, definitions, exact
from shufflekit.definitions import Definition, Kind, ScoreLaw
from shufflekit.divergences import Law
from shufflekit.exact import TwoLaws
from shufflekit.randomizers import Channel, checked_channel, checked_input


def two_input_blanket(channel: Channel, x0: int, x1: int, ratio: Any = None) -> Law:
    """``B = max(R(x0), R(x1))/E``, below every row of an eps0-LDP channel; E is the channel's unless given."""
    E = checked_channel(channel=channel).ratio if ratio is None else _validate.ratio(ratio=ratio)
    if channel.ratio > E:
        raise ValueError(f"ratio must be at least the channel's own, {channel.ratio}, got {ratio!r}")
    rows = channel.probs[[checked_input(channel, x0=x0), checked_input(channel, x1=x1)]]
    return np.asarray(rows.max(axis=0) / E)


def common_blanket(channel: Channel) -> Law:
    """``B = min_x R(x)``: the largest blanket there is [balle2019]. Its scores are ``definitions.blanket``."""
    return np.asarray(checked_channel(channel=channel).probs.min(axis=0))


def checked_blanket(channel: Channel, blanket: ArrayLike) -> Law:
    """A measure below every row of the channel, as an array."""
    B = np.asarray(blanket)
    if B.shape != (channel.outputs,):
        raise ValueError(f"blanket must hold {channel.outputs} masses, got {blanket!r}")
    if (B < 0).any() or (common_blanket(channel) < B).any():
        raise ValueError(f"blanket must lie from 0 to the smallest entry of each column, got {blanket!r}")
    return B


def score_law(channel: Channel, x0: int, x1: int, blanket: ArrayLike) -> ScoreLaw:
    """The law of the score of one user, equal scores put together; the last kind are those who left."""
    rows = channel.probs[[checked_input(channel, x0=x0), checked_input(channel, x1=x1)]]
    chances: dict[tuple[Any, Any], Any] = {}
    for first, second, b in zip(*rows, checked_blanket(channel, blanket), strict=True):
        if b > 0:
            score = first / b, second / b
            chances[score] = chances.get(score, 0) + b
        elif first > 0 or second > 0:
            raise ValueError("blanket must be positive wherever one of the two rows is")
    kinds = [Kind(chance, t0, t1, t0 - 1, t1 - 1) for (t0, t1), chance in chances.items()]
    return *kinds, definitions.kind(1 - sum(chances.values()), -1, -1)


def score_laws(channel: Channel) -> list[ScoreLaw]:
    """That of every ordered pair of inputs, each with its blanket ``max(R(x0), R(x1))/E``."""
    pairs = itertools.permutations(range(checked_channel(channel=channel).inputs), 2)
    return [score_law(channel, *pair, two_input_blanket(channel, *pair)) for pair in pairs]


def clone_scores(ratio: Any) -> ScoreLaw:
    """The clones' scores: (E, 1) or (1, E), each with probability 1/(E + 1), and else (0, 0). [beyond] 2"""
    return definitions.clones(_validate.ratio(ratio=ratio) - 1)


def checked_law(law: Any) -> ScoreLaw:
    """A law of scores, as it is given."""
    if not (isinstance(law, tuple) and law and all(isinstance(one, Kind) for one in law)):
        raise TypeError(f"law must be a law of scores, a tuple of kinds, got {law!r}")
    return law


def score_pair(law: ScoreLaw, slots: int, population: int | None = None) -> TwoLaws:
    """The pair of that many messages, of a population of as many unless it is given. [beyond] 1, 3

    Formal guarantee: dominates the (sampled) shuffle of the channel and the two inputs that the scores are of; with the
    clones' scores, that of every eps0-LDP randomizer.
    """
    return exact.pair(Definition(slots, slots if population is None else population, (checked_law(law),)))
