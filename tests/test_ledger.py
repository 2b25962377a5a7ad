"""The ledger is whole: every claim is settled once, in its notebook, by calls that fit its verdict."""

import ast
import html
import json
import re
import shutil
import sys
import warnings
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from nbconvert.filters import markdown2html

from shufflekit import claims, equivalence

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import ledger  # noqa: E402
from markers import filled  # noqa: E402

BEGIN, END = "<!-- ledger:begin -->", "<!-- ledger:end -->"
WRITTEN = ("README.md", "docs/ledger.md")
WRONG = ("typo", "false")
TO_SETTLE = {verdict: {"verify": 1} for verdict in claims.VERDICTS}
TO_SETTLE |= {verdict: {"refute": 1, "verify corrected": 1} for verdict in WRONG}
TO_SETTLE |= {verdict: {"compare_runs": 1} for verdict in equivalence.VERDICTS}


def settling_calls(notebook: Path) -> list[tuple[str, str]]:
    """Every call of verify and refute in a notebook: the claim's id, and what kind of call it is."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = [line for c in cells if c["cell_type"] == "code" for line in "".join(c["source"]).splitlines()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # style is for others to judge
        tree = ast.parse("\n".join(line for line in lines if not line.startswith(("%", "!"))))
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name not in ("verify", "refute", "compare_runs"):
            continue
        arguments = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "claim_id")]
        claim_id = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else "not a literal"
        corrected = any(k.arg == "corrected" and getattr(k.value, "value", None) is True for k in node.keywords)
        found.append((str(claim_id), f"{name} corrected" if corrected else name))
    return found


def problems(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that is wrong with the ledger of the repository at ``root``, in words."""
    # The package looks for the ledger beside itself.
    monkeypatch.setattr(claims, "__file__", str(root / "shufflekit" / "claims.py"))
    entries = claims.load()
    found = []
    calls = {path.stem: settling_calls(path) for path in sorted((root / "notebooks").glob("*.ipynb"))}
    for claim in entries.values():
        wrong = claim.verdict in WRONG
        if not claim.finding:
            found.append(f"{claim.id} has no finding")
        if bool(claim.corrected) != wrong:
            found.append(f"{claim.id} has {'no' if wrong else 'a'} corrected statement")
        if claim.notebook not in calls:
            found.append(f"{claim.id}: there is no notebook {claim.notebook}")
        made = Counter(kind for claim_id, kind in calls.get(claim.notebook, []) if claim_id == claim.id)
        if not claim.decided:
            found.append(f"{claim.id} does not say what decided it")
        if made != (needed := TO_SETTLE[claim.verdict]):
            found.append(f"{claim.id} ({claim.verdict}): {dict(made)} in {claim.notebook}, not {needed}")
    for notebook, made in calls.items():
        for claim_id, kind in made:
            if claim_id not in entries:
                found.append(f"{notebook}: {kind} of {claim_id}, which has no entry")
            elif entries[claim_id].notebook != notebook:
                found.append(f"{notebook}: {kind} of {claim_id}, which is for {entries[claim_id].notebook}")
    monkeypatch.setattr(ledger, "ROOT", root)
    for path, text in ledger.written():
        if text != path.read_text(encoding="utf-8"):
            found.append(f"{path.name} holds another table: run make ledger")
    return found


def test_the_ledger_is_whole(monkeypatch):
    assert problems(ROOT, monkeypatch) == []


# The check itself, on a small repository with nothing wrong, and on that with one thing wrong at a time.

TRUE = """
[[claim]]
id = "x:true"
title = "a claim"
statement = "a <= b"
notebook = "00_first"
verdict = "holds"
finding = "It does."
decided = "fractions, 3 points"
"""
FALSE = """
[[claim]]
id = "x:wrong"
title = "a misprint"
statement = "a <= b"
notebook = "01_second"
verdict = "typo"
finding = "Not quite."
decided = "fractions, 3 points"
corrected = "b <= a"
"""
FIRST = 'from shufflekit import claims\nshow(claims.verify("x:true", lhs=1, rhs=1))  # claims.verify("x:none")\n'
SECOND = """%matplotlib inline
claims.refute("x:wrong", 2, 1, at={})
claims.verify("x:wrong", 1, 2, corrected=True)
"""


