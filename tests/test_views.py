"""What the two adversaries of k-ary randomized response see: against the judge, the paper's counts, and each other."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import RandomizedResponseShuffle, certify
from shufflekit.dominating_pairs import Diluted, clones, strong_view, weak_view
from shufflekit.papers.koskela2023 import eqc7_corrected, thm15_corrected
from shufflekit.papers.koskela2023.views import eq24_corrected
from tests import truth


@pytest.mark.parametrize("view", ["weak", "strong"])
@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 5), (3, 2), (4, 12), (10, 60)])
@pytest.mark.parametrize("eps0", [0.3, 2.0, 5.0])
def test_delta_against_the_judge(view, k, n, eps0):
    protocol = RandomizedResponseShuffle(k, eps0, n, view=view)
    limit = eps0 if view == "weak" else math.log(max(n - 1, 2))
    for share in (0.0, 0.1, 0.5, 0.9):
        exact, ends = certify.randomized_response_view(k, eps0, n, share * limit, view), protocol.delta(share * limit)
        assert ends.lower <= exact.upper
        assert exact.lower <= ends.upper
        assert ends.width <= 1e-4


@pytest.mark.parametrize(("n", "gamma", "k"), [(2, Fraction(1, 2), 3), (4, Fraction(1, 4), 4), (6, Fraction(2, 3), 2)])
def test_against_the_laws_of_the_counts(n, gamma, k):
    """The corrected theorems' joint laws, in fractions."""
    eps0 = math.log1p(k * (1 - float(gamma)) / float(gamma))
    for corrected, made in ((eqc7_corrected, strong_view), (thm15_corrected, weak_view)):
        counts, pair = corrected(n, gamma, k), made(k, eps0, n)
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
    weak, clone = weak_view(2, eps0, n).delta(eps), clones(eps0, n, n).delta(eps)
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


@pytest.mark.parametrize("rounds", [1, 2, 10])
@pytest.mark.parametrize(("n", "k", "gamma"), [(3, 4, 0.6), (10, 4, 0.25), (8, 2, 0.5)])
def test_infinite_losses_of_the_strong_view(n, k, gamma, rounds):
    """The changed record told the truth, and no other message hides it: (1 - gamma) (1 - gamma/k)^(n-1) a round."""
    caught = -math.expm1(rounds * math.log1p(-(1 - gamma) * (1 - gamma / k) ** (n - 1)))
    run = RandomizedResponseShuffle(k, gamma=gamma, n=n, view="strong") * rounds
    ends = run.delta(500.0)
    assert ends.lower <= caught * (1 + 1e-9)
    assert caught * (1 - 1e-9) <= ends.upper
    assert ends.lower == pytest.approx(caught, rel=1e-6)
    assert run.epsilon(caught * 0.99).upper == math.inf
    assert run.epsilon(min(caught * 1.1, (1 + caught) / 2)).upper < math.inf
    assert run.pure_epsilon == math.inf
    assert run.rdp(2.0) == math.inf


def test_nothing_is_seen_of_whom_the_dilution_hides():
    pair = Diluted(clones(1.0, 6, 6), 0.25)
    inner, outer = pair.pair.delta(np.array([0.1, 0.4])), pair.delta(np.array([0.1, 0.4]))
    assert outer.upper == pytest.approx(inner.upper / 4, rel=1e-12)
    assert outer.lower == pytest.approx(inner.lower / 4, rel=1e-12)
    assert pair.reversed() == pair and pair.largest_loss == pair.pair.largest_loss
    for atoms in pair.laws(-60.0):
        assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=1e-12)
        assert (np.diff(atoms.loss) >= 0).all()
        assert truth.listed_delta(atoms, 0.1, upper=False) == pytest.approx(inner.upper[0] / 4, rel=1e-8)


def test_a_delta_that_is_hardly_a_number_is_no_lower_end():
    """The share times delta is rounded to a multiple of 5e-324: that may not count as known."""
    ends = RandomizedResponseShuffle(5, 1e-300, 10**12, view="strong").epsilon(5e-324)
    assert ends.lower <= ends.upper
