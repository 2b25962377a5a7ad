"""The benches of notebooks 9 and 10: every row holds, some rows are tight, and each misprint fails at its point."""

import functools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shufflekit.divergences import hockey_stick
from shufflekit.papers.koskela2023 import atoms_bench, blanket_bench, clones_bench, losses, losses_bench
from shufflekit.papers.rows import compared
from shufflekit.randomizers import RandomizedResponse

# A bench whose left sides are at most the right ones, how many rows it has, how many of them are not trivial, and the
# largest share among those.
BELOW = {
    clones_bench.two_rounds: (1418, 1310, 1.0),
    clones_bench.unlike_rounds: (1152, 1040, 1.0),
    clones_bench.shuffles: (7170, 4570, 1.0),
    clones_bench.in_order: (468, 126, 0.86627),
    clones_bench.many_rounds: (1368, 1080, 0.9899),
    blanket_bench.chords: (600, 0, 0.0),
    blanket_bench.single_scores: (5720, 2444, 0.9986),
    blanket_bench.sums: (1190, 468, 0.97102),
    blanket_bench.own_pairs: (6300, 4806, 1.0),
    atoms_bench.terms: (64, 64, 0.9252),
    atoms_bench.appendix_b: (400, 143, 0.9474),
}
EQUAL = {
    clones_bench.events: 198,
    losses_bench.section_31: 624,
    losses_bench.lemma_a1: 88,
    losses_bench.lemma_a4_read_as_2p: 102,
}
EQUATIONS = {
    losses_bench.theorem_6: 368,
    losses_bench.lemma_a2: 88,
    losses_bench.corollary_a3: 272,
    losses_bench.lemma_a4: 136,
}
BOUNDS = {atoms_bench.lemma_11: 150, atoms_bench.lemma_11_appendix: 48, atoms_bench.abstract: 32}
NAME = {"ids": lambda one: getattr(one, "__name__", None)}


@functools.cache
def rows_of(bench):
    return compared(bench())


@pytest.mark.parametrize("bench", BELOW, **NAME)
def test_no_left_side_is_above_the_right_one(bench):
    rows = rows_of(bench)
    decides = rows.without(clones_bench.TRIVIAL)
    assert all(left <= right for left, right in zip(rows.lhs, rows.rhs, strict=True))
    shares = [float(a / b) for a, b, own in zip(rows.lhs, rows.rhs, decides, strict=True) if own and b]
    assert (len(rows.lhs), sum(decides)) == BELOW[bench][:2]
    assert max(shares, default=0.0) == pytest.approx(BELOW[bench][2], abs=1e-4)


@pytest.mark.parametrize("bench", EQUAL, **NAME)
def test_both_sides_are_equal_in_fractions(bench):
    rows = rows_of(bench)
    assert rows.lhs == rows.rhs
    assert len(rows.lhs) == EQUAL[bench]
    assert any(isinstance(left, Fraction) and 0 < left < 1 for left in rows.lhs)


@pytest.mark.parametrize("bench", EQUATIONS, **NAME)
def test_a_printed_equation_fails_and_the_right_one_holds(bench):
    (left, right, at), rows = bench()
    assert left != right
    assert at
    assert all(x == y for x, y, _ in rows)
    assert len(rows) == EQUATIONS[bench]


@pytest.mark.parametrize("bench", BOUNDS, **NAME)
def test_a_printed_bound_fails_and_the_right_one_holds(bench):
    (left, right, at), rows = bench()
    assert left > right
    assert at
    assert all(x <= y * (1 + 1e-12) for x, y, _ in rows)
    assert len(rows) == BOUNDS[bench]


def test_the_bench_of_channels():
    channels = clones_bench.bench()
    assert Counter(one.ratio for one in channels[:13]) == {Fraction(3, 2): 2, 3: 3, 7: 2, 2: 3, 5: 3}
    assert [float(one.ratio) for one in channels[13:]] == pytest.approx([1.41291, 1.92905], rel=1e-5)


def test_the_worst_event_is_found_by_trying_all():
    P, Q = RandomizedResponse(3, ratio=3).probs[:2]
    assert clones_bench.worst_event(P, Q, 2) == Fraction(1, 5) == hockey_stick(P, Q, 2)


def test_scores_lie_on_two_segments():
    found = blanket_bench.segment_scores(5)
    assert set(found.max(axis=1)) == {5}
    assert found.min() >= 1
    assert len(found) > 150


def test_the_chord_has_four_corners():
    assert blanket_bench.corners(Fraction(3), Fraction(5, 4)) == [Fraction(-7, 4), 0, Fraction(3, 4), Fraction(11, 4)]


def test_too_few_kinds_of_clones_are_no_bound():
    assert all(blanket_bench.lumped(k, E, n) for k in (3, 4) for E in (2, 8) for n in (2, 3))
    assert not blanket_bench.lumped(2, 3, 3)  # the clones of binary randomized response


def test_revealed_views_and_scores_are_equal(monkeypatch):
    monkeypatch.setattr(blanket_bench, "bench", lambda: clones_bench.bench()[:4])
    rows = compared(blanket_bench.revealed())
    both = [(a, b) for a, b, where in zip(*rows[:2], rows.over["where"], strict=True) if where.endswith("equal")]
    assert len(both) > 500
    assert all(a == b for a, b in both)
    assert all(a <= b for a, b in zip(*rows[:2], strict=True))


def test_the_border_of_the_clone_pair():
    (left, right, at), rows = losses_bench.appendix_a()
    assert left == pytest.approx(0.00798471, rel=1e-5)
    assert left > right
    assert at == {"n": 100, "E": 20}
    assert len(rows) == 30
    assert all(x == y for x, y, _ in rows)
    n = losses_bench.fewest_for_border(3, 1e-3)
    laws = [losses.eq31(size, 3).p for size in (n - 1, n)]
    assert laws[0][:, 0].sum() > Fraction(1, 1000) >= laws[1][:, 0].sum()


def test_the_printed_corollary_is_right_for_the_papers_own_p_only():
    assert losses_bench.printed_a3_error(6, Fraction(3), Fraction(1, 4)) == 0
    assert float(losses_bench.printed_a3_error(6, Fraction(3), Fraction(1, 6))) == pytest.approx(0.0996871, rel=1e-5)


def test_a_contour_crosses_every_bracket():
    found = atoms_bench.crossings()
    rows = atoms_bench.crossed_rows(found)
    assert len(found) == 7
    assert len(rows) == 14
    assert all(left <= right for left, right, _ in rows)
    assert all(0.95 < one.at_upper / one.at_lower < 1 for one in found)


def test_the_difference_of_the_colours():
    law = losses.eq31(3, 3).p
    values, chances = clones_bench.difference(law)
    expected = {value: sum(law[b, w] for b, w in np.ndindex(law.shape) if b - w == value) for value in range(-3, 4)}
    assert dict(zip(values, chances, strict=True)) == expected


def test_the_clone_pair_is_attained_by_two_clients():
    alphas, shares = clones_bench.attained(3, 2)
    assert set(shares) == {1}
    assert (alphas[0], alphas[-1]) == (Fraction(4, 9), Fraction(26, 9))
    assert float(min(clones_bench.attained(3, 3)[1])) == pytest.approx(0.947368, rel=1e-5)
