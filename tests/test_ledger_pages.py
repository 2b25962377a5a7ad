"""The ledger as pages: found cells, links, lists and tables."""

import json
import re

import pytest

from shufflekit import claims, ledger_pages
from shufflekit.ledger_pages import PAPERS, SURPRISING, Pages


@pytest.fixture
def pages(tmp_path):
    claim = claims.load()["girgis2021:thm1"]
    cells = [
        {"cell_type": "markdown", "source": "# A title\n## 1 A $section$"},
        {"cell_type": "code", "source": f'claims.verify(\n    "{claim.id}", 1, 2)'},
        {"cell_type": "markdown", "source": "## 2 Another"},
        {"cell_type": "code", "source": f'claims.refute("{claim.id}", 1, 2)'},
    ]
    (tmp_path / f"{claim.notebook}.ipynb").write_text(json.dumps({"cells": cells}))
    return Pages(tmp_path)


def test_a_claim_is_found_in_its_notebook(pages):
    claim = pages.ledger["girgis2021:thm1"]
    assert [heading for heading, _ in pages.found_in(claim)] == ["1 A $section$", "2 Another"]
    assert pages.link(claim) == f"[1 A $section$]({claim.notebook}.ipynb#1-A-&#36;section&#36;)"
    assert claim not in pages.waiting()
    assert len(pages.waiting()) == len(pages.ledger) - 1
    other = pages.ledger["girgis2021:thm2"]
    assert pages.link(other) == f"notebook {other.notebook[:2]}, not here yet"
    text = pages.look_up("girgis2021:thm1")
    assert claim.title in text
    assert claim.finding in text
    assert "claims.verify(" in text
    assert "claims.refute(" not in text


def test_every_entry_is_counted_once(pages):
    rows = [re.findall(r"\d+", line)[-len(claims.VERDICTS) - 2 :] for line in pages.counts().splitlines()[2:]]
    assert len(rows) == len(PAPERS)
    assert sum(int(row[-2]) for row in rows) == len(pages.ledger)
    assert sum(pages.count(paper, "false") for paper in PAPERS) == sum(
        one.verdict == "false" for one in pages.ledger.values()
    )


def test_lists_and_tables_have_a_line_an_entry(pages):
    some = list(pages.ledger.values())[:5]
    assert pages.items(some).count("\n* ") == 4
    assert len(pages.entries(some).splitlines()) == 2 + 5
    assert pages.surprises().count("*Found:*") == len(SURPRISING)
    off = pages.off({"girgis2021:thm1": ("epsilon", 2.0, 1.0)})
    assert "| `girgis2021:thm1` | epsilon | 2 | 1 |" in off


def test_what_is_refused_is_said(capsys):
    ledger_pages.ask(claims.verify, "girgis2021:lemma6", 2, 1)
    assert capsys.readouterr().out.startswith("refused: girgis2021:lemma6")
    ledger_pages.ask(claims.verify, "girgis2021:lemma6", 1, 1)
    assert "holds" in capsys.readouterr().out
