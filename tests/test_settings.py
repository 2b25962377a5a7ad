"""How the tests are run: what is skipped is told at the end, and `make properties` tells what it tried."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TWO = ["-n", "2", "--dist", "loadscope"]  # processes, as make has them
TESTS = {
    "test_skipped.py": """
import pytest

def test_data():
    pytest.skip("no pictures here")
""",
    "test_left_out.py": """
import pytest

pytest.importorskip("a_module_that_is_not_there")
""",
    "test_drawn.py": """
from pathlib import Path
from hypothesis import assume, given, settings, strategies as st

@settings(max_examples=25)
@given(st.integers(0, 10**9))
def test_one(n):
    with open(Path(__file__).with_name("drawn.txt"), "a") as file:
        print(n, file=file)
    assume(n % 5 != 4)

@given(st.integers(0, 10**9))
def test_two(n):
    assert n >= 0
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A few tests under the settings of the real ones."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    tests = tmp_path / "tests"
    tests.mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    for name, text in TESTS.items():
        (tests / name).write_text(text)
    return tmp_path


def told(folder: Path, *options: str) -> list[str]:
    """What pytest says."""
    command = [sys.executable, "-m", "pytest", "--nbval", *options, "tests"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    return ended.stdout.splitlines()


def drawn(folder: Path) -> list[str]:
    """What the property drew since the last look."""
    path = folder / "tests" / "drawn.txt"
    lines = path.read_text().splitlines()
    path.unlink()
    return lines


def test_the_last_lines_name_what_was_skipped_with_the_reason(folder: Path) -> None:
    last = told(folder, *TWO)[-3:]
    assert "2 passed, 2 skipped" in last.pop()
    assert all(line.startswith("SKIPPED [1] tests/") for line in last)
    assert any("no pictures here" in line for line in last)
    assert any("could not import 'a_module_that_is_not_there'" in line for line in last)


def test_examples_are_the_same_in_every_run(folder: Path) -> None:
    first = (told(folder), drawn(folder))[1]
    said, second = told(folder), drawn(folder)
    assert len(first) >= 25
    assert first == second
    assert not any("examples in" in line for line in said)


def test_fresh_examples_differ_by_the_seed_and_tells_how_many(folder: Path) -> None:
    runs = dict[str, list[str]]()
    for seed, processes in (("1", TWO), ("2", []), ("1", [])):
        said = told(folder, *processes, "-m", "hypothesis", "--hypothesis-profile", "fresh", "--hypothesis-seed", seed)
        found = drawn(folder)
        assert runs.setdefault(seed, found) == found
        counts = {line.split()[1]: line.split()[0] for line in said if re.match(r" +\d+ tests/", line)}
        assert counts == {"tests/test_drawn.py::test_one": "25", "tests/test_drawn.py::test_two": "100"}
        assert f"125 examples in 2 tests; make properties SEED={seed} tries the same" in said
    assert runs["1"] != runs["2"]
