"""The site in a real browser, from a file: search, formulas, a phone's width, and nothing asked of a network."""

from collections.abc import Iterator

import nbformat
import pytest

from tests.browser import ABSENT, CHROMIUM, Page, browser
from tools import build_site
from tools.run_notebooks import NOTEBOOK_METADATA

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)

WORDS = "# The clone\n\nA client may be a clone: $\\epsilon_0$.\n"
WIDE = "\n".join(
    [
        "$$" + " + ".join(f"x_{{{i}}}" for i in range(60)) + "$$",
        "In a line: $" + " + ".join(f"y_{{{i}}}" for i in range(40)) + "$.",
        "| " + " | ".join(f"column{i}" for i in range(20)) + " |",
        "|---" * 20 + "|",
    ]
).replace("\n", "\n\n", 2)
CODE = "print('" + "long " * 60 + "')"
FITS = "document.documentElement.scrollWidth <= window.innerWidth"
DRAWN = "document.querySelectorAll('mjx-container svg').length"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a small course's site."""
    folder = tmp_path_factory.mktemp("course")
    output = nbformat.v4.new_output("stream", text="long " * 60)
    cells = [
        nbformat.v4.new_markdown_cell(WORDS),
        nbformat.v4.new_markdown_cell(WIDE),
        nbformat.v4.new_code_cell(CODE, outputs=[output]),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=NOTEBOOK_METADATA)
    nbformat.write(notebook, folder / "00_clones.ipynb")
    assert build_site.build([folder / "00_clones.ipynb"], folder / "build") == 0
    return (folder / "build" / "site").as_uri()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def test_search_finds_a_word(page: Page, site: str) -> None:
    page.open(f"{site}/index.html")
    page.value("document.querySelector('.sidebar-search').value = 'clone'")
    page.value("document.querySelector('.sidebar-search-container').submit()")
    for found in ("notebooks/00_clones.html", "glossary.html"):  # one comes after the other
        assert page.wait(f"document.querySelector('#search-results li a[href^=\"{found}\"]') != null")


def test_a_formula_is_drawn(page: Page, site: str) -> None:
    page.open(f"{site}/notebooks/00_clones.html")
    assert page.value(DRAWN) == 3
    assert page.value("document.querySelectorAll('mjx-merror').length") == 0
    heights = page.value(
        "[...document.querySelectorAll('mjx-container svg')].map((a) => a.getBoundingClientRect().height)"
    )
    assert min(heights) > 5


@pytest.mark.parametrize("name", ["index", "notebooks/00_clones", "ledger", "notation", "gap", "search"])
def test_a_phone_shows_no_page_wider_than_itself(page: Page, site: str, name: str) -> None:
    page.open(f"{site}/{name}.html", width=400, height=800)
    assert page.value("window.innerWidth") == 400
    assert page.wait(FITS)


def test_wide_things_scroll_in_their_own_box(page: Page, site: str) -> None:
    page.open(f"{site}/notebooks/00_clones.html", width=400, height=800)
    boxes = ["div.math", "mjx-container.wide", ".table-wrapper", ".cell_input pre", ".cell_output pre"]
    for box in boxes:
        assert page.wait(
            f"document.querySelector('{box}').scrollWidth > document.querySelector('{box}').clientWidth"
        ), box


def test_a_click_sorts_the_ledger(page: Page, site: str) -> None:
    page.open(f"{site}/ledger.html")
    column = "[...document.querySelectorAll('#the-ledger tbody tr')].map((row) => row.cells[1].textContent)"
    before = page.value(column)
    for turned in (False, True):
        page.value("document.querySelectorAll('#the-ledger th button')[1].click()")
        assert page.value(column) == sorted(before, reverse=turned)
    assert before != sorted(before)


def test_print_wraps_code(page: Page, site: str) -> None:
    page.open(f"{site}/notebooks/00_clones.html", width=700)
    wide = (
        "document.querySelector('.cell_input pre').scrollWidth > document.querySelector('.cell_input pre').clientWidth"
    )
    assert page.value(wide)
    page.call("Emulation.setEmulatedMedia", media="print")
    assert not page.value(wide)
    page.call("Emulation.setEmulatedMedia", media="")


def test_nothing_is_asked_of_a_network_and_nothing_fails(page: Page, site: str) -> None:
    """Of all pages that the tests before this one opened, or of one page if it is run alone."""
    page.open(f"{site}/notebooks/00_clones.html")
    assert [address for address in page.requested if "/_static/tex-svg-full.js" in address]
    assert not [address for address in page.requested if not address.startswith(("file:", "data:", "about:"))]
    assert not page.errors
