"""Pairs of votes, outcome by outcome: every answer is on its side, at every alpha, one round or listed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import certify
from shufflekit.dominating_pairs import (
    Votes,
    checked_in_clones,
    clones,
    ternary_check_in,
    ternary_response,
    votes,
    weak_view,
)
from shufflekit.dominating_pairs.views import strong_view
from tests import truth

PAIRS = {
    "clones": clones(1.5, 6, 6),
    "one client": clones(2.0, 1, 1),
    "clones, few sampled": clones(1.0, 4, 900),
    "clones, 9 of 10": clones(3.0, 9, 10),
    "clones2021": clones(1.5, 6, 6, "clones2021"),
    "clones2021, sampled": clones(1.5, 5, 9, "clones2021"),
    "check-in": checked_in_clones(2.0, 6, 0.3),
    "rare check-in": checked_in_clones(0.5, 7, 0.01),
    "ternary": ternary_response(2.0, 6, 6),
    "ternary, sampled": ternary_response(2.0, 5, 40),
    "5-ary": ternary_response(1.0, 6, 6, k=5),
    "ternary check-in": ternary_check_in(2.0, 6, 0.5),
    "weak view": weak_view(4, 1.0, 6),
}
SHARES = [0.0, 0.01, 0.2, 0.45, 0.8, 0.99]


@pytest.fixture(params=PAIRS, scope="module")
def known(request):
    pair = PAIRS[request.param]
    return pair, truth.vote_pair(pair)


def test_it_is_a_pair_of_laws(known):
    _, laws = known
    for law in laws:
        assert float(sum(law)) == pytest.approx(1, abs=1e-14)
        assert min(law) >= -1e-17
    # It is symmetric, so that one direction is enough.
    assert sorted(zip(laws.p, laws.q, strict=True)) == sorted(zip(laws.q, laws.p, strict=True))


def test_no_loss_is_larger_than_the_largest(known):
    pair, laws = known
    shown = [(p, q) for p, q in zip(laws.p, laws.q, strict=True) if p > 0 and q > 0]
    largest = max(math.log(p / q) for p, q in shown)
    assert largest <= pair.largest_loss <= largest * (1 + 1e-12)
    assert pair.reversed() is pair
    beyond = pair.delta(np.array([pair.largest_loss, 2 * pair.largest_loss]))
    assert (beyond.upper == 0).all()


def test_delta_of_one_round(known):
    pair, laws = known
    eps = np.array(SHARES) * pair.largest_loss
    ends = pair.delta(eps)
    for i, at in enumerate(eps):
        exact = truth.delta(laws, at)
        assert ends.lower[i] <= exact * (1 + 1e-13)
        assert exact * (1 - 1e-13) <= ends.upper[i]
        assert ends.upper[i] - ends.lower[i] <= 1e-8 * ends.upper[i]


def test_the_listed_laws_are_on_either_side(known):
    pair, laws = known
    found = pair.laws(-50.0)
    for eps in [-0.5, *(share * pair.largest_loss for share in SHARES)]:
        exact = truth.delta(laws, eps)
        assert truth.listed_delta(found.lower, eps, upper=False) <= exact * (1 + 1e-11) + 1e-15
        assert exact * (1 - 1e-11) - 1e-15 <= truth.listed_delta(found.upper, eps, upper=True)
    for atoms in found:
        assert (np.diff(atoms.loss) >= 0).all()


@pytest.mark.parametrize("pair", [clones(1.0, 20, 20), clones(2.0, 12, 50), checked_in_clones(1.0, 12, 0.4)])
def test_laws_through_knots_are_on_either_side(monkeypatch, pair):
    """What is done where there are too many outcomes to list."""
    monkeypatch.setattr(votes, "MOST_ATOMS", 0)
    found, laws = pair.laws(-40.0), truth.vote_pair(pair)
    assert found.lower is not found.upper
    for share in [-0.7, -0.1, *SHARES]:
        eps = share * pair.largest_loss
        exact = truth.delta(laws, eps)
        low, high = (truth.listed_delta(atoms, eps, upper=atoms is found.upper) for atoms in found)
        assert low * (1 - found.lower.error) <= exact * (1 + 1e-10) + 1e-15
        assert exact * (1 - 1e-10) - 1e-15 <= high
        # Listed backwards, too.
        back = truth.listed_delta(found.upper.reversed(), eps, upper=True)
        assert exact * (1 - 1e-10) - 1e-15 <= back
    at_zero = [truth.listed_delta(atoms, 0.0, upper=False) for atoms in found]
    assert at_zero[0] == pytest.approx(at_zero[1], rel=1e-2)


@settings(max_examples=25)
@given(st.floats(0.05, 6), st.integers(1, 3000), st.integers(0, 10**6), st.floats(0, 1))
def test_blocks_hold_what_the_judge_says(eps0, n, unsampled, share):
    pair = clones(eps0, n, n + unsampled)
    eps = share * pair.largest_loss
    exact = certify.clones(eps0, n, n + unsampled, eps)
    for rtol in (1e-4, 0.03):
        ends = pair.delta(np.array([eps]), rtol)
        assert ends.lower[0] <= exact.upper
        # An eps within the rounding of the largest loss aside, where delta is all rounding.
        assert exact.lower <= ends.upper[0] or eps >= pair.largest_loss


@pytest.mark.parametrize("n", [10**5, 10**6, 10**7])
@pytest.mark.parametrize("eps0", [0.5, 4.0])
def test_wide_blocks_stay_wide_enough(n, eps0):
    """Coarse and fine blocks are around the judge's value, the fine ones nearer."""
    eps = 4 * math.sqrt(2 * math.expm1(eps0) ** 2 / (math.exp(eps0) + 1) / n)
    exact, widths = certify.clones(eps0, n, n, eps), []
    for rtol in (0.05, 1e-3, 1e-5):
        ends = clones(eps0, n, n).delta(np.array([eps]), rtol)
        assert ends.lower[0] <= exact.upper
        assert exact.lower <= ends.upper[0]
        widths.append(1 - ends.lower[0] / ends.upper[0])
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 1e-3


