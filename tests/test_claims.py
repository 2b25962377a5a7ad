"""The two calls that settle a claim: each must be able to fail, and to say why."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from shufflekit import claims, equivalence
from shufflekit.claims import Claim, VerdictError, refute, verify

LOAD = claims.load  # which the tests of verdicts replace
LEDGER = [
    Claim("x:tight", "a <b>", "a <= b", "00_a", "holds", finding="equal | nearly", decided="fractions"),
    Claim("x:loose", "loose", "a <= b", "00_a", "holds, loose"),
    Claim("x:typo", "a typo", "a <= b", "01_b", "typo", corrected="b <= a"),
    Claim("x:false", "wrong", "a <= b", "01_b", "false", corrected="b <= a"),
    Claim("y:cited", "cited", "a <= b", "01_b", "cited"),
    Claim("y:runs", "an accuracy", "90 %", "01_b", equivalence.CANNOT_TELL),
]


@pytest.fixture(autouse=True)
def ledger(monkeypatch):
    monkeypatch.setattr(claims, "load", lambda: {claim.id: claim for claim in LEDGER})


def test_tight_somewhere_holds():
    settled = verify("x:tight", lhs=[1, 5], rhs=[10, Fraction(55, 10)], over={"m": [7, 8]})
    assert settled.verdict == "holds"
    assert dict(settled.findings) == {
        "checked": "2 points, <= at each",
        "closest": "90.91 % of the bound at m = 8",
        "loosest": "10 % of the bound at m = 7",
    }


def test_loose_everywhere_is_another_verdict():
    assert verify("x:loose", lhs=[1, 8], rhs=10).verdict == "holds, loose"
    with pytest.raises(VerdictError, match=r"x:loose: the numbers say 'holds' .*, the ledger 'holds, loose'"):
        verify("x:loose", lhs=[1, 9], rhs=10)
    with pytest.raises(VerdictError, match=r"x:tight: the numbers say 'holds, loose' .*, the ledger 'holds'"):
        verify("x:tight", lhs=[1, 8], rhs=10)


@pytest.mark.parametrize("claim", [claim.id for claim in LEDGER])
def test_one_violation_is_enough(claim):
    with pytest.raises(VerdictError, match=f"{claim}: 1.1 <= 1 fails at k = 5, name = RR"):
        verify(claim, lhs=[1, 1, 1.1], rhs=1, over={"k": [3, 4, 5], "name": ["a", "b", "RR"]})


def test_sides_of_zero_say_nothing_about_tightness():
    assert verify("x:loose", lhs=[0, 0, 1], rhs=[0, 3, 4]).verdict == "holds, loose"
    assert verify("x:loose", lhs=[0], rhs=[0]).verdict == "holds, loose"


def test_degenerate_points_do_not_decide_what_is_loose():
    sides = {"lhs": [1, 4, 8], "rhs": [1, 10, 10], "over": {"n": [1, 2, 3]}}
    assert verify("x:tight", **sides).verdict == "holds"
    settled = verify("x:loose", **sides, decides=[False, True, True])
    assert dict(settled.findings) == {
        "checked": "3 points, <= at each",
        "decided by": "2 points that are not degenerate",
        "closest": "80 % of the bound at n = 3",
        "loosest": "40 % of the bound at n = 2",
    }
    with pytest.raises(VerdictError, match="2 <= 1 fails"):
        verify("x:loose", lhs=[2, 1], rhs=[1, 2], decides=[False, True])  # they are checked all the same


def test_runs_are_compared_with_what_is_printed():
    far = equivalence.Difference(0.1, 0.09, 0.11, 0.02, 4)
    unclear = equivalence.Difference(0.0, -0.05, 0.05, 0.02, 4)
    settled = claims.compare_runs("y:runs", {"after 50 epochs": unclear})
    assert settled.verdict == "cannot be told"
    assert dict(settled.findings) == {"after 50 epochs": str(unclear)}
    with pytest.raises(VerdictError, match="y:runs: the runs say 'not within margin'"):
        claims.compare_runs("y:runs", {"after 50 epochs": unclear, "in the end": far})
    with pytest.raises(VerdictError, match=r"x:tight: the runs say 'cannot be told' .*, the ledger 'holds'"):
        claims.compare_runs("x:tight", {"in the end": unclear})
    with pytest.raises(ValueError, match="differences must hold at least one"):
        claims.compare_runs("y:runs", {})


def test_negative_sides():
    assert verify("x:loose", lhs=[-4, -1], rhs=[-1, 1]).verdict == "holds, loose"
    assert verify("x:tight", lhs=[-1.01], rhs=[-1]).verdict == "holds"


def test_round_off_is_forgiven_to_floats_only():
    assert verify("x:tight", lhs=1 + 1e-12, rhs=1.0).verdict == "holds"
    with pytest.raises(VerdictError):
        verify("x:tight", lhs=1 + 1e-9, rhs=1.0)
    with pytest.raises(VerdictError):
        verify("x:tight", lhs=1 + Fraction(1, 10**30), rhs=1)
    for relation in ("<=", "=="):
        with pytest.raises(VerdictError):
            verify("x:tight", lhs=Fraction(1, 3) + Fraction(1, 10**30), rhs=Fraction(1, 3), relation=relation)
    assert verify("x:tight", lhs=0.1 + 0.2, rhs=Fraction(3, 10), relation="==").verdict == "holds"
    assert verify("x:tight", lhs=Fraction(1, 3), rhs=mp.mpf(1) / 3, relation="==").verdict == "holds"


def test_equalities():
    settled = verify("x:tight", lhs=np.array([[1, 2], [3, 4]]), rhs=[1, 2, 3, 4], relation="==")
    assert dict(settled.findings) == {"checked": "4 points, == at each"}
    with pytest.raises(VerdictError, match="x:tight: 1 == 2 fails"):
        verify("x:tight", lhs=[1], rhs=[2], relation="==")


def test_scalars_in_arrays_of_no_dimension():
    assert verify("x:tight", lhs=[np.array(1.0), np.float64(1)], rhs=np.array(1.0)).verdict == "holds"


def test_the_callers_numbers_are_left_alone():
    side = np.array([np.array(1.0), 2], dtype=object)
    verify("x:tight", lhs=side, rhs=2)
    assert isinstance(side[0], np.ndarray)


@pytest.mark.parametrize("relation", ["<=", "=="])
@pytest.mark.parametrize("bound", [math.inf, -math.inf, math.nan, mp.inf])
def test_a_check_that_cannot_fail_is_none(relation, bound):
    for call in (verify, lambda *a, **k: refute(*a, at={}, **k)):
        with pytest.raises(ValueError, match="rhs must hold finite numbers, got"):
            call("x:false", lhs=1, rhs=bound, relation=relation)
    for value in (math.nan, -math.inf):
        with pytest.raises(ValueError, match="lhs must hold finite numbers, got"):
            verify("x:tight", lhs=value, rhs=1, relation=relation)
        with pytest.raises(ValueError, match="lhs must hold finite numbers, got"):
            refute("x:false", lhs=value, rhs=1, at={}, relation=relation)


def test_an_infinite_left_side_is_a_violation():
    for relation in ("<=", "=="):
        with pytest.raises(VerdictError, match=f"inf {relation} 1 fails"):
            verify("x:tight", lhs=[math.inf], rhs=1, relation=relation)
        assert refute("x:false", lhs=math.inf, rhs=1.0, at={}, relation=relation).verdict == "false"


@pytest.mark.parametrize(("claim", "verdict"), [("x:typo", "typo"), ("x:false", "false")])
def test_refuted_and_corrected(claim, verdict):
    refuted = refute(claim, lhs=2, rhs=1, at={"eps0": 1.5, "E": Fraction(7), "data": (0, 1)})
    assert refuted.verdict == verdict
    assert dict(refuted.findings) == {"as printed": "2 <= 1 fails at eps0 = 1.5, E = 7, data = (0, 1)"}
    corrected = verify(claim, lhs=1, rhs=2, corrected=True)
    assert corrected.verdict == "holds, loose"
    assert corrected.findings[0] == ("corrected", "b <= a")


def test_a_counterexample_must_be_one():
    with pytest.raises(VerdictError, match="x:false: 1 <= 1 holds at k = 2: no counterexample"):
        refute("x:false", lhs=1, rhs=1, at={"k": 2})
    with pytest.raises(VerdictError, match="no counterexample"):
        refute("x:false", lhs=1 + 1e-12, rhs=1.0, at={"k": 2})
    with pytest.raises(VerdictError, match="x:tight: refuted at k = 2, but the ledger says 'holds'"):
        refute("x:tight", lhs=2, rhs=1, at={"k": 2})


def test_only_what_is_wrong_is_corrected():
    with pytest.raises(VerdictError, match="x:tight: the ledger has no corrected statement to verify"):
        verify("x:tight", lhs=1, rhs=1, corrected=True)
    with pytest.raises(VerdictError, match=r"the numbers say 'holds' .*the ledger 'false'"):
        verify("x:false", lhs=1, rhs=1)


def test_what_is_cited_is_checked_by_example():
    assert verify("y:cited", lhs=1, rhs=100).verdict == "cited"
    with pytest.raises(VerdictError):
        verify("y:cited", lhs=100, rhs=1)


def test_the_row_a_reader_sees():
    settled = verify("x:tight", lhs=1, rhs=1)
    assert repr(settled).splitlines()[0] == "x:tight -- a <b>: holds"
    assert "  closest: 100 % of the bound" in repr(settled)
    shown = settled._repr_html_()
    assert "a &lt;b&gt;" in shown
    assert "&lt;= at each" in shown
    assert claims.COLOURS["holds"] in shown


def test_table():
    lines = claims.table().splitlines()
    assert lines[2] == "| `x:tight` | a <b> | **holds** | equal \\| nearly | fractions | [00](notebooks/00_a.ipynb) |"
    assert len(lines) == 2 + len(LEDGER)
    assert claims.table("y").splitlines()[2:] == lines[-2:]
    with pytest.raises(ValueError, match="paper must be one of x, y, got 'z'"):
        claims.table("z")


@pytest.mark.parametrize("call", [lambda i: verify(i, 1, 1), lambda i: refute(i, 2, 1, at={})])
def test_unknown_claim(call):
    with pytest.raises(ValueError, match=r"claim_id must be an id of data/claims\.toml, got 'x:none'"):
        call("x:none")


def test_labels_must_fit_the_points():
    with pytest.raises(ValueError, match=r"over\['m'\] must hold one value a point, 2 in all, got 3"):
        verify("x:tight", lhs=[1, 1], rhs=1, over={"m": [1, 2, 3]})


@pytest.mark.parametrize("value", ["3", None, True, 1j, ["a"], [None]])
def test_sides_of_the_wrong_type(value):
    with pytest.raises(TypeError, match="lhs must hold real numbers, got"):
        verify("x:tight", lhs=value, rhs=1)
    with pytest.raises(TypeError, match="rhs must hold real numbers, got"):
        verify("x:tight", lhs=1, rhs=value)
    with pytest.raises(TypeError, match="rhs must hold real numbers, got"):
        refute("x:false", lhs=1, rhs=value, at={})


def test_empty_and_misnamed():
    with pytest.raises(ValueError, match="lhs must hold at least one number, got none"):
        verify("x:tight", lhs=[], rhs=1)
    with pytest.raises(ValueError, match="relation must be one of '<=', '==', got '<'"):
        verify("x:tight", lhs=1, rhs=1, relation="<")
    with pytest.raises(ValueError, match="relation must be one of"):
        refute("x:false", lhs=1, rhs=1, at={}, relation=">")


# The file.


ENTRY = "[[claim]]\nid = 'x:1'\ntitle = 'a'\nstatement = 'b'\nnotebook = '00_a'\nverdict = 'holds'\n"


def loaded(content, tmp_path, monkeypatch, folder="data"):
    monkeypatch.setattr(claims, "__file__", str(tmp_path / "shufflekit" / "claims.py"))
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    if content is not None:
        (tmp_path / folder / "claims.toml").write_bytes(content.encode("latin-1"))
    return LOAD()


def test_a_ledger_lies_beside_the_package_or_inside_it(tmp_path, monkeypatch):
    assert loaded(ENTRY, tmp_path, monkeypatch) == {"x:1": Claim("x:1", "a", "b", "00_a", "holds")}
    whole = ENTRY.replace("x:1", "x:2") + "finding = 'c'\ncorrected = 'd'\ndecided = 'e'\n"
    inside = loaded(whole, tmp_path, monkeypatch, "shufflekit/data")
    assert inside == {"x:2": Claim("x:2", "a", "b", "00_a", "holds", "c", "d", "e")}


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (None, OSError, "cannot read the ledger .*claims.toml: No such file or directory; restore the file"),
        ("[[claim", ValueError, "the ledger .*claims.toml must be TOML: .*; restore the file"),
        ("\xff\xfe", ValueError, "must be TOML"),
        ("", ValueError, r"must hold entries \[\[claim\]\] with the texts id, title, .*, got None; restore the file"),
        ("claim = []", ValueError, r"must hold entries \[\[claim\]\]"),
        ("claim = 3", ValueError, r"must hold entries \[\[claim\]\]"),
        ("claim = ['x:1']", ValueError, r"must hold entries \[\[claim\]\]"),
        (ENTRY.replace("title = 'a'\n", ""), ValueError, r"must hold entries \[\[claim\]\]"),
        (ENTRY + "more = 'a'\n", ValueError, r"must hold entries \[\[claim\]\]"),
        (ENTRY.replace("'a'", "3"), ValueError, r"must hold entries \[\[claim\]\]"),
        (ENTRY + ENTRY.replace("'a'", "3"), ValueError, r"must hold entries \[\[claim\]\]"),
        (ENTRY.replace("'holds'", "'perhaps'"), ValueError, r"verdict of x:1 must be one of .*, got 'perhaps'"),
        (ENTRY + ENTRY, ValueError, "two entries of data/claims.toml share an id"),
    ],
)
def test_a_ledger_that_is_none_is_told_in_words(content, kind, words, tmp_path, monkeypatch):
    with pytest.raises(kind, match=words):
        loaded(content, tmp_path, monkeypatch)
