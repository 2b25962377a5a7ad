"""What notebook 20 looks at before it learns."""

import pytest

pytest.importorskip("torch")

from shufflekit.learning import check_in_plans, data, gradients, untrained


def test_the_readings_of_table_2():
    sides = [untrained.side(reading) for reading in untrained.READINGS]
    assert sides == [0, 1, 2, 3, 4]
    assert [untrained.parameters(one) for one in untrained.READINGS] == [0, 10_650, 13_722, 18_842, 26_010]


def test_the_network_that_is_trained_is_the_chosen_reading():
    network = untrained.network()
    assert untrained.rows_of(network) == [16, 8, 8, 2, 2, 2, 32, 4, 4, 2, 2, 2, 32, 10]
    assert gradients.parameter_count(network) == untrained.parameters(untrained.CHOSEN)


def test_noise_is_far_longer_than_the_signal():
    found = untrained.heard(untrained.network(), data.digits().train, 1.709)
    assert list(found) == list(untrained.PROTOCOLS)
    for name, one in found.items():
        plan = check_in_plans.FIGURES[name]
        assert one.signal < plan.radius
        assert 20 * one.signal < one.noise
        assert one.report / one.noise == pytest.approx((plan.size(60_000) * plan.check_in) ** 0.5)


def test_the_sum_drawn_at_once_has_the_law_of_the_reports():
    p = untrained.same_law()
    assert p.pop("a wrong law's length") < 0.001
    assert len(p) == 3
    assert min(p.values()) > 0.01


def test_made_pictures_are_learnt():
    assert untrained.made_pictures() > 0.5