def test_where_nothing_can_be_seen_there_is_no_loss():
    silent = Votes(5, 0.5, 0.5, 1.0, 0.0, 1e-12)
    ends = silent.delta(np.array([0.0, 1e-10]))
    assert 0 < ends.lower[0] <= ends.upper[0] < 1e-11
    assert ends.upper[1] == 0


def test_wide_blocks_of_extreme_votes_stay_on_their_side():
    """With more signs than the weight allows for, Q/R is below 0 when all are for P: the upper end must feel it."""
    pair = strong_view(4, 0.08086187191883232, 1147)
    eps = np.linspace(0.9, 1.6, 30)
    fine = pair.delta(eps, 1e-4, -150.0)
    for rtol in (0.2, 0.03, 0.005):
        rough = pair.delta(eps, rtol, -150.0)
        assert (rough.upper >= fine.lower).all()
        assert (rough.lower <= fine.upper).all()


@pytest.mark.parametrize("short", [1e-14, 1e-9, 2e-4])
@pytest.mark.parametrize(("eps0", "n", "population"), [(0.0187, 3, 621388), (1.0, 5, 10**7), (6.0, 4, 4)])
def test_just_below_the_largest_loss(eps0, n, population, short):
    """There delta is all rounding, of the losses and not of 1: where these are small, so is what is uncertain."""
    pair = clones(eps0, n, population)
    eps = pair.largest_loss * (1 - short)
    (lower,), (upper,) = pair.delta(np.array([eps]))
    exact = certify.clones(eps0, n, population, eps)
    assert lower <= exact.upper
    assert exact.lower <= upper
    assert upper - lower <= (1e-14 / short + 1e-10) * upper
