"""Composed losses: the brackets hold the truth, by enumeration and by counting, whatever the pairs are."""

import itertools
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import certify
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.convex_order import split
from shufflekit.dominating_pairs import randomized_response
from shufflekit.loss_distribution import Composition, Part
from shufflekit.loss_distribution.curve import Curve, deltas
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.parts import Leftover, moments, reach
from shufflekit.loss_distribution.spectrum import composed
from tests import pairs, strategies, truth

GOLDEN = tomllib.loads((Path(__file__).parent / "golden" / "composed.toml").read_text(encoding="utf-8"))["attack"]


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
    ends = Composition([Part(atoms, rounds)]).delta(eps, 1e-3)
    assert ends.lower <= truth * (1 + 1e-10)
    assert truth <= ends.upper * (1 + 1e-10)
    assert ends.upper == pytest.approx(truth, rel=1e-3, abs=1e-300)
    assert ends.width <= 1e-3


@pytest.mark.parametrize("row", GOLDEN["rows"], ids=str)
def test_golden_epsilon_of_a_hundred_thousand_rounds(row: dict[str, float]) -> None:
    atoms = randomized_response(row["eps0"], GOLDEN["k"], GOLDEN["n"], tilt=200.0, log_cut=-120.0)
    ends = Composition([Part(atoms, GOLDEN["rounds"])]).epsilon(GOLDEN["delta"], 1e-3)
    assert ends.lower <= row["eps"] <= ends.upper
    assert ends.width <= 1e-3
    assert ends.upper == pytest.approx(row["eps"], rel=1e-4)


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-20, 1e-60])
@pytest.mark.parametrize("rounds", [1, 2, 200])
def test_epsilon_inverts_delta(delta: float, rounds: int) -> None:
    composition = Composition([Part(pairs.binary(1.0, 200, 200).pair, rounds)])
    ends = composition.epsilon(delta, 1e-2)
    assert 0 <= ends.lower <= ends.upper
    assert ends.width <= 1e-2
    if ends.lower > 0:
        assert composition.delta(ends.lower * (1 - 1e-6), 1e-2).upper >= delta
    assert composition.delta(ends.upper * (1 + 1e-6), 1e-2).lower <= delta


def test_no_mass_no_privacy_loss_corners() -> None:
    one = randomized_response(1.0, 1, 1)
    assert Composition([Part(one, 3)]).delta(3.0001, 1e-3) == (0.0, 0.0)
    assert Composition([Part(one, 1)]).delta(0.0, 1e-3).upper == pytest.approx(math.tanh(0.5), rel=1e-9)
    assert Composition([Part(one, 10)]).epsilon(0.9999, 1e-3).upper < 1
    tiny = Composition([Part(randomized_response(1e-6, 1000, 10**6), 5)])
    assert tiny.epsilon(0.1, 1e-3).upper == pytest.approx(0, abs=1e-6)


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
    found = [(randomized_response(eps0, n, population), rounds) for eps0, n, population, rounds in parts]
    composition = Composition([Part(atoms.reversed() if flip else atoms, rounds) for atoms, rounds in found])
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


# Pairs of all kinds, in fractions, composed by the judge.


def listed(p: np.ndarray, q: np.ndarray) -> Atoms:
    """Two laws in fractions as atoms, and the P-mass where Q has none."""
    shown = [(float(a), float(b)) for a, b in zip(p, q, strict=True) if a and b]
    loss = np.array([math.log(a / b) for a, b in shown])
    order = np.argsort(loss)
    infinite = float(sum(a for a, b in zip(p, q, strict=True) if not b))
    return Atoms(loss[order], np.log([b for _, b in shown])[order], infinite=infinite)


@settings(max_examples=60)
@given(st.data(), st.integers(1, 4), st.floats(0, 2))
def test_different_asymmetric_rounds_against_fractions(data: st.DataObject, kinds: int, eps: float) -> None:
    """Infinite losses, P-mass that Q sees and Q-mass that P does not, any order of the parts."""
    drawn = [data.draw(strategies.laws()) for _ in range(kinds)]
    shared = [(p, q) for p, q in drawn if any(a and b for a, b in zip(p, q, strict=True))]
    if not shared:
        return
    rounds = [data.draw(st.integers(1, 2)) for _ in shared]
    exact = certify.composition([pair for pair, own in zip(shared, rounds, strict=True) for _ in range(own)], eps)
    parts = [Part(listed(*pair), own) for pair, own in zip(shared, rounds, strict=True)]
    for order in (parts, parts[::-1]):
        ends = Composition(order).delta(eps, 1e-4)
        assert ends.lower <= exact.upper * (1 + 1e-9) + 1e-15
        assert exact.lower * (1 - 1e-9) - 1e-15 <= ends.upper
        assert ends.upper - ends.lower <= 1e-9 * ends.upper + 1e-14


