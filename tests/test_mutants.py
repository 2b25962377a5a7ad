"""The tool that changes the package in one place at a time: which changes there are, and what counts as noticed."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("mutants.py", "mutations.py", "mutant_copy.py", "mutant_tests.py", "import_graph.py")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    sys.path.insert(0, str(ROOT / "tools"))
    return importlib.import_module("mutations")


KINDS = {
    "a < b": ["a <= b", "a >= b"],
    "a == b": ["a != b"],
    "a is not b": ["a is b"],
    "a not in b": ["a in b"],
    "a <= b < c": ["a < b < c", "a > b < c", "a <= b <= c", "a <= b >= c"],
    "a + b": ["a - b"],
    "(a) * (b + c)": ["(a) / (b + c)", "(a) * (b - c)"],
    "a ** b // c": ["a * b // c", "a ** b * c"],
    "a and b or c": ["a or b or c", "a and b and c"],
    "not a": ["a"],
    "-a": ["a"],
    "f(7)": ["f(8)", "f(6)"],
    "f(True)": ["f(False)"],
    "f(2.0)": ["f(2.02)", "f(1.9801980198019802)"],
    "f(0.0)": ["f(1.0)"],
    "min(a)": ["max(a)"],
    "a.upper": ["a.lower"],
    "np.ceil(a)": ["np.floor(a)"],
    "a if b else c": ["a if not (b) else c"],
}
STATEMENTS = {
    "x += y": ["x -= y", "pass"],
    "f(a)": ["pass"],
    "if a:\n    raise ValueError(f'{b + 1} is less than {3}')": ["if not (a):", "    pass"],
    "while a:\n    break": ["while not (a):", "    pass"],
    "def f(a: int = 3) -> int:\n    return a": [
        "def f(a: int = 4) -> int:",
        "def f(a: int = 2) -> int:",
        "    return None",
    ],
    "é = '<' + 'é'; x = é < y": ["é = '<' - 'é'; x = é < y", "é = '<' + 'é'; x = é <= y", "é = '<' + 'é'; x = é >= y"],
}


def changed_lines(tool: ModuleType, text: str) -> list[str]:
    """What each change makes of its line; the others stay."""
    found = []
    for mutation in tool.mutations(text):
        new = mutation.applied(text)
        compile(new, "changed", "exec")
        old_lines, new_lines = text.splitlines(), new.splitlines()
        different = [i for i, (old, line) in enumerate(zip(old_lines, new_lines, strict=True), 1) if old != line]
        assert different == [mutation.line]
        found.append(new_lines[mutation.line - 1])
    return found


@pytest.mark.parametrize("text", KINDS)
def test_each_kind_of_change_of_an_expression(tool: ModuleType, text: str) -> None:
    assert sorted(changed_lines(tool, f"x = {text}")) == sorted(f"x = {new}" for new in KINDS[text])


@pytest.mark.parametrize("text", STATEMENTS)
def test_each_kind_of_change_of_a_statement(tool: ModuleType, text: str) -> None:
    assert sorted(changed_lines(tool, text)) == sorted(STATEMENTS[text])


@pytest.mark.parametrize(
    "text",
    [
        '"""A module of 3 lines."""',
        "import math",
        "x: Literal[3]",
        "def f(a: Literal[3]) -> Literal[4]: ...",
        "@lru_cache(maxsize=10)\ndef f(): ...",
        "x = zip(a, b, strict=True)",
        "x = f'{a + 1} and {b < 3:.2f}'",
        "assert a < 3",
        "x = 'less < more'",
        "MOST = 10**7",
        "LEAST, MOST = -1e-3, (2, 3)",
    ],
)
def test_what_no_behaviour_shows_is_not_changed(tool: ModuleType, text: str) -> None:
    assert tool.mutations(text) == []


SMALL = {
    "shufflekit/__init__.py": "",
    "shufflekit/sums.py": "def double(x):\n    return x + x\n\n\ndef unasked(x):\n    return x - x\n",
    "shufflekit/parts.py": "def part(x):\n    y = x / 2\n    return y\n",
    "tests/test_sums.py": "from shufflekit.sums import double\n\n\ndef test_double():\n    assert double(3) == 6\n",
    "tests/test_other.py": "from shufflekit import parts\n\n\ndef test_part():\n    assert parts.part(3) == 1.5\n",
    "tests/test_alone.py": "def test_nothing():\n    assert True\n",
    "tools/equivalent_mutants.toml": '[[mutant]]\nfile = "shufflekit/parts.py"\nline = "return y"\nreason = "a trial"',
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of two modules with three files of tests."""
    root = tmp_path_factory.mktemp("small")
    for name in TOOLS:
        (root / "tools").mkdir(exist_ok=True)
        shutil.copyfile(ROOT / "tools" / name, root / "tools" / name)
    for name, text in SMALL.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "tools/mutants.py", *arguments], cwd=root, capture_output=True, text=True)


def test_changes_of_a_tree_that_a_test_notices_and_one_that_none_does(small: Path) -> None:
    """One of each line, drawn by a seed; the last line of parts.py is known to change nothing."""
    found = run(small, "--count", "3", "--seed", "1")
    assert found.stdout.count("  survived\n") == 1
    assert found.stdout.startswith("shufflekit/sums.py:6:") and "-    return x - x\n" in found.stdout
    assert found.stdout.endswith("2 of 3 changes were noticed: 67%; the goal is 95%\n")
    assert found.returncode == 1
    # The tree is as it was, and what came out is kept: the same again takes no test.
    assert (small / "shufflekit" / "sums.py").read_text(encoding="utf-8") == SMALL["shufflekit/sums.py"]
    kept = (small / "build" / "mutants.json").read_text(encoding="utf-8")
    assert "tests/test_sums.py::test_double" in kept and "tests/test_other.py::test_part" in kept
    noticed = run(small, "--one", "shufflekit/parts.py:2:0")
    assert noticed.stdout.endswith("1 of 1 changes were noticed: 100%; the goal is 95%\n") and noticed.returncode == 0
    assert "  noticed by tests/test_other.py::test_part\n" in noticed.stdout


def test_the_files_of_tests_nearest_to_a_module(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    copies = importlib.import_module("mutant_copy")
    monkeypatch.setattr(copies, "ROOT", small)
    copy = copies.Copy(tmp_path / "copy")
    assert copy.nearest("shufflekit/sums.py") == ["tests/test_sums.py"]
    assert copy.nearest("shufflekit/parts.py") == ["tests/test_other.py"]


@pytest.mark.parametrize(
    "text", ["import shufflekit.sums\nassert False\n", "import shufflekit.sums\ndef test_red():\n    assert False\n"]
)
def test_tests_that_fail_unchanged_tell_nothing(small: Path, tmp_path: Path, text: str) -> None:
    shutil.copytree(small, tmp_path / "red")
    (tmp_path / "red" / "tests" / "test_sums.py").write_text(text, encoding="utf-8")
    found = run(tmp_path / "red", "--one", "shufflekit/sums.py:2:0")
    red = "tests/test_sums.py::test_red" if "red" in text else "tests/test_sums.py"
    assert f"left out, as they fail before anything is changed: {red}\n" in found.stdout
    assert "  survived\n" in found.stdout and found.returncode == 1


def test_entries_of_equivalent_changes_are_about_lines_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    mutants = importlib.import_module("mutants")
    for entry in mutants.equivalent():
        lines = [line.strip() for line in (ROOT / entry["file"]).read_text(encoding="utf-8").splitlines()]
        assert entry["line"] in lines, entry
        assert len(entry["reason"]) > 5
