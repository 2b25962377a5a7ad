"""The numbers of tests/golden come out again by the scripts that made them; quick rows of each, all by the command."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tools.golden import clones, composed, figures, girgis2021, runs, write

ROOT = Path(__file__).resolve().parents[1]
SIX_DIGITS = 6e-6


def lines(name: str) -> list[str]:
    return (write.FOLDER / name).read_text(encoding="utf-8").splitlines()


def table(name: str) -> dict[str, Any]:
    return tomllib.loads("\n".join(lines(name)))


def test_every_file_has_its_script() -> None:
    assert {path.name for path in write.FOLDER.iterdir()} == set(write.FILES)


def test_no_script_reads_the_package() -> None:
    names = "clones, comparisons, composed, enumerated, figures, girgis2021, runs, theorems, write"
    code = (
        f"import sys\nfrom tools.golden import {names}\nprint([name for name in sys.modules if 'shufflekit' in name])"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


@pytest.mark.parametrize("row", [row for row in clones.ROWS if row[1] <= 1_000], ids=str)
def test_deltas_of_the_clones(row: tuple[float, int, int, float]) -> None:
    assert clones.row(*row) in lines("certify.toml")


@pytest.mark.parametrize("row", table("composed.toml")["two_rounds"]["rows"], ids=str)
def test_two_rounds(row: dict[str, float]) -> None:
    """At the eps of the file, delta is what it should be: to seven digits, as eps is given to eight."""
    law = composed.clones(runs.CROWD[0], runs.CROWD[1], runs.CROWD[1])
    delta_of = composed.two_rounds(law)
    assert delta_of(row["eps"] * (1 - 1e-7)) > row["delta"] > delta_of(row["eps"] * (1 + 1e-7))


@pytest.mark.parametrize("row", table("composed.toml")["attack"]["rows"], ids=str)
def test_a_hundred_thousand_rounds_of_randomized_response(row: dict[str, float]) -> None:
    assert runs.attack(row["eps0"]) == pytest.approx(row["eps"], rel=6e-8)


@pytest.mark.parametrize("row", table("composed.toml")["clones"]["rows"][2:], ids=str)
def test_a_hundred_thousand_rounds_of_the_clones(row: dict[str, float]) -> None:
    delta_of = composed.many_rounds(composed.clones(row["eps0"], *runs.SAMPLED), runs.ROUNDS)
    assert delta_of(row["eps"] * (1 - 1e-7)) > runs.DELTA > delta_of(row["eps"] * (1 + 1e-7))


@pytest.mark.parametrize("setting", girgis2021.THEOREM3)
def test_theorem_3(setting: str) -> None:
    made = tomllib.loads("\n".join(girgis2021.theorem3(setting)))["theorem3"]
    assert made[0] in table("girgis2021.toml")["theorem3"]


@pytest.mark.parametrize("section", [girgis2021.moments, girgis2021.eq36, girgis2021.red])
def test_sections_of_the_theorems(section: Any) -> None:
    made = tomllib.loads("\n".join(section()))
    there = table("girgis2021.toml")
    assert made == {name: there[name] for name in made}


def test_lemma_7() -> None:
    rows = table("girgis2021.toml")["lemma7"]["over_supremum"]
    for row in rows[:2]:
        made = [float(girgis2021.over_supremum(eps0, row["order"])) for eps0 in (1.0, 2.0, 3.0)]
        assert made == pytest.approx(row["ratio"], rel=SIX_DIGITS)


def test_ratios_of_the_theorems() -> None:
    rows = table("girgis2021.toml")["ratios"]["rows"]
    assert [tuple(row[:4]) for row in rows] == list(girgis2021.RATIOS)
    for row in rows[::3]:
        assert girgis2021.ratio(*row[:4]) == pytest.approx(row[4], rel=SIX_DIGITS)


@pytest.mark.parametrize("point", [("2a", 10**6, 10**5), ("5a", 10**6, 10**3), ("4a", 10**6, 10**4)], ids=str)
def test_curves_of_the_figures(point: tuple[str, int, int]) -> None:
    rows = json.loads("\n".join(lines("girgis2021_figures.json")))["rows"]
    there = next(row for row in rows if tuple(row[:3]) == point)
    made = figures.row(*point)
    for found, golden in zip(made[3:], there[3:], strict=True):  # a gap in a curve is None
        assert found == golden if golden is None else found == pytest.approx(golden, rel=SIX_DIGITS)
    upper, order, red = next(
        row[5:] for row in table("girgis2021.toml")["figures"]["rows"] if (row[0], row[2], row[4]) == point
    )
    assert [upper, red] == pytest.approx(there[3:5], rel=SIX_DIGITS)
    assert order == figures.best_of_theorem1(figures.PANELS[point[0]][0], point[1], 1_000, point[2])[1]


def test_the_command_tells_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.toml").write_text("a = 1\nb = 2\n")
    monkeypatch.setattr(write, "FOLDER", tmp_path)
    monkeypatch.setattr(write, "FILES", {"one.toml": lambda: "a = 1\nb = 3\n", "two.toml": lambda: "c = 4\n"})

    def command(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            write.main(arguments)
        return int(ended.value.code or 0), capsys.readouterr().out

    code, said = command("one.toml")
    assert code == 1
    assert "\n-b = 2\n+b = 3\none.toml: differs, " in said
    code, said = command("--write")
    assert code == 0
    assert "\n+c = 4\ntwo.toml: differs, " in said
    code, said = command()
    assert code == 0
    assert "one.toml: the same, " in said
    assert "two.toml: the same, " in said