@settings(max_examples=15)
@given(strategies.laws(least=1), strategies.laws(least=1), st.integers(20, 60), st.floats(0, 4))
def test_many_rounds_of_two_kinds_through_the_fft(
    one: list[np.ndarray], two: list[np.ndarray], rounds: int, eps: float
) -> None:
    """Both ends of a mixture of rounds are around the count over how often each outcome occurs."""
    one, two = ([law[:2] / sum(law[:2]) for law in pair] for pair in (one, two))
    a, b = listed(*one), listed(*two)
    terms = []
    for i in range(rounds + 1):
        for j in range(rounds + 1):
            weight = [
                math.log(math.comb(rounds, x)) + x * atoms.log_q[-1] + (rounds - x) * atoms.log_q[0]
                for x, atoms in ((i, a), (j, b))
            ]
            loss = sum(x * atoms.loss[-1] + (rounds - x) * atoms.loss[0] for x, atoms in ((i, a), (j, b)))
            if loss > eps:
                terms.append(math.exp(sum(weight) + eps) * math.expm1(loss - eps))
    exact = math.fsum(terms)
    ends = Composition([Part(a, rounds), Part(b, rounds)]).delta(eps, 1e-2)
    assert ends.lower <= exact * (1 + 1e-9) + 1e-15
    assert exact * (1 - 1e-9) - 1e-15 <= ends.upper


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize(("E", "n", "population"), [(3, 3, 3), (2, 6, 6), (3, 2, 8), (7, 4, 5)])
def test_the_clone_pair_composed_in_fractions(E: int, n: int, population: int, rounds: int) -> None:
    laws = truth.clone_pair(E, n, population)
    pair = pairs.clones(math.log(E), n, population).pair
    composition = Composition([Part(pair, rounds)])
    for share in (0.0, 0.05, 0.3, 0.8):
        eps = share * rounds * pair.largest_loss
        exact = certify.composition([(laws.p, laws.q)] * rounds, eps)
        ends = composition.delta(eps, 1e-4)
        # math.log rounds eps0, which moves delta by as much.
        assert ends.lower <= exact.upper * (1 + 1e-11)
        assert exact.lower * (1 - 1e-11) <= ends.upper
        assert ends.width <= 1e-4
        if exact.lower > 1e-12:
            back = composition.epsilon(exact.lower, 1e-4)
            assert back.lower <= eps * (1 + 1e-9) + 1e-12
            assert eps * (1 - 1e-9) - 1e-12 <= back.upper
            assert back.width <= 1e-4 or eps == 0


def test_origin_and_spacing_change_nothing_but_the_work() -> None:
    atoms = pairs.ternary(1.0, 30, 3000).pair.listed(-60.0).upper
    found = []
    for changed in (atoms, atoms._replace(spacing=0.0), atoms._replace(origin=1e-4), atoms._replace(origin=-0.01)):
        ends = Composition([Part(changed, 500)]).epsilon(1e-6, 1e-4)
        assert ends.width <= 1e-3
        found.append(ends)
    assert max(ends.lower for ends in found) <= min(ends.upper for ends in found)
    assert atoms._replace(origin=0.1).shifted().loss == pytest.approx(atoms.loss - 0.1)
    moved = atoms._replace(origin=0.1).shifted()
    assert moved.loss + moved.log_q == pytest.approx(atoms.loss + atoms.log_q)


def test_missing_mass_belongs_to_the_upper_end_only() -> None:
    atoms = randomized_response(1.0, 3, 3)
    some = Atoms(atoms.loss[:-1], atoms.log_q[:-1], missing=float(np.exp(atoms.log_q[-1] + atoms.loss[-1])))
    for rounds in (1, 3, 70):
        whole, part = (Composition([Part(one, rounds)]).delta(0.4, 1e-3) for one in (atoms, some))
        assert part.lower <= whole.upper
        assert whole.lower <= part.upper
        assert part.width > 1e-3
    assert Composition([Part(some, 1)]).epsilon(some.missing / 2, 1e-3).upper == math.inf


@pytest.mark.parametrize("rounds", [1, 2, 70, 1000])
def test_infinite_mass_is_carried_exactly(rounds: int) -> None:
    atoms = Atoms(np.array([-0.1, 0.1]), np.log([0.52, 0.48 - 1e-6]), infinite=1e-4)
    caught = -math.expm1(rounds * math.log1p(-1e-4))
    ends = Composition([Part(atoms, rounds)]).delta(rounds * 0.1 + 1.0, 1e-3)
    assert ends.lower == pytest.approx(caught, rel=1e-9)
    assert ends.lower <= caught * (1 + 1e-12) and caught * (1 - 1e-12) <= ends.upper
    assert Composition([Part(atoms, rounds)]).epsilon(caught / 2, 1e-3).upper == math.inf


