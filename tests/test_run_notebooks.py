"""tools/run_notebooks.py: the same bytes at every run, and a failed run changes nothing."""

import os
from pathlib import Path

import nbformat
import pytest

from tools import run_notebooks

PLOT = "import matplotlib.pyplot as plt\nplt.plot([0, 1, 4])\nplt.show()"
STREAM = "print('first')\nprint('second')\nimport sys\nprint('third', file=sys.stdout, flush=True)\n1 / 8"
EXPLORER = """\
import ipywidgets

def explore(eps0):
    print("eps0 =", eps0)
    plt.plot([0, eps0])
    plt.show()

ipywidgets.interactive(explore, eps0=(0.5, 4.0))"""


def write_notebook(path: Path, *sources: str) -> Path:
    """A heading and code cells of these sources, as an editor leaves them: random ids, no outputs."""
    cells = [nbformat.v4.new_markdown_cell("# A small notebook\n\n$x^2$")]
    cells += [nbformat.v4.new_code_cell(source) for source in sources]
    cells[-1].metadata = {"tags": ["nbval-ignore-output"], "scrolled": True}
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
    assert explorer[1].text.startswith("eps0 = ")
    assert "image/png" in explorer[2].data
    assert len(explorer) == 3


def test_nothing_of_the_machine_or_the_moment_is_saved(small: tuple[bytes, bytes]) -> None:
    notebook = nbformat.reads(small[0].decode(), as_version=4)
    assert notebook.metadata == run_notebooks.NOTEBOOK_METADATA
    assert [cell.metadata for cell in notebook.cells] == [{}, {}, {}, {"tags": ["nbval-ignore-output"]}]
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


def test_a_failure_stops_the_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = write_notebook(tmp_path / "00_wrong.ipynb", "1 / 0")
    after = write_notebook(tmp_path / "01_after.ipynb", "1")
    assert run_notebooks.main([str(wrong), str(after)]) == 1
    assert "01_after" not in capsys.readouterr().out
