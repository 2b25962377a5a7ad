"""A small fixed part of `make fuzz`, and the tool itself: what is wrong, wide, slow or no answer is reported so."""

import json
import math
import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path

import mpmath
import pytest

from shufflekit import DistributedCheckIn, GaussianShuffle, RandomAllocation, RandomCheckIn, Shuffle, ShuffledCheckIn
from shufflekit.bracket import Bracket
from shufflekit.protocols import Run
from tools.fuzz import __main__ as command
from tools.fuzz import asking, gaussians, judging, report, settings, workers
from tools.fuzz.judging import judged
from tools.fuzz.references import references
from tools.fuzz.settings import Setting, draw_setting

# Settings that are small, so that references are affordable, and take half a second or less.
SEED = 0
NUMBERS = {
    "shuffle": [31, 149, 222, 811, 1052, 1088, 1739],
    "shuffle, clones": [76, 712, 915, 1450, 1577, 1599, 1847, 35],
    "shuffle, channel": [991],
    "shuffled check-in": [789, 814, 882, 1005],
    "shuffled check-in, clones": [180, 1444, 1518, 1565],
    "shuffled check-in, channel": [65, 1802],
    "random check-in, dummy": [112, 940],
    "random check-in, skipped": [136, 487, 673, 1167, 1612],
    "sliding check-in": [207, 1049, 1401, 162],
    "shuffled Gaussian": [38, 119, 749, 820, 958, 1470, 1560, 1815],
    "response views": [302, 307, 1722],
    "distributed, replace": [155, 943, 1595, 1597],
    "distributed, remove": [877, 947, 1710],
    "random allocation": [73, 239, 771, 828, 1406],
    "sum": [138, 872],
}


def setting(run: str, question: str = "guarantee", look: int = settings.ALL_LOOKS) -> Setting:
    return Setting("shuffle", "one round", question, run, 1e-6, 1.0, 2.5, look)


# The small fixed part.


@pytest.mark.parametrize("kind", NUMBERS)
def test_no_answer_is_wrong(kind: str) -> None:
    verdicts = [judged(draw_setting(SEED, number)) for number in NUMBERS[kind]]
    assert {one["kind"] for one in verdicts} == {kind}
    assert not [line for one in verdicts for line in one["wrong"]]
    assert not [one["error"] for one in verdicts if one["ends"] is None]
    assert any(one["references"] for one in verdicts)


def test_the_part_covers_what_it_should() -> None:
    """All protocols, sums of them, all questions."""
    drawn = [draw_setting(SEED, number) for numbers in NUMBERS.values() for number in numbers]
    assert len(drawn) >= 60
    assert {one.kind for one in drawn} == {*settings.KINDS, "sum"}
    assert {one.rounds for one in drawn} == settings.ROUNDS.keys()
    assert {one.question for one in drawn} == settings.QUESTIONS.keys()


# What is drawn.


def test_settings_follow_from_the_seed_and_are_all_sorts() -> None:
    drawn = [draw_setting(5, number) for number in range(400)]
    assert drawn == [draw_setting(5, number) for number in range(400)]
    assert drawn != [draw_setting(6, number) for number in range(400)]
    assert {one.kind for one in drawn} == {*settings.KINDS, "sum"}
    for shares in (settings.ROUNDS, settings.QUESTIONS, {name: one.share for name, one in settings.KINDS.items()}):
        assert math.isclose(sum(shares.values()), 1)
    words = "\n".join(settings.described())
    assert all(name in words for name in settings.KINDS)


@pytest.mark.parametrize("kind", settings.KINDS)
def test_what_is_drawn_is_a_protocol(kind: str) -> None:
    texts = {one.run for one in (draw_setting(9, number) for number in range(600)) if one.kind == kind}
    small = [text for text in sorted(texts, key=len) if "randomizer" not in text][:4] or sorted(texts, key=len)[:1]
    for text in small:
        assert Run(asking.run_of(setting(text)).parts).parts


# What is found.


class Halved(Shuffle):
    """Says that half of what is needed is enough, and that half more than what is reached is."""

    def guarantee(self, delta, *, rtol=1e-4):
        return Bracket(*(0.5 * end for end in super().guarantee(delta, rtol=rtol)))

    def attack_epsilon(self, delta, *, rtol=1e-4):
        return Bracket(*(1.5 * end for end in super().attack_epsilon(delta, rtol=rtol)))

    def rdp(self, order):
        return 0.5 * super().rdp(order)


class Off(Shuffle):
    """Does what it is told to do when it is asked for its guarantee."""

    behave: Callable[[], Bracket]

    def guarantee(self, delta, *, rtol=1e-4):
        return type(self).behave()


