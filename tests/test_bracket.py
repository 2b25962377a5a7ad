import math
import pickle

import numpy as np
import pytest

from shufflekit import RandomizedResponseShuffle, Shuffle
from shufflekit.bracket import Bracket, Reached, WideAnswer, between, bracket, said


def test_a_bracket_is_its_ends():
    pair = bracket(0.25, 0.5)
    assert pair == (0.25, 0.5)
    assert (pair.lower, pair.upper) == (0.25, 0.5)
    assert repr(pair) == "Bracket(lower=0.25, upper=0.5)"


def test_float_is_the_guarantee():
    assert float(bracket(0, 1)) == 1.0
    assert type(float(bracket(np.float64(0), np.float64(1)))) is float


@pytest.mark.parametrize(
    ("lower", "upper", "width"),
    [(0, 0, 0), (1, 1, 0), (0.75, 1, 0.25), (0, 2, 1), (1, math.inf, math.inf), (math.inf, math.inf, 0)],
)
def test_width_is_relative(lower, upper, width):
    assert bracket(lower, upper).width == width


@pytest.mark.parametrize(("lower", "upper"), [(2, 1), (math.nan, 1), (0, math.nan), (math.inf, 1)])
def test_ends_in_the_wrong_order_are_a_bug(lower, upper):
    with pytest.raises(ArithmeticError, match=r"lower = .* upper = .*: a bug, please report it"):
        bracket(lower, upper)


@pytest.mark.parametrize("value", ["3", None, True, 1j, [1.0]])
def test_ends_of_the_wrong_type(value):
    with pytest.raises(TypeError, match="lower must be a number"):
        bracket(value, 1.0)
    with pytest.raises(TypeError, match="upper must be a number"):
        bracket(0.0, value)


def test_is_a_plain_tuple():
    assert issubclass(Bracket, tuple)


def test_what_is_reached_has_a_name():
    found = Reached(0.25, 0.5, "binary")
    assert found == Bracket(0.25, 0.5) == (0.25, 0.5)
    assert (float(found), found.width, found.name) == (0.5, 0.5, "binary")
    assert repr(found) == "Reached(lower=0.25, upper=0.5, name='binary')"
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.name, eval(repr(found)).name) == (found, "binary", "binary")


def test_between_what_is_reached_and_what_is_guaranteed():
    assert between(Reached(0.25, 0.26, "an attack"), Bracket(0.4, 0.5)) == (0.25, 0.5)
    assert between(Reached(math.inf, math.inf, "an attack"), Bracket(math.inf, math.inf)) == (math.inf, math.inf)


def test_an_attack_above_the_guarantee_is_a_bug_unless_it_is_round_off():
    assert between(Reached(0.5 * (1 + 1e-12), 0.6, "an attack"), Bracket(0.4, 0.5)) == (0.5, 0.5)
    with pytest.raises(ArithmeticError, match="a bug, please report it"):
        between(Reached(0.5 * (1 + 1e-8), 0.6, "an attack"), Bracket(0.4, 0.5))


@pytest.mark.parametrize(
    "ends", [Bracket(0.5, 0.50005), Bracket(0.0, 1e-61), Bracket(0.0, 0.0), Bracket(math.inf, math.inf)]
)
def test_nothing_is_said_of_an_answer_that_is_near_enough(ends):
    assert said(ends, 1e-4, 1e-60) is ends  # a warning would be an error


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (Bracket(0.5, 0.6), r"the guarantee is in .*upper=0\.6.*: the ends are 0\.2 apart, .* rtol = 0\.0001"),
        (Bracket(0.5, math.inf), r"the guarantee is in .*: no upper end could be had"),
        (Reached(0.0, 1e-59, "an attack"), r"what the attack reaches is in .*'an attack'\): the ends are 1 apart"),
    ],
)
def test_a_wide_answer_says_so(ends, words):
    with pytest.warns(WideAnswer, match=words):
        assert said(ends, 1e-4, 1e-60) is ends


def test_a_warning_points_at_the_line_that_asked():
    run = RandomizedResponseShuffle(3, 1.0, n=10) * 10**12
    for ask in (run.guarantee, run.epsilon, run.attack_epsilon):
        with pytest.warns(WideAnswer) as caught:
            ends = ask(1e-6)
        assert {one.filename for one in caught} == {__file__}
        assert ends.lower <= ends.upper < math.inf


def test_both_sides_are_spoken_of():
    with pytest.warns(WideAnswer) as caught:
        _ = (Shuffle(1.0, 10) * 10**12).epsilon(1e-6)
    assert [str(one.message).partition(" is in")[0] for one in caught] == ["what the attack reaches", "the guarantee"]
