"""Sampling before shuffling: Lemma 7, connected dots, and the pairs that are tighter, in fractions and at large n."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import Shuffle, exact
from shufflekit.beyond import dominance
from shufflekit.beyond.check_ins import check_in_mixture
from shufflekit.beyond.scores import clone_scores, score_pair
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers.koskela2023 import eq31, sampling
from shufflekit.papers.koskela2023.sampling_accountant import Lemma7Pair, dotted
from shufflekit.randomizers import RandomizedResponse
from tests import pairs, strategies

HALF = Fraction(1, 2)
RR = RandomizedResponse(2, ratio=3)
rates = st.fractions(Fraction(1, 50), 1, max_denominator=50)
SIZES = [(3, 1), (4, 2), (5, 3), (4, 4)]


def below(lower, upper):
    lhs, rhs, _ = dominance.profiles(lower, upper)
    return bool((lhs <= rhs).all())


def _nobody(E, k):
    """The law of (a, b) when k users throw black, white or nothing with p, p, 1 - 2p."""
    p, law = 1 / (E + 1), np.zeros((k + 1, k + 1), dtype=object)
    for a, b in np.ndindex(law.shape):
        if a + b <= k:
            law[a, b] = math.comb(k, a) * math.comb(k - a, b) * p ** (a + b) * (1 - 2 * p) ** (k - a - b)
    return law


def two_laws():
    return strategies.laws(2, least=1).map(lambda both: TwoLaws(*both))


# Lemma 7.


@given(two_laws(), rates, st.fractions(0, 5, max_denominator=20))
def test_the_two_sides_of_eq22_by_a_changed_alpha(pair, g, a):
    """``gamma H_{a'}(P||Q)`` with a' = 1 + (a - 1)/gamma, where a' is not negative."""
    first, second = sampling.eq22_sides(pair, g, a)
    if a >= 1 - g:
        assert first == g * hockey_stick(*pair, 1 + (a - 1) / g)
    if a > 0 and 1 / a >= 1 - g:
        assert second == 1 - a + a * g * hockey_stick(*pair[::-1], 1 + (1 / a - 1) / g)


@given(two_laws(), rates)
def test_the_maximum_costs_nothing_for_any_pair(pair, g):
    grid = [Fraction(i, 12) for i in range(40)]
    assert (sampling.eq23(pair, g, grid) == sampling.lemma7(pair, g, grid)).all()


@given(two_laws(), rates)
def test_between_its_corners_lemma7_is_straight(pair, g):
    corners = sampling.lemma7_corners(pair, g)
    middles = (corners[1:] + corners[:-1]) / 2
    at = sampling.lemma7(pair, g, corners)
    assert (sampling.lemma7(pair, g, middles) == (at[1:] + at[:-1]) / 2).all()
    assert (at[1:] <= at[:-1]).all()
    assert at[0] == 1


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("channel", [RR, RandomizedResponse(3, ratio=2)], ids=lambda c: c.name)
def test_lemma7_bounds_the_sampled_shuffle(channel, n, k):
    pair, g = eq31(k, channel.ratio), Fraction(k, n)
    corners = sampling.lemma7_corners(pair, g)
    bound = sampling.lemma7(pair, g, corners)
    for d in exact.neighbours(channel, n, k):
        assert (hockey_stick(d.p, d.q, corners) <= bound).all()


def test_lemma7_is_attained_when_one_is_drawn():
    alphas = [Fraction(i, 20) for i in range(60)]
    real = np.max([hockey_stick(d.p, d.q, alphas) for d in exact.neighbours(RR, 4, 1)], axis=0)
    assert (real == sampling.lemma7(eq31(1, 3), Fraction(1, 4), alphas)).all()


def test_the_largest_profile_is_that_of_a_pair():
    """Above every data set's, and at each kink that of one of them."""
    alphas, heights = dominance.largest_profile(RR, 3)
    pair, real = sampling.connect_the_dots(alphas, heights), [TwoLaws(d.p, d.q) for d in exact.neighbours(RR, 3)]
    assert sum(pair.p) == 1 == sum(pair.q)
    assert all(below(view, pair) for view in real)
    assert (np.max([hockey_stick(*view, alphas) for view in real], axis=0) == heights).all()


# Connect the dots.


@given(two_laws())
def test_all_corners_connected_are_the_pair_itself(pair):
    dots = sorted({Fraction(0), *dominance.kinks(pair)})
    joined = sampling.connect_the_dots(dots, hockey_stick(*pair, dots))
    assert sum(joined.p) == 1 == sum(joined.q)
    assert below(pair, joined)
    assert below(joined, pair)


@given(two_laws(), st.sets(st.fractions(Fraction(1, 20), 4, max_denominator=20), min_size=1))
def test_connected_dots_dominate_and_agree_at_the_dots(pair, dots):
    dots = [Fraction(0), *sorted(dots)]
    heights = hockey_stick(*pair, dots)
    joined = sampling.connect_the_dots(dots, heights)
    assert sum(joined.p) == 1 == sum(joined.q)
    assert (hockey_stick(*joined, dots) == heights).all()
    assert below(pair, joined)


@pytest.mark.parametrize(
    ("alpha", "profile", "name"),
    [
        ([0], [1], "alpha"),
        ([0, 1], [1], "alpha"),
        ([1, 2], [1, 0], "alpha"),
        ([0, 2, 1], [1, 0, 0], "alpha"),
        ([0, 1], [HALF, 0], "profile"),
        ([0, 1, 2], [1, HALF, -1], "profile"),
        ([0, HALF], [1, 0], "profile"),
        ([0, 1, 2], [1, Fraction(9, 10), 0], "profile"),
    ],
)
def test_what_is_no_profile(alpha, profile, name):
    with pytest.raises(ValueError, match=name):
        sampling.connect_the_dots(alpha, profile)


# Sampled clones.


@settings(max_examples=25)
@given(strategies.ratios, st.integers(1, 4), st.data())
def test_sampled_clones_lie_between_the_shuffle_and_lemma7(ratio, n, data):
    k, inputs = data.draw(st.integers(1, n)), data.draw(st.integers(2, 3))
    pair, lemma, g = score_pair(clone_scores(ratio), k, n), eq31(k, ratio), Fraction(k, n)
    assert all(below((d.p, d.q), pair) for d in exact.neighbours(RandomizedResponse(inputs, ratio=ratio), n, k))
    corners = sampling.lemma7_corners(lemma, g)
    assert (hockey_stick(*pair, corners) <= sampling.lemma7(lemma, g, corners)).all()
    assert below(pair, TwoLaws(*pair[::-1]))  # symmetric


@pytest.mark.parametrize("E", [Fraction(11, 10), Fraction(3, 2), Fraction(20)])
@pytest.mark.parametrize(("n", "k"), [(7, 7), (9, 8), (40, 10)])
def test_a_white_ball_more_leads_out_of_the_best_event(E, n, k):
    """Why the sampled clones are nowhere above Lemma 7: Q1(S) <= R(S) for S = {P > alpha Q}."""
    g, (P1, Q1) = Fraction(k, n), eq31(k, E)
    R = _nobody(E, k)
    P, Q, pair = g * P1 + (1 - g) * R, g * Q1 + (1 - g) * R, TwoLaws(P1, Q1)
    alphas = [a for a in sampling.lemma7_corners(pair, g) if a >= 1]
    assert all(Q1[a * Q < P].sum() <= R[a * Q < P].sum() for a in alphas)
    assert (hockey_stick(P, Q, alphas) <= sampling.lemma7(pair, g, alphas)).all()
    assert below(TwoLaws(P, Q), score_pair(clone_scores(E), k, n))


def test_the_users_without_you_may_be_farther_from_you_than_your_other_value():
    """So the order of R, P1 and Q1 is no argument, for E < 2."""
    E, k = Fraction(11, 10), 8
    P1, Q1 = eq31(k, E)
    assert hockey_stick(P1, _nobody(E, k), 1) > hockey_stick(P1, Q1, 1)


def test_a_wrong_share_would_be_found_out():
    """The pair of k of n + 1 does not dominate k of n."""
    wrong = score_pair(clone_scores(3), 2, 5)
    assert not all(below((d.p, d.q), wrong) for d in exact.neighbours(RR, 4, 2))


# The engine's pairs, and the paper's accountant.


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("ratio", [Fraction(3, 2), 4])
def test_the_engine_has_these_pairs(n, k, ratio):
    alphas, eps0 = np.array([1, 1.1, 1.3, 1.7]), math.log(ratio)
    score, lemma = clone_scores(ratio), eq31(k, ratio)
    exact_alphas = [Fraction(a) for a in alphas]
    cases = [
        (pairs.clones(eps0, k, n).pair, hockey_stick(*score_pair(score, k, n), exact_alphas)),
        (Lemma7Pair(eps0, n, k), sampling.lemma7(lemma, Fraction(k, n), exact_alphas)),
        (pairs.check_in(eps0, n, 0.25).pair, hockey_stick(*check_in_mixture(score, n, HALF**2), exact_alphas)),
    ]
    for pair, truth in cases:
        ends = pair.delta(np.log(alphas))
        assert ends.lower == pytest.approx(truth.astype(float), rel=1e-4, abs=1e-12)
        assert ends.upper == pytest.approx(truth.astype(float), rel=1e-4, abs=1e-12)


def test_the_listed_pair_of_lemma7_has_its_profile():
    """Also below alpha = 1, in both directions."""
    k, n, ratio = 4, 9, 3
    atoms = Lemma7Pair(math.log(ratio), n, k).listed(-60.0).upper
    alphas = [Fraction(i, 10) for i in range(1, 25)]
    truth = sampling.lemma7(eq31(k, ratio), Fraction(k, n), alphas).astype(float)
    P, Q = np.exp(atoms.log_q + atoms.loss), np.exp(atoms.log_q)
    listed = [np.maximum(P - float(a) * Q, 0).sum() + atoms.missing + atoms.infinite for a in alphas]
    assert listed == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("rounds", [2, 3])
def test_lemma7_composed_against_the_product_in_fractions(rounds):
    ratio, n, k = 4, 5, 3
    lemma, g = eq31(k, ratio), Fraction(k, n)
    corners = sampling.lemma7_corners(lemma, g)
    one = sampling.connect_the_dots(corners, sampling.lemma7(lemma, g, corners))
    p, q = one
    for _ in range(rounds - 1):
        p, q = np.multiply.outer(p, one.p).ravel(), np.multiply.outer(q, one.q).ravel()
    truth = float(hockey_stick(p, q, Fraction(3, 2)))
    ends = Composition([Part(Lemma7Pair(math.log(ratio), n, k), rounds)]).delta(math.log(1.5), 1e-4)
    assert ends.lower * (1 - 1e-9) <= truth <= ends.upper * (1 + 1e-9)


@pytest.mark.parametrize(("eps0", "golden"), [(1.0, 0.0574), (2.0, 0.1522), (3.0, 0.3082)])
def test_a_hundred_thousand_rounds(eps0, golden):
    """Golden: an independent prototype of Lemma 7 with the clone pair, four digits."""
    lemma = Composition([Part(Lemma7Pair(eps0, 10**6, 1000), 10**5)]).epsilon(1e-8, 1e-4)
    assert lemma.width <= 1e-4
    assert lemma.lower - 5e-5 <= golden <= lemma.upper + 5e-5
    assert (Shuffle(eps0, 1000, 10**6) * 10**5).epsilon(1e-8).upper < lemma.lower


def test_dots_of_the_accountant_are_algorithm_1():
    pair, reach = Lemma7Pair(math.log(4), 5, 3), math.log(4)
    atoms = dotted(pair, 9, reach)
    alphas = [0, *(Fraction(math.exp(x)) for x in np.linspace(-reach, reach, 9))]
    truth = sampling.connect_the_dots(
        alphas, sampling.lemma7(eq31(3, 4), Fraction(3, 5), np.array([Fraction(a) for a in alphas]))
    )
    spread = np.exp(atoms.log_q) @ np.maximum(np.exp(atoms.loss)[:, None] - [1.0, 1.3, 2.0], 0)
    assert spread + atoms.missing == pytest.approx(
        hockey_stick(*truth, [Fraction(1), Fraction(1.3), Fraction(2)]).astype(float), abs=1e-9
    )


def test_a_finer_nested_grid_is_never_worse():
    pair, eps = Lemma7Pair(3.0, 10**4, 100), np.linspace(0, 0.2, 41)
    curves = [
        [Composition([Part(dotted(pair, m, 0.25), 1)]).delta(float(e), 1e-4).upper for e in eps] for m in (11, 21, 41)
    ]
    truth = pair.delta(eps).lower
    for coarse, fine in zip(curves, [*curves[1:], truth], strict=True):
        assert (np.array(coarse) * (1 + 1e-9) + 1e-15 >= fine).all()


@pytest.mark.parametrize("n_alpha", [2, 10, 2.0, None])
def test_the_grid_must_hold_1(n_alpha):
    with pytest.raises((TypeError, ValueError), match="n_alpha"):
        dotted(Lemma7Pair(1.0, 10, 5), n_alpha, 0.25)


def test_dots_are_for_symmetric_pairs():
    with pytest.raises(TypeError, match="symmetric"):
        dotted(pairs.binary(1.0, 10, 10).pair, 11, 0.25)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sampling.lemma7(eq31(2, 3), 0, 1), "gamma"),
        (lambda: sampling.eq23(eq31(2, 3), 1.5, 1), "gamma"),
        (lambda: sampling.lemma7((1, 2, 3), HALF, 1), "laws"),
        (lambda: sampling.connect_the_dots([0, "1"], [1, 0]), "alpha"),
        (lambda: sampling.connect_the_dots([0, 1], [1, None]), "profile"),
        (lambda: dominance.largest_profile(None, 2), "channel"),
        (lambda: sampling.lemma7_corners(eq31(2, 3), "1"), "gamma"),
        (lambda: Lemma7Pair(1.0, 10, 11), "k"),
        (lambda: Lemma7Pair(0.0, 10, 5), "eps0"),
    ],
)
def test_bad_input(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()
