"""The atoms of binary randomized response against its exact sampled law."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import exact
from shufflekit.dominating_pairs import randomized_response
from shufflekit.randomizers import RandomizedResponse


@pytest.mark.parametrize(("ratio", "n", "population"), [(2, 1, 1), (3, 2, 5), (7, 4, 4), (Fraction(3, 2), 3, 6)])
def test_atoms_are_the_exact_law(ratio: Fraction | int, n: int, population: int) -> None:
    channel = RandomizedResponse(2, ratio=ratio)
    same = [channel.probs[0]] * population
    q = exact.sampled_law(same, n)
    p = exact.sampled_law([*same[1:], channel.probs[1]], n)
    atoms = randomized_response(math.log(ratio), n, population)
    # The law counts the first output, the atoms the second.
    assert np.exp(atoms.log_q) == pytest.approx(q[::-1].astype(float), rel=1e-12)
    assert atoms.loss == pytest.approx(
        [math.log(a / b) for a, b in zip(p[::-1], q[::-1], strict=True)], rel=1e-10, abs=1e-14
    )
    assert atoms.missing == 0


@given(st.floats(1e-3, 10), st.integers(1, 10**7), st.integers(0, 10**9))
def test_listed_atoms_hold_all_but_the_missing_mass(eps0: float, n: int, unsampled: int) -> None:
    atoms = randomized_response(eps0, n, n + unsampled)
    assert len(atoms.loss) < 500_000
    assert (np.diff(atoms.loss) > 0).all()
    # Binomial masses come from gammaln, whose absolute error grows with n.
    tolerance = 1e-14 * n * math.log(n + 1) + 1e-12
    assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=tolerance)
    assert np.exp(atoms.log_q + atoms.loss).sum() == pytest.approx(1, abs=tolerance)
    assert 0 <= atoms.missing <= 1e-20


def test_reversed_swaps_p_and_q() -> None:
    atoms = randomized_response(1.0, 5, 10)
    back = atoms.reversed()
    assert back.loss == pytest.approx(-atoms.loss[::-1])
    assert np.exp(back.log_q) == pytest.approx(np.exp(atoms.log_q + atoms.loss)[::-1])
    assert back.reversed().log_q == pytest.approx(atoms.log_q)


@pytest.mark.parametrize("eps0", [1e-6, 1.0, 20.0, 40.0, 300.0])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (3, 3), (3, 10), (2, 10**9)])
def test_losses_keep_their_digits(eps0: float, n: int, population: int) -> None:
    """Of e^-eps0 nothing may be left over by a difference of numbers near 1."""
    with mpmath.workdps(300):
        E = mpmath.exp(mpmath.mpf(eps0))
        truth = [mpmath.log((population - n + m * E + (n - m) / E) / population) for m in range(n + 1)]
        loss = randomized_response(eps0, n, population, log_cut=-1e4).loss
        error = [abs(a - b) for a, b in zip(loss, truth, strict=True)]
    assert float(max(error)) <= 4e-16 * float(max(map(abs, truth)))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0.0, 1, 1), "eps0"),
        ((math.nan, 1, 1), "eps0"),
        ((1.0, 0, 1), "n"),
        ((1.0, 2, 1), "n"),
        ((1.0, 1, 1.5), "population"),
    ],
)
def test_bad_input(arguments: tuple[float, int, int], named: str) -> None:
    with pytest.raises((ValueError, TypeError), match=named):
        randomized_response(*arguments)
