"""Composed runs by two roads, at settings that take seconds; tools/certify_runs.py has the flagship, and 50 more."""

import math

import pytest

from shufflekit import Shuffle
from shufflekit.bracket import Bracket
from tools import certify_runs
from tools.certify_runs import Finding, Setting

SMALL = [
    Setting("clones", ((Shuffle(1.0, 20, 30, reduction="clones"), 30),), 1e-8),
    Setting("binary", ((Shuffle(1.0, 20, 30), 9), (Shuffle(0.5, 10), 1)), 1e-6),
    Setting("corners", ((Shuffle(1.0, 6, 50), 8),), 1e-6),
    Setting("corners", ((Shuffle(1.0, 4, 20), 5), (Shuffle(0.3, 8, 9), 3)), 1e-4),
]


@pytest.mark.parametrize("setting", SMALL, ids=lambda setting: setting.what)
def test_both_roads_agree(setting):
    findings = certify_runs.check(setting)
    assert len(findings) == 1 + (setting.what == "corners")
    for finding in findings:
        assert not finding.wrong
        assert finding.judged.upper < sum(own * protocol.eps0 for protocol, own in setting.parts)
    assert findings[0].judged.width < 1e-3
    assert findings[0].judged.lower > 0


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_kit_that_is_off_is_noticed(monkeypatch, capsys, factor):
    right = certify_runs.composed

    def off(parts, delta):
        return Bracket(*(factor * end for end in right(parts, delta)))

    monkeypatch.setattr(certify_runs, "composed", off)
    monkeypatch.setattr(certify_runs, "draw", lambda seed, number: SMALL[number])
    monkeypatch.setattr("sys.argv", ["certify_runs.py", "--count", "0"])
    assert certify_runs.main() == 1
    shown = capsys.readouterr().out
    assert "WRONG" in shown
    assert "1 pairs and attacks: 0 consistent" in shown


def test_what_is_wrong_and_what_is_open():
    ends = Bracket(1.0, 1.1)
    assert Finding("", ends, Bracket(1.05, 1.2)).verdict == "consistent"
    assert Finding("", ends, Bracket(1.1001, 1.2)).verdict == "WRONG"
    assert Finding("", ends, Bracket(0.9, 0.9999)).verdict == "WRONG"
    assert Finding("", ends, Bracket(0.0, 1.1), upper_only=True).verdict == "proved"
    assert Finding("", Bracket(0.0, 0.0), Bracket(0.0, 0.0), upper_only=True).verdict == "proved"
    assert Finding("", ends, Bracket(0.0, 1.21), upper_only=True).verdict == "proved but for 1.0e-01"
    assert Finding("", ends, Bracket(0.0, 0.99), upper_only=True).verdict == "WRONG"


def test_settings_follow_from_the_seed():
    drawn = [certify_runs.draw(0, number) for number in range(60)]
    assert drawn[0] == certify_runs.FLAGSHIP
    assert drawn == [certify_runs.draw(0, number) for number in range(60)]
    assert drawn[1:] != [certify_runs.draw(1, number) for number in range(1, 60)]
    assert {setting.what for setting in drawn} == certify_runs.KINDS.keys()
    assert {len(setting.parts) for setting in drawn} == {1, 2}
    assert math.isclose(sum(certify_runs.SHARES), 1)
