"""tools/bench.py: how long each notebook takes, without a trace in the notebooks."""

import re
from pathlib import Path

import pytest

from tests.test_run_notebooks import ROOT, write_notebook


def test_each_notebook_is_timed_in_a_copy_and_marked_beyond_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    from tools import bench

    write_notebook(tmp_path / "00_slow.ipynb", "1")
    write_notebook(tmp_path / "01_wrong.ipynb", "1 / 0")
    write_notebook(tmp_path / "02_data.ipynb", "open('../data/claims.toml').close()")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    timed_run = bench.run_notebooks.timed_run

    def told(path: Path) -> tuple[float, str]:
        """A real run, said to have taken a minute, or a little more."""
        return 60.5 if path.name == "00_slow.ipynb" else 60.0, timed_run(path)[1]

    monkeypatch.setattr(bench.run_notebooks, "timed_run", told)
    monkeypatch.setattr(bench.run_notebooks, "NOTEBOOKS", tmp_path)
    bench.notebooks()
    printed = capsys.readouterr()
    rows = [re.sub(" +", " ", line) for line in printed.out.splitlines()]
    assert rows == [
        "00_slow.ipynb 60.500 s more than a minute",
        "01_wrong.ipynb 60.000 s failed",
        "02_data.ipynb 60.000 s",
    ]
    assert "ZeroDivisionError" in printed.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
