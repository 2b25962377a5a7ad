"""Each bound on shuffled check-ins by itself, without a table: what it is asked with, and up to where it holds."""

import math

import numpy as np
import pytest

from shufflekit import ShuffledCheckIn, shuffled_check_in_bounds
from shufflekit.bounds import SLOW_ROUNDS
from shufflekit.papers import kairouz2015, liew2022
from shufflekit.protocols import ShuffledCheckIns, TooSlow, bounds
from shufflekit.renyi import epsilon_at_order

EQ5 = "Theorem 1 (Eq 5), K/n summed exactly; Lemma 1, best order"
EQ7 = "Theorem 2 (Eq 7), corrected, best Delta; Lemma 1, best order"
RENYI, OPTIMAL = "no shuffling, App. D; Renyi and Lemma 1, best order", "no shuffling, App. D; optimal composition"
ONE = ShuffledCheckIns(1.0, 200, 0.5, 2)


def asked(name: str, *rounds: ShuffledCheckIns, delta: float = 1e-6) -> float:
    (bound,) = [one for one in bounds.registered() if one.name == name and one.about is ShuffledCheckIns]
    return bound.epsilon(rounds, delta)


@pytest.mark.parametrize("name", [RENYI, OPTIMAL])
def test_what_is_about_equal_rounds_says_so(name: str) -> None:
    with pytest.raises(ValueError, match="is stated for equal rounds only"):
        asked(name, ONE, ONE._replace(eps0=2.0))


def test_the_slowest_composition_that_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kairouz2015, "optimal", lambda *arguments: 7.0)
    assert asked(OPTIMAL, ONE._replace(rounds=SLOW_ROUNDS)) == 7.0
    with pytest.raises(TooSlow, match="takes long beyond 10,000,000 rounds"):
        asked(OPTIMAL, ONE._replace(rounds=SLOW_ROUNDS + 1))


def test_half_of_delta_pays_for_more_who_come() -> None:
    share = 1e-6 / 4
    eps = liew2022.appendix_d(1.0, 200, 0.5, share).eps1
    assert asked(OPTIMAL, ONE) == kairouz2015.optimal(eps, share, 2, 1e-6)
    # Of an eps-DP round nothing is worse than a coin that says which with E to 1, by hand; many of it are below 40 eps.
    share = 1e-6 / 80
    eps = liew2022.appendix_d(1.0, 200, 0.5, share).eps1
    orders = np.linspace(1.001, 30, 100_000)
    p = 1 / (1 + math.exp(-eps))
    moments = p**orders * (1 - p) ** (1 - orders) + (1 - p) ** orders * p ** (1 - orders)
    wanted = epsilon_at_order(40 * np.log(moments) / (orders - 1), orders, 5e-7).min()
    assert wanted < 39 * eps
    assert asked(RENYI, ONE._replace(rounds=40)) == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("reduction", ["corners", "clones", "clones2021"])
def test_a_pair_is_that_of_the_rounds(reduction: str) -> None:
    name = {"corners": "corner", "clones": "clone", "clones2021": "clones2021"}[reduction]
    run = ShuffledCheckIn(1.0, 20, 0.5, reduction=reduction) * 2 + ShuffledCheckIn(2.0, 10, 0.3, reduction=reduction)
    found = asked(
        f"{name} pair of check-ins, composed numerically",
        ShuffledCheckIns(1.0, 20, 0.5, 2),
        ShuffledCheckIns(2.0, 10, 0.3),
    )
    assert found == run.guarantee(1e-6).upper


def test_a_theorem_is_summed_over_rounds_at_the_best_whole_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def curve(order: np.ndarray, eps0: float, n: int, gamma: float) -> np.ndarray:
        return eps0 * n * gamma * order

    monkeypatch.setattr(liew2022, "eq5", curve)
    monkeypatch.setattr(liew2022, "eq7_best", curve)
    orders = np.arange(2, shuffled_check_in_bounds.MOST_ORDER + 1)
    total = 3 * curve(orders, 0.1, 2, 0.5) + curve(orders, 0.2, 4, 0.25)
    wanted = epsilon_at_order(total, orders, 1e-6).min()
    rounds = ShuffledCheckIns(0.1, 2, 0.5, 3), ShuffledCheckIns(0.2, 4, 0.25)
    assert asked(EQ5, *rounds) == pytest.approx(wanted)
    assert asked(EQ7, *rounds) == pytest.approx(wanted)  # where both are equal it applies
    monkeypatch.setattr(liew2022, "eq5", lambda *x: 1.001 * curve(*x))
    with pytest.raises(ValueError, match="takes the rate for K/n, and here that gives less than Theorem 1"):
        asked(EQ7, *rounds)


@pytest.mark.parametrize("name", [EQ5, EQ7])
def test_no_bound_is_below_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in ("eq5", "eq7_best"):
        monkeypatch.setattr(liew2022, one, lambda order, *_: 0.0 * order)
    assert asked(name, ONE, delta=0.5) == 0.0
