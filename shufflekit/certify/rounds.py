"""Rounds composed in interval arithmetic and whole numbers, each part of them on a lattice as fine as it needs.

Chosen here, in plain floats, is only how fine: a poor choice costs width, never truth.
"""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from shufflekit import _validate
from shufflekit.certify import game_profile
from shufflekit.certify.balls import ball, flint
from shufflekit.certify.composed import GUARD, Composed
from shufflekit.certify.judge import delta
from shufflekit.certify.lattice import SAME, Law, Noise, coarser, power, times
from shufflekit.certify.losses import largest_loss, losses, one_law
from shufflekit.definitions import Definition, Game

Define = Callable[[Callable[[float], Any]], Definition | Game]
MAX_ROUNDS = 10**7
FINE = 3e-4  # of the standard deviation of a part: the distance of two losses of its rounds
FINEST, LONGEST = 3e-5, 2.0**17  # few rounds have few different losses: as fine as so many losses allow
DEEPER = 25.0  # e^-25 of the mass that matters may be left out


class _Size(NamedTuple):
    """Of one round, in floats: about its standard deviation, and its largest finite loss."""

    deviation: float
    largest: float


def rounds(parts: Sequence[tuple[Define, int]], least: float, *, reverse: bool = False) -> Composed:
    """So many rounds of each definition, composed; ``reverse``: of (Q, P). ``composed`` has the proof.

    For the game of the corners it is an upper end only, that of its bound.

    Args:
        parts: pairs of a ``define``, as a protocol or an attack has it, and a number of rounds.
        least: the least delta that is to be known.

    Raises:
        ValueError: where one round has more outcomes than can be looked at, or is worse than a law or the corners.
    """
    least = _validate.open_unit(least=least)
    if not parts:
        raise ValueError("parts must hold one or more pairs of a definition and a number of rounds, got none")
    counts = [_validate.count(rounds=own, at_most=MAX_ROUNDS) for _, own in parts]
    sizes = [_size(define) for define, _ in parts]
    total = sum(counts)
    bits = math.ceil(-math.log2(least)) + total.bit_length() + GUARD
    with flint().ctx.workprec(bits + GUARD):
        return _composed(list(zip(parts, _spacings(sizes, counts, least), strict=True)), total, bits, least, reverse)


def _composed(
    parts: Sequence[tuple[tuple[Define, int], float]], total: int, bits: int, least: float, reverse: bool
) -> Composed:
    noise, total_mass, kept, slack = Noise(ball(0), ball(0)), ball(1), ball(1), ball(0)
    laws, known = list[Law](), True
    for (define, own), spacing in parts:
        given = define(ball)
        if isinstance(given, Game):
            known, law = False, game_profile.law(define, spacing, bits, least / total)
        else:
            depth = math.log(total / least) + DEEPER
            one = losses(given.reversed() if reverse else given, spacing, bits, depth)
            noise = noise.more(own, spacing) if one.divided else noise
            law, total_mass = one.law, total_mass * one.total**own
            kept *= (one.total - one.infinite) ** own
        law, noise = power(law, own, noise, ball(least))
        laws.append(law)
        slack += own * ball(SAME) * spacing
    widest = max(law.spacing for law in laws)
    for i in range(len(laws)):
        while laws[i].spacing < widest:
            noise, laws[i] = noise.more(1, laws[i].spacing), coarser(laws[i])
    law = reduce(lambda one, other: times(one, other, 1, ball(least)), laws)
    return Composed(law, noise if known else None, total_mass, total_mass - kept, slack)


def _size(define: Define) -> _Size:
    """A normal loss of small deviation s has ``s/sqrt(2 pi)`` for delta at 0."""
    given = define(float)
    if isinstance(given, Game):
        game_profile.checked_corners(given)
        return _size(game_profile.clones(define))
    largest = largest_loss(one_law(given))
    return _Size(math.sqrt(2 * math.pi) * delta(define, 0.0).upper, largest)


def _spacings(sizes: Sequence[_Size], counts: Sequence[int], least: float) -> list[float]:
    """How far apart the losses of each part are: the first part's largest loss is one, and others fit to these."""
    deviation = math.sqrt(sum(own * size.deviation**2 for size, own in zip(sizes, counts, strict=True)))
    reach = sum(own * size.largest for size, own in zip(sizes, counts, strict=True))
    span = 2 * min(reach, deviation * (3 + math.sqrt(-2 * math.log(least))))
    finest = max(FINEST * deviation / sum(counts), span / LONGEST)
    asked = [min(FINE * deviation / math.sqrt(len(counts) * own), finest) for own in counts]
    most = sizes[0].largest
    unit = most / math.ceil(most / asked[0]) if most else asked[0]
    return [unit, *(unit * 2.0 ** math.floor(math.log2(h / unit)) for h in asked[1:])]
