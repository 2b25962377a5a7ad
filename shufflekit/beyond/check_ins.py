"""Check-ins: every user takes part by a coin of her own, and the number of messages is seen. [beyond] 4

Given that K = k report, they are a uniformly random k of n: the pair of [beyond] 3. Whoever stays silent can as well be
said to send one more message, "silent", which is the same for all records and so has the scores (1, 1): then all n
report, and the pair is that of n scores, as ``definitions.check_in`` has it. The two are the same.
"""

import math
from typing import Any

import numpy as np

from shufflekit import _validate, definitions, exact
from shufflekit.beyond.scores import checked_law, score_pair
from shufflekit.definitions import ScoreLaw
from shufflekit.exact import TwoLaws
from shufflekit.randomizers import Channel, checked_channel


def check_in_mixture(law: ScoreLaw, n: int, rate: Any) -> TwoLaws:
    """The mixture over how many of n users took part, which is seen: K ~ Bin(n, rate)."""
    n, g = _validate.count(n=n), _validate.exact_rate(rate=rate)
    p, q = [(1 - g) ** n], [(1 - g) ** n]  # nobody
    for k in range(1, n + 1):
        chance = math.comb(n, k) * g**k * (1 - g) ** (n - k)
        for side, own in zip((p, q), score_pair(law, k, n), strict=True):
            side.extend(chance * own)
    return TwoLaws(exact.law(p), exact.law(q))  # [beyond] 4


def check_in_pair(law: ScoreLaw, n: int, rate: Any) -> TwoLaws:
    """The pair of n scores, silence being one more message: the same as the mixture."""
    return score_pair(definitions.check_in(checked_law(law), _validate.exact_rate(rate=rate)), n)  # [beyond] 4


def uncounted_check_in(law: ScoreLaw, n: int, rate: Any) -> TwoLaws:
    """What one is tempted to write instead: scores of 0 for who stays away, and ``1 - rate`` in the place of 1 - K/n.

    It does not dominate: the number of messages says something about the changed user. P/R = 1 - rate + T0/n is what
    scores of t0 + 1 - rate give.
    """
    n, g = _validate.count(n=n), _validate.exact_rate(rate=rate)
    *speaking, _ = checked_law(law)
    kinds = [definitions.kind(g * one.chance, one.u0 + 1 - g, one.u1 + 1 - g) for one in speaking]
    return score_pair((*kinds, definitions.kind(1 - sum(one.chance for one in kinds), -g, -g)), n)


def silent(channel: Channel, rate: Any) -> Channel:
    """The channel with one more output, silence: what a user sends who takes part with that probability.

    The shuffle of n such users is the shuffle of independent check-ins, the number of messages being seen.
    """
    probs, g = checked_channel(channel=channel).probs, _validate.exact_rate(rate=rate)
    return Channel(np.column_stack([g * probs, np.full(len(probs), 1 - g)]), f"{channel.name}, or silent")
