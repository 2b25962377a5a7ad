"""tools/handout.py: no solution is left in a student's copy, all are in the instructor's, and nothing else changes."""

import copy
from pathlib import Path

import nbformat
import pytest

from tools import handout

NOTEBOOKS = sorted((handout.ROOT / "notebooks").glob("*.ipynb"))
FOLDED = "<details><summary>Solution</summary>\n\nThe answer is 42.\n</details>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("handout")
    handout.write(NOTEBOOKS, target)
    return target


def texts(notebook: nbformat.NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_solutions_are_the_instructors_alone(path: Path, folder: Path) -> None:
    whole, student, instructor = (nbformat.read(one / path.name, 4) for one in (path.parent, *copies(folder)))
    found = handout.solutions(whole)
    assert found
    assert handout.solutions(instructor) == found
    assert not [line for line in texts(student).splitlines() if "<summary>" in line and "olution" in line]
    assert not [one for one in found if one.strip() in texts(student)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_all_else_is_the_students_too(path: Path, folder: Path) -> None:
    whole, student = nbformat.read(path, 4), nbformat.read(folder / "student" / path.name, 4)
    codes = [[cell.source for cell in one.cells if cell.cell_type == "code"] for one in (whole, student)]
    assert codes[0] == codes[1]
    left = handout.SOLUTION.sub("", texts(whole)).split()
    assert left == texts(student).split()
    for cell in student.cells:
        if cell.cell_type == "code" and 'check("' in cell.source:
            assert (cell.outputs, cell.execution_count) == ([], None)
    nbformat.validate(student)


def copies(folder: Path) -> tuple[Path, Path]:
    return folder / "student", folder / "instructor"


def test_a_small_notebook() -> None:
    make = nbformat.v4
    exercise = make.new_code_cell('answer = ...\ncheck("1.1", answer)', execution_count=1)
    exercise.outputs = [make.new_output("stream", text="1.1: Not answered yet.\n")]
    shown = make.new_code_cell("print(1)", outputs=[make.new_output("stream", text="1\n")])
    texts = [f"Before.\n\n{FOLDED}\n\nAfter.", FOLDED, "<details><summary>A hint</summary> Think. </details>"]
    whole = make.new_notebook(cells=[*map(make.new_markdown_cell, texts), exercise, shown])
    before = copy.deepcopy(whole)
    student = handout.without_solutions(whole)
    assert whole == before
    sources = ["Before.\n\nAfter.", texts[2], exercise.source, "print(1)"]
    assert [cell.source for cell in student.cells] == sources
    assert student.cells[2].outputs == []
    assert student.cells[3].outputs == shown.outputs
