"""The command line: right answers, and one line in words with exit code 2 on bad input."""

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from shufflekit import Shuffle, calibrate, claims
from shufflekit.cli import main
from shufflekit.protocols.shuffle import REDUCTION
from tests.command_line import refuses_in_one_line
from tools.lock import ROOT, load_project

TRUE = "[[claim]]\nid = 'x:1'\ntitle = 'a'\nstatement = 'b'\nnotebook = '00_a'\nverdict = 'holds'\n"
PROTOCOL = ["--eps0", "1", "--n", "100", "--population", "1e4", "--rounds", "10"]


def test_epsilon_json_is_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", *PROTOCOL, "--delta", "1e-6", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["epsilon"] == (Shuffle(1.0, 100, 10_000) * 10).epsilon(1e-6)._asdict()
    attack = (Shuffle(1.0, 100, 10_000) * 10).attack_epsilon(1e-6)
    assert (answer["attack_epsilon"], answer["attack"]) == (attack._asdict(), attack.name)
    assert (answer["n"], answer["population"], answer["rounds"], answer["reduction"]) == (100, 10_000, 10, REDUCTION)


def test_epsilon_prints_the_guarantee_what_is_reached_and_what_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    run = Shuffle(1.0, 100, 10_000) * 10
    assert main(["epsilon", *PROTOCOL, "--delta", "1e-6"]) == 0
    title, *lines, assumed = capsys.readouterr().out.splitlines()
    assert title == f"{run} at delta = 1e-06"
    upper, lower = (float(re.findall(r"\d[\d.e-]*", line)[0]) for line in lines)
    # What is shown is rounded to the side that keeps it true.
    ends = run.epsilon(1e-6)
    assert ends.upper <= upper <= ends.upper * (1 + 2e-5)
    assert ends.lower * (1 - 2e-5) <= lower <= ends.lower
    assert "guaranteed" in lines[0] and "reached" in lines[1]
    assert lines[1].endswith(run.attack_epsilon(1e-6).name)
    for assumption in ("one randomizer shared by all", "differ in one record", "n honest reports"):
        assert assumption in assumed


def test_the_reduction_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["epsilon", *PROTOCOL, "--delta", "1e-6", "--reduction", "clones2021", "--json"]) == 0
    run = Shuffle(1.0, 100, 10_000, reduction="clones2021") * 10
    assert json.loads(capsys.readouterr().out)["epsilon"] == run.epsilon(1e-6)._asdict()


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


def test_who_asks_nothing_is_shown_what_to_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert "shufflekit epsilon --eps0 2 --n 1000 --population 1e6" in shown.out
    assert "the ledger: every claim" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
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
        (["calibrate", "rounds", "--eps", "0.1", "--delta", "1e-6", "--eps0", "2", "--n", "10"], "rounds = 1"),
        (["epsilon", "--eps0", "1", "--n", "10", "--delta", "1e-6", "--rounds", "0"], "rounds"),
        (["delta", "--eps0", "1", "--n", "10", "--eps", "-1"], "eps must be"),
        (["claims", "--paper", "nobody2000"], "paper must be one of"),
        # No abbreviations: --eps is not --eps0.
        (["epsilon", "--eps", "1", "--n", "10", "--delta", "1e-6"], "required: --eps0"),
        (["epsilon", "--eps", "9", "--eps0", "1", "--n", "10", "--delta", "1e-6"], "unrecognized arguments: --eps 9"),
        (["epsilon", "--eps0", "1", "--n", "10", "--delta", "1e-6", "--comp"], "unrecognized arguments: --comp"),
        (["delta", "--ep", "1", "--eps0", "1", "--n", "10"], "required: --eps"),
        (["calibrate", "eps0", "--eps", "1", "--delta", "1e-6", "--n", "9", "--pop", "10"], "arguments: --pop 10"),
        (["claims", "--pap", "girgis2021"], "unrecognized arguments: --pap girgis2021"),
        (["--vers"], "required"),
        (["claims", "two\nlines"], "unrecognized arguments: two lines"),
        (["epsilon", "--eps0", "1", "--n", "9" * 5_000, "--delta", "1e-6"], "argument --n: must be a whole number"),
    ],
)
def test_bad_input_is_one_line_in_words(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuses_in_one_line(arguments, words, capsys)


def test_whole_numbers_keep_their_digits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["delta", "--eps0", "1", "--n", "123_456_789", "--eps", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 123_456_789


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read the ledger"),
        (b"[[claim", "must be TOML"),
        (b"\xff\xfe", "must be TOML"),
        (b"", "must hold entries [[claim]]"),
        (b"claim = []", "must hold entries [[claim]]"),
        (b"claim = 3", "must hold entries [[claim]]"),
        (b"claim = ['x:1']", "must hold entries [[claim]]"),
        (TRUE.replace("title", "titel").encode(), "with the texts id, title, statement"),
        (TRUE.replace("'a'", "3").encode(), "with the texts id, title, statement"),
        (TRUE.replace("'holds'", "'perhaps'").encode(), "verdict of x:1 must be one of"),
        ((TRUE + TRUE).encode(), "share an id"),
    ],
)
def test_a_missing_or_broken_ledger_is_one_line_in_words(
    content: bytes | None,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(claims, "__file__", str(tmp_path / "shufflekit" / "claims.py"))
    (tmp_path / "data").mkdir()
    if content is not None:
        (tmp_path / "data" / "claims.toml").write_bytes(content)
    assert main(["claims"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("shufflekit claims: ")
    assert printed.err.count("\n") == 1
    assert words in printed.err
    assert "claims.toml" in printed.err or "x:1" in printed.err


def command(*arguments: str, before: str = "", **options: object) -> "subprocess.CompletedProcess[str]":
    """What pip installs as the command ``shufflekit``, in a process of its own, after some other statements."""
    module, function = load_project()["scripts"]["shufflekit"].split(":")
    code = f"import sys\n{before}\nfrom {module} import {function}\nsys.exit({function}())"
    return subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, text=True, stderr=-1, **options)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["claims"], ["epsilon", "--eps0", "1", "--n", "10", "--delta", "1e-6"]])
