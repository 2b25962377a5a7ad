"""Time the package: medians over several calls, all in one run; peers beside it, as ratios; at last each notebook.

python tools/bench.py
"""

import importlib
import importlib.util
import math
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import run_notebooks
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import binom

from shufflekit import RandomAllocation, RandomCheckIn, RandomizedResponse, Shuffle, exact
from shufflekit.dominating_pairs.blocks import blocks
from shufflekit.dominating_pairs.listed_votes import Rows, listed_votes
from shufflekit.papers import girgis2021
from shufflekit.papers.figures_girgis2021 import PANELS, curves
from shufflekit.protocols import Run
from shufflekit.randomizers import random_channel

ROOT = Path(__file__).resolve().parents[1]
DELTA = 1e-8
MINUTE = 60  # seconds: what a notebook takes at most on a quiet machine, as promised
ORDERS = np.arange(2, 1002)
ALLOCATION_DELTA = 1e-6
# What PLD-accounting 2.0 [feldman2026] gave for 1,000 steps with its defaults, by sigma.
PUBLISHED = {2.0: "0.0582 to 0.0605 in 215 s", 1.0: "0.1687 to 0.1757 in 129 s"}
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


def show(name: str, call: Callable[[], Any], budget: float = 1.0, against: float | None = None) -> float:
    """One row of the table; ``against`` is the time of ours that a peer's is told as a multiple of."""
    median, calls = seconds(call, budget)
    value, unit = (1e3 * median, "ms") if median < 1 else (median, "s ")
    ratio = f"{median / against:10.1f} times the clones'" if against else ""
    print(f"{name:66} {value:10.3f} {unit}  {calls:5}{ratio}", flush=True)
    return median


def plain_epsilon(eps0: float, n: int, delta: float) -> float:
    """The clone pair's eps the straightforward way: every number of clones that matters, two tails each, bisection."""
    p = 1 / (1 + math.exp(eps0))
    middle, reach = 2 * p * (n - 1), 10 * math.sqrt(n * p) + 50
    c = np.arange(max(0, math.floor(middle - reach)), min(n - 1, math.ceil(middle + reach)) + 1)
    weight = binom.pmf(c, n - 1, 2 * p)

    def at(eps: float) -> float:
        alpha = math.exp(eps)
        # a + 1 balls of the first kind under P, of c + 1: more than this share of them speaks for P.
        share = (alpha * math.exp(eps0) - 1) / (math.expm1(eps0) * (1 + alpha)) * (c + 1)
        more, less = binom.sf(np.floor(share - 1), c, 0.5), binom.sf(np.floor(share), c, 0.5)
        return float(weight @ np.maximum(0, (math.exp(eps0) - alpha) * more - (alpha * math.exp(eps0) - 1) * less)) * p

    low, high = 0.0, eps0
    while high - low > 1e-4 * high:
        eps = (low + high) / 2
        low, high = (eps, high) if at(eps) > delta else (low, eps)
    return high


def peer_epsilon(eps0: float, n: int, delta: float) -> float:
    """The same pair, listed and given to dp-accounting."""
    law = Shuffle(eps0, n).pair
    parts = blocks(n, law.rate, law.rest, width=0.0, log_cut=math.log(delta) - 12)
    signs = np.arange(math.ceil(math.sqrt(-2 * (math.log(delta) - 12) * parts.high[-1])) // 2 + 1.0)
    rows = Rows(parts.mass, parts.low, np.zeros(len(parts.low)), (law.less + law.gap / 2) * parts.low)
    atoms = listed_votes(rows, signs, law.less, law.gap, 0.0, math.log(delta) - 12)
    log_p = dict(enumerate(atoms.loss + atoms.log_q))
    log_q = dict(enumerate(atoms.log_q))
    pld = privacy_loss_distribution.from_two_probability_mass_functions(log_q, log_p)
    return float(pld.get_epsilon_for_delta(delta))


def peak_memory() -> None:
    """Of a fresh process that does nothing but compose 100,000 sampled rounds."""
    code = "from shufflekit import Shuffle; (Shuffle(2.0, 1000, 10**6) * 10**5).epsilon(1e-8)"
    status = "print(open('/proc/self/status').read())"  # of this process alone, which getrusage's maximum is not
    if Path("/proc/self/status").exists():
        command = [sys.executable, "-c", f"{code}; {status}"]
        text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) / 1024
        print(f"{'  peak memory of a process that does this, interpreter and all':66} {peak:10.0f} MB")


