"""Hold composed runs against a route without a Fourier transform: the flagship, and random settings.

python tools/certify_runs.py --count 50 --seed 0

Setting 0 is the run of docs/protocols.md, 1,000 of a million in each of 100,000 rounds; the others follow from the
seed and their number. Of each, eps at a delta is asked of the kit, and of ``certify.rounds``, whose ends are proved in
``shufflekit.certify.composed``. A line each: both brackets, and what is wrong, if anything; the exit code is then 1.

A pair is asked for its own eps, and both brackets must have a number in common. A protocol is asked for its worst case,
its attack by name and its guarantee. Of the game of the corners the judge has an upper end alone, the lower one of the
game's and the clones': where it is at most the kit's the guarantee is proved anew, else it says by how much it is not.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from shufflekit import RandomizedResponseShuffle, Shuffle, ShuffledCheckIn, certify
from shufflekit.bracket import Bracket
from shufflekit.definitions import Definition, without_round_off
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols import Attack, Protocol, Run

RTOL = 1e-4  # the kit's own
MOST_ROUNDS, MOST_CLIENTS, LEAST_LOG_DELTA = 10**6, 500, -40
MOST_IN_GAME = 100  # clients: a game takes the judge up to a minute
FEW = 50  # clients, where there are three kinds of messages, or all of them play the game
Parts = Sequence[tuple[Protocol | Attack, int]]


class Setting(NamedTuple):
    """Rounds of one protocol or of two, what is asked about them, and the delta at which their eps is asked."""

    what: str
    parts: tuple[tuple[Protocol, int], ...]
    delta: float

    def __str__(self) -> str:
        rounds = " + ".join(f"{one!r} * {own:,}" for one, own in self.parts)
        return f"{self.what}: {rounds} at delta = {self.delta:.3g}"


class Finding(NamedTuple):
    """What the kit says and what the judge does, of the same: a pair, an attack or a guarantee."""

    of: str
    found: Bracket
    judged: Bracket
    upper_only: bool = False

    @property
    def wrong(self) -> bool:
        """Whether no number is in both; an upper end alone must not be below what the kit says is reached."""
        return self.found.lower > self.judged.upper or self.judged.lower > self.found.upper

    @property
    def verdict(self) -> str:
        if self.wrong:
            return "WRONG"
        if not self.upper_only:
            return "consistent"
        return "proved" if self.apart <= 0 else f"proved but for {self.apart:.1e}"

    @property
    def apart(self) -> float:
        """By how much the judge's upper end is above the kit's, relative."""
        return self.judged.upper / self.found.upper - 1 if self.judged.upper > 0 else 0.0

    def __str__(self) -> str:
        judged = f"at most {self.judged.upper:.8g}" if self.upper_only else _ends(self.judged)
        return f"    {self.of}: kit {_ends(self.found)}, judge {judged}: {self.verdict}"


def _ends(bracket: Bracket) -> str:
    return f"[{bracket.lower:.8g}, {bracket.upper:.8g}]"


class Numbers(NamedTuple):
    """Of one round. Not everything has use for all of them."""

    eps0: float
    n: int
    population: int
    k: int
    rate: float


def _shuffle(s: Numbers, reduction: str = "corners") -> Shuffle:
    return Shuffle(s.eps0, s.n, s.population, reduction=reduction)


KINDS: dict[str, Callable[[Numbers], Protocol]] = {
    "clones": lambda s: _shuffle(s, "clones"),
    "clones2021": lambda s: _shuffle(s, "clones2021"),
    "3-ary": _shuffle,
    "binary": _shuffle,
    "weak view": lambda s: RandomizedResponseShuffle(s.k, s.eps0, s.n),
    "strong view": lambda s: RandomizedResponseShuffle(s.k, s.eps0, s.n, view="strong"),
    "check-in": lambda s: ShuffledCheckIn(s.eps0, min(s.n, FEW), s.rate, reduction="clones"),
    "corners": _shuffle,
}
ATTACKS = ("3-ary", "binary")
SHARES = (0.2, 0.05, 0.15, 0.1, 0.05, 0.05, 0.1, 0.3)
FLAGSHIP = Setting("corners", ((Shuffle(2.0, 1_000, 1_000_000), 100_000),), 1e-8)


def draw(seed: int, number: int) -> Setting:
    """Setting ``number`` of this seed: all orders of magnitude of everything; one in five has two kinds of rounds."""
    if number == 0:
        return FLAGSHIP
    rng = np.random.default_rng([seed, number])
    what = str(rng.choice(list(KINDS), p=SHARES))
    parts = [(KINDS[what](_numbers(rng, what)), round(_spread(rng, 2, MOST_ROUNDS)))]
    if rng.random() < 0.2:
        parts.append((KINDS[what](_numbers(rng, what)), round(_spread(rng, 1, MOST_ROUNDS))))
    return Setting(what, tuple(parts), float(10 ** rng.uniform(LEAST_LOG_DELTA, -2)))


def _numbers(rng: np.random.Generator, what: str) -> Numbers:
    n = round(_spread(rng, 2, MOST_IN_GAME if what == "corners" else MOST_CLIENTS))
    population = n
    if rng.random() < 0.7:
        population = max(n + 1, round(n * _spread(rng, 1, 1e5)))
    elif what == "corners":
        n = population = min(n, FEW)
    return Numbers(_spread(rng, 0.05, 6), n, population, round(_spread(rng, 2, 30)), _spread(rng, 1e-3, 1))


def _spread(rng: np.random.Generator, low: float, high: float) -> float:
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def check(setting: Setting) -> list[Finding]:
    """Both answers, for an attack, or for a protocol's pair; the corners for their attack and their guarantee."""
    what, parts, delta = setting
    if what in ATTACKS:
        return [_attacked(what, parts, delta)]
    if what != "corners":
        return [Finding("pair", composed(parts, delta), judged(parts, delta))]
    run = Run(parts)
    reached, upper = run.attack_epsilon(delta), min(judged(way, delta).upper for way in (parts, _cloned(parts)))
    return [
        _attacked(reached.name, parts, delta),
        Finding("guarantee", run.epsilon(delta), Bracket(0.0, upper), upper_only=True),
    ]


