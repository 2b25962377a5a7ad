"""The examples of README, CONTRIBUTING, docs and the docstrings are run, and what they print is compared."""

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


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/protocols.md"])
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


@pytest.mark.parametrize("name", ["README.md", "docs/command_line.md"])
def test_shell_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        command, printed = block.split("\n", 1)
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "shufflekit"
        assert main(arguments) == 0
        assert capsys.readouterr().out == printed


@pytest.mark.parametrize("path", [README, *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.name)
def test_links_lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([\w./-]+\.\w+)\)", path.read_text(encoding="utf-8"))
    assert not [link for link in links if not (path.parent / link).exists()]


def test_the_first_screen_leads_to_an_answer() -> None:
    """What it is, a first answer, and where to go next: forty lines, and the first line is for who wants a number."""
    lines = README.read_text(encoding="utf-8").splitlines()
    assert "22_which_epsilon_is_mine.ipynb" in lines[2]
    assert lines.index("## A first answer") < lines.index("## Where to go next") < 48


def test_every_notebook_is_in_the_table_of_the_course() -> None:
    linked = re.findall(
        r"^\| \d\d[a-z]? \| \[.*?\]\(notebooks/(.*?)\) \|", README.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert linked == sorted(path.name for path in (README.parent / "notebooks").glob("*.ipynb"))
