"""``python -m shufflekit``: its exit code, and how it ends where it is stopped or cannot be loaded."""

import builtins
import io
import os
import signal
import subprocess
import sys

import pytest

from shufflekit import __main__ as command
from shufflekit import cli


def test_the_exit_code_is_that_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "main", lambda: 7)
    assert command.main() == 7


@pytest.mark.parametrize(("usual", "wanted"), [(True, command._stopped), (False, signal.SIG_IGN)])
def test_a_stop_is_answered_unless_it_is_ignored(monkeypatch: pytest.MonkeyPatch, usual: bool, wanted: object) -> None:
    """In the background it is."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler if usual else signal.SIG_IGN)
    monkeypatch.setattr(cli, "main", lambda: 0)
    try:
        assert command.main() == 0
        assert signal.getsignal(signal.SIGINT) == wanted
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (ImportError("no module named 'scipy'"), "cannot be loaded: no module named 'scipy'"),
        (MemoryError(), "cannot be loaded: there is not enough memory"),
        (MemoryError("Unable to allocate"), "cannot be loaded: Unable to allocate"),
    ],
)
def test_what_cannot_be_loaded_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], reason: Exception, words: str
) -> None:
    usual = builtins.__import__

    def load(name: str, *rest: object) -> object:
        if name == "shufflekit":
            raise reason
        return usual(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", load)
    found = command.main()
    monkeypatch.undo()
    assert found == 2
    assert capsys.readouterr().err == f"shufflekit: {words}\n"


def test_stopped_it_ends_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """And another stop on its way is ignored."""
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    before = signal.getsignal(signal.SIGINT)
    try:
        command._stopped(signal.SIGINT, None)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert codes == [130]
    assert capsys.readouterr().err == "shufflekit: stopped\n"


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError("no space left on device")


class Busy(io.StringIO):
    def write(self, text: str) -> int:
        raise RuntimeError("reentrant call")


@pytest.mark.parametrize("where", [None, Full(), Busy()])
def test_where_nobody_can_be_told_nothing_is_said(monkeypatch: pytest.MonkeyPatch, where: object) -> None:
    monkeypatch.setattr(sys, "stderr", where)
    command._tell("stopped")
    monkeypatch.undo()
    assert sys.stderr is not where


def test_it_is_run_as_a_module() -> None:
    """And not where it is imported, as here."""
    asked = ["epsilon", "--eps0", "1", "--n", "10", "--delta", "1e-3"]
    done, wrong = (
        subprocess.run([sys.executable, "-m", "shufflekit", *given], capture_output=True, text=True, check=False)
        for given in (asked, ["epsilon", "--eps0", "-1", "--n", "10"])
    )
    assert done.returncode == 0
    assert "epsilon <=" in done.stdout
    assert wrong.returncode == 2
    assert wrong.stdout == ""