def _cloned(parts: Sequence[tuple[Protocol, int]]) -> Parts:
    """What no game is above. [beyond] 2"""
    return [
        (Shuffle(one.eps0, one.n, one.population, reduction="clones"), own)
        for one, own in parts
        if isinstance(one, Shuffle)
    ]


def _attacked(name: str, parts: Sequence[tuple[Protocol, int]], delta: float) -> Finding:
    """All rounds under one attack; or, if two names are joined, each part under its own."""
    names = name.split("; ")
    each = names if len(names) == len(parts) else names[:1] * len(parts)
    ways = [
        (next(one for one in protocol.attacks if one.name.startswith(own)), rounds)
        for (protocol, rounds), own in zip(parts, each, strict=True)
    ]
    return Finding(name, composed(ways, delta), judged(ways, delta))


def composed(parts: Parts, delta: float) -> Bracket:
    """Eps by the kit: the larger of both directions."""
    ways = Composition([Part(one.pair, own) for one, own in parts]).both_ways()
    return _larger([way.epsilon(delta, RTOL) for way in ways])


def judged(parts: Parts, delta: float) -> Bracket:
    """Eps by the judge: the larger of both directions, unless they are the same."""
    asked: list[tuple[Callable[..., Any], int]] = [(one.define, own) for one, own in parts]
    ways = (False,) if all(_symmetric(one.define(float)) for one, _ in parts) else (False, True)
    return _larger([certify.rounds(asked, delta, reverse=way).epsilon(delta) for way in ways])


def _symmetric(given: Any) -> bool:
    if not isinstance(given, Definition):
        return True  # the corners
    here, back = without_round_off([given.laws[0], given.reversed().laws[0]])
    return bool(here == back)


def _larger(brackets: Sequence[Bracket]) -> Bracket:
    return Bracket(max(one.lower for one in brackets), max(one.upper for one in brackets))


def summary(findings: Sequence[Finding]) -> Iterator[str]:
    """How many of which kind, and how narrow the judge's brackets are where both ends are known."""
    pairs, games = ([one for one in findings if one.upper_only == kind] for kind in (False, True))
    widths = [one.judged.width for one in pairs if one.judged.lower > 0]
    yield (
        f"{len(pairs)} pairs and attacks: {sum(not one.wrong for one in pairs)} consistent, "
        f"the judge's brackets {np.median(widths or [math.nan]):.1e} wide, at most {max(widths, default=math.nan):.1e}"
    )
    proved, apart = sum(one.verdict == "proved" for one in games), max((one.apart for one in games), default=0.0)
    yield (
        f"{len(games)} guarantees of the game: {proved} proved, the others but for {max(apart, 0):.1e} at most, "
        f"{sum(one.wrong for one in games)} wrong"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold composed runs against interval arithmetic, at random settings.")
    parser.add_argument("--count", type=int, default=50, help="how many random settings, after the flagship (50)")
    parser.add_argument("--seed", type=int, default=0, help="of the settings (0)")
    parser.add_argument("--first", type=int, default=0, help="number of the first setting; 0 is the flagship (0)")
    options = parser.parse_args()
    if options.count < 0 or options.seed < 0 or options.first < 0:
        parser.error("count, seed and first must be at least 0")
    findings: list[Finding] = []
    for number in tqdm(range(options.first, options.count + 1)):
        setting, start = draw(options.seed, number), time.monotonic()
        findings += (found := check(setting))
        with tqdm.external_write_mode():
            print("\n".join([f"{number}: {setting}, {time.monotonic() - start:.0f} s", *map(str, found)]), flush=True)
    print("\n".join(summary(findings)))
    return int(any(one.wrong for one in findings))


if __name__ == "__main__":
    sys.exit(main())
