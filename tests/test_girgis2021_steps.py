"""The steps inside the proofs, each against the same thing computed another way."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from shufflekit import divergences, exact
from shufflekit.papers import girgis2021
from shufflekit.papers.girgis2021 import steps
from shufflekit.randomizers import HadamardResponse, RandomizedResponse, random_channel

CHANNELS = [
    RandomizedResponse(2, ratio=3),
    RandomizedResponse(3, ratio=7),
    HadamardResponse(2, ratio=Fraction(3, 2)),
    random_channel(3, 3, ratio=4, rng=np.random.default_rng(5)),
]


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_in_and_out_make_up_the_sampled_view(channel, k):
    rows = channel.probs[[0, 1, 1]]
    inside, outside = steps.in_and_out(rows, k)
    gamma = Fraction(k, 3)
    assert (gamma * inside + (1 - gamma) * outside == exact.sampled_law(rows, k)).all()
    assert inside.sum() == 1
    assert outside.sum() == (k < 3)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_eq44_adds_up_to_the_moment(channel):
    rows, changed = channel.probs[[0, 1, 0]], channel.probs[[0, 1, 1]]
    for k, order in product((1, 2, 3), (2, 3, 5)):
        moment = divergences.renyi_moment(exact.sampled_law(rows, k), exact.sampled_law(changed, k), order)
        assert moment == 1 + sum(steps.eq44(rows, changed, k, order))


def test_zeta_power_by_hand():
    # One client, E = 7: two outputs of probability 1/9, on which the rows differ by 6/9.
    assert steps.zeta_power(RandomizedResponse(3, ratio=7), 1, 3) == 48
    assert steps.zeta_power(RandomizedResponse(2, ratio=3), 1, 2) == Fraction(4, 3)


@pytest.mark.parametrize("order", [1, 2, 3, 4.5, 8])
@pytest.mark.parametrize("ratio", [1.05, 1.5, 2.0, 7.0, 100.0])
def test_largest_E0_is_two_or_three_values(order, ratio):
    three, two = 2 / (ratio + 2), (1 + ratio ** (1 - order)) / (ratio + 1)
    expected = (ratio - 1) ** order * max(three, two)
    assert math.isclose(steps.largest_E0(order, math.log(ratio)), expected, rel_tol=1e-7)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_largest_E0_bounds_every_channel(channel):
    for order in (1, 2, 3, 4):
        assert steps.zeta_power(channel, 1, order) <= steps.largest_E0(order, channel.eps0) * (1 + 1e-9)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_lemma4_is_an_identity(channel):
    q = 1 / Fraction(channel.ratio)
    for a, b, last, clone in product(range(channel.inputs), repeat=4):
        mixed = steps.lemma4(channel.probs[[a, b]], channel.probs[last], channel.probs[clone], q)
        assert (mixed == exact.histogram_law(channel.probs[[a, b, last]])).all()


def test_lemma4_refuses_more_clones_than_privacy_allows():
    rows = CHANNELS[0].probs
    with pytest.raises(ValueError, match="0 or above"):
        steps.lemma4(rows[[1]], rows[0], rows[0], Fraction(1, 2))


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_thm5_bounds_every_crowd_and_is_equal_alone(channel, order):
    for t in exact.triples(channel, 3):
        left = divergences.ternary(t.p, t.q, t.r, order)
        assert left == steps.in_crowd(channel, t.others, t.x, order)
        assert left <= steps.thm5(channel, 3, t.x, order)
    x = (0, 1, channel.inputs - 1)
    assert steps.thm5(channel, 1, x, order) == steps.in_crowd(channel, [], x, order)


def test_in_crowd_names_the_allowed_records():
    with pytest.raises(ValueError, match="records must be from 0 to 1"):
        steps.in_crowd(CHANNELS[0], [2], (0, 1, 0), 2)
    with pytest.raises(ValueError, match="records must be from 0 to 1"):
        steps.in_crowd(CHANNELS[0], [0], (0, -1, 0), 2)


def test_lemma7_exact_is_randomized_response():
    channel = RandomizedResponse(2, ratio=7)
    for m, order in product((1, 2, 5), (1, 2, 3, 4)):
        same = exact.histogram_law(channel.probs[[0] * m])
        other = exact.histogram_law(channel.probs[[0] * (m - 1) + [1]])
        truth = divergences.pearson_vajda(other, same, order)
        assert math.isclose(steps.lemma7_exact(m, order, math.log(7)), truth, rel_tol=1e-12)
    # By hand: E = 7, one record, order 3: (1/8) 6^3 + (7/8) (6/7)^3 = 1350/49.
    assert math.isclose(steps.lemma7_exact(1, 3, math.log(7)), 1350 / 49, rel_tol=1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_lemma7_exact_is_the_supremum(channel):
    for m, order, d, changed in product((1, 2, 3), (2, 3, 4), range(channel.inputs), range(channel.inputs)):
        same = exact.histogram_law(channel.probs[[d] * m])
        other = exact.histogram_law(channel.probs[[d] * (m - 1) + [changed]])
        assert divergences.pearson_vajda(other, same, order) <= steps.lemma7_exact(m, order, channel.eps0) * (1 + 1e-12)


@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_thm4_exact_moments_lies_between_truth_and_thm4_averaged(channel):
    for k, order in product((1, 2, 3), (2, 3, 4)):
        truth = max(divergences.ternary(t.p, t.q, t.r, order) for t in exact.triples(channel, k))
        bound = steps.thm4_exact_moments(order, channel.eps0, k)
        assert truth <= bound * (1 + 1e-12)
        assert bound <= girgis2021.thm4_averaged(order, channel.eps0, k) * (1 + 1e-12)


@pytest.mark.parametrize(("eps0", "k", "order"), [(1.0, 50, 3), (2.0, 300, 8), (3.0, 200, 17)])
def test_thm4_exact_moments_in_mpmath(eps0, k, order):
    with mpmath.workdps(40):
        E = mpmath.exp(eps0)
        q, p, total = 1 / E, 1 / (E + 1), mpmath.mpf(0)
        for m in range(k):
            size = m + 1
            moment = sum(
                mpmath.binomial(size, b) * p**b * (1 - p) ** (size - b) * abs(b - size * p) ** order
                for b in range(size + 1)
            )
            term = min((2 * (E - 1 / E) / size) ** order * moment, (E - 1) ** order)
            total += mpmath.binomial(k - 1, m) * q**m * (1 - q) ** (k - 1 - m) * term
        assert abs(steps.thm4_exact_moments(order, eps0, k) / total - 1) < 1e-11


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="eps0 must be positive"):
        steps.thm4_exact_moments(2, -1.0, 10)
    with pytest.raises(ValueError, match="order must be"):
        steps.lemma7_exact(3, 0.5, 1.0)
    with pytest.raises(ValueError, match="k must be"):
        steps.thm5(CHANNELS[0], 0, (0, 1, 0), 2)
    with pytest.raises(ValueError, match="k must be"):
        steps.in_and_out(CHANNELS[0].probs, 3)
