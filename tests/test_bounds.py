"""Each bound on rounds of reports by itself, without a table: what it is asked with, and up to where it holds."""

import math
from typing import Any

import numpy as np
import pytest

from shufflekit import Shuffle
from shufflekit import bounds as rounds_of_reports
from shufflekit.bounds import RENYI_N, SLOW_N, SLOW_ROUNDS
from shufflekit.papers import balle2019, comparisons, feldman2021
from shufflekit.protocols import Reports, TooSlow, bounds
from shufflekit.renyi import epsilon_at_order

PAIRS = [f"{name} pair, composed numerically" for name in ("corner", "clone", "clones2021")]
SAMPLED, RENYI = "clone pair, sampled by Lemma 7, composed numerically", "clone pair by Renyi and Lemma 1, best order"
THEOREM = "Theorem 1 and Lemma 1, best order"
ONCE = ["clones, numerical", "clones, closed form", "blanket, Bennett"]
NUMERICAL, CLOSED, NONE = (
    f"{name}; optimal composition" for name in ("clones, numerical", "clones, closed form", "no shuffling")
)
AFTER = "Renyi of the shuffle, then sampled"


def asked(name: str, *rounds: Reports, delta: float = 1e-6) -> float:
    return next(one for one in bounds.registered() if one.name == name and one.about is Reports).epsilon(rounds, delta)


