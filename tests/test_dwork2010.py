import math

import mpmath as mp
import pytest

from shufflekit.papers import dwork2010


@pytest.mark.parametrize("eps", [1e-9, 1e-3, 1.0, 10.0])
@pytest.mark.parametrize("T", [1, 100, 10**6])
@pytest.mark.parametrize("slack", [1e-60, 1e-8, 0.5])
def test_advanced(eps, T, slack):
    with mp.workdps(50):
        e = mp.mpf(eps)
        exact = e * mp.sqrt(2 * T * mp.log(1 / mp.mpf(slack))) + T * e * mp.expm1(e)
        assert abs(dwork2010.advanced(eps, T, slack) / exact - 1) < 1e-12


def test_limits():
    assert dwork2010.advanced(0.0, 5, 0.1) == 0
    assert dwork2010.advanced(1000.0, 5, 0.1) == math.inf


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1])
def test_eps_out_of_range(value):
    with pytest.raises(ValueError, match="eps must be 0 or positive"):
        dwork2010.advanced(value, 5, 0.1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 0.0, 1.0])
def test_slack_out_of_range(value):
    with pytest.raises(ValueError, match="delta_slack must be strictly between 0 and 1"):
        dwork2010.advanced(0.1, 5, value)


@pytest.mark.parametrize("value", [0, -5])
def test_rounds_out_of_range(value):
    with pytest.raises(ValueError, match="T must be a whole number"):
        dwork2010.advanced(0.1, value, 0.1)


@pytest.mark.parametrize("value", ["1", None, True, [1]])
def test_wrong_type(value):
    for arguments in ((value, 5, 0.1), (0.1, value, 0.1), (0.1, 5, value)):
        with pytest.raises(TypeError, match="must be"):
            dwork2010.advanced(*arguments)
    with pytest.raises(TypeError, match="T must be a whole number"):
        dwork2010.advanced(0.1, 5.0, 0.1)
