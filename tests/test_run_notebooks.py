"""tools/run_notebooks.py: the same bytes at every run, a failed run changes nothing, and what follows it is run."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from tools import run_notebooks

ROOT = Path(__file__).resolve().parents[1]
PLOT = "import matplotlib.pyplot as plt\nplt.plot([0, 1, 4])\nplt.show()"
STREAM = "print('first')\nprint('second')\nimport sys\nprint('third', file=sys.stdout, flush=True)\n1 / 8"
EXPLORER = """\
from IPython.display import Markdown, display
from shufflekit import explore

def draw(eps0):
    print("eps0 =", eps0)
    display(Markdown("*displayed*"))
    plt.plot([0, eps0])
    plt.title("the answer")

explore.Explorer(draw, eps0=explore.linear(0.5, 4, 1))"""


def write_notebook(path: Path, *sources: str) -> Path:
    """A heading and code cells of these sources, as an editor leaves them: random ids, no outputs."""
    cells = [nbformat.v4.new_markdown_cell("# A small notebook\n\n$x^2$")]
    cells += [nbformat.v4.new_code_cell(source) for source in sources]
    cells[-1].metadata = {"tags": ["nbval-ignore-output", "hide-input"], "scrolled": True}
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python", "version": "3.0.0"}}),
        path,
    )
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """The bytes of one notebook after its first run and after its second."""
    path = write_notebook(tmp_path_factory.mktemp("small") / "small.ipynb", PLOT, STREAM, EXPLORER)
    saved = []
    for _ in range(2):
        assert run_notebooks.main([str(path)]) == 0
        saved.append(path.read_bytes())
    assert os.listdir(path.parent) == ["small.ipynb"]
    return saved[0], saved[1]


def test_second_run_is_byte_identical(small: tuple[bytes, bytes]) -> None:
    first, second = small
    assert first == second


def test_saved_notebook_holds_what_a_reader_needs(small: tuple[bytes, bytes]) -> None:
    notebook = nbformat.reads(small[0].decode(), as_version=4)
    nbformat.validate(notebook)
    assert [cell.id for cell in notebook.cells] == ["cell-00", "cell-01", "cell-02", "cell-03"]
    assert [cell.execution_count for cell in notebook.cells[1:]] == [1, 2, 3]
    plot, stream, explorer = (cell.outputs for cell in notebook.cells[1:])
    assert "image/png" in plot[-1].data
    assert [output.output_type for output in stream] == ["stream", "execute_result"]
    assert stream[0].text == "first\nsecond\nthird\n"
    assert stream[1].data["text/plain"] == "0.125"
    # the explorer: words, then what it shows before anyone moves its slider
    assert explorer[0].data["text/plain"] == run_notebooks.EXPLORER_NOTE
    assert explorer[1].data["text/plain"] == "the answer"
    assert explorer[2].text == "eps0 = 1.0\n"
    assert explorer[3].data["text/markdown"] == "*displayed*"
    assert "image/png" in explorer[4].data
    assert len(explorer) == 5


def test_nothing_of_the_machine_or_the_moment_is_saved(small: tuple[bytes, bytes]) -> None:
    notebook = nbformat.reads(small[0].decode(), as_version=4)
    assert notebook.metadata == run_notebooks.NOTEBOOK_METADATA
    tagged = {"tags": ["nbval-ignore-output", "hide-input"], "jupyter": {"source_hidden": True}}
    assert [cell.metadata for cell in notebook.cells] == [{}, {}, {}, tagged]
    assert b"model_id" not in small[0]
    assert b"widget-view" not in small[0]


def test_error_leaves_the_old_file_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_notebook(tmp_path / "wrong.ipynb", "print(1)", "raise RuntimeError('no such bound')")
    before = path.read_bytes()
    assert run_notebooks.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["wrong.ipynb"]
    assert "RuntimeError: no such bound" in capsys.readouterr().err


def test_time_limit_leaves_the_old_file_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_notebook(tmp_path / "slow.ipynb", "import time", "time.sleep(60)")
    before = path.read_bytes()
    assert run_notebooks.main(["--time-limit", "1", str(path)]) == 1
    assert path.read_bytes() == before
    assert "took longer than 1 s" in capsys.readouterr().err


def test_the_rest_run_after_a_failure_and_the_last_line_names_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "00_no_notebook.ipynb").write_text("{")
    write_notebook(tmp_path / "01_wrong.ipynb", "1 / 0")
    after = write_notebook(tmp_path / "02_after.ipynb", "20 + 22")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert run_notebooks.main([str(tmp_path / name) for name in sorted(before)]) == 1
    assert nbformat.read(after, as_version=4).cells[1].outputs[0].data["text/plain"] == "42"
    unchanged = [path.name for path in tmp_path.iterdir() if path.read_bytes() == before[path.name]]
    assert sorted(unchanged) == ["00_no_notebook.ipynb", "01_wrong.ipynb"]
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert said.splitlines()[-1] == "failed, and left as they were: 00_no_notebook.ipynb, 01_wrong.ipynb"


def test_a_notebook_that_cannot_be_saved_fails_and_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_notebook(tmp_path / "small.ipynb", "1")
    before = path.read_bytes()

    def full(unfinished: Path, text: str, **_: str) -> None:
        unfinished.write_bytes(text.encode()[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    assert run_notebooks.main([str(path)]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["small.ipynb"]


def test_ctrl_c_ends_all_notebooks_in_one_line(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    first = write_notebook(
        tmp_path / "00.ipynb", f"open({str(begun)!r}, 'w').close()", "import time", "time.sleep(600)"
    )
    second = write_notebook(tmp_path / "01.ipynb", "1")
    before = [path.read_bytes() for path in (first, second)]
    command = [sys.executable, run_notebooks.__file__, str(first), str(second)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        while not begun.exists():
            assert child.poll() is None
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    assert child.returncode == 130
    assert err == "stopped; the file is as it was\n"
    assert "01.ipynb" not in out
    assert [path.read_bytes() for path in (first, second)] == before


def test_the_time_limit_is_there_for_what_hangs_only() -> None:
    """A notebook takes under a minute on a quiet machine, and a busy one may well take five times as long."""
    assert run_notebooks.TIME_LIMIT >= 300
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (limit,) = re.findall(r"--nbval-cell-timeout (\d+)", makefile)
    assert int(limit) >= 300
    assert "--time-limit" not in makefile


def test_make_ends_with_the_pages_and_fails_if_a_notebook_did(tmp_path: Path) -> None:
    """The real Makefile and tools, on a course of two notebooks of which the first fails."""
    for name in ("docs", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("Makefile", "pyproject.toml", "requirements-torch.txt", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("NOTATION.md", "REFERENCES.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "notebooks").mkdir()
    write_notebook(tmp_path / "notebooks" / "00_wrong.ipynb", "1 / 0")
    write_notebook(tmp_path / "notebooks" / "01_after.ipynb", "20 + 22")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / ".venv" / ".ready-cpu").touch()  # nothing is installed here
    command = ["make", "--no-print-directory", "TORCH=cpu"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "failed, and left as they were: 00_wrong.ipynb\n" in ended.stderr
    pages = tmp_path / "build" / "site" / "notebooks"
    assert sorted(path.name for path in pages.iterdir()) == ["00_wrong.html", "01_after.html"]
    assert "42" in (pages / "01_after.html").read_text(encoding="utf-8")
