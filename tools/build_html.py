"""Turn the notebooks, as saved, into readable pages under build/, with an index that lists them in order."""

import html
import re
import shutil
from pathlib import Path

import jupyter_server_mathjax
import nbformat
from nbconvert import HTMLExporter
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[1]
# The pages draw their formulas with files that lie beside them: no network is needed to read them.
MATHJAX = Path(jupyter_server_mathjax.__file__).parent / "static"
MATHJAX_URL = "mathjax/MathJax.js?config=TeX-AMS-MML_HTMLorMML-full,Safe"
# The package carries one of MathJax's fonts, not the one that MathJax asks for by itself.
MATHJAX_FONT = """<script type="text/x-mathjax-config">
MathJax.Hub.Config({"HTML-CSS": {availableFonts: [], imageFont: null, webFont: "STIX-Web"}});
</script>"""
STYLE = """<style>
body { font-family: system-ui, sans-serif; line-height: 1.5; }
/* wide enough for 120 columns of code */
body, body.jp-Notebook { max-width: 67rem; margin: 0 auto; padding: 1rem; }
nav.course { display: flex; justify-content: space-between; gap: 1rem; padding: 0.5rem 0; }
details { margin: 0.5rem 0; }
ul.contents { list-style: none; padding: 0; font-size: 1.2rem; line-height: 2; }
/* as wide without a number as with one, so that all outputs of a cell start at the same place */
.jp-OutputArea .jp-OutputPrompt { padding: var(--jp-code-padding); border: 1px solid transparent; }
</style>"""
REQUIRE_JS = re.compile(r'<script src="[^"]*require[^"]*"></script>')
NOTEBOOK_LINK = re.compile(r'href="([\w-]+)\.ipynb')


def title(notebook: NotebookNode, path: Path) -> str:
    """The first heading of a notebook, or its file name."""
    heading = re.search(r"^# +(.+)$", notebook.cells[0].source if notebook.cells else "", flags=re.MULTILINE)
    return heading[1].strip() if heading else path.stem


def link(path: Path | None, label: str) -> str:
    """A link to the page of a notebook; nothing where there is none."""
    return f'<a href="{path.stem}.html">{html.escape(label)}</a>' if path else "<span></span>"


def page(exporter: HTMLExporter, notebook: NotebookNode, navigation: str) -> str:
    """One notebook as a page, with the way through the course above and below it."""
    body, _ = exporter.from_notebook_node(notebook)
    body = REQUIRE_JS.sub("", body)  # only live widgets need it, and it would be fetched from the network
    body = NOTEBOOK_LINK.sub(r'href="\1.html', body)
    body = body.replace("</head>", f"{MATHJAX_FONT}\n{STYLE}\n</head>", 1)
    body = re.sub(r"(<body[^>]*>)", lambda opening: f"{opening[0]}\n{navigation}", body, count=1)
    return body.replace("</body>", f"{navigation}\n</body>")


def index(titles: dict[Path, str]) -> str:
    """The front page: every notebook, in reading order."""
    items = "\n".join(f"<li>{link(path, name)}</li>" for path, name in titles.items())
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>shufflekit: the course</title>
{STYLE}
</head>
<body>
<h1>The shuffle model of differential privacy</h1>
<p>The notebooks, in reading order. To run them and move their explorers: <code>make lab</code>.</p>
<ul class="contents">
{items}
</ul>
</body>
</html>
"""


def build(paths: list[Path], target: Path) -> None:
    """Write the pages, the index and MathJax into `target`."""
    target.mkdir(parents=True, exist_ok=True)
    shutil.copytree(MATHJAX, target / "mathjax", dirs_exist_ok=True)
    notebooks = {path: nbformat.read(path, as_version=4) for path in paths}
    titles = {path: title(notebook, path) for path, notebook in notebooks.items()}
    exporter = HTMLExporter(mathjax_url=MATHJAX_URL)
    around = [None, *paths, None]
    for before, path, after in zip(around, paths, around[2:], strict=False):
        navigation = "\n".join(
            [
                '<nav class="course">',
                link(before, f"← {titles.get(before)}"),
                '<a href="index.html">Contents</a>',
                link(after, f"{titles.get(after)} →"),
                "</nav>",
            ]
        )
        notebook = notebooks[path]
        notebook.metadata["title"] = titles[path]
        (target / f"{path.stem}.html").write_text(page(exporter, notebook, navigation), encoding="utf-8")
    (target / "index.html").write_text(index(titles), encoding="utf-8")


def main() -> None:
    """Build the pages of the whole course."""
    target = ROOT / "build"
    build(sorted((ROOT / "notebooks").glob("*.ipynb")), target)
    print(f"The course as pages: {(target / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
