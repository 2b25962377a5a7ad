"""Randomized response that is really run, everyone else having the same value: the exact law, and what it costs."""

import math
import sys

import numpy as np
import pytest

from shufflekit import RandomizedResponse, Shuffle, certify, divergences, exact
from shufflekit.dominating_pairs import (
    BinaryResponse,
    clones,
    randomized_response,
    ternary_check_in,
    ternary_response,
)
from shufflekit.loss_distribution import Composition, Part
from tests import truth

SIZES = [(1, 1), (1, 3), (2, 3), (5, 5), (6, 8)]


@pytest.mark.parametrize(("n", "population"), SIZES)
@pytest.mark.parametrize("eps0", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("k", [3, 4])
def test_ternary_response_is_the_exact_law(eps0, n, population, k):
    first, second, third = RandomizedResponse(k, eps0).probs[:3]
    p, q = (exact.sampled_law([third] * (population - 1) + [mine], n) for mine in (first, second))
    pair = ternary_response(eps0, n, population, k)
    eps = np.array([0.0, 0.1, 0.5]) * pair.largest_loss
    ends = pair.delta(eps)
    true = np.array([float(divergences.hockey_stick(p, q, math.exp(at))) for at in eps])
    assert ends.upper == pytest.approx(true, rel=1e-8)
    assert (ends.lower <= true * (1 + 1e-10)).all() and (true <= ends.upper * (1 + 1e-10)).all()
    for order in (1.5, 2.0, 7.0):
        found = pair.divergence(np.array([order]))
        assert found[0] == pytest.approx(divergences.renyi(p.astype(float), q.astype(float), order), rel=1e-7)


@pytest.mark.parametrize(("n", "population"), SIZES)
@pytest.mark.parametrize("mirrored", [False, True])
def test_binary_response_is_the_exact_law(n, population, mirrored):
    zero, one = RandomizedResponse(2, 1.0).probs
    p, q = (exact.sampled_law([zero] * (population - 1) + [mine], n) for mine in (one, zero))
    p, q = (q, p) if mirrored else (p, q)
    pair = BinaryResponse(1.0, n, population, mirrored)
    eps = np.array([0.0, 0.1, 0.5]) * pair.largest_loss
    ends = pair.delta(eps)
    for i, at in enumerate(eps):
        true = float(divergences.hockey_stick(p, q, math.exp(at)))
        assert ends.lower[i] <= true * (1 + 1e-10)
        assert true * (1 - 1e-10) <= ends.upper[i]
    largest = max(math.log(a / b) for a, b in zip(p, q, strict=True))
    assert largest <= pair.largest_loss <= largest * (1 + 1e-12)
    assert pair.reversed().reversed() == pair


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("eps0", "n", "population"),
    [(0.05, 9, 9), (0.7, 8, 8), (8.7, 32, 32), (10.4, 182, 115779), (12.0, 90, 90), (150.0, 22, 10**5), (256.0, 6, 6)],
)
def test_a_loss_that_is_eps_but_for_a_rounding(eps0, n, population, mirrored):
    """An outcome just above eps must not be taken for one below it: once, the upper end was 0."""
    pair = BinaryResponse(eps0, n, population, mirrored)
    for loss in randomized_response(eps0, n, population, log_cut=-1e4).loss[[0, 1, 2, n // 2, n - 1, n]]:
        loss = -loss if mirrored else loss
        for eps in (loss * (1 + shift) for shift in (-2e-12, -1e-15, -2e-16, 0.0, 2e-16) if loss > 0):
            (lower,), (upper,) = pair.delta(np.array([eps]))
            judged = certify.randomized_response(eps0, n, population, eps, reverse=mirrored)
            assert lower <= judged.upper
            assert judged.lower <= upper or judged.lower < sys.float_info.min


def test_the_largest_loss_backwards_is_reached():
    """Setting 6987 of tools/certify_many.py: its delta is 2e-11, and 0 was answered."""
    eps0, eps = 8.704344659781674, 8.704344659764041
    (lower,), (upper,) = BinaryResponse(eps0, 32, 32, mirrored=True).delta(np.array([eps]))
    judged = certify.randomized_response(eps0, 32, 32, eps, reverse=True)
    assert lower <= judged.lower <= judged.upper <= upper < 1e-10


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("eps0", [16.0, 30.0])
def test_large_local_parameters_cost_no_digits(eps0, mirrored):
    """Backwards, what P keeps was once a difference, which lost ``e^eps0``."""
    pair = BinaryResponse(eps0, 3, 3, mirrored)
    eps = np.array([0.5, 0.9]) * eps0
    for at, lower, upper in zip(eps, *pair.delta(eps), strict=True):
        judged = certify.randomized_response(eps0, 3, 3, at, reverse=mirrored)
        assert lower <= judged.upper and judged.lower <= upper
        assert upper - lower <= 1e-9 * upper


def test_check_ins_are_mixtures_over_how_many_came():
    """Given k reports, k of the population were drawn: [beyond] 4."""
    eps0, population, rate = 1.5, 5, 0.4
    pair = ternary_check_in(eps0, population, rate)
    for eps in (0.0, 0.2, 0.6):
        mixed = sum(
            math.comb(population, k) * rate**k * (1 - rate) ** (population - k)
            * float(ternary_response(eps0, k, population).delta(np.array([eps])).upper[0])
            for k in range(1, population + 1)
        )  # fmt: skip
        assert pair.delta(np.array([eps])).upper[0] == pytest.approx(mixed, rel=1e-8)
        judged = certify.ternary_check_in(eps0, population, rate, eps)
        assert pair.delta(np.array([eps])).lower[0] <= judged.upper
    assert ternary_check_in(eps0, population, 1.0) == ternary_response(eps0, population, population)


@pytest.mark.parametrize("eps0", [0.01, 1.0, 5.0, 20.0])
def test_laws_list_all_but_the_missing_mass(eps0):
    for atoms in ternary_response(eps0, 3000, 10**6).laws(-45.0):
        assert (np.diff(atoms.loss) >= 0).all()
        for log_mass in (atoms.log_q, atoms.log_q + atoms.loss):
            assert np.exp(log_mass).sum() == pytest.approx(1, abs=atoms.missing + 1e-9)
        assert atoms.missing < 1e-15


def test_more_than_two_values_reveal():
    """From an independent computation: 0.1374 at eps0 = 2, where two values reach 0.10837."""
    rounds, delta = 10**5, 1e-8
    ternary = Composition([Part(ternary_response(2.0, 1000, 10**6), rounds)]).epsilon(delta, 1e-4)
    assert ternary.lower == pytest.approx(0.1374, rel=1e-3)
    binary = Composition([Part(BinaryResponse(2.0, 1000, 10**6), rounds)]).epsilon(delta, 1e-4)
    assert binary.lower == pytest.approx(0.10837, rel=1e-4)
    found = (Shuffle(2.0, 1000, 10**6) * rounds).attack_epsilon(delta)
    assert found.lower == ternary.lower
    bound = (Shuffle(2.0, 1000, 10**6) * rounds).epsilon(delta)
    # [beyond] 5: in the limit of many rounds sqrt((E+2)/(E+1)) apart.
    assert bound.upper / found.lower == pytest.approx(math.sqrt((math.exp(2) + 2) / (math.exp(2) + 1)), rel=0.01)


@pytest.mark.parametrize(("n", "population"), [(1, 1), (4, 4), (50, 50), (10**6, 10**6), (1000, 10**6), (7, 10**12)])
@pytest.mark.parametrize("eps0", [0.1, 0.6931, 2.0, 8.0])
def test_attacks_are_below_the_clone_pair(eps0, n, population):
    bound = clones(eps0, n, population)
    deviation = math.expm1(eps0) * math.sqrt(2 * n / (math.exp(eps0) + 1)) / population
    eps = np.minimum(np.array([0.0, 0.5, 2.0, 6.0]) * deviation, 0.9 * bound.largest_loss)
    above = bound.delta(eps).upper
    attacks = [ternary_response(eps0, n, population), ternary_response(eps0, n, population, k=6)]
    attacks += [BinaryResponse(eps0, n, population, mirrored) for mirrored in (False, True)]
    for attack in attacks if n <= 1000 else (attacks[0], *attacks[2:]):
        assert attack.largest_loss <= bound.largest_loss * (1 + 1e-12)
        assert (attack.delta(eps).lower <= above).all()


@pytest.mark.parametrize(("eps0", "n"), [(300.0, 10**12), (40.0, 10**12), (300.0, 3)])
def test_few_outcomes_are_listed_when_few_matter(eps0, n):
    """Once, all messages between two points of a coarse grid were listed: 2e8 of them."""
    atoms = randomized_response(eps0, n, n)
    assert len(atoms.loss) < 3000
    assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=1e-9)
    assert np.exp(atoms.log_q + atoms.loss).sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("eps0", [300.0, 40.0])
def test_the_largest_loss_backwards_has_no_cancellation(eps0):
    assert BinaryResponse(eps0, 5, 5, True).largest_loss == pytest.approx(eps0, rel=1e-13)
    half = BinaryResponse(eps0, 5, 10, True).largest_loss
    assert half == pytest.approx(math.log(2), rel=1e-12)


def test_laws_through_knots_are_on_either_side(monkeypatch):
    module = sys.modules[randomized_response.__module__]
    monkeypatch.setattr(module, "MOST_ATOMS", 0)
    for pair in (BinaryResponse(1.0, 300, 300), BinaryResponse(1.0, 300, 300, True), BinaryResponse(2.0, 50, 500)):
        laws = pair.laws(-40.0)
        for share in (-0.3, 0.0, 0.05, 0.2, 0.5):
            eps = share * pair.largest_loss
            way = pair if eps >= 0 else pair.reversed()
            ends = way.delta(np.array([abs(eps)]))
            # H at e^-eps is 1 - e^-eps + e^-eps times that of the reverse at e^eps.
            low, high = (
                (float(end[0]) if eps >= 0 else -math.expm1(eps) + math.exp(eps) * float(end[0])) for end in ends
            )
            assert truth.listed_delta(laws.lower, eps, upper=False) <= high * (1 + 1e-7) + 1e-15
            assert low * (1 - 1e-9) - 1e-15 <= truth.listed_delta(laws.upper, eps, upper=True)


@pytest.mark.parametrize(
    ("made", "arguments", "error", "words"),
    [
        (ternary_response, {"eps0": 0.0}, ValueError, "eps0 must be positive"),
        (ternary_response, {"eps0": math.nan}, ValueError, "eps0 must be positive"),
        (ternary_response, {"n": 11}, ValueError, "n must be a whole number of at least 1 and at most 10"),
        (ternary_response, {"population": 0}, ValueError, "population must be a whole number"),
        (ternary_response, {"n": 2.0}, TypeError, "n must be a whole number"),
        (ternary_response, {"k": 2}, ValueError, "k must be a whole number of at least 3"),
        (randomized_response, {"eps0": 301}, ValueError, "eps0 must be positive and at most 300"),
        (randomized_response, {"n": 0}, ValueError, "n must be"),
    ],
)
def test_bad_arguments(made, arguments, error, words):
    with pytest.raises(error, match=words):
        made(**({"eps0": 1.0, "n": 5, "population": 10} | arguments))


@pytest.mark.parametrize(
    ("rate", "error"), [(0.0, ValueError), (1.1, ValueError), (math.nan, ValueError), ("1", TypeError)]
)
def test_bad_rates(rate, error):
    with pytest.raises(error, match="rate must be above 0 and at most 1"):
        ternary_check_in(1.0, 10, rate)