def fresh(statement: str) -> Callable[[], Any]:
    """A new Python that runs one statement."""
    return lambda: subprocess.run([sys.executable, "-c", statement], cwd=ROOT, check=True)


def accountant() -> None:
    """The tight accountant, and the same questions asked of others."""
    for n in (10**4, 10**5, 10**6, 10**9, 10**12):
        one = Shuffle(1.0, n, reduction="clones")
        ours = show(f"one round, clones to 1e-4, n = {n:.0e}", lambda one=one: one.guarantee(DELTA))
        if n <= 10**9:
            show("  the O(sqrt n)-term sum and bisection", lambda n=n: plain_epsilon(1.0, n, DELTA), 0.1, ours)
        if n <= 10**5:
            show("  dp-accounting fed the same pair", lambda n=n: peer_epsilon(1.0, n, DELTA), 0.1, ours)
    for eps0, sizes in ((0.5, (10**3, 10**5, 10**12)), (2.0, (10**3, 10**4, 10**5, 10**9, 10**12)), (4.0, (10**4,))):
        for n in sizes:
            corners(Shuffle(eps0, n), f"one round, eps0 = {eps0:g}, n = {n:.0e}")
    for T in (10**3, 10**5, 10**6):
        corners(Shuffle(2.0, 1000, 10**6) * T, f"1,000 of 1e6, T = {T:,}")
    corners(Shuffle(2.0, 10**4) * 100, "everybody of 10,000, T = 100")
    for code in ("Shuffle(2.0, 10**5).epsilon(1e-8)", "(Shuffle(2.0, 1000, 10**6) * 10**5).epsilon(1e-8)"):
        show(f"cold: a new Python, and {code}", fresh(f"from shufflekit import Shuffle; {code}"), 4.0)
    peak_memory()
    run = Shuffle(4.0, 10**4, reduction="clones") * 16
    show("clones to 1e-4, n = 10,000, 16 rounds, delta = 1e-40", lambda: run.guarantee(1e-40))


def corners(run: Any, name: str) -> None:
    """The corners' guarantee beside the clones', and with what attacks reach."""
    clones = Run((replace(one, reduction="clones"), rounds) for one, rounds in run.parts)
    ours = show(f"{name}: clones", lambda: clones.guarantee(DELTA))
    show("  corners", lambda: run.guarantee(DELTA), 1.0, ours)
    show("  epsilon: corners, and what attacks reach", lambda: run.epsilon(DELTA), 1.0, ours)


def check_ins() -> None:
    """Random check-ins, asked again, and in a new Python."""
    for code in (
        "RandomCheckIn(1.0, 10**4, 10**4)",
        "RandomCheckIn(1.0, 10**4, 10**4, empty='skipped')",
        "RandomCheckIn(0.5, 10**6, 10**6)",
        "RandomCheckIn(1.0, 10**4, 10**4) * 100",
        "RandomCheckIn(1.0, 10**4)",
    ):
        run = eval(code, {"RandomCheckIn": RandomCheckIn})  # so that the table says what is timed
        run.guarantee(1e-6)
        show(f"{code}: again", lambda run=run: run.guarantee(1e-6))
        show("  cold: in a new Python", fresh(f"from shufflekit import RandomCheckIn; ({code}).guarantee(1e-6)"), 4.0)


