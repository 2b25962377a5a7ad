"""Hold the game's bound against the truth in fractions: random randomizers, all data sets of up to five users.

python tools/check_game.py --seconds 60 --seed 0

A comparison is one pair of neighbouring data sets and one alpha: what the shuffle shows, enumerated, against
``beyond.game``. Trials follow from the seed and their number. Prints every comparison in which the truth is above the
bound, or the bound above the clone pair, and a summary; the exit code is then 1.
"""

import argparse
import itertools
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from random_channels import draw_channel, vertex_channel

from shufflekit import definitions, exact
from shufflekit.beyond import check_ins, game, views
from shufflekit.definitions import Definition, Game, Moves
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.randomizers import Channel, RandomizedResponse

RATIOS = tuple(map(Fraction, ("3/2", "2", "3", "5")))
MOST_USERS = 5
MOST_HISTOGRAMS = 1_500  # what enumeration goes through: (users + 1)^(outputs - 1)
ALPHAS = 4  # of a trial
Choose = Callable[[tuple[int, ...]], Channel]  # the randomizer of the next place, by the messages so far


class Data(NamedTuple):
    """Two neighbouring data sets, and the two laws of what is seen."""

    others: tuple[int, ...]
    x0: int
    x1: int
    laws: TwoLaws


class Bound(NamedTuple):
    """A game, the moves of which may depend on the changed user's two values, and the clones beside it."""

    game: Callable[[int, int], Game]
    clones: Definition


class Comparison(NamedTuple):
    """One alpha: the truth, the game's bound and the clone pair's."""

    data: Data
    alpha: Fraction
    truth: Fraction
    bound: Fraction
    clones: Fraction


# What is seen.


def in_turn(choose: Choose, records: Sequence[int], places: int) -> views.View:
    """The law of all messages in order: the *data* are shuffled, and place i answers by ``choose`` of the earlier ones.

    Where there are fewer places than records, a random ordered sample of the users takes them.
    """
    seen: dict[tuple[int, ...], views.View] = {(): {tuple(sorted(records)): Fraction(1)}}
    for _ in range(places):
        following: dict[tuple[int, ...], views.View] = defaultdict(dict)
        for history, states in seen.items():
            table = choose(history).probs
            for (unused, weight), o in itertools.product(states.items(), range(table.shape[1])):
                for i, x in enumerate(unused):
                    rest = unused[:i] + unused[i + 1 :]
                    views.add(following[(*history, o)], rest, weight * table[x, o] / len(unused))
        seen = following
    return {history: sum(states.values()) for history, states in seen.items()}


def neighbours(channel: Channel, n: int, k: int) -> list[Data]:
    """All ordered pairs of neighbouring data sets; of the laws, what can happen."""
    found = exact.neighbours(channel, n, k)
    return [Data(one.others, one.x0, one.x1, TwoLaws(one.p[one.p > 0], one.q[one.p > 0])) for one in found]


def in_turn_neighbours(choose: Choose, inputs: int, n: int, places: int) -> Iterator[Data]:
    """All ordered pairs of neighbouring data sets, their places answering in turn."""

    @cache
    def view(records: tuple[int, ...]) -> views.View:
        return in_turn(choose, records, places)

    for others in itertools.combinations_with_replacement(range(inputs), n - 1):
        for x0, x1 in itertools.permutations(range(inputs), 2):
            yield Data(others, x0, x1, views.aligned(*(view(tuple(sorted((*others, x)))) for x in (x0, x1))))


# Trials.


def generic(ratio: Fraction, slots: int, n: int, rate: Any = 1) -> Bound:
    """What holds for any randomizer of this ratio."""
    moves, law = (definitions.corners(ratio - 1),), definitions.clones(ratio - 1)
    law = law if rate == 1 else definitions.check_in(law, rate)
    return Bound(lambda x0, x1: Game(slots, n, moves, rate), Definition(slots, n, (law,)))


def simultaneous(rng: np.random.Generator, ratio: Fraction, *, sampled: bool, own: bool) -> tuple[Bound, list[Data]]:
    """One channel for all, everybody or a sample reporting; ``own``: by the rows of that channel."""
    inputs, n = int(rng.integers(2, 5)), int(rng.integers(2, MOST_USERS + 1))
    channel = draw_channel(inputs, ratio, rng)
    while (n + 1) ** (channel.outputs - 1) > MOST_HISTOGRAMS or (own and n > 6 - inputs):
        n -= 1
    slots = int(rng.integers(1, n)) if sampled and n > 1 else n
    bound = generic(ratio, slots, n)
    if own:

        @cache
        def moves(x0: int, x1: int) -> Moves:
            return definitions.rows(channel, x0, x1)

        bound = bound._replace(game=lambda x0, x1: Game(slots, n, (moves(x0, x1),)))
    return bound, neighbours(channel, n, slots)


def one_after_another(rng: np.random.Generator, ratio: Fraction, *, sampled: bool) -> tuple[Bound, list[Data]]:
    """Places that answer in turn, each by a randomizer drawn for the messages so far."""
    inputs, n = int(rng.integers(2, 4)), int(rng.integers(2, MOST_USERS))
    slots = int(rng.integers(1, n)) if sampled else n

    @cache
    def choose(history: tuple[int, ...]) -> Channel:
        return vertex_channel(inputs, ratio, rng) if rng.random() < 0.7 else RandomizedResponse(inputs, ratio=ratio)

    return generic(ratio, slots, n), list(in_turn_neighbours(choose, inputs, n, slots))


