"""What rows a bench has: how many of each kind, at which points, and how near their two sides come.

Rows hold, and would go on to hold, if they were asked at another point, of another channel, or with a looser side: only
their names and their shares tell. ``points.toml`` has both. Names can be checked by eye; the largest share and the mean
were read off the benches themselves, and say no more than that nothing has changed. ``python -m tests.points`` writes
it again: look at what differs.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shufflekit.papers.rows import Compared, Misprint

NUMBER = re.compile(r"(?<![A-Za-z])-?\d(?:,\d{3}|\d)*(?:\.\d+)?(?:e[+-]?\d+)?(?:/\d+)?")
MOST_LISTED = 8  # values of a place; of more, the ends and how many
NEAR = 1e-4  # by which a share may be off: of 5 digits
Kind = tuple[int, str, float, float]
FILE = Path(__file__).parent / "points.toml"
HEAD = """\
# The rows of the notebooks' benches (tests/points.py). A row's name, # for a number: how many rows have it, its numbers
# place by place, and the largest and the mean of the left side by the right one.
"""


def kinds(found: Any) -> dict[str, Kind]:
    """By a row's name without its numbers: how many, the numbers place by place, the largest share and the mean.

    A share is the left side by the right one: 1 if they are equal.
    """
    told: dict[str, list[tuple[list[str], float]]] = {}
    for left, right, where, *_ in _rows(found):
        told.setdefault(NUMBER.sub("#", where), []).append((NUMBER.findall(where), _share(left, right)))
    return {name: _described(*zip(*rows, strict=True)) for name, rows in told.items()}


def assert_same(bench: str, found: Any) -> None:
    """Whether a bench has the rows that ``points.toml`` says."""
    kinds_found, told = kinds(found), tomllib.loads(FILE.read_text(encoding="utf-8"))[bench]
    assert {name: list(kind[:2]) for name, kind in kinds_found.items()} == {
        name: kind[:2] for name, kind in told.items()
    }
    for name, kind in told.items():
        assert kinds_found[name][2:] == pytest.approx(tuple(kind[2:]), rel=NEAR, abs=NEAR), name


def _rows(found: Any) -> Iterable[Any]:
    if isinstance(found, Misprint):
        left, right, at = found.printed
        return [*found.rows, (left, right, "printed, " + ", ".join(f"{name} = {at[name]}" for name in at))]
    return zip(found.lhs, found.rhs, found.over["where"], strict=True) if isinstance(found, Compared) else found


def _share(left: Any, right: Any) -> float:
    if left == right:
        return 1.0
    return float(left) / float(right) if right else math.inf


def _described(numbers: Iterable[list[str]], shares: Iterable[float]) -> Kind:
    shares = list(shares)
    places = [_listed(set(place)) for place in zip(*numbers, strict=True)]
    return len(shares), "; ".join(places), max(shares), sum(shares) / len(shares)


def _listed(numbers: set[str]) -> str:
    known = sorted(numbers, key=lambda text: Fraction(text.replace(",", "")))
    return " ".join(known) if len(known) <= MOST_LISTED else f"{known[0]} to {known[-1]}, {len(known)} values"


def _written(bench: str, found: Any) -> str:
    rows = [
        f"{json.dumps(name)} = [{count}, {json.dumps(places)}, {round(largest, 5) + 0.0}, {round(mean, 5) + 0.0}]\n"
        for name, (count, places, largest, mean) in kinds(found).items()
    ]
    return f"\n[{json.dumps(bench)}]\n{''.join(rows)}"


def main() -> None:
    from tests import test_liew2022_bench, test_points

    benches = test_points.BENCHES | {f"liew2022 {one.__name__}": one for one in test_liew2022_bench.BENCHES}
    FILE.write_text(HEAD + "".join(_written(name, bench()) for name, bench in benches.items()), encoding="utf-8")


if __name__ == "__main__":
    main()
