"""The pair of a count, binary randomized response: against its exact law, the judge, and to the corners."""

import math
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import Shuffle, divergences, exact
from shufflekit.dominating_pairs import Aim, Count, Pair, counts, randomized_response
from shufflekit.randomizers import RandomizedResponse
from tests import lists, pairs, truth

SIZES = [(1, 1), (1, 3), (2, 3), (5, 5), (6, 8)]


def binary(eps0: float, n: int, population: int, mirrored: bool = False) -> Pair:
    """P has one record at 1, Q none; ``mirrored`` the other way round."""
    pair = pairs.binary(eps0, n, population).pair
    assert isinstance(pair, Count)
    return pair.reversed() if mirrored else pair


@pytest.mark.parametrize(("n", "population"), SIZES)
@pytest.mark.parametrize("mirrored", [False, True])
def test_binary_response_is_the_exact_law(n, population, mirrored):
    zero, one = RandomizedResponse(2, 1.0).probs
    p, q = (exact.sampled_law([zero] * (population - 1) + [mine], n) for mine in (one, zero))
    p, q = (q, p) if mirrored else (p, q)
    pair = binary(1.0, n, population, mirrored)
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
    pair = binary(eps0, n, population, mirrored)
    for loss in randomized_response(eps0, n, population, log_cut=-1e4).loss[[0, 1, 2, n // 2, n - 1, n]]:
        loss = -loss if mirrored else loss
        for eps in (loss * (1 + shift) for shift in (-2e-12, -1e-15, -2e-16, 0.0, 2e-16) if loss > 0):
            (lower,), (upper,) = pair.delta(np.array([eps]))
            judged = pairs.binary(eps0, n, population).judged(eps, reverse=mirrored)
            assert lower <= judged.upper
            assert judged.lower <= upper or judged.lower < sys.float_info.min


def test_the_largest_loss_backwards_is_reached():
    """Setting 6987 of tools/certify_many.py: its delta is 2e-11, and 0 was answered."""
    eps0, eps = 8.704344659781674, 8.704344659764041
    (lower,), (upper,) = binary(eps0, 32, 32, mirrored=True).delta(np.array([eps]))
    judged = pairs.binary(eps0, 32, 32).judged(eps, reverse=True)
    assert lower <= judged.lower <= judged.upper <= upper < 1e-10


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("eps0", [16.0, 30.0])
def test_large_local_parameters_cost_no_digits(eps0, mirrored):
    """Backwards, what P keeps was once a difference, which lost ``e^eps0``."""
    pair = binary(eps0, 3, 3, mirrored)
    eps = np.array([0.5, 0.9]) * eps0
    for at, lower, upper in zip(eps, *pair.delta(eps), strict=True):
        judged = pairs.binary(eps0, 3, 3).judged(at, reverse=mirrored)
        assert lower <= judged.upper and judged.lower <= upper
        assert upper - lower <= 1e-9 * upper


@pytest.mark.parametrize(("eps0", "n"), [(300.0, 10**12), (40.0, 10**12), (300.0, 3)])
def test_few_outcomes_are_listed_when_few_matter(eps0, n):
    """Once, all messages between two points of a coarse grid were listed: 2e8 of them."""
    atoms = randomized_response(eps0, n, n)
    assert len(atoms.loss) < 3000
    assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=1e-9)
    assert np.exp(atoms.log_q + atoms.loss).sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("eps0", [300.0, 40.0])
def test_the_largest_loss_backwards_has_no_cancellation(eps0):
    assert binary(eps0, 5, 5, True).largest_loss == pytest.approx(eps0, rel=1e-13)
    half = binary(eps0, 5, 10, True).largest_loss
    assert half == pytest.approx(math.log(2), rel=1e-12)


def test_lists_through_knots_are_on_either_side(monkeypatch):
    monkeypatch.setattr(counts, "MOST_ATOMS", 0)
    for pair in (binary(1.0, 300, 300), binary(1.0, 300, 300, True), binary(2.0, 50, 500)):
        found = pair.listed(-40.0)
        for share in (-0.3, 0.0, 0.05, 0.2, 0.5):
            eps = share * pair.largest_loss
            way = pair if eps >= 0 else pair.reversed()
            ends = way.delta(np.array([abs(eps)]))
            # H at e^-eps is 1 - e^-eps + e^-eps times that of the reverse at e^eps.
            low, high = (
                (float(end[0]) if eps >= 0 else -math.expm1(eps) + math.exp(eps) * float(end[0])) for end in ends
            )
            assert truth.listed_delta(found.lower, eps, upper=False) <= high * (1 + 1e-7) + 1e-15
            assert low * (1 - 1e-9) - 1e-15 <= truth.listed_delta(found.upper, eps, upper=True)


@pytest.mark.parametrize(("ratio", "n", "population"), [(2, 1, 1), (3, 2, 5), (7, 4, 4), (Fraction(3, 2), 3, 6)])
def test_atoms_are_the_exact_law(ratio: Fraction | int, n: int, population: int) -> None:
    channel = RandomizedResponse(2, ratio=ratio)
    same = [channel.probs[0]] * population
    q = exact.sampled_law(same, n)
    p = exact.sampled_law([*same[1:], channel.probs[1]], n)
    atoms = randomized_response(math.log(ratio), n, population)
    # The law counts the first output, the atoms the second.
    assert np.exp(atoms.log_q) == pytest.approx(q[::-1].astype(float), rel=1e-12)
    assert atoms.loss == pytest.approx(
        [math.log(a / b) for a, b in zip(p[::-1], q[::-1], strict=True)], rel=1e-10, abs=1e-14
    )
    assert atoms.missing == 0


@given(st.floats(1e-3, 10), st.integers(1, 10**7), st.integers(0, 10**9))
def test_listed_atoms_hold_all_but_the_missing_mass(eps0: float, n: int, unsampled: int) -> None:
    atoms = randomized_response(eps0, n, n + unsampled)
    assert len(atoms.loss) < 500_000
    assert (np.diff(atoms.loss) > 0).all()
    # Binomial masses come from gammaln, whose absolute error grows with n.
    tolerance = 1e-14 * n * math.log(n + 1) + 1e-12
    assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=tolerance)
    assert np.exp(atoms.log_q + atoms.loss).sum() == pytest.approx(1, abs=tolerance)
    assert 0 <= atoms.missing <= 1e-20