def checked_in(rng: np.random.Generator, ratio: Fraction) -> tuple[Bound, list[Data]]:
    """Each user reports by a coin of her own: the channel that may be silent."""
    inputs, n, rate = int(rng.integers(2, 4)), int(rng.integers(2, MOST_USERS)), Fraction(int(rng.integers(1, 10)), 10)
    channel = check_ins.silent(vertex_channel(inputs, ratio, rng), rate)
    return generic(ratio, n, n, rate), neighbours(channel, n, n)


KINDS: dict[str, Callable[[np.random.Generator, Fraction], tuple[Bound, list[Data]]]] = {
    "everybody": lambda rng, ratio: simultaneous(rng, ratio, sampled=False, own=False),
    "sampled": lambda rng, ratio: simultaneous(rng, ratio, sampled=True, own=False),
    "own rows": lambda rng, ratio: simultaneous(rng, ratio, sampled=False, own=True),
    "own rows, sampled": lambda rng, ratio: simultaneous(rng, ratio, sampled=True, own=True),
    "in turn": lambda rng, ratio: one_after_another(rng, ratio, sampled=False),
    "in turn, sampled": lambda rng, ratio: one_after_another(rng, ratio, sampled=True),
    "check-ins": checked_in,
}


def draw_alphas(rng: np.random.Generator, ratio: Fraction, data: Sequence[Data]) -> list[Fraction]:
    """Likelihood ratios of some of the data, where the truth has its corners, and numbers from 1/E to E or beyond."""
    found = {Fraction(1)}
    while len(found) < ALPHAS:
        p, q = data[rng.integers(len(data))].laws
        outcome = rng.integers(p.size)
        share = Fraction(int(rng.integers(0, 45)), 40)
        found.add(p.flat[outcome] / q.flat[outcome] if rng.random() < 0.5 else 1 / ratio + share * (ratio - 1 / ratio))
    return sorted(found)


def trial(kind: str, seed: int, number: int) -> list[Comparison]:
    """All pairs of data sets of one random randomizer, at some alphas."""
    rng = np.random.default_rng([seed, number])
    ratio = RATIOS[rng.integers(len(RATIOS))]
    bound, data = KINDS[kind](rng, ratio)
    return list(compared(bound, data, draw_alphas(rng, ratio, data)))


def compared(bound: Bound, data: Iterable[Data], alphas: Sequence[Fraction]) -> Iterator[Comparison]:
    """Every pair of data sets at every alpha; each game is played once."""
    profiles: dict[tuple[Game, Fraction], Fraction] = {}
    clones = hockey_stick(*exact.pair(bound.clones), np.array(alphas, dtype=object))
    for one in data:
        truths = hockey_stick(*one.laws, np.array(alphas, dtype=object))
        for alpha, truth, other in zip(alphas, truths, clones, strict=True):
            played = bound.game(one.x0, one.x1)
            if (played, alpha) not in profiles:
                profiles[played, alpha] = game.profile(played, alpha)
            yield Comparison(one, alpha, truth, profiles[played, alpha], other)


def wrong(one: Comparison) -> bool:
    """Whether the truth is above the bound, or the bound above the clone pair."""
    return not one.truth <= one.bound <= one.clones


# The summary.


class Tally:
    """What is remembered of all comparisons of one kind."""

    def __init__(self) -> None:
        self.trials = self.count = self.below = self.above = self.attained = self.better = 0
        self.largest = Fraction(0)

    def add(self, comparisons: Iterable[Comparison]) -> None:
        self.trials += 1
        for one in comparisons:
            known = one.bound <= max(0, 1 - one.alpha)  # every pair is at least that
            self.count += 1
            self.below += one.bound < one.truth
            self.above += one.bound > one.clones
            self.attained += one.truth == one.bound and not known
            self.better += one.bound < one.clones
            if one.bound > 0 and not known:
                self.largest = max(self.largest, one.truth / one.bound)

    def __str__(self) -> str:
        return (
            f"{self.trials:8,}{self.count:13,}{self.below:12,}{self.above:14,}"
            f"{float(self.largest):15.6g}{self.attained:10,}{self.better:13,}"
        )


def summary(tallies: dict[str, Tally]) -> Iterator[str]:
    """How many comparisons of each kind, how many were violated, and how near they came."""
    yield f"{'':18}{'trials':>8}{'comparisons':>13}{'violations':>12}{'above clones':>14}" + (
        f"{'largest ratio':>15}{'attained':>10}{'< clones':>13}"
    )
    yield from (f"{kind:18}{tally}" for kind, tally in tallies.items())


def run(purpose: str, kinds: Sequence[str], draw: Callable[[str, int, int], list[Comparison]]) -> int:
    """Trials of all kinds in turn, for so long; what is wrong and the summary are printed."""
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--seconds", type=float, default=60.0, help="start no more trials after that (60)")
    parser.add_argument("--seed", type=int, default=0, help="of the trials (0)")
    options = parser.parse_args()
    if not options.seconds > 0 or options.seed < 0:
        parser.error("seconds must be positive, seed at least 0")
    tallies: dict[str, Tally] = defaultdict(Tally)
    start = time.monotonic()
    for number in itertools.count():
        kind = kinds[number % len(kinds)]
        comparisons = draw(kind, options.seed, number)
        tallies[kind].add(comparisons)
        for one in filter(wrong, comparisons):
            print(f"trial {number}, {kind}: {one}", flush=True)
        if time.monotonic() - start > options.seconds:
            break
    print("\n".join(summary(tallies)))
    count, below, above = (sum(getattr(one, name) for one in tallies.values()) for name in ("count", "below", "above"))
    took = time.monotonic() - start
    print(f"{count:,} comparisons of seed {options.seed}: {below:,} violations, {above:,} above clones, {took:.0f} s")
    return bool(below or above)


def main() -> int:
    return run("Hold the game against the truth, in fractions, at random.", tuple(KINDS), trial)


if __name__ == "__main__":
    sys.exit(main())
