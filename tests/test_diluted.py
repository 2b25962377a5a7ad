"""A pair that is at stake only sometimes, and the infinite losses of the strong view, which is one."""

import math

import numpy as np
import pytest

from shufflekit import Bracket, RandomizedResponseShuffle, WideAnswer
from shufflekit.dominating_pairs import Diluted, votes
from tests import lists, pairs, truth

INF = math.inf


def test_nothing_is_seen_of_whom_the_dilution_hides():
    pair = Diluted(pairs.clones(1.0, 6, 6).pair, 0.25)
    inner, outer = pair.pair.delta(np.array([0.1, 0.4])), pair.delta(np.array([0.1, 0.4]))
    assert outer.upper == pytest.approx(inner.upper / 4, rel=1e-12)
    assert outer.lower == pytest.approx(inner.lower / 4, rel=1e-12)
    assert pair.reversed() == pair and pair.largest_loss == pair.pair.largest_loss
    for atoms in pair.listed(-60.0):
        assert np.exp(atoms.log_q).sum() == pytest.approx(1, abs=1e-12)
        assert (np.diff(atoms.loss) >= 0).all()
        assert truth.listed_delta(atoms, 0.1, upper=False) == pytest.approx(inner.upper[0] / 4, rel=1e-8)


@pytest.mark.parametrize("rounds", [1, 2, 10])
@pytest.mark.parametrize(("n", "k", "gamma"), [(3, 4, 0.6), (10, 4, 0.25), (8, 2, 0.5)])
def test_infinite_losses_of_the_strong_view(n, k, gamma, rounds):
    """The changed record told the truth, and no other message hides it: (1 - gamma) (1 - gamma/k)^(n-1) a round."""
    caught = -math.expm1(rounds * math.log1p(-(1 - gamma) * (1 - gamma / k) ** (n - 1)))
    run = RandomizedResponseShuffle(k, gamma=gamma, n=n, view="strong") * rounds
    ends = run.delta(500.0)
    assert ends.lower <= caught * (1 + 1e-9)
    assert caught * (1 - 1e-9) <= ends.upper
    assert ends.lower == pytest.approx(caught, rel=1e-6)
    assert run.epsilon(caught * 0.99).upper == math.inf
    assert run.epsilon(min(caught * 1.1, (1 + caught) / 2)).upper < math.inf
    assert run.pure_epsilon == math.inf
    assert run.rdp(2.0) == math.inf


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")  # hardly above the infinite mass
@pytest.mark.parametrize("rounds", [1, 2, 10, 1000])
@pytest.mark.parametrize(
    ("n", "k", "gamma"),
    [(1, 2, 0.5), (2, 2, 0.5), (3, 4, 0.6), (10, 4, 0.25), (200, 3, 0.2), (1000, 2, 0.5), (10**5, 2, 1e-3)],
)
def test_no_eps_is_enough_where_the_infinite_mass_is(n, k, gamma, rounds):
    """Where it exceeds delta both ends are infinite, and else neither; once, 600 to infinity was answered."""
    caught = -math.expm1(rounds * math.log1p(-(1 - gamma) * (1 - gamma / k) ** (n - 1)))
    run = RandomizedResponseShuffle(k, gamma=gamma, n=n, view="strong") * rounds
    for share in (1e-3, 0.5, 0.999):
        assert run.epsilon(share * caught) == Bracket(INF, INF)
    for delta in (1.001 * caught, 1.5 * caught, (1 + caught) / 2):
        if delta < 1:
            ends = run.epsilon(delta)
            assert 0 <= ends.lower <= ends.upper < INF
            assert ends.width < 1e-3 or delta < 1.01 * caught or caught < 1e-20


def test_infinite_losses_stay_certain_where_outcomes_are_put_together(monkeypatch):
    """Outcomes of losses near each other are not told apart, those beyond all finite losses are."""
    pair = pairs.view(3, 1.0, 30, "strong").pair
    exact = pair.listed(-100.0)
    monkeypatch.setattr(votes, "FEW_OUTCOMES", 0)
    found = pair.listed(-100.0)
    assert found.lower.infinite == pytest.approx(exact.lower.infinite, rel=1e-7, abs=0)
    assert found.lower.infinite <= exact.lower.infinite
    assert found.upper.infinite >= exact.upper.infinite
    for atoms in found:
        assert (np.abs(atoms.loss) <= pair.largest_finite_loss).all()
        assert np.exp(atoms.log_q).sum() + atoms.infinite + atoms.missing == pytest.approx(1, abs=1e-9)
    for eps in (0.0, 0.1, 0.5, 2.0, 3.0):
        low, high = (truth.listed_delta(atoms, eps, upper=atoms is found.upper) for atoms in found)
        true = truth.listed_delta(exact.lower, eps, upper=False)
        assert low * (1 - found.lower.error) <= true * (1 + 1e-12)
        assert true * (1 - 1e-12) <= high * (1 + 1e-12)


def test_a_delta_that_is_hardly_a_number_is_no_lower_end():
    """The share times delta is rounded to a multiple of 5e-324: that may not count as known."""
    with pytest.warns(WideAnswer):
        ends = RandomizedResponseShuffle(5, 1e-300, 10**12, view="strong").epsilon(5e-324)
    assert ends.lower <= ends.upper


def test_the_lists_are_close() -> None:
    for share in (0.3, 1e-6, 1.0):
        lists.closely_listed(Diluted(pairs.clones(1.0, 50, 50).pair, share), 1e-9)
    lists.closely_listed(pairs.view(3, 1.0, 50, "strong").pair, 1e-9)
