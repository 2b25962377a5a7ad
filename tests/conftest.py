"""Settings shared by all tests."""

import os
import re
import signal

import pytest
from hypothesis import HealthCheck, settings

# One thread for each worker, before torch starts: several get in each other's way, and add up in another order.
os.environ["OMP_NUM_THREADS"] = "1"

# The same examples on every run and machine, however slow: a failure is then always a change of the code.
settings.register_profile("reproducible", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Other examples with every seed, and nothing from earlier runs: the seed alone repeats a run.
settings.register_profile(
    "fresh", settings.get_profile("reproducible"), derandomize=False, database=None, print_blob=True
)
settings.load_profile("reproducible")

# A runner in the background ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

TRIED = "examples tried"
COUNTS = re.compile(r"(\d+) passing[^,]*, (\d+) failing")


@pytest.fixture
def on_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compositions are put on grids, also where they could be read off without one, or outcome by outcome."""
    monkeypatch.setattr("shufflekit.loss_distribution.listed.are_few", lambda *_: False)
    monkeypatch.setattr("shufflekit.loss_distribution.listed.integral", lambda *_: None)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Leave what Hypothesis counted in the report, which also comes back from another process."""
    item.user_properties += [(TRIED, item.hypothesis_statistics)] if hasattr(item, "hypothesis_statistics") else []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """How many examples each test tried, if they are other ones in each run."""
    if config.getoption("--hypothesis-profile") != "fresh":
        return
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    properties = [(one.nodeid, pair) for one in reports for pair in getattr(one, "user_properties", [])]
    tried = {test: found for test, (name, found) in properties if name == TRIED}
    counts = {test: sum(int(n) for pair in COUNTS.findall(found) for n in pair) for test, found in tried.items()}
    terminalreporter.section("examples tried")
    for test, count in sorted(counts.items()):
        terminalreporter.write_line(f"{count:6,} {test}")
    seed = config.getoption("--hypothesis-seed")
    again = f"; make properties SEED={seed} tries the same" if seed is not None else ""
    terminalreporter.write_line(f"{sum(counts.values()):,} examples in {len(counts)} tests{again}")
