"""Every notebook reads as a classroom needs it: narrow lines, short cells, exercises that answer, a header."""

import json
from pathlib import Path

import pytest

from tools import reading

NOTEBOOKS = sorted((reading.ROOT / "notebooks").glob("*.ipynb"))


def stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", NOTEBOOKS, ids=stem)
def test_what_can_be_counted(path):
    assert list(reading.shortcomings(path)) == []


def notebook(tmp_path, header, *code, end="## What we learnt\n\n## As printed"):
    cells = [{"cell_type": "markdown", "metadata": {}, "source": header}]
    cells += [{"cell_type": "code", "metadata": {}, "source": source} for source in code]
    path = tmp_path / "99_short.ipynb"
    path.write_text(json.dumps({"cells": [*cells, {"cell_type": "markdown", "metadata": {}, "source": end}]}))
    return path


HEADER = (
    "\n".join(part for part in reading.HEADER if part not in ("**Time to read:**",))
    + "\n**Time to read:** 32 words, 0 formulas and 3 lines of code: about 0 minutes."
)
END = "## What we learnt\n## As printed"
CHECKS = ('check("99.1", ...)', 'check("99.2", ...)', 'check("99.3", ...)')


def test_a_short_notebook_has_no_shortcomings(tmp_path):
    assert list(reading.shortcomings(notebook(tmp_path, HEADER, *CHECKS))) == []


@pytest.mark.parametrize(
    ("said", "header", "code", "end"),
    [
        ("wider than 88", HEADER, (*CHECKS, "x = " + "1" * 90), END),
        (
            "7 lines in the median cell",
            HEADER,
            ["x = 1\n" * 6 + one for one in CHECKS],
            END,
        ),
        ("2 exercises", HEADER, CHECKS[:2], END),
        ("no **You need**", HEADER.replace("need", "want"), CHECKS, END),
        ("no part ## As printed", HEADER, CHECKS, "## What we learnt"),
        ("does not tell the time", HEADER.replace("formulas", "pictures"), CHECKS, END),
        ("tells 32, and", HEADER, CHECKS, END + "\n" + "word " * 100),
        ("words in the longest text", HEADER, CHECKS, END + "\n" + "word " * 400),
        (r"expectation is \mathbb E", HEADER, CHECKS, END + "\n$\\mathrm E X$"),
        ("factor is alpha", HEADER, CHECKS, END + "\n$H_a(P)$"),
    ],
)
def test_what_falls_short_is_said(tmp_path, said, header, code, end):
    found = list(reading.shortcomings(notebook(tmp_path, header, *code, end=end)))
    assert any(said in one for one in found), found


def test_folded_solutions_and_hidden_code_are_not_read():
    folded = "<details><summary>Solution</summary> three</details>"
    cells = [
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": f"one two {folded}",
        },
        {"cell_type": "code", "metadata": {"tags": ["hide-input"]}, "source": "x = 1\n" * 50},
        {"cell_type": "code", "metadata": {}, "source": "y = 1"},
    ]
    found = reading.read(cells)
    assert (found.words, found.lines, found.longest_text) == (2, 1, 2)
