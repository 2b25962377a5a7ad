"""What may differ between two runs of a notebook is little: no rule swallows a number that a reader looks at."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def rules() -> list[tuple[str, str]]:
    parser = configparser.RawConfigParser()
    assert parser.read(ROOT / "tests" / "nbval_sanitize.cfg", encoding="utf-8")
    return [(parser[name]["regex"], parser[name]["replace"]) for name in parser.sections()]


def sanitized(text: str) -> str:
    for regex, replace in rules():
        text = re.sub(regex, replace, text)
    return text


NUMBERS = """0 1 -7 12 365 2026 1,000 60_000 0.1234 1.18 -0.5 .25 12.09 99.9% 1e-06 1.5e-300 1E6 0x1F 12345678
0.30000000000000004 Bracket(lower=0.1373531, upper=0.1373888)
[0.5, 1.25] (3, 4) 2.3 to 732 {'delta': 1e-08} 1/3 Fraction(19, 144) 10^-6
3 s 3.5 s 120 ms 12 min 4 m 2s it took 12 rounds; took 3 of 4; what it took: 0.25; seed 5; 1.5x; 7 times; 3 seconds"""


@pytest.mark.parametrize("text", [*NUMBERS.split(), *NUMBERS.splitlines(), NUMBERS])
def test_no_rule_matches_a_number(text: str) -> None:
    assert sanitized(text) == text


def test_the_outputs_of_the_course_keep_their_digits() -> None:
    """Only addresses and times go, and they are few."""
    lost = total = 0
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        text = path.read_text(encoding="utf-8")
        total += len(re.findall(r"\d", text))
        lost += len(re.findall(r"\d", text)) - len(re.findall(r"\d", sanitized(text)))
    assert total > 100_000 and lost <= 1e-3 * total


def test_what_does_differ_is_replaced() -> None:
    assert sanitized("<object at 0x7f1c7476a8e0>") == "<object at ADDRESS>"
    assert sanitized("it took 0.25 ms, then it took 31 s.") == "it took TIME, then it took TIME."
