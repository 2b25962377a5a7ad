"""Every step of the proof that the clone pair dominates, in fractions, on channels that hypothesis draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shufflekit import exact
from shufflekit.beyond import dominance, views
from shufflekit.beyond.scores import (
    clone_scores,
    common_blanket,
    score_law,
    score_laws,
    score_pair,
    two_input_blanket,
)
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023 import eq31
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel
from tests import strategies

HALF = Fraction(1, 2)
RR, RR3 = RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=3)


@st.composite
def channels(draw, inputs=3):
    """A channel of fractions with 2 to 3 inputs and outputs, every entry positive."""
    outputs = draw(st.integers(2, 3))
    weights = st.lists(st.integers(1, 20), min_size=outputs, max_size=outputs)
    rows = [draw(weights) for _ in range(draw(st.integers(2, inputs)))]
    channel = Channel(np.array([[Fraction(w, sum(row)) for w in row] for row in rows], dtype=object))
    assume(channel.ratio > 1)
    return channel


@st.composite
def ratio_and_alpha(draw):
    """E, and an alpha from 1/E to E, on both sides of 1."""
    E, share = draw(strategies.ratios), draw(st.fractions(0, 1, max_denominator=40))
    return E, 1 / E + share * (E - 1 / E)


def below(lower, upper):
    lhs, rhs, _ = dominance.profiles(lower, upper)
    return bool((lhs <= rhs).all())


# The pair itself.


@given(strategies.ratios, st.integers(1, 5))
def test_the_clone_pair_is_a_pair_of_scores(E, n):
    table, scores = eq31(n, E), score_pair(clone_scores(E), n)
    assert (dominance.kinks(table) == dominance.kinks(scores)).all()
    assert below(table, scores)
    assert below(scores, table)


@given(strategies.ratios, st.integers(1, 6))
def test_the_third_component_has_no_weight_at_the_default(E, n):
    """All mass lies on a + b >= 1: the changed user is always a clone."""
    P, Q = eq31(n, E)
    assert P[0, 0] == Q[0, 0] == 0
    assert eq31(n, E, 1 / (E + 2))[0][0, 0] > 0


@given(strategies.ratios)
def test_kinks_settle_every_alpha(E):
    P, Q = eq31(3, E)
    points = dominance.kinks(TwoLaws(P, Q))
    middles = (points[:-1] + points[1:]) / 2
    ends = hockey_stick(P, Q, points)
    assert (hockey_stick(P, Q, middles) == (ends[:-1] + ends[1:]) / 2).all()
    assert ends[-1] == 0
    assert hockey_stick(P, Q, points[0] / 2) == 1 - points[0] / 2


# Step 1: B lies below every row, and who is told who left it knows what the scores know.


@given(channels())
def test_the_two_input_blanket_lies_below_every_row(channel):
    for x0, x1 in itertools.permutations(range(channel.inputs), 2):
        B = two_input_blanket(channel, x0, x1)
        assert (channel.probs >= B).all()
        assert sum(B) <= 2 / (channel.ratio + 1)


@settings(max_examples=40)
@given(channels(), st.integers(1, 3), st.data())
def test_the_revealed_view_is_the_score_formula(channel, n, data):
    """For any blanket at all: a random part of the smallest entry of each column."""
    parts = [data.draw(st.fractions(Fraction(1, 10), 1, max_denominator=10)) for _ in range(channel.outputs)]
    others = data.draw(st.lists(st.integers(0, channel.inputs - 1), min_size=n - 1, max_size=n - 1))
    blanket = common_blanket(channel) * np.array(parts, dtype=object)
    brute = views.revealed_view(channel, others, 0, 1, blanket)
    formula = score_pair(score_law(channel, 0, 1, blanket), n)
    assert sum(brute.p) == sum(brute.q) == sum(formula.p) == sum(formula.q) == 1
    assert below(brute, formula)
    assert below(formula, brute)
    assert below(views.shuffled_view(channel, others, 0, 1), formula)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (3, 2), (3, 3)])
@pytest.mark.parametrize("blanket", ["common", "two inputs"])
def test_what_is_revealed_are_scores(n, k, blanket):
    channel = random_channel(3, 2, ratio=3, rng=np.random.default_rng(n))
    B = common_blanket(channel) if blanket == "common" else two_input_blanket(channel, 0, 1)
    formula = score_pair(score_law(channel, 0, 1, B), k, n)
    for others in ([0] * (n - 1), [2] * (n - 1), [0, 1, 2][: n - 1]):
        told = views.revealed_sample(channel, others, 0, 1, k, B)
        assert sum(told.p) == 1 == sum(told.q)
        assert below(told, formula)
        assert below(formula, told)


# Step 2: the scores lie on two segments.


@given(channels())
def test_scores_lie_on_the_segments(channel):
    E = channel.ratio
    *score, left = score_law(channel, 0, 1, two_input_blanket(channel, 0, 1))
    assert sum(one.chance * one.t0 for one in score) == sum(one.chance * one.t1 for one in score) == 1
    assert (left.t0, left.t1) == (0, 0)
    for one in score:
        assert max(one.t0, one.t1) == E
        assert min(one.t0, one.t1) >= 1


# Step 3: convex order.


@given(ratio_and_alpha(), st.fractions(-100, 100, max_denominator=50))
def test_the_chord_gap_is_never_negative(point, c):
    E, alpha = point
    low, high = alpha - E, alpha * E - 1
    gap = dominance.chord_gap(E, alpha, c)
    assert gap >= 0
    assert (gap > 0) == (low < c < high)


@given(ratio_and_alpha())
def test_the_chord_gap_is_concave_with_the_four_kinks(point):
    """On either side of alpha = 1: slopes s, then s - 1 or 1 - s, then -s; straight between the kinks."""
    E, alpha = point
    assume(1 / E < alpha < E and alpha != 1)
    s = E / (E + 1)
    points = sorted([alpha - E, 0, E * (alpha - 1), alpha * E - 1])
    assert points[0] == alpha - E
    assert points[-1] == alpha * E - 1
    gaps = [dominance.chord_gap(E, alpha, c) for c in points]
    slopes = [
        (b - a) / (d - c) for (a, b), (c, d) in zip(itertools.pairwise(gaps), itertools.pairwise(points), strict=True)
    ]
    assert slopes == [s, 1 - s if alpha > 1 else s - 1, -s]
    for c, d in itertools.pairwise(points):
        middle = (dominance.chord_gap(E, alpha, c) + dominance.chord_gap(E, alpha, d)) / 2
        assert dominance.chord_gap(E, alpha, (c + d) / 2) == middle


@pytest.mark.parametrize(("alpha", "c"), [(4, HALF), (Fraction(1, 4), -HALF)])
def test_the_chord_gap_is_negative_outside(alpha, c):
    """The step needs 1/E <= alpha <= E; outside, both sides of the theorem are (1 - alpha)_+."""
    assert dominance.chord_gap(3, alpha, c) < 0


@settings(max_examples=60)
@given(channels(), st.fractions(0, 1, max_denominator=20))
def test_the_score_is_below_the_clone_score_in_convex_order(channel, share):
    """At all kinks of both sides, between which both are straight; equal means, so equal beyond them."""
    E = channel.ratio
    alpha = 1 / E + share * (E - 1 / E)
    score, clone = score_law(channel, 0, 1, two_input_blanket(channel, 0, 1)), clone_scores(E)
    points = {alpha * one.t1 - one.t0 for one in (*score, *clone)}
    for c in points:
        assert dominance.stop_loss(score, alpha, c) <= dominance.stop_loss(clone, alpha, c)
    far = max(map(abs, points)) + 1
    assert dominance.stop_loss(score, alpha, far) == dominance.stop_loss(clone, alpha, far) == 1 - alpha + far


# Step 4: sums, and with them the theorem.


@settings(max_examples=40)
@given(channels(), st.integers(2, 4))
def test_sums_keep_the_order(channel, n):
    score = score_law(channel, 0, 1, two_input_blanket(channel, 0, 1))
    assert below(score_pair(score, n), eq31(n, channel.ratio))


@pytest.mark.parametrize("channel", [RR, RR3, HadamardResponse(3, ratio=3), RandomizedResponse(4, ratio=7)], ids=repr)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_data_set(channel, n):
    pair = eq31(n, channel.ratio)
    assert all(below(TwoLaws(data.p, data.q), pair) for data in exact.neighbours(channel, n))


@given(strategies.ratios, st.integers(1, 2))
def test_attained_by_randomized_response(E, n):
    """One or two users: for every alpha one of the data sets of binary randomized response attains the pair."""
    reals = [TwoLaws(data.p, data.q) for data in exact.neighbours(RandomizedResponse(2, ratio=E), n)]
    pair = eq31(n, E)
    alphas = np.array([1 / E + Fraction(i, 12) * (E - 1 / E) for i in range(13)], dtype=object)
    best = np.max([hockey_stick(*real, alphas) for real in reals], axis=0)
    assert (best == hockey_stick(*pair, alphas)).all()


# What is not covered.


@pytest.mark.parametrize(("w", "covered"), [(Fraction(1, 10), False), (Fraction(6, 25), False), (Fraction(1, 4), True)])
def test_users_with_channels_of_their_own_are_not_covered(w, covered):
    """The other user sends 0 with probability w, whatever her data: the shuffle hides less than the pair says."""
    rows = [RR.probs[0], RR.probs[1], np.array([w, 1 - w], dtype=object)]
    real = TwoLaws(*(exact.histogram_law([rows[x], rows[2]]) for x in (0, 1)))
    assert below(real, eq31(2, 3)) == covered
    # The proof needs the other's row above B = 1/4 and nothing else of it.
    assert (rows[2] >= two_input_blanket(RR, 0, 1)).all() == covered


# A third component.


def test_specialised_clones_do_not_dominate():
    """[beyond] 21 of the ledger: 3/50 against 1/50, and 3/32 with the default weight."""
    alpha, real = Fraction(5, 2), views.shuffled_view(RR3, [0], 0, 1)
    assert hockey_stick(*real, alpha) == Fraction(3, 50)
    assert hockey_stick(*eq31(2, 3, Fraction(1, 5)), alpha) == Fraction(1, 50)
    assert hockey_stick(*eq31(2, 3), alpha) == Fraction(3, 32)
    corrected = score_pair(score_law(RR3, 0, 1, common_blanket(RR3)), 2)
    assert hockey_stick(*corrected, alpha) == Fraction(3, 50)


# Bad input.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: two_input_blanket(RR, 0, 2), "x1 must be"),
        (lambda: two_input_blanket(RR, 0, 1, 2), "ratio must be at least the channel's own, 3"),
        (lambda: two_input_blanket(RR.probs, 0, 1), "channel must be"),
        (lambda: common_blanket(None), "channel must be"),
        (lambda: score_law(RR, 0, 1, [HALF, HALF]), "blanket must lie from 0"),
        (lambda: score_law(RR, 0, 1, [-HALF, 0]), "blanket must lie from 0"),
        (lambda: score_law(RR, 0, 1, [0, 0, 0]), "blanket must hold 2 masses"),
        (lambda: score_law(RR, 0, 1, [0, Fraction(1, 4)]), "blanket must be positive wherever"),
        (lambda: clone_scores(0), "ratio must be above 1"),
        (lambda: score_pair(clone_scores(3), 1.0), "n must be"),
        (lambda: score_pair([1], 1), "law must be a law of scores"),
        (lambda: score_pair(clone_scores(3), 3, 2), "slots must be .* at most 2"),
        (lambda: dominance.stop_loss(None, 1, 1), "law must be a law of scores"),
        (lambda: dominance.stop_loss(clone_scores(3), math.inf, 1), "alpha must be a finite number"),
        (lambda: dominance.chord_gap(3, 1, math.nan), "c must be a finite number"),
        (lambda: score_pair(None, 1, 2), "law must be a law of scores"),
        (lambda: views.revealed_view(RR, [2], 0, 1, [0, 0]), "others must be"),
        (lambda: views.revealed_sample(RR, [0], 0, 1, 3, common_blanket(RR)), "k must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_the_scores_of_every_pair_of_inputs():
    """Of 2-ary randomized response, E = 3, by hand: the blanket is 1/4 of each output, scores 3 and 1 or 1 and 3."""
    there, back = score_laws(RandomizedResponse(2, ratio=3))
    quarter = Fraction(1, 4)
    assert [(one.chance, one.t0, one.t1) for one in there] == [(quarter, 3, 1), (quarter, 1, 3), (2 * quarter, 0, 0)]
    assert [(one.chance, one.t0, one.t1) for one in back] == [(quarter, 1, 3), (quarter, 3, 1), (2 * quarter, 0, 0)]
    three = RandomizedResponse(3, ratio=2)
    wanted = [score_law(three, *x, two_input_blanket(three, *x)) for x in itertools.permutations(range(3), 2)]
    assert score_laws(three) == wanted
