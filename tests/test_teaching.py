"""The lecturer's kit: every notebook is described, every exam question solved, and the solutions are computed."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEACHING = ROOT / "teaching"
NUMBERS = sorted({path.stem[:2] for path in (ROOT / "notebooks").glob("*.ipynb")})
PARTS = ("**The point.**", "**The usual misconception.**", "**A demonstration.**", "**Minutes.**")


def text(name: str) -> str:
    return (TEACHING / name).read_text(encoding="utf-8")


def test_every_notebook_is_described() -> None:
    sections = re.split(r"^## (\d\d) · .+$", text("notebooks.md"), flags=re.MULTILINE)[1:]
    described = dict(zip(sections[::2], sections[1::2], strict=True))
    assert list(described) == NUMBERS
    for number, section in described.items():
        assert [part for part in PARTS if section.count(part) != 1] == [], number
        assert re.search(r"\*\*Minutes\.\*\* \d+ of lecture.*\d+", section, flags=re.DOTALL), number
        assert len(section.split()) < 200, number


def test_every_notebook_is_in_the_plan() -> None:
    plan = text("README.md").split("## Ten weeks")[1]
    assert len(re.findall(r"^\| \d+ \|", plan, flags=re.MULTILINE)) == 10
    core, beside = plan.split("## Beside the papers")
    named = set(re.findall(r"\[(\d\d)\]", core))
    for first, last in re.findall(r"\b(\d\d) to (\d\d)\b", beside):
        named |= {f"{number:02d}" for number in range(int(first), int(last) + 1)}
    named |= set(re.findall(r"\b\d\d\b", beside))
    assert set(NUMBERS) <= named


@pytest.mark.parametrize("name", ["README.md", "exam.md"])
def test_links_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\(([\w./-]+\.\w+)\)", text(name))
    assert links
    assert not [link for link in links if not (TEACHING / link).exists()]


def test_every_question_has_a_solution_that_is_computed() -> None:
    questions = re.findall(r"^(\d+)\. \*\*", text("exam.md"), flags=re.MULTILINE)
    solutions = re.split(r"^## (\d+)$", text("exam_solutions.md"), flags=re.MULTILINE)[1:]
    assert questions == solutions[::2] == [str(number) for number in range(1, 11)]
    assert all("```python\n>>> " in solution for solution in solutions[1::2])


def test_the_solutions_are_right() -> None:
    result = doctest.testfile(str(TEACHING / "exam_solutions.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_binder_leaves_torch_out() -> None:
    lines = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["-r ../requirements.lock"]
    assert (ROOT / "requirements.lock").exists()
    assert "untested" in lines[0]
