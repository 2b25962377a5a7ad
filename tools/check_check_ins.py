"""Hold the bounds of random check-ins against the truth in fractions: random randomizers, all data sets of few clients.

python tools/check_check_ins.py --seconds 60 --seed 0

A comparison is one pair of neighbouring data sets and one alpha: all that the slots show, enumerated, against the least
of the bounds of ``beyond.slots`` that hold for the algorithm. Each slot's randomizer is drawn for what was seen before
it. Trials follow from the seed and their number. Prints every comparison in which the truth is above the least bound,
or that above the least of their clone forms, and a summary; the exit code is then 1.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from check_game import RATIOS, Comparison, Data, draw_alphas, run
from random_channels import draw_channel

from shufflekit import definitions, exact
from shufflekit.beyond import game, slots
from shufflekit.definitions import Definition, Game
from shufflekit.divergences import hockey_stick
from shufflekit.exact import Choose, History, Neighbours, TwoLaws, View
from shufflekit.randomizers import Channel

MOST_CLIENTS, MOST_SLOTS, MOST_WINDOWS = 4, 4, 5
MOST_TRANSCRIPTS = 250  # what the slots may show, at most about
Bound = Callable[[Fraction], Fraction]  # of an alpha


class Case(NamedTuple):
    """All pairs of data sets of one trial, and the bounds that hold: by the corners, and by the clones alone."""

    data: list[Data]
    bounds: tuple[Bound, ...]
    clones: tuple[Bound, ...]


# What is drawn.


def draw_choose(inputs: int, ratio: Fraction, places: int, rng: np.random.Generator) -> Choose:
    """A randomizer for whatever was seen before, of so few outputs that all can be gone through."""

    @cache
    def choose(history: History) -> Channel:
        while True:
            channel = draw_channel(inputs, ratio, rng)
            if channel.outputs == 2 or channel.outputs**places <= MOST_TRANSCRIPTS:
                return channel

    return choose


def draw_rate(rng: np.random.Generator) -> Fraction:
    return Fraction(1) if rng.random() < 0.5 else Fraction(int(rng.integers(1, 10)), 10)


def draw_sizes(rng: np.random.Generator) -> tuple[int, int, int]:
    """Inputs, clients and slots."""
    inputs, n, m = int(rng.integers(2, 4)), int(rng.integers(1, MOST_CLIENTS + 1)), int(rng.integers(1, MOST_SLOTS + 1))
    return inputs, n, m


def as_data(found: Iterable[Neighbours]) -> list[Data]:
    return [Data(one.others, one.x0, one.x1, TwoLaws(one.p, one.q)) for one in found]


def exchangeable(view: Callable[[tuple[int, ...]], View], inputs: int, n: int) -> list[Data]:
    """All pairs where the clients are alike: one order of the data stands for all."""
    seen = cache(view)
    return as_data(exact.neighbours_of(lambda records: seen(tuple(sorted(records))), inputs, n, alike=True))


# The algorithms.


def fixed_window(rng: np.random.Generator, ratio: Fraction, *, dummies: bool) -> Case:
    """A_fix: with dummies replacement and sampling, without them sampling alone."""
    (inputs, n, m), rate = draw_sizes(rng), draw_rate(rng)
    dummy = int(rng.integers(inputs)) if dummies else None
    choose, moves, law = draw_choose(inputs, ratio, m, rng), definitions.corners(ratio - 1), clones(ratio)
    data = exchangeable(lambda records: exact.fixed_window(choose, records, m, rate, dummy), inputs, n)
    bounds = [lambda alpha: slots.sampled(moves, n, m, rate, alpha)]
    weaker = [lambda alpha: slots.sampled_clones(law, n, m, rate, alpha)]
    if dummies:
        for found, laws in ((bounds, moves.laws), (weaker, (law,))):
            found.append(lambda alpha, laws=laws: slots.replaced(laws, m, rate, alpha))
            found.append(lambda alpha, laws=laws: slots.replaced_of(laws, n, m, rate, alpha))
    return Case(data, tuple(bounds), tuple(weaker))


def sliding_window(rng: np.random.Generator, ratio: Fraction) -> Case:
    """A_sldw with dummies, for every client."""
    inputs, n, _ = draw_sizes(rng)
    m = int(rng.integers(1, MOST_WINDOWS + 2 - n))
    dummy, choose = int(rng.integers(inputs)), draw_choose(inputs, ratio, n + m - 1, rng)

    @cache
    def view(records: tuple[int, ...]) -> View:
        return exact.sliding_window(choose, records, m, dummy)

    data = [one for client in range(n) for one in as_data(exact.neighbours_of(view, inputs, n, client))]
    laws = definitions.corners(ratio - 1).laws
    return Case(
        data,
        (lambda alpha: slots.replaced(laws, m, 1, alpha),),
        (lambda alpha: slots.replaced((clones(ratio),), m, 1, alpha),),
    )


def one_replacement(rng: np.random.Generator, ratio: Fraction) -> Case:
    """A_rep, its weights given."""
    inputs, _, m = draw_sizes(rng)
    weights = tuple(Fraction(int(rng.integers(0, 9)), 8) for _ in range(m))
    other, choose = int(rng.integers(inputs)), draw_choose(inputs, ratio, m, rng)
    found = exact.neighbours_of(lambda records: exact.one_replacement(choose, records, weights, other), inputs, m)
    shares, laws = tuple(weight / m for weight in weights), definitions.corners(ratio - 1).laws
    return Case(
        as_data(found),
        (lambda alpha: slots.weighted(laws, shares, alpha),),
        (lambda alpha: slots.weighted((clones(ratio),), shares, alpha),),
    )


def averaged_updates(rng: np.random.Generator, ratio: Fraction) -> Case:
    """A_avg, whose bound is that of check-ins before a shuffler."""
    (inputs, n, m), rate = draw_sizes(rng), draw_rate(rng)
    choose = draw_choose(inputs, ratio, max(n, m), rng)
    data = exchangeable(lambda records: exact.averaged_updates(choose, records, m, rate), inputs, n)
    played = Game(n, n, (definitions.corners(ratio - 1),), rate)
    pair = exact.pair(Definition(n, n, (definitions.check_in(clones(ratio), rate),)))
    return Case(data, (lambda alpha: game.profile(played, alpha),), (lambda alpha: hockey_stick(*pair, alpha),))


def clones(ratio: Fraction) -> definitions.ScoreLaw:
    return definitions.clones(ratio - 1)


KINDS: dict[str, Callable[[np.random.Generator, Fraction], Case]] = {
    "A_fix, dummies": lambda rng, ratio: fixed_window(rng, ratio, dummies=True),
    "A_fix, skipped": lambda rng, ratio: fixed_window(rng, ratio, dummies=False),
    "A_sldw": sliding_window,
    "A_rep": one_replacement,
    "A_avg": averaged_updates,
}


def trial(kind: str, seed: int, number: int) -> list[Comparison]:
    """All pairs of data sets of one random choice of randomizers, at some alphas."""
    rng = np.random.default_rng([seed, number])
    ratio = RATIOS[rng.integers(len(RATIOS))]
    case = KINDS[kind](rng, ratio)
    return list(compared(case, draw_alphas(rng, ratio, case.data)))


def compared(case: Case, alphas: Iterable[Fraction]) -> Iterator[Comparison]:
    """Every pair of data sets at every alpha, against the least of the bounds."""
    for alpha in alphas:
        bound, weaker = (min(one(alpha) for one in found) for found in (case.bounds, case.clones))
        for one in case.data:
            yield Comparison(one, alpha, hockey_stick(*one.laws, alpha), bound, weaker)


def main() -> int:
    purpose = "Hold the bounds of random check-ins against the truth, in fractions, at random."
    return run(purpose, tuple(KINDS), trial)


if __name__ == "__main__":
    sys.exit(main())
