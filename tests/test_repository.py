"""Rules that keep the repository readable: short files, short cells, notebooks saved from one clean run."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LONGEST_FILE = 300  # lines
LONGEST_CELL = 12  # lines
MOST_CELLS, MOST_CODE_CELLS = 60, 32  # texts are cut so that a slide holds one; the code is what makes it long
SOURCES = sorted([*(ROOT / "shufflekit").rglob("*.py"), *(ROOT / "tools").rglob("*.py")])
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# A path of the machine that wrote the file, or a package index other than torch's, works for nobody else.
MACHINE_PATH = re.compile(r"(?<![\w.$~}>-])/(?:home|root|work|tmp|opt|mnt|Users|var/folders)/\w")
PACKAGE_INDEX = re.compile(r"https?://(?!download\.pytorch\.org/whl/cpu)[^\s\"'<>)]*/(?:simple|whl|registry)\b")


def name(path: Path) -> str:
    """A path as shown in a test's name."""
    return path.relative_to(ROOT).as_posix()


def text_files() -> list[Path]:
    """The files of the repository, committed or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:8192]]


def words(path: Path) -> str:
    """The text of a file; of a notebook all but the pictures, whose letters are chance."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r'"image/png": "[^"]*"', "", text) if path.suffix == ".ipynb" else text


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_source_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("pattern", [MACHINE_PATH, PACKAGE_INDEX], ids=["machine path", "package index"])
def test_no_file_depends_on_one_machine(pattern: re.Pattern[str]) -> None:
    files = text_files()
    assert ROOT / "pyproject.toml" in files
    assert not [f"{name(path)}: {match[0]}" for path in files for match in pattern.finditer(words(path))]


@pytest.fixture(params=NOTEBOOKS, ids=name)
def cells(request: pytest.FixtureRequest) -> list[dict]:
    """The cells of one notebook."""
    return json.loads(request.param.read_text(encoding="utf-8"))["cells"]


def code(cells: list[dict]) -> list[dict]:
    """The code cells among them."""
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_notebook_is_short(cells: list[dict]) -> None:
    assert 0 < len(cells) <= MOST_CELLS
    assert len(code(cells)) <= MOST_CODE_CELLS
    assert max(len(cell["source"]) for cell in code(cells)) <= LONGEST_CELL


def test_notebook_opens_with_its_title(cells: list[dict]) -> None:
    assert cells[0]["cell_type"] == "markdown"
    assert cells[0]["source"][0].startswith("# ")


def test_notebook_is_saved_from_one_clean_run(cells: list[dict]) -> None:
    assert [cell["execution_count"] for cell in code(cells)] == list(range(1, len(code(cells)) + 1))
    assert [cell["id"] for cell in cells] == [f"cell-{position:02d}" for position in range(len(cells))]


def test_notebook_shows_no_error_and_no_warning(cells: list[dict]) -> None:
    outputs = [output for cell in code(cells) for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert not [output["text"] for output in outputs if output.get("name") == "stderr"]


def test_notebook_shows_nothing_that_differs_between_runs(cells: list[dict]) -> None:
    shown = json.dumps([cell["outputs"] for cell in code(cells)])
    assert "widget-view" not in shown
    assert not re.findall(r" at 0x[0-9a-f]{6,}", shown)
