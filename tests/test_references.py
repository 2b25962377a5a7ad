"""Every tag resolves, every paper has its entry, every file of data is accounted for."""

import re
from pathlib import Path

import pytest

from shufflekit import claims

ROOT = Path(__file__).resolve().parents[1]
KEY = r"[a-z]+\d{4}[a-z]*"
ENTRIES = re.findall(
    rf"^\*\*\[({KEY})\]\*\* (.+?)(?=\n\n|\Z)", (ROOT / "REFERENCES.md").read_text(encoding="utf-8"), re.M | re.S
)
KEYS = [key for key, _ in ENTRIES]
SOURCES = sorted([*(ROOT / "shufflekit").rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb")])
PAPERS = sorted(path for path in (ROOT / "shufflekit" / "papers").iterdir() if not path.name.startswith("_"))


def tags(text):
    return re.findall(rf"\[({KEY})\]", text)


def name(path):
    return path.relative_to(ROOT).as_posix()


def test_tags_are_found():
    assert tags("x = 1  # [girgis2021] Thm 1; [wang2019], [7] and [x]") == ["girgis2021", "wang2019"]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_every_tag_resolves(path):
    assert set(tags(path.read_text(encoding="utf-8"))) <= set(KEYS)


@pytest.mark.parametrize("path", PAPERS, ids=name)
def test_every_module_of_a_paper_has_its_entry(path):
    modules = sorted(path.glob("*.py")) if path.is_dir() else [path]
    assert modules
    if re.fullmatch(KEY, path.stem):
        assert path.stem in KEYS
    # Each formula says where it comes from, in modules that put several papers together, too.
    assert any(tags(module.read_text(encoding="utf-8")) for module in modules)


def test_every_paper_of_the_ledger_has_its_entry():
    # "beyond" are the results of this project itself, proved in its notebooks.
    assert {claim.paper for claim in claims.load().values()} <= {*KEYS, "beyond"}


def test_each_entry_is_there_once_and_says_who_what_and_when():
    assert len(KEYS) == len(set(KEYS)) >= 20
    for key, text in ENTRIES:
        assert re.match(r"[A-Z].*?\. \*[A-Z].*?\*", text, re.S), key  # authors, then a title
        assert re.search(r"\d{4}", key)[0] in text, key
    others = KEYS[KEYS.index("acharya2019") :]
    assert others == sorted(others)


def test_references_refer_to_entries():
    assert set(tags((ROOT / "REFERENCES.md").read_text(encoding="utf-8"))) == set(KEYS)


def test_every_file_of_data_is_explained():
    readme = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    files = [path.name for path in (ROOT / "data").iterdir() if path.name != "README.md"]
    assert files
    assert not [file for file in files if f"`{file}`" not in readme]
