"""What the tests of the three command lines ask of all of them."""

import json

import pytest

from shufflekit.cli import main
from shufflekit.protocols import Comparison


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a good command says."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def prints_the_table(table: Comparison, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert str(table) in printed(arguments, capsys)
    rows = json.loads(printed([*arguments, "--json"], capsys))["comparison"]
    assert rows == [row._asdict() for row in table.rows]


def refuses_in_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    shown = capsys.readouterr()
    assert code == 2
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith("shufflekit")
    assert words in shown.err
