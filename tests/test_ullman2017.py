import math

import mpmath as mp
import pytest

from shufflekit.papers import ullman2017


@pytest.mark.parametrize("eps", [0.0, 1e-9, 1e-3, 1.0, 10.0, 699.0, 701.0, 5000.0])
@pytest.mark.parametrize("gamma", [1e-290, 1e-9, 1e-3, 0.5, 1.0])
def test_subsample(eps, gamma):
    found, delta = ullman2017.subsample(eps, 0.25, gamma)
    with mp.workdps(50):
        exact = mp.log1p(mp.mpf(gamma) * mp.expm1(mp.mpf(eps)))
        assert abs(found - exact) <= 1e-12 * exact
    assert delta == 0.25 * gamma


def test_everyone_sampled_changes_nothing():
    eps, delta = ullman2017.subsample(0.7, 1e-5, 1.0)
    assert eps == pytest.approx(0.7, rel=1e-15)
    assert delta == 1e-5


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1])
def test_eps_and_delta_out_of_range(value):
    with pytest.raises(ValueError, match="eps must be"):
        ullman2017.subsample(value, 0.1, 0.1)
    with pytest.raises(ValueError, match="delta must be"):
        ullman2017.subsample(0.1, value, 0.1)


def test_delta_above_one():
    with pytest.raises(ValueError, match=r"delta must be at least 0 and at most 1, got 1\.5"):
        ullman2017.subsample(0.1, 1.5, 0.1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 0.0, 1.1])
def test_gamma_out_of_range(value):
    with pytest.raises(ValueError, match="gamma must be above 0 and at most 1"):
        ullman2017.subsample(0.1, 0.1, value)


@pytest.mark.parametrize("value", ["1", None, True, [0.1]])
def test_wrong_type(value):
    for arguments in ((value, 0.1, 0.1), (0.1, value, 0.1), (0.1, 0.1, value)):
        with pytest.raises(TypeError, match="must be"):
            ullman2017.subsample(*arguments)
