"""The losses of one round of a definition, outcome by outcome in balls, on a lattice.

An outcome of masses p and q has the loss ``log(p/q)``. Between the lattice's losses ``k h`` and ``(k + 1) h`` it is
divided into two, with both masses kept: under P these get ``(e^{(k+1)h} q - p)/(e^h - 1)`` and the rest. That is linear
in p and q, so a cell's outcomes may be added up first. A loss that is a multiple of h, or not to be told from one, is
taken for it: it is off by no more than ``SAME h``.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from shufflekit.certify.balls import Binomial, ball, flint
from shufflekit.certify.games import as_ball
from shufflekit.certify.lattice import SAME, Law, law_of
from shufflekit.definitions import Definition, Kind, checked

if TYPE_CHECKING:
    from flint import arb

MOST = 10_000_000  # outcomes, at most: a minute
DEEP = 100.0  # a usual depth
DIFFERENT = 2.0**-30  # farther ones are never


class Losses(NamedTuple):
    """One round: the finite losses on a lattice, P's mass, that of the infinite loss, and whether any was divided."""

    law: Law
    total: "arb"
    infinite: "arb"
    divided: bool


def one_law(given: Definition) -> Definition:
    """The definition in floats, if it is one law, whose outcomes can be looked at."""
    if not isinstance(given, Definition):
        raise TypeError(f"define must give a Definition with finite laws, or a Game, got {given!r}")
    if len(given.laws) != 1:
        raise ValueError(f"define must give a Definition of one law, got {len(given.laws)}")
    kinds = sorted(float(one.chance) for one in checked(given).laws[0])[:-1]
    with flint().ctx.workprec(64):
        windows = [len(Binomial(given.slots, ball(p), ball(p) / (1 - p)).window(DEEP)) for p in kinds if 0 < p < 1]
    if math.prod(windows) > MOST:
        raise ValueError(f"define must have at most about {MOST:,} outcomes, got {math.prod(windows):,}")
    return given


def largest_loss(definition: Definition) -> float:
    """Of all finite ones that messages have of which all but one are equal, in floats."""
    (law,), g = definition.laws, definition.slots / definition.population
    part = 1 / definition.slots
    scores = [(float(one.t0), float(one.t1)) for one in law]
    mixed = [[(1 - part) * x + part * y for x, y in zip(*two, strict=True)] for two in product(scores, scores)]
    ratios = [(1 - g + g * t0, 1 - g + g * t1) for t0, t1 in mixed]
    return max((abs(math.log(p / q)) for p, q in ratios if p > 0 and q > 0), default=0.0)


def losses(definition: Definition, spacing: float, bits: int, depth: float) -> Losses:
    """The losses of a definition, about ``e^-depth`` of the mass left out."""
    definition = definition.mapped(as_ball)
    cells: dict[int, tuple[arb, arb]] = {}
    knots: dict[int, arb] = defaultdict(lambda: ball(0))
    infinite, h, zero = ball(0), ball(spacing), (ball(0), ball(0))
    for mass, p_ratio, q_ratio in _outcomes(definition, depth):
        p, q = mass * p_ratio, mass * q_ratio
        if q_ratio.is_zero() or p_ratio.is_zero():
            infinite += p
            continue
        k, within = _place((p_ratio / q_ratio).log() / h)
        if within:
            p_before, q_before = cells.get(k, zero)
            cells[k] = p_before + p, q_before + q
        else:
            knots[k] += p
    for k, (p, q) in cells.items():
        below = (((k + 1) * h).exp() * q - p) / h.expm1()
        knots[k] += below
        knots[k + 1] += p - below
    shown = definition.shown
    finite = {k: shown * mass for k, mass in knots.items()}
    finite[0] = finite.get(0, ball(0)) + (1 - shown)
    return Losses(law_of(finite, spacing, bits), _total(definition), shown * infinite, bool(cells))


def _total(definition: Definition) -> "arb":
    """The mass of P: 1, but for laws in floats, whose sums need not be just 1."""
    (law,), g = definition.laws, ball(definition.slots) / as_ball(definition.population)
    more = sum((one.chance * one.u0 for one in law), ball(0)) / sum((one.chance for one in law), ball(0))
    return 1 + definition.shown * g * more


def _place(place: "arb") -> tuple[int, bool]:
    """The whole number below, and whether the place is surely between it and the next; else the one it is at."""
    k = math.floor(float(place)) if place.is_finite() else 0
    share = place - k
    if share > DIFFERENT and share < 1 - DIFFERENT:
        return k, True
    if abs(share) < SAME:
        return k, False
    if abs(share - 1) < SAME:
        return k + 1, False
    raise ArithmeticError(f"a loss is known too coarsely: {place}; a bug, please report it")


def _outcomes(definition: Definition, depth: float) -> Iterator[tuple["arb", "arb", "arb"]]:
    """Of each outcome the mass under R, a part 1/N of it, and N times P/R and Q/R, so that 0 comes out as just that."""
    (law,), N = definition.laws, as_ball(definition.population)
    yield from _divided([one for one in law if not one.chance.is_zero()], definition.slots, 1 / N, (N, N), depth)


def _divided(
    kinds: Sequence[Kind], slots: int, mass: "arb", ratios: tuple["arb", "arb"], depth: float
) -> Iterator[tuple["arb", "arb", "arb"]]:
    """The slots that are left, divided among the kinds that are left."""
    first, *others = kinds
    p, q = ratios
    if not others:
        yield mass, p + slots * first.u0, q + slots * first.u1
        return
    rest = sum((one.chance for one in others), ball(0))
    counts = Binomial(slots, first.chance / (first.chance + rest), first.chance / rest)
    span = counts.window(depth)
    own = mass * counts.mass(span[0])
    p, q = p + span[0] * first.u0, q + span[0] * first.u1
    if len(others) > 1:
        for c in span:
            yield from _divided(others, slots - c, own, (p, q), depth)
            own, p, q = own * counts.growth(c), p + first.u0, q + first.u1
        return
    (last,) = others
    p, q = p + (slots - span[0]) * last.u0, q + (slots - span[0]) * last.u1
    p_step, q_step = first.u0 - last.u0, first.u1 - last.u1
    for c in span:
        yield own, p, q
        own = own * (slots - c) * counts.odds / (c + 1)
        p, q = p + p_step, q + q_step
