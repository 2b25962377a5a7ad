"""Write the course for a class: build/handout/student without the solutions, build/handout/instructor with them.

python tools/handout.py
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build" / "handout"
SUMMARY = r"<summary>[^<]*(?:[Ss]olution|[Aa]nswer)[^<]*</summary>"
SOLUTION = re.compile(rf"<details>\s*{SUMMARY}.*?</details>\n*", flags=re.DOTALL)


def solutions(notebook: NotebookNode) -> list[str]:
    """The folded solutions and answers of a notebook, in order."""
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return [found for text in texts for found in SOLUTION.findall(text)]


def without_solutions(notebook: NotebookNode) -> NotebookNode:
    """What a student gets: no folded solution or answer, and nothing below an exercise's cell."""
    cells = []
    for cell in nbformat.from_dict(notebook).cells:  # a copy
        if cell.cell_type == "markdown":
            cell.source = SOLUTION.sub("", cell.source).rstrip()
        elif 'check("' in cell.source:
            cell.outputs, cell.execution_count = [], None
        if cell.source:
            cells.append(cell)
    for position, cell in enumerate(cells):
        cell.id = f"cell-{position:02d}"
    return nbformat.from_dict(dict(notebook) | {"cells": cells})


def write(paths: list[Path], target: Path) -> None:
    """Both copies of each notebook."""
    for kind in ("student", "instructor"):
        (target / kind).mkdir(parents=True, exist_ok=True)
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        nbformat.write(without_solutions(notebook), target / "student" / path.name)
        nbformat.write(notebook, target / "instructor" / path.name)


def main() -> None:
    write(sorted((ROOT / "notebooks").glob("*.ipynb")), TARGET)
    print(f"The handout: {TARGET.relative_to(ROOT)}/student and {TARGET.relative_to(ROOT)}/instructor")


if __name__ == "__main__":
    main()
