"""The inverse questions: what is found meets the target, the next one does not, and limits are told in words."""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import Shuffle, calibrate
from shufflekit._digits import rounded
from shufflekit.protocols import MAX_N, MAX_ROUNDS


def upper(eps0: float, n: int, population: int | None, rounds: int, delta: float) -> float:
    return (Shuffle(eps0, n, population, reduction="clones") * rounds).guarantee(delta).upper


def next_whole(found: int, way: int) -> int:
    return found + way * 10 ** max(0, len(str(found)) - calibrate.DIGITS)


CASES = [
    (0.5, 1e-6, 4.0, 7_000, None, 1),
    (0.3, 1e-8, 2.0, 100, 100_000, 1_000),
    (0.2, 1e-20, 1.0, 30, 3_000, 3),
    (2.0, 1e-3, 3.0, 50, None, 2),
]


@pytest.mark.parametrize(("eps", "delta", "eps0", "n", "population", "rounds"), CASES)
def test_the_answer_meets_the_target_and_the_next_one_does_not(
    eps: float, delta: float, eps0: float, n: int, population: int | None, rounds: int
) -> None:
    found = calibrate.eps0(eps, delta, n, population, rounds, reduction="clones")
    assert upper(found, n, population, rounds, delta) <= eps < upper(found * 1.0002, n, population, rounds, delta)

    fewest = calibrate.n(eps, delta, eps0, rounds, reduction="clones")
    assert upper(eps0, fewest, None, rounds, delta) <= eps < upper(eps0, next_whole(fewest, -1), None, rounds, delta)

    many = 10 * n if population is None else population
    most = calibrate.sampled_n(eps, delta, eps0, many, rounds, reduction="clones")
    assert upper(eps0, most, many, rounds, delta) <= eps
    assert most == many or eps < upper(eps0, next_whole(most, 1), many, rounds, delta)

    least = calibrate.population(eps, delta, eps0, n, rounds, reduction="clones")
    assert upper(eps0, n, least, rounds, delta) <= eps
    assert least == n or eps < upper(eps0, n, next_whole(least, -1), rounds, delta)

    if upper(eps0, n, population, 1, delta) <= eps:
        longest = calibrate.rounds(eps, delta, eps0, n, population, reduction="clones")
        assert upper(eps0, n, population, longest, delta) <= eps
        assert eps < upper(eps0, n, population, next_whole(longest, 1), delta)


def test_small_answers_are_those_of_a_search_one_by_one() -> None:
    eps, delta = 0.9, 1e-3
    ns = [n for n in range(1, 120) if upper(2.0, n, None, 1, delta) <= eps]
    assert calibrate.n(eps, delta, 2.0, reduction="clones") == min(ns) >= calibrate.n(eps, delta, 2.0)
    ks = [k for k in range(1, 61) if upper(2.0, k, 60, 4, delta) <= eps]
    assert calibrate.sampled_n(eps, delta, 2.0, 60, 4, reduction="clones") == max(ks) < 60
    sizes = [size for size in range(20, 200) if upper(2.0, 20, size, 2, delta) <= eps]
    assert calibrate.population(eps, delta, 2.0, 20, 2, reduction="clones") == min(sizes) > 20
    runs = [t for t in range(1, 60) if upper(2.0, 20, 100, t, delta) <= eps]
    assert calibrate.rounds(eps, delta, 2.0, 20, 100, reduction="clones") == max(runs) > 1


@settings(max_examples=12, deadline=None)
@given(st.floats(0.2, 4), st.integers(1, 200), st.integers(0, 400), st.integers(1, 5), st.sampled_from([1e-3, 1e-9]))
def test_there_is_one_answer(eps0: float, n: int, unsampled: int, rounds: int, delta: float) -> None:
    """The pair is monotone in everything that is calibrated: so the search may halve."""
    N = n + unsampled

    def lower(eps0: float, n: int, population: int, rounds: int) -> float:
        return (Shuffle(eps0, n, population, reduction="clones") * rounds).guarantee(delta).lower

    here = upper(eps0, n, N, rounds, delta)
    assert lower(eps0, n, N, rounds) <= upper(eps0 * 1.1, n, N, rounds, delta)
    assert lower(eps0, n, N, rounds) <= upper(eps0, n, N, rounds + 1, delta)
    assert lower(eps0, n, N, rounds) <= upper(eps0, n + 1, max(N, n + 1), rounds, delta) or n == N
    assert lower(eps0, n, N + 1, rounds) <= here
    assert lower(eps0, n + 1, n + 1, rounds) <= upper(eps0, n, n, rounds, delta)


