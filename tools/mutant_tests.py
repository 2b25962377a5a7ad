"""A plugin of pytest, loaded by tools/mutants.py: tests that are only to say whether they notice something.

So much work is done in each file of tests, and so much in all; what is left is skipped. No work goes into making a
failure's example smaller. The last test that was begun, or the file that cannot be read, is written to
``MUTANT_RESULT``: if one fails, or never ends, it is that one.
"""

import json
import math
import os
import resource
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

# Of work, not of time: others may keep the machine busy.
MOST_SECONDS_OF_A_FILE, MOST_SECONDS = 20.0, 60.0
HANGS = 60  # a test that works for so long is taken for one that never ends
MOST_MEMORY = 2**33  # bytes: a change may ask for far more

spent: Counter[str] = Counter()


def cpu_seconds() -> float:
    """Of this process and its children."""
    return sum(os.times()[:4])


def pytest_configure() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    settings.register_profile("mutants", settings.default, phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutants")


def told(name: str) -> None:
    Path(os.environ["MUTANT_RESULT"]).write_text(json.dumps(name), encoding="utf-8")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        told(report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    told(item.nodeid)
    start = cpu_seconds()
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(start) + HANGS, resource.RLIM_INFINITY))
    result = yield
    spent[item.path.name] += cpu_seconds() - start
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if spent[item.path.name] > MOST_SECONDS_OF_A_FILE or spent.total() > MOST_SECONDS:
        pytest.skip("the work is done")
