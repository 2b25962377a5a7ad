"""tools/build_html.py: pages that can be read in order, without a network."""

import re
from pathlib import Path

import nbformat
import pytest

from tools import build_html

MARKDOWN = {
    "00_first": "# First & foremost\n\nNext: [the second](01_second.ipynb#cell-00). $\\alpha^2$",
    "01_second": "No heading here.",
    "02_third": "# Third",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small course, built."""
    folder = tmp_path_factory.mktemp("course")
    for stem, text in MARKDOWN.items():
        cells = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell("1 + 1")]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / f"{stem}.ipynb")
    build_html.build(sorted(folder.glob("*.ipynb")), folder / "build")
    return folder / "build"


def links(page: Path) -> list[str]:
    """The pages that a page links to, in order."""
    return re.findall(r'href="([\w-]+\.html)', page.read_text(encoding="utf-8"))


def test_index_lists_the_notebooks_in_order_under_their_titles(pages: Path) -> None:
    index = (pages / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<li><a href="(.*)">(.*)</a></li>', index) == [
        ("00_first.html", "First &amp; foremost"),
        ("01_second.html", "01_second"),
        ("02_third.html", "Third"),
    ]


def test_each_page_leads_back_on_and_to_the_contents(pages: Path) -> None:
    around = ["00_first.html", "index.html", "02_third.html"]
    assert links(pages / "01_second.html") == around * 2
    assert links(pages / "02_third.html") == ["01_second.html", "index.html"] * 2


def test_links_between_notebooks_lead_to_pages(pages: Path) -> None:
    first = (pages / "00_first.html").read_text(encoding="utf-8")
    assert 'href="01_second.html#cell-00"' in first
    assert ".ipynb" not in first


def test_input_is_shown(pages: Path) -> None:
    code = re.sub("<[^>]+>", "", (pages / "02_third.html").read_text(encoding="utf-8"))
    assert "1 + 1" in code


@pytest.mark.parametrize("stem", MARKDOWN)
def test_page_and_its_formulas_need_no_network(pages: Path, stem: str) -> None:
    page = (pages / f"{stem}.html").read_text(encoding="utf-8")
    sources = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', page)
    assert sources == [build_html.MATHJAX_URL]
    script, _, configuration = build_html.MATHJAX_URL.partition("?config=")
    assert (pages / script).is_file()
    for name in configuration.split(","):
        assert (pages / "mathjax" / "config" / f"{name}.js").is_file()
    assert (pages / "mathjax" / "fonts" / "HTML-CSS" / "STIX-Web").is_dir()
