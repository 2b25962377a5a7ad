"""Hold the fast path against the judge: random parameters, certified ends against interval arithmetic.

python tools/certify_many.py --count 10000 --seed 0

Settings follow from the seed and their number. Prints those at which an end is on the wrong side, or the front door's
bracket too wide, and a summary; the exit code is then 1. A progress bar goes to stderr.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from shufflekit import RandomizedResponseShuffle, Shuffle, ShuffledCheckIn, certify
from shufflekit.bracket import Bracket
from shufflekit.dominating_pairs import Pair
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols import Attack, Protocol

WIDEST = 1e-4  # the width that is promised, relative
LEAST = 1e-60  # down to this delta
MOST_CLIENTS = 10**5
MOST_WITH_THIRD = 200  # where there is a third kind of message, and the judge's work grows with their number
MOST_VALUES = 30


class Setting(NamedTuple):
    """One round of something, and the eps at which it is asked. Not everything has use for ``rate`` or ``k``."""

    what: str
    eps0: float
    n: int
    population: int
    rate: float
    k: int
    eps: float


class Subject(NamedTuple):
    """What is asked: its share of the settings, a protocol or one of its attacks, and the most clients."""

    share: float
    of: Callable[[Setting], Protocol | Attack]
    most: int = MOST_CLIENTS
    reverse: bool = False


def named(protocol: Protocol, name: str) -> Attack:
    """The attack of a protocol whose name begins so."""
    return next(attack for attack in protocol.attacks if attack.name.startswith(name))


SUBJECTS = {
    "clones": Subject(0.4, lambda s: Shuffle(s.eps0, s.n, s.population, reduction="clones")),
    "clones2021": Subject(0.1, lambda s: Shuffle(s.eps0, s.n, s.population, reduction="clones2021")),
    "check-in": Subject(
        0.1, lambda s: ShuffledCheckIn(s.eps0, s.population, s.rate, reduction="clones"), MOST_WITH_THIRD
    ),
    "weak view": Subject(0.05, lambda s: RandomizedResponseShuffle(s.k, s.eps0, s.n), MOST_WITH_THIRD),
    "strong view": Subject(0.05, lambda s: RandomizedResponseShuffle(s.k, s.eps0, s.n, view="strong")),
    "binary": Subject(0.1, lambda s: named(Shuffle(s.eps0, s.n, s.population), "binary")),
    "binary, reversed": Subject(0.1, lambda s: named(Shuffle(s.eps0, s.n, s.population), "binary"), reverse=True),
    "ternary": Subject(0.05, lambda s: named(Shuffle(s.eps0, s.n, s.population), "3-ary")),
    "ternary check-in": Subject(
        0.05, lambda s: named(ShuffledCheckIn(s.eps0, s.population, s.rate), "3-ary"), MOST_WITH_THIRD
    ),
}
SAMPLED = ("clones", "clones2021", "binary", "binary, reversed", "ternary")
AT_A_RATE = ("check-in", "ternary check-in")


def draw(seed: int, number: int, most: int = MOST_CLIENTS) -> Setting:
    """Setting ``number`` of this seed: all orders of magnitude of everything, delta from 1/2 to below 1e-60."""
    rng = np.random.default_rng([seed, number])

    def spread(low: float, high: float) -> float:
        return float(math.exp(rng.uniform(math.log(low), math.log(high))))

    what = str(rng.choice(list(SUBJECTS), p=[subject.share for subject in SUBJECTS.values()]))
    n = round(spread(2, min(most, SUBJECTS[what].most)))
    eps0, k, rate = spread(0.01, 12), round(spread(2, MOST_VALUES)), 1.0
    population = round(n * spread(1, 1e6)) if what in SAMPLED and rng.random() < 0.5 else n
    if what in AT_A_RATE and rng.random() < 0.9:
        rate = spread(1e-4, 1)
    # The loss has about this standard deviation when many report, and is below this limit when few do.
    share = rate * n / population
    deviation = share * math.expm1(eps0) * math.sqrt(2 / (n * rate * (math.exp(eps0) + 1)))
    limit = eps0 if what in AT_A_RATE else math.log1p(share * math.expm1(eps0))
    if what == "strong view":
        limit = math.log(max(n - 1, 1))  # the largest finite loss, from where on delta is flat
    kind = rng.random()
    if kind < 0.05 or limit == 0:
        eps = 0.0
    elif kind < 0.3:
        eps = limit * rng.random()
    else:
        eps = limit * -math.expm1(-rng.uniform(0, 17) * deviation / limit)
    return Setting(what, eps0, n, population, rate, k, eps)


class Finding(NamedTuple):
    """The judge's answer, the fast path's, and what is wrong with the latter or too wide, in words."""

    truth: Bracket
    found: Bracket
    wrong: list[str]
    wide: list[str]


def judged(setting: Setting, eps: float) -> Bracket:
    """What the judge says of a setting's protocol or attack at an eps."""
    subject = SUBJECTS[setting.what]
    return certify.delta(subject.of(setting).define, eps, reverse=subject.reverse)


