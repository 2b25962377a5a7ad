"""The progress bar tells what it should, in one line."""

import fcntl
import os
import re
import struct
import sys
import termios

import pytest

from shufflekit import progress


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


def test_the_bar_tells_how_far_it_is_and_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    bar = progress.Bar(2000, 1000)  # half of it done in an earlier session
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
    monkeypatch.setattr(progress, "_width", lambda: columns - 1)
    progress.Bar(6000).show(3000, "accuracy 0.1234, eps 0.5678")
    shown = capsys.readouterr().err
    assert len(shown) == columns  # with the carriage return
    if columns >= 80:
        assert "accuracy 0.1234, eps 0.5678" in shown
        assert re.match(r"\r\[(#+) +\]", shown)


def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress._width() == 110  # not a terminal
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert progress._width() == 110  # a terminal that does not know its size
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        assert progress._width() == 79
    os.close(master)
