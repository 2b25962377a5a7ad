"""The command line: right answers, and one line in words with exit code 2 on bad input."""

import json
import re

import pytest

from shufflekit import Shuffle, calibrate, claims
from shufflekit.cli import main

PROTOCOL = ["--eps0", "1", "--n", "100", "--population", "1e4", "--rounds", "10"]


def test_epsilon_json_is_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", *PROTOCOL, "--delta", "1e-6", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["epsilon"] == (Shuffle(1.0, 100, 10_000) * 10).epsilon(1e-6)._asdict()
    assert answer["attack_epsilon"] == (Shuffle(1.0, 100, 10_000) * 10).attack_epsilon(1e-6)._asdict()
    assert (answer["n"], answer["population"], answer["rounds"], answer["reduction"]) == (100, 10_000, 10, "clones")


def test_epsilon_prints_guarantee_certificate_and_attack(capsys: pytest.CaptureFixture[str]) -> None:
    run = Shuffle(1.0, 100, 10_000) * 10
    assert main(["epsilon", *PROTOCOL, "--delta", "1e-6"]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == f"{run} at delta = 1e-06"
    upper, lower, attack = (float(re.findall(r"\d[\d.e-]*", line)[0]) for line in lines)
    # What is shown is rounded to the side that keeps it true.
    ends = run.epsilon(1e-6)
    assert ends.upper <= upper <= ends.upper * (1 + 2e-5)
    assert ends.lower * (1 - 2e-5) <= lower <= ends.lower
    assert attack <= run.attack_epsilon(1e-6).lower <= attack * (1 + 2e-5)


def test_the_reduction_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", *PROTOCOL, "--delta", "1e-6", "--reduction", "clones2021", "--json"]) == 0
    run = Shuffle(1.0, 100, 10_000, reduction="clones2021") * 10
    assert json.loads(capsys.readouterr().out)["epsilon"] == run.epsilon(1e-6)._asdict()


@pytest.mark.parametrize(
    ("question", "given", "expected"),
    [
        ("eps0", {"n": 100, "population": 10_000, "rounds": 10}, "largest"),
        ("n", {"eps0": 4.0, "rounds": 2}, "smallest"),
        ("n", {"eps0": 1.0, "population": 10_000, "rounds": 10}, "largest"),
        ("rounds", {"eps0": 1.0, "n": 100, "population": 10_000}, "largest"),
        ("population", {"eps0": 3.0, "n": 100}, "smallest"),
    ],
)
def test_calibrate_is_the_api(
    question: str, given: dict[str, float], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    solve = calibrate.sampled_n if expected == "largest" and question == "n" else getattr(calibrate, question)
    found = solve(eps=0.2, delta=1e-6, **given)
    target = ["calibrate", question, "--eps", "0.2", "--delta", "1e-6"]
    target += [text for name, value in given.items() for text in (f"--{name}", str(value))]
    assert main([*target, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer[question] == found
    assert (answer["solved"], answer["is"]) == (question, expected)
    assert answer["epsilon"]["upper"] <= 0.2
    assert main(target) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{question} = ")
    assert f"is the {expected}" in printed


def test_delta_json_is_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["delta", *PROTOCOL, "--eps", "0.05", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["delta"] == (Shuffle(1.0, 100, 10_000) * 10).delta(0.05)._asdict()


def test_compare_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", "--eps0", "1", "--n", "100", "--delta", "1e-6", "--compare"]) == 0
    assert str(Shuffle(1.0, 100).compare(1e-6)) in capsys.readouterr().out
    assert main(["epsilon", "--eps0", "1", "--n", "100", "--delta", "1e-6", "--compare", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparison"][0]["kind"] == "upper"


def test_claims(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims"]) == 0
    assert capsys.readouterr().out.strip() == claims.table()
    assert main(["claims", "--paper", "girgis2021", "--json"]) == 0
    assert {entry["id"] for entry in json.loads(capsys.readouterr().out)} <= set(claims.load())


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["epsilon", "--help"])
    assert stop.value.code == 0
    assert "shufflekit epsilon --eps0 2 --n 1000 --population 1e6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required"),
        (["gamma"], "gamma"),
        (["epsilon"], "--eps0"),
        (["epsilon", "--eps0", "-1", "--n", "10", "--delta", "1e-6"], "eps0 must be positive"),
        (["epsilon", "--eps0", "nan", "--n", "10", "--delta", "1e-6"], "eps0"),
        (["epsilon", "--eps0", "x", "--n", "10", "--delta", "1e-6"], "must be a number"),
        (["epsilon", "--eps0", "1", "--n", "10.5", "--delta", "1e-6"], "whole number"),
        (["epsilon", "--eps0", "1", "--n", "inf", "--delta", "1e-6"], "whole number"),
        (["epsilon", "--eps0", "1", "--n", "nan", "--delta", "1e-6"], "whole number"),
        (["epsilon", "--eps0", "1", "--n", "0", "--delta", "1e-6"], "n must be"),
        (["epsilon", "--eps0", "1", "--n", "10", "--population", "5", "--delta", "1e-6"], "population"),
        (["epsilon", "--eps0", "1", "--n", "10", "--delta", "2"], "delta must be strictly between 0 and 1"),
        (
            ["epsilon", "--eps0", "1", "--n", "10", "--delta", "-1e-6"],
            "delta must be strictly between 0 and 1, got -1e-06",
        ),
        (["epsilon", "--eps0", "-inf", "--n", "10", "--delta", "1e-6"], "eps0 must be positive"),
        (["epsilon", "--eps0", "1", "--n", "-1e3", "--delta", "1e-6"], "n must be a whole number"),
        (["epsilon", "--eps0", "1", "--n", "10", "--delta"], "expected one argument"),
        (["epsilon", "--eps0", "1", "--n", "10", "--delta", "1e-6", "--reduction", "none"], "reduction must be one of"),
        (["calibrate"], "required"),
        (["calibrate", "delta"], "invalid choice"),
        (["calibrate", "n", "--eps", "1", "--delta", "1e-6"], "--eps0"),
        (["calibrate", "n", "--eps", "-1e-1", "--delta", "1e-6", "--eps0", "1"], "eps must be positive"),
        (["calibrate", "n", "--eps", "1e-9", "--delta", "1e-60", "--eps0", "9"], "n = 1,000,000,000,000, the most"),
        (["calibrate", "rounds", "--eps", "0.1", "--delta", "1e-6", "--eps0", "2", "--n", "10"], "rounds = 1"),
        (["epsilon", "--eps0", "1", "--n", "10", "--delta", "1e-6", "--rounds", "0"], "rounds"),
        (["delta", "--eps0", "1", "--n", "10", "--eps", "-1"], "eps must be"),
        (["claims", "--paper", "nobody2000"], "paper must be one of"),
    ],
)
def test_bad_input_is_one_line_in_words(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("shufflekit")
    assert words in printed.err


def test_whole_numbers_keep_their_digits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["delta", "--eps0", "1", "--n", "123_456_789", "--eps", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 123_456_789
