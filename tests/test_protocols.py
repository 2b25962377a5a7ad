"""The front door: answers are on the right side of the truth, monotone, and bad input is refused in words."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import Bracket, HadamardResponse, RandomizedResponse, Shuffle, exact
from shufflekit.divergences import hockey_stick, renyi
from shufflekit.papers import girgis2021
from shufflekit.protocols import MAX_ROUNDS
from shufflekit.randomizers import random_channel

eps0s = st.floats(0.05, 6)
small = st.tuples(st.integers(1, 2000), st.integers(0, 10**6), st.integers(1, 300))


@pytest.mark.parametrize("ratio", [2, 7])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (2, 2), (3, 3), (1, 3), (2, 4), (4, 5)])
def test_between_attack_and_guarantee_lies_every_channel(ratio: int, n: int, population: int) -> None:
    """lower <= worst exact value over channels <= upper, by enumerating all neighbouring data sets."""
    rng = np.random.default_rng(0)
    channels = [
        RandomizedResponse(2, ratio=ratio),
        RandomizedResponse(3, ratio=ratio),
        HadamardResponse(3, ratio=ratio),
    ]
    channels += [random_channel(3, 3, ratio=ratio, rng=rng) for _ in range(2)]
    protocol = Shuffle(math.log(ratio), n, population)
    pairs = [pair for c in channels if c.outputs < 4 or population < 5 for pair in exact.neighbours(c, population, n)]
    for eps in (0.0, 0.2, 1.0):
        worst = max(float(hockey_stick(pair.p, pair.q, math.exp(eps))) for pair in pairs)
        ends = protocol.delta(eps)
        assert ends.lower <= worst * (1 + 1e-9) + 1e-15
        assert worst <= ends.upper * (1 + 1e-9) + 1e-15
    for order in (2, 3.5):
        worst = max(renyi(pair.p.astype(float), pair.q.astype(float), order) for pair in pairs)
        assert worst <= protocol.rdp(order) * (1 + 1e-9)


@settings(max_examples=12)
@given(eps0s, small, st.sampled_from([1e-3, 1e-8, 1e-30]))
def test_ends_are_ordered_and_finite(eps0: float, sizes: tuple[int, int, int], delta: float) -> None:
    n, unsampled, rounds = sizes
    run = Shuffle(eps0, n, n + unsampled) * rounds
    attack = run.attack_epsilon(delta, rtol=0.1)
    ends = run.epsilon(delta, rtol=0.1)
    assert 0 <= attack.lower <= attack.upper < math.inf
    assert ends.lower == attack.lower <= ends.upper <= run.renyi_curve.limit
    assert float(ends) == ends.upper


@settings(max_examples=25)
@given(eps0s, st.integers(1, 10**6), st.integers(0, 10**7), st.integers(1, 10**5), st.floats(1.01, 500))
def test_guarantees_are_monotone(eps0: float, n: int, unsampled: int, rounds: int, order: float) -> None:
    run = Shuffle(eps0, n, n + unsampled) * rounds
    rdp, eps = run.rdp(order), run.renyi_curve.epsilon(1e-6).value
    slack = 1 + 1e-9
    assert rdp <= (Shuffle(eps0 * 1.1, n, n + unsampled) * rounds).rdp(order) * slack
    assert (Shuffle(eps0, n, n + 2 * unsampled + 1) * rounds).rdp(order) <= rdp * slack
    assert rdp <= run.rdp(order * 1.3) * slack
    assert rdp <= (run + Shuffle(eps0, n)).rdp(order) * slack
    assert eps <= (run * 2).renyi_curve.epsilon(1e-6).value * slack
    assert eps <= run.renyi_curve.epsilon(1e-7).value * slack


@settings(max_examples=30)
@given(st.floats(0.1, 4), st.integers(2, 500), st.integers(0, 10**5), st.integers(1, 500))
def test_attack_is_monotone(eps0: float, n: int, unsampled: int, rounds: int) -> None:
    def attack(eps0: float, population: int, rounds: int, delta: float = 1e-6) -> Bracket:
        return (Shuffle(eps0, n, population) * rounds).attack_epsilon(delta, rtol=0.1)

    here = attack(eps0, n + unsampled, rounds)
    assert here.lower <= attack(eps0 * 1.2, n + unsampled, rounds).upper
    assert here.lower <= attack(eps0, n + unsampled, 2 * rounds).upper
    assert attack(eps0, 2 * (n + unsampled), rounds).lower <= here.upper
    assert here.lower <= attack(eps0, n + unsampled, rounds, delta=1e-7).upper


def test_composition_is_addition() -> None:
    a, b = Shuffle(1.0, 100), Shuffle(2.0, 50, 5000)
    assert repr(a * 3 + b) == "Shuffle(eps0=1, n=100) * 3 + Shuffle(eps0=2, n=50, population=5_000) * 1"
    assert (a + a).parts == (a * 2).parts == (2 * a).parts
    assert ((a + b) * 4).parts == (b * 4 + a * 4).parts[::-1]
    assert (a * 3 + b).rdp(7) == pytest.approx(3 * a.rdp(7) + b.rdp(7))
    both, one = (a * 3 + b).attack_epsilon(1e-5), (a * 3).attack_epsilon(1e-5)
    assert one.upper <= both.upper
    with pytest.raises(TypeError):
        a + 3  # type: ignore[operator]


def test_a_run_of_one_round_is_the_round() -> None:
    one = Shuffle(1.0, 100)
    for question in ("epsilon", "attack_epsilon"):
        assert getattr(one, question)(1e-6) == getattr(one * 1, question)(1e-6)
    assert one.delta(0.3) == (one * 1).delta(0.3)
    assert one.rdp(3) == (one * 1).rdp(3)
    assert str(one.compare(1e-6)) == str((one * 1).compare(1e-6))


def test_rdp_is_theorem_1_or_the_pure_bound() -> None:
    protocol = Shuffle(2.0, 1000, 10**6)
    orders = np.array([2, 10, 100])
    assert protocol.rdp(orders) == pytest.approx(girgis2021.thm1(orders, 2.0, 10**6, 1000))
    assert isinstance(protocol.rdp(2), float)
    assert Shuffle(2.0, 3).rdp(50) == 2.0
    assert Shuffle(1.0, 1, 10).pure_epsilon == pytest.approx(math.log1p(0.1 * math.expm1(1)))


def test_extremes() -> None:
    assert Shuffle(1.0, 10).delta(1.0) == (0.0, 0.0)
    assert (Shuffle(1.0, 1) * 10).epsilon(1e-6).lower == pytest.approx(10, rel=1e-4)
    assert Shuffle(1e-9, 10**9).epsilon(0.5) == (0.0, 0.0)
    far = (Shuffle(1.0, 10**5) * 4).epsilon(1e-60)
    assert 0 < far.lower < far.upper < 4


GOOD = {"eps0": 1.0, "n": 10, "population": 100}
BAD_FLOATS = [0, -1, math.nan, math.inf, "1", None, True, 1j]
BAD_COUNTS = [0, -1, math.nan, math.inf, 1.5, "1", True, 1j, 10**13]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eps0", 301.0),
        *itertools.product(["eps0"], BAD_FLOATS),
        *itertools.product(["n", "population"], BAD_COUNTS),
        ("n", 101),
    ],
)
def test_bad_protocols_are_refused_at_construction(name: str, value: object) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        Shuffle(**(GOOD | {name: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 1, -0.1, math.nan, math.inf, "0.1", None, True])
def test_bad_deltas(value: object) -> None:
    for question in ("epsilon", "attack_epsilon", "compare"):
        with pytest.raises((ValueError, TypeError), match="delta"):
            getattr(Shuffle(1.0, 10), question)(value)


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "0.1", None, True])
def test_bad_eps(value: object) -> None:
    with pytest.raises((ValueError, TypeError), match="eps"):
        Shuffle(1.0, 10).delta(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1, 0.5, -2, math.nan, math.inf, "2", None])
def test_bad_orders(value: object) -> None:
    with pytest.raises((ValueError, TypeError), match="order"):
        Shuffle(1.0, 10).rdp(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, 2, math.nan, math.inf, "1e-4", None])
def test_bad_tolerance(value: object) -> None:
    with pytest.raises((ValueError, TypeError), match="rtol"):
        Shuffle(1.0, 10).epsilon(1e-6, rtol=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, 2.0, "3", True, None])
def test_bad_rounds(value: object) -> None:
    for made in (Shuffle(1.0, 10), Shuffle(1.0, 10) * 2):
        with pytest.raises((ValueError, TypeError), match="rounds"):
            made * value  # type: ignore[operator]


def test_a_bound_of_1_on_delta_still_gets_its_attack() -> None:
    ends = (Shuffle(20.0, 1000) * 10).delta(0.0)
    assert 0 < ends.lower <= ends.upper <= 1


def test_too_many_rounds() -> None:
    with pytest.raises(ValueError, match="rounds must be a whole number of at least 1 and at most"):
        Shuffle(1.0, 10) * 10**400
    with pytest.raises(ValueError, match="rounds"):
        Shuffle(1.0, 10) * MAX_ROUNDS + Shuffle(1.0, 10)
    assert (Shuffle(1.0, 10) * MAX_ROUNDS).attack_epsilon(1e-6, rtol=0.5).lower >= 0
