"""tools/build_site.py: a small course as a site that is read without a network, and the links between its pages."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlparse

import nbformat
import pytest

from tools import build_site, site_links
from tools.run_notebooks import NOTEBOOK_METADATA

FIRST = """# First & foremost

Next: [the second](01_second.ipynb#1.1-The-&#36;x%5E2&#36;-clone), [its page](01_second.ipynb),
or [a file](../Makefile).
See notebook 1, [girgis2021] and [beyond] 3; `notebook 1` and [nobody1999] are left as they are. $\\alpha^2$"""
SECOND = "No title here.\n\n### 1.1 The $x^2$ clone\n\n$$\\sum_{i=1}^n i$$\n"
PAGES = {
    "0": "notebooks/00_a",
    "9": "notebooks/09_b",
    "9b": "notebooks/09b_c",
    "11": "notebooks/11_d",
    "18": "notebooks/18_e",
}


def write_notebook(path: Path, text: str, source: str, tags: list[str]) -> None:
    """A text and one code cell with an output in Markdown."""
    output = nbformat.v4.new_output("display_data", data={"text/markdown": "A [link](00_first.ipynb) in an output."})
    code = nbformat.v4.new_code_cell(source, id="cell-01", outputs=[output], metadata={"tags": tags})
    cells = [nbformat.v4.new_markdown_cell(text, id="cell-00"), code]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=NOTEBOOK_METADATA), path)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small course's site."""
    folder = tmp_path_factory.mktemp("course")
    write_notebook(folder / "00_first.ipynb", FIRST, 'claims.verify(\n    "girgis2021:def1", 1, 1\n)', [])
    write_notebook(folder / "01_second.ipynb", SECOND, "hidden = 1", ["hide-input"])
    assert build_site.build(sorted(folder.glob("*.ipynb")), folder / "build") == 0
    return folder / "build" / "site"


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def links(page: Path) -> list[str]:
    return [unescape(link) for link in re.findall(r'<a [^>]*href="([^"]+)"', text(page))]


def article(page: Path) -> str:
    """What a page says, without what surrounds it."""
    return text(page).split("<article")[1].split("</article>")[0]


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    addresses = {page: set(map(unescape, re.findall(r'\bid="([^"]+)"', text(page)))) for page in pages}
    checked = 0
    for page in pages:
        for link in links(page):
            parts = urlparse(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), f"{page.name}: {link}"
            assert not parts.fragment or unquote(parts.fragment) in addresses[target], f"{page.name}: {link}"
            checked += bool(parts.fragment)
    assert checked > 100


def test_nothing_is_loaded_from_a_network(site: Path) -> None:
    loaded = r'<(?:script|link|img|iframe|source)\b[^>]+?\b(?:src|href)="([^"]+)"'
    for page in site.rglob("*.html"):
        sources = [source for source in re.findall(loaded, text(page)) if not source.startswith("data:")]
        assert sources
        assert not [source for source in sources if urlparse(source).scheme or source.startswith("//")]
        for source in sources:
            assert (page.parent / unquote(urlparse(source).path)).exists(), source
    styles = [text(style) for style in site.rglob("*.css")]
    assert styles
    assert not [style for style in styles if re.search(r"url\([\"']?(?:https?:)?//|@import", style)]


def test_formulas_are_drawn_by_a_script_of_the_site(site: Path) -> None:
    assert "tex-svg-full.js" in text(site / "notebooks" / "00_first.html")
    assert (site / "_static" / "tex-svg-full.js").stat().st_size > 1_000_000


def test_the_search_index_is_a_script_and_knows_the_words(site: Path) -> None:
    index = text(site / "searchindex.js")
    assert index.startswith("Search.setIndex(")
    found = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    where = found["terms"]["clone"] + found["titleterms"]["clone"]
    assert found["docnames"].index("notebooks/01_second") in where


def test_mentions_become_links(site: Path) -> None:
    page = site / "notebooks" / "00_first.html"
    said = article(page)
    assert '<a class="reference internal" href="01_second.html">notebook 1</a>' in said
    assert '<a class="reference internal" href="../references.html#ref-girgis2021">[girgis2021]</a>' in said
    assert '<a class="reference internal" href="../ledger.html#claim-beyond-3">[beyond] 3</a>' in said
    assert said.count(">notebook 1</a>") == 1
    assert '<span class="pre">notebook</span>' in said
    assert "a file" in said and "Makefile" not in said
    assert "[nobody1999]" in said


def test_links_of_the_repository_lead_to_pages(site: Path) -> None:
    first, second = site / "notebooks" / "00_first.html", site / "notebooks" / "01_second.html"
    assert ".ipynb" not in article(first) + article(second)
    assert "00_first.html" in links(second)
    anchor = next(link for link in links(first) if link.startswith("01_second.html#"))
    assert anchor != "01_second.html#"


def test_a_notebook_without_a_title_has_the_name_of_its_file(site: Path) -> None:
    assert re.search(r"<h1>01_second<", text(site / "notebooks" / "01_second.html"))


def test_previous_and_next(site: Path) -> None:
    second = text(site / "notebooks" / "01_second.html")
    assert re.search(r'<a class="prev-page" href="00_first.html">', second)
    assert re.search(r'<a class="next-page" href="../protocols.html">', second)


def test_the_ledger_leads_to_the_cell_that_settles_a_claim(site: Path) -> None:
    rows = re.findall(r"<tr .*?</tr>", article(site / "ledger.html"), flags=re.DOTALL)
    assert len(rows) == len(build_site.claims.load()) + 1
    (row,) = [row for row in rows if 'id="claim-girgis2021-def1"' in row]
    assert 'href="notebooks/00_first.html#cell-01"' in row
    assert 'id="cell-01"' in text(site / "notebooks" / "00_first.html")


def test_every_verdict_of_the_course_has_its_cell() -> None:
    cells = build_site.settling_cells(sorted((build_site.ROOT / "notebooks").glob("*.ipynb")))
    found = {claim: address.split("#")[0] for claim, address in cells.items()}
    assert found == {claim.id: f"notebooks/{claim.notebook}.html" for claim in build_site.claims.load().values()}


def test_an_entry_of_the_references_is_no_link_to_itself(site: Path) -> None:
    said = article(site / "references.html")
    assert '<span id="ref-wang2019"></span><strong>[wang2019]</strong>' in said
    assert 'href="#ref-girgis2021">[girgis2021]</a>' in said


def test_hidden_code_can_be_unfolded(site: Path) -> None:
    (folded,) = re.findall(r"<details.*?</details>", article(site / "notebooks" / "01_second.html"), flags=re.DOTALL)
    assert ">hidden<" in folded and "Show the code" in folded
    assert "<details" not in article(site / "notebooks" / "00_first.html")


def test_a_page_that_goes_is_removed_and_the_rest_is_left_alone(tmp_path: Path) -> None:
    for name in ("00_first", "01_second"):
        write_notebook(tmp_path / f"{name}.ipynb", "# Title", "1", [])
    pages = tmp_path / "pages"
    build_site.prepare(sorted(tmp_path.glob("*.ipynb")), pages)
    before = (pages / "glossary.md").stat().st_mtime_ns
    build_site.prepare([tmp_path / "00_first.ipynb"], pages)
    assert [path.name for path in (pages / "notebooks").iterdir()] == ["00_first.ipynb"]
    assert (pages / "glossary.md").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("said", "linked"),
    [
        ("You need notebook 9 (clones, 18 of them), 11 (sampling) and 18.", ["notebook 9", "11", "18"]),
        ("notebooks 9 to 11 and 18", ["9", "11", "18"]),
        ("Notebooks 9 (Theorem 0) and 9b, or 0", ["9", "9b", "0"]),
        ("notebook 9, 11 and 18 clients", ["notebook 9"]),
        ("notebook 09 and notebook 12", ["notebook 09"]),
        ("[wang2019] Thm 9, [beyond] 18 and [beyond]", ["[wang2019]", "[beyond] 18", "[beyond]"]),
        ("[acm2020], a notebook, 9", []),
    ],
)
def test_what_is_a_mention(said: str, linked: list[str]) -> None:
    pieces = list(site_links.mentions(said, PAGES, {"wang2019", "beyond"}))
    assert "".join(words for words, _ in pieces) == said
    assert [words for words, target in pieces if target] == linked


def test_a_heading_has_one_address_however_it_is_written() -> None:
    heading, anchor = "12.5 Too large? Not *always*: $n^2$ of $k$", "12.5-Too-large?-Not-always:-$n%5E2$-of-$k$"
    assert site_links.slug(heading) == site_links.slug(unquote(anchor)) == "12.5-Too-large-Not-always-of"
