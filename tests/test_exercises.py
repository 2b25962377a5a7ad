"""Exercises: the hidden cases recomputed by another route, and what ``check`` says to all kinds of answers."""

import math

import numpy as np
import pytest

from shufflekit.exercises import EXERCISES, Case, Exercise, check
from shufflekit.exercises.checking import same
from tests.answers import ANSWERS, FALLEN


def said(capsys, number, answer):
    check(number, answer)
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= 88
    return " ".join(lines)


@pytest.mark.parametrize("number", ANSWERS)
def test_what_is_right(capsys, number):
    assert said(capsys, number, ANSWERS[number]) == f"{number}: Right."


@pytest.mark.parametrize("number", ANSWERS)
def test_the_right_values_are_exact_where_whole_numbers_and_fractions_are(number):
    for given, right in EXERCISES[number].cases:
        answer = ANSWERS[number](*given) if given else ANSWERS[number]
        assert right == (pytest.approx(answer, rel=1e-9) if isinstance(right, float) else answer)


@pytest.mark.parametrize("number", EXERCISES)
def test_every_exercise(capsys, number):
    exercise = EXERCISES[number]
    function = bool(exercise.cases[0].given)
    assert all(bool(case.given) == function for case in exercise.cases)
    assert all(not same(trap.wrong, exercise.cases[trap.case].right) for trap in exercise.traps)
    for stub in (None, ..., lambda *given: None, lambda *given: ...):
        if function or not callable(stub):
            assert said(capsys, number, stub) == f"{number}: Not answered yet."
    wrong = (lambda *given: math.pi) if function else math.pi
    assert said(capsys, number, wrong) == f"{number}: Not yet. Hint: {exercise.hint}"


@pytest.mark.parametrize(("number", "answer", "end"), FALLEN, ids=[f"{number} {end}" for number, _, end in FALLEN])
def test_who_falls_into_a_trap_is_told_so(capsys, number, answer, end):
    assert said(capsys, number, answer).endswith(end)


def test_every_trap_is_fallen_into():
    told = [(number, trap.hint) for number, exercise in EXERCISES.items() for trap in exercise.traps]
    assert len(told) == len(FALLEN)
    assert all(any(hint.endswith(end) for own, _, end in FALLEN if own == number) for number, hint in told)
    # A value that is one trap's, exactly.
    values = [(number, answer) for number, answer, _ in FALLEN if not callable(answer)]
    wrong = [(number, trap.wrong) for number, one in EXERCISES.items() if not one.cases[0].given for trap in one.traps]
    assert sorted(values) == sorted(wrong)


def test_answers_of_other_kinds(capsys):
    assert said(capsys, "14.2", 0.0040581) == "14.2: Right."
    assert said(capsys, "14.2", np.float64(71 / 17496)) == "14.2: Right."
    assert said(capsys, "14.2", "71/17496").startswith("14.2: Not yet. Hint")
    assert said(capsys, "14.2", lambda: 1) == "14.2: Not yet. The answer is a value."
    assert said(capsys, "14.1", 0.75) == "14.1: Not yet. The answer is a function."
    assert "Given (1, 1, 1) it raised ZeroDivisionError" in said(capsys, "14.1", lambda n, m, p0: 1 / (n - m))
    with pytest.raises(ValueError, match=r"number must be one of .*14\.1, .*got '99\.1'"):
        check("99.1", 0)


def test_lists_and_words():
    assert same([1.0001, "a"], (1, "a"))
    assert same(np.array([1, 2]), [1, 2])
    assert not same([1], [1, 2])
    assert not same(3, [1, 2])
    assert not same(True, 1)
    assert Exercise((Case((), 1),), "hint").traps == ()
