"""The exact law of the histogram, against a listing of all assignments, in three arithmetics."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import tables

from shufflekit import definitions, divergences, exact
from shufflekit.randomizers import HadamardResponse, RandomizedResponse, random_channel


def listed(rows):
    """The law of the histogram, message by message: every assignment, one after the other."""
    n, outputs = rows.shape
    law = np.full((n + 1,) * (outputs - 1), Fraction(0), dtype=object)
    for messages in itertools.product(range(outputs), repeat=n):
        histogram = tuple(messages.count(j) for j in range(outputs - 1))
        law[histogram] += math.prod((rows[i, o] for i, o in enumerate(messages)), start=Fraction(1))
    return law


def embedded(law, shape):
    """A law of fewer messages, in a larger table."""
    larger = np.full(shape, Fraction(0), dtype=object)
    larger[tuple(slice(0, size) for size in law.shape)] = law
    return larger


@given(tables())
@settings(max_examples=60)
def test_equals_the_listing(rows):
    law = exact.histogram_law(rows)
    assert law.shape == (len(rows) + 1,) * (rows.shape[1] - 1)
    assert law.sum() == 1
    assert (law == listed(rows)).all()


@given(tables(6), st.randoms(use_true_random=False))
def test_order_of_the_clients_does_not_matter(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert (exact.histogram_law(rows) == exact.histogram_law(shuffled)).all()


@given(tables(5), st.data())
def test_sampling_is_the_average_over_all_samples(rows, data):
    k = data.draw(st.integers(1, len(rows)))
    law = exact.sampled_law(rows, k)
    subsets = list(itertools.combinations(rows, k))
    average = sum(exact.histogram_law(list(subset)) for subset in subsets) / Fraction(len(subsets))
    assert law.sum() == 1
    assert (law == average).all()
    assert (exact.sampled_law(rows, len(rows)) == exact.histogram_law(rows)).all()


@given(tables(6), st.data())
def test_three_arithmetics_agree(rows, data):
    k = data.draw(st.integers(1, len(rows)))
    truth = exact.sampled_law(rows, k)
    floats = exact.sampled_law(np.array(rows, dtype=float), k)
    assert floats.dtype == np.float64
    np.testing.assert_allclose(floats, np.array(truth, dtype=float), rtol=1e-13, atol=0)
    with mp.workdps(40):
        digits = exact.sampled_law(np.vectorize(mp.mpmathify, otypes=[object])(rows), k)
        for a, b in zip(digits.flat, truth.flat, strict=True):
            assert abs(a - mp.mpmathify(b)) <= mp.mpf(10) ** -38


@pytest.mark.parametrize(("n", "outputs"), [(12, 4), (60, 3)])
def test_the_sizes_the_course_needs(n, outputs):
    """Dynamic programming: 4^12 assignments, 3^60 of them, would not be listed in a lifetime."""
    rows = np.array([RandomizedResponse(outputs, ratio=3).probs[i % outputs] for i in range(n)])
    law = exact.histogram_law(rows)
    assert law.sum() == 1
    # One count alone is a sum of independent votes, here of two kinds.
    alone = law.sum(axis=tuple(range(1, outputs - 1)))
    two = exact.histogram_law([[row[0], 1 - row[0]] for row in rows])
    assert (alone == two).all()


CHANNELS = [
    RandomizedResponse(2, ratio=3),
    RandomizedResponse(3, ratio=Fraction(5, 2)),
    HadamardResponse(2, ratio=4),
    random_channel(3, 3, ratio=3, rng=np.random.default_rng(1)),
]


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, None)])
def test_neighbours(channel, n, k):
    pairs = list(exact.neighbours(channel, n, k))
    inputs = channel.inputs
    assert len(pairs) == math.comb(inputs + n - 2, n - 1) * inputs * (inputs - 1)
    for others, x0, x1, p, q in pairs:
        assert x0 != x1
        for x, law in ((x0, p), (x1, q)):
            assert (law == exact.sampled_law(channel.probs[[*others, x]], n if k is None else k)).all()


def test_neighbours_come_in_both_orders():
    pairs = {(pair.others, pair.x0, pair.x1): (pair.p, pair.q) for pair in exact.neighbours(CHANNELS[1], 3)}
    for (others, x0, x1), (p, q) in pairs.items():
        other_p, other_q = pairs[others, x1, x0]
        assert (p == other_q).all()
        assert (q == other_p).all()


@pytest.mark.parametrize("k", [1, 2])
def test_triples(k):
    channel = CHANNELS[1]
    triples = list(exact.triples(channel, 2, k))
    assert len(triples) == 3 * 27
    for others, x, *laws in triples:
        for input_, law in zip(x, laws, strict=True):
            assert (law == exact.sampled_law(channel.probs[[*others, input_]], k)).all()


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("clones", "order"), [(1, 2), (2, 3), (3, 1), (4, 2)])
def test_ternary_is_the_worst_of_all_triples(channel, clones, order):
    worst = 0
    for d, d1, d2 in itertools.product(range(channel.inputs), repeat=3):
        data = [[d] * (clones - 1) + [last] for last in (d1, d2, d)]
        laws = [exact.histogram_law(channel.probs[inputs]) for inputs in data]
        worst = max(worst, divergences.ternary(*laws, order))
    assert exact.ternary(channel, clones, order) == worst


def test_a_table_is_needed():
    for rows in ([0.5, 0.5], [[1.0]], np.full((2, 2, 2), 0.5)):
        with pytest.raises(ValueError, match="rows must be a table"):
            exact.histogram_law(rows)
        with pytest.raises(ValueError, match="rows must be a table"):
            exact.sampled_law(rows, 1)


def test_checks_come_at_the_call_not_at_the_first_pair():
    for call in (exact.neighbours, exact.triples):
        with pytest.raises(ValueError, match="k must be a whole number of at least 1 and at most 3"):
            call(CHANNELS[0], 3, 4)
        with pytest.raises(TypeError, match="channel must be a shufflekit"):
            call("RR", 3)


# Pairs and laws.


def test_a_pair_by_hand():
    """Binary randomized response, E = 3, both of two slots of a population of two: no, one and two yes."""
    q = Fraction(1, 4)
    scores = ((q, 2, 0), (q, 0, 2), (2 * q, -1, -1))
    kinds = tuple(definitions.kind(*map(Fraction, one)) for one in scores)
    found = exact.pair(definitions.Definition(2, 2, (kinds,)))
    by_ratio = {}
    for p, other in zip(found.p, found.q, strict=True):
        assert isinstance(p, Fraction)
        by_ratio[p, other] = by_ratio.get((p, other), 0) + 1
    # First, second, left: (2,0,0), (0,2,0), (1,1,0), (1,0,1), (0,1,1), (0,0,2), the last with a mass of 0.
    masses = [(3, 1), (1, 3), (4, 4), (6, 2), (2, 6), (0, 0)]
    assert by_ratio == {(Fraction(a, 16), Fraction(b, 16)): 1 for a, b in masses}
    assert sum(found.p) == sum(found.q) == 1


@pytest.mark.parametrize(
    ("definition", "kind", "words"),
    [
        (3, TypeError, "definition must be a shufflekit.definitions.Definition, got 3"),
        (definitions.Definition(1, 1, definitions.corners(Fraction(2)).laws), ValueError, "one law of scores, got 5"),
    ],
)
def test_what_is_no_pair(definition, kind, words):
    with pytest.raises(kind, match=words):
        exact.pair(definition)


def test_whole_numbers_of_a_law_become_fractions():
    found = exact.law([1, Fraction(1, 2)])
    assert found.dtype == object
    assert found[0] / 3 == Fraction(1, 3)
    assert exact.law([0.5, 0.25]).dtype == np.float64
    assert exact.law([1, 0.5]).dtype == object


def test_fractions_and_other_numbers_together():
    """What is not all in fractions has no common denominator."""
    rows = np.array([[Fraction(1, 2), mp.mpf("0.5")]] * 2, dtype=object)
    assert [float(x) for x in exact.histogram_law(rows)] == [0.25, 0.5, 0.25]
