"""What the notebooks hold against each other: each row holds, and each misprint fails at its point."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import claims
from shufflekit.divergences import renyi_moment
from shufflekit.papers import liew2022
from shufflekit.papers.girgis2021 import thm1
from shufflekit.papers.liew2022 import experiments, removal_bench, response_bench
from shufflekit.papers.rows import Misprint, compared
from tests.points import assert_same

BELOW = (response_bench.lemma_6, response_bench.lemma_8, response_bench.equation_5, response_bench.theorem_3)
EQUAL = (response_bench.proof_of_lemma_8, response_bench.theorem_1)
MISPRINTS = (
    response_bench.lemma_4,
    response_bench.lemma_5,
    response_bench.lemma_7,
    response_bench.jensen,
    response_bench.equation_7,
    response_bench.step_of_theorem_3,
    removal_bench.theorem_5,
    removal_bench.prefactor,
)
MISPRINTED_EQUATIONS = (
    response_bench.equation_7_display,
    removal_bench.exponents,
    removal_bench.display,
    removal_bench.closed_form,
    removal_bench.remark_5,
)
NAME = {"ids": lambda one: one.__name__}


BENCHES = (
    *BELOW,
    *EQUAL,
    *MISPRINTS,
    *MISPRINTED_EQUATIONS,
    removal_bench.theorem_4,
    removal_bench.theorem_4_data,
    response_bench.baseline,
)


@functools.cache
def found_by(bench):
    """What a bench finds, once for all tests."""
    return bench()


def below(rows):
    return all(left <= right * (1 + 1e-10) for left, right, _ in rows)


def equal(rows):
    return all(left == pytest.approx(right, rel=1e-10) for left, right, _ in rows)


@pytest.mark.parametrize("bench", BENCHES, **NAME)
def test_a_bench_asks_about_these_points(bench):
    assert_same(f"liew2022 {bench.__name__}", found_by(bench))


@pytest.mark.parametrize("rows", (*BELOW, removal_bench.theorem_4, removal_bench.theorem_4_data), **NAME)
def test_rows_where_one_side_is_below_the_other(rows):
    assert below(found_by(rows))


@pytest.mark.parametrize("rows", EQUAL, **NAME)
def test_rows_that_are_exact(rows):
    found = found_by(rows)
    assert all(left == right for left, right, _ in found)


@pytest.mark.parametrize("misprint", MISPRINTS, **NAME)
def test_a_false_inequality(misprint):
    found = found_by(misprint)
    assert isinstance(found, Misprint)
    (left, right, at), rows = found
    assert left > right * (1 + 1e-7)
    assert at
    assert below(rows)


@pytest.mark.parametrize("misprint", MISPRINTED_EQUATIONS, **NAME)
def test_a_false_equation(misprint):
    (left, right, at), rows = found_by(misprint)
    assert left != pytest.approx(right, rel=0.1)
    assert at
    assert equal(rows)


def test_how_loose_lemma_6_is():
    shares = {where: left / right for left, right, where in found_by(response_bench.lemma_6)}
    proved = [share for where, share in shares.items() if "clones" in where]
    reached = [share for where, share in shares.items() if "clones" not in where]
    assert 0.12 < max(reached) < 0.125 < max(proved) < 0.15


def test_lemma_8_is_an_equation_at_order_2_only():
    for left, right, where in found_by(response_bench.lemma_8):
        assert (left == right) == where.endswith("order = 2"), where


def test_lemma_4_wants_no_negative_function():
    left, right = response_bench.lemma_4_negative()
    assert (left, right) == pytest.approx((-5, -7))


@pytest.mark.parametrize("gamma", [0.01, 0.5, 1.0])
def test_the_bracket_of_lemma_7_falls_while_gamma_is_fixed(gamma):
    values = [float(liew2022.log_bracket(5, 1.0, k, gamma)) for k in range(1, 60)]
    assert (np.diff(values) <= 0).all()


def test_the_bracket_is_lemma_6s():
    for k, n, order in ((1, 1, 2), (3, 7, 5), (50, 60, 12)):
        bound = float(liew2022.log_bracket(order, 1.0, k, k / n))
        assert bound / (order - 1) == pytest.approx(float(thm1(order, 1.0, n, k)), rel=1e-12)


def test_theorem_4_wants_the_chance_k_of_n():
    exact, taken, at = removal_bench.theorem_4_falling()
    assert exact == pytest.approx(1 + 0.01 * math.expm1(1))
    assert taken == pytest.approx(1 + 0.001 * math.expm1(1))
    assert at["n"] == 1


def test_theorem_4_in_the_plane():
    """Others alike attain it; three values at the same distance break it, by hand for a small q."""
    assert removal_bench.in_plane(3, 0.2, 1, -0.3, -0.3) == pytest.approx(liew2022.falling_moment(3, 1.0, 1, 0.2, 1.3))
    q, mu = 1e-3, 0.8
    found = removal_bench.in_plane(2, q, mu, mu * (0.5 + 0.75**0.5 * 1j), 0)
    assert found - 1 == pytest.approx(2 * q**2 * (math.exp(mu**2) - math.exp(mu**2 / 2)), rel=5e-3)
    found, bound = removal_bench.theorem_4_triangle()
    assert 1.09 < found / bound < 1.1


def test_the_third_moment_of_remark_5():
    assert removal_bench.third_moment(10, 1.0, forth=True) == pytest.approx(0.0937, abs=1e-4)
    assert removal_bench.third_moment(10, 1.0, forth=False) == pytest.approx(-0.00152, abs=1e-5)
    assert removal_bench.third_moment(10, 0.5, forth=False) == pytest.approx(0.263, abs=1e-3)
    assert removal_bench.third_moment(2, 1.0, forth=True) == math.inf


def test_the_baseline_of_appendix_d():
    (left, right, at), rows = found_by(response_bench.baseline)
    assert left > right * 1.01
    assert at["l"] == 7
    assert below(rows)
    assert len(rows) == 54
    assert 0.9 < max(out / delta for out, delta, _ in rows) <= 1


def test_points_that_are_degenerate():
    rows = compared([(1, 2, "n = 1, m = 2"), (1, 3, "n = 10, m = 1"), (2, 4, "n = 10, m = 2")])
    assert rows.without("n = 1,") == [False, True, True]
    assert rows.without("n = 1,", "m = 1") == [False, False, True]


# The ledger: its verdicts are what these rows say

RELATIONS = {True: "==", False: "<="}
SETTLED = {
    "thm1": (response_bench.theorem_1, True),
    "eq5": (response_bench.equation_5, False),
    "lemma6": (response_bench.lemma_6, False),
    "eq21": (response_bench.proof_of_lemma_8, True),
    "lemma8": (response_bench.lemma_8, False),
    "thm3": (response_bench.theorem_3, False),
    "thm4": (removal_bench.theorem_4, False),
    "lemma4": (response_bench.lemma_4, False),
    "lemma5": (response_bench.lemma_5, False),
    "lemma7": (response_bench.lemma_7, False),
    "thm2": (response_bench.equation_7, False),
    "eq7-display": (response_bench.equation_7_display, True),
    "lemma8-jensen": (response_bench.jensen, False),
    "thm3-step": (response_bench.step_of_theorem_3, False),
    "appendix-d": (response_bench.baseline, False),
    "thm5": (removal_bench.theorem_5, False),
    "thm5-prefactor": (removal_bench.prefactor, False),
    "thm5-exponents": (removal_bench.exponents, True),
    "thm5-display": (removal_bench.display, True),
    "thm5-closed-form": (removal_bench.closed_form, True),
    "remark5": (removal_bench.remark_5, True),
}


@pytest.mark.parametrize("name", SETTLED)
def test_the_rows_settle_the_ledgers_claim(name):
    bench, equation = SETTLED[name]
    claim_id, relation, found = f"liew2022:{name}", RELATIONS[equation], found_by(bench)
    if isinstance(found, Misprint):
        left, right, at = found.printed
        # The print of the baseline is an equation, its correction an inequality.
        refute_relation = "==" if name == "appendix-d" else relation
        claims.refute(claim_id, left, right, at, relation=refute_relation)
        sides = compared(found.rows)
        settled = claims.verify(claim_id, sides.lhs, sides.rhs, sides.over, relation=relation, corrected=True)
        assert settled.findings[0][0] == "corrected"
    else:
        sides = compared(found)
        assert claims.verify(claim_id, sides.lhs, sides.rhs, sides.over, relation=relation)


# Central moments and laws in fractions


def test_central_moments():
    assert liew2022.central_moment(7, Fraction(1, 3), 0) == 1
    assert liew2022.central_moment(7, Fraction(1, 3), 1) == 0
    assert liew2022.central_moment(7, Fraction(1, 3), 2) == Fraction(14, 9)
    assert all(liew2022.central_moment(k, Fraction(1, 2), 3) == 0 for k in range(1, 9))
    assert liew2022.central_moment(5, Fraction(3, 5), 3) == Fraction(-6, 25)


@pytest.mark.parametrize("gamma", [Fraction(1, 10), Fraction(1)])
@pytest.mark.parametrize("n", [1, 2, 8])
def test_the_divergence_of_any_size_is_that_of_the_enumeration(n, gamma):
    p, q = liew2022.checked_in(3, n, gamma)
    assert p.sum() == q.sum() == 1
    for order in (2, 3, 7, 20):
        excess = float(renyi_moment(p, q, order) - 1)
        found = math.expm1((order - 1) * float(liew2022.divergence(order, math.log(3), n, float(gamma))))
        assert found == pytest.approx(excess, rel=1e-9)


def test_a_check_in_is_the_mixture_of_its_counts():
    n, gamma = 6, Fraction(1, 4)
    total = (1 - gamma) ** n
    for k in range(1, n + 1):
        moment = renyi_moment(*liew2022.sampled(5, k, Fraction(k, n)), 4)
        total += math.comb(n, k) * gamma**k * (1 - gamma) ** (n - k) * moment
    assert renyi_moment(*liew2022.checked_in(5, n, gamma), 4) == total


# The experiments


def test_what_the_papers_bounds_give_for_its_experiment():
    found = experiments.ldp_sgd(1e-5)
    best, least = found["equation 7, best Delta"], found["equation 7, at least, whatever Delta"]
    summed, lower = found["equation 5, summed"], found["Theorem 3, no bound on eps"]
    assert 1.01 < lower.value < 1.02
    assert 10 < least.value < summed.value < best.value < 12.1
    assert summed.value == pytest.approx(11.5317, abs=1e-4)
    composed = experiments.ldp_sgd_by_strong_composition(1e-5)
    assert min(composed.values()) > best.value


def test_fewer_rounds_cost_less():
    few, many = (experiments.ldp_sgd(1e-6, rounds) for rounds in (50, 500))
    assert all(few[name].value < many[name].value for name in few)


@pytest.mark.parametrize("sigma", [0.65, 0.86])
def test_both_constants_of_figure_4(sigma):
    found = [one.value for one in experiments.figure_4(sigma, 1000, 60_000**-1.1).values()]
    assert found == sorted(found, reverse=True)
    assert found[0] > 2 * found[1]


@pytest.mark.parametrize("bad", [0, 1.5, None])
def test_bad_rounds_are_named(bad):
    with pytest.raises((ValueError, TypeError), match="rounds"):
        experiments.epsilon(lambda order: order, bad, 1e-5)


def test_a_divergence_is_a_function():
    with pytest.raises(TypeError, match="divergence must be a function"):
        experiments.epsilon(1.0, 1, 1e-5)


# Bad input


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: liew2022.eq20(1, 3), "ratio"),
        (lambda: liew2022.eq20(3, 0), "k"),
        (lambda: liew2022.eq20_ratio(3, 1.5), "k"),
        (lambda: liew2022.sampled(3, 3, 0), "gamma"),
        (lambda: liew2022.checked_in(3, 3, 1.5), "gamma"),
        (lambda: liew2022.checked_in(0.5, 3, 0.5), "ratio"),
        (lambda: liew2022.central_moment(3, 1, 2), "rho"),
        (lambda: liew2022.central_moment(3, 0.5, -1), "j"),
        (lambda: liew2022.lemma8(1, 3, 3, 0.5), "order"),
        (lambda: liew2022.eq21(2, 3, 3, 2), "gamma"),
        (lambda: liew2022.lemma4(float, 10, 1.0, 0.0), "Delta"),
        (lambda: liew2022.lemma4_printed(float, 10, 0.5, 0.3), "Delta"),
        (lambda: liew2022.lemma5(float, 10, 0.5, 1.0), "Delta"),
        (lambda: liew2022.lemma5_printed(float, 0, 0.5, 0.0), "n"),
        (lambda: liew2022.log_bracket(2, 1.0, 3, 0.0), "gamma"),
        (lambda: liew2022.log_bracket(2.5, 1.0, 3, 0.5), "order"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        call()