def test_one_report_more_of_a_population_costs_more_at_every_alpha() -> None:
    """The profile, exactly by summing over (a, b): H_a = (1/N) E[(E a + b - alpha (a + E b) + (N-k)(1-alpha))_+]."""
    for eps0, N in ((0.5, 7), (2.0, 7), (4.0, 5)):
        E = math.exp(eps0)
        p = 1 / (E + 1)

        def profile(k: int, alpha: float, N: int = N, E: float = E, p: float = p) -> float:
            total = 0.0
            for a in range(k + 1):
                for b in range(k + 1 - a):
                    rest = k - a - b
                    ways = math.factorial(k) / math.factorial(a) / math.factorial(b) / math.factorial(rest)
                    value = E * a + b - alpha * (a + E * b) + (N - k) * (1 - alpha)
                    total += ways * p ** (a + b) * (1 - 2 * p) ** rest * max(value, 0.0) / N
            return total

        for alpha in np.exp(np.linspace(-eps0, eps0, 41)):
            values = [profile(k, float(alpha)) for k in range(N + 1)]
            assert (np.diff(values) >= -1e-14).all()


def test_the_older_reduction_asks_for_more_clients() -> None:
    assert calibrate.n(0.5, 1e-6, 4.0, reduction="clones2021") > 1.2 * calibrate.n(0.5, 1e-6, 4.0)


def test_limits_are_returned_and_what_is_out_of_reach_is_told() -> None:
    assert calibrate.eps0(1_000.0, 1e-6, 10) == 300.0
    assert calibrate.eps0(0.1, 1e-3, 10, 10**6) == 300.0  # sampled with a probability below delta: nothing matters
    assert calibrate.n(5.0, 1e-6, 4.0) == 1
    assert calibrate.sampled_n(5.0, 1e-6, 4.0, 1_000) == 1_000
    assert calibrate.population(0.9, 1e-6, 1.0, 1_000) == 1_000
    assert calibrate.rounds(0.1, 0.5, 1e-6, 10, 10**6) == MAX_ROUNDS
    for call, words in [
        (
            lambda: calibrate.rounds(0.1, 1e-6, 4.0, 1_000, reduction="clones"),
            r"eps must be at least 1\.85\d*, as rounds = 1 has, got 0\.1",
        ),
        (lambda: calibrate.n(1e-9, 1e-60, 9.0), f"as n = {MAX_N:,}, the most allowed, has"),
        (lambda: calibrate.population(1e-12, 1e-15, 9.0, 1_000), f"as population = {MAX_N:,}, the most allowed"),
        (lambda: calibrate.sampled_n(1e-9, 1e-8, 2.0, 10**6), "as n = 1 has"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


def test_it_takes_few_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    from shufflekit.protocols import Run

    asked = 0
    guarantee = Run.guarantee

    def counted(self: Run, delta: float, *, rtol: float = 1e-4) -> object:
        nonlocal asked
        asked += 1
        return guarantee(self, delta, rtol=rtol)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("an attack was asked, which a search need not pay for")

    monkeypatch.setattr(Run, "guarantee", counted)
    monkeypatch.setattr(Run, "attack_epsilon", never)
    calibrate.rounds(0.5, 1e-8, 2.0, 1_000, 10**6)
    assert asked <= 25
    asked = 0
    calibrate.eps0(0.5, 1e-6, 10_000)
    assert asked <= 25


BAD = [0, -1, math.nan, math.inf, "1", None, True]
CALLS: list[tuple[Callable[..., float], dict[str, float]]] = [
    (calibrate.eps0, {"eps": 0.5, "delta": 1e-3, "n": 10, "population": 20, "rounds": 2}),
    (calibrate.n, {"eps": 0.5, "delta": 1e-3, "eps0": 1.0, "rounds": 2}),
    (calibrate.sampled_n, {"eps": 0.5, "delta": 1e-3, "eps0": 1.0, "population": 20, "rounds": 2}),
    (calibrate.rounds, {"eps": 0.9, "delta": 1e-3, "eps0": 1.0, "n": 10, "population": 20}),
    (calibrate.population, {"eps": 0.5, "delta": 1e-3, "eps0": 1.0, "n": 10, "rounds": 2}),
]


@pytest.mark.parametrize(("call", "good"), CALLS)
def test_bad_input(call: Callable[..., float], good: dict[str, float]) -> None:
    assert call(**good) > 0
    for name in good:
        for value in BAD:
            if name == "population" and value is None and call is not calibrate.sampled_n:
                continue  # all report
            with pytest.raises((ValueError, TypeError), match=name):
                call(**(good | {name: value}))
    with pytest.raises(ValueError, match="reduction"):
        call(**good, reduction="none")


def test_rounded_goes_to_its_side() -> None:
    rng = random.Random(0)
    for _ in range(1_000):
        number = rng.uniform(1, 10) * 10.0 ** rng.randint(-300, 300)
        low, high = rounded(number, up=False), rounded(number, up=True)
        assert low <= number <= high <= low * (1 + 1.1e-5)
    assert rounded(0.125, up=True) == rounded(0.125, up=False) == 0.125
    assert rounded(math.inf, up=True) == math.inf
    assert rounded(0.0, up=True) == 0.0