def test_reversed_swaps_p_and_q() -> None:
    atoms = randomized_response(1.0, 5, 10)
    back = atoms.reversed()
    assert back.loss == pytest.approx(-atoms.loss[::-1])
    assert np.exp(back.log_q) == pytest.approx(np.exp(atoms.log_q + atoms.loss)[::-1])
    assert back.reversed().log_q == pytest.approx(atoms.log_q)


@pytest.mark.parametrize("eps0", [1e-6, 1.0, 20.0, 40.0, 300.0])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (3, 3), (3, 10), (2, 10**9)])
def test_losses_keep_their_digits(eps0: float, n: int, population: int) -> None:
    """Of e^-eps0 nothing may be left over by a difference of numbers near 1."""
    with mpmath.workdps(300):
        E = mpmath.exp(mpmath.mpf(eps0))
        truth = [mpmath.log((population - n + m * E + (n - m) / E) / population) for m in range(n + 1)]
        loss = randomized_response(eps0, n, population, log_cut=-1e4).loss
        error = [abs(a - b) for a, b in zip(loss, truth, strict=True)]
    assert float(max(error)) <= 4e-16 * float(max(map(abs, truth)))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"eps0": 0.0}, ValueError, "eps0 must be positive"),
        ({"eps0": math.nan}, ValueError, "eps0 must be positive"),
        ({"eps0": 301}, ValueError, "eps0 must be positive and at most 300"),
        ({"n": 0}, ValueError, "n must be"),
        ({"n": 11}, ValueError, "n must be a whole number of at least 1 and at most 10"),
        ({"n": 2.0}, TypeError, "n must be a whole number"),
        ({"population": 0}, ValueError, "population must be a whole number"),
        ({"population": 1.5}, TypeError, "population must be a whole number"),
    ],
)
def test_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        randomized_response(**({"eps0": 1.0, "n": 5, "population": 10} | arguments))


def test_the_lists_are_close_and_on_a_lattice():
    """One by one, and, of many messages, those that matter."""
    for n, population in ((100, 200), (10**6, 10**7)):
        lists.closely_listed(binary(1.0, n, population), 1e-9)
    lists.on_a_lattice(binary(1.0, 100, 10**4))
    found = binary(1.0, 100, 200).listed(-40.0).upper
    assert found.spacing == math.expm1(1.0) * (1 + math.exp(-1.0)) / 200 or found.spacing == pytest.approx(
        2 * math.sinh(1.0) / 200
    )


@pytest.mark.parametrize("mirrored", [False, True])
def test_many_counts_are_put_together_on_either_side(mirrored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against all of them in fractions, at losses below 0, too."""
    monkeypatch.setattr(counts, "FEW_ATOMS", 0)
    defined = pairs.binary(0.7, 12, 30)
    laws, pair = defined.laws, defined.pair
    if mirrored:
        laws, pair = laws._replace(p=laws.q, q=laws.p), pair.reversed()
    for found in (pair.listed(-60.0, 1e-2), pair.listed_for(Aim(1.0, 0.05), -60.0, 1e-4)):
        assert found.lower is not found.upper
        for share in (-0.6, -0.1, 0.0, 0.2, 0.7):
            eps = share * pair.largest_loss
            exact = truth.delta(laws, eps)
            low, high = (truth.listed_delta(atoms, eps, upper=atoms is found.upper) for atoms in found)
            assert low * (1 - found.lower.error) <= exact * (1 + 1e-12)
            assert exact * (1 - 1e-12) <= high * (1 + found.upper.error)


def test_half_a_million_rounds_of_a_large_count_are_known_well() -> None:
    """By tails between knots each round erred by 1e-8, and all by 3e-4 of eps."""
    run = Shuffle(eps0=0.1455, n=458_700_000, population=461_910_900) * 438_100
    assert run.attack_epsilon(4.35e-36).width < 5e-5