def asked_of(monkeypatch: pytest.MonkeyPatch, behave: Callable[[], Bracket]) -> judging.Verdict:
    monkeypatch.setattr(Off, "behave", staticmethod(behave), raising=False)
    monkeypatch.setitem(settings.NAMES, "Off", Off)
    return judged(setting("Off(1.0, 10)"))


@pytest.mark.parametrize("reduction", ["corners", "clones"])
@pytest.mark.parametrize("question", ["guarantee", "attack_epsilon", "rdp"])
def test_a_wrong_answer_is_found(monkeypatch, question, reduction):
    monkeypatch.setitem(settings.NAMES, "Halved", Halved)
    assert not judged(setting(f"Shuffle(1.0, 4, reduction={reduction!r})", question))["wrong"]
    one = judged(setting(f"Halved(1.0, 4, reduction={reduction!r})", question))
    assert one["wrong"]
    assert any(line.startswith("3: wrong: ") for line in report.lines(3, one))
    assert "1 wrong" in " ".join(report.broken([one | {"age": 1}]))


@pytest.mark.parametrize("look", range(judging.LOOKS))
@pytest.mark.parametrize("question", ["guarantee", "delta"])
def test_second_questions_fit_what_is_right_and_not_what_is_not(monkeypatch, question, look):
    """The answers of a run and a like one are not far apart, and one of them is off."""
    part = setting("Shuffle(1.0, 10, reduction='clones') * 3", question, look)._replace(share=0.7)
    eps = asking.eps_of(part)
    answer = asking.ask(asking.text_of(part, eps))
    ends = answer.ends
    assert not list(judging._second(part, eps, answer, {"guarantee": Bracket(*ends)}))
    far = 3.0 if question == "guarantee" else 1e5
    factor = far if (question, look) in {("guarantee", 0), ("guarantee", 1), ("delta", 0)} else 1 / far
    off = Bracket(*(factor * end for end in ends))
    assert list(judging._second(part, eps, answer, {"guarantee": off}))


@pytest.mark.parametrize(
    ("text", "off", "found"),
    [
        ("Shuffle(1.0, 10, reduction='clones') * 3", 5e-7, True),
        ("Shuffle(1.0, 10) * 3", 5e-5, False),
        ("Shuffle(1.0, 10) * 3", 5e-4, True),
        ("Shuffle(n=10, randomizer=RandomizedResponse(2, eps0=1.0)) * 3", 5e-4, False),
        ("Shuffle(n=10, randomizer=RandomizedResponse(2, eps0=1.0)) * 3", 5e-3, True),
    ],
)
def test_two_guarantees_of_a_game_may_differ_a_little(text, off, found):
    """It is played from above, for each question anew: next to the other's eps by 1e-4, a channel's by 1e-3."""
    part = setting(text, "guarantee", 2)._replace(share=0.7)
    answer = asking.ask(asking.text_of(part, 0.0))
    less = Bracket(*(end * (1 - off) for end in answer.ends))
    assert bool(list(judging._second(part, 0.0, answer, {"guarantee": less}))) == found


@pytest.mark.parametrize("ends", [(math.nan, math.nan), (-0.1, 0.2), (0.3, 0.2)])
def test_what_no_answer_may_be_is_found(monkeypatch, ends):
    assert "are no ends" in " ".join(asked_of(monkeypatch, lambda: Bracket(*ends))["wrong"])


def test_a_wide_answer_is_found_with_or_without_its_warning(monkeypatch):
    right = Shuffle(1.0, 10).guarantee(1e-6)
    wide = Bracket(0.99 * right.lower, right.upper)
    one = asked_of(monkeypatch, lambda: wide) | {"age": 1}
    assert not one["wrong"]
    assert report.silent(one)
    assert one["width"] == pytest.approx(0.01, rel=0.01)
    assert "1 wide without a warning" in list(report.broken([one]))

    class WideAnswer(UserWarning):
        pass

    def warns() -> Bracket:
        warnings.warn("0.01 wide", WideAnswer, stacklevel=2)
        return wide

    said = asked_of(monkeypatch, warns) | {"age": 1}
    assert report.wide(said)
    assert not report.silent(said)
    assert list(report.broken([said])) == ["100.0% wide, at most 1% may be"]


def test_a_slow_answer_is_found_and_not_waited_for(monkeypatch):
    def never() -> Bracket:
        while True:
            pass

    monkeypatch.setattr(asking, "PATIENCE", 0.2)
    one = asked_of(monkeypatch, never) | {"age": 1}
    assert one["ends"] is None
    assert report.slow(one)
    assert any(line.startswith("0: slow: ") for line in report.lines(0, one))
    assert "1 above 10 s" in list(report.broken([one]))


