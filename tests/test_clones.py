"""Every step of the proof that the clone pair dominates, in fractions, on channels that hypothesis draws."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shufflekit import exact
from shufflekit.divergences import hockey_stick
from shufflekit.papers.koskela2023 import clone_sequences, clones
from shufflekit.papers.koskela2023.clones import TwoLaws
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
    lhs, rhs, _ = clones.profiles(lower, upper)
    return bool((lhs <= rhs).all())


# The pair itself.


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize(("E", "p"), [(3, Fraction(1, 4)), (3, Fraction(1, 5)), (Fraction(5, 2), Fraction(1, 9))])
def test_eq31_is_its_definition(n, E, p):
    """Read literally: C, then A, then Delta_1, then Delta_2."""

    def binomial(m, q):
        return [(i, math.comb(m, i) * q**i * (1 - q) ** (m - i)) for i in range(m + 1)]

    first, second = (defaultdict(Fraction) for _ in range(2))
    for c, weight_c in binomial(n - 1, 2 * p):
        for a, weight_a in binomial(c, HALF):
            for d1, weight_1 in binomial(1, E * p):
                for d2, weight_2 in binomial(1 - d1, p / (1 - E * p)):
                    weight = weight_c * weight_a * weight_1 * weight_2
                    first[a + d1, c - a + d2] += weight
                    second[a + d2, c - a + d1] += weight
    laws = clones.eq31(n, E, p)
    for law, literal in zip(laws, (first, second), strict=True):
        assert {index: value for index, value in np.ndenumerate(law) if value} == {
            k: v for k, v in literal.items() if v
        }
        assert law.sum() == 1


@given(strategies.ratios, st.integers(1, 5))
def test_the_clone_pair_is_a_pair_of_scores(E, n):
    table, scores = clones.eq31(n, E), clones.score_pair(clones.clone_scores(E), n)
    assert (clones.kinks(table) == clones.kinks(scores)).all()
    assert below(table, scores)
    assert below(scores, table)


@given(strategies.ratios, st.integers(1, 6))
def test_the_third_component_has_no_weight_at_the_default(E, n):
    """All mass lies on a + b >= 1: the changed user is always a clone."""
    P, Q = clones.eq31(n, E)
    assert P[0, 0] == Q[0, 0] == 0
    assert clones.eq31(n, E, 1 / (E + 2))[0][0, 0] > 0


@given(strategies.ratios)
def test_kinks_settle_every_alpha(E):
    P, Q = clones.eq31(3, E)
    points = clones.kinks(TwoLaws(P, Q))
    middles = (points[:-1] + points[1:]) / 2
    ends = hockey_stick(P, Q, points)
    assert (hockey_stick(P, Q, middles) == (ends[:-1] + ends[1:]) / 2).all()
    assert ends[-1] == 0
    assert hockey_stick(P, Q, points[0] / 2) == 1 - points[0] / 2


# Step 1: B lies below every row, and who is told who left it knows what the scores know.


@given(channels())
def test_the_two_input_blanket_lies_below_every_row(channel):
    for x0, x1 in itertools.permutations(range(channel.inputs), 2):
        B = clones.two_input_blanket(channel, x0, x1)
        assert (channel.probs >= B).all()
        assert sum(B) <= 2 / (channel.ratio + 1)


@settings(max_examples=40)
@given(channels(), st.integers(1, 3), st.data())
def test_the_revealed_view_is_the_score_formula(channel, n, data):
    """For any blanket at all: a random part of the smallest entry of each column."""
    parts = [data.draw(st.fractions(Fraction(1, 10), 1, max_denominator=10)) for _ in range(channel.outputs)]
    others = data.draw(st.lists(st.integers(0, channel.inputs - 1), min_size=n - 1, max_size=n - 1))
    blanket = clones.common_blanket(channel) * np.array(parts, dtype=object)
    brute = clones.revealed_view(channel, others, 0, 1, blanket)
    formula = clones.score_pair(clones.scores(channel, 0, 1, blanket), n)
    assert sum(brute.p) == sum(brute.q) == sum(formula.p) == sum(formula.q) == 1
    assert below(brute, formula)
    assert below(formula, brute)
    assert below(clones.shuffled_view(channel, others, 0, 1), formula)


# Step 2: the scores lie on two segments.


@given(channels())
def test_scores_lie_on_the_segments(channel):
    E = channel.ratio
    score = clones.scores(channel, 0, 1, clones.two_input_blanket(channel, 0, 1))
    assert sum(score.mass * score.t0) == sum(score.mass * score.t1) == 1
    for t0, t1 in zip(score.t0, score.t1, strict=True):
        assert max(t0, t1) == E
        assert min(t0, t1) >= 1


# Step 3: convex order.


@given(ratio_and_alpha(), st.fractions(-100, 100, max_denominator=50))
def test_the_chord_gap_is_never_negative(point, c):
    E, alpha = point
    low, high = alpha - E, alpha * E - 1
    gap = clones.chord_gap(E, alpha, c)
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
    gaps = [clones.chord_gap(E, alpha, c) for c in points]
    slopes = [
        (b - a) / (d - c) for (a, b), (c, d) in zip(itertools.pairwise(gaps), itertools.pairwise(points), strict=True)
    ]
    assert slopes == [s, 1 - s if alpha > 1 else s - 1, -s]
    for c, d in itertools.pairwise(points):
        middle = (clones.chord_gap(E, alpha, c) + clones.chord_gap(E, alpha, d)) / 2
        assert clones.chord_gap(E, alpha, (c + d) / 2) == middle


@pytest.mark.parametrize(("alpha", "c"), [(4, HALF), (Fraction(1, 4), -HALF)])
def test_the_chord_gap_is_negative_outside(alpha, c):
    """The step needs 1/E <= alpha <= E; outside, both sides of the theorem are (1 - alpha)_+."""
    assert clones.chord_gap(3, alpha, c) < 0


@settings(max_examples=60)
@given(channels(), st.fractions(0, 1, max_denominator=20))
def test_the_score_is_below_the_clone_score_in_convex_order(channel, share):
    """At all kinks of both sides, between which both are straight; equal means, so equal beyond them."""
    E = channel.ratio
    alpha = 1 / E + share * (E - 1 / E)
    score, clone = clones.scores(channel, 0, 1, clones.two_input_blanket(channel, 0, 1)), clones.clone_scores(E)
    points = {0, *(alpha * clone.t1 - clone.t0), *(alpha * score.t1 - score.t0)}
    for c in points:
        assert clones.stop_loss(score, alpha, c) <= clones.stop_loss(clone, alpha, c)
    far = max(map(abs, points)) + 1
    assert clones.stop_loss(score, alpha, far) == clones.stop_loss(clone, alpha, far) == 1 - alpha + far


# Step 4: sums, and with them the theorem.


@settings(max_examples=40)
@given(channels(), st.integers(2, 4))
def test_sums_keep_the_order(channel, n):
    score = clones.scores(channel, 0, 1, clones.two_input_blanket(channel, 0, 1))
    assert below(clones.score_pair(score, n), clones.eq31(n, channel.ratio))


@pytest.mark.parametrize("channel", [RR, RR3, HadamardResponse(3, ratio=3), RandomizedResponse(4, ratio=7)], ids=repr)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_data_set(channel, n):
    pair = clones.eq31(n, channel.ratio)
    assert all(below(TwoLaws(data.p, data.q), pair) for data in exact.neighbours(channel, n))


@given(strategies.ratios, st.integers(1, 2))
def test_attained_by_randomized_response(E, n):
    """One or two users: for every alpha one of the data sets of binary randomized response attains the pair."""
    reals = [TwoLaws(data.p, data.q) for data in exact.neighbours(RandomizedResponse(2, ratio=E), n)]
    pair = clones.eq31(n, E)
    alphas = np.array([1 / E + Fraction(i, 12) * (E - 1 / E) for i in range(13)], dtype=object)
    best = np.max([hockey_stick(*real, alphas) for real in reals], axis=0)
    assert (best == hockey_stick(*pair, alphas)).all()


# Places in order, each with a channel of its own choice [feldman2022].

POOL = [
    *(random_channel(3, outputs, ratio=3, rng=np.random.default_rng(outputs)) for outputs in (2, 3)),
    random_channel(3, 2, ratio=2, rng=np.random.default_rng(5)),
    RandomizedResponse(3, ratio=Fraction(5, 2)),
]


def adaptive(history):
    return POOL[(2 * len(history) + 3 * sum(history)) % len(POOL)]


@pytest.mark.parametrize("others", [(0,), (2,), (0, 1), (1, 2)])
def test_in_order(others):
    n, E = len(others) + 1, 3
    pair = clones.eq31(n, E)
    revealed = clone_sequences.in_order_revealed(adaptive, others, 0, 1, E)
    real = clones.aligned(*(clone_sequences.in_order_view(adaptive, others, x) for x in (0, 1)))
    assert sum(revealed.p) == sum(revealed.q) == sum(real.p) == 1
    assert below(real, revealed)
    assert below(revealed, pair)


@pytest.mark.parametrize("others", [(0,), (1, 2), (2, 2)])
def test_in_order_the_revealed_view_is_a_sum_of_scores(others):
    """One place after the other: in the blanket with its mass, else a leaver, drawn from those not yet used."""
    n, E, alphas = len(others) + 1, Fraction(3), [HALF, 1, Fraction(3, 2), Fraction(5, 2)]
    states = [((), frozenset(range(n - 1)), 0, 0, Fraction(1))]
    for _ in range(n):
        following = []
        for history, unused, t0, t1, weight in states:
            channel = adaptive(history)
            B = clones.two_input_blanket(channel, 0, 1, E)
            for o in range(channel.outputs):
                s0, s1 = channel.probs[0, o] / B[o], channel.probs[1, o] / B[o]
                following.append(((*history, o), unused, t0 + s0, t1 + s1, weight * B[o]))
                for user in unused:
                    rest = (channel.probs[others[user], o] - B[o]) / len(unused)
                    following.append(((*history, o), unused - {user}, t0, t1, weight * rest))
        states = following
    revealed = clone_sequences.in_order_revealed(adaptive, others, 0, 1, E)
    for alpha in alphas:
        by_scores = sum(weight * max(t0 - alpha * t1, 0) for _, _, t0, t1, weight in states) / n
        assert hockey_stick(*revealed, alpha) == by_scores


def test_in_order_with_one_channel_is_the_shuffle():
    channel, others = POOL[1], (0, 2)
    in_order = clones.aligned(*(clone_sequences.in_order_view(lambda history: channel, others, x) for x in (0, 1)))
    assert below(in_order, clones.shuffled_view(channel, others, 0, 1))
    assert below(clones.shuffled_view(channel, others, 0, 1), in_order)


@pytest.mark.parametrize(("w", "covered"), [(Fraction(1, 10), False), (Fraction(6, 25), False), (Fraction(1, 4), True)])
def test_users_with_channels_of_their_own_are_not_covered(w, covered):
    """The other user sends 0 with probability w, whatever her data: the shuffle hides less than the pair says."""
    rows = [RR.probs[0], RR.probs[1], np.array([w, 1 - w], dtype=object)]
    real = TwoLaws(*(exact.histogram_law([rows[x], rows[2]]) for x in (0, 1)))
    assert below(real, clones.eq31(2, 3)) == covered
    # The proof needs the other's row above B = 1/4 and nothing else of it.
    assert (rows[2] >= clones.two_input_blanket(RR, 0, 1)).all() == covered


# Two rounds.


@pytest.mark.parametrize("n", [2, 3])
def test_rounds_that_choose_the_next_channel(n):
    second = [random_channel(2, 2, ratio=4, rng=np.random.default_rng(seed)) for seed in range(4)]
    product = clone_sequences.product_pair(clones.eq31(n, 3), clones.eq31(n, 4))
    for data in exact.neighbours(RR, n):
        first = TwoLaws(data.p, data.q)
        later = [clones.shuffled_view(channel, data.others, data.x0, data.x1) for channel in second]
        both = clone_sequences.compose(first, lambda outcome, later=later: later[outcome % 4])
        assert sum(both.p) == sum(both.q) == 1
        assert below(both, product)


# A third component.


def test_specialised_clones_do_not_dominate():
    """claims file: 3/50 against 1/50, and 3/32 with the default weight."""
    alpha, real = Fraction(5, 2), clones.shuffled_view(RR3, [0], 0, 1)
    assert hockey_stick(*real, alpha) == Fraction(3, 50)
    assert hockey_stick(*clones.eq31(2, 3, Fraction(1, 5)), alpha) == Fraction(1, 50)
    assert hockey_stick(*clones.eq31(2, 3), alpha) == Fraction(3, 32)
    corrected = clones.score_pair(clones.scores(RR3, 0, 1, clones.common_blanket(RR3)), 2)
    assert hockey_stick(*corrected, alpha) == Fraction(3, 50)


# Bad input.


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clones.eq31(0, 3), "n must be"),
        (lambda: clones.eq31(2, 1), "ratio must be above 1"),
        (lambda: clones.eq31(2, "3"), "ratio must be a finite number"),
        (lambda: clones.eq31(2, math.nan), "ratio must be a finite number"),
        (lambda: clones.eq31(2, 3, HALF), "p must be above 0 and at most"),
        (lambda: clones.eq31(2, 3, 0), "p must be above 0 and at most"),
        (lambda: clones.two_input_blanket(RR, 0, 2), "x1 must be"),
        (lambda: clones.two_input_blanket(RR, 0, 1, 2), "ratio must be at least the channel's own, 3"),
        (lambda: clones.two_input_blanket(RR.probs, 0, 1), "channel must be"),
        (lambda: clones.common_blanket(None), "channel must be"),
        (lambda: clones.scores(RR, 0, 1, [HALF, HALF]), "blanket must lie from 0"),
        (lambda: clones.scores(RR, 0, 1, [-HALF, 0]), "blanket must lie from 0"),
        (lambda: clones.scores(RR, 0, 1, [0, 0, 0]), "blanket must hold 2 masses"),
        (lambda: clones.scores(RR, 0, 1, [0, Fraction(1, 4)]), "blanket must be positive wherever"),
        (lambda: clones.clone_scores(0), "ratio must be above 1"),
        (lambda: clones.score_pair(clones.clone_scores(3), 1.0), "n must be"),
        (lambda: clones.score_pair([1], 1), "score must be a Scores"),
        (lambda: clones.stop_loss(None, 1, 1), "score must be a Scores"),
        (lambda: clones.stop_loss(clones.clone_scores(3), math.inf, 1), "alpha must be a finite number"),
        (lambda: clones.chord_gap(3, 1, math.nan), "c must be a finite number"),
        (lambda: clones.revealed_view(RR, [2], 0, 1, [0, 0]), "others must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
