"""Ask random shuffles for epsilon: how far apart the two ends of each answer are, and how many seconds it takes.

python tools/check_widths.py --count 300 --seed 0

Half of the settings are one round, half are composed of up to 1e6; half are sampled. n and the population go to 1e12,
eps0 from 0.05 to 10, delta from 1e-4 to 1e-60. Printed is every answer that is wide, its ends more than 1e-4 apart, or
slow. The seconds are those that this process computed on its one core, so that other work does not count.
"""

import argparse
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from shufflekit import Shuffle
from shufflekit.protocols import Run

RTOL = 1e-4
SLOW = 30.0  # seconds, after which an answer is not waited for


class Row(NamedTuple):
    """What one question came to: the relative widths of the guarantee's and the attack's own brackets, and seconds."""

    run: Run
    delta: float
    guarantee: float
    attack: float
    seconds: float

    @property
    def good(self) -> bool:
        return max(self.guarantee, self.attack) <= RTOL and self.seconds < SLOW

    def __str__(self) -> str:
        widths = f"guarantee {self.guarantee:.2g} wide, attack {self.attack:.2g}"
        return f"{self.run} at delta = {self.delta:.2g}: {widths}, {self.seconds:.2f} s"


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the block once it has computed for so long."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def setting(rng: random.Random) -> tuple[Run, float]:
    """A run and a delta."""
    eps0, n = round(10 ** rng.uniform(-1.3, 1), 3), round(10 ** rng.uniform(0, 12))
    population = rng.choice([n, min(10**12, round(n * 10 ** rng.uniform(0, 6)))])
    rounds = rng.choice([1, round(10 ** rng.uniform(0, 6))])
    return Shuffle(eps0, n, population) * rounds, 10 ** -rng.uniform(4, 60)


def ask(run: Run, delta: float) -> Row:
    """One question, as ``epsilon`` asks it: the guarantee and what attacks reach."""
    start, widths = time.process_time(), []
    try:
        with at_most(SLOW):
            for ends in (run.guarantee(delta), run.attack_epsilon(delta)):
                widths.append(1 - ends.lower / ends.upper if ends.upper > 0 else 0.0)
    except TimeoutError:
        widths += [1.0] * (2 - len(widths))
        return Row(run, delta, *widths, SLOW)
    return Row(run, delta, *widths, time.process_time() - start)


def summary(rows: list[Row]) -> str:
    """How many are wide or slow, and the seconds: median, nine in ten, most."""
    done = [row for row in rows if row.seconds < SLOW]
    seconds = [row.seconds for row in done] or [SLOW]
    wide = [row.guarantee for row in done if row.guarantee > RTOL]
    attacks = sum(row.attack > RTOL for row in done)
    middle, most = np.quantile(seconds, [0.5, 0.9])
    return (
        f"{len(rows)} asked, {len(rows) - len(done)} slow; {len(wide)} guarantees wide, by at most "
        f"{max(wide, default=0):.2g}, {attacks} attacks; seconds: median {middle:.2f}, nine in ten {most:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, rows = random.Random(options.seed), list[Row]()
    for _ in range(options.count):
        rows.append(ask(*setting(rng)))
        if not rows[-1].good:
            print(rows[-1], flush=True)
    alone = [row for row in rows if row.run.parts[0][1] == 1]
    print(f"one round: {summary(alone)}")
    print(f"composed: {summary([row for row in rows if row not in alone])}")


if __name__ == "__main__":
    main()