def check(setting: Setting) -> Finding:
    """Ask the judge and the pair; where there is a front door ask that too, for delta and back for eps."""
    subject = SUBJECTS[setting.what]
    asked, judge = subject.of(setting), partial(judged, setting)
    truth = judge(setting.eps)
    pair = asked.pair.reversed() if subject.reverse else asked.pair
    ends = pair.delta(np.array([setting.eps]))
    found = Bracket(float(ends.lower[0]), float(ends.upper[0]))
    wrong, wide = list(_wrong_ends("pair.delta", found, truth)), []
    if isinstance(asked, Protocol):
        found = _of_pair(pair, lambda way: way.delta(setting.eps, 1e-4))
        wrong += _wrong_ends("delta", found, truth)
        if truth.lower >= LEAST:
            # So near the largest loss its own rounding is all that is left of delta.
            near = setting.eps >= (1 - 1e-9) * pair.largest_loss
            wide += [] if near else _wide("delta", found)
            level = asked.guarantee(truth.upper)
            wrong += _wrong_level(level, truth.upper, judge)
            # Where delta is so flat that floating point cannot tell levels apart, no width is asked of eps: just before
            # it, or from there on (delta being convex in alpha, it is at its least then, and no eps need be enough).
            before, after = (judge((1 + shift) * setting.eps) for shift in (-WIDEST, WIDEST))
            steep = before.lower > truth.upper * (1 + 1e-9) and truth.lower > after.upper * (1 + 1e-9)
            wide += _wide("epsilon", level) if steep else []
    return Finding(truth, found, wrong, wide)


def _of_pair(pair: Pair, ask: Callable[[Composition], Bracket]) -> Bracket:
    """One round of a pair, by the way that protocols are asked, attacks left aside."""
    ends = [ask(way) for way in Composition([Part(pair, 1)]).both_ways()]
    return Bracket(max(end.lower for end in ends), max(end.upper for end in ends))


def _wrong_ends(name: str, found: Bracket, truth: Bracket) -> Iterator[str]:
    if not 0 <= found.lower <= found.upper <= 1:
        yield f"{name}: {tuple(found)} are no ends"
    if found.lower > truth.upper:
        yield f"{name}: the lower end {found.lower!r} is above the truth {truth.upper!r}"
    if found.upper < truth.lower:
        yield f"{name}: the upper end {found.upper!r} is below the truth {truth.lower!r}"


def _wrong_level(level: Bracket, delta: float, judge: Callable[[float], Bracket]) -> Iterator[str]:
    """Delta falls with eps: at the upper end it must be low enough, at the lower end not yet."""
    if not 0 <= level.lower <= level.upper:
        yield f"epsilon({delta!r}): {tuple(level)} are no ends"
    elif level.upper == math.inf and judge(500.0).upper < delta * (1 - 1e-9):
        yield f"epsilon({delta!r}): the upper end is infinite, and delta falls that low"
    elif level.upper < math.inf and judge(level.upper).lower > delta:
        yield f"epsilon({delta!r}): the upper end {level.upper!r} is too small"
    elif level.lower > 0 and judge(level.lower).upper < delta:
        yield f"epsilon({delta!r}): the lower end {level.lower!r} is too large"


def _wide(name: str, found: Bracket) -> Iterator[str]:
    if found.width > WIDEST:
        yield f"{name}: width {found.width:.2g} of {tuple(found)}"


def summary(findings: list[tuple[Setting, Finding]]) -> Iterable[str]:
    """What was covered, and how narrow the brackets were, subject by subject."""
    heads = (
        f"{'settings':>9}{'wrong':>7}{'wide':>7}{'delta: median':>15}{'least':>10}{'width: median':>15}{'widest':>10}"
    )
    yield f"{'':18}{heads}"
    for name in SUBJECTS:
        mine = [finding for setting, finding in findings if setting.what == name]
        if not mine:
            continue
        deltas = [finding.truth.upper for finding in mine if finding.truth.lower >= LEAST]
        widths = [finding.found.width for finding in mine if finding.truth.lower >= LEAST]
        yield (
            f"{name:18}{len(mine):9,}{sum(bool(finding.wrong) for finding in mine):7,}"
            f"{sum(bool(finding.wide) for finding in mine):7,}"
            f"{np.median(deltas or [math.nan]):15.2g}{min(deltas, default=math.nan):10.2g}"
            f"{np.median(widths or [math.nan]):15.2g}{max(widths, default=math.nan):10.2g}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Hold the fast path against the judge, at random parameters.")
    parser.add_argument("--count", type=int, default=10_000, help="how many settings (10,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the settings (0)")
    parser.add_argument("--first", type=int, default=0, help="number of the first setting, to look at one again (0)")
    options = parser.parse_args()
    if options.count < 1 or options.seed < 0 or options.first < 0:
        parser.error("count must be at least 1, seed and first at least 0")
    findings = []
    start = time.monotonic()
    for number in tqdm(range(options.first, options.first + options.count)):
        setting = draw(options.seed, number)
        finding = check(setting)
        findings.append((setting, finding))
        if finding.wrong or finding.wide:
            with tqdm.external_write_mode():
                print("\n    ".join([f"{number}: {setting}", *finding.wrong, *finding.wide]), flush=True)
    print("\n".join(summary(findings)))
    wrong, wide = (sum(bool(faults) for faults in kind) for kind in zip(*(f[2:] for _, f in findings), strict=True))
    took = time.monotonic() - start
    print(f"{options.count:,} settings of seed {options.seed}: {wrong:,} wrong, {wide:,} too wide, {took:.0f} s")
    return bool(wrong or wide)


if __name__ == "__main__":
    sys.exit(main())
