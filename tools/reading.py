"""How a notebook reads: what can be counted of it, and what a course for a classroom asks of each.

python tools/reading.py [notebooks]     a line a notebook, and what falls short
"""

import json
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WIDEST, LONGEST_CELL = 88, 12  # columns, lines
MEDIAN_CELL, MEDIAN_LINE = 6.0, 48.0  # lines, columns: half as much again as QuantEcon's lectures
LONGEST_TEXT = 300  # words of one markdown cell, folded solutions aside
FEWEST_EXERCISES = 3
HEADER = (
    "**The question.**",
    "**You will be able to**",
    "**You need**",
    "**Claims settled here**",
    "**Time to read:**",
    "**Time to run:**",
)
ENDS = ("## What we learnt", "## As printed")
# [name of the clash] what is written instead, and a pattern that finds the clash.
CLASHES = {
    r"expectation is \mathbb E": re.compile(r"\\(?:mathrm|operatorname)[ {]*E\b\}?"),
    r"e^{eps0} is E": re.compile(r"E\s*=\s*(?!e\^)\d+\s*\\epsilon"),
    "the hockey-stick factor is alpha": re.compile(r"H_\{?(?:\\gamma|a\b|\\lambda)"),
    "clones are balls (b, w)": re.compile(r"\(w, ?b\)"),
}
READING = re.compile(
    r"\*\*Time to read:\*\* ([\d,]+) words, ([\d,]+) formulas and ([\d,]+) lines of code: ([^.]+)\.", flags=re.DOTALL
)
FOLDED = re.compile(r"<details.*?</details>", flags=re.DOTALL)
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+?\$", flags=re.DOTALL)
LONG_FORMULA = 25  # characters of TeX, below which it reads like a word
NEAR = 0.15  # by which the numbers in a header may be off


class Reading(NamedTuple):
    """What is counted. Explorers and other cells whose code is hidden are not read, and not counted."""

    words: int
    formulas: int
    lines: int
    median_cell: float
    median_line: float
    longest_text: int
    exercises: int


def cells_of(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook, each with its source as one text."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in cells]


def texts(cells: list[dict[str, Any]]) -> list[str]:
    return [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]


def code(cells: list[dict[str, Any]]) -> list[str]:
    """The code that is shown."""
    shown = [cell for cell in cells if cell["cell_type"] == "code"]
    return [cell["source"] for cell in shown if "hide-input" not in cell["metadata"].get("tags", [])]


def read(cells: list[dict[str, Any]]) -> Reading:
    """Count what is read: words without the folded solutions, displayed and long formulas, lines of code."""
    unfolded = [FOLDED.sub("", text) for text in texts(cells)]
    words = [len(FORMULA.sub(" ", text).split()) for text in unfolded]
    formulas = [formula for text in unfolded for formula in FORMULA.findall(text) if len(formula) > LONG_FORMULA]
    lines = [line for source in code(cells) for line in source.splitlines() if line.strip()]
    return Reading(
        words=sum(words),
        formulas=len(formulas),
        lines=len(lines),
        median_cell=statistics.median(len(source.splitlines()) for source in code(cells)),
        median_line=statistics.median(len(line) for line in lines),
        longest_text=max(words),
        exercises=sum(source.count('check("') for source in code(cells)),
    )


def minutes(found: Reading) -> float:
    """How long a student reads: 150 words a minute, half a minute a formula, ten seconds a line of code."""
    return found.words / 150 + found.formulas / 2 + found.lines / 6


def shortcomings(path: Path) -> Iterator[str]:
    """What falls short, in words."""
    cells = cells_of(path)
    found, text = read(cells), "\n".join(texts(cells))
    wide = [line for source in code(cells) for line in source.splitlines() if len(line) > WIDEST]
    yield from (f"wider than {WIDEST} columns: {line}" for line in wide)
    for name, value, most in (
        ("lines in the median cell", found.median_cell, MEDIAN_CELL),
        ("columns in the median line", found.median_line, MEDIAN_LINE),
        ("lines in the longest cell", max(len(source.splitlines()) for source in code(cells)), LONGEST_CELL),
        ("words in the longest text", found.longest_text, LONGEST_TEXT),
    ):
        if value > most:
            yield f"{value:g} {name}, {most:g} at most"
    if found.exercises < FEWEST_EXERCISES:
        yield f"{found.exercises} exercises with a check, {FEWEST_EXERCISES} at least"
    header = cells[0]["source"]
    yield from (f"its header has no {part}" for part in HEADER if part.strip("*") not in header.replace("*", ""))
    yield from (f"no part {part}" for part in ENDS if part not in text)
    yield from _time_told(header, found)
    for rule, clash in CLASHES.items():
        yield from (f"{rule}: {match[0]}" for match in clash.finditer(text))


def _time_told(header: str, found: Reading) -> Iterator[str]:
    """The counts in the header are those counted, or near."""
    told = READING.search(header)
    if not told:
        yield f"its header does not tell the time to read: {reading_time(found)}"
        return
    for number, counted in zip(told.groups()[:3], (found.words, found.formulas, found.lines), strict=True):
        if abs(int(number.replace(",", "")) - counted) > NEAR * counted + 1:
            yield f"its header tells {number}, and {counted} are counted: {reading_time(found)}"


def reading_time(found: Reading) -> str:
    """The sentence for the header."""
    rounded = 5 * round(minutes(found) / 5)
    counts = f"{round(found.words, -2):,} words, {found.formulas} formulas and {found.lines} lines of code"
    return f"**Time to read:** {counts}: about {rounded} minutes."


def main(paths: list[Path]) -> int:
    """A line a notebook, and what falls short."""
    failed = False
    for path in paths or sorted((ROOT / "notebooks").glob("*.ipynb")):
        found = read(cells_of(path))
        print(f"{path.stem}: {found._asdict()}")
        for one in shortcomings(path):
            failed = True
            print(f"    {one}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
