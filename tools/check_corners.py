"""Try random protocols: the corners' guarantee against what attacks really reach, and against the clones.

python tools/check_corners.py --seconds 60 --seed 0

Some are asked about one round at one eps, some about many rounds at one delta. n goes to 1e9, the rounds to 1e5.
"""

import argparse
import random
import sys
import time
from typing import NamedTuple

import numpy as np

from shufflekit import Shuffle, ShuffledCheckIn
from shufflekit.loss_distribution import Composition, Part
from shufflekit.protocols import Protocol

SLACK = 1 + 1e-9  # two ends of one number may differ by a rounding
WIDTH = 2e-3  # by how much two searches for one eps may differ
POINTS = 40  # eps of one protocol


class Row(NamedTuple):
    """A delta, or an eps: what an attack reaches, what the corners guarantee, and what the clones do."""

    reached: float
    guaranteed: float
    clones: float


def protocol(rng: random.Random) -> Protocol:
    """Everybody, some of a population, or check-ins."""
    eps0, n = rng.uniform(0.05, 6), round(10 ** rng.uniform(0.5, 9))
    kind = rng.choice(["all", "sampled", "check-in"])
    if kind == "check-in":
        return ShuffledCheckIn(eps0, min(n, 10**7), rng.uniform(0.01, 0.99))
    return Shuffle(eps0, n, n if kind == "all" else min(10**12, round(n * 10 ** rng.uniform(0, 4))))


def one_round(one: Protocol, rng: random.Random) -> list[Row]:
    """delta at some eps: what is reached, what is guaranteed, and the clones'."""
    clones = one.pair.fallback
    deviation = clones.delta(np.zeros(1), 0.03).upper[0] * 2.5
    most = 0.98 * clones.largest_loss
    eps = np.array([min(rng.uniform(0, 7) * deviation, rng.uniform(0, 1) * most) for _ in range(POINTS)])
    pairs = [way for attack in one.attacks for way in (attack.pair, attack.pair.reversed())]
    reached = np.max([pair.delta(eps, 1e-3).lower for pair in pairs], axis=0)
    columns = reached, one.pair.delta(eps).upper, clones.delta(eps).upper
    return [Row(*map(float, row)) for row in zip(*columns, strict=True)]


def many_rounds(one: Protocol, rng: random.Random) -> list[Row]:
    """The same of eps at some delta."""
    rounds, delta = round(10 ** rng.uniform(0, 5)), 10 ** -rng.uniform(2, 12)
    clones = Composition([Part(one.pair.fallback, rounds)]).epsilon(delta, 1e-3).upper
    run = one * rounds
    return [Row(run.attack_epsilon(delta, rtol=1e-3).lower, run.guarantee(delta, rtol=1e-3).upper, clones)]


QUESTIONS = (one_round, one_round, one_round, many_rounds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, start, rows, below = random.Random(options.seed), time.monotonic(), [], 0
    while time.monotonic() < start + options.seconds:
        one, ask = protocol(rng), rng.choice(QUESTIONS)
        found = ask(one, rng)
        rows += found
        for row in found:
            if not row.guaranteed * SLACK >= row.reached:
                below += 1
                print(f"BELOW: {one!r} ({ask.__name__}): {row}", flush=True)
    above = sum(row.guaranteed > row.clones * (1 + WIDTH) for row in rows)
    ratios = [row.guaranteed / row.reached for row in rows if row.reached > 0]
    median, near = float(np.median(ratios)), float(np.quantile(ratios, 0.9))
    print(
        f"{len(rows):,} settings of seed {options.seed}: {below} below an attack, {above} above the clones; "
        f"guaranteed over reached: {median:.5f} in the median, {near:.4f} at nine in ten"
    )
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
