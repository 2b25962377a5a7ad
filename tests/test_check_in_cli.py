"""Random check-ins on the command line: the answers of the API, what is assumed, and bad input in one line of words."""

import json
import re

import pytest

from shufflekit import RandomCheckIn, Run, SlidingCheckIn, check_in_calibrate
from shufflekit.cli import main
from tests import command_line
from tests.command_line import prints_the_table, refuses_in_one_line

PROTOCOL = ["--eps0", "1", "--slots", "1e3", "--clients", "1e4"]
SETTINGS = [
    (PROTOCOL, RandomCheckIn(1.0, 1_000, 10_000) * 1),
    (["--eps0", "0.5", "--slots", "50", "--rounds", "3"], RandomCheckIn(0.5, 50) * 3),
    (["--eps0", "2", "--slots", "50", "--participation", "0.5"], RandomCheckIn(2.0, 50, None, 0.5) * 1),
    ([*PROTOCOL, "--empty", "skipped"], RandomCheckIn(1.0, 1_000, 10_000, empty="skipped") * 1),
    (["--eps0", "1", "--window", "50", "--clients", "2e2"], SlidingCheckIn(1.0, 50, 200) * 1),
]


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    return command_line.printed(["check-in", *arguments], capsys)


@pytest.mark.parametrize(("setting", "run"), SETTINGS, ids=lambda value: str(value) if isinstance(value, Run) else "")
def test_json_is_the_api(setting: list[str], run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(printed(["epsilon", *setting, "--delta", "1e-6", "--json"], capsys))
    assert answer["epsilon"] == run.epsilon(1e-6)._asdict()
    attack = run.attack_epsilon(1e-6)
    assert (answer["attack_epsilon"], answer["attack"]) == (attack._asdict(), attack.name)
    answer = json.loads(printed(["delta", *setting, "--eps", "0.01", "--json"], capsys))
    assert answer["delta"] == run.delta(0.01)._asdict()
    ((one, rounds),) = run.parts
    for name in ("eps0", "slots", "clients", "participation", "empty", "window"):
        if hasattr(one, name):
            assert answer[name] == getattr(one, name)
    assert answer["rounds"] == rounds


@pytest.mark.parametrize(("setting", "run"), SETTINGS, ids=lambda value: str(value) if isinstance(value, Run) else "")
def test_what_is_printed_says_what_is_assumed(setting: list[str], run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    title, upper, lower, assumed = printed(["epsilon", *setting, "--delta", "1e-6"], capsys).splitlines()
    assert title == f"{run} at delta = 1e-06"
    found = [float(re.findall(r"\d[\d.e-]*", line)[0]) for line in (upper, lower)]
    ends = run.epsilon(1e-6)
    assert ends.upper <= found[0] <= ends.upper * (1 + 2e-5)
    assert ends.lower * (1 - 2e-5) <= found[1] <= ends.lower
    assert "guaranteed" in upper and lower.endswith(run.attack_epsilon(1e-6).name)
    assert "against whoever sees all slots' answers, not the server" in assumed
    assert f"(there it is {run.parts[0][0].eps0:g})" in assumed
    assert "one randomizer a slot" in assumed and "differ in one record" in assumed
    skipped = "skipped" in setting
    assert ("which slots are empty is seen" in assumed) == skipped
    assert ("an empty slot answers for a dummy" in assumed) == (not skipped)
    assert ("any number of clients" in assumed) == ("--clients" not in setting)
    title, *_, assumed = printed(["delta", *setting, "--eps", "0.01"], capsys).splitlines()
    assert title == f"{run} at epsilon = 0.01" and "assumed: " in assumed


def test_compare_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["epsilon", "--eps0", "1", "--slots", "50", "--delta", "1e-6", "--compare"]
    table = RandomCheckIn(1.0, 50).compare(1e-6)
    prints_the_table(table, ["check-in", *arguments], capsys)


@pytest.mark.parametrize(
    ("question", "name", "given", "expected"),
    [
        ("eps0", "eps0", {"slots": 60, "rounds": 2}, "largest"),
        ("rounds", "rounds", {"eps0": 0.2, "slots": 60}, "largest"),
        ("participation", "participation", {"eps0": 1.0, "slots": 60}, "largest"),
        ("fewest-slots", "slots", {"eps0": 1.0, "rounds": 1}, "smallest"),
    ],
)
def test_calibrate_is_the_api(
    question: str, name: str, given: dict[str, float], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = getattr(check_in_calibrate, question.replace("-", "_"))(eps=0.4, delta=1e-6, **given)
    target = ["calibrate", question, "--eps", "0.4", "--delta", "1e-6"]
    target += [text for option, value in given.items() for text in (f"--{option}", str(value))]
    answer = json.loads(printed([*target, "--json"], capsys))
    assert answer[name] == found
    assert (answer["solved"], answer["is"], answer["empty"]) == (name, expected, "dummy")
    assert answer["epsilon"]["upper"] <= 0.4
    lines = printed(target, capsys).splitlines()
    assert lines[0].startswith(f"{name} = ") and f"is the {expected}" in lines[0]
    assert len(lines) == 5


def test_clients_and_the_most_slots_are_passed_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found elsewhere: here, that the right question is asked with all that was given."""
    asked = []
    for name, value in (("clients", 20_000), ("most_slots", 50)):
        monkeypatch.setattr(check_in_calibrate, name, lambda value=value, **given: asked.append(given) or value)
    target = ["--eps", "0.02", "--delta", "1e-6", "--eps0", "1", "--participation", "0.5", "--rounds", "2", "--json"]
    skipped = [*target, "--empty", "skipped"]
    answer = json.loads(printed(["calibrate", "clients", *skipped, "--slots", "1e3"], capsys))
    assert (answer["clients"], answer["slots"]) == (20_000, 1_000)
    answer = json.loads(printed(["calibrate", "most-slots", *skipped, "--clients", "1e4"], capsys))
    assert (answer["clients"], answer["slots"], answer["empty"]) == (10_000, 50, "skipped")
    given = {"eps": 0.02, "delta": 1e-6, "eps0": 1.0, "participation": 0.5, "rounds": 2, "empty": "skipped"}
    assert asked == [given | {"slots": 1_000}, given | {"clients": 10_000}]


@pytest.mark.parametrize("arguments", [["epsilon"], ["delta"], ["calibrate", "clients"]])
def test_help_teaches_by_example_and_tells_of_dropouts(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["check-in", *arguments, "--help"])
    assert stop.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "shufflekit check-in epsilon --eps0 1 --slots 1e4 --clients 1e4" in text
    assert "A client who stays away by a coin of her own" not in text.partition("dropouts:")[0]
    assert "a client who stays away by a coin of her own is one of a smaller participation" in text
    assert "whose staying away depends on her data is not protected" in text
    assert "not against the server" in text


GOOD = ["--eps0", "1", "--slots", "100", "--delta", "1e-6"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required"),
        (["epsilon", "--eps0", "1", "--delta", "1e-6"], "one of the arguments --slots --window is required"),
        (["epsilon", *GOOD, "--window", "5"], "--window: not allowed with argument --slots"),
        (["epsilon", *GOOD, "--n", "5"], "unrecognized arguments: --n 5"),
        (["epsilon", *GOOD, "--part", "0.5"], "unrecognized arguments: --part 0.5"),
        (["epsilon", *GOOD, "--eps0", "-1"], "eps0 must be positive and at most 300, got -1.0"),
        (
            ["epsilon", *GOOD, "--slots", "0"],
            "slots must be a whole number of at least 1 and at most 100,000,000, got 0",
        ),
        (["epsilon", *GOOD, "--slots", "10.5"], "must be a whole number, got '10.5'"),
        (["epsilon", *GOOD, "--slots", "1e9"], "slots must be a whole number of at least 1 and at most 100,000,000"),
        (["epsilon", *GOOD, "--clients", "-5"], "clients must be a whole number of at least 1"),
        (["epsilon", *GOOD, "--participation", "1.5"], "participation must be above 0 and at most 1, got 1.5"),
        (["epsilon", *GOOD, "--participation", "x"], "must be a number, got 'x'"),
        (["epsilon", *GOOD, "--empty", "hidden"], "empty must be one of 'dummy', 'skipped', got 'hidden'"),
        (["epsilon", *GOOD, "--empty", "skipped"], "clients must be given where empty slots are skipped"),
        (["epsilon", *GOOD, "--rounds", "0"], "rounds must be a whole number"),
        (["epsilon", *GOOD, "--delta", "-1e-6"], "delta must be strictly between 0 and 1, got -1e-06"),
        (["epsilon", "--eps0", "1", "--window", "5", "--delta", "1e-6"], "clients must be given with a window"),
        (
            ["epsilon", "--eps0", "1", "--window", "5", "--clients", "9", "--delta", "0.1", "--participation", "0.5"],
            "participation must be left out, or 1.0, with a window, got 0.5",
        ),
        (
            ["delta", "--eps0", "1", "--window", "5", "--clients", "9", "--eps", "0.1", "--empty", "skipped"],
            "empty must be left out, or dummy, with a window, got 'skipped'",
        ),
        (["delta", "--eps0", "1", "--slots", "5", "--eps", "-1"], "eps must be 0 or positive"),
        (["calibrate"], "required"),
        (["calibrate", "window"], "invalid choice"),
        (["calibrate", "most-slots", "--eps", "1", "--delta", "1e-6", "--eps0", "1"], "required: --clients"),
        (["calibrate", "clients", "--eps", "1", "--delta", "1e-6", "--eps0", "1"], "required: --slots"),
        (["calibrate", "eps0", "--eps", "0", "--delta", "1e-6", "--slots", "9"], "eps must be positive"),
        (["calibrate", "rounds", "--eps", "0.1", "--delta", "1e-6", "--eps0", "2", "--slots", "9"], "rounds = 1 has"),
    ],
)
def test_bad_input_is_one_line_in_words(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuses_in_one_line(["check-in", *arguments], words, capsys)