def test_an_exception_and_memory_are_found(monkeypatch):
    def fails() -> Bracket:
        raise ArithmeticError("lower is not below upper")

    one = asked_of(monkeypatch, fails) | {"age": 1}
    assert "0: none: ArithmeticError: lower is not below upper" in next(report.lines(0, one))
    assert "1 exceptions" in list(report.broken([one]))
    kept = list[bytearray]()

    def hoards() -> Bracket:
        kept.append(bytearray(os.urandom(1)) * (80 << 20))
        return Shuffle(1.0, 10).guarantee(1e-6)

    one = asked_of(monkeypatch, hoards)
    assert 75 < one["kept"] < 120
    assert 75 < one["megabytes"] < 120
    assert any("keeps: " in line for line in report.lines(0, one))


# References.


@pytest.mark.parametrize(
    "protocol",
    [GaussianShuffle(0.8, 1), GaussianShuffle(0.8, 2), RandomAllocation(1.5, 50), DistributedCheckIn(0.7, 30, 0.2)],
    ids=repr,
)
def test_gaussian_references_agree_with_the_kit(protocol):
    for of, delta in gaussians.deltas([(protocol, 1)]):
        for eps in (0.1, 0.7):
            known, found = delta(eps), protocol.delta(eps)
            assert known.lower <= found.upper * (1 + 1e-9), of
            assert of == "reached" or known.upper >= found.lower * (1 - 1e-9)
            assert known.lower > 0


@pytest.mark.parametrize(
    "protocol",
    [
        Shuffle(1.0, 3),
        ShuffledCheckIn(1.0, 3, 0.5),
        RandomCheckIn(1.0, 2, 3),
        RandomCheckIn(1.0, 2, 2, empty="skipped"),
    ],
    ids=repr,
)
def test_enumeration_reaches_a_good_part_of_the_guarantee(protocol):
    reached = [one.prepare()(0.1).lower for one in references(protocol, 1e-3) if one.of == "reached"]
    assert len(reached) == 1
    assert 0.5 * protocol.delta(0.1).upper < reached[0] <= protocol.delta(0.1).upper


# The command.


def test_an_interrupted_run_goes_on(monkeypatch, tmp_path, capsys):
    texts = ["Shuffle(1.0, 4)", "Shuffle(1.0, 4) * 2", "Deadly(1.0, 4)"]

    class Deadly(Shuffle):
        def guarantee(self, delta, *, rtol=1e-4):
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setitem(settings.NAMES, "Deadly", Deadly)
    monkeypatch.setattr(workers, "draw_setting", lambda seed, number: setting(texts[number]))
    monkeypatch.setattr(workers, "WARM_UP", ())
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    path = tmp_path / "seed-3.jsonl"

    def run(count: int) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["fuzz", "--count", str(count), "--seed", "3", "--jobs", "1"])
        return command.main(), capsys.readouterr().out

    code, said = run(2)
    assert code == 0
    assert "every promise kept" in said
    first = path.read_text()
    path.write_text(first + '{"number": 2, "cut sh')
    code, said = run(3)
    assert code == 1
    assert "2: none: the process died" in said
    assert "1 exceptions" in said
    assert path.read_text().startswith(first)
    assert sorted(command.known(path)) == [0, 1, 2]


def test_one_setting_is_asked_again(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "draw_setting", lambda seed, number: setting(f"Shuffle(1.0, {number})"))
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["fuzz", "--seed", "3", "--number", "5"])
    assert command.main() == 0
    assert json.loads(capsys.readouterr().out)["asked"] == "(Shuffle(1.0, 5)).guarantee(1e-06)"
    assert not list(Path(tmp_path).iterdir())


@pytest.mark.parametrize("option", [["--count", "0"], ["--jobs", "0"], ["--seed", "-1"], ["--number", "-1"]])
def test_bad_options_are_refused(monkeypatch, option, capsys):
    monkeypatch.setattr("sys.argv", ["fuzz", *option])
    with pytest.raises(SystemExit):
        command.main()
    assert "must be at least 1" in capsys.readouterr().err


def test_the_largest_of_all_numbers_far_out() -> None:
    """Its chance is below 1e-45 without the changed record: 40 digits were not enough to take it from 1."""
    assert 6e-36 < gaussians._of_largest(0.3546, 39_590, 28.0).lower + 1e-35 < 1.2e-35


def test_a_direct_sum_close_to_the_largest_loss() -> None:
    """Five reports of three million clients, at an eps of 4e-7: P - e^eps Q is 1e-14 of its terms there."""
    E = mpmath.exp(mpmath.mpf(0.2576))
    largest = float(mpmath.log1p(5 * (E - 1) / 3_211_500))
    (summed,) = (
        one.prepare()
        for one in references(Shuffle(0.2576, 5, population=3_211_500, reduction="clones"), 1e-29)
        if one.name == "direct sum"
    )
    assert summed(largest * (1 + 1e-15)).upper == 0
    assert 1e-24 < summed(largest * (1 - 1e-15)).lower < 1e-20
