"""Write a deck of slides for each notebook into build/slides. They run in a browser, without a network.

python tools/slides.py

A slide is a cell with the tag `slide`, below the heading of its section, its code and its solutions left out. The
first slide has the notebook's title and question. A notebook without such a tag is shown by its pictures and what it
ends with. reveal.js comes from the package sphinx-revealjs, MathJax is the site's.
"""

import html
import importlib.util
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from handout import without_solutions
from mathjax import MATHJAX
from nbconvert.filters import markdown2html
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "build" / "slides"
TAG = "slide"
END = "## What we learnt"
HEADING = re.compile(r"^##+ (.+)$", flags=re.MULTILINE)
QUESTION = re.compile(r"^\*\*The question\.\*\*.+$", flags=re.MULTILINE)
# The menu and its helpers would be fetched from other files.
MATHJAX_OPTIONS = """<script>
MathJax = {
  tex: {inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]], processEscapes: true},
  options: {enableMenu: false},
  svg: {fontCache: "global"}
};
</script>"""
# A slide has 960 by 700 pixels, which reveal.js scales to the window.
CSS = """
.reveal { font-size: 24px; }
.reveal h1, .reveal h2 { text-transform: none; line-height: 1.3; }
.reveal h1 { font-size: 2em; margin-top: 4em; }
.reveal h2 { font-size: 1.4em; }
.reveal .slides { text-align: left; }
.reveal .slides section { max-height: 690px; overflow-y: auto; }
.reveal img { width: 100%; max-height: 480px; margin: 0; object-fit: contain; object-position: left; }
.reveal section:has(table) img, .reveal section:has(pre) img { max-height: 380px; }
.reveal pre { width: 100%; margin: 0.5em 0; line-height: 1.4; box-shadow: none; white-space: pre-wrap; }
.reveal pre { font-size: 0.9em; }
.reveal blockquote { box-sizing: border-box; width: 100%; margin: 0.5em 0; padding: 0 1em; }
.reveal blockquote { box-shadow: none; font-style: normal; }
.reveal .slides mjx-assistive-mml { height: 1px !important; }
.reveal .anchor-link { display: none; }
.reveal table { font-size: 0.6em; line-height: 1.1; }
.reveal table th, .reveal table td { padding: 0.1em 0.5em; }
"""


def slides(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """The tagged cells, each with the heading above it; where none has a tag, the pictures, and what was learnt."""
    tagged = any(TAG in cell.metadata.get("tags", []) for cell in notebook.cells)
    heading = ""
    for cell in notebook.cells:
        chosen = TAG in cell.metadata.get("tags", []) if tagged else drawn(cell) or cell.source.startswith(END)
        if chosen:
            yield heading, cell
        if cell.cell_type == "markdown":
            heading = ([heading, *HEADING.findall(cell.source)])[-1]


def drawn(cell: NotebookNode) -> bool:
    """Whether a cell shows a picture."""
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def section(heading: str, cell: NotebookNode) -> str:
    """One slide: a text, or what a code cell shows, below its heading."""
    title = f"<h2>{html.escape(heading)}</h2>" if heading else ""
    if cell.cell_type != "markdown":
        return f"<section>{title}{''.join(shown(cell))}</section>"
    story = cell.source.split("\n## As printed")[0].strip()
    story = re.sub(r"\n##+ [^\n]+$", "", story)  # a heading whose text is in the next cell
    return f"<section>{'' if story.startswith('#') else title}{markdown2html(story)}</section>"


def shown(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            yield f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
        elif "text/html" in data:
            yield data["text/html"]
        elif "text/markdown" in data:
            yield markdown2html(data["text/markdown"])
        elif "text/plain" in data or "text" in output:
            yield f"<pre>{html.escape(data.get('text/plain') or output.text)}</pre>"


def deck(notebook: NotebookNode) -> str:
    """The page of one notebook."""
    heading = re.search(r"^# (.+)$", notebook.cells[0].source, flags=re.MULTILINE)
    if heading is None:
        raise ValueError("a notebook must begin with its title")
    name = heading[1]
    question = QUESTION.search(notebook.cells[0].source)
    asked = markdown2html(question[0]) if question else ""
    sections = "\n".join(
        [f"<section><h1>{html.escape(name)}</h1>{asked}</section>", *(section(*slide) for slide in slides(notebook))]
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(name)}</title>
<link rel="stylesheet" href="revealjs/dist/reveal.css">
<link rel="stylesheet" href="revealjs/dist/theme/white.css">
<style>{CSS}</style>
{MATHJAX_OPTIONS}
<script defer src="{MATHJAX.name}"></script>
</head>
<body><div class="reveal"><div class="slides">
{sections}
</div></div>
<script src="revealjs/dist/reveal.js"></script>
<script>Reveal.initialize({{hash: true, center: false}});</script>
</body>
</html>
"""


def build(paths: list[Path], target: Path, reveal: Path) -> None:
    """Write the decks, and beside them the files that they need."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(MATHJAX, target)
    shutil.copytree(reveal, target / "revealjs", dirs_exist_ok=True)
    for path in paths:
        notebook = without_solutions(nbformat.read(path, as_version=4))
        (target / f"{path.stem}.html").write_text(deck(notebook), encoding="utf-8")


def main() -> int:
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None or found.origin is None:
        print("reveal.js is missing: make slides, or pip install --no-deps sphinx-revealjs", file=sys.stderr)
        return 1
    build(sorted((ROOT / "notebooks").glob("*.ipynb")), TARGET, Path(found.origin).parent / "_static" / "revealjs")
    print(f"The slides: {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
