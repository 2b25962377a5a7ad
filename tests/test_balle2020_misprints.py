"""Misprints: each fails at its point, and its right form holds on its rows. The proof of Theorem A.4, step by step."""

import math
from fractions import Fraction

import pytest

from shufflekit.papers.balle2020 import epochs, misprints, replacement_bench
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


def test_what_the_conditions_of_section_3_refuse():
    """By hand: (e^2 - 1) sqrt(100 e^2) is 173.67, e^(-1/8) is 0.8825."""
    least = (math.e**2 - 1) * 10 * math.e
    for call in (epochs.eq6_doubled, epochs.eq6_doubled_corrected):
        assert call(2.0, 174, 100, 0.5) == pytest.approx(2 * least * math.sqrt(2 * math.log(2)) / 174)
        with pytest.raises(
            ValueError, match=r"n must be at least \(e\^eps0 - 1\) sqrt\(m e\^eps0\) = 173.673, got 173"
        ):
            call(2.0, 173, 100, 0.5)
    least = math.exp(-1 / 8)
    assert epochs.eq6_doubled_corrected(2.0, 174, 100, least) == epochs.eq6_doubled(2.0, 174, 100, least)
    with pytest.raises(ValueError, match=r"beta must be at most e\^\(-1/8\) = 0.882497, got 0.8825"):
        epochs.eq6_doubled_corrected(2.0, 174, 100, 0.8825)


def test_a_point_that_the_condition_does_not_allow_is_none(monkeypatch):
    monkeypatch.setattr(misprints, "thm_a4_condition", lambda **at: 2e-8)
    assert misprints.condition().printed[2]["delta0"] == 2e-8
    monkeypatch.setattr(misprints, "thm_a4_condition", lambda **at: 1.9e-8)
    with pytest.raises(AssertionError, match="the point must be one that the condition allows"):
        misprints.condition()
