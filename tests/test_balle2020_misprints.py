"""Misprints: each fails at its point, and its right form holds on its rows. The proof of Theorem A.4, step by step."""

import math
from fractions import Fraction

import pytest

from shufflekit.papers.balle2020 import misprints, replacement_bench
from shufflekit.randomizers import RandomizedResponse

ALL = {
    misprints.short_form: 136,
    misprints.condition: 9,
    misprints.argument: 24,
    misprints.doubled: 57,
    misprints.half: 64,
    misprints.display: 36,
}


@pytest.mark.parametrize("misprint", ALL, ids=lambda one: one.__name__)
def test_a_misprint_and_how_many_points_the_right_form_holds_at(misprint):
    (lhs, rhs, at), rows = misprint()
    assert lhs > 1.05 * rhs
    assert at
    assert len(rows) == ALL[misprint]
    assert all(left <= right * (1 + 1e-12) for left, right, _ in rows)


def test_corollary_33_where_it_applies():
    rows = misprints.epochs(1e-6)
    assert len(rows) == 64
    assert 0.4 < max(composed / printed for composed, printed, _ in rows) <= 0.5
    assert not misprints.applies(1.0, 10, 9, 0.95)


def test_surrogates():
    rows = misprints.surrogates()
    assert len(rows) == 20
    assert all(far <= delta1 * (1 + 1e-12) for far, delta1, _ in rows)
    assert max(far / delta1 for far, delta1, _ in rows) > 0.99


# The parts of the proof.


def test_steps_of_one_and_two():
    assert replacement_bench.steps_epsilon([1.0], 0.1) == pytest.approx(math.log(math.e - 0.1 * (math.e + 1)))
    assert replacement_bench.steps_epsilon([0.1], 0.5) == 0.0
    right = 1 / (1 + math.exp(-1.0))
    eps = replacement_bench.steps_epsilon([1.0, 1.0], 0.1)
    delta = right**2 * -math.expm1(eps - 2) + 2 * right * (1 - right) * max(0.0, -math.expm1(eps))
    assert delta == pytest.approx(0.1)


@pytest.mark.parametrize(("eps", "delta"), [(0.1, 1e-3), (1.0, 1e-6)])
def test_steps_that_are_alike(eps, delta):
    listed = replacement_bench.steps_epsilon([eps] * 12, delta)
    assert replacement_bench.alike_epsilon(eps, 12, delta) == pytest.approx(listed, rel=1e-9)


def test_lemma_a2_is_nearly_attained_by_many_steps():
    shares = {where: found / bound for found, bound, where in replacement_bench.steps_rows()}
    many = {where: share for where, share in shares.items() if where.startswith("all as")}
    assert max(shares.values()) <= 1
    assert 0.9 < max(share for where, share in many.items() if "first" in where) < max(many.values()) < 0.93
    assert max(share for where, share in shares.items() if where not in many) < 0.7


def test_posteriors():
    channel = RandomizedResponse(2, ratio=3)
    assert replacement_bench.posterior(channel, (1, 1), ()) == Fraction(1, 2)
    assert replacement_bench.posterior(channel, (1, 1), (1,)) == Fraction(3, 4)  # likelier from the other
    assert replacement_bench.posterior(channel, (1, 1), (0,)) == Fraction(1, 4)


@pytest.mark.parametrize("rows", [replacement_bench.biased_rows, replacement_bench.posterior_rows])
def test_rows_hold_in_fractions_and_are_attained(rows):
    found = rows()
    assert all(truth <= bound for truth, bound, _ in found)
    assert all(isinstance(side, Fraction | int) for truth, bound, _ in found for side in (truth, bound))
    assert max(truth / bound for truth, bound, _ in found) == 1
