"""Files are whole or not there, whatever happens."""

import os
import re
import resource
import signal
import subprocess
import sys
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


def test_all_of_the_content_is_on_the_disk_before_the_name_stands_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is still in a buffer when the file is synchronised would be lost with the power."""
    content, done = b"a few bytes: less than any buffer", list[tuple[str, bytes]]()
    fsync, replace = os.fsync, os.replace

    def synchronised(number: int) -> None:
        fsync(number)
        (unfinished,) = tmp_path.iterdir()
        done.append(("fsync", unfinished.read_bytes()))

    def replaced(old: Path, new: Path) -> None:
        done.append(("replace", old.read_bytes()))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synchronised)
    monkeypatch.setattr(os, "replace", replaced)
    files.write(tmp_path / "file", content)
    assert done == [("fsync", content), ("replace", content)]


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
