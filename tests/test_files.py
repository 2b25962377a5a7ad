"""Files are whole or not there, whatever happens; and the progress bar tells what it should."""

import fcntl
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

from shufflekit.learning import files


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file can grow beyond this many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_write_makes_folders_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    for content in (b"old and long", b"new", b""):
        files.write(path, content)
        assert path.read_bytes() == content
        assert os.listdir(path.parent) == ["file"]


def test_a_full_disk_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with full_disk(1000):
        with pytest.raises(OSError, match=r"cannot write .*file: File too large; nothing was written"):
            files.write(path, bytes(1001))
        assert os.listdir(tmp_path) == []
        files.write(path, b"old")
        with pytest.raises(OSError, match="File too large; what was there before is whole"):
            files.write(path, bytes(1001))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")  # under a file nobody can make a folder, root included
    with pytest.raises(OSError, match=r"cannot write .*file/new: \w.*; nothing was written"):
        files.write(tmp_path / "file" / "new", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"cannot write .*folder: Is a directory"):
        files.write(tmp_path / "folder", b"")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


def test_an_error_while_tidying_does_not_hide_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "fsync", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(OSError, match=r"cannot write .*file: Permission denied; nothing was written"):
        files.write(tmp_path / "file", b"")


@pytest.mark.parametrize("when", ["fsync", "replace"])
def test_killed_while_writing_the_old_content_is_there(tmp_path: Path, when: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    code = f"""
import importlib.util, os, pathlib, signal
spec = importlib.util.spec_from_file_location("files", {files.__file__!r})
files = importlib.util.module_from_spec(spec)
spec.loader.exec_module(files)
os.{when} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.write(pathlib.Path({str(path)!r}), b"new" * 1000)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    files.write(path, b"newer")
    assert path.read_bytes() == b"newer"


def test_sealed_content_comes_back(tmp_path: Path) -> None:
    for content in (b"", b"x", bytes(range(256)) * 100):
        files.write_sealed(tmp_path / "file", content)
        assert files.read_sealed(tmp_path / "file") == content


def test_every_harm_to_a_sealed_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write_sealed(path, b"what matters")
    whole = path.read_bytes()
    cut = [whole[:size] for size in range(len(whole))]
    longer = [whole + b"\0"]
    flipped = [
        bytes([*whole[:place], whole[place] ^ 1 << bit, *whole[place + 1 :]])
        for place in range(len(whole))
        for bit in range(8)
    ]
    for harmed in (*cut, *longer, *flipped):
        path.write_bytes(harmed)
        with pytest.raises(OSError, match=re.escape(f"{path} was cut off or changed") + ".*remove it"):
            files.read_sealed(path)


def test_a_sealed_file_that_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"cannot read .*: Is a directory"):
        files.read_sealed(tmp_path)
    with pytest.raises(OSError, match=r"cannot read .*: No such file"):
        files.read_sealed(tmp_path / "nothing")


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(files.time, "monotonic", lambda: self.now)


def test_the_bar_tells_how_far_it_is_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    bar = files.Bar(2000, 1000)  # half of it done in an earlier session
    clock.now += 10
    bar.show(1200, "accuracy 0.5")
    assert capsys.readouterr().err.rstrip() == f"\r[{'#' * 24:40}] 1,200 of 2,000, 40 s left  accuracy 0.5"
    clock.now += 0.05
    bar.show(1201)
    assert capsys.readouterr().err == ""  # not more than ten times a second
    clock.now += 0.06
    bar.show(1202)
    assert "1,202" in capsys.readouterr().err
    bar.show(2000, "done")
    shown = capsys.readouterr().err
    assert shown.startswith(f"\r[{'#' * 40}] 2,000 of 2,000, 0 s left  done")
    assert shown.endswith("\n")


@pytest.mark.parametrize("columns", [20, 50, 80, 200])
def test_the_bar_keeps_to_one_line(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "_width", lambda: columns - 1)
    files.Bar(6000).show(3000, "accuracy 0.1234, eps 0.5678")
    shown = capsys.readouterr().err
    assert len(shown) == columns  # with the carriage return
    if columns >= 80:
        assert "accuracy 0.1234, eps 0.5678" in shown
        assert re.match(r"\r\[(#+) +\]", shown)


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert files._width() == 110  # not a terminal
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert files._width() == 110  # a terminal that does not know its size
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        assert files._width() == 79
    os.close(master)
