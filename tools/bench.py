"""Time the package: medians over several calls, all in one run, in less than a minute.

python tools/bench.py
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from shufflekit import RandomizedResponse, Shuffle, exact
from shufflekit.papers import girgis2021
from shufflekit.papers.figures_girgis2021 import PANELS, curves
from shufflekit.randomizers import random_channel

ROOT = Path(__file__).resolve().parents[1]
DELTA = 1e-8
ORDERS = np.arange(2, 1002)
# eps0, n, k
SETTINGS = [(1.0, 10**6, 10**3), (2.0, 10**6, 10**3), (3.0, 10**6, 10**3), (2.0, 60_000, 2_000), (2.0, 10**4, 10**4)]


def seconds(call: Callable[[], Any], budget: float = 1.0) -> tuple[float, int]:
    """The median time of a call, and of how many: as many as the budget allows, at most 200, 3 of a slow one."""
    times: list[float] = []
    while (sum(times) < budget and len(times) < 200) or (sum(times) < 5 and len(times) < 3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), len(times)


def show(name: str, call: Callable[[], Any], budget: float = 1.0) -> None:
    """One row of the table."""
    median, calls = seconds(call, budget)
    value, unit = (1e3 * median, "ms") if median < 1 else (median, "s ")
    print(f"{name:62} {value:10.3f} {unit}  {calls:5}", flush=True)


def fresh(statement: str) -> Callable[[], Any]:
    """A new Python that runs one statement."""
    return lambda: subprocess.run([sys.executable, "-c", statement], cwd=ROOT, check=True)


def main() -> None:
    print(f"{'':62} {'median':>10}     {'calls':>5}")
    show("start of Python alone", fresh("pass"), budget=2.0)
    show("start of Python, and import shufflekit", fresh("import shufflekit"), budget=4.0)
    for eps0, n, k in SETTINGS:
        setting = f"eps0 = {eps0:g}, k = {k:,} of {n:,}"
        show(f"Theorem 1 at 1,000 orders, {setting}", lambda at=(eps0, n, k): girgis2021.thm1(ORDERS, *at))
    show("Theorem 1 at the orders 2 to 10,001", lambda: girgis2021.thm1(np.arange(2, 10_002), 2.0, 10**6, 1000))
    for T in (10**3, 10**5):
        show(f"Theorem 1 at the best order, T = {T:,}", lambda T=T: girgis2021.thm3_privacy(2.0, 10**6, 1000, T, DELTA))
    for T in (1, 10**3, 10**5):
        run = Shuffle(2.0, 1000, 10**6) * T
        show(f"attack_epsilon to 1e-4, T = {T:,}", lambda run=run: run.attack_epsilon(DELTA))
    clients = random_channel(12, 4, 2.0, rng=np.random.default_rng(0)).probs
    show("exact law, 12 clients, 4 outputs", lambda: exact.histogram_law(clients))
    rational = [RandomizedResponse(4, ratio=7).probs[i % 4] for i in range(12)]
    show("exact law, 12 clients, 4 outputs, in fractions", lambda: exact.histogram_law(rational))
    crowd = [RandomizedResponse(3, 2.0).probs[i % 3] for i in range(60)]
    show("exact law, 60 clients, 3 outputs", lambda: exact.histogram_law(crowd))
    show("exact law, 60 clients, 3 outputs, 30 sampled", lambda: exact.sampled_law(crowd, 30))
    show("all curves of one panel (2a)", lambda: curves(*PANELS["2a"]))
    show("all nine panels of Figures 2, 4 and 5", lambda: [curves(*panel) for panel in PANELS.values()])


if __name__ == "__main__":
    main()
