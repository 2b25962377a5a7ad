"""One step of CLDP-SGD taken apart: what is sent, how long it is, and how it compares with what is to be learnt."""

import math

import pytest

pytest.importorskip("torch")

import torch

from shufflekit.learning import data, one_step, randomizers

C = 0.01


@pytest.fixture(scope="module")
def rows():
    return one_step.first_gradients(data.digits().train)


def test_a_message_is_an_entry_and_a_sign(rows):
    randomizer = randomizers.RInf(rows.shape[1], eps0=1.5, radius=C, clip="clamp")
    number, sign = one_step.message(randomizer, rows)
    assert 0 <= number < rows.shape[1]
    assert sign in (-1.0, 1.0)


def test_clipping(rows):
    assert one_step.clamped(rows, C).abs().max() == C
    for p in (1, 2, torch.inf):
        norms = torch.linalg.vector_norm(one_step.scaled(rows, p, C), ord=p, dim=1)
        assert norms.max() == pytest.approx(C)
    tiny = rows[:3] * 1e-12
    assert torch.equal(one_step.scaled(tiny, 2, C), tiny)


def test_an_average_report_is_nearly_all_noise(rows):
    randomizer = randomizers.RInf(rows.shape[1], eps0=1.5, radius=C, clip="clamp")
    lengths, cosines = one_step.angles(randomizer, rows, (10, 1000))
    one = randomizer.law.second_moment**0.5
    assert lengths == pytest.approx([one / math.sqrt(10), one / math.sqrt(1000)], rel=0.02)
    assert max(map(abs, cosines)) < 0.1


def test_ways_to_report(rows):
    found = one_step.ways(rows, eps0=1.5, radius=C, k=10_000)
    assert all(way.measured == pytest.approx(way.noise, rel=0.05) for way in found.values())
    assert found["R_inf, clamp"].ratio == pytest.approx(18.2 * found["R_inf, scale"].ratio, rel=0.01)
    assert found["R_inf, clamp"].cosine < 0.5 < 0.95 < found["R_inf, scale"].cosine
    assert found["R_2"].signal == found["PrivUnit"].signal
    assert found["PrivUnit"].noise < found["R_2"].noise