@pytest.mark.parametrize(
    ("name", "rounds", "told"),
    [
        (SAMPLED, [Reports(1.0, 10, 10), Reports(2.0, 9, 9)], "nothing is sampled"),
        *((name, [Reports(1.0, 10, 10, 2)], "is about one round without sampling") for name in ONCE),
        *((name, [Reports(1.0, 10, 11)], "is about one round without sampling") for name in ONCE),
        *(
            (name, [Reports(1.0, 10, 10), Reports(2.0, 10, 10)], "is stated for equal rounds only")
            for name in (*ONCE, NUMERICAL, CLOSED, NONE, AFTER)
        ),
    ],
)
def test_what_a_bound_is_not_about_it_says(name: str, rounds: list[Reports], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        asked(name, *rounds)


@pytest.mark.parametrize(("name", "reduction"), [*zip(PAIRS, ("corners", "clones", "clones2021"), strict=True)])
def test_a_pair_is_that_of_the_rounds(name: str, reduction: str) -> None:
    run = Shuffle(1.0, 10, 30, reduction=reduction) * 3 + Shuffle(2.0, 5, reduction=reduction)
    found = asked(name, Reports(1.0, 10, 30, 3), Reports(2.0, 5, 5))
    assert found == run.guarantee(1e-6).upper


def test_lemma_7_where_one_round_of_two_is_sampled() -> None:
    """Rounds in which everybody reports are a clone pair's; a sampled one is no better than that."""
    alone = asked(PAIRS[1], Reports(1.0, 20, 20, 2))
    assert asked(PAIRS[1], Reports(1.0, 20, 20), Reports(1.0, 20, 40)) <= asked(
        SAMPLED, Reports(1.0, 20, 20), Reports(1.0, 20, 40)
    )
    assert asked(SAMPLED, Reports(1.0, 20, 20), Reports(1.0, 20, 40)) < alone


def test_the_best_order_is_as_good_as_any() -> None:
    run = Shuffle(1.0, 20, reduction="clones") * 3
    orders = np.arange(1.5, 60.0, 0.5)
    best = min(epsilon_at_order(run.rdp(orders), orders, 1e-6))
    assert 0.99 * best <= asked(RENYI, Reports(1.0, 20, 20, 3)) <= best * (1 + 1e-3)
    # No round costs more than eps0, and nothing less than nothing.
    assert asked(RENYI, Reports(0.5, 1, 1), delta=1e-30) == pytest.approx(0.5)
    assert asked(RENYI, Reports(1e-3, 1000, 1000), delta=0.5) == 0.0


def test_the_search_begins_at_the_best_order_of_a_gaussian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of losses rho a, rho + 2 sqrt(rho L) is least at 1 + sqrt(L/rho), L = log(1/delta); L = 4, rho = 1/4: at 5."""

    class Best:
        value = 0.5

    begun: list[float] = []
    monkeypatch.setattr(rounds_of_reports, "best_order", lambda at, *, start, **_: begun.append(start) or Best)
    for eps in (0.25 + 2 * 0.5 * 2, 1e-9):
        ends = type("Ends", (), {"upper": eps})
        monkeypatch.setattr(rounds_of_reports.Run, "guarantee", lambda *_, ends=ends, **options: ends)
        assert asked(RENYI, Reports(1.0, 10, 10), delta=math.exp(-4)) == 0.5
    assert begun == [pytest.approx(5.0), 1 + rounds_of_reports.MOST_START]


def test_renyi_divergences_of_at_most_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < asked(RENYI, Reports(0.1, RENYI_N, RENYI_N)) < 0.1
    with pytest.raises(TooSlow, match="takes long beyond n = 1,000"):
        asked(RENYI, Reports(0.1, 10, 10), Reports(0.1, RENYI_N + 1, RENYI_N + 1))


def test_different_rounds_add_up_by_theorem_1() -> None:
    """Three rounds of a kind are one and two of it; two kinds cost more than either, and less than one by one."""
    one, other = Reports(1.0, 100, 10_000, 3), Reports(0.5, 200, 10_000)
    assert asked(THEOREM, one) == pytest.approx(asked(THEOREM, one._replace(rounds=1), one._replace(rounds=2)))
    both = asked(THEOREM, one, other)
    assert max(asked(THEOREM, one), asked(THEOREM, other)) < both < asked(THEOREM, one) + asked(THEOREM, other)
    # However large: no round costs more than log(1 + n/population (E - 1)).
    assert asked(THEOREM, Reports(1.0, 1, 10), delta=1e-200) == pytest.approx(math.log1p(math.expm1(1.0) / 10))


def test_what_strong_composition_is_asked_with(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(comparisons, "clones_strong_composition", lambda *arguments: seen.append(arguments) or 7.0)
    for name, amplification in ((NUMERICAL, "numerical"), (CLOSED, "closed"), (NONE, "none")):
        assert asked(name, Reports(1.0, SLOW_N, 2 * SLOW_N, SLOW_ROUNDS)) == 7.0
        assert seen.pop() == (1.0, 2 * SLOW_N, SLOW_N, SLOW_ROUNDS, 1e-6, amplification, "optimal")
        with pytest.raises(TooSlow, match="takes long beyond 10,000,000 rounds"):
            asked(name, Reports(1.0, 10, 10, SLOW_ROUNDS + 1))
    with pytest.raises(TooSlow, match="takes long beyond n = 10,000,000"):
        asked(NUMERICAL, Reports(1.0, SLOW_N + 1, 2 * SLOW_N))
    assert asked(CLOSED, Reports(1.0, SLOW_N + 1, 2 * SLOW_N)) == 7.0


def test_one_round_by_three_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(ONCE[0], Reports(0.5, 1_000, 1_000)) == feldman2021.epsilon(1e-6, 0.5, 1_000)
    assert asked(ONCE[1], Reports(0.5, 1_000, 1_000)) == feldman2021.closed_form(0.5, 1_000, 1e-6)
    assert asked(ONCE[2], Reports(0.5, 1_000, 1_000)) == balle2019.epsilon(1e-6, 0.5, 1_000)
    monkeypatch.setattr(feldman2021, "epsilon", lambda delta, eps0, n: 7.0)
    assert asked(ONCE[0], Reports(0.5, SLOW_N, SLOW_N)) == 7.0
    with pytest.raises(TooSlow, match="takes long beyond n = 10,000,000; the composed clones2021 pair says the same"):
        asked(ONCE[0], Reports(0.5, SLOW_N + 1, SLOW_N + 1))


def test_a_shuffle_that_is_sampled_afterwards() -> None:
    found = asked(AFTER, Reports(0.5, 100, 10_000, 20))
    assert found == comparisons.shuffle_then_sample(0.5, 10_000, 100, 20, 1e-6).value > 0
    assert asked(AFTER, Reports(1e-3, 100, 10_000), delta=0.9) == 0.0


def test_no_shuffling_costs_nothing_where_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """An eps of 0 of the pair is one by Renyi, too: there is no order to begin at."""

    class Nothing:
        upper = 0.0

    monkeypatch.setattr(rounds_of_reports.Run, "guarantee", lambda *arguments, **options: Nothing())
    assert asked(RENYI, Reports(1.0, 10, 10)) == 0.0
