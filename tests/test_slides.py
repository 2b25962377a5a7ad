"""tools/slides.py: the tagged cells of a notebook as slides, from files alone."""

import re
import sys
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import slides

make = nbformat.v4
PICTURE = make.new_output("display_data", {"image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure>"})


def notebook(*tagged: int) -> nbformat.NotebookNode:
    printed = make.new_output("stream", text="1 < 2\n")
    cells = [
        make.new_markdown_cell("# 99 · A & B\n\nWhy?"),
        make.new_markdown_cell("## 99.1 One\n\n$a_1 < b$ and *more*"),
        make.new_code_cell("secret = 1\nprint('1 < 2')", outputs=[printed]),
        make.new_code_cell("plot()", outputs=[PICTURE]),
        make.new_markdown_cell("## What we learnt\n\n* This."),
    ]
    for i in tagged:
        cells[i].metadata["tags"] = ["slide"]
    return make.new_notebook(cells=cells)


def test_the_tagged_cells_are_the_slides() -> None:
    page = slides.deck(notebook(1, 2))
    assert page.count("<section>") == 3
    assert "<h1>99 · A &amp; B</h1>" in page
    assert "<em>more</em>" in page
    assert "<pre>1 &lt; 2\n</pre>" in page
    assert "secret" not in page
    assert "What we learnt" not in page


def test_without_tags_the_pictures_and_the_end() -> None:
    page = slides.deck(notebook())
    assert page.count("<section>") == 3
    assert '<img alt="" src="data:image/png;base64,iVBORw0KGgo=">' in page
    assert "What we learnt" in page
    assert "<em>more</em>" not in page


def test_a_slide_says_in_which_section_it_stands() -> None:
    page = slides.deck(notebook(2, 3))
    assert page.count("<h2>99.1 One</h2>") == 2


def test_what_is_displayed_as_markdown_is_shown_as_such() -> None:
    shown = notebook(2)
    data = {"text/markdown": "a **table**", "text/plain": "<Markdown object>"}
    shown.cells[2].outputs = [make.new_output("display_data", data)]
    page = slides.deck(shown)
    assert "<strong>table</strong>" in page
    assert "Markdown object" not in page


def test_the_first_slide_asks_the_question() -> None:
    asking = notebook(1)
    asking.cells[0].source = "# 99 · A\n\n**The question.** Who *is* it?\n\n**You need** nothing."
    page = slides.deck(asking)
    assert "Who <em>is</em> it?" in page
    assert "nothing" not in page


def test_a_notebook_without_a_title_is_refused() -> None:
    with pytest.raises(ValueError, match="must begin with its title"):
        slides.deck(make.new_notebook(cells=[make.new_markdown_cell("no title")]))


def test_what_is_built_needs_no_network(tmp_path: Path) -> None:
    reveal = tmp_path / "given"
    for file in ("dist/reveal.js", "dist/reveal.css", "dist/theme/white.css"):
        (reveal / file).parent.mkdir(parents=True, exist_ok=True)
        (reveal / file).write_text("")
    path = tmp_path / "99_short.ipynb"
    one = notebook(1)
    one.cells[1].source += "\n\n<details><summary>Solution</summary>\n\n42\n</details>"
    nbformat.write(one, path)
    slides.build([path], tmp_path / "deck", reveal)
    page = (tmp_path / "deck" / "99_short.html").read_text(encoding="utf-8")
    needed = re.findall(r'(?:src|href)="([^"?#]+)', page)
    assert len(needed) == 4
    assert all((tmp_path / "deck" / file).is_file() for file in needed)
    assert "42" not in page


def test_without_reveal_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(slides.importlib.util, "find_spec", lambda name: None)
    assert slides.main() == 1
    assert "reveal.js is missing" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted((slides.ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_has_slides(path: Path) -> None:
    assert list(slides.slides(nbformat.read(path, as_version=4)))
