"""Write a deck of slides for each notebook into build/slides. They run in a browser, without a network.

python tools/slides.py

A slide is a cell with the tag `slide`, its code and its solutions left out. A notebook without such a tag is shown by
its title, its pictures and what it ends with. reveal.js comes from the package sphinx-revealjs, MathJax is the site's.
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
# The menu and its helpers would be fetched from other files.
MATHJAX_OPTIONS = """<script>
MathJax = {
  tex: {inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]], processEscapes: true},
  options: {enableMenu: false},
  svg: {fontCache: "global"}
};
</script>"""
CSS = """
.reveal { font-size: 24px; }
.reveal h1, .reveal h2 { text-transform: none; }
.reveal .slides { text-align: left; }
.reveal .slides section { max-height: 95vh; overflow-y: auto; }
.reveal img { max-height: 80vh; }
.reveal pre { font-size: 0.75em; width: 100%; box-shadow: none; }
.reveal .anchor-link { display: none; }
.reveal table { font-size: 0.7em; }
"""


def slides(notebook: NotebookNode) -> list[NotebookNode]:
    """The tagged cells; where there is none, the pictures, and what was learnt."""
    tagged = [cell for cell in notebook.cells if TAG in cell.metadata.get("tags", [])]
    return tagged or [cell for cell in notebook.cells if drawn(cell) or cell.source.startswith("## What we learnt")]


def drawn(cell: NotebookNode) -> bool:
    """Whether a cell shows a picture."""
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", []))


def section(cell: NotebookNode) -> str:
    """One slide: a text, or what a code cell shows."""
    if cell.cell_type == "markdown":
        story = cell.source.split("\n## As printed")[0]
        return f"<section>{markdown2html(story)}</section>"
    return f"<section>{''.join(shown(cell))}</section>"


def shown(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            yield f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">'
        elif "text/html" in data:
            yield data["text/html"]
        elif "text/plain" in data or "text" in output:
            yield f"<pre>{html.escape(data.get('text/plain') or output.text)}</pre>"


def deck(notebook: NotebookNode) -> str:
    """The page of one notebook."""
    heading = re.search(r"^# (.+)$", notebook.cells[0].source, flags=re.MULTILINE)
    if heading is None:
        raise ValueError("a notebook must begin with its title")
    name = heading[1]
    sections = "\n".join([f"<section><h1>{html.escape(name)}</h1></section>", *map(section, slides(notebook))])
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
