"""Every tag resolves, every paper has its entry, every file of data is accounted for."""

import re
from pathlib import Path

import pytest

from shufflekit import claims

ROOT = Path(__file__).resolve().parents[1]
KEY = r"[a-z]+\d{4}[a-z]*|beyond"  # the last: what this project has proved itself, in its notebooks
ENTRIES = re.findall(
    rf"^\*\*\[({KEY})\]\*\* (.+?)(?=\n\n|\Z)", (ROOT / "REFERENCES.md").read_text(encoding="utf-8"), re.M | re.S
)
KEYS = [key for key, _ in ENTRIES]
SOURCES = sorted([*(ROOT / "shufflekit").rglob("*.py"), *(ROOT / "notebooks").glob("*.ipynb")])
PAPERS = sorted(path for path in (ROOT / "shufflekit" / "papers").iterdir() if not path.name.startswith("_"))
BEYOND = sorted(path for path in (ROOT / "shufflekit" / "beyond").glob("*.py") if not path.name.startswith("_"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def tags(text):
    return re.findall(rf"\[({KEY})\]", text)


def own_results(text):
    """The numbers after a tag [beyond], of which there may be several: 1, 3 or 1 and 3."""
    found = re.findall(r"\[beyond\] (\d+(?:(?:, | and )\d+)*)", text)
    return {int(number) for numbers in found for number in re.findall(r"\d+", numbers)}


def name(path):
    return path.relative_to(ROOT).as_posix()


def test_tags_are_found():
    assert tags("x = 1  # [girgis2021] Thm 1; [wang2019], [7] and [x]") == ["girgis2021", "wang2019"]
    assert tags("[beyond] 1, 3 and 7") == ["beyond"]
    assert own_results("[beyond] 1, 3 and 7: 8 rows, [beyond] 2, or [beyond]") == {1, 2, 3, 7}


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_every_tag_resolves(path):
    assert set(tags(path.read_text(encoding="utf-8"))) <= set(KEYS)


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=name)
def test_every_own_result_is_a_claim_of_the_ledger(path):
    text = path.read_text(encoding="utf-8")
    assert {f"beyond:{number}" for number in own_results(text)} <= set(claims.load())


@pytest.mark.parametrize("path", [path for path in (*SOURCES, *TESTS) if path.suffix == ".py"], ids=name)
def test_own_results_are_written_in_one_form(path):
    """A claim's id is for the ledger: code says [beyond] 3."""
    if path != Path(__file__):
        assert not re.findall(r"beyond:\d", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", BEYOND, ids=name)
def test_every_module_of_own_results_says_which(path):
    text = path.read_text(encoding="utf-8")
    assert own_results(text) or tags(text)


@pytest.mark.parametrize("path", PAPERS, ids=name)
def test_every_module_of_a_paper_has_its_entry(path):
    modules = sorted(path.glob("*.py")) if path.is_dir() else [path]
    assert modules
    if re.fullmatch(KEY, path.stem):
        assert path.stem in KEYS
    # Each formula says where it comes from, in modules that put several papers together, too.
    assert any(tags(module.read_text(encoding="utf-8")) for module in modules)


def test_every_paper_of_the_ledger_has_its_entry():
    assert {claim.paper for claim in claims.load().values()} <= set(KEYS)


def test_each_entry_is_there_once_and_says_who_what_and_when():
    assert len(KEYS) == len(set(KEYS)) >= 20
    for key, text in ENTRIES:
        assert re.match(r"[A-Z].*?\. \*[A-Z].*?\*", text, re.S), key  # authors, then a title
        year = re.search(r"\d{4}", key)
        assert year is None or year[0] in text, key
    others = KEYS[KEYS.index("acharya2019") :]
    assert others == sorted(others)


def test_references_refer_to_entries():
    assert set(tags((ROOT / "REFERENCES.md").read_text(encoding="utf-8"))) == set(KEYS)


def test_every_file_of_data_is_explained():
    readme = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    files = [path.name for path in (ROOT / "data").iterdir() if path.name != "README.md"]
    assert files
    assert not [file for file in files if f"`{file}`" not in readme]