def test_a_full_disk_is_one_line_in_words(arguments: list[str], unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        ended = command(*arguments, stdout=full, env=environment)
    assert (ended.returncode, ended.stderr) == (2, f"shufflekit {arguments[0]}: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_is_no_error(unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        ended = command("claims", stdout=pipe, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("asked", ["--help", "--version"])
def test_help_on_a_full_disk_is_one_line_in_words(asked: str, unbuffered: str) -> None:
    """Where nothing waits in a buffer, argparse hides that it could not be written."""
    with open("/dev/full", "w") as full:
        ended = command(asked, stdout=full, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    assert (ended.returncode, ended.stderr) == (2, "shufflekit: No space left on device\n")


@pytest.mark.parametrize("broken", ["None", "open('/dev/full', 'w', buffering=1)"], ids=["closed", "full"])
@pytest.mark.parametrize("asked", [["claims", "--paper", "nobody2000"], ["gamma"]])
def test_what_nobody_can_be_told_is_an_error_all_the_same(asked: list[str], broken: str) -> None:
    ended = command(*asked, before=f"sys.stderr = {broken}", stdout=-1)
    assert ended.returncode in (2, 120) and ended.stdout == ""  # 120: Python itself cannot write out what is left


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (MemoryError(), "shufflekit epsilon: there is not enough memory for this\n"),
        (UserWarning("this is wide"), "shufflekit epsilon: this is wide\n"),  # python -W error
        (
            ZeroDivisionError("division\nby zero"),
            "shufflekit epsilon: a bug, please report it with what was asked: ZeroDivisionError: division by zero\n",
        ),
    ],
)
def test_whatever_goes_wrong_is_one_line_in_words(
    reason: Exception, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise reason

    monkeypatch.setattr(Shuffle, "define", fails)
    assert main(["epsilon", "--eps0", "1.01", "--n", "10", "--delta", "1e-6"]) == 2
    assert capsys.readouterr() == ("", words)


def test_a_warning_is_one_line_in_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def warns(paper: str | None) -> str:
        warnings.warn("this is wide", UserWarning, stacklevel=1)
        return "the ledger"

    monkeypatch.setattr(claims, "table", warns)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["claims"]) == 0
    assert capsys.readouterr() == ("the ledger\n", "shufflekit claims: this is wide\n")


def test_output_that_was_closed_is_no_error() -> None:
    assert command("claims", before="sys.stdout = None").stderr == ""


STOP = """
import os, signal, time

def stop(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

class Stopping:
    def find_spec(self, name, *_):
        if name == "scipy":
            stop()
"""


@pytest.mark.parametrize(
    "when",
    ["from shufflekit import claims\nclaims.table = stop", "sys.meta_path.insert(0, Stopping())"],
    ids=["at work", "at the start"],
)
@pytest.mark.parametrize("again", ["", "import atexit\natexit.register(stop)\n"], ids=["once", "at the end, too"])
def test_ctrl_c_is_one_line_in_words(when: str, again: str) -> None:
    ended = command("claims", before=STOP + again + when)
    assert (ended.returncode, ended.stderr) == (130, "shufflekit: stopped\n")


# What works for long comes last: so much work is done in each file by tools/mutants.py, and what is left is skipped.


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
    found = solve(eps=0.2, delta=1e-6, reduction="clones", **given)
    target = ["calibrate", question, "--eps", "0.2", "--delta", "1e-6", "--reduction", "clones"]
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
    answer, run = json.loads(capsys.readouterr().out), Shuffle(1.0, 100, 10_000) * 10
    assert answer["delta"] == run.delta(0.05)._asdict()
    attack = run.attack_delta(0.05)
    assert (answer["attack_delta"], answer["attack"]) == (attack._asdict(), attack.name)
    assert main(["delta", *PROTOCOL, "--eps", "0.05"]) == 0
    title, upper, lower, assumed = capsys.readouterr().out.splitlines()
    assert title == f"{run} at epsilon = 0.05"
    assert "guaranteed" in upper and attack.name in lower and "assumed" in assumed


def test_what_no_number_of_clients_reaches_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["calibrate", "n", "--eps", "1e-9", "--delta", "1e-60", "--eps0", "9"]
    refuses_in_one_line(arguments, "n = 1,000,000,000,000, the most", capsys)
