"""Composed losses: the brackets hold the truth, by enumeration and by by counting."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit.dominating_pairs import Atoms, randomized_response
from shufflekit.loss_distribution import Composition, Part
from shufflekit.loss_distribution.composition import Curve
from shufflekit.loss_distribution.grids import contract, potential, split


def enumerated_delta(parts: list[tuple[Atoms, int]], eps: float) -> float:
    """All outcomes of all rounds, one by one."""
    rounds = [atoms for atoms, count in parts for _ in range(count)]
    terms = []
    for outcome in itertools.product(*(range(len(atoms.loss)) for atoms in rounds)):
        loss = math.fsum(atoms.loss[i] for atoms, i in zip(rounds, outcome, strict=True))
        log_q = math.fsum(atoms.log_q[i] for atoms, i in zip(rounds, outcome, strict=True))
        terms.append(math.exp(log_q) * max(math.exp(loss) - math.exp(eps), 0.0))
    return math.fsum(terms)


@given(
    st.floats(0.05, 4),
    st.integers(1, 6),
    st.integers(0, 10),
    st.integers(1, 4),
    st.floats(0, 3),
)
def test_brackets_hold_the_enumerated_delta(eps0: float, n: int, unsampled: int, rounds: int, eps: float) -> None:
    atoms = randomized_response(eps0, n, n + unsampled)
    exact = enumerated_delta([(atoms, rounds)], eps)
    ends = Composition([Part(atoms, rounds)]).delta(eps, 1e-3)
    assert ends.lower <= exact * (1 + 1e-10) + 1e-18
    assert exact * (1 - 1e-10) - 1e-18 <= ends.upper


def test_brackets_of_different_rounds_hold_the_enumerated_delta() -> None:
    parts = [
        (randomized_response(1.0, 3, 3), 2),
        (randomized_response(2.0, 2, 5), 1),
        (randomized_response(0.3, 4, 9), 1),
    ]
    for eps in (0.0, 0.1, 0.7, 2.0):
        exact = enumerated_delta(parts, eps)
        ends = Composition([Part(*part) for part in parts]).delta(eps, 1e-4)
        assert ends.lower <= exact <= ends.upper * (1 + 1e-12)
        assert ends.width < 1e-2


def counted_delta(atoms: Atoms, rounds: int, eps: float) -> float:
    """Many rounds of few atoms: over how often each atom occurs, with multinomial weights."""
    terms = []
    k = len(atoms.loss)
    for bars in itertools.combinations(range(rounds + k - 1), k - 1):
        counts = np.diff([-1, *bars, rounds + k - 1]) - 1
        loss = counts @ atoms.loss
        if loss > eps:
            log_q = math.lgamma(rounds + 1) - sum(math.lgamma(c + 1) for c in counts) + counts @ atoms.log_q
            terms.append(math.exp(log_q + eps) * math.expm1(loss - eps))
    return math.fsum(terms)


@pytest.mark.parametrize(
    ("eps0", "n", "population", "rounds"), [(1.0, 3, 30, 40), (2.0, 2, 2, 60), (0.2, 3, 3, 50), (3.0, 1, 9, 100)]
)
@pytest.mark.parametrize("eps", [0.0, 0.5, 3.0, 8.0])
def test_many_rounds_against_counting(eps0: float, n: int, population: int, rounds: int, eps: float) -> None:
    atoms = randomized_response(eps0, n, population)
    truth = counted_delta(atoms, rounds, eps)
    ends = Composition([Part(atoms, rounds)]).delta(eps, 1e-2)
    assert ends.lower <= truth * (1 + 1e-10)
    assert truth <= ends.upper * (1 + 1e-10)
    # Splitting moves the variance only at second order: the upper end is the close one.
    assert ends.upper == pytest.approx(truth, rel=1e-3, abs=1e-300)


# Source: an independent contour integral in mpmath; delta = 1e-8, n = 1,000 of 1e6, 1e5 rounds.
@pytest.mark.parametrize(
    ("eps0", "eps"), [(1.0, 0.0462585468983738866), (2.0, 0.108372472456519906), (3.0, 0.201785113049390941)]
)
def test_golden_epsilon_of_a_hundred_thousand_rounds(eps0: float, eps: float) -> None:
    atoms = randomized_response(eps0, 1000, 10**6, tilt=200.0, log_cut=-120.0)
    ends = Composition([Part(atoms, 10**5)]).epsilon(1e-8, 1e-3)
    assert ends.lower <= eps <= ends.upper
    assert ends.width <= 1e-3
    assert ends.upper == pytest.approx(eps, rel=1e-4)


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-20, 1e-60])
@pytest.mark.parametrize("rounds", [1, 2, 200])
def test_epsilon_inverts_delta(delta: float, rounds: int) -> None:
    atoms = randomized_response(1.0, 500, 500, tilt=1000.0, log_cut=math.log(delta) - 90)
    composition = Composition([Part(atoms, rounds)])
    ends = composition.epsilon(delta, 1e-2)
    assert 0 <= ends.lower <= ends.upper
    assert ends.width <= 1e-2
    if ends.lower > 0:
        assert composition.delta(ends.lower * (1 - 1e-6), 1e-3).upper >= delta
    assert composition.delta(ends.upper * (1 + 1e-6), 1e-3).lower <= delta


def test_no_mass_no_privacy_loss_corners() -> None:
    one = randomized_response(1.0, 1, 1)
    assert Composition([Part(one, 3)]).delta(3.0001, 1e-3) == (0.0, 0.0)
    assert Composition([Part(one, 1)]).delta(0.0, 1e-3).upper == pytest.approx(math.tanh(0.5), rel=1e-9)
    assert Composition([Part(one, 10)]).epsilon(0.9999, 1e-3).upper < 1
    tiny = Composition([Part(randomized_response(1e-6, 1000, 10**6), 5)])
    assert tiny.epsilon(0.1, 1e-3).upper == pytest.approx(0, abs=1e-6)


@given(st.floats(0.1, 4), st.integers(1, 40), st.floats(0.001, 1), st.floats(0.001, 0.3))
def test_both_grids_are_on_their_side_in_the_convex_order(eps0: float, n: int, rate: float, step: float) -> None:
    """Checked on potentials computed anew, at the atoms and at the points of the grid."""
    atoms = randomized_response(eps0, n, math.ceil(n / rate))
    y, q = np.expm1(atoms.loss), np.exp(atoms.log_q)
    for grid, side in ((split(atoms.loss, atoms.log_q, step), 1), (contract(atoms, step), -1)):
        g, w = np.expm1(grid.loss), np.exp(grid.log_q)
        for a in np.concatenate([y, g]):
            difference = w @ np.maximum(g - a, 0) - q @ np.maximum(y - a, 0)
            assert side * difference >= -1e-14


def test_potential_is_the_expected_excess() -> None:
    y, q = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([0.1, 0.4, 0.3, 0.2])
    assert potential(y, q) == pytest.approx([q @ np.maximum(y - a, 0) for a in y])


@pytest.mark.parametrize(("eps0", "n", "rounds"), [(6.0, 10, 100_000), (4.0, 10, 10**6), (5.0, 1, 812)])
def test_huge_losses_do_not_overflow(eps0: float, n: int, rounds: int) -> None:
    ends = Composition([Part(randomized_response(eps0, n, n), rounds)]).epsilon(1e-12, 0.1)
    assert 0 <= ends.lower <= ends.upper <= eps0 * rounds * (1 + 1e-12)


def test_a_side_never_claims_more_than_it_knows() -> None:
    curve = Curve(np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.2, 0.1]), 0.0, upper=True)
    below = curve._replace(upper=False)
    assert (curve.epsilon(0.5), below.epsilon(0.5)) == (1.0, 0.0)
    assert (curve.epsilon(0.05), below.epsilon(0.05)) == (math.inf, 3.0)
    assert (curve.delta(0.5), below.delta(0.5)) == (1.0, pytest.approx(0.3))
    assert curve.epsilon(0.2) == below.epsilon(0.2) == pytest.approx(2.0)
    assert curve.delta(2.0) == pytest.approx(0.2)


def test_no_parts() -> None:
    with pytest.raises(ValueError, match="parts"):
        Composition([])


@pytest.mark.parametrize(
    "parts",
    [
        [(300.0, 3, 10, 30)],  # losses of one round that are 1e60 standard deviations apart
        [(1e-4, 1, 101, 1), (8.5, 2, 597_488_276, 4)],  # the losses of one part a million times those of the other
        [(1e-200, 3, 3, 4)],  # losses whose squares underflow
        [(5e-324, 3, 3, 4)],
    ],
)
@pytest.mark.parametrize("flip", [False, True])
def test_extreme_pairs_need_no_huge_grid(parts: list[tuple[float, int, int, int]], flip: bool) -> None:
    pairs = [(randomized_response(eps0, n, population), rounds) for eps0, n, population, rounds in parts]
    composition = Composition([Part(pair.reversed() if flip else pair, rounds) for pair, rounds in pairs])
    ends = composition.epsilon(1e-6, 0.5)
    assert 0 <= ends.lower <= ends.upper <= sum(eps0 * rounds for eps0, _, _, rounds in parts) * (1 + 1e-12)
    assert 0 <= composition.delta(0.0, 0.5).lower <= composition.delta(0.0, 0.5).upper <= 1


def test_a_subnormal_delta() -> None:
    atoms = randomized_response(1.0, 100, 100, tilt=1000.0, log_cut=-700.0)
    ends = Composition([Part(atoms, 3)]).epsilon(5e-324, 1e-3)
    assert ends.lower <= 3 <= ends.upper
    # A delta that underflows is not 0.
    rare = Composition([Part(randomized_response(9.0, 1, 1).reversed(), 100)])
    assert rare.delta(899.999, 0.1).upper > 0