def build(root, toml=TRUE + FALSE, first=FIRST, second=SECOND):
    for folder in ("data", "notebooks"):
        (root / folder).mkdir()
    (root / "data" / "claims.toml").write_text(toml)
    for name, code in (("00_first", first), ("01_second", second)):
        cells = [
            {"cell_type": "markdown", "source": ['claims.verify("x:none")']},
            {"cell_type": "code", "source": code.splitlines(keepends=True)},
        ]
        (root / "notebooks" / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))
    (root / "docs").mkdir()
    for path in WRITTEN:
        (root / path).write_text(f"# Title\n{BEGIN}\n{END}\nThe end.\n")


def refresh(root, monkeypatch):
    monkeypatch.setattr(claims, "__file__", str(root / "shufflekit" / "claims.py"))
    monkeypatch.setattr(ledger, "ROOT", root)
    ledger.main()


def test_a_whole_ledger_passes(tmp_path, monkeypatch):
    build(tmp_path)
    stale = ["README.md holds another table: run make ledger", "ledger.md holds another table: run make ledger"]
    assert problems(tmp_path, monkeypatch) == stale
    refresh(tmp_path, monkeypatch)
    assert problems(tmp_path, monkeypatch) == []
    readme, page = ((tmp_path / path).read_text() for path in WRITTEN)
    assert readme.startswith(f"# Title\n{BEGIN}\n| paper | holds | typo | all |\n")
    assert readme.endswith(f"| x | 1 | 1 | 2 |\n{END}\nThe end.\n")
    assert page.startswith(f"# Title\n{BEGIN}\n| claim |")
    assert page.endswith(f"(../notebooks/01_second.ipynb) |\n{END}\nThe end.\n")
    refresh(tmp_path, monkeypatch)
    assert [(tmp_path / path).read_text() for path in WRITTEN] == [readme, page]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"toml": TRUE}, "01_second: refute of x:wrong, which has no entry"),
        ({"toml": FALSE}, "00_first: verify of x:true, which has no entry"),
        ({"toml": TRUE.replace("holds", "false") + FALSE}, "x:true has no corrected statement"),
        (
            {"toml": TRUE.replace('"holds"', '"typo"\ncorrected = "b"') + FALSE},
            "x:true (typo): {'verify': 1} in",
        ),
        ({"toml": TRUE + FALSE.replace("typo", "holds")}, "x:wrong has a corrected statement"),
        ({"toml": TRUE.replace("It does.", "") + FALSE}, "x:true has no finding"),
        ({"toml": TRUE.replace("fractions, 3 points", "") + FALSE}, "x:true does not say what decided it"),
        ({"toml": TRUE.replace("00_first", "02_third") + FALSE}, "x:true: there is no notebook 02_third"),
        (
            {"toml": TRUE.replace("00_first", "01_second") + FALSE},
            "00_first: verify of x:true, which is for 01_sec",
        ),
        ({"first": ""}, "x:true (holds): {} in 00_first, not {'verify': 1}"),
        ({"first": FIRST * 2}, "x:true (holds): {'verify': 2} in 00_first"),
        (
            {"first": FIRST.replace("rhs=1)", "rhs=1, corrected=True)")},
            "x:true (holds): {'verify corrected': 1}",
        ),
        ({"first": FIRST.replace("verify", "refute")}, "x:true (holds): {'refute': 1}"),
        (
            {"first": "name = 'x:true'\nclaims.verify(name, 1, 1)"},
            "verify of not a literal, which has no entry",
        ),
        (
            {"second": SECOND.replace("refute", "prove")},
            "x:wrong (typo): {'verify corrected': 1} in 01_second",
        ),
        (
            {"second": SECOND.replace("=True", "=False")},
            "x:wrong (typo): {'refute': 1, 'verify': 1} in 01_second",
        ),
        ({"second": SECOND + FIRST}, "01_second: verify of x:true, which is for 00_first"),
        ({"second": SECOND + 'verify("x:new", 1, 1)'}, "01_second: verify of x:new, which has no entry"),
    ],
)
def test_one_thing_wrong_is_found(changes, expected, tmp_path, monkeypatch):
    build(tmp_path, **changes)
    refresh(tmp_path, monkeypatch)
    assert expected in "\n".join(problems(tmp_path, monkeypatch))


@pytest.mark.parametrize(
    ("path", "old", "new"), [("README.md", "| 2 |", "| 3 |"), ("docs/ledger.md", "holds", "false")]
)
def test_a_stale_table_is_found(path, old, new, tmp_path, monkeypatch):
    build(tmp_path)
    refresh(tmp_path, monkeypatch)
    file = tmp_path / path
    file.write_text(file.read_text().replace(old, new))
    assert problems(tmp_path, monkeypatch) == [f"{file.name} holds another table: run make ledger"]


