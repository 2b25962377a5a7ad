import math
import pickle

import numpy as np
import pytest

from shufflekit.bracket import Bracket, Reached, between, bracket


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
    assert between(None, Bracket(0.4, 0.5)) == (0.4, 0.5)
    assert between(Reached(math.inf, math.inf, "an attack"), Bracket(math.inf, math.inf)) == (math.inf, math.inf)


def test_an_attack_above_the_guarantee_is_a_bug_unless_it_is_round_off():
    assert between(Reached(0.5 * (1 + 1e-12), 0.6, "an attack"), Bracket(0.4, 0.5)) == (0.5, 0.5)
    with pytest.raises(ArithmeticError, match="a bug, please report it"):
        between(Reached(0.5 * (1 + 1e-8), 0.6, "an attack"), Bracket(0.4, 0.5))
