"""What the runs of Figures 3 and 6 cost, by other routes."""

import pytest

from shufflekit import Shuffle
from shufflekit.papers import experiments_girgis2021 as experiments
from shufflekit.papers import girgis2021

DELTA = 1e-5


def test_costs_of_few_epochs():
    one = experiments.ROUNDS["figure3"]
    found = {bound: experiments.cost(one, bound, 2, DELTA) for bound in experiments.BOUNDS}
    assert found["tight accountant"] == (Shuffle(1.5, 10_000, 60_000) * 12).guarantee(DELTA).upper
    assert found["Theorem 1"] == girgis2021.thm3_privacy(1.5, 60_000, 10_000, 12, DELTA).eps
    assert found["tight accountant"] < found["[24]+[34]"] < found["Theorem 1"]
    with pytest.raises(ValueError, match="bound must be one of"):
        experiments.cost(one, "Theorem 7", 1, DELTA)


def test_bills_rise_and_cross_once():
    for figure, epoch in (("figure3", 56), ("figure6", 28)):
        found = experiments.bills(figure, DELTA)
        assert list(found) == list(experiments.BOUNDS)
        assert all(bill == sorted(bill) for bill in found.values())
        assert experiments.crossing(found) == epoch


def test_the_last_epoch_is_the_last():
    one, epoch = experiments.ROUNDS["figure3"], experiments.last_epoch("figure3", "Theorem 1", 1.4, DELTA)
    assert epoch == 35
    assert experiments.cost(one, "Theorem 1", epoch, DELTA) <= 1.4 < experiments.cost(one, "Theorem 1", 36, DELTA)
    assert experiments.last_epoch("figure3", "[24]+[34]", 1.4, DELTA, "optimal") == 53


def test_to_deal_out_costs_more_than_to_draw():
    bill = experiments.drawn_and_dealt("figure6", 10, DELTA)
    assert bill.drawn < bill.dealt < bill.theorem_1
    assert bill.dealt == (Shuffle(2.0, 2_000) * 10).guarantee(DELTA).upper