@pytest.mark.parametrize("text", ["no markers", f"{END} {BEGIN}", f"{BEGIN} {BEGIN}"])
def test_a_readme_without_its_markers(text, tmp_path):
    (tmp_path / "README.md").write_text(text)
    with pytest.raises(ValueError, match=r"README\.md must hold <!-- ledger:begin -->"):
        filled(tmp_path / "README.md", "ledger", "table")


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (TRUE + TRUE, "two entries of data/claims.toml share an id"),
        (TRUE.replace("holds", "perhaps"), "verdict of x:true must be one of"),
    ],
)
def test_a_ledger_that_does_not_load(toml, message, tmp_path, monkeypatch):
    build(tmp_path, toml=toml)
    with pytest.raises(ValueError, match=message):
        problems(tmp_path, monkeypatch)


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_is_missed(notebook, tmp_path, monkeypatch):
    """The real ledger without one of its notebooks: every claim that it settles is reported."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    (tmp_path / "docs").mkdir()
    for path in WRITTEN:
        shutil.copy(ROOT / path, tmp_path / path)
    before = set(problems(tmp_path, monkeypatch))
    (tmp_path / "notebooks" / notebook.name).unlink()
    after = "\n".join(set(problems(tmp_path, monkeypatch)) - before)
    settled = {claim_id for claim_id, _ in settling_calls(notebook)}
    assert all(f"{claim_id}: there is no notebook" in after for claim_id in settled if claim_id in claims.load())


def test_every_claim_has_a_finding():
    for claim in claims.load().values():
        assert claim.finding and "TODO" not in claim.finding, claim.id


# The last notebook lists every claim, and leads to the section that settles it.

LAST = ROOT / "notebooks" / "21_the_ledger.ipynb"


def sections(notebook: Path) -> dict[str, str]:
    """The anchors of a notebook's sections as a page has them, and the code in each."""
    found, anchor = {"": ""}, ""
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for anchor in map(html.unescape, re.findall(r'<h\d id="([^"]+)"', markdown2html(source))):
                found[anchor] = ""
        else:
            found[anchor] += source
    return found


@pytest.fixture(scope="module")
def course() -> dict[str, dict[str, str]]:
    return {path.stem: sections(path) for path in (ROOT / "notebooks").glob("*.ipynb")}


@pytest.fixture(scope="module")
def listed() -> list[str]:
    """What the last notebook shows in Markdown, as the lines of a page."""
    cells = json.loads(LAST.read_text(encoding="utf-8"))["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return markdown2html("\n\n".join("".join(one.get("text/markdown", [])) for one in data)).splitlines()


def target(anchor: str, found: dict[str, str]) -> str:
    """The section that a browser goes to: by the link's own letters, or by what they stand for."""
    anchor = html.unescape(anchor)
    return anchor if anchor in found else unquote(anchor)


def row_of(claim: claims.Claim, listed: list[str]) -> list[str]:
    """Where the whole list shows a claim: the cells of the last table row that begins with its name."""
    rows = [i for i, line in enumerate(listed) if line.strip() == f"<td><code>{claim.id}</code></td>"]
    return [line.strip() for line in listed[rows[-1] : rows[-1] + 5]] if rows else []


def test_the_last_notebook_lists_every_claim(listed):
    stale = "run tools/run_notebooks.py notebooks/21_the_ledger.ipynb"
    for claim in claims.load().values():
        row = row_of(claim, listed)
        assert f"<td><strong>{claim.verdict}</strong></td>" in row, f"{claim.id}: {stale}"
        assert claim.finding[:20] in re.sub("<[^>]+>", "", html.unescape(row[3])), f"{claim.id}: {stale}"


def test_the_last_notebook_leads_to_where_a_claim_is_settled(listed, course):
    for claim in claims.load().values():
        link = re.search(r'href="(\w+)\.ipynb#([^"]+)"', row_of(claim, listed)[-1])
        if claim.notebook not in course:
            assert link is None, claim.id
            continue
        assert link, f"{claim.id} has no link"
        assert link[1] == claim.notebook
        found = course[claim.notebook]
        assert f'"{claim.id}"' in found[target(link[2], found)], f"{claim.id} is not settled in {link[2]}"


def test_every_link_of_the_last_notebook_leads_somewhere(listed, course):
    links = re.findall(r'href="(\w+)\.ipynb#([^"]+)"', "\n".join(listed))
    assert len(links) > len(claims.load()) / 2
    assert not [link for link in links if target(link[1], course[link[0]]) not in course[link[0]]]
