"""Check-ins: the mixture over how many took part, and the channel that may be silent, in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import exact
from shufflekit.beyond import check_ins, dominance, views
from shufflekit.beyond.scores import clone_scores
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.randomizers import RandomizedResponse
from tests import strategies

HALF = Fraction(1, 2)
RR = RandomizedResponse(2, ratio=3)
rates = st.fractions(Fraction(1, 50), 1, max_denominator=50)


def below(lower, upper):
    lhs, rhs, _ = dominance.profiles(lower, upper)
    return bool((lhs <= rhs).all())


@given(strategies.ratios, st.integers(1, 5), rates)
def test_check_ins_are_the_channel_that_may_be_silent(ratio, n, g):
    score = clone_scores(ratio)
    mixture, silence = check_ins.check_in_mixture(score, n, g), check_ins.check_in_pair(score, n, g)
    assert below(mixture, silence)
    assert below(silence, mixture)


@pytest.mark.parametrize("g", [Fraction(1, 10), HALF, Fraction(1)])
def test_check_ins_dominate(g):
    for channel in (RR, RandomizedResponse(3, ratio=2)):
        pair = check_ins.check_in_mixture(clone_scores(channel.ratio), 3, g)
        quiet = check_ins.silent(channel, g)
        assert quiet.ratio == channel.ratio
        assert all(below((d.p, d.q), pair) for d in exact.neighbours(quiet, 3))


def test_the_exact_check_in_is_a_mixture_over_the_messages_shown():
    """By coins of all users, against the channel that may be silent."""
    g, others = Fraction(1, 3), [0, 1]
    quiet = views.shuffled_view(check_ins.silent(RR, g), others, 0, 1)
    p, q = [], []
    for k in range(4):
        chance = math.comb(3, k) * g**k * (1 - g) ** (3 - k)
        rows = [[RR.probs[x] for x in (*others, own)] for own in (0, 1)]
        for side, row in zip((p, q), rows, strict=True):
            side.extend(chance * x for x in (exact.sampled_law(row, k) if k else np.ones(1, dtype=int)).flat)
    by_coins = TwoLaws(exact.law(p), exact.law(q))
    assert below(quiet, by_coins)
    assert below(by_coins, quiet)


def test_without_the_number_of_messages_it_is_false():
    score = clone_scores(3)
    hidden, shown = check_ins.uncounted_check_in(score, 2, HALF), check_ins.check_in_mixture(score, 2, HALF)
    real = views.shuffled_view(check_ins.silent(RR, HALF), [0], 0, 1)
    assert sum(hidden.p) == 1 == sum(hidden.q)
    assert [hockey_stick(*laws, 2) for laws in (real, shown, hidden)] == [
        Fraction(3, 64),
        Fraction(3, 64),
        Fraction(1, 128),
    ]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: check_ins.check_in_mixture(clone_scores(3), 0, HALF), "n must be"),
        (lambda: check_ins.check_in_mixture(clone_scores(3), 2, 0), "rate must be"),
        (lambda: check_ins.check_in_mixture(None, 2, HALF), "law must be"),
        (lambda: check_ins.check_in_pair(None, 2, HALF), "law must be"),
        (lambda: check_ins.check_in_pair(clone_scores(3), 2, 2), "rate must be"),
        (lambda: check_ins.uncounted_check_in(clone_scores(3), 0, HALF), "n must be"),
        (lambda: check_ins.uncounted_check_in(None, 2, HALF), "law must be"),
        (lambda: check_ins.silent(None, HALF), "channel must be"),
        (lambda: check_ins.silent(RR, 1.5), "rate must be"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()
