"""The fast path against the judge at 400 random settings; tools/certify_many.py has the same at 10,000 and beyond."""

import numpy as np
import pytest

from shufflekit import Shuffle
from shufflekit.bracket import Bracket, Ends
from tools import certify_many

SEED, COUNT, MOST_CLIENTS = 2023, 400, 30_000
SETTINGS = [certify_many.draw(SEED, number, MOST_CLIENTS) for number in range(COUNT)]


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize("what", certify_many.SUBJECTS)
def test_ends_hold_the_truth(what):
    mine = [(number, setting) for number, setting in enumerate(SETTINGS) if setting.what == what]
    findings = {number: certify_many.check(setting) for number, setting in mine}
    assert findings
    assert not {number: finding.wrong for number, finding in findings.items() if finding.wrong}
    assert not {number: finding.wide for number, finding in findings.items() if finding.wide}


def test_settings_cover_what_they_should():
    """All subjects, few and many clients, sampled and not, and delta from 1/2 down to 1e-50 or less."""
    assert len(set(SETTINGS)) == COUNT
    assert {setting.what for setting in SETTINGS} == certify_many.SUBJECTS.keys()
    for name, least, most in (("eps0", 0.02, 10), ("n", 3, 20_000), ("population", 3, 10**8)):
        values = [getattr(setting, name) for setting in SETTINGS]
        assert min(values) <= least
        assert max(values) >= most
    truths = [certify_many.judged(setting, setting.eps).upper for setting in SETTINGS]
    exponents = np.floor(np.log10(np.maximum(truths, 1e-300)) / 10)
    assert max(truths) > 0.5
    assert set(range(-6, 0)) <= set(exponents.astype(int).tolist())


def test_settings_are_the_same_on_every_run():
    assert certify_many.draw(SEED, 7, MOST_CLIENTS) == SETTINGS[7] != certify_many.draw(SEED + 1, 7, MOST_CLIENTS)


@pytest.mark.parametrize(("low", "high", "words"), [(1.001, 1.002, "lower end"), (0.998, 0.999, "upper end")])
def test_a_wrong_end_is_found(monkeypatch, capsys, low, high, words):
    """A pair, and a front door, that are off by a thousandth; the command says so, and fails."""
    setting = certify_many.Setting("clones", 1.0, 1000, 1000, 1.0, 2, 0.1)

    class Off(Shuffle):
        largest_loss = 1.0
        pair = property(lambda self: self)

        def delta(self, eps):
            truth = certify_many.judged(setting, float(np.max(eps)))
            ends = low * truth.lower, high * truth.upper
            return Bracket(*ends) if isinstance(eps, float) else Ends(*map(np.atleast_1d, ends))

        def guarantee(self, delta):
            return Bracket(low * setting.eps, high * setting.eps)

    off = certify_many.Subject(1.0, lambda s: Off(s.eps0, s.n, s.population, reduction="clones"))
    monkeypatch.setattr(certify_many, "SUBJECTS", {"clones": off})
    monkeypatch.setattr(certify_many, "_of_pair", lambda pair, ask: pair.delta(setting.eps))
    monkeypatch.setattr("sys.argv", ["certify_many.py", "--count", "3", "--seed", "1"])
    wrong = certify_many.check(setting).wrong
    for name in ("pair.delta", "delta", "epsilon"):
        assert any(line.startswith(name) and (words in line or "no ends" in line) for line in wrong)
    assert certify_many.main() == 1
    assert "3 settings of seed 1" in capsys.readouterr().out


def test_wide_and_impossible_answers_are_found():
    assert list(certify_many._wide("delta", Bracket(0.9998, 1.0)))
    assert not list(certify_many._wide("delta", Bracket(0.99995, 1.0)))
    for ends in ((0.2, 0.1), (-0.1, 0.1), (0.1, 1.1), (float("nan"), 0.1), (0.0, float("nan"))):
        assert list(certify_many._wrong_ends("delta", Bracket(*ends), Bracket(0.1, 0.1)))
    assert not list(certify_many._wrong_ends("delta", Bracket(0.1, 0.1), Bracket(0.1, 0.1)))
