"""The table of definitions: a short function a protocol, in x = e^eps0 - 1, so that nothing cancels.

E = e^eps0 = 1 + x throughout. Each law is that of one slot; its kinds' chances sum to 1, and so do both means of its
scores: a test checks that in fractions.
"""

import math
from typing import Any

from shufflekit.definitions.scores import Kind, Moves, ScoreLaw, kind


def growth(eps0: Any) -> Any:
    """``x = e^eps0 - 1``, of a float or of one of arb's balls."""
    return math.expm1(eps0) if isinstance(eps0, float) else eps0.expm1()


def clones(x: Any) -> ScoreLaw:
    """Any eps0-LDP randomizer: with a chance of 2/(E + 1) a slot votes, E : 1 or 1 : E, and else says nothing.

    Notebook 09b proves that this is the worst. [beyond] 2
    """
    vote = 1 / (x + 2)
    return kind(vote, x, 0), kind(vote, 0, x), kind(x * vote, -1, -1)


def corners(x: Any) -> Moves:
    """Any eps0-LDP randomizer, nobody decomposed: the five extreme laws of (t0, t1) on the hexagon's vertices.

    The hexagon is 1/E <= t0, t1, t0/t1 <= E, and (1, 1) the mean: 3-ary randomized response, binary randomized response
    with the others at either value, a mirrored 3-ary one, and one that tells x0 and x1 from the others only. [beyond] 9
    """
    E, down = 1 + x, -x / (1 + x)
    ternary, binary = response(x, 3), response(x, 2)
    mirrored = (
        kind(1 / (2 * E + 1), x, x),
        Kind(E / (2 * E + 1), 1, 1 / E, 0, down),
        Kind(E / (2 * E + 1), 1 / E, 1, down, 0),
    )
    apart = kind(1 / (E + 1), x, x), Kind(E / (E + 1), 1 / E, 1 / E, down, down)
    opposite = tuple(Kind(chance, t1, t0, u1, u0) for chance, t0, t1, u0, u1 in binary)
    alone = kind(1 / E, x, x), kind(x / E, -1, -1)
    return Moves((ternary, binary, opposite, mirrored, apart), (clones(x), alone), monotone=True)


def clones2021(x: Any) -> ScoreLaw:
    """The earlier published pair: a slot votes with a chance of 1/E. [feldman2021] Thm 3.1

    The changed record's own vote is right with probability E/(E + 1), so a vote has the scores 2E/(E + 1) times
    (E, 1) or (1, E): that is 1 + x/(2 + x) for the lower one.
    """
    E, lower = 1 + x, x / (2 + x)
    higher = lower * (3 + 2 * x)
    return kind(1 / (2 * E), higher, lower), kind(1 / (2 * E), lower, higher), kind(x / E, -1, -1)


def response(x: Any, k: int) -> ScoreLaw:
    """k-ary randomized response, all others at one value: a third one, or x1's where there are only two.

    A message's scores are its likelihoods against the others' value: E for x0's, 1/E for the others' own.
    """
    E, share = 1 + x, 1 / (x + k)
    if k == 2:
        return kind(share, x, 0), Kind(E * share, 1 / E, 1, -x / E, 0)
    beyond = [kind((k - 3) * share, 0, 0)] if k > 3 else []
    return kind(share, x, 0), kind(share, 0, x), *beyond, Kind(E * share, 1 / E, 1 / E, -x / E, -x / E)


def told(x: Any, chance: Any) -> ScoreLaw:
    """Each client flips a coin, which is told: 3-ary randomized response with this chance, else binary, others equal.

    The coin and the answer are one message of one randomizer, as private as either. In binary randomized response all
    others say what x1 says; x0's answer has the scores (E, 1) whatever the coin showed.
    """
    ternary, binary = response(x, 3), response(x, 2)
    (yes, no, same), (own, others) = ternary, binary
    rest = 1 - chance
    return (
        yes._replace(chance=chance * yes.chance + rest * own.chance),
        *(one._replace(chance=chance * one.chance) for one in (no, same)),
        others._replace(chance=rest * others.chance),
    )


def weak_view(x: Any, k: int) -> ScoreLaw:
    """k-ary randomized response against whoever sees which of the others answered at random.

    A random answer, one of k, votes E : 1, 1 : E or 1 : 1; a truthful one can be taken out. [koskela2023] Thm 15
    """
    share = 1 / (x + k)  # gamma / k
    beyond = [kind((k - 2) * share, 0, 0)] if k > 2 else []
    return kind(share, x, 0), kind(share, 0, x), *beyond, kind(x * share, -1, -1)


def strong_view(x: Any, k: int) -> ScoreLaw:
    """The same against whoever also sees whether the changed client lied, if it did not: P/Q = N_1/N_2.

    [koskela2023] eq (4.3), with the joint law of the counts. If it lied, all is seen to say nothing: see ``truthful``.
    """
    share, once = 1 / (x + k), x + (k - 1)
    return kind(share, once, -1), kind(share, -1, once), kind((x + (k - 2)) * share, -1, -1)


def truthful(x: Any, k: int) -> Any:
    """The chance that a client of k-ary randomized response does not answer at random, ``1 - gamma``."""
    return x / (x + k)


def check_in(law: ScoreLaw, rate: Any) -> ScoreLaw:
    """Each slot reports with a chance of ``rate``, by its own coin, and else stays silent, which is seen. [beyond] 4"""
    return *(one._replace(chance=rate * one.chance) for one in law), kind(1 - rate, 0, 0)
