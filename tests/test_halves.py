"""Sums of few scores by the outcomes of two halves: against all outcomes, in fractions."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.dominating_pairs import halves
from shufflekit.dominating_pairs.halves import Parts, excess_of_few
from shufflekit.dominating_pairs.score_pair import ScorePair
from shufflekit.protocols import ShuffledCheckIn
from shufflekit.randomizers import HadamardResponse, random_channel
from tests import pairs

RNG = np.random.default_rng(11)


# Chances in 64ths and scores in 8ths are exact as floats.
def laws(most):
    """Of up to so many kinds: chances, and two numbers each."""
    return st.integers(2, most).flatmap(
        lambda k: st.tuples(
            st.lists(st.integers(1, 12), min_size=k, max_size=k),
            st.lists(st.integers(-8, 24), min_size=k, max_size=k),
            st.lists(st.integers(-8, 24), min_size=k, max_size=k),
        )
    )


SCORES = laws(5)


def parts(chance, u0, u1):
    total = sum(chance)
    exactly = [(Fraction(c, total), Fraction(a, 8), Fraction(b, 8)) for c, a, b in zip(chance, u0, u1, strict=True)]
    return exactly, Parts(*(np.array(column, dtype=float) for column in zip(*exactly, strict=True)))


def truth(exactly, number, alpha, x):
    """Score by score."""
    law = {Fraction(0): Fraction(1)}
    for _ in range(number):
        more = defaultdict(Fraction)
        for total, chance in law.items():
            for own, u0, u1 in exactly:
                more[total + u0 - alpha * u1] += chance * own
        law = more
    return sum(chance * max(total - x, 0) for total, chance in law.items())


@given(SCORES, st.integers(1, 6), st.fractions(1, 3, max_denominator=8), st.fractions(0, 4, max_denominator=16))
def test_the_ends_hold_the_truth(scores, number, alpha, x):
    exactly, floats = parts(*scores)
    true = truth(exactly, number, alpha, x)
    lower, upper = (
        float(end[0]) for end in excess_of_few(floats, number, np.array([float(alpha)]), np.array([float(x)]))
    )
    assert lower <= true * (1 + Fraction(1, 10**14))
    assert true * (1 - Fraction(1, 10**14)) <= upper
    assert upper - lower <= 1e-9 * upper + 1e-11


@pytest.mark.parametrize("usual", [0, Fraction(-1, 16), Fraction(1, 64)])
@pytest.mark.parametrize("most", [6_000, 4])
def test_hardly_any_but_the_usual_one(monkeypatch, usual, most):
    """Where lists end early, too: then the upper end says what more may be worth."""
    monkeypatch.setattr(halves, "MOST_OUTCOMES", 0)
    monkeypatch.setattr(halves, "MOST_OF_OTHERS", most)
    kinds = [
        (Fraction(124, 128), usual, usual / 2),
        *((Fraction(1, 128), Fraction(a), Fraction(b)) for a, b in UNUSUAL),
    ]
    floats = Parts(*(np.array(column, dtype=float) for column in zip(*kinds, strict=True)))
    for alpha in (Fraction(1), Fraction(5, 4)):
        for x in (Fraction(0), Fraction(1, 2), Fraction(3), Fraction(9)):
            true = truth(kinds, 12, alpha, x)
            lower, upper = (
                float(end[0]) for end in excess_of_few(floats, 12, np.array([float(alpha)]), np.array([float(x)]))
            )
            assert lower <= true * (1 + Fraction(1, 10**13))
            assert true * (1 - Fraction(1, 10**13)) <= upper
            assert most == 4 or upper <= float(true) * (1 + 2e-6)


UNUSUAL = [(3, 0), (-1, 2), (0, -1), (-1, -1)]


def test_too_many_outcomes_are_not_listed():
    chance = np.full(9, 1 / 9)
    ends = excess_of_few(Parts(chance, RNG.normal(size=9), RNG.normal(size=9)), 100, np.ones(2), np.zeros(2))
    assert (ends.lower == 0).all()
    assert np.isinf(ends.upper).all()


@pytest.mark.parametrize(("slots", "kinds", "longest"), [(7, 30, 40_920), (8, 5, 70), (1, 100, 100)])
def test_how_many_outcomes_are_listed(slots, kinds, longest):
    scores = Parts(np.full(kinds, 1 / kinds), np.linspace(0, 1, kinds), np.linspace(1, 0, kinds))
    found = halves._halves(scores, slots)
    assert len(found.first.chance) == longest == halves._longest(scores, slots)
    assert found.first.chance.sum() == pytest.approx(1, rel=1e-12)
    assert len(found.second.chance) == math.comb(slots // 2 + kinds - 1, kinds - 1)


@pytest.mark.parametrize(
    ("channel", "slots"), [(HadamardResponse(8, 2.0), 12), (random_channel(4, 5, 1.0, rng=RNG), 9)]
)
def test_near_the_lines(monkeypatch, channel, slots):
    """The same ends, where lines have very many nodes."""
    pair = ScorePair(pairs.equal_others(channel, slots, 2 * slots, 0, 1, 2).define(float))
    eps = pair.largest_loss * np.linspace(0, 0.6, 7)
    ends = pair.delta(eps)
    monkeypatch.setattr(halves, "MOST_OUTCOMES", 0)
    lines = pair.delta(eps)
    assert (lines.lower <= ends.upper).all()
    assert (ends.lower <= lines.upper).all()
    assert (ends.upper - ends.lower <= 1e-7 * ends.upper).all()


def test_what_may_be_left_out_is_not_looked_at_closely(monkeypatch):
    """Of rare reports, far out."""
    asked = []
    monkeypatch.setattr("shufflekit.dominating_pairs.score_pair.excess_of_sums", lambda *args: asked.append(args))
    known = ShuffledCheckIn(population=330, rate=0.0004534, randomizer=random_channel(3, 4, 1.3, rng=RNG))
    pair = ScorePair(known.attacks[0].define(float))
    far = pair.largest_loss * np.array([0.5, 0.9])
    assert (pair.delta(far, log_cut=-40.0).upper < math.exp(-40)).all()
    assert not asked


@given(SCORES, st.integers(1, 6), st.fractions(1, 3, max_denominator=8), st.booleans())
def test_one_law_at_many_alphas(scores, number, alpha, turned):
    """Scores without u0, or without u1: the lists are sorted once for all alphas."""
    chance, u, _ = scores
    none = [0] * len(u)
    exactly, floats = parts(chance, *((none, u) if turned else (u, none)))
    alphas = [alpha + Fraction(i, 8) for i in range(8)]
    points = [Fraction(i, 4) for i in range(8)]
    found = excess_of_few(floats, number, np.array(alphas, dtype=float), np.array(points, dtype=float))
    for i, (a, x) in enumerate(zip(alphas, points, strict=True)):
        true = truth(exactly, number, a, x)
        assert found.lower[i] <= true * (1 + Fraction(1, 10**14)) + Fraction(1, 10**15)
        assert true * (1 - Fraction(1, 10**14)) <= found.upper[i]
        assert found.upper[i] - found.lower[i] <= 1e-9 * found.upper[i] + 1e-11


@pytest.mark.parametrize("at_once", [1, 100, 2**18])
def test_points_in_pieces(monkeypatch, at_once):
    """However many points are looked up together, each has the ends that it has alone."""
    monkeypatch.setattr(halves, "AT_ONCE", at_once)
    u = np.array([2.0, -0.25, -0.5, 0.125])
    scores = Parts(np.array([0.01, 0.9, 0.05, 0.04]), u, 0 * u)
    x = np.linspace(0.0, 20.0, 57)
    for number in (6, 300):
        found = excess_of_few(scores, number, np.ones(57), x)
        each = [excess_of_few(scores, number, np.ones(1), x[i : i + 1]) for i in range(57)]
        assert found.lower == pytest.approx(np.concatenate([one.lower for one in each]), rel=1e-13, abs=0)
        assert found.upper == pytest.approx(np.concatenate([one.upper for one in each]), rel=1e-13, abs=0)


def test_what_a_point_costs():
    """The outcomes of the half that is looked up: of all scores, of those that are not the usual one, or none."""
    u = np.array([2.0, -0.25, -0.5, 0.125])
    few, none = Parts(np.array([0.3, 0.3, 0.3, 0.1]), u, 0 * u), Parts(np.full(4, 0.25), u, 0 * u)
    assert halves.price(few, 6) == math.comb(3 + 3, 3)
    rare = Parts(np.array([1e-5, 1 - 3e-5, 1e-5, 1e-5]), u, 0 * u)
    assert halves.price(rare, 10_000) == sum(math.comb(count - count // 2 + 2, 2) for count in range(11))
    assert halves.price(none, 10_000) == math.inf