def test_infinite_mass_that_outweighs_all_else() -> None:
    """Tilted far out, what is at infinity is beyond floating point beside the rest: it may not become 1."""
    atoms = Atoms(np.array([-1.0, 1.0]), np.log([0.7, 0.05]), infinite=0.164)
    ends = Composition([Part(atoms, 300), Part(randomized_response(0.5, 40, 40), 100)]).delta(340.0, 1e-2)
    caught = -math.expm1(300 * math.log1p(-0.164))
    assert ends.lower <= caught <= ends.upper
    rare = atoms._replace(log_q=np.log([0.7, 0.11]), infinite=1e-200)
    for rounds in (300, 1000):
        # All losses must be 1, or one infinite: of 1,000 the former is no number any more.
        exact = (0.11 * math.e) ** rounds * -math.expm1(-0.1) + rounds * 1e-200
        ends = Composition([Part(rare, rounds)]).delta(rounds - 0.1, 1e-2)
        assert ends.lower <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= ends.upper


@pytest.mark.parametrize("upper", [False, True])
def test_one_fft_is_on_its_side_everywhere(upper: bool) -> None:
    """Of a law that is on the grid already, at every tilt, in the far tails too."""
    p, rounds = 0.3, 200
    grid = split(Atoms(np.array([-1.0, 1.0]), np.log([1 - p, p])), 1.0)
    atoms = Atoms(grid.loss, grid.log_q)
    for tilt in (0.0, 0.05, 0.4):
        curve = composed([Part(split(atoms, 1.0), rounds)], tilt, Leftover(0.0, 0.0, 1e-12), upper=upper)
        for at in range(0, 120, 7):
            exact = sum(
                math.exp(math.log(math.comb(rounds, k)) + k * math.log(p) + (rounds - k) * math.log(1 - p))
                * max(math.exp(2 * k - rounds) - math.exp(at), 0.0)
                for k in range(rounds + 1)
                if 2 * k - rounds > at
            )
            found = curve.delta(float(at))
            assert (found >= min(exact, 1.0) * (1 - 1e-9)) if upper else (found <= exact * (1 + 1e-9))


@given(strategies.laws(least=1), st.floats(0, 3))
def test_moments_and_reach(pair: list[np.ndarray], tilt: float) -> None:
    atoms = listed(*pair)
    weight = np.exp(atoms.log_q + (1 + tilt) * atoms.loss)
    found = moments([Part(atoms, 7)], tilt)
    mean = weight @ atoms.loss / weight.sum()
    assert found.log_z == pytest.approx(7 * math.log(weight.sum()), abs=1e-9)
    assert found.mean == pytest.approx(7 * mean, abs=1e-9)
    if found.deviation > 1e-6:
        low, high = reach([Part(atoms, 7)], tilt)
        assert 7 * atoms.loss[0] - 1e-9 <= low <= high <= 7 * atoms.loss[-1] + 1e-9
        assert low <= found.mean + 1e-9 and found.mean - 1e-9 <= high


def test_laws_with_two_ends_stay_two_ends() -> None:
    """A law below and one above, composed: each on its side of the truth between them."""
    low, true, high = (pairs.clones(eps0, 4, 4).pair.listed(-60.0).upper for eps0 in (0.98, 1.0, 1.02))
    exact = Composition([Part(true, 5)]).delta(0.5, 1e-4)
    ends = Composition([Part(Enclosure(low, high), 5)]).delta(0.5, 1e-4)
    assert ends.lower < exact.lower <= exact.upper < ends.upper
    found = Listed([Part(Enclosure(low, high), 5)]).delta(0.5, 1e-4)
    assert found == ends


def test_a_law_of_one_loss() -> None:
    """Nothing to contract, nothing to divide by."""
    certain = Atoms(np.array([0.0]), np.array([0.0]))
    for rounds in (1, 2, 100):
        assert Composition([Part(certain, rounds)]).delta(0.0, 1e-3).upper <= 1e-12
        assert Composition([Part(certain, rounds)]).epsilon(0.1, 1e-3).upper <= 1e-12


@pytest.mark.parametrize("rounds", [2, 3, 4, 10])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_losses_whose_exponential_is_no_number(n: int, rounds: int) -> None:
    """At eps0 = 300 three rounds lose 900, and e^900 overflows: once, eps was 0 for certain."""
    composition = Composition([Part(pairs.clones(300.0, n, n).pair, rounds)])
    # Up to e^-300, all slots but the changed record's say nothing, and that one is right: each round loses 300.
    for delta in (0.5, 1e-6):
        ends = composition.epsilon(delta, 1e-4)
        exact = 300.0 * rounds + math.log1p(-delta)
        assert ends.lower <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= ends.upper
    ends = composition.delta(300.0 * rounds - 9, 1e-4)
    assert ends.lower <= -math.expm1(-9) * (1 + 1e-9) and -math.expm1(-9) * (1 - 1e-9) <= ends.upper
    assert ends.width <= 1e-4


@given(st.lists(st.tuples(st.floats(-900, 900), st.floats(0, 1)), min_size=1, max_size=30))
def test_deltas_at_each_loss(drawn: list[tuple[float, float]]) -> None:
    """However far the losses are apart."""
    loss, weight = (np.array(column) for column in zip(*sorted(drawn), strict=True))
    exact = [math.fsum(w * -math.expm1(at - x) for x, w in zip(loss, weight, strict=True) if x > at) for at in loss]
    assert deltas(loss, weight) == pytest.approx(exact, rel=1e-12, abs=1e-300)