def allocation() -> None:
    """Random allocation, cold and again; PLD-accounting beside it, if it is there, which takes minutes.

    dp-accounting 0.6 has no accountant for it.
    """
    for sigma, steps, epochs in (*((sigma, 1_000, 1) for sigma in PUBLISHED), (0.4, 10**6, 1), (0.8, 391, 10)):
        code = f"(RandomAllocation({sigma}, {steps:_}) * {epochs}).epsilon({ALLOCATION_DELTA})"
        show(f"cold: a new Python, and {code}", fresh(f"from shufflekit import RandomAllocation; {code}"), 4.0)
        run = RandomAllocation(sigma, steps) * epochs
        show("  again", lambda run=run: run.epsilon(ALLOCATION_DELTA))
        print(f"  {run.epsilon(ALLOCATION_DELTA)}")
        if sigma not in PUBLISHED:
            continue
        if importlib.util.find_spec("PLD_accounting") is None:
            print(f"  PLD-accounting 2.0 is not there (pip install PLD-accounting); as measured: {PUBLISHED[sigma]}")
            continue
        theirs = importlib.import_module("PLD_accounting").gaussian_allocation_epsilon_range
        found: list[Any] = []
        question = {"delta": ALLOCATION_DELTA, "sigma": sigma, "num_steps": steps, "num_epochs": epochs}
        show("  PLD-accounting", lambda ask=theirs, of=question, to=found: to.append(ask(**of)))
        print(f"  upper and lower: {found[-1]}; as measured before: {PUBLISHED[sigma]}")


def notebooks() -> None:
    """The seconds that each notebook takes, in a copy of their folder: the saved ones stay as they are."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "data").symlink_to(ROOT / "data")  # they read ../data
        folder = shutil.copytree(run_notebooks.NOTEBOOKS, Path(scratch, "notebooks"))
        for path in sorted(folder.glob("*.ipynb")):
            took, failure = run_notebooks.timed_run(path)
            mark = "failed" if failure else "more than a minute" if took > MINUTE else ""
            print(f"{path.name:66} {took:10.3f} s   {mark}".rstrip(), flush=True)
            if failure:
                print(failure, file=sys.stderr)


def main() -> None:
    print(f"{'':66} {'median':>10}     {'calls':>5}")
    show("start of Python alone", fresh("pass"), budget=2.0)
    show("start of Python, and import shufflekit", fresh("import shufflekit"), budget=2.0)
    show("start of Python, and from shufflekit import Shuffle", fresh("from shufflekit import Shuffle"), budget=4.0)
    accountant()
    check_ins()
    allocation()
    for eps0, n, k in SETTINGS:
        setting = f"eps0 = {eps0:g}, k = {k:,} of {n:,}"
        show(f"Theorem 1 at 1,000 orders, {setting}", lambda at=(eps0, n, k): girgis2021.thm1(ORDERS, *at))
    show("Theorem 1 at the orders 2 to 10,001", lambda: girgis2021.thm1(np.arange(2, 10_002), 2.0, 10**6, 1000))
    for T in (10**3, 10**5):
        show(f"Theorem 1 at the best order, T = {T:,}", lambda T=T: girgis2021.thm3_privacy(2.0, 10**6, 1000, T, DELTA))
    clients = random_channel(12, 4, 2.0, rng=np.random.default_rng(0)).probs
    show("exact law, 12 clients, 4 outputs", lambda: exact.histogram_law(clients))
    rational = [RandomizedResponse(4, ratio=7).probs[i % 4] for i in range(12)]
    show("exact law, 12 clients, 4 outputs, in fractions", lambda: exact.histogram_law(rational))
    crowd = [RandomizedResponse(3, 2.0).probs[i % 3] for i in range(60)]
    show("exact law, 60 clients, 3 outputs", lambda: exact.histogram_law(crowd))
    show("exact law, 60 clients, 3 outputs, 30 sampled", lambda: exact.sampled_law(crowd, 30))
    show("all curves of one panel (2a)", lambda: curves(*PANELS["2a"]))
    show("all nine panels of Figures 2, 4 and 5", lambda: [curves(*panel) for panel in PANELS.values()])
    if importlib.util.find_spec("torch"):
        subprocess.run([sys.executable, "tools/bench_learning.py"], cwd=ROOT, check=True)
    notebooks()


if __name__ == "__main__":
    main()
