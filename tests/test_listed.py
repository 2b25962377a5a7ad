"""Lists composed on grids: where their points lie, how many it takes, and what an answer's width is due to."""

import math

import numpy as np
import pytest

from shufflekit import DistributedCheckIn, GaussianShuffle, Shuffle
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.loss_distribution import Composition, Part, grids, outcomes
from shufflekit.loss_distribution.grids import Grids
from shufflekit.loss_distribution.listed import Listed

COIN = Atoms(np.array([-0.3, 0.3]), np.log([1 / (1 + math.exp(-0.3)), 1 / (1 + math.exp(0.3))]))


def lattice(points: int, spacing: float) -> Atoms:
    """Losses on a lattice, binomial under a mixture of both laws."""
    places = np.arange(-points, points + 1, 2.0) * spacing / 2
    chance = np.array([math.comb(points, k) for k in range(points + 1)]) / 2.0**points
    return Atoms(places, np.log(chance / np.cosh(places / 2)) - places / 2, spacing=spacing)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Those of all grids."""
    found, real = list[float](), Grids._composed

    def composed(self, tilt, step, many, *, upper):
        found.append(step)
        return real(self, tilt, step, many, upper=upper)

    monkeypatch.setattr(Grids, "_composed", composed)
    return found


@pytest.mark.usefixtures("on_grids")
def test_points_of_the_lattice_that_matters_are_points_of_the_grid(steps: list[float]) -> None:
    """Of two lattices that of more rounds; their steps are whole parts of its spacing."""
    fine, coarse = lattice(12, 1e-3), lattice(12, np.pi * 1e-3)
    known = Listed([Part(Enclosure(fine, fine), 500), Part(Enclosure(coarse, coarse), 3)])
    assert known.delta(0.05, 1e-4).width <= 1e-4
    parts = np.array([fine.spacing / step for step in steps if step < grids.NEAR_LATTICE * fine.spacing])
    assert len(parts)
    assert np.abs(parts - np.rint(parts)).max() < 1e-9


def test_sums_of_unlike_rounds_need_few_grids(steps: list[float]) -> None:
    """Grids that took no notice of the votes' lattice needed 43, of up to four million points; mostly it takes none."""
    run = Shuffle(0.05987, n=597) * 190 + GaussianShuffle(4.575, 9) * 4
    ends = Composition([Part(one.pair, rounds) for one, rounds in run.parts]).delta(1.74078, 1e-4)
    assert ends.width <= 1e-4
    assert ends.lower <= 2.8117e-32
    assert ends.upper >= 2.8113e-32
    assert len(steps) <= 10


def test_an_answer_says_whether_closer_lists_would_help() -> None:
    near = Enclosure(COIN, COIN)
    apart = Enclosure(COIN._replace(log_q=COIN.log_q + math.log(0.99)), COIN)
    for known, coarse in ((near, False), (apart, True)):
        composed = Listed([Part(known, 100)])
        ends = composed.epsilon(1e-5, 1e-4)
        assert composed.too_coarse is coarse
        assert (ends.width > 1e-4) is coarse


def test_one_list_alone_is_on_no_grid(steps: list[float]) -> None:
    composed = Listed([Part(Enclosure(COIN, COIN), 1)])
    ends = composed.delta(0.1, 1e-4)
    truth = (1 - math.exp(0.1 - 0.3)) / (1 + math.exp(-0.3))
    assert ends.lower <= truth <= ends.upper
    assert not steps
    assert composed.too_coarse


def test_where_all_rounds_together_show_less_than_delta_epsilon_is_nothing() -> None:
    """delta(0) is at most that of each round, added up; where it is more, eps is not 0."""
    at_zero = 3 * math.tanh(0.15)
    known = Listed([Part(Enclosure(COIN, COIN), 3)])
    assert known.epsilon(at_zero * (1 + 1e-9), 1e-4) == (0.0, 0.0)
    run = DistributedCheckIn(1.0, 50, 1e-9) * 3
    assert run.epsilon(1e-6) == (0.0, 0.0)
    assert run.guarantee(1e-11).lower > 0


@pytest.mark.parametrize("eps", [0.0, 0.1, 0.4342])
def test_beyond_the_largest_listed_loss_there_is_what_is_lost_for_certain(eps: float) -> None:
    """Rounds whose only loss above 0 is infinite had no answer at all."""
    run = DistributedCheckIn(3.285, population=1, rate=0.0008405, neighbours="remove", distance=2.0) * 14
    law = Composition([Part(one.pair, rounds) for one, rounds in run.parts])
    ends = law.delta(eps, 1e-4)
    assert ends.lower <= -math.expm1(14 * math.log1p(-0.0008405)) <= ends.upper
    assert ends.width <= 1e-8
    shown = Atoms(np.array([-0.3, -0.1]), np.log([0.6, 0.4]), infinite=1 - 0.6 * math.exp(-0.3) - 0.4 * math.exp(-0.1))
    known = Listed([Part(Enclosure(shown, shown), 100)])
    assert known.epsilon(1.0 - 1e-15, 1e-4).upper == 0.0


def test_outcomes_whose_order_does_not_matter_are_listed_once() -> None:
    """3^31 times 8^3 are 63,000: read off exactly. On grids the ends were 1e-4 apart."""
    three = Atoms(np.array([-0.6, 0.0, 0.6]), np.log([0.001, 0.997, 0.001]))
    eight = Atoms(np.linspace(-6.0, 6.0, 8), np.log(np.full(8, 0.001)))
    parts = [Part(three, 31), Part(eight, 3)]
    assert outcomes.are_few(parts, 2**19)
    known = outcomes.all_outcomes(parts)
    assert len(known.loss) == math.comb(33, 2) * math.comb(10, 3)
    for power in (0.0, 1.0):  # Q's and P's mass
        mass = [np.exp(pair.log_q + power * pair.loss).sum() ** rounds for pair, rounds in parts]
        assert math.isclose(np.exp(known.log_q + power * known.loss).sum(), math.prod(mass), rel_tol=1e-12)
    assert not outcomes.are_few(parts, 2**14)
    assert not outcomes.are_few([Part(three, 65)], 2**19)
    many = Atoms(np.linspace(-1.0, 1.0, 100_000), np.full(100_000, -12.0))
    assert not outcomes.are_few([Part(many, 64), Part(three, 10**9)], 2**19)
    assert not outcomes.are_few([Part(many, 64)], 2**19)
    assert outcomes.are_few([Part(many._replace(loss=many.loss[:700], log_q=many.log_q[:700]), 2)], 2**19)


@pytest.mark.parametrize("work", [0, 100, 2**19])
def test_outcomes_are_those_of_all_combinations(work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Round by round, with losses that are no round numbers."""
    pair = Atoms(np.sqrt([2.0, 3.0, 5.0, 7.0]) - 2, np.log([0.3, 0.2, 0.1, 0.05]))
    loss, log_q = np.zeros(1), np.zeros(1)
    for one in [pair] * 5 + [COIN] * 3:
        loss, log_q = np.add.outer(loss, one.loss).ravel(), np.add.outer(log_q, one.log_q).ravel()
    monkeypatch.setattr(outcomes, "MOST_WORK", work)
    known = outcomes.all_outcomes([Part(pair, 5), Part(COIN, 3)])
    for eps in np.linspace(-5.0, 5.0, 41) + 1e-3:
        beyond = math.fsum(np.exp(log_q[loss > eps]))
        assert math.isclose(math.fsum(np.exp(known.log_q[known.loss > eps])), beyond, rel_tol=1e-12, abs_tol=1e-300)
