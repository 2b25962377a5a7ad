"""Shuffled check-ins on the command line: the same answers as from Python, in words; one line where there is none."""

import json

import pytest

from shufflekit import Run, ShuffledCheckIn, shuffled_check_in_calibrate
from shufflekit.cli import main
from tests import command_line
from tests.command_line import prints_the_table, refuses_in_one_line

SETTING = ["--eps0", "2", "--population", "1e3", "--rate", "0.1", "--reduction", "clones"]
RUN = ShuffledCheckIn(2.0, 1_000, 0.1, reduction="clones") * 3


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    return command_line.printed(["shuffled-check-in", *arguments], capsys)


def test_json_is_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(printed(["epsilon", *SETTING, "--rounds", "3", "--delta", "1e-6", "--json"], capsys))
    assert answer["epsilon"] == RUN.epsilon(1e-6)._asdict()
    attack = RUN.attack_epsilon(1e-6)
    assert (answer["attack_epsilon"], answer["attack"]) == (attack._asdict(), attack.name)
    given = {"eps0": 2.0, "population": 1_000, "rate": 0.1, "rounds": 3, "reduction": "clones"}
    assert {name: answer[name] for name in given} == given
    answer = json.loads(printed(["delta", *SETTING, "--rounds", "3", "--eps", "0.01", "--json"], capsys))
    assert answer["delta"] == RUN.delta(0.01)._asdict()


def test_what_is_printed_says_what_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    title, upper, lower, assumed = printed(
        ["epsilon", *SETTING, "--rounds", "3", "--delta", "1e-6"], capsys
    ).splitlines()
    assert title == f"{RUN} at delta = 1e-06"
    assert "guaranteed" in upper and lower.endswith(RUN.attack_epsilon(1e-6).name)
    assert "how many came is seen" in assumed and "differ in one record" in assumed
    title, *_, assumed = printed(["delta", *SETTING, "--eps", "0.01"], capsys).splitlines()
    assert title == f"{RUN.parts[0][0] * 1} at epsilon = 0.01" and "assumed: " in assumed


def test_compare_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["epsilon", "--eps0", "2", "--population", "200", "--rate", "0.1", "--delta", "1e-6", "--compare"]
    table = ShuffledCheckIn(2.0, 200, 0.1).compare(1e-6)
    prints_the_table(table, ["shuffled-check-in", *arguments], capsys)


@pytest.mark.parametrize(
    ("name", "expected"), [("eps0", "largest"), ("population", "smallest"), ("rate", "largest"), ("rounds", "largest")]
)
def test_calibrate_asks_the_right_question_with_all_that_was_given(
    name: str, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is found is tested elsewhere."""
    given = {"eps0": 2.0, "population": 1_000, "rate": 0.1, "rounds": 3, "reduction": "clones"}
    asked = []

    def found(**named: float) -> float:
        asked.append(named)
        return given[name]

    monkeypatch.setattr(shuffled_check_in_calibrate, name, found)
    target = ["calibrate", name, "--eps", "0.5", "--delta", "1e-6"]
    target += [text for option, value in given.items() if option != name for text in (f"--{option}", str(value))]
    answer = json.loads(printed([*target, "--json"], capsys))
    assert asked == [{"eps": 0.5, "delta": 1e-6} | {option: value for option, value in given.items() if option != name}]
    assert (answer["solved"], answer["is"], answer[name]) == (name, expected, given[name])
    assert answer["epsilon"] == RUN.epsilon(1e-6)._asdict()
    lines = printed(target, capsys).splitlines()
    assert lines[0].startswith(f"{name} = ") and f"is the {expected}" in lines[0]
    assert isinstance(RUN, Run) and lines[1] == f"{RUN} at delta = 1e-06" and len(lines) == 5


@pytest.mark.parametrize("arguments", [["epsilon"], ["delta"], ["calibrate", "rate"]])
def test_help_teaches_by_example_and_says_that_the_number_is_seen(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["shuffled-check-in", *arguments, "--help"])
    assert stop.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "shufflekit shuffled-check-in epsilon --eps0 2 --population 6e4 --rate 0.1 --rounds 6800" in text
    assert "it is taken as seen" in text


GOOD = ["--eps0", "1", "--population", "100", "--rate", "0.5", "--delta", "1e-6"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required"),
        (["epsilon", "--eps0", "1", "--population", "100", "--delta", "1e-6"], "required: --rate"),
        (["epsilon", *GOOD, "--n", "5"], "unrecognized arguments: --n 5"),
        (["epsilon", *GOOD, "--eps0", "-1"], "eps0 must be positive and at most 300, got -1.0"),
        (["epsilon", *GOOD, "--rate", "1.5"], "rate must be above 0 and at most 1, got 1.5"),
        (["epsilon", *GOOD, "--rate", "x"], "must be a number, got 'x'"),
        (["epsilon", *GOOD, "--population", "0"], "population must be a whole number of at least 1"),
        (["epsilon", *GOOD, "--population", "10.5"], "must be a whole number, got '10.5'"),
        (["epsilon", *GOOD, "--rounds", "0"], "rounds must be a whole number"),
        (["epsilon", *GOOD, "--reduction", "clone"], "reduction must be one of 'corners'"),
        (["epsilon", *GOOD, "--delta", "-1e-6"], "delta must be strictly between 0 and 1, got -1e-06"),
        (["delta", *GOOD[:-2], "--eps", "-1"], "eps must be 0 or positive"),
        (["calibrate"], "required"),
        (["calibrate", "n"], "invalid choice"),
        (["calibrate", "rate", "--eps", "1", "--delta", "1e-6", "--eps0", "1"], "required: --population"),
    ],
)
def test_bad_input_is_one_line_in_words(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuses_in_one_line(["shuffled-check-in", *arguments], words, capsys)
