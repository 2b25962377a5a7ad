"""Build the site from the notebooks, as they are saved, and the pages of docs/: `make site`.

Sphinx reads build/pages, which is written here: copies of the notebooks and pages, whose links lead to each other, and
the ledger as a table. Nothing is run. What did not change is not written again, so that Sphinx does not read it again.
"""

import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from shufflekit import claims
from tools import site_links

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# What a link to a file of the repository leads to on the site, beside the notebooks and the pages of docs/.
PAGES = {"NOTATION.md": "notation.md", "REFERENCES.md": "references.md", "data/claims.toml": "ledger.md"}
LINK = re.compile(r"\[([^\[\]]*)\]\((?![a-z]+:|#)([^()\s#]+)(?:#((?:[^()\s]|\([^()\s]*\))*))?\)")
ENTRY = re.compile(rf"^\*\*\[({site_links.KEY})\]\*\*", flags=re.MULTILINE)
LEDGER = """\
# The ledger

Every claim of the papers and of this course, with its verdict. The verdict leads to the cell of the notebook that
computes it. A click on the head of a column sorts the table by it. What the verdicts mean, and how they are found:
[notebook 21](notebooks/21_the_ledger.ipynb).
"""


def link(match: re.Match[str], page: str, sources: dict[str, str]) -> str:
    """A link of a file of the repository as the site has it: the words alone where the site has no such page."""
    words, path, anchor = match.groups()
    target = (ROOT / page).parent.joinpath(unquote(path)).resolve()
    name = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else ""
    if name not in sources:
        return words
    up = "../" * sources[page].count("/")
    slug = f"#{site_links.slug(unquote(html.unescape(anchor)))}" if anchor else ""
    return f"[{words}]({up}{sources[name]}{slug})"


def page_text(text: str, page: str, sources: dict[str, str]) -> str:
    return LINK.sub(lambda match: link(match, page, sources), text)


def joined(text: str | list[str]) -> str:
    """A text of a notebook's file, which may be a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def notebook_text(path: Path, sources: dict[str, str]) -> str:
    """A notebook for Sphinx: links led on, each code cell marked with its id, and a title whatever it starts with."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    page, cells = f"notebooks/{path.name}", notebook["cells"]
    for cell in cells:
        if cell["cell_type"] == "markdown":
            cell["source"] = page_text(joined(cell["source"]), page, sources)
        if cell["cell_type"] == "code":
            cell["metadata"][site_links.ANCHOR] = cell["id"]
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/markdown" in data:
                data["text/markdown"] = page_text(joined(data["text/markdown"]), page, sources)
    if not cells or cells[0]["cell_type"] != "markdown" or not cells[0]["source"].startswith("# "):
        title: dict[str, Any] = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": f"# {path.stem}"}
        cells.insert(0, title)
    return json.dumps(notebook, ensure_ascii=False)


def settling_cells(notebooks: list[Path]) -> dict[str, str]:
    """The page and cell that settles each claim: the first to name it in a call that settles."""
    found: dict[str, str] = {}
    call = re.compile(r"claims\s*\.\s*(?:verify|refute|compare_runs)\(\s*[\"']([^\"']+)[\"']")
    for path in notebooks:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                for claim in call.findall(joined(cell["source"])):
                    found.setdefault(claim, f"notebooks/{path.stem}.html#{cell['id']}")
    return found


def ledger_text(notebooks: list[Path]) -> str:
    """The ledger as a table that can be sorted."""
    cells = settling_cells(notebooks)
    there = {path.stem: path for path in notebooks}
    lines = [LEDGER, "| claim | verdict | what we found | what decided it | notebook |", "|" + "---|" * 5]
    for claim in claims.load().values():
        badge = f'<span class="verdict" style="background:{claims.COLOURS[claim.verdict]}">{claim.verdict}</span>'
        if claim.id in cells:
            badge = f'<a href="{cells[claim.id]}">{badge}</a>'
        number = claim.notebook.split("_")[0]
        where = f"[{number}](notebooks/{claim.notebook}.ipynb)" if claim.notebook in there else number
        name = f'<span id="{site_links.claim_anchor(claim.id)}"></span>`{claim.id}`<br>{claim.title}'
        row = [name, badge, claim.finding, claim.decided, where]
        lines.append(f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |")
    return "\n".join(lines) + "\n"


def written(notebooks: list[Path]) -> Iterator[tuple[str, str]]:
    """The name and the text of every page that Sphinx reads."""
    sources = {f"docs/{path.name}": path.name for path in DOCS.glob("*.md")} | PAGES
    sources |= {f"notebooks/{path.name}": f"notebooks/{path.name}" for path in notebooks}
    for page, name in sources.items():
        if page.endswith(".md"):
            text = page_text((ROOT / page).read_text(encoding="utf-8"), page, sources)
            yield name, ENTRY.sub(rf'<span id="{site_links.REFERENCE}\1"></span>**[\1]**', text)
    for path in notebooks:
        yield f"notebooks/{path.name}", notebook_text(path, sources)
    ledger = page_text(ledger_text(notebooks), "ledger.md", sources | {"ledger.md": "ledger.md"})
    yield "ledger.md", ledger


def prepare(notebooks: list[Path], folder: Path) -> None:
    """Write the pages that Sphinx reads into `folder`, and remove from it what is no page any more."""
    pages = dict(written(notebooks))
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in pages:
            path.unlink()


def build(notebooks: list[Path], target: Path) -> int:
    """Write the site into `target`/site; 0 if nothing was to be warned of."""
    prepare(notebooks, target / "pages")
    options = [
        "--conf-dir",
        DOCS,
        "--doctree-dir",
        target / "doctrees",
        "--fail-on-warning",
        "--quiet",
        "--jobs",
        "auto",
    ]
    # In the root of the repository, where conf.py finds tools/.
    command = [sys.executable, "-m", "sphinx", *options, target / "pages", target / "site"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    """Build the site of the whole course."""
    target = ROOT / "build"
    status = build(sorted((ROOT / "notebooks").glob("*.ipynb")), target)
    print(f"The course as a site: {(target / 'site' / 'index.html').relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
