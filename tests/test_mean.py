"""Sums in one law: binary randomized response at check-ins, against enumeration and as a mixture over who came."""

import math
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import binom

from shufflekit import ShuffledCheckIn
from shufflekit.definitions import Definition, check_in, growth, response
from shufflekit.dominating_pairs import Aim, MeanOfScores, mean, pair_of
from tests import lists, pairs, truth


def binary_check_in(eps0: float, population: int, rate: float) -> pairs.Defined:
    return pairs.Defined(
        lambda number: Definition(population, population, (check_in(response(growth(number(eps0)), 2), number(rate)),))
    )


@pytest.mark.parametrize(
    ("eps0", "population", "rate"), [(0.3, 2, 0.5), (0.5, 9, 0.1), (0.69, 30, 0.9), (0.05, 6, 0.3)]
)
def test_few_slots_by_enumeration(eps0: float, population: int, rate: float) -> None:
    defined = binary_check_in(eps0, population, rate)
    for pair, reverse in ((defined.pair, False), (defined.pair.reversed(), True)):
        assert isinstance(pair, MeanOfScores)
        assert pair.reversed().reversed() == pair
        eps = np.array([0.0, 0.1, 0.4, 0.8, 0.99]) * pair.largest_loss
        for at, lower, upper in zip(eps, *pair.delta(eps), strict=True):
            true = defined.judged(float(at), reverse=reverse)
            assert lower <= true.upper
            assert true.lower <= upper
        assert pair.delta(np.array([1.01 * eps0])).upper[0] == 0
    laws = defined.laws
    assert truth.delta(laws, 0.1 * eps0) == pytest.approx(defined.pair.delta(np.array([0.1 * eps0])).upper[0], rel=1e-3)


@pytest.mark.parametrize(("eps0", "population", "rate"), [(0.3, 2_000, 0.3), (0.6, 10**6, 1e-4)])
def test_it_is_a_mixture_over_the_number_of_reports(eps0: float, population: int, rate: float) -> None:
    pair = binary_check_in(eps0, population, rate).pair
    mean, deviation = population * rate, math.sqrt(population * rate)
    numbers = np.arange(max(1, round(mean - 9 * deviation)), round(mean + 9 * deviation))
    spread = math.expm1(eps0) * math.exp(-eps0 / 2) * math.sqrt(population * rate) / population
    eps = np.array([0.5, 2.0, 4.0]) * spread
    for way in (pair, pair.reversed()):
        total = np.zeros(len(eps))
        for m in numbers.tolist():
            one = pairs.binary(eps0, m, population).pair
            total += binom.pmf(m, population, rate) * (one if way == pair else one.reversed()).delta(eps).upper
        ends = way.delta(eps)
        assert (ends.lower <= total * (1 + 1e-9)).all()
        assert (total <= ends.upper * (1 + 1e-9)).all()
        assert (ends.upper - ends.lower <= 1e-2 * ends.upper).all()


def test_two_values_reveal_more_than_three_below_e0_of_log_2() -> None:
    """From an independent computation: 0.0694, where three values reach 0.0617."""
    found = (ShuffledCheckIn(0.3, 10**4, 0.3) * 200).attack_epsilon(1e-5)
    assert found.lower == pytest.approx(0.0694, abs=1e-4)
    assert found.width <= 2e-4
    assert found.name == "binary randomized response, all others equal"
    assert pair_of(binary_check_in(0.3, 10**4, 0.3).define(float)) == ShuffledCheckIn(0.3, 10**4, 0.3).attacks[0].pair


def test_the_lists_are_close() -> None:
    lists.closely_listed(binary_check_in(0.5, 200, 0.3).pair, 3e-5)
    lists.closely_listed(binary_check_in(0.3, 3_000, 0.02).pair, 3e-5)


@pytest.mark.parametrize("few", [0, 2**14])
@pytest.mark.parametrize(("eps0", "population", "rate"), [(0.3, 5, 0.5), (0.69, 30, 0.9), (0.05, 9, 0.02)])
def test_all_outcomes_are_listed_on_either_side(
    eps0: float, population: int, rate: float, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they are, or put together: against fractions, at losses below 0, too."""
    monkeypatch.setattr(mean, "FEW_OUTCOMES", few)
    defined = binary_check_in(eps0, population, rate)
    assert isinstance(defined.pair, MeanOfScores)
    laws = defined.laws
    for pair, true in ((defined.pair, laws), (defined.pair.reversed(), laws._replace(p=laws.q, q=laws.p))):
        for found in (pair.listed(-60.0, 1e-3), pair.listed_for(Aim(1.0, 0.01 * eps0), -60.0, 1e-3)):
            assert few == 0 or found.lower is found.upper
            for share in (-0.5, -0.1, 0.0, 0.05, 0.3, 0.8):
                eps = share * pair.largest_loss
                exact = truth.delta(true, eps)
                low, high = (truth.listed_delta(atoms, eps, upper=atoms is found.upper) for atoms in found)
                assert low * (1 - found.lower.error) <= exact * (1 + 1e-12) + 1e-18
                assert exact * (1 - 1e-12) <= high * (1 + found.upper.error) + 1e-18


def test_many_rounds_of_few_reports_are_known_well() -> None:
    """Sums on a grid erred by more, and each round anew: 5 % of delta after 604,700 rounds."""
    run = ShuffledCheckIn(eps0=0.2047, population=4323, rate=0.0007283) * 604_700
    assert run.attack_delta(0.231674).width < 1e-4


@pytest.mark.parametrize("eps", [0.000281514, 0.0006, 0.0009])
def test_one_round_of_very_many_slots(eps: float) -> None:
    """A grid of sums was too coarse far out, and all of it was worked out for one point: 2e-3 wide."""
    run = ShuffledCheckIn(eps0=0.2597, population=7_220_000, rate=0.5059)
    assert run.attack_delta(eps).width < 1e-4


def test_outcomes_are_listed_once_for_looks_that_reach_about_as_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer asked for nine lists of a million outcomes, most of them all but the same."""
    pair, listed, real = binary_check_in(0.3, 300, 0.1).pair, [], mean.outcomes.__wrapped__
    monkeypatch.setattr(mean, "outcomes", lru_cache(maxsize=4)(lambda *asked: listed.append(asked) or real(*asked)))
    for log_cut in (-53.34, -53.52, -54.3, -56.0):
        assert pair.listed(log_cut, 1e-4).upper.missing <= 100 * math.exp(log_cut)
        pair.reversed().listed(log_cut, 1e-4)
    assert len(listed) == 1
