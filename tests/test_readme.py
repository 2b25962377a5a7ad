"""The examples of README, CONTRIBUTING and the docstrings are run, and what they print is compared."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from shufflekit import Run, Shuffle
from shufflekit.cli import main
from shufflekit.protocols import run

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_python_examples(name: str) -> None:
    result = doctest.testfile(str(ROOT / name), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted >= 4
    assert result.failed == 0


def test_examples_of_docstrings() -> None:
    """What ``help(Shuffle.epsilon)`` shows is what happens."""
    assert Shuffle.epsilon.__doc__ == Run.epsilon.__doc__
    result = doctest.testmod(run, optionflags=doctest.ELLIPSIS)
    assert result.attempted >= 8
    assert result.failed == 0


def test_shell_examples(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        command, printed = block.split("\n", 1)
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "shufflekit"
        assert main(arguments) == 0
        assert capsys.readouterr().out == printed


def test_every_notebook_is_in_the_table_of_the_course() -> None:
    linked = re.findall(
        r"^\| \d\d \| \[.*?\]\(notebooks/(.*?)\) \|", README.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert linked == sorted(path.name for path in (README.parent / "notebooks").glob("*.ipynb"))
