"""An explorer as a teacher has it before a class: in JupyterLab, in a window of 1280 by 900."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
import requests

from tests.browser import ABSENT, CHROMIUM, PATIENCE, Page, browser
from tools.run_notebooks import NOTEBOOK_METADATA

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)

ROOT = Path(__file__).resolve().parents[1]
CODE = """\
import time
import matplotlib.pyplot as plt
from shufflekit import explore, figures
figures.style()
drawn = []

def draw(eps0, population):
    drawn.append(eps0)
    time.sleep(0.5)
    title = f"drawn {len(drawn)} times, last for {eps0:.2f}"
    figures.lines([1, 2], {"epsilon": [eps0, 1]}, xlabel="x", ylabel="y", title=title)

explore.Explorer(draw, eps0=explore.linear(0, 4, 1), population=explore.log10(1, 6, 100))"""
BOX = "((box) => [box.left, box.top, box.right, box.bottom])(document.querySelector('{}').getBoundingClientRect())"
OUTPUT = ".widget-output"
SLIDERS = ".widget-hslider"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab set up as `make lab` does, with one notebook."""
    folder = tmp_path_factory.mktemp("lab")
    hidden = {"tags": ["hide-input"], "jupyter": {"source_hidden": True}}
    cells = [nbformat.v4.new_markdown_cell("# An explorer"), nbformat.v4.new_code_cell(CODE, metadata=hidden)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=NOTEBOOK_METADATA)
    nbformat.write(notebook, folder / "explorer.ipynb")
    (setting,) = re.findall(r"JUPYTER_CONFIG_PATH=([^:\s]+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    environment = os.environ | {"JUPYTER_CONFIG_PATH": str(ROOT / setting)}
    for name in ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        environment[name] = str(folder / "own")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    command += [f"--ServerApp.root_dir={folder}", "--IdentityProvider.token="]
    log = folder / "log"
    with log.open("w") as file, subprocess.Popen(command, env=environment, stdout=file, stderr=file) as server:
        try:
            yield address_of(server, log)
        finally:
            server.terminate()


def address_of(server: subprocess.Popen[bytes], log: Path) -> str:
    """Where a server listens, as soon as it answers."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text(encoding="utf-8"))
        if found and requests.get(f"{found[0]}/api", timeout=PATIENCE).ok:
            return found[0]
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start: {log.read_text(encoding='utf-8')}")


@pytest.fixture(scope="module")
def page(lab: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The notebook, run."""
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        opened.open(f"{lab}/lab/tree/explorer.ipynb")
        opened.wait("document.querySelector('.jp-Notebook .jp-CodeCell') != null")
        opened.wait("document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status == 'idle'")
        opened.click(".jp-MarkdownCell h1")
        for _ in range(2):
            opened.press("Enter", 13, shift=True)
            time.sleep(1)  # until the next cell is the one that is run
        opened.wait(f"document.querySelector('{OUTPUT} img')?.naturalWidth")
        yield opened


def test_no_question_about_news_is_in_the_way(page: Page) -> None:
    assert page.value("document.querySelectorAll('.Toastify__toast, .jp-Dialog').length") == 0


def test_the_code_is_folded(page: Page) -> None:
    assert page.value("document.querySelectorAll('.jp-CodeCell .jp-Placeholder').length") == 1


def test_controls_and_picture_are_side_by_side_in_one_window(page: Page) -> None:
    page.value(f"document.querySelector('{SLIDERS}').scrollIntoView()")
    controls = page.value(BOX.format(".widget-vbox"))
    picture = page.value(BOX.format(f"{OUTPUT} img"))
    assert controls[2] <= picture[0]
    assert min(controls[1], picture[1]) >= 0
    assert picture[2] <= 1280
    assert max(controls[3], picture[3]) <= 900
    assert picture[2] - picture[0] > 400


def test_the_answer_is_in_large_type(page: Page) -> None:
    size = f"parseFloat(getComputedStyle(document.querySelector('{OUTPUT} {{}}')).fontSize)"
    assert "drawn 1 times" in page.value(f"document.querySelector('{OUTPUT}').textContent")
    assert page.value(size.format("span")) >= 1.4 * page.value(size.format("p"))


def test_only_the_newest_values_are_worked_out_and_the_old_picture_says_so(page: Page) -> None:
    page.value(f"document.querySelector('{SLIDERS} .noUi-handle').focus()")
    for _ in range(20):
        page.press("ArrowRight", 39)
        time.sleep(0.05)
    page.wait("document.body.textContent.includes('computing ...')")
    page.wait(f"document.querySelector('{OUTPUT}').textContent.includes('last for 2.00')")
    page.wait("!document.body.textContent.includes('computing ...')")
    (times,) = re.findall(r"drawn (\d+) times", page.value(f"document.querySelector('{OUTPUT}').textContent"))
    assert int(times) <= 10


def test_nothing_is_asked_of_a_network(page: Page, lab: str) -> None:
    own = (lab, lab.replace("http", "ws", 1), "data:", "blob:", "about:")
    assert not [address for address in page.requested if not address.startswith(own)]
