"""k-ary randomized response against its two adversaries: the judge, the paper's counts, and each other."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import RandomizedResponseShuffle, certify
from shufflekit.papers.koskela2023 import eqc7_corrected, thm15_corrected
from shufflekit.papers.koskela2023.views import eq24_corrected
from tests import pairs


@pytest.mark.parametrize("view", ["weak", "strong"])
@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 5), (3, 2), (4, 12), (10, 60)])
@pytest.mark.parametrize("eps0", [0.3, 2.0, 5.0])
def test_delta_against_the_judge(view, k, n, eps0):
    protocol = RandomizedResponseShuffle(k, eps0, n, view=view)
    limit = eps0 if view == "weak" else math.log(max(n - 1, 2))
    for share in (0.0, 0.1, 0.5, 0.9):
        exact, ends = certify.delta(protocol.define, share * limit), protocol.delta(share * limit)
        assert ends.lower <= exact.upper
        assert exact.lower <= ends.upper
        assert ends.width <= 1e-4


@pytest.mark.parametrize(("n", "gamma", "k"), [(2, Fraction(1, 2), 3), (4, Fraction(1, 4), 4), (6, Fraction(2, 3), 2)])
def test_against_the_laws_of_the_counts(n, gamma, k):
    """The corrected theorems' joint laws, in fractions."""
    eps0 = math.log1p(k * (1 - float(gamma)) / float(gamma))
    for corrected, view in ((eqc7_corrected, "strong"), (thm15_corrected, "weak")):
        counts, pair = corrected(n, gamma, k), pairs.view(k, eps0, n, view).pair
        for eps in (0.0, 0.2, 0.6):
            exact = float(eq24_corrected(counts, Fraction(math.exp(eps))))
            ends = pair.delta(np.array([eps]))
            assert ends.lower[0] <= exact * (1 + 1e-10)
            assert exact * (1 - 1e-10) <= ends.upper[0]


@pytest.mark.parametrize("n", [1, 7, 1000])
@pytest.mark.parametrize("eps0", [0.2, 3.0])
def test_with_two_values_the_weak_view_is_the_clone_pair(eps0, n):
    """gamma = 2/(E+1) is the clones' weight."""
    eps = np.array([0.0, 0.02, 0.5]) * eps0
    weak, clone = (defined.pair.delta(eps) for defined in (pairs.view(2, eps0, n), pairs.clones(eps0, n, n)))
    assert weak.upper == pytest.approx(clone.upper, rel=1e-9)
    assert (weak.lower <= clone.upper).all() and (clone.lower <= weak.upper).all()


@pytest.mark.parametrize("rounds", [1, 2, 20])
@pytest.mark.parametrize("k", [2, 5])
def test_the_weak_view_sees_less_than_the_strong(k, rounds):
    for delta in (1e-3,):
        weak, strong = (
            (RandomizedResponseShuffle(k, gamma=0.4, n=60, view=view) * rounds).epsilon(delta)
            for view in ("weak", "strong")
        )
        assert weak.upper <= strong.upper
    for eps in (0.0, 1.0):
        weak, strong = (
            (RandomizedResponseShuffle(k, gamma=0.4, n=60, view=view) * rounds).delta(eps)
            for view in ("weak", "strong")
        )
        assert weak.lower <= strong.upper
