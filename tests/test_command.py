"""What the commands share, piece by piece: numbers in words, options in full, and how an answer is printed."""

import argparse
import json
import sys
from typing import Any

import pytest

from shufflekit import Shuffle, command
from shufflekit.bracket import Bracket, Reached

RUN = Shuffle(1.0, 10) * 1
ANSWER, ATTACK = Bracket(0.12345649, 0.23456712), Reached(0.12345649, 0.13, "somebody")


def parsed(parser: argparse.ArgumentParser, *arguments: str) -> dict[str, Any]:
    return vars(parser.parse_args(arguments))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1000000", 10**6),
        ("1_000_000", 10**6),
        ("1e6", 10**6),
        ("+7", 7),
        ("-3", -3),
        ("2.0", 2),
        ("9007199254740993", 2**53 + 1),
        ("9_007_199_254_740_993", 2**53 + 1),
        ("-9007199254740993", -(2**53) - 1),
    ],
)
def test_whole_numbers(text: str, number: int) -> None:
    found = command.whole(text)
    assert type(found) is int
    assert found == number


@pytest.mark.parametrize("text", ["10.5", "inf", "nan", "x", "", "1e999"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=f"^must be a whole number, got {text!r}$"):
        command.whole(text)


def test_numbers() -> None:
    assert command.number("-1e-3") == -0.001
    with pytest.raises(argparse.ArgumentTypeError, match=r"^must be a number, got 'x'$"):
        command.number("x")


def test_options_are_wanted_in_full_and_errors_are_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    parser = command.Parser(prog="shufflekit")
    command.add_json(parser)
    command.add_delta(parser)
    assert parsed(parser, "--delta", "1e-3") == {"delta": 1e-3, "json": False}
    assert parsed(parser, "--delta", "1e-3", "--json")["json"] is True
    for arguments in (["--delt", "1"], [], ["--delta", "x"]):
        with pytest.raises(SystemExit) as stop:
            parser.parse_args(arguments)
        assert stop.value.code == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("shufflekit: ")
        assert said.err.count("\n") == 1


def test_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.Parser(prog="shufflekit").parse_args(["--help"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("usage: shufflekit")


def test_a_complaint_is_one_short_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command.complain("name", "two\nlines")
    assert capsys.readouterr().err == "name: two lines\n"
    command.complain("name", "word " * 1_000)
    said = capsys.readouterr().err
    assert said.endswith(" word ...\n")
    assert command.LONGEST_LINE - 5 <= len(said) <= command.LONGEST_LINE + 1
    monkeypatch.setattr(sys, "stderr", None)
    assert command.complain("name", "nobody hears it") is None


def test_questions_have_their_options() -> None:
    parser = command.Parser(prog="shufflekit")
    commands = parser.add_subparsers(dest="command", required=True)
    asked = [lambda options: None, lambda options: None]
    epsilon, delta = command.add_epsilon_and_delta(commands, (asked[0], asked[1]), "like this", "more rows")
    question = command.add_question(commands, "rounds", "the most rounds", asked[0], "like that")
    command.add_reduction(question)
    assert parsed(parser, "epsilon", "--delta", "1e-6") == {
        **{"command": "epsilon", "delta": 1e-6, "compare": False, "run": asked[0]}
    }
    assert parsed(parser, "epsilon", "--delta", "1e-6", "--compare")["compare"] is True
    assert parsed(parser, "delta", "--eps", "0.5") == {"command": "delta", "eps": 0.5, "run": asked[1]}
    found = parsed(parser, "rounds", "--eps", "1", "--delta", "1e-6")
    assert found == {"command": "rounds", "eps": 1.0, "delta": 1e-6, "reduction": "corners", "run": asked[0]}
    assert parsed(parser, "rounds", "--eps", "1", "--delta", "1e-6", "--reduction", "clones")["reduction"] == "clones"
    for arguments in (["epsilon"], ["delta"], ["rounds", "--eps", "1"], ["rounds", "--delta", "1e-6"], []):
        with pytest.raises(SystemExit):
            parser.parse_args(arguments)
    assert "more rows" in epsilon.format_help()
    assert "like this" in delta.format_help()
    told = " ".join(question.format_help().split())
    assert "the most rounds with epsilon <= EPS at delta = DELTA" in told
    assert "corners, proved in notebook 18 (default); clones, proved in notebook 09b; clones2021, the earlier" in told


def test_ends_are_rounded_to_the_side_that_keeps_them_true(capsys: pytest.CaptureFixture[str]) -> None:
    command.print_ends("epsilon", ANSWER, ATTACK, "much")
    upper, lower, assumed = capsys.readouterr().out.splitlines()
    assert upper == "  epsilon <=  0.234568     guaranteed, for every eps0-LDP randomizer and all data"
    assert lower == "  epsilon >=  0.123456     reached, by somebody"
    assert assumed == "  assumed: much"


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (1234, "x = 1,234 is the largest with epsilon <= 0.5\n"),
        (10**5 - 1, "x = 99,999 is the largest with epsilon <= 0.5\n"),
        (10**5, "x = 100,000 is the largest, to 5 digits, with epsilon <= 0.5\n"),
        (0.125, "x = 0.125 is the largest, to 5 digits, with epsilon <= 0.5\n"),
    ],
)
def test_what_was_found_and_how_far_its_digits_go(found: float, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    command.print_found("x", found, "largest", 0.5)
    assert capsys.readouterr().out == line


def test_answers_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    both = command.ends("delta", ANSWER, ATTACK)
    assert both == {
        "delta": {"lower": 0.12345649, "upper": 0.23456712},
        "attack_delta": {"lower": 0.12345649, "upper": 0.13},
        "attack": "somebody",
    }
    command.print_json(argparse.Namespace(n=3, other=4), ["n"], {"delta": 0.5})
    assert json.loads(capsys.readouterr().out) == {"n": 3, "delta": 0.5}


@pytest.mark.parametrize("compare", [False, True])
@pytest.mark.parametrize("as_json", [False, True])
def test_epsilon_is_asked(as_json: bool, compare: bool, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[dict[str, Any]] = []
    options = argparse.Namespace(delta=1e-3, json=as_json, compare=compare)
    command.ask_epsilon(options, RUN, "much", lambda _, answer: told.append(answer))
    answer, attack, table = RUN.epsilon(1e-3), RUN.attack_epsilon(1e-3), RUN.compare(1e-3)
    printed = capsys.readouterr().out
    if as_json:
        rows = {"comparison": [row._asdict() for row in table.rows]} if compare else {}
        assert told == [{"delta": 1e-3, **command.ends("epsilon", answer, attack), **rows}]
        assert printed == ""
        return
    assert not told
    assert printed.startswith(f"{RUN} at delta = 0.001\n  epsilon <=  ")
    assert printed.endswith("assumed: much\n" if not compare else f"assumed: much\n\n{table}\n")


@pytest.mark.parametrize("as_json", [False, True])
def test_delta_is_asked(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[dict[str, Any]] = []
    options = argparse.Namespace(eps=0.25, json=as_json)
    command.ask_delta(options, RUN, "much", lambda _, answer: told.append(answer))
    printed = capsys.readouterr().out
    if as_json:
        assert told == [{"eps": 0.25, **command.ends("delta", RUN.delta(0.25), RUN.attack_delta(0.25))}]
        assert printed == ""
    else:
        assert not told
        assert printed.startswith(f"{RUN} at epsilon = 0.25\n  delta <=    ")
        assert printed.endswith("assumed: much\n")


@pytest.mark.parametrize("as_json", [False, True])
def test_what_was_found_is_told(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[dict[str, Any]] = []
    options = argparse.Namespace(eps=3.0, delta=1e-3, json=as_json)
    command.tell_found(options, RUN, ("n", 10, "smallest"), "much", lambda _, answer: told.append(answer))
    printed = capsys.readouterr().out
    if as_json:
        both = command.ends("epsilon", RUN.epsilon(1e-3), RUN.attack_epsilon(1e-3))
        assert told == [{"eps": 3.0, "delta": 1e-3, "solved": "n", "is": "smallest", **both}]
        assert printed == ""
    else:
        assert not told
        lines = printed.splitlines()
        assert lines[:2] == ["n = 10 is the smallest with epsilon <= 3", f"{RUN} at delta = 0.001"]
        assert lines[2].startswith("  epsilon <=  ")
        assert lines[-1] == "  assumed: much"
